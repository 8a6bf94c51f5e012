/**
 * The routes of the console's files, which `npm run prepare` builds. Browsers cache
 * files with a hash in their name for ever, and revalidate the page at each load.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Running } from "./Backend.ts"
import * as PublicFile from "./PublicFile.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Route.ts"

/** The folder of the build. */
const builtFolder = path.join(import.meta.dirname, "..", "..", "..", ".console")

export const consolePath = "/console"

/** Depth of the deepest page, path segments below `/console`. */
const maxDepth = 4

/** Scripts come from this service alone. Mantine sets styles on elements, so no hash can name them. */
const securityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const pageHeaders = { "Content-Security-Policy": securityPolicy, "Referrer-Policy": "same-origin" }

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

const open = (route: Pick<Route, "path" | "operation" | "run">): Route => ({
  ...route,
  method: "GET",
  auth: "none",
  isForEveryRole: true
})

const assets = (folder: string): ReadonlyArray<Route> =>
  fs
    .readdirSync(path.join(folder, "assets"))
    .filter((name) => name.endsWith(PublicFile.brotli))
    .map((stored) => {
      const name = path.basename(stored, PublicFile.brotli)
      const contentType = contentTypes[path.extname(name)] ?? "application/octet-stream"
      const file = PublicFile.of(contentType, fs.readFileSync(path.join(folder, "assets", stored)), true)
      return open({
        path: `${consolePath}/assets/${name}`,
        operation: "console_file",
        run: ({ exchange }) => PublicFile.reply(file, exchange.incoming)
      })
    })

/** Routes for the paths of all pages. The script of the page reports unknown ones. */
const pages = (run: Route["run"]): ReadonlyArray<Route> =>
  Array.from({ length: maxDepth + 1 }, (_, depth) =>
    open({
      path: [consolePath, ...Array.from({ length: depth }, (_, at) => `:segment${at}`)].join("/"),
      operation: "console",
      run
    })
  )

/** The routes of the console. Without a build they answer that it is missing. */
export const routes = (folder: string = builtFolder): ReadonlyArray<Route> => {
  const index = path.join(folder, `index.html${PublicFile.brotli}`)
  if (!fs.existsSync(index)) {
    const detail = "The console is not built; run `npm run prepare` in the service's folder and start it again."
    return pages(({ exchange: { path: instance } }) => problem("not_found", { detail, instance }))
  }
  const page = PublicFile.of("text/html; charset=utf-8", fs.readFileSync(index), false, pageHeaders)
  const noAsset = open({
    path: `${consolePath}/assets/:name`,
    operation: "console_file",
    run: ({ exchange: { path: instance } }) =>
      problem("not_found", { detail: "The console has no such file; reload the page.", instance })
  })
  return [...assets(folder), noAsset, ...pages(({ exchange }) => PublicFile.reply(page, exchange.incoming))]
}

/** The logo of the business, which also the page of the sign-in shows. Its address changes with it. */
export const logo = (current: () => Running | undefined): Route => ({
  method: "GET",
  auth: "none",
  path: `${consolePath}/logo.png`,
  operation: "console_logo",
  run: ({ exchange: { path: instance } }) => {
    const none = problem("not_found", { detail: "The business has no logo.", instance })
    return Effect.map(current()?.ownLogo ?? Effect.undefined, (found) =>
      found === undefined
        ? none
        : {
            status: 200,
            contentType: "image/png",
            body: found.png,
            headers: {
              "Content-Security-Policy": "default-src 'none'",
              "cache-control": "public, max-age=300",
              ETag: `"${found.tag}"`
            }
          }
    )
  }
})
