/** Files for spreadsheets: days, times, numbers and money as such, texts that are no formulas, the reader's separators. */
import { assert, describe, it } from "@effect/vitest"
import { figuresCsv } from "../../../../src/console/shared/spreadsheets/csv.ts"
import { excelOf } from "../../../../src/console/shared/spreadsheets/excel.ts"
import { separatorsOf } from "../../../../src/console/shared/spreadsheets/readers.ts"
import { figuresSheet, listSheet } from "../../../../src/console/shared/spreadsheets/sheet.ts"
import { partIn, sheetIn } from "./Xlsx.ts"

const zone = "Europe/Berlin"
const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer())

describe("figures for Excel", () => {
  it("are days, times of the programme's zone, numbers and money as such", () => {
    const [row = []] = figuresSheet(
      [
        [
          "2026-10-25",
          "2026-10-25T12:00:00Z",
          3,
          2.5,
          { amount: 1250, currency: "EUR" },
          { amount: 7, currency: "JPY" }
        ]
      ],
      zone
    )
    assert.deepStrictEqual(row, [
      { value: new Date("2026-10-25T00:00:00Z"), type: Date, format: "yyyy-mm-dd" },
      { value: new Date("2026-10-25T13:00:00Z"), type: Date, format: "yyyy-mm-dd hh:mm:ss" },
      { value: 3, type: Number, format: "#,##0" },
      { value: 2.5, type: Number, format: "#,##0.00" },
      { value: 12.5, type: Number, format: '#,##0.00 "EUR"' },
      { value: 7, type: Number, format: '#,##0 "JPY"' }
    ])
  })

  it("leave what only looks like a day, and empty cells, alone", () => {
    const told = ["2026-13-40", "1899-12-31", "2026-10", "12", "", undefined]
    const [row = []] = figuresSheet([told], zone)
    assert.deepStrictEqual(
      row.map((cell) => cell?.value),
      ["2026-13-40", "1899-12-31", "2026-10", "12", undefined, undefined]
    )
  })

  it("have no formulas, and a first row that stays in sight", async () => {
    const texts = ["=1+1", "+49", "@x", "-", "a & <b>", "bell \u0007"]
    const file = await bytesOf(await excelOf(figuresSheet([["Name"], ...texts.map((text) => [text])], zone)))
    const sheet = sheetIn(file)
    assert.notInclude(sheet, "<f>")
    for (const text of ["=1+1", "+49", "@x", "a &amp; &lt;b&gt;"]) assert.include(sheet, text)
    assert.notInclude(sheet, "\u0007")
    assert.include(partIn(file, "xl/worksheets/sheet1.xml"), 'state="frozen"')
  })
})

it("lists of the service keep numbers of cards and telephones as texts, and say the zone of their times", () => {
  const header = ["occurred_at", "member_id", "phone", "amount", "birth_date", "reason"]
  const row = ["2026-07-01T10:00:00.000Z", "0042", "+4930123456", "-125", "1990-04-05", "'=cmd()"]
  const [names = [], cells = []] = listSheet([header, row], zone)
  assert.deepStrictEqual(
    names.map((cell) => cell?.value),
    ["occurred_at (Europe/Berlin)", ...header.slice(1)]
  )
  assert.deepStrictEqual(
    cells.map((cell) => cell?.value),
    [new Date("2026-07-01T12:00:00Z"), "0042", "+4930123456", -125, new Date("1990-04-05T00:00:00Z"), "=cmd()"]
  )
})

describe("CSV in the reader's separators", () => {
  it("has semicolons and decimal commas where the reader writes decimals so", () => {
    assert.deepStrictEqual(separatorsOf("de-DE"), { cells: ";", decimals: "," })
    assert.isUndefined(separatorsOf("en-US"))
    const rows = [
      ["Day", "Revenue; net"],
      ["2026-10-01", { amount: 1250, currency: "EUR" }],
      ["-1,5", -1.5]
    ]
    assert.strictEqual(
      figuresCsv(rows, separatorsOf("de-DE")),
      '\uFEFFDay;"Revenue; net"\r\n2026-10-01;12,50\r\n\'-1,5;-1,5\r\n'
    )
    assert.strictEqual(figuresCsv(rows), '\uFEFFDay,Revenue; net\r\n2026-10-01,12.50\r\n"\'-1,5",-1.5\r\n')
  })
})
