/**
 * One account's journal for people: its records in order, and its balances as
 * of any moment, from the journal alone.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { replay } from "../account/Committed.ts"
import type { Recorded } from "../account/Codec.ts"
import { decodeRecord } from "../account/Codec.ts"
import { memberClaim } from "../account/Rows.ts"
import { available, initialState, unitOf } from "../account/domain/State.ts"
import type { State } from "../account/domain/State.ts"
import { view } from "../account/domain/View.ts"
import { fromMillis } from "../contract/Values.ts"
import { Database } from "../database/Database.ts"
import { makeClaimKey } from "../journal/Hashing.ts"
import type { StoredRecord } from "../journal/Journal.ts"
import { JournalUnavailable } from "../journal/Journal.ts"
import * as PgReads from "../journal/postgres/PgReads.ts"
import type { Query } from "../journal/postgres/Query.ts"
import { Programs } from "../program/Programs.ts"
import * as Bounds from "./Bounds.ts"

/** The question cannot be answered; the message says why. */
export class NoHistory extends Schema.TaggedError<NoHistory>()("NoHistory", { message: Schema.String }) {}

/** A record with who asked for it, undefined for the service itself, and by which version of the programme. */
export interface Shown extends Recorded {
  readonly actor: string | undefined
  readonly programVersion: number
}

const shown = (stored: StoredRecord): Shown => ({
  ...decodeRecord(stored),
  actor: stored.actor,
  programVersion: stored.programVersion
})

export interface Found {
  readonly account: number
  readonly program: string
  readonly member: string
}

const connected = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook journal show" })
  const query: Query = (statement, parameters) =>
    Effect.mapBoth(connection.query(statement, parameters), {
      onSuccess: ({ rows }) => rows,
      onFailure: (cause) => new JournalUnavailable({ cause })
    })
  return { query, reads: PgReads.make(query) }
})

/** Accounts that a member's row names; where that is lost, those that the claims on the member's id name. */
const accountsOf = Effect.fnUntraced(function* (query: Query, member: string) {
  const rows = yield* query(
    "SELECT number::float8 AS number, program_id FROM accounts WHERE member_id = $1 ORDER BY program_id",
    [member]
  )
  if (rows.length > 0) {
    return rows.map((row): Found => ({ account: Number(row["number"]), program: String(row["program_id"]), member }))
  }
  const [installation] = yield* query("SELECT secret FROM installation", [])
  const claimKey = makeClaimKey(String(installation?.["secret"]))
  const all = (yield* Programs).all()
  const keys = new Map(all.map((program) => [memberClaim(claimKey, program.id, member), program.id]))
  const holders = yield* PgReads.make(query).holders([...keys.keys()])
  return holders.map(({ account, key }): Found => ({ account, program: keys.get(key) ?? "", member }))
})

/** The account of a member, in the programme given or the only one that knows it. */
const find = Effect.fnUntraced(function* (query: Query, member: string, program: string | undefined) {
  const all = yield* accountsOf(query, member)
  const fitting = all.filter((found) => program === undefined || found.program === program)
  const [only] = fitting
  if (only === undefined) {
    return yield* new NoHistory({
      message: `There is no member ${member}${program === undefined ? "" : ` in programme ${program}`}.`
    })
  }
  if (fitting.length > 1) {
    const choices = fitting.map((found) => found.program).join(", ")
    return yield* new NoHistory({ message: `Member ${member} is in ${choices}: say which with --program.` })
  }
  return only
})

/** Where a member's account is. */
export const locate = (member: string, program: string | undefined) =>
  Effect.scoped(Effect.flatMap(connected, ({ query }) => find(query, member, program)))

/** Hands over every record of a member, oldest first, a page at a time. */
const walk = Effect.fnUntraced(function* <E>(
  member: string,
  program: string | undefined,
  visit: (record: Shown, found: Found) => Effect.Effect<boolean, E>
) {
  const { query, reads } = yield* connected
  const found = yield* find(query, member, program)
  for (let seq = 1; ; ) {
    const page = yield* reads.records(found.account, seq, Bounds.pageRecords)
    for (const record of page) if (!(yield* visit(shown(record), found))) return found
    if (page.length < Bounds.pageRecords) return found
    seq += page.length
  }
}, Effect.scoped)

/** Every record with its events, oldest first. */
export const show = <E>(
  member: string,
  program: string | undefined,
  tell: (record: Shown, found: Found) => Effect.Effect<void, E>
) => walk(member, program, (record, found) => Effect.as(tell(record, found), true))

export interface BalanceAt {
  readonly unit: string
  readonly amount: number
  readonly reserved: number
  readonly available: number
}

/** A member's balances as of `at` (ms): what was posted by then, and what had fallen due by then though it was posted later. */
export const balance = Effect.fnUntraced(function* (member: string, programId: string | undefined, at: number) {
  let state: State = initialState
  const found = yield* walk(member, programId, (record) => {
    if (record.at > at) return Effect.succeed(false)
    state = replay(state, record)
    return Effect.succeed(true)
  })
  if (state.seq === 0) return yield* new NoHistory({ message: `${member} was no member yet at ${fromMillis(at)}.` })
  const program = (yield* Programs).get(found.program)
  if (program === undefined) {
    return yield* new NoHistory({ message: `Programme ${found.program} is not in the database.` })
  }
  const then = view(state, program, at)
  const balances = program.accounts.map(({ unit }): BalanceAt => {
    const account = unitOf(then, unit)
    return { unit, amount: account.posted, reserved: account.reserved, available: available(account) }
  })
  return { ...found, balances }
})
