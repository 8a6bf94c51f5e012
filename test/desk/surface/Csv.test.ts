/** contract/operators.md *Lists*: CSV is safe to open in a spreadsheet, the service's and the console's. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { figuresCsv } from "../../../src/console/shared/spreadsheets/csv.ts"
import * as Csv from "../../../src/desk/surface/Csv.ts"

const cellIn = (value: string) =>
  Effect.gen(function* () {
    const page = { rows: [[value]], next: undefined }
    const response = yield* Csv.response<never, never, never>("list", ["a"], () => Effect.succeed(page))
    const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    return text.slice("a\r\n".length, -"\r\n".length)
  })

const formulas = [
  "=1+1",
  "+1+1",
  "-1-1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "＝1",
  "＋1",
  "－1",
  "＠A",
  "\u00a0=1",
  "\ufeff=1",
  " =1",
  "\u00a0x"
]

it.effect("a text that a spreadsheet takes for a formula begins with an apostrophe, in every spelling of it", () =>
  Effect.gen(function* () {
    for (const text of formulas) {
      const quoted = /[\r\n]/.test(text) ? `"'${text}"` : `'${text}`
      assert.strictEqual(yield* cellIn(text), quoted)
      assert.strictEqual(figuresCsv([[text]]), `\uFEFF${quoted}\r\n`)
    }
  })
)

it.effect("other texts stay as they are", () =>
  Effect.gen(function* () {
    for (const text of ["Ada", "a=b", "1+1", " Ada", "-12.50", "+4915112345678", ""])
      assert.strictEqual(yield* cellIn(text), text)
  })
)
