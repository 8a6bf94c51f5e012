/** The OpenAPI document and the page that renders it, which take a second to make: a build makes them once. */
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import * as fs from "node:fs"
import * as path from "node:path"
import { openApi, Surfaces } from "../../contract/OpenApi.ts"
import * as Pages from "./Pages.ts"
import * as PublicFile from "./PublicFile.ts"

/** The page with the address of the document in the place of the document, which would stand in the package twice. */
const withAddress = (page: string): string => {
  const from = page.lastIndexOf("content: {")
  const until = page.lastIndexOf("})")
  if (from === -1 || until < from) throw new Error("the page of Scalar has no document")
  return `${page.slice(0, from)}url: "/openapi.json"\n${page.slice(until)}`
}

/** The page that renders the document, with inline script. */
const docsPage = async (): Promise<string> => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpApiScalar.layer(Surfaces, { path: "/docs", scalar: Pages.docsOptions }).pipe(
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const page = await response.text()
  await dispose()
  return withAddress(page)
}

const contents = {
  "openapi.json": () => Promise.resolve(JSON.stringify(openApi())),
  "docs.html": docsPage
} as const

export type Name = keyof typeof contents

/** A file in its brotli form. */
export const make = async (name: Name, compression?: PublicFile.Compression): Promise<Buffer> =>
  PublicFile.compressed(await contents[name](), compression)

/** Writes the files into a folder of a build. */
export const write = async (folder: string, compression: PublicFile.Compression): Promise<void> => {
  for (const name of Object.keys(contents) as Array<Name>)
    fs.writeFileSync(path.join(folder, `${name}${PublicFile.brotli}`), await make(name, compression))
}
