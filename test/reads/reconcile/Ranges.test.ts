/** Ranges of accounts with bounded rows, however many months are archived. Holds contract/databases.md *Archive*. */
import { assert, describe, it } from "@effect/vitest"
import * as Ranges from "../../../src/reads/reconcile/Ranges.ts"

interface Block {
  readonly account: number
  readonly rows: number
}

/** A file whose sections have the same blocks. */
const fileOf = (blocks: ReadonlyArray<Block>) => ({
  marks: function* () {
    yield* blocks
  }
})

const rangeRows = 4_000

describe("marks of archive files", () => {
  it("bound the rows between two of them over all files, and not of each", () => {
    // Ten years of months: 60 blocks each, which begin at other accounts in each month.
    const files = Array.from({ length: 120 }, (_, month) =>
      Array.from({ length: 60 }, (_, block) => ({ account: block * 100 + (month % 100), rows: 200 }))
    )
    const marks = Ranges.marksOfFiles(files.map(fileOf), rangeRows)
    const bounds = [0, ...[...marks.keys()].sort((a, b) => a - b), Number.MAX_SAFE_INTEGER]
    const all = files.flat()
    for (const [index, until] of bounds.entries()) {
      const own = all.filter(({ account }) => account >= (bounds[index - 1] ?? 0) && account < until)
      assert.isAtMost(
        own.reduce((sum, { rows }) => sum + rows, 0),
        rangeRows + 400
      )
    }
    assert.deepStrictEqual([...new Set(marks.values())], [1])
  })

  it("count how often an account is at one, so that a long one is read in pages", () => {
    // Half a range in each of ten months, between small accounts.
    const months = Array.from({ length: 10 }, () => [
      { account: 1, rows: 10 },
      ...Array.from({ length: 10 }, () => ({ account: 7, rows: 200 })),
      { account: 9, rows: 10 }
    ])
    const marks = Ranges.marksOfFiles(months.map(fileOf), rangeRows)
    assert.deepStrictEqual(
      [...marks],
      [
        [7, 4],
        [9, 1]
      ]
    )
  })

  it("are none without files", () => {
    assert.strictEqual(Ranges.marksOfFiles([], rangeRows).size, 0)
  })
})
