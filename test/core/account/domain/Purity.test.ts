/** `src/docs/how-it-works.md`: the rules of an account stand on the programme and the contract alone. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "src", "core", "account", "domain")

it("the domain imports program, contract and itself alone", () => {
  const imports = fs.readdirSync(folder).flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), "utf8")
    return [...text.matchAll(/^import [^"]* from "([^"]*)"$/gm)].map(([, from]) => `${file} ${from}`)
  })
  assert.isAbove(imports.length, 50)
  assert.deepStrictEqual(
    imports.filter((one) => !/ (?:\.\/|\.\.\/\.\.\/rules\/|\.\.\/\.\.\/\.\.\/contract\/)/.test(one)),
    []
  )
})
