/**
 * Imports one row: enrols or changes the member, adds its identity, and posts its
 * opening balance. A repeated step is a replay, so an interrupted row can run again
 * from its beginning.
 */
import { Data, Effect } from "effect"
import { Accounts } from "../account/Accounts.ts"
import type { Action } from "../account/domain/Action.ts"
import { mergedMembers } from "../account/domain/State.ts"
import type { Query } from "../database/Pools.ts"
import type { Outcome } from "../account/Outcome.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import { refusedBy } from "../surface/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { ImportRow } from "../contract/platform/Imports.ts"
import type { ProblemCode } from "../contract/protocol/Problem.ts"
import { maxIdLength } from "../contract/Values.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Journal } from "../journal/Journal.ts"
import type { Claim, Identity } from "../journal/Records.ts"
import type { Program } from "../program/Program.ts"
import type { DoneRow } from "./ImportStore.ts"
import type { Upsert } from "../members/Profiles.ts"
import * as Profiles from "../members/Profiles.ts"

export interface RowContext {
  readonly program: Program
  /** The claim of the row's enrolment. */
  readonly key: Claim
  /** The name of the caller, and the import's request (`JournalRecord.origin`). */
  readonly actor: string
  readonly origin: string | undefined
}

/** Most faults that are reported for one row. */
const maxFaults = 10

export const decode = strictDecoder(ImportRow)

export type RowErrors = DoneRow["errors"]

export const faultsAsErrors = (faults: ReadonlyArray<{ readonly path: string; readonly message: string }>): RowErrors =>
  faults.slice(0, maxFaults).map(({ message, path }) => ({ path, code: "validation_failed", detail: message }))

/** The names of the row's member. Rows that share a name must run in order. */
export const namesOf = ({ external_id, identity, member_id }: ImportRow): ReadonlyArray<string> => [
  ...(member_id === undefined ? [] : [`member ${member_id}`]),
  ...(typeof external_id === "string" ? [`external ${external_id}`] : []),
  ...(identity === undefined ? [] : [`identity ${JSON.stringify([identity.type, identity.value, identity.issuer])}`])
]

/**
 * Details of errors by code, because a refusal's own detail may contain text of the row. `RowRefused` has that of a
 * conflict.
 */
const details: { readonly [Code in ProblemCode]?: string } = {
  member_not_active: "The member is suspended or closed.",
  program_retired: "The programme is retired.",
  invalid_state: "The member's state does not allow it."
}

/** A step of the row was refused. `path`: the property that the step is about. */
class RowRefused extends Data.TaggedError("RowRefused")<{
  readonly refused: Refused
  readonly path: string
  /** The detail to report if the refusal is a conflict. */
  readonly conflict: string
}> {}

export const errorsOf = ({ conflict, path, refused: { code, errors = [] } }: RowRefused): RowErrors => {
  if (errors.length > 0) return faultsAsErrors(errors)
  const detail = code === "conflict" ? conflict : (details[code] ?? "The row was refused.")
  return [{ path, code, detail }]
}

/** Turns refusals of a step into `RowRefused`. */
const step =
  (path: string, conflict: string) =>
  <A>(effect: Effect.Effect<A, Refused>): Effect.Effect<A, RowRefused> =>
    Effect.mapError(effect, (refused) => new RowRefused({ refused, path, conflict }))

interface Parts {
  readonly accounts: Accounts["Service"]
  readonly claimKey: ClaimKey
  readonly profiles: Effect.Success<ReturnType<typeof Profiles.make>>
}

const answered = (outcome: Outcome | undefined) => {
  if (outcome === undefined) throw new Error("a member that was read is there")
  return outcome._tag === "Answered" ? Effect.succeed(outcome) : Effect.fail(refusedBy(outcome))
}

/**
 * The adjustment id of a member's opening balance. Has the account's number instead of the member's id if that is too
 * long.
 */
const openingId = (account: number, member: string): string => {
  const id = `opening:${member}`
  return id.length <= maxIdLength ? id : `opening::${account.toString(36)}`
}

const residentOf = Effect.fnUntraced(function* ({ accounts }: Parts, account: number) {
  const found = yield* accounts.readOn(account)
  if (found === undefined) throw new Error(`account ${account} is not there`)
  return found._tag === "Resident" ? found : yield* refusedBy(found)
})

/** Finds the member with an identity, or enrols one with it. */
const byIdentity = Effect.fnUntraced(function* (
  parts: Parts,
  identity: Identity,
  { actor, key, origin, program }: RowContext
): Effect.fn.Return<Upsert, Refused> {
  const enrolled = yield* parts.accounts.enroll({ program: program.id, identity, key, actor, origin })
  const { record } = yield* answered(enrolled)
  const { account, state } = yield* residentOf(parts, record.account)
  return { account, member: state.member, created: record.reply.type === "member" && record.reply.created }
})

/** Finds or enrols the member of a row, and updates its profile. */
const upserted = Effect.fnUntraced(function* (
  parts: Parts,
  row: ImportRow,
  context: RowContext
): Effect.fn.Return<Upsert, Refused> {
  const { identity, opening_balance: _, ...facts } = row
  const isNamed = facts.member_id !== undefined || typeof facts.external_id === "string"
  if (isNamed || identity === undefined) return yield* parts.profiles.upsert(context.program, facts, context)
  const found = yield* byIdentity(parts, identity, context)
  if (Object.keys(facts).length > 0)
    yield* parts.profiles.upsert(
      context.program,
      { ...facts, member_id: found.member },
      { actor: context.actor, origin: context.origin }
    )
  return found
})

const addIdentity = Effect.fnUntraced(function* (
  parts: Parts,
  account: number,
  identity: Identity,
  { actor, origin, program }: RowContext
): Effect.fn.Return<void, Refused> {
  const key = ClaimKeys.identity(parts.claimKey, program.id, identity)
  const { state } = yield* residentOf(parts, account)
  if (state.identities.includes(key)) return
  const action: Action = { type: "change_identities", add: [key], remove: [] }
  const command = { action, guards: {}, identities: [identity], actor, origin }
  yield* answered(yield* parts.accounts.executeOn(account, () => command))
})

/** Posts the opening balance, once for a member and all that it contains. */
const postOpening = Effect.fnUntraced(function* (
  parts: Parts,
  { account, member }: Upsert,
  amount: number,
  { actor, origin, program }: RowContext
): Effect.fn.Return<void, Refused> {
  const { state } = yield* residentOf(parts, account)
  const once = [{ account, member }, ...mergedMembers(state)].map((of) => ({
    account: of.account,
    key: ClaimKeys.adjustment(parts.claimKey, program.id, openingId(of.account, of.member)),
    fingerprint: parts.claimKey("opening balance", program.id, of.member, String(amount))
  }))
  const action: Action = {
    type: "adjust_manually",
    adjustment: openingId(account, member),
    amount,
    unit: undefined,
    classification: "migration",
    reason: "Opening balance",
    qualifies: false,
    expires: undefined
  }
  const business = once.find((claim) => claim.account === account)
  const guards = { ...(business === undefined ? {} : { business }), once }
  yield* answered(yield* parts.accounts.executeOn(account, () => ({ action, guards, actor, origin })))
})

/** Runs a row. Returns true if it enrolled the member. */
const run = Effect.fnUntraced(function* (
  parts: Parts,
  row: ImportRow,
  context: RowContext
): Effect.fn.Return<boolean, RowRefused> {
  const { identity, opening_balance = 0 } = row
  const done = yield* step("", "Another member has the member id or the external id.")(upserted(parts, row, context))
  if (identity !== undefined) {
    const add = addIdentity(parts, done.account, identity, context)
    yield* step("/identity", "Another member has the identity. The rest of the row was imported.")(add)
  }
  if (opening_balance > 0) {
    const post = postOpening(parts, done, opening_balance, context)
    const conflict = "The member already has another opening balance. The rest of the row was imported."
    yield* step("/opening_balance", conflict)(post)
  }
  return done.created
})

export const make = Effect.fnUntraced(function* (query: Query) {
  const parts: Parts = {
    accounts: yield* Accounts,
    claimKey: (yield* Journal).claimKey,
    profiles: yield* Profiles.make(query)
  }
  return { run: (row: ImportRow, context: RowContext) => run(parts, row, context) }
})
