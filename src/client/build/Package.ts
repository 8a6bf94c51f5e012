/** Makes the built client a package of its own, `lotbook-client`, without dependencies. */
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..", "..")

interface Manifest {
  readonly version: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** The entries of `lotbook` below `client`, with the names and the places that they have in this package. */
const exportsOf = ({ exports }: Manifest) =>
  Object.entries(exports).flatMap(([name, conditions]) => {
    const own = /^\.\/client(\/.+)?$/.exec(name)
    if (own === null || typeof conditions === "string") return []
    const places = Object.entries(conditions).map(([condition, at]) => [condition, at.replace("./.client/", "./")])
    return [[`.${own[1] ?? ""}`, Object.fromEntries(places) as Readonly<Record<string, string>>] as const]
  })

type Entries = ReturnType<typeof exportsOf>

/** The same for compilers that know nothing of `exports`, such as TypeScript 5 without settings. */
const typesOf = (entries: Entries) =>
  Object.fromEntries(entries.flatMap(([name, { types }]) => (name === "." ? [] : [[name.slice(2), [types]]])))

/** Writes manifest, README and licence beside the code. */
export const writePackage = (folder: string): void => {
  const whole = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as Manifest
  const { engines, license, version } = whole
  const entries = exportsOf(whole)
  const own = Object.fromEntries(entries)
  const manifest = {
    name: "lotbook-client",
    version,
    description:
      "The client of Lotbook, a loyalty points engine: for tills, ordering systems and receivers of webhooks.",
    license,
    keywords: ["loyalty", "points", "rewards", "pos", "lotbook"],
    type: "module",
    sideEffects: false,
    engines,
    main: own["."]?.["default"],
    types: own["."]?.["types"],
    typesVersions: { "*": typesOf(entries) },
    exports: { ...own, "./package.json": "./package.json" }
  }
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
  // TypeScript 5 without settings knows the library of 2009 alone, without `Map` and `AsyncIterable`.
  const declarations = path.join(folder, "Client.d.ts")
  fs.writeFileSync(declarations, `/// <reference lib="es2022" />\n${fs.readFileSync(declarations, "utf8")}`)
  fs.copyFileSync(path.join(root, "src", "client", "README.md"), path.join(folder, "README.md"))
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"))
}
