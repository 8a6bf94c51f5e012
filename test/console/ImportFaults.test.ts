/** What the page of imports makes of the errors of a dry run. */
import { assert, describe, it } from "@effect/vitest"
import { importable } from "../../src/console/pages/imports/faults.ts"

const error = (row: number, path: string, code: string) => ({ row, path, code, detail: "" })

describe("rows that would be imported", () => {
  it("are those without an error, and those that fail only at a card or an opening balance", () => {
    const partial = [error(2, "/identity_value", "conflict"), error(3, "/opening_balance", "conflict")]
    assert.strictEqual(importable({ submitted: 2, errors: partial }), 2)
    const whole = [
      error(4, "", "conflict"),
      error(5, "/email", "validation_failed"),
      error(5, "/phone", "validation_failed")
    ]
    assert.strictEqual(importable({ submitted: 5, errors: [...partial, ...whole] }), 3)
    assert.strictEqual(importable({ submitted: 2, errors: whole }), 0)
  })
})
