/**
 * Rows of accounts out of the tables and the files of archived spans together, in order of accounts and places
 * (contract/databases.md *Archive*).
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type * as Moment from "../../base/database/Moment.ts"
import type { Places, Row } from "../../core/journal/archive/Scan.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import type { OpenedSpan } from "../../reads/reconcile/OpenedSpans.ts"
import * as Bounds from "./Bounds.ts"

/** How rows of a section are read. */
export interface Kind<A> {
  readonly section: Places
  /** The seq of a record, the n of an entry. */
  readonly place: (row: A) => number
  /** A row of a file as the statement has it. */
  readonly filed: (row: Row) => A
}

const most = 2n ** 63n - 1n

export class Whole<A extends { readonly account: number }> {
  private readonly rows: Moment.Rows<A>
  private readonly spans: ReadonlyArray<OpenedSpan>
  private readonly kind: Kind<A>
  private account: number | undefined
  private here: A | undefined
  private page: ReadonlyArray<A> = []
  private at = 0

  constructor(rows: Moment.Rows<A>, spans: ReadonlyArray<OpenedSpan>, kind: Kind<A>) {
    this.rows = rows
    this.spans = spans
    this.kind = kind
  }

  /** The next row of an account; undefined: there is none. Requires: accounts come in order. */
  next(account: number): Effect.Effect<A | undefined, ArchiveFault | SqlError.SqlError> {
    return this.spans.length === 0 ? this.rows.next(account) : this.merged(account)
  }

  private readonly merged = Effect.fnUntraced(function* (this: Whole<A>, account: number) {
    const { kind, rows } = this
    if (account !== this.account) {
      this.account = account
      this.here = yield* rows.next(account)
      this.page = yield* this.pageFrom(account, 0n)
      this.at = 0
    } else if (this.at === this.page.length && this.page.length > 0) {
      this.page = yield* this.pageFrom(account, BigInt(kind.place(this.page.at(-1)!)) + 1n)
      this.at = 0
    }
    const filed = this.page[this.at]
    const here = this.here
    if (filed !== undefined && (here === undefined || kind.place(filed) < kind.place(here))) {
      this.at++
      return filed
    }
    if (here !== undefined) this.here = yield* rows.next(account)
    return here
  })

  /** Rows of an account from a place on. Its places rise with the spans. */
  private readonly pageFrom = Effect.fnUntraced(function* (this: Whole<A>, account: number, place: bigint) {
    const found: Array<A> = []
    for (const { sections } of this.spans) {
      const limit = Bounds.filedRows - found.length
      if (limit === 0) break
      const rows = yield* sections[this.kind.section].between([account, place], [account, most], limit)
      for (const row of rows) found.push(this.kind.filed(row))
    }
    return found
  })
}
