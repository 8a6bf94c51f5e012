/**
 * Claims in the order of their accounts and records, read along with these: no
 * index leads from an account to its claims, so one sort of the table serves
 * all of them, and only what is just being looked at is in memory.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Bounds from "./Bounds.ts"

/** Characters of a claim in the text: key, fingerprint and a comma. */
const claimChars = 73
const seqBytes = 8

/** Claims that nobody finds: of an era that has not begun. Two ranges of the index, which the planner sees by a number alone. */
export const lost = (present: number | string): string => `(era < 0 OR era > ${present})`

/** The cursor's statement, for the claims that `where` picks. */
export const cursor = (where: string): string => `DECLARE audited_claims NO SCROLL CURSOR FOR
  SELECT account::float8, string_agg(key::text || fingerprint::text, ',' ORDER BY seq, key),
    string_agg(int8send(seq), ''::bytea ORDER BY seq, key)
  FROM claims WHERE NOT ${lost("(SELECT max(era) FROM eras)")} AND ${where}
  GROUP BY account, seq / ${Bounds.pageRecords} ORDER BY account, seq / ${Bounds.pageRecords}`

/** Claims of up to `Bounds.pageRecords` records of an account, by seq and key. */
interface Page {
  readonly account: number
  readonly text: string
  readonly seqs: DataView
  readonly count: number
}

const seqOf = ({ seqs }: Page, index: number): number =>
  seqs.getInt32(index * seqBytes) * 2 ** 32 + seqs.getUint32(index * seqBytes + 4)

const pageOf = (row: ReadonlyArray<unknown>): Page => {
  const bytes = row[2] as Uint8Array
  return {
    account: Number(row[0]),
    text: String(row[1]),
    seqs: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    count: bytes.length / seqBytes
  }
}

export class Claims {
  private readonly connection: PgConnection.PgConnection
  private pages: Array<Page> = []
  private head = 0
  private at = 0
  private isOver = false

  constructor(connection: PgConnection.PgConnection) {
    this.connection = connection
  }

  /** Whether the claims of an account's records up to `seq` are here. */
  reaches(account: number, seq: number): boolean {
    const last = this.pages.at(-1)
    if (this.isOver) return true
    return (
      last !== undefined && (last.account > account || (last.account === account && seqOf(last, last.count - 1) > seq))
    )
  }

  /** Reads on until `reaches`. */
  readTo(account: number, seq: number): Effect.Effect<void, SqlError.SqlError> {
    if (this.reaches(account, seq)) return Effect.void
    return Effect.flatMap(this.fetch, () => this.readTo(account, seq))
  }

  /** Whether `next` is known without reading. */
  get hasNext(): boolean {
    return this.isOver || this.head < this.pages.length
  }

  /** Reads on where `next` is not known. */
  readNext(): Effect.Effect<void, SqlError.SqlError> {
    return this.hasNext ? Effect.void : this.fetch
  }

  /** The next account that has claims, undefined after the last. */
  get next(): number | undefined {
    return this.pages[this.head]?.account
  }

  /** The claims of a record as the chain takes them (`Chain.claimsText`); those before it, whose record is missing, go to `stray`. */
  take(account: number, seq: number, stray: (seq: number) => void): string {
    for (;;) {
      const page = this.pages[this.head]
      if (page === undefined || page.account !== account) return ""
      for (; this.at < page.count; this.at++) {
        const found = seqOf(page, this.at)
        if (found > seq) return ""
        if (found === seq) return this.takeFrom(page, seq)
        stray(found)
      }
      this.turn()
    }
  }

  private takeFrom(page: Page, seq: number): string {
    const from = this.at
    do this.at++
    while (this.at < page.count && seqOf(page, this.at) === seq)
    return page.text.slice(from * claimChars, this.at * claimChars - 1)
  }

  private turn(): void {
    this.head++
    this.at = 0
  }

  private get fetch(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.map(this.connection.queryValues(`FETCH ${Bounds.fetchedClaims} FROM audited_claims`), (rows) => {
      this.pages = [...this.pages.slice(this.head), ...rows.map(pageOf)]
      this.head = 0
      this.isOver = rows.length < Bounds.fetchedClaims
    })
  }
}
