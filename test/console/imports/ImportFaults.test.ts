/** Errors of a dry run, as the page of imports shows them. */
import { assert, describe, it } from "@effect/vitest"
import "../../../src/console/shared/words/labels.ts"
import { columnOf, importable, sentence } from "../../../src/console/imports/faults.ts"
import { said } from "../../../src/contract/Said.ts"

const error = (row: number, path: string, code: string) => ({ row, path, code, detail: "" })

describe("rows that would be imported", () => {
  it("are those without an error, and those that fail only at a card or an opening balance", () => {
    const partial = [error(2, "/identity_value", "conflict"), error(3, "/opening_balance", "conflict")]
    assert.deepStrictEqual(importable({ submitted: 3, errors: partial }), { whole: 1, partly: 2, left: 0 })
    const whole = [
      error(4, "", "conflict"),
      error(5, "/email", "validation_failed"),
      error(5, "/phone", "validation_failed")
    ]
    assert.deepStrictEqual(importable({ submitted: 5, errors: [...partial, ...whole] }), {
      whole: 1,
      partly: 2,
      left: 2
    })
    assert.deepStrictEqual(importable({ submitted: 2, errors: whole }), { whole: 0, partly: 0, left: 2 })
  })
})

describe("the error of a row", () => {
  it("is told in the words of the file, and in those of the template if the file has them", () => {
    const own = { dateOrder: "DMY", labels: { birth_date: "Geburtsdatum", email: "E-Mail", member_id: "Nr" } } as const
    for (const [path, detail, inFile, inTemplate] of [
      [
        "/birth_date",
        "must be a real date, YYYY-MM-DD",
        "“Geburtsdatum” is no date in the chosen order: Day, month, year (31.12.1990).",
        "“birth_date” must be a date, such as 2026-07-14."
      ],
      [
        "/member_id",
        "is required if `external_id` is absent",
        "The row has nothing in “Nr”, so that it is nobody's.",
        "The row has no member id, customer number or card number."
      ],
      [
        "/email",
        "must be an e-mail address",
        "“E-Mail” must be an e-mail address.",
        "“email” must be an e-mail address."
      ],
      [
        "/phone",
        "has lost digits in a spreadsheet; format the column as text there, and export it again",
        "“phone” has lost digits in a spreadsheet; format the column as text there, and export it again.",
        "“phone” has lost digits in a spreadsheet; format the column as text there, and export it again."
      ],
      [
        "",
        "The member exists, and changing it needs the scope members:write. Nothing of the row is imported.",
        "The guest exists, and your role may not change guests. Nothing of the row is imported.",
        "The guest exists, and your role may not change guests. Nothing of the row is imported."
      ],
      [
        "/email",
        "Another member has this e-mail address already.",
        "Another guest has this e-mail address already.",
        "Another guest has this e-mail address already."
      ],
      [
        "",
        "must have 3 cells, as the header has",
        "The row has more or fewer cells than there are columns.",
        "The row must have 3 cells, as the header has."
      ]
    ] as const) {
      const { template } = detail.startsWith("must have 3") ? said`must have ${3} cells, as the header has` : {}
      const fault = { path, detail, ...(template === undefined ? {} : { template }) }
      assert.strictEqual(sentence(fault, own), inFile)
      assert.strictEqual(sentence(fault), inTemplate)
    }
    assert.strictEqual(columnOf({ path: "/email", detail: "" }, own), "E-Mail")
    assert.strictEqual(columnOf({ path: "/consent/source", detail: "" }), "consent › source")
  })
})
