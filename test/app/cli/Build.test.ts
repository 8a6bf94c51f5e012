/**
 * The build that `npm start` runs: its texts are small in memory, and a start makes nothing that the build has made.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { openApi } from "../../../src/contract/OpenApi.ts"
import * as Built from "../../Built.ts"

const folder = path.dirname(Built.main)
const made = (name: string): string => brotliDecompressSync(fs.readFileSync(path.join(folder, name))).toString()

describe("the build", () => {
  it("has the description as the sources make it, and the page that reads it", () => {
    const document = JSON.stringify(openApi())
    assert.strictEqual(made("openapi.json.br"), document)
    assert.include(document, '"operationId":"accrual.post"')
    const page = made("docs.html.br")
    assert.include(page, "window.Scalar.createApiReference(")
    assert.match(page, /url: "\/openapi\.json"/)
  })

  it("is of ASCII alone: V8 keeps one byte for each sign", () => {
    const scripts = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"))
    assert.include(scripts, "main.js")
    for (const name of scripts) assert.isNull(/[^\0-\x7f]/.exec(fs.readFileSync(path.join(folder, name), "utf8")), name)
  })
})
