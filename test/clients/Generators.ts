/** Clients that generators make of the OpenAPI document, in a folder of their own, and the compiler for them. */
import { createClient } from "@hey-api/openapi-ts"
import openapiTypescript, { astToString } from "openapi-typescript"
import { generate } from "orval"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const modules = path.join(import.meta.dirname, "node_modules")

/** A folder whose files find the packages of this one, such as zod. */
export const folder = (): string => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-clients-"))
  fs.symlinkSync(modules, path.join(made, "node_modules"))
  fs.writeFileSync(path.join(made, "package.json"), JSON.stringify({ type: "module" }))
  return made
}

/** `types.ts`, by openapi-typescript. */
export const types = async (document: object, to: string): Promise<void> => {
  const tree = await openapiTypescript(JSON.stringify(document))
  fs.writeFileSync(path.join(to, "types.ts"), astToString(tree))
}

const written = (document: object, to: string): string => {
  const input = path.join(to, "openapi.json")
  fs.writeFileSync(input, JSON.stringify(document))
  return input
}

/**
 * `hey/`, by @hey-api/openapi-ts: a client, its types, and zod schemas. Without `int64`, as the page on compatibility
 * says: of that its schemas make `bigint`, which its client sends as text.
 */
export const hey = async (document: object, to: string): Promise<void> => {
  await createClient({
    input: JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === "format" && value === "int64" ? undefined : value
    ),
    output: path.join(to, "hey"),
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk", "zod"],
    logs: { level: "silent" }
  })
}

/** `fetch.ts` and `zod.ts`, by orval. */
export const orval = async (document: object, to: string): Promise<void> => {
  const input = { target: written(document, to) }
  for (const client of ["fetch", "zod"] as const) {
    const output = { target: path.join(to, `${client}.ts`), client, mode: "single" } as const
    await generate({ input, output }, undefined, { logLevel: "warn" })
  }
}

/** The compilers: the root's, and the one of other projects. */
export const compilers = [
  path.join(import.meta.dirname, "..", "..", "node_modules", "typescript", "bin", "tsc"),
  path.join(modules, "typescript", "bin", "tsc")
] as const

/** The errors of the compiler, none in a string that is empty. */
export const errorsOf = (
  to: string,
  files: ReadonlyArray<string>,
  options: Readonly<Record<string, unknown>>,
  compiler: string = compilers[0]
) => {
  const config = {
    compilerOptions: {
      target: "esnext",
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["esnext", "dom", "dom.iterable"],
      types: [],
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      ...options
    },
    files
  }
  fs.writeFileSync(path.join(to, "tsconfig.json"), JSON.stringify(config))
  return new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "--project", to], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error === null ? "" : `${stdout}${stderr}` || String(error))
    )
  })
}
