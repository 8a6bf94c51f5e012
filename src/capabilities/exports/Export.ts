/**
 * Writes everything of a programme as lines of JSON (contract/exports.md *Lines*), guest after guest, as of one moment beside
 * running nodes. Lots are those of the journal's events, not of figures that may be behind it.
 */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Moment from "../../base/database/Moment.ts"
import { firstOf, rowsOf } from "../../base/database/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import { softwareVersion } from "../../contract/Version.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import { replay } from "../../core/account/Committed.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import { initialState, type State, sourceOf } from "../../core/account/domain/State.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import { withAccount } from "../../core/rules/Expiration.ts"
import * as OpenedSpans from "../../reads/reconcile/OpenedSpans.ts"
import * as Bounds from "./Bounds.ts"
import { Damaged, type Unusable } from "./Faults.ts"
import * as Filed from "./Filed.ts"
import * as Statements from "./Statements.ts"
import type { Manifest } from "./Tally.ts"
import { Tally } from "./Tally.ts"
import { Whole } from "./Whole.ts"
import type { Writer } from "./Writer.ts"

/** Format of the file. A reader refuses one that it does not know. */
export const format = 1

type Record = typeof Statements.Record.Type

/** A record as a line. Its events, reply and balances are JSON already. */
const recordLine = (record: Record): string => {
  const { actor = null, origin = null, programVersion, writtenAt, ...rest } = record
  const { account, announced, at, balances, epoch, events, hash, reply, seq, transaction, version } = rest
  const facts = {
    ...{ kind: "record", account, seq, at: fromMillis(at), written_at: fromMillis(writtenAt), epoch, transaction },
    ...{ hash, program_version: programVersion, version, actor, origin, announced }
  }
  return `${JSON.stringify(facts).slice(0, -1)},"events":${events},"reply":${reply},"balances":${balances}}`
}

const instant = (at: number | null | undefined): string | null =>
  at == null || at === Infinity ? null : fromMillis(at)

/** Lines of the lots of an account, oldest first. */
const lotLines = (account: number, state: State, tally: Tally): ReadonlyArray<string> =>
  state.units.flatMap(({ lots, unit }) =>
    Lots.toArray(lots).map(([n, left, expires, earned]) => {
      tally.count("lot")
      tally.lot(account, unit, left)
      const isIdle = expires === withAccount
      return JSON.stringify({
        ...{ kind: "lot", account, unit, entry: sourceOf(state, unit, n), left, earned_at: fromMillis(earned) },
        ...{ expires_at: instant(isIdle ? state.idle : expires), by_inactivity: isIdle }
      })
    })
  )

const totalOf = (account: number, state: State, head: string) => ({
  ...{ kind: "total" as const, account, records: state.seq, head, entries: state.entries },
  balances: state.units.map(({ last, lifetime, posted, qualified, reserved, unit }) => ({
    ...{ unit, posted, reserved, lifetime, period_sum: qualified, last_period_sum: last }
  })),
  orders: state.orders,
  tier_id: state.tier ?? null,
  promised_tier: state.promised ?? null,
  period_from: instant(state.period),
  merged_into: state.mergedInto?.member ?? null
})

/** The rows of a programme, by cursors of the tables, and out of the files of archived spans. */
const tablesOf = Effect.fnUntraced(function* (connection: Moment.Connection, program: string) {
  const spans = yield* OpenedSpans.open(connection, yield* ArchiveFiles, { undone: "Nothing was exported" })
  const rows = <A extends { readonly account: number }>(name: string, schema: Schema.Codec<A, unknown>, text: string) =>
    Moment.rows(connection, name, schema, text, [program])
  const [records, entries] = [
    yield* rows("records", Statements.Record, Statements.records),
    yield* rows("entries", Statements.Entry, Statements.entries)
  ]
  return {
    guests: yield* rows("guests", Statements.Guest, Statements.guests),
    consents: yield* rows("consents", Statements.Line, Statements.consents),
    records: new Whole(records, spans, Filed.records),
    entries: new Whole(entries, spans, Filed.entries),
    rewards: yield* rows("rewards", Statements.Line, Statements.rewards)
  }
})

export interface ExportContext {
  readonly connection: Moment.Connection
  readonly program: string
  readonly writer: Writer
  /** The machine's time, ms. */
  readonly takenAt: number
  /** Called with the number of guests so far. */
  readonly progress: (guests: number) => Effect.Effect<void>
}

type Parts = ExportContext & {
  readonly tally: Tally
  readonly tables: Effect.Success<ReturnType<typeof tablesOf>>
}

/** Writes the rows of an account. `visit` gives each row's line. */
const each = Effect.fnUntraced(function* <A extends { readonly account: number }>(
  { writer }: Parts,
  rows: Pick<Whole<A>, "next">,
  account: number,
  visit: (row: A) => string
) {
  for (let row = yield* rows.next(account); row !== undefined; row = yield* rows.next(account)) {
    writer.add(visit(row))
    if (writer.isFull) yield* writer.flush
  }
})

const guest = Effect.fnUntraced(function* (parts: Parts, { account, line }: typeof Statements.Guest.Type) {
  const { tables, tally, writer } = parts
  tally.count("guest")
  tally.guest(account)
  writer.add(line)
  const counted = (kind: "consent" | "reward") => (row: typeof Statements.Line.Type) => {
    tally.count(kind)
    return row.line
  }
  yield* each(parts, tables.consents, account, counted("consent"))
  let state: State = initialState
  let head = ""
  yield* each(parts, tables.records, account, (record) => {
    tally.count("record")
    tally.record(account, record.seq, record.hash)
    state = replay(state, { ...record, events: decodeEvents(record) })
    head = record.hash
    return recordLine(record)
  })
  yield* each(parts, tables.entries, account, (entry) => {
    tally.count("entry")
    tally.entry(account, entry.n, entry)
    return entry.line
  })
  yield* each(parts, tables.rewards, account, counted("reward"))
  for (const lot of lotLines(account, state, tally)) writer.add(lot)
  const total = totalOf(account, state, head)
  tally.count("total")
  tally.total(total)
  writer.add(JSON.stringify(total))
})

const retiredRow = firstOf(Schema.Struct({ at: Schema.Number }))
const programRows = rowsOf(Statements.Program)

/** Writes the lines before those of guests. */
const head = Effect.fnUntraced(function* ({ connection, program, takenAt, tally, writer }: Omit<Parts, "tables">) {
  const retired = yield* retiredRow(
    connection.query("SELECT retired_at AS at FROM retired_programs WHERE program_id = $1", [program], false)
  )
  tally.count("export")
  writer.add(
    JSON.stringify({
      ...{ kind: "export", format, program_id: program, taken_at: fromMillis(takenAt), software: softwareVersion },
      retired_at: instant(retired?.at)
    })
  )
  for (const { line } of yield* programRows(connection.query(Statements.programs, [program], false))) {
    tally.count("program")
    writer.add(line)
  }
})

/**
 * Writes an export. Fails if the tables disagree: then there is damage that `journal verify` names; and if records are archived whose
 * files are not there (`ArchiveFiles`).
 */
export const write = (
  context: ExportContext
): Effect.Effect<Manifest, ArchiveFault | Damaged | Unusable | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { connection, program, progress, writer } = context
    const tally = new Tally()
    yield* head({ ...context, tally })
    const parts: Parts = { ...context, tally, tables: yield* tablesOf(connection, program) }
    let guests = 0
    for (let row = yield* parts.tables.guests.next(); row !== undefined; row = yield* parts.tables.guests.next()) {
      yield* guest(parts, row)
      if (tally.fault !== undefined)
        return yield* new Damaged({ detail: `${tally.fault} Run lotbook journal verify. There is no export.` })
      if (writer.isFull) yield* writer.flush
      if (++guests % Bounds.turnGuests === 0) yield* Effect.yieldNow
      yield* progress(guests)
    }
    yield* writer.flush
    const manifest = tally.manifest()
    writer.add(JSON.stringify({ kind: "manifest", ...manifest, sha256: writer.digest }))
    yield* writer.flush
    return manifest
  }).pipe(Effect.scoped)
