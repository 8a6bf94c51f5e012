/** The npm package `lotbook-client`: the client alone, in a project that has nothing else. */

import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { serve } from "../../../src/app/testing/Testing.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import * as Installed from "./Installed.ts"

/** Largest tarball, bytes: three quarters are declarations. */
const mostBytes = 250_000

const readme = Installed.programOf(path.join(Installed.root, "src", "client", "README.md"), "js")

let project: string
let folder: string
let packed: Installed.Packed

beforeAll(() => {
  project = Installed.project()
  packed = Installed.pack(path.join(Installed.root, ".client"), project)
  folder = Installed.unpack(path.join(project, packed.filename), project, "lotbook-client")
})
afterAll(() => fs.rmSync(project, { recursive: true, force: true }))

const compile = (version: 5 | 7, file: string, ...args: ReadonlyArray<string>) => {
  const from = version === 5 ? ["test", "clients"] : []
  const compiler = path.join(Installed.root, ...from, "node_modules", "typescript", "bin", "tsc")
  return Installed.node(project, [compiler, "--noEmit", "--strict", ...args, file])
}

describe("the package lotbook-client", () => {
  it("is the client with its declarations, README and licence, and needs nothing", () => {
    const { name, version, dependencies } = Installed.manifestOf(folder)
    assert.deepStrictEqual([name, version, dependencies], ["lotbook-client", softwareVersion, undefined])
    assert.isBelow(packed.size, mostBytes)
    const files = packed.files.map((file) => file.path)
    for (const file of ["README.md", "LICENSE", "Client.js", "Client.d.ts"]) assert.include(files, file)
    const code = files.filter((file) => /\.(?:js|d\.ts)$/.test(file))
    assert.strictEqual(code.length, files.length - 3)
    for (const file of code) {
      const text = fs.readFileSync(path.join(folder, file), "utf8")
      assert.notMatch(
        text,
        /(?:from|import\() ?"(?:effect|@effect|\.\.\/\.\.\/(?:contract|http))|HttpApi|sourceMappingURL/,
        file
      )
      assert.notInclude(text, Installed.root, file)
    }
  })

  it("has the entries of lotbook, with types for older compilers too", () => {
    const own = Installed.manifestOf(folder)
    const whole = Installed.manifestOf(Installed.root)
    const entries = Object.keys(whole.exports).flatMap((name) => /^\.\/(client(?:\/.*)?)$/.exec(name)?.[1] ?? [])
    assert.isAtLeast(entries.length, 2)
    assert.deepStrictEqual(Object.keys(whole.typesVersions["*"]), entries)
    for (const entry of entries) {
      const { types } = whole.exports[`./${entry}`] as { readonly types: string }
      assert.deepStrictEqual(whole.typesVersions["*"][entry], [types])
      const conditions = own.exports[entry.replace("client", ".")] as Readonly<Record<string, string>>
      assert.deepStrictEqual(Object.keys(conditions), ["types", "default"])
      for (const file of Object.values(conditions)) assert.isTrue(fs.existsSync(path.join(folder, file)), file)
    }
  })

  it("runs the README's program in plain Node", async () => {
    const service = await serve()
    try {
      fs.writeFileSync(path.join(project, "readme.js"), readme.replace("http://127.0.0.1:3210", service.url))
      const { stdout } = await Installed.node(project, ["readme.js"])
      assert.match(stdout, /^\d+ points\n$/)
    } finally {
      await service.stop()
    }
  })

  it("is required by CommonJS, and its other entries import", async () => {
    const entries = Object.keys(Installed.manifestOf(folder).exports).map((name) => name.replace(".", "lotbook-client"))
    for (const entry of entries) {
      const program = `console.log(Object.keys(require("${entry}")).length > 0)`
      const { stdout } = await Installed.node(project, ["--input-type=commonjs", "--eval", program])
      assert.strictEqual(stdout, "true\n", entry)
    }
  })

  it("has types under tsc --strict alone, of TypeScript 5 and 7", async () => {
    const wrong = "\n// @ts-expect-error: a number\nexport const points: string = entry.amount\n"
    fs.writeFileSync(path.join(project, "readme.ts"), readme + wrong)
    const [imported = "", ...rest] = readme.split("\n")
    const inFunction = [imported, "export const run = async () => {", ...rest, wrong.replace("export ", ""), "}"]
    fs.writeFileSync(path.join(project, "function.ts"), inFunction.join("\n"))
    await compile(5, "readme.ts", "--module", "nodenext")
    await compile(7, "readme.ts")
    // Without settings TypeScript 5 reads no `exports`, and allows no `await` outside of functions.
    await compile(5, "function.ts")
  })
})
