/**
 * Writes the guests of a programme as lines of JSON in the columns of a move in (contract/exports.md *Guests*), as of one
 * moment beside running nodes. What is due by then has happened.
 */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Moment from "../../base/database/Moment.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import { replay } from "../../core/account/Committed.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import { initialState, type State } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import * as StoredRows from "../../core/journal/postgres/StoredRows.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as OpenedSpans from "../../reads/reconcile/OpenedSpans.ts"
import * as ProfileStore from "../members/ProfileStore.ts"
import * as Bounds from "./Bounds.ts"
import { Damaged, type Unusable } from "./Faults.ts"
import { rowOf } from "./GuestRow.ts"
import { ofProgram } from "./Statements.ts"
import { type Kind, Whole } from "./Whole.ts"
import type { Writer } from "./Writer.ts"

const Guest = Schema.Struct({
  ...ProfileStore.StoredMember.fields,
  seq: Schema.Number,
  identities: StoredRows.Identities
})

const guestsStatement = `SELECT ${ProfileStore.memberColumns}, a.seq, coalesce(m.identities, '[]') AS identities
  FROM accounts a ${ProfileStore.memberJoins} WHERE a.program_id = $1 ORDER BY a.number`

const recordsStatement = `SELECT ${StoredRows.recordColumns} FROM journal WHERE ${ofProgram("account")} ORDER BY account, seq`

type Records = Whole<typeof StoredRows.StoredRecord.Type>

const kind: Kind<typeof StoredRows.StoredRecord.Type> = {
  section: "records",
  place: ({ seq }) => seq,
  filed: ArchivedReads.recordOf
}

/** The figures of a file. */
export class Figures {
  guests = 0
  /** Guests who are suspended here, and would not be there. */
  suspended = 0
  /** Guests who were left out: closed, merged into others, or erased. */
  closed = 0
  /** Balances below zero, which stay behind. */
  below = 0
  rewards = 0
  consents = 0
  private readonly sums = new Map<string, bigint>()

  add({ status, units }: State, row: ReturnType<typeof rowOf>): void {
    this.guests++
    if (status === "suspended") this.suspended++
    this.rewards += row.rewards.length
    this.consents += row.consents.length
    for (const { lots, posted, unit } of units) {
      if (posted < 0) this.below++
      this.sums.set(unit, (this.sums.get(unit) ?? 0n) + BigInt(Lots.total(lots)))
    }
  }

  units(): ReadonlyArray<readonly [unit: string, sum: bigint]> {
    return [...this.sums].toSorted(([one], [other]) => (one < other ? -1 : 1))
  }
}

export interface GuestsContext {
  readonly connection: Moment.Connection
  readonly program: Program
  /** The service's time, ms. */
  readonly now: number
  readonly writer: Writer
  /** Called with the number of guests so far. */
  readonly progress: (guests: number) => Effect.Effect<void>
}

/** The state after an account's records; undefined: one is missing. */
const stateOf = Effect.fnUntraced(function* (records: Records, account: number) {
  let state: State = initialState
  for (let record = yield* records.next(account); record !== undefined; record = yield* records.next(account)) {
    if (record.seq !== state.seq + 1) return undefined
    state = replay(state, { ...record, events: decodeEvents(record) })
  }
  return state
})

/** Writes all guests who are open. */
export const write = ({
  connection,
  now,
  program,
  progress,
  writer
}: GuestsContext): Effect.Effect<Figures, ArchiveFault | Damaged | Unusable | SqlError.SqlError> =>
  Effect.gen(function* () {
    const rows = <A extends { readonly account: number }>(
      name: string,
      schema: Schema.Codec<A, unknown>,
      text: string
    ) => Moment.rows(connection, name, schema, text, [program.id])
    const guests = yield* rows("guests", Guest, guestsStatement)
    const spans = yield* OpenedSpans.open(connection, yield* ArchiveFiles, { undone: "Nothing was exported" })
    const stored = yield* rows("records", StoredRows.StoredRecord, recordsStatement)
    const records = new Whole(stored, spans, kind)
    const figures = new Figures()
    let seen = 0
    for (let guest = yield* guests.next(); guest !== undefined; guest = yield* guests.next()) {
      const { account, identities, seq, ...own } = guest
      if (++seen % Bounds.turnGuests === 0) yield* Effect.yieldNow
      yield* progress(seen)
      if (own.status === "closed") {
        figures.closed++
        continue
      }
      const state = yield* stateOf(records, account)
      if (state?.seq !== seq)
        return yield* new Damaged({
          detail: `Account ${account} lacks records. Run lotbook journal verify. There is no file.`
        })
      const shown = view(state, program, Math.max(now, state.at))
      const row = rowOf({ state: shown, stored: { account, ...own }, identities }, program, Math.max(now, state.at))
      figures.add(shown, row)
      writer.add(JSON.stringify(row))
      if (writer.isFull) yield* writer.flush
    }
    yield* writer.flush
    return figures
  }).pipe(Effect.scoped)
