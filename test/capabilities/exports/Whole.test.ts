/** Rows of accounts out of tables and files together. Holds contract/exports.md *One moment*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Moment from "../../../src/base/database/Moment.ts"
import * as Bounds from "../../../src/capabilities/exports/Bounds.ts"
import { Whole } from "../../../src/capabilities/exports/Whole.ts"
import type { Place, Row } from "../../../src/core/journal/archive/Scan.ts"
import type { OpenedSpan } from "../../../src/reads/reconcile/OpenedSpans.ts"

interface Found {
  readonly account: number
  readonly n: number
}

const rowsOf = (account: number, from: number, until: number): ReadonlyArray<Found> =>
  Array.from({ length: until - from }, (_, index) => ({ account, n: from + index }))

/** A span whose file has these rows. Takes note of the most rows that were read at a time. */
const spanOf = (rows: ReadonlyArray<Found>, read: { most: number }) => {
  const between = ([account, first]: Place, [, last]: Place, limit = Infinity) =>
    Effect.sync(() => {
      const found = rows.filter((row) => row.account === account && row.n >= first && row.n <= last).slice(0, limit)
      read.most = Math.max(read.most, found.length)
      return found.map(({ account, n }): Row => ({ account: String(account), n: String(n) }))
    })
  return { sections: { records: { between }, entries: { between } } } as unknown as OpenedSpan
}

it.effect("come in their order, a page of files at a time, whichever spans are archived", () =>
  Effect.gen(function* () {
    const read = { most: 0 }
    const many = Bounds.filedRows
    // Account 1 has a restored span between two archived ones; account 2 none in files; account 3 none in the tables.
    const here = [...rowsOf(1, many + 5, many + 10), ...rowsOf(1, 3 * many, 3 * many + 2), ...rowsOf(2, 1, 4)]
    const first = [...rowsOf(1, 1, many + 5), ...rowsOf(3, 1, many + 1)]
    const spans = [spanOf(first, read), spanOf(rowsOf(1, many + 10, 3 * many), read)]
    const whole = new Whole(new Moment.Rows(Effect.succeed(here)), spans, {
      section: "entries",
      place: ({ n }) => n,
      filed: (row): Found => ({ account: Number(row["account"]), n: Number(row["n"]) })
    })
    for (const [account, count] of [
      [1, 3 * many + 1],
      [2, 3],
      [3, many],
      [4, 0]
    ] as const) {
      const found: Array<Found> = []
      for (let row = yield* whole.next(account); row !== undefined; row = yield* whole.next(account)) found.push(row)
      assert.deepStrictEqual(found, rowsOf(account, 1, count + 1))
    }
    assert.strictEqual(read.most, many)
  })
)
