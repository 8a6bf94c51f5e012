/**
 * Claims and keys ordered by account and record, read beside the records. No index leads
 * from an account to its claims, so the tables are sorted once and read through a
 * cursor. Only the claims of the accounts in progress are in memory.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { rowsOf } from "../../base/database/Values.ts"
import * as Bounds from "./Bounds.ts"
import { numbersEnd, type Range } from "./Ranges.ts"

/** Characters of a claim in the text: key, fingerprint and a comma. */
const claimChars = 73
const seqBytes = 8

/** Condition for claims of an era that has not begun: no look-up finds them. `present` as a number lets the planner use the index. */
export const lost = (present: number | string): string => `(era < 0 OR era > ${present})`

/** Conditions for rows of both tables. */
export interface Picked {
  readonly claims: string
  readonly keys: string
}

/** The cursor's statement. `held`: it stays after its transaction. */
export const cursor = (
  { claims, keys }: Picked,
  held = false
): string => `DECLARE audited_claims NO SCROLL CURSOR ${held ? "WITH HOLD " : ""}FOR
  SELECT account, string_agg(key::text || fingerprint::text, ',' ORDER BY seq, key) AS text,
    string_agg(int8send(seq), ''::bytea ORDER BY seq, key) AS seqs, string_agg(kind, ''::bytea ORDER BY seq, key) AS kinds
  FROM (
    SELECT account, seq, key, fingerprint, '\\x00'::bytea AS kind FROM claims
      WHERE NOT ${lost("(SELECT max(era) FROM eras)")} AND ${claims}
    UNION ALL SELECT account, seq, key, fingerprint, '\\x01' FROM keys WHERE ${keys}
  ) c GROUP BY account, seq / ${Bounds.pageRecords} ORDER BY account, seq / ${Bounds.pageRecords}`

/** Condition for the claims, and the keys, of some adjacent ranges. The first and the last range include all claims beyond them. */
export const within = (ranges: ReadonlyArray<Range>): string => {
  const from = ranges[0]?.from ?? 0
  const until = ranges.at(-1)?.until ?? 0
  const below = from === -numbersEnd ? "true" : `account >= ${from}`
  return `${below} AND ${until === numbersEnd ? "true" : `account < ${until}`}`
}

/** Claims of up to `Bounds.pageRecords` records of an account, by seq and key. */
interface Page {
  readonly account: number
  readonly text: string
  readonly seqs: DataView
  /** For each claim: 1 if it is a row of `keys`. */
  readonly kinds: Uint8Array
  readonly count: number
}

const seqOf = ({ seqs }: Page, index: number): number =>
  seqs.getInt32(index * seqBytes) * 2 ** 32 + seqs.getUint32(index * seqBytes + 4)

const pageRows = rowsOf(
  Schema.Struct({ account: Schema.Number, text: Schema.String, seqs: Schema.Uint8Array, kinds: Schema.Uint8Array })
)

const pageOf = ({ account, kinds, seqs, text }: Effect.Success<ReturnType<typeof pageRows>>[number]): Page => ({
  account,
  text,
  seqs: new DataView(seqs.buffer, seqs.byteOffset, seqs.length),
  kinds,
  count: seqs.length / seqBytes
})

/** Key and fingerprint of a record's claims (`Chain.claimsText`), with its own key (`JournalRecord`) among them. */
export const withKey = (claims: string, own: string): string =>
  claims === "" ? own : [...claims.split(","), own].sort().join()

export class Claims {
  private readonly connection: PgConnection.PgConnection
  private pages: Array<Page> = []
  private head = 0
  private at = 0
  private isExhausted = false
  /** The row of `keys` that the last `take` has found, as key and fingerprint. */
  takenKey: string | undefined

  constructor(connection: PgConnection.PgConnection) {
    this.connection = connection
  }

  /** True if the claims of an account's records up to `seq` are in memory. */
  reaches(account: number, seq: number): boolean {
    const last = this.pages.at(-1)
    if (this.isExhausted) return true
    return (
      last !== undefined && (last.account > account || (last.account === account && seqOf(last, last.count - 1) > seq))
    )
  }

  /** Reads until `reaches` is true. */
  readTo(account: number, seq: number): Effect.Effect<void, SqlError.SqlError> {
    if (this.reaches(account, seq)) return Effect.void
    return Effect.flatMap(this.fetch, () => this.readTo(account, seq))
  }

  /** Whether `next` is known without reading. */
  get hasNext(): boolean {
    return this.isExhausted || this.head < this.pages.length
  }

  /** Reads if `next` is not known. */
  readNext(): Effect.Effect<void, SqlError.SqlError> {
    return this.hasNext ? Effect.void : this.fetch
  }

  /** The next account that has claims, undefined after the last. */
  get next(): number | undefined {
    return this.pages[this.head]?.account
  }

  /** The claims of a record in the chain's format (`Chain.claimsText`). Earlier ones have no record and go to `stray`. */
  take(account: number, seq: number, stray: (seq: number) => void): string {
    this.takenKey = undefined
    for (;;) {
      const page = this.pages[this.head]
      if (page === undefined || page.account !== account) return ""
      for (; this.at < page.count; this.at++) {
        const found = seqOf(page, this.at)
        if (found > seq) return ""
        if (found === seq) return this.takeFrom(page, seq)
        stray(found)
      }
      this.nextPage()
    }
  }

  private takeFrom(page: Page, seq: number): string {
    const from = this.at
    do {
      if (page.kinds[this.at] === 1)
        this.takenKey = page.text.slice(this.at * claimChars, (this.at + 1) * claimChars - 1)
      this.at++
    } while (this.at < page.count && seqOf(page, this.at) === seq)
    return page.text.slice(from * claimChars, this.at * claimChars - 1)
  }

  private nextPage(): void {
    this.head++
    this.at = 0
  }

  private get fetch(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.map(pageRows(this.connection.query(`FETCH ${Bounds.fetchedClaims} FROM audited_claims`)), (rows) => {
      this.pages = [...this.pages.slice(this.head), ...rows.map(pageOf)]
      this.head = 0
      this.isExhausted = rows.length < Bounds.fetchedClaims
    })
  }
}
