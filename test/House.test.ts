/**
 * The rooms of `src/docs/how-it-works.md` are those of `src`, and the pure ones call nothing. Imports, unused code, words
 * and lengths are checked by `npm run check`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { document, mayImport, source, wings } from "./law/Wings.ts"

const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") || file.endsWith(".tsx"))

const folderOf = (file: string): string | undefined =>
  Object.keys(mayImport)
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0]

describe("the house", () => {
  it("has a place for every folder, and a folder for every place", () => {
    assert.isAbove(files.length, 100)
    assert.strictEqual(wings.size, 8)
    assert.isAbove(Object.keys(mayImport).length, 35)
    for (const folder of Object.keys(mayImport).concat(...Object.values(mayImport)))
      assert.isTrue(fs.existsSync(path.join(source, folder)), folder)
    assert.deepStrictEqual(
      files.filter((file) => file.includes("/") && folderOf(file) === undefined),
      []
    )
  })

  it("has every file that the document names", () => {
    const named = [...document.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|sql))`/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 50)
    const found = (name: string) =>
      [source, path.dirname(source)].some((folder) => fs.existsSync(path.join(folder, name)))
    assert.deepStrictEqual(
      named.filter((name) => !found(name)),
      []
    )
  })

  it("keeps the client to what browsers and Node both have", () => {
    const mine = files.filter((file) => folderOf(file) === "client")
    assert.isAbove(mine.length, 10)
    for (const file of mine) {
      const code = fs.readFileSync(path.join(source, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      assert.notMatch(code, /\b(?:process|Buffer|require|setImmediate|document|window)\b/, file)
    }
  })

  it("keeps clocks and randomness out of the rules and the domain", () => {
    const pure = ["core/rules", "core/account/domain"]
    const isPure = (file: string) => pure.some((folder) => file.startsWith(`${folder}/`))
    const calls = files.filter(
      (file) =>
        isPure(file) &&
        /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|performance\.now)\b/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(calls, [])
  })

  it("reads Effect's clock in one file, which gives two times that do not fit each other's places, and in verification's own", () => {
    const read = files.filter(
      (file) =>
        !file.startsWith("console/") &&
        !file.startsWith("guest/") &&
        /\b(?:Clock\.(?:Clock|current|monotonic)|clockWith|Date\.now\()/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(read.toSorted(), ["base/time/Times.ts", "conformance/Clock.ts"])
  })
})
