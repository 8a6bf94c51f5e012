/**
 * Builds the client: types and operations out of the OpenAPI document into `src/client/generated`, then JavaScript with
 * declarations into `.client`.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import type { Json } from "../../contract/Description.ts"
import { openApi } from "../../contract/OpenApi.ts"
import { operationsOf } from "./Description.ts"
import { writePackage } from "./Package.ts"
import { schemasText } from "./Schemas.ts"
import { operationsText, surfacesText } from "./Surfaces.ts"
import { wireText } from "./Wire.ts"

const client = path.join(import.meta.dirname, "..")
const root = path.join(client, "..", "..")
const generated = path.join(client, "generated")
const built = path.join(root, ".client")
/** Where a build is made, so that who imports the client meanwhile finds the one before whole. */
const unfinished = `${built}.new`

/** A file that is the same keeps its time, by which tests know what is to be built anew. */
const write = (name: string, text: string): void => {
  const file = path.join(generated, name)
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return
  fs.mkdirSync(generated, { recursive: true })
  fs.writeFileSync(file, text)
}

const generate = (): void => {
  const document = JSON.parse(JSON.stringify(openApi())) as Json
  const operations = operationsOf(document)
  write("Wire.ts", wireText(document, operations))
  write("Surfaces.ts", surfacesText(operations))
  write("Operations.ts", operationsText(operations))
  write("Schemas.ts", schemasText(document))
}

/** Declarations keep the names of the sources, which are not there. */
const nameScripts = (folder: string): void => {
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name)
    if (!name.endsWith(".d.ts")) continue
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll(/(from |import\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'))
  }
}

const compile = (): void => {
  const compiler = path.join(
    path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin",
    "tsc"
  )
  const before = `${built}.old`
  for (const folder of [unfinished, before]) fs.rmSync(folder, { recursive: true, force: true })
  execFileSync(process.execPath, [compiler, "--project", client, "--outDir", unfinished], { stdio: "inherit" })
  nameScripts(unfinished)
  writePackage(unfinished)
  if (fs.existsSync(built)) fs.renameSync(built, before)
  fs.renameSync(unfinished, built)
  fs.rmSync(before, { recursive: true, force: true })
}

generate()
compile()
