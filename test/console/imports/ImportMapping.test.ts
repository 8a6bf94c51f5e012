/** A file with columns of its own becomes one with the columns of the template (contract/engagement.md *Imports*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as ImportCsv from "../../../src/capabilities/imports/ImportCsv.ts"
import { columnName, csvOf } from "../../../src/console/imports/file.ts"
import { guessChoices, guessColumns, isMember } from "../../../src/console/imports/guesses.ts"
import type { Cells, Choices } from "../../../src/console/imports/mapping.ts"
import {
  choiceFault,
  converted,
  hasNationalNumbers,
  isBlank,
  mapped,
  telephone,
  unknownWords,
  wordsOf
} from "../../../src/console/imports/mapping.ts"
import type { Field } from "../../../src/contract/ColumnNames.ts"
import { fields } from "../../../src/contract/ColumnNames.ts"
import { guessDateOrder, isoDate } from "../../../src/contract/WrittenDates.ts"
import { guessThousands, haveSeparators, wholePoints } from "../../../src/contract/WrittenPoints.ts"

const choices = (columns: Choices["columns"], more: Partial<Choices> = {}): Choices => ({
  ...guessChoices([], []),
  columns,
  ...more
})

describe("columns of an import", () => {
  it("are guessed by their names in English and German, each field once", () => {
    const guess = (...header: Cells) => guessColumns(header, [])
    assert.deepStrictEqual(
      guess("Kunden-Nr.", "Vorname", "Nachname", "E-Mail", "Telefon", "Geburtsdatum", "Newsletter"),
      ["external_id", "first_name", "last_name", "email", "phone", "birth_date", "marketing_consent"]
    )
    assert.deepStrictEqual(guess("Member ID", "Full name", "Card number", "Points", "Straße", ""), [
      "member_id",
      "display_name",
      "identity_value",
      "opening_balance",
      undefined,
      undefined
    ])
    // Parts of the name are chosen before the whole name.
    assert.deepStrictEqual(guess("Name", "First name"), [undefined, "first_name"])
    assert.deepStrictEqual(guess("Mail", "E-Mail"), ["email", undefined])
  })

  it("are guessed by their cells where the name says nothing", () => {
    const rows = [
      ["a@example.com", "+49 30 123456", "01.02.1990", "ja"],
      ["none", "", "03.04.1991", "nein"],
      ["b@example.com", "0049 30 123457", "", "ja"]
    ]
    assert.deepStrictEqual(guessColumns(["A", "B", "C", "D"], rows), ["email", "phone", undefined, undefined])
    assert.deepStrictEqual(guessColumns(["email", "A", "", ""], [["", "a@example.com"]])[1], undefined)
  })

  it("are refused before the service is asked if they cannot be imported", () => {
    const faultOf = (columns: Choices["columns"], more?: Partial<Choices>) =>
      choiceFault(choices(columns, more), [["1.000"]])
    assert.deepStrictEqual(faultOf(["member_id", "email", "email"]), { kind: "twice", field: "email" })
    assert.deepStrictEqual(faultOf(["member_id", "display_name", "last_name"]), { kind: "twoNames" })
    assert.deepStrictEqual(faultOf(["email", undefined, undefined]), { kind: "nobody" })
    assert.deepStrictEqual(faultOf(["member_id", "identity_type"]), { kind: "noCard" })
    assert.deepStrictEqual(faultOf(["identity_value"], { cardType: "" }), { kind: "cardType" })
    assert.deepStrictEqual(faultOf(["member_id", "phone"], { callingCode: "49" }), { kind: "callingCode" })
    assert.deepStrictEqual(faultOf(["opening_balance", "member_id"]), { kind: "thousands" })
    assert.isUndefined(faultOf(["opening_balance", "member_id"], { thousands: "," }))
    for (const columns of [["external_id"], ["identity_value", "phone"], ["member_id", undefined, undefined]] as const)
      assert.isUndefined(faultOf(columns))
  })

  it("can be attributes with names of their own, numbers where all cells are", () => {
    const guessed = guessChoices(["Nr", "attributes.favourite", "Attribute PLZ"], [])
    assert.deepStrictEqual(guessed.columns, [undefined, "attribute", "attribute"])
    assert.deepStrictEqual(guessed.attributes, ["Nr", "favourite", "PLZ"])
    const columns = ["member_id", "attribute", "attribute", "attribute"] as const
    const all = [
      ["Nr", "A", "B", "C"],
      ["1", "Eis", "12", "01067"],
      ["2", "", "-3.5", "12"],
      ["3", "", "", ""]
    ]
    const made = mapped(all, choices(columns, { attributes: ["", "favourite", " visits ", "plz"] }))
    assert.deepStrictEqual(made, [
      ["member_id", "attributes_json"],
      ["1", '{"favourite":"Eis","visits":12,"plz":"01067"}'],
      ["2", '{"visits":-3.5,"plz":"12"}'],
      ["3", ""]
    ])
    const faultOf = (attributes: Cells, more: Choices["columns"] = []) =>
      choiceFault(choices([...columns, ...more], { attributes }), [])
    assert.deepStrictEqual(faultOf(["", "a", " ", "c"]), { kind: "noAttribute" })
    assert.deepStrictEqual(faultOf(["", "a", "b", "a "]), { kind: "sameAttribute" })
    assert.deepStrictEqual(faultOf(["", "a", "b", "c"], ["attributes_json"]), { kind: "twoAttributes" })
    assert.isUndefined(faultOf(["", "a", "b", "c"]))
  })

  it("can name members by their e-mail addresses, if nothing else does", () => {
    const named = choices(["email", "display_name"], { isNamedByEmail: true })
    assert.isUndefined(choiceFault(named, []))
    assert.deepStrictEqual(choiceFault({ ...named, isNamedByEmail: false }, []), { kind: "nobody" })
    assert.deepStrictEqual(
      mapped(
        [
          ["E-Mail", "Name"],
          [" Ada@Example.com", "Ada"]
        ],
        named
      ),
      [
        ["email", "display_name", "external_id"],
        [" Ada@Example.com", "Ada", "ada@example.com"]
      ]
    )
    assert.deepStrictEqual(wordsOf(named, (place) => `#${place}`).labels, {
      email: "#0",
      display_name: "#1",
      external_id: "#0"
    })
    assert.deepStrictEqual(
      mapped(
        [
          ["E-Mail", "Nr"],
          ["a@b.c", "7"]
        ],
        { ...named, columns: ["email", "external_id"] }
      )[0],
      ["email", "external_id"]
    )
  })

  it("have no names where the first row is a member", () => {
    for (const first of [
      ["ada@example.com", "Ada"],
      ["Ada", "0170 1234567"],
      ["Ada", "3.4.1990"],
      ["4711", "Ada"]
    ])
      assert.isTrue(isMember(first), first.join())
    for (const first of [["Kundennr", "2024"], ["Ada", "Berlin"], [""]]) assert.isFalse(isMember(first), first.join())
    assert.deepStrictEqual(
      mapped([[""], ["7", "Ada"], ["8", "Zoë"]], choices(["member_id", "display_name"], { hasHeader: false })),
      [["member_id", "display_name"], [""], ["7", "Ada"], ["8", "Zoë"]]
    )
    assert.deepStrictEqual(
      [0, 25, 26, 703].map((place) => columnName([], place)),
      ["Column A", "Column Z", "Column AA", "Column AAB"]
    )
  })

  it("become those of the template, with names joined and a type for each card", () => {
    const all = [
      [""],
      ["Nachname", "Nr", "Karte", "Ort", "Vorname", "OK"],
      ["Groß", "7", "c-1", "Köln", "Zoë ", "Ja"],
      ["", "", " ", "", "", ""],
      ["", "8", "", "", "Ada", "vielleicht"],
      ["too", "few"],
      ["a", "b", "c", "d", "e", "f", "g"]
    ]
    const made = mapped(
      all,
      choices(["last_name", "external_id", "identity_value", undefined, "first_name", "marketing_consent"])
    )
    assert.deepStrictEqual(made, [
      [""],
      ["display_name", "external_id", "identity_value", "marketing_consent", "identity_type"],
      ["Zoë Groß", "7", "c-1", "true", "loyalty_id"],
      [""],
      ["Ada", "8", "", "vielleicht", ""],
      ["too", "few"],
      ["a", "b", "c", "d", "e", "f", "g"]
    ])
    // A row with a wrong number of cells is refused, even if the result has as many columns.
    assert.deepStrictEqual(
      mapped(
        [
          ["a", "b", "c"],
          ["1", "2"]
        ],
        choices(["member_id", undefined, "email"])
      )[1],
      ["1", "2", ""]
    )
  })
})

describe("formats of an import", () => {
  it("write telephone numbers with their country, and leave what is none", () => {
    for (const [cell, code, number] of [
      ["030 / 123-456", "+49", "+4930123456"],
      ["+49 (0)30 123456", "", "+4930123456"],
      ["'+49 30 123456", "", "+4930123456"],
      ["0049 30 123456", "+43", "+4930123456"],
      ["(212) 555-0100", "+1", "+12125550100"],
      ["1-212-555-0100", "+1", "+12125550100"],
      ["06 1234 5678", "+39", "+390612345678"],
      ["612 345 678", "+34", "+34612345678"],
      ["30123456", "+49", "30123456"],
      ["030 123456", "", "030 123456"],
      ["030 123456 ext. 7", "+49", "030 123456 ext. 7"],
      ["none", "+49", "none"],
      ["", "+49", ""]
    ] as const)
      assert.strictEqual(telephone(cell, code), number, cell)
  })

  it("are asked for where the cells need them", () => {
    assert.isTrue(hasNationalNumbers(["+49 30 1234", "(030) 1234"]))
    assert.isFalse(hasNationalNumbers(["+49 30 1234", "'+49 30 1234", "0049 30 1234", "", "none"]))
    const consent = { yes: ["ja", "so"], no: ["nein", "so"] }
    assert.deepStrictEqual(unknownWords(["Ja", "nein ", "", "TRUE", "so", "maybe", "maybe"], consent), ["so", "maybe"])
  })

  it("write dates as ISO does, and leave what is none", () => {
    for (const [cell, order, date] of [
      ["1.2.1990", "DMY", "1990-02-01"],
      ["1/2/1990", "MDY", "1990-01-02"],
      ["01-02-1990 00:00:00", "DMY", "1990-02-01"],
      ["1990/2/1", "DMY", "1990-02-01"],
      ["1990-02-01", "MDY", "1990-02-01"],
      ["31.02.1990", "DMY", "31.02.1990"],
      ["13/12/1990", "MDY", "13/12/1990"],
      ["1.2.90", "DMY", "1.2.90"],
      ["1.2.1990", "YMD", "1.2.1990"],
      ["1.2/1990", "DMY", "1.2/1990"],
      ["1.2.1990 10:00", "DMY", "1.2.1990 10:00"],
      ["", "DMY", ""]
    ] as const)
      assert.strictEqual(isoDate(cell, order), date, cell)
  })

  it("guess the order of dates, and tell if they are not sure", () => {
    for (const [cells, order, isSure] of [
      [["1/2/1990", "13/2/1990"], "DMY", true],
      [["1/2/1990", "2/13/1990", ""], "MDY", true],
      [["1/13/1990", "2/13/1990", "13/2/1990"], "MDY", false],
      // A date that is none hides no order.
      [["1/2/1990", "13/2/1990", "31/2/1990"], "DMY", true],
      [["2/30/1990", "2/13/1990"], "MDY", true],
      [["1/2/1990"], "DMY", false],
      [["1.2.1990"], "DMY", true],
      [["1990-02-01", "1991/2/1"], "YMD", true],
      [["1/2/1990", "1990-02-01"], "DMY", false],
      [[], "DMY", true]
    ] as const)
      assert.deepStrictEqual(guessDateOrder(cells), { order, isSure }, cells.join(" "))
  })
})

describe("points of an import", () => {
  it("are whole numbers without separators, and stay as they are if they are none", () => {
    for (const [cell, separator, points] of [
      ["1.000", ".", "1000"],
      ["1.000", ",", "1"],
      ["1,000", ",", "1000"],
      ["1.234.567,00", ".", "1234567"],
      ["12,50", ".", "12,50"],
      ["12.0", ",", "12"],
      ["0.500", ".", "0.500"],
      ["1 000", undefined, "1000"],
      ["1’000", undefined, "1000"],
      ["1 00", undefined, "1 00"],
      ["1.000", undefined, "1.000"],
      ["120 P", ".", "120 P"],
      ["", ".", ""]
    ] as const)
      assert.strictEqual(wholePoints(cell, separator), points, cell)
  })

  it("tell what separates thousands, or nothing", () => {
    assert.strictEqual(guessThousands(["1.000", "12,5"]), ".")
    assert.strictEqual(guessThousands(["1.000", "1.234.567"]), ".")
    assert.strictEqual(guessThousands(["1,000", "12,000.00"]), ",")
    assert.strictEqual(guessThousands(["1.000", "0.500"]), ",")
    assert.isUndefined(guessThousands(["1.000", "2.500", "7"]))
    assert.isUndefined(guessThousands(["1,5", "1.5"]))
    assert.isFalse(haveSeparators(["7", "1 000"]))
  })
})

const cell = fc.oneof(
  fc.constantFrom("", " ", "a", "ja", "030 1", "1.2.1990", 'a "b"', "two\nlines", "x,y", "'=1", "\r\n"),
  fc.string({ unit: "grapheme", maxLength: 6 })
)

/** Columns with at most one of each field and an id, and rows. Some rows are blank or have other lengths. */
const sheets = fc
  .uniqueArray(fc.constantFrom<ReadonlyArray<Field>>(...fields.map((field) => [field])), {
    selector: ([field]) => field
  })
  .chain((chosen) => {
    const others: ReadonlyArray<Field> = ["display_name", "member_id", "attribute"]
    const some = chosen.flat().filter((field) => !others.includes(field))
    const columns = fc.shuffledSubarray<Field | undefined>([...some, undefined], { minLength: some.length })
    const width = some.length + 1
    return fc.record({
      columns: columns.map((rest): Choices["columns"] => ["member_id", ...rest].slice(0, width) as Choices["columns"]),
      rows: fc.array(
        fc.oneof(
          fc.constant([""]),
          fc.array(cell, { minLength: 1, maxLength: 9 }),
          fc.array(cell, { minLength: width, maxLength: width })
        )
      )
    })
  })

describe("the conversion of an import", () => {
  it.effect("keeps the number of each row, and never alters a column that is sent as it is", () =>
    Effect.gen(function* () {
      for (const { columns, rows } of fc.sample(sheets, { numRuns: 300, seed: 52 })) {
        const header = columns.map((_, index) => `column ${index}`)
        const all = [header, ...rows]
        const made = mapped(all, choices(columns, { callingCode: "+49" }))
        assert.strictEqual(made.length, all.length)
        const [names = []] = made
        rows.forEach((before, index) => {
          const after = made[index + 1] ?? []
          if (isBlank(before)) return assert.deepStrictEqual(after, [""])
          if (before.length !== columns.length) {
            assert.notStrictEqual(after.length, names.length)
            return assert.deepStrictEqual(after.slice(0, before.length), before)
          }
          columns.forEach((field, place) => {
            if (field === undefined || converted.has(field)) return
            assert.strictEqual(after[names.indexOf(field as (typeof names)[number])], before[place])
          })
        })
        // The service counts the rows as the file does.
        const shown = made.flatMap((cells, index) => (index === 0 || isBlank(cells) ? [] : [index + 1]))
        if (shown.length === 0 || (names.includes("identity_type") && !names.includes("identity_value"))) continue
        const read = yield* ImportCsv.read(csvOf(made))
        assert.deepStrictEqual(
          read.rows.map((row) => row.shown),
          shown
        )
      }
    })
  )
})
