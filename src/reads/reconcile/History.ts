/**
 * One account's journal for people: its records in order, and its balances at
 * any time, from the journal alone.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Database } from "../../base/database/Database.ts"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Recorded } from "../../core/account/Codec.ts"
import { decodeRecord } from "../../core/account/Codec.ts"
import { replay } from "../../core/account/Committed.ts"
import type { State } from "../../core/account/domain/State.ts"
import { available, initialState, unitOf } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { makeClaimKey } from "../../core/journal/Hashing.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import * as PgReads from "../../core/journal/postgres/PgReads.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { type StoredRecord, unavailableBy } from "../../core/journal/Records.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Bounds from "./Bounds.ts"

/** No such member, or not one alone; the message says which. */
class NoHistory extends Schema.TaggedError<NoHistory>()("NoHistory", { message: Schema.String }) {}

/** A record with its actor (undefined: the service itself) and the programme version that it was decided by. */
export interface Shown extends Recorded {
  readonly actor: string | undefined
  readonly origin: string | undefined
  readonly programVersion: number
}

const shown = (stored: StoredRecord): Shown => ({
  ...decodeRecord(stored),
  actor: stored.actor,
  origin: stored.origin,
  programVersion: stored.programVersion
})

const Found = Schema.Struct({ account: Schema.Number, program: Schema.String, member: Schema.String })
export type Found = typeof Found.Type
const foundRows = rowsOf(Found)
const secretRow = oneOf(Schema.Struct({ secret: Schema.String }))

const connected = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook journal show" })
  const query: Query = (statement, parameters) =>
    Effect.mapBoth(connection.query(statement, parameters), {
      onSuccess: ({ rows }) => rows,
      onFailure: unavailableBy
    })
  return { query, reads: ArchivedReads.through(query, yield* ArchiveFiles, PgReads.make(query)) }
})

/** Accounts of a member: by the rows of `accounts`, or by the claims on the member's id if those rows are lost. */
const accountsOf = Effect.fnUntraced(function* (query: Query, member: string) {
  const found = yield* foundRows(
    query(
      "SELECT number AS account, program_id AS program, member_id AS member FROM accounts WHERE member_id = $1 ORDER BY program_id",
      [member]
    )
  )
  if (found.length > 0) return found
  const { secret } = yield* secretRow(query("SELECT secret FROM installation", []))
  const claimKey = makeClaimKey(secret)
  const all = (yield* Programs).all()
  const keys = new Map(all.map((program) => [ClaimKeys.member(claimKey, program.id, member), program.id]))
  const holders = yield* PgReads.make(query).holders([...keys.keys()])
  return holders.map(({ account, key }): Found => ({ account, program: keys.get(key) ?? "", member }))
})

/** The account of a member in the given programme, or in the only programme that has the member. */
const find = Effect.fnUntraced(function* (query: Query, member: string, program: string | undefined) {
  const all = yield* accountsOf(query, member)
  const matching = all.filter((found) => program === undefined || found.program === program)
  const [only] = matching
  if (only === undefined) {
    return yield* new NoHistory({
      message: `There is no member ${member}${program === undefined ? "" : ` in programme ${program}`}.`
    })
  }
  if (matching.length > 1) {
    const choices = matching.map((found) => found.program).join(", ")
    return yield* new NoHistory({ message: `Member ${member} is in ${choices}: choose one with --program.` })
  }
  return only
})

/** Finds a member's account. */
export const locate = (member: string, program: string | undefined) =>
  Effect.scoped(Effect.flatMap(connected, ({ query }) => find(query, member, program)))

/** Visits every record of a member, oldest first, a page at a time, until `visit` gives false. */
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

/** Visits every record with its events, oldest first. */
export const show = <E>(
  member: string,
  program: string | undefined,
  visit: (record: Shown, found: Found) => Effect.Effect<void, E>
) => walk(member, program, (record, found) => Effect.as(visit(record, found), true))

export interface BalanceAt {
  readonly unit: string
  readonly amount: number
  readonly reserved: number
  readonly available: number
}

/** A member's balances at `at` (ms). An expiration that was due by then counts, also if it was posted later. */
export const balance = Effect.fnUntraced(function* (member: string, programId: string | undefined, at: number) {
  let state: State = initialState
  let all: State = initialState
  const found = yield* walk(member, programId, (record) => {
    all = replay(all, record)
    // To the end: records that a wrong clock has dated ahead may be followed by others.
    if (record.at <= at) state = all
    return Effect.succeed(true)
  })
  if (state.seq === 0) return yield* new NoHistory({ message: `${member} was not a member yet at ${fromMillis(at)}.` })
  const program = (yield* Programs).get(found.program)
  if (program === undefined) {
    return yield* new NoHistory({ message: `Programme ${found.program} is not in the database.` })
  }
  const stateThen = view(state, program, at)
  const balances = program.accounts.map(({ unit }): BalanceAt => {
    const account = unitOf(stateThen, unit)
    return { unit, amount: account.posted, reserved: account.reserved, available: available(account) }
  })
  return { ...found, balances }
})
