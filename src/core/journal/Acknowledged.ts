/**
 * The newest acknowledged records: what proves that a database has all of them, and what the log names if it does not.
 */

import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Memory, Report, Resident, Stamp } from "../../base/database/Lineage.ts"
import { missingRows, missingStatement, stampParameters } from "../../base/database/Lineage.ts"
import { int8, int8s, rowsOf } from "../../base/database/Values.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Bounds from "./Bounds.ts"
import type { Verdict, Write } from "./GroupCommit.ts"
import type { AccountNumber, JournalRecord } from "./Records.ts"
import { entryId } from "./Records.ts"

/** A record without its text. Its entries are numbered without gaps. */
interface Known extends Stamp {
  readonly firstEntry: number
  readonly entries: number
}

/** A record that was acknowledged and is not in the database. */
interface Lost {
  readonly account: AccountNumber
  readonly seq: number
  /** Absent where memory no longer has them. */
  readonly entries?: ReadonlyArray<string>
}

const knownOf = ({ account, entries, hash, seq }: JournalRecord): Known => ({
  account,
  seq,
  hash,
  firstEntry: entries[0]?.n ?? 0,
  entries: entries.length
})

const lostOf = ({ account, entries, firstEntry, seq }: Known): Lost => ({
  account,
  seq,
  entries: Array.from({ length: entries }, (_, index) => entryId(account, firstEntry + index))
})

const behindRows = rowsOf(Schema.Struct({ account: Schema.Number, seq: Schema.Number, there: Schema.Number }))

export class Acknowledged implements Memory {
  /** A ring. */
  private readonly records: Array<Known> = []
  private next = 0
  /** The last record of each of the last groups, as many as can be in flight at once: one of them is the last in the WAL. */
  private newest: ReadonlyArray<Known> = []

  stamps(): ReadonlyArray<Stamp> {
    return this.newest
  }

  /** Keeps what `write` commits. */
  readonly kept =
    (write: Write): Write =>
    (group, isLinked) =>
      Effect.map(write(group, isLinked), (verdicts) => {
        this.keep(group, verdicts)
        return verdicts
      })

  private keep(group: ReadonlyArray<JournalRecord>, verdicts: ReadonlyArray<Verdict>): void {
    let last: Known | undefined
    for (let index = 0; index < group.length; index++) {
      if (verdicts[index]?._tag !== "committed") continue
      last = knownOf(group[index]!)
      this.records[this.next] = last
      this.next = (this.next + 1) % Bounds.namedRecords
    }
    if (last !== undefined) this.newest = [last, ...this.newest.slice(0, Bounds.writerConnections - 1)]
  }

  /** Names the lost records in the log, at most `namedRecords`; returns their number. */
  readonly report: Report = (connection, resident) =>
    Effect.gen({ self: this }, function* () {
      const lost = [...(yield* this.lostOfKept(connection)), ...(yield* this.lostOfOthers(connection, resident))]
      for (let at = 0; at < Math.min(lost.length, Bounds.namedRecords); at += Bounds.recordsOfLine) {
        const records = lost.slice(at, Math.min(at + Bounds.recordsOfLine, Bounds.namedRecords))
        yield* LogEvent.of("records_lost", { records })(
          Effect.logError(`${records.length} acknowledged records are not in the database`)
        )
      }
      if (lost.length > 0)
        yield* Effect.catch(
          connection.query("UPDATE installation SET lost_records = lost_records + $1", [int8(lost.length)]),
          (error) =>
            Effect.logWarning("The number of lost records could not be stored, so that no alert counts them", error)
        )
      return lost.length
    })

  /** Oldest first. */
  private inOrder(): ReadonlyArray<Known> {
    return [...this.records.slice(this.next), ...this.records.slice(0, this.next)]
  }

  private lostOfKept(connection: PgConnection.PgConnection) {
    const all = this.inOrder()
    return Effect.gen(function* () {
      const lost: Array<Lost> = []
      for (let at = 0; at < all.length; at += Bounds.askedRecords) {
        const asked = all.slice(at, at + Bounds.askedRecords)
        const missing = yield* missingRows(connection.query(missingStatement, stampParameters(asked)))
        for (const { place } of missing) lost.push(lostOf(asked[place - 1]!))
      }
      return lost
    })
  }

  /** Records that memory shows in an account's state alone: old ones, and ones that were read after they were in doubt. */
  private lostOfOthers(connection: PgConnection.PgConnection, all: ReadonlyArray<Resident>) {
    const kept = new Set(this.records.map(({ account, seq }) => `${account}/${seq}`))
    return Effect.gen(function* () {
      const lost: Array<Lost> = []
      for (let at = 0; at < all.length; at += Bounds.askedRecords) {
        const asked = all.slice(at, at + Bounds.askedRecords)
        const behind = yield* behindRows(
          connection.query(
            `SELECT k.account, k.seq, coalesce(a.seq, 0) AS there FROM unnest($1, $2) k(account, seq)
              LEFT JOIN accounts a ON a.number = k.account WHERE coalesce(a.seq, 0) < k.seq`,
            [int8s(asked.map(([account]) => account)), int8s(asked.map(([, seq]) => seq))]
          )
        )
        for (const { account, seq: newest, there } of behind) {
          for (let seq = there + 1; seq <= newest; seq++)
            if (!kept.has(`${account}/${seq}`)) lost.push({ account, seq })
        }
      }
      return lost
    })
  }
}
