/** A large file goes to the service in parts, whose rows keep their numbers (contract/engagement.md *Imports*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ImportCsv from "../../../src/capabilities/imports/ImportCsv.ts"
import { readFile } from "../../../src/console/imports/file.ts"
import { maxFileBytes, maxFileRows, split } from "../../../src/console/imports/parts.ts"
import { together } from "../../../src/console/imports/together.ts"
import { maxRows } from "../../../src/contract/platform/Imports.ts"
import { maxBodyBytes } from "../../../src/contract/protocol/Protocol.ts"

const csv = (lines: ReadonlyArray<string>, name = "guests.csv") => new File([lines.join("\n")], name)

const partsOf = async (lines: ReadonlyArray<string>) => {
  const found = await readFile(csv(lines))
  if (found.kind !== "ready") throw new Error(found.kind)
  return found.parts
}

/** The numbers of a part's rows, as the service counts them. */
const shownIn = (text: string) => Effect.map(ImportCsv.read(text), ({ rows }) => rows.map(({ shown }) => shown))

describe("the parts of a file", () => {
  it.effect("have at most as many rows as the service takes, each with its number in the file", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 2_500 }, (_, n) => (n % 10 === 3 ? "" : `part-${n},"two\nlines"`))
      const lines = ["", "member_id,display_name", ...rows]
      const parts = yield* Effect.promise(() => partsOf(lines))
      assert.deepStrictEqual(
        parts.map((part) => part.rows),
        [1_000, 1_000, 250]
      )
      const shown = (yield* Effect.forEach(parts, ({ text }) => shownIn(text))).flat()
      assert.deepStrictEqual(
        shown,
        lines.flatMap((line, index) => (index < 2 || line === "" ? [] : [index + 1]))
      )
      assert.strictEqual(new Set(parts.map(({ key }) => key)).size, 3)
      // The same file has the same keys, so that it goes on where it stopped.
      assert.deepStrictEqual(yield* Effect.promise(() => partsOf(lines)), parts)
    })
  )

  it.effect("have the rows of one member together, whatever they name it by", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 2_000 }, (_, n) => `ext-${n},loyalty_id,card-${n}`)
      rows[1_700] = "ext-1,loyalty_id,card-new"
      rows[1_900] = ",loyalty_id,card-new"
      rows[1_901] = ",external,card-2"
      const parts = yield* Effect.promise(() => partsOf(["external_id,identity_type,identity_value", ...rows]))
      const [first = [], second = []] = yield* Effect.forEach(parts, ({ text }) => shownIn(text))
      assert.includeMembers(first, [3, 1_702, 1_902])
      assert.include(second, 1_903)
      assert.lengthOf(first, maxRows)
      assert.deepStrictEqual(
        first,
        first.toSorted((one, other) => one - other)
      )
    })
  )

  it("have at most as many bytes as the service takes", () => {
    const cell = "é".repeat(200_000)
    const all = [["member_id", "display_name"], ...Array.from({ length: 7 }, (_, n) => [`m${n}`, cell])]
    const lines = all.map((cells) => `${cells.join(",")}\r\n`)
    const parts = split(all, lines, maxBodyBytes)
    assert.deepStrictEqual(
      parts.map(({ rows }) => rows),
      [2, 2, 2, 1]
    )
    for (const { text } of parts) assert.isAtMost(new TextEncoder().encode(text).length, maxBodyBytes)
    // More rows of one member than a part takes are in several.
    const same = [["member_id"], ...Array.from({ length: 2_001 }, () => ["one"])]
    assert.deepStrictEqual(
      split(
        same,
        same.map(() => "one\r\n"),
        maxBodyBytes
      ).map(({ rows }) => rows),
      [1_000, 1_000, 1]
    )
  })

  it("are none of a file that is too large, whose size is told as it is", async () => {
    const many = ["member_id", ...Array.from({ length: maxFileRows + 1 }, () => "a")]
    assert.deepStrictEqual(await readFile(csv(many)), { kind: "tooLarge", bytes: 100_011, rows: maxFileRows + 1 })
    const large = new File([new Uint8Array(2 * maxFileBytes + 1)], "guests.csv")
    assert.deepStrictEqual(await readFile(large), { kind: "tooLarge", bytes: large.size, rows: undefined })
  })

  it("have one result", () => {
    const error = (row: number) => ({
      row,
      path: "/email",
      code: "validation_failed",
      detail: "must be an e-mail address"
    })
    const part = (rows: ReadonlyArray<number>) => ({
      ...{ import_id: "imp_1", program_id: "p", status: "partial" as const, submitted: 20, created: 7, updated: 2 },
      failed: rows.length,
      errors: rows.map(error),
      repeated: [{ path: "/member_id", count: 2, rows: rows.slice(0, 2) }],
      ...{ created_by: "x", created_at: "2026-07-14T10:05:00.000Z" }
    })
    const told = together([part([2, 4, 6, 8, 10, 12]), part([3, 1_005, 1_007, 1_009, 1_011])], 0)
    assert.deepStrictEqual([told.submitted, told.created, told.updated, told.failed], [40, 14, 4, 11])
    assert.deepStrictEqual(told.groups, [
      {
        path: "/email",
        detail: "must be an e-mail address",
        count: 11,
        rows: [2, 3, 4, 6, 8, 10, 12, 1_005, 1_007, 1_009]
      }
    ])
    assert.lengthOf(told.repeated, 2)
    // A header that the file has not makes the service's numbers greater.
    const shifted = together([part([2, 4])], 1)
    assert.deepStrictEqual(
      [shifted.groups[0]?.rows, shifted.repeated[0]?.rows, shifted.errors[1]?.row],
      [[1, 3], [1, 3], 3]
    )
  })
})
