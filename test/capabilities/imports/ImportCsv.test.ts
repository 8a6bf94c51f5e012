/** contract/engagement.md *CSV files*: what a CSV file may look like, and what refuses it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { decode } from "../../../src/capabilities/imports/DecodeRow.ts"
import * as ImportCsv from "../../../src/capabilities/imports/ImportCsv.ts"
import { importColumns } from "../../../src/contract/platform/Imports.ts"

/** The rows of a file: each as it is checked, or its faults. */
const rowsOf = (text: string, country?: string) =>
  Effect.map(ImportCsv.read(text), ({ rows }) =>
    rows.map(({ value: row }) => {
      const decoded = Result.flatMap(row, (value) => decode(value, country))
      return Result.isSuccess(decoded)
        ? (decoded.success as unknown)
        : decoded.failure.map(({ message, path }) => `${ImportCsv.columnOf(path)} ${message}`)
    })
  )

/** Why a file is refused as a whole. */
const refusalOf = (text: string) =>
  Effect.map(Effect.flip(ImportCsv.read(text)), ({ code, errors = [] }) => {
    assert.strictEqual(code, "validation_failed")
    return errors.map(({ message, path }) => `${path} ${message}`)
  })

describe("an import's CSV", () => {
  it.effect("has quotes, commas and line breaks within quotes, a BOM, CRLF, and perhaps no last newline", () =>
    Effect.gen(function* () {
      const wanted = [
        { member_id: "m1", display_name: 'Ann "A", Lee' },
        { member_id: "m2", display_name: "two\nlines" },
        { member_id: "m3", display_name: "and\r\nmore" }
      ]
      const lines = ["member_id,display_name", 'm1,"Ann ""A"", Lee"', 'm2,"two\nlines"', '"m3","and\r\nmore"']
      for (const newline of ["\n", "\r\n"])
        for (const begin of ["", "\uFEFF"])
          for (const end of ["", newline, newline + newline])
            assert.deepStrictEqual(yield* rowsOf(begin + lines.join(newline) + end), wanted)
    })
  )

  it.effect("maps every column; an empty cell is absent", () =>
    Effect.gen(function* () {
      const header =
        "opening_balance,identity_issuer,identity_value,identity_type,attributes_json,consent_source,marketing_consent," +
        "birth_date,phone,email,display_name,external_id,member_id"
      const row = `70,shop,c-1,loyalty_id,"{""size"":{""shoe"":38}}",desk,TRUE,1990-02-28,+493012345678,a@b.c,Ann,e1,m1`
      assert.deepStrictEqual(yield* rowsOf(`${header}\n${row}\n,,,,,,,,,,,e2,\n`), [
        {
          member_id: "m1",
          external_id: "e1",
          display_name: "Ann",
          email: "a@b.c",
          phone: "+493012345678",
          birth_date: "1990-02-28",
          attributes: { size: { shoe: 38 } },
          consent: { marketing: true, source: "desk" },
          identity: { type: "loyalty_id", value: "c-1", issuer: "shop" },
          opening_balance: 70
        },
        { external_id: "e2" }
      ])
    })
  )

  it.effect("counts rows as spreadsheets do; claims keep the numbers that lines without characters do not have", () =>
    Effect.gen(function* () {
      const { cells, rows } = yield* ImportCsv.read("member_id,email\n\nm1,\n,\n \nm2\n\n")
      assert.deepStrictEqual(
        rows.map(({ row, shown }) => [row, shown]),
        [
          [1, 3],
          [4, 6]
        ]
      )
      assert.deepStrictEqual(cells, [["member_id", "email"], ["m1", ""], ["", ""], [" "], ["m2"]])
      assert.deepStrictEqual(yield* refusalOf("member_id,email\n,\n"), ["/csv must have at least 1 row"])
    })
  )

  it.effect("refuses a file with a bad header, without quoting it", () =>
    Effect.gen(function* () {
      const there = `; the columns are ${importColumns.join(", ")}`
      const refusals: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["member_id,secret\nm1,x", ["/csv has an unknown name in column 2 of its header" + there]],
        ["member_id,Email\nm1,x", ["/csv has an unknown name in column 2 of its header" + there]],
        ["member_id,\nm1,x", ["/csv has an unknown name in column 2 of its header" + there]],
        ["__proto__,member_id\nx,m1", ["/csv has an unknown name in column 1 of its header" + there]],
        ["email,member_id,email\n", ["/csv repeats in column 3 of its header the name of column 1" + there]],
        ["email,display_name\na@b.c,Ann", ["/csv must have one of the columns member_id, external_id, identity_value"]],
        ["", ["/csv must have one of the columns member_id, external_id, identity_value"]],
        ["member_id\n", ["/csv must have at least 1 row"]]
      ]
      for (const [text, wanted] of refusals) assert.deepStrictEqual(yield* refusalOf(text), wanted, text)
    })
  )

  it.effect("refuses a file that is no CSV, with the line, and one of more than 1,000 rows", () =>
    Effect.gen(function* () {
      assert.match((yield* refusalOf('member_id\nm1\n"secret'))[0] ?? "", /line 3: Unterminated quoted field$/)
      assert.match((yield* refusalOf('member_id\nse"cret'))[0] ?? "", /line 2: Unexpected quote in an unquoted field$/)
      const rows = (count: number) => `member_id\n${"m\n".repeat(count)}`
      assert.strictEqual((yield* ImportCsv.read(rows(1_000))).rows.length, 1_000)
      assert.deepStrictEqual(yield* refusalOf(rows(1_001)), ["/csv must have at most 1000 rows; it has 1001"])
    })
  )

  it.effect("reports a bad row at its column, and takes the others", () =>
    Effect.gen(function* () {
      const columns = "member_id,email,marketing_consent,consent_source,attributes_json,identity_type,identity_value"
      const bad: ReadonlyArray<readonly [string, string]> = [
        ["m,,,,,", " must have 8 cells, as the header has"],
        ["m,,,,,,,,", " must have 8 cells, as the header has"],
        ["m,secret,,,,,,", "/email must be an e-mail address"],
        ["m,mailto:a@secret.de,,,,,,", "/email must be an e-mail address"],
        ["m,a..b@secret.de,,,,,,", "/email must be an e-mail address"],
        ["m,a@secret..de,,,,,,", "/email must be an e-mail address"],
        ["m,.a@secret.de,,,,,,", "/email must be an e-mail address"],
        ["m,a@secret,,,,,,", "/email must be an e-mail address"],
        ["m,a@secret.de.,,,,,,", "/email must be an e-mail address"],
        ["4.93E+15,,,,,,,", "/member_id has lost digits in a spreadsheet"],
        ['"4,93e+15",,,,,,,', "/member_id has lost digits in a spreadsheet"],
        ["m,,,,,loyalty_id,4.93015E+15,", "/identity_value has lost digits in a spreadsheet"],
        ["m,,secret,,,,,", "/marketing_consent must be true or false"],
        ["m,,,secret,,,,", "/marketing_consent is required"],
        ["m,,,,{secret,,,", "/attributes_json must be JSON"],
        ["m,,,,[],,,", "/attributes_json must be an object"],
        ['m,,,,"{""__proto__"":1}",,,', "/attributes_json is not allowed as a key"],
        ['m,,,,"{""a"":{""constructor"":1}}",,,', "/attributes_json is not allowed as a key"],
        ["m,,,,,loyalty_id,,", "/identity_value is required"],
        ["m,,,,,secret,secret,", "/identity_type must be one of"],
        ["m,,,,,,,-5", "/opening_balance must be a whole number"],
        ["m,,,,,,,1e3", "/opening_balance must be a"],
        ["m,,,,,,,0.5", "/opening_balance must be a whole number"],
        ["m,,,,,,,1.000", "/opening_balance must be a whole number"],
        ["m,,,,,,,9007199254740993", "/opening_balance must be a whole number"],
        ["merge,,,,,,,", "/member_id must not be merge"]
      ]
      const found = yield* rowsOf(
        `${columns},opening_balance\nfirst,,,,,,,\n${bad.map(([row]) => row).join("\n")}\nlast,,,,,,,5`
      )
      assert.deepStrictEqual(found.at(0), { member_id: "first" })
      assert.deepStrictEqual(found.at(-1), { member_id: "last", opening_balance: 5 })
      for (const [index, [row, fault]] of bad.entries()) {
        const [first = "", ...others] = found[index + 1] as ReadonlyArray<string>
        assert.isTrue(first.startsWith(fault), `${row}: ${first}`)
        assert.deepStrictEqual(others, [], row)
        assert.notInclude(first, "secret")
      }
    })
  )

  it.effect("takes addresses of any language, and ids that only look like a number with an exponent", () =>
    Effect.gen(function* () {
      const rows = yield* rowsOf("member_id,email\n4E15,o'neil+points@mail.example.co.uk\nE15,jörg@müller.example\n")
      assert.deepStrictEqual(rows, [
        { member_id: "4E15", email: "o'neil+points@mail.example.co.uk" },
        { member_id: "E15", email: "jörg@müller.example" }
      ])
    })
  )

  it.effect("reads a telephone number without a country with the programme's", () =>
    Effect.gen(function* () {
      for (const [country, cell, phone] of [
        ["DE", "030 / 123-456", "+4930123456"],
        ["DE", "+43 1 234567", "+431234567"],
        ["US", "(212) 555-0100", "+12125550100"],
        ["US", "1 212 555 0100", "+12125550100"],
        ["IT", "06 1234 5678", "+390612345678"],
        ["HU", "06 1 234 5678", "+3612345678"],
        ["ES", "612 345 678", "+34612345678"]
      ] as const)
        assert.deepStrictEqual(yield* rowsOf(`member_id,phone\nm,${cell}`, country), [{ member_id: "m", phone }], cell)
      for (const [country, cell] of [
        [undefined, "030123456"],
        ["DE", "30123456"],
        ["US", "2125550"],
        ["XX", "030123456"]
      ] as const)
        assert.deepStrictEqual(
          yield* rowsOf(`member_id,phone\nm,${cell}`, country),
          [["/phone must be a telephone number such as +493012345678"]],
          cell
        )
    })
  )

  it.effect("takes one apostrophe away before what a spreadsheet would run, and before nothing else", () =>
    Effect.gen(function* () {
      const cells: ReadonlyArray<readonly [string, string]> = [
        ["'=1+1", "=1+1"],
        ["'+1", "+1"],
        ["'-1", "-1"],
        ["'@me", "@me"],
        ["'\tx", "\tx"],
        ['"\'\rx"', "\rx"],
        ["''=1", "''=1"],
        ["'Ann", "'Ann"],
        ["=1+1", "=1+1"],
        ["d'=x", "d'=x"]
      ]
      const rows = yield* rowsOf(`member_id,display_name\n${cells.map(([cell]) => `m,${cell}`).join("\n")}`)
      assert.deepStrictEqual(
        rows.map((row) => (row as { readonly display_name: string }).display_name),
        cells.map(([, value]) => value)
      )
    })
  )
})
