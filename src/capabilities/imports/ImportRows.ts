/**
 * Imports one row, or foresees what the import would do: enrols or changes the member, adds its identity, and posts its
 * opening balance. A repeated step is a replay, so an interrupted row can run again
 * from its beginning.
 */
import { Data, Effect, Result } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import type { ImportRow } from "../../contract/platform/Imports.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Action } from "../../core/account/domain/Action.ts"
import { mergedAccounts, mergedMembers } from "../../core/account/domain/State.ts"
import * as View from "../../core/account/domain/View.ts"
import type { Outcome, Resident } from "../../core/account/Outcome.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Claim, Identity } from "../../core/journal/Records.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Tiers from "../../core/rules/Tiers.ts"
import { isTransient, orUnavailable, refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Gifts from "../members/Gifts.ts"
import type { Upsert } from "../members/Profiles.ts"
import * as Profiles from "../members/Profiles.ts"
import { openingId } from "../moving/OpeningId.ts"
import type { Attributes } from "../segments/Newcomers.ts"
import type { Changed, Within } from "../segments/Reached.ts"
import * as Reached from "../segments/Reached.ts"
import type { DoneRow } from "./ImportStore.ts"

/** Stamp cards that a row fills, within the limits of the import's caller. */
export interface Cards {
  /** Those that are counted with the import. */
  readonly counted: number
  /** Counts more of them, and does the work. */
  readonly within: (
    cards: number,
    work: Effect.Effect<Gifts.Answered, Refused>
  ) => Effect.Effect<Gifts.Answered, Refused>
}

export interface RowContext {
  readonly program: Program
  /** The claim of the row's enrolment. */
  readonly key: Claim
  /** The claim of the row's opening balance: the record that has it was posted by the row. */
  readonly opening: Claim
  /** The name of the caller, and the import's request (`JournalRecord.origin`). */
  readonly actor: string
  readonly origin: string | undefined
  /** The accounts that the row may change, of those that are there; undefined: all. */
  readonly only: ReadonlySet<number> | undefined
  /** Undefined: nothing counts. */
  readonly cards: Cards | undefined
  /** Counts what campaigns give because of the row. Undefined: nothing counts. */
  readonly within: Within | undefined
}

/** Most faults that are reported for one row. */
const maxFaults = 10

export type RowErrors = DoneRow["errors"]

export const faultsAsErrors = (faults: ReadonlyArray<{ readonly path: string; readonly message: string }>): RowErrors =>
  faults.slice(0, maxFaults).map(({ message, path }) => ({ path, code: "validation_failed", detail: message }))

interface Named {
  readonly member_id?: string | undefined
  readonly external_id?: string | null | undefined
  readonly identity?: Identity | undefined
}

/** The names of the row's member. Rows that share a name must run in order. */
export const namesOf = ({ external_id, identity, member_id }: Named): ReadonlyArray<string> => [
  ...(member_id === undefined ? [] : [`member ${member_id}`]),
  ...(typeof external_id === "string" ? [`external ${external_id}`] : []),
  ...(identity === undefined ? [] : [`identity ${JSON.stringify([identity.type, identity.value, identity.issuer])}`])
]

/**
 * Details of errors by code, because a refusal's own detail may contain text of the row. `conflicts` has those of
 * conflicts.
 */
const details: { readonly [Code in ProblemCode]?: string } = {
  forbidden: "The member exists, and changing it needs the scope members:write. Nothing of the row is imported.",
  member_not_active: "The member is suspended or closed.",
  program_retired: "The programme is retired.",
  invalid_state: "The member's state does not allow it."
}

/** Meaning of a limit that is exceeded, by the step. */
const limits: { readonly [Path in StepPath]?: string } = {
  "": "Campaigns would give more because of it than is left of your limits of the day. Its profile is not imported.",
  "/opening_balance":
    "It would bring about more by stamp cards, or by campaigns for a higher tier, than is left of your limits of the day. The rest of the row is imported."
}

/** Meaning of a conflict, by the property that it is about. Empty: the whole row. */
export const conflicts = {
  "": "Another member has the member id or the external id.",
  "/identity": "Another member has the identity. The rest of the row is imported.",
  "/opening_balance": "The member already has another opening balance. The rest of the row is imported."
} as const
type StepPath = keyof typeof conflicts

/** Further cards of one guest are how a file hands out cards that nobody has yet. */
export const furtherIdentity = new Refused({
  code: "forbidden",
  detail:
    "The member has an identity of this type. A further one needs the scope members:write. The rest of the row is imported."
})

/** The member of a row. */
export interface Placed {
  readonly account: number
  /** Its newest record once the row was done. */
  readonly seq: number
}

/** A step of the row was refused. `path`: the property that the step is about. */
export class RowRefused extends Data.TaggedError("RowRefused")<{
  readonly refused: Refused
  readonly path: StepPath
  /** The row's member, if it was found or enrolled before. */
  readonly placed?: Placed
}> {}

export const errorsOf = ({ path, refused }: RowRefused): RowErrors => {
  const { code, errors = [] } = refused
  if (errors.length > 0) return faultsAsErrors(errors)
  if (refused === furtherIdentity) return [{ path, code: furtherIdentity.code, detail: furtherIdentity.detail }]
  const told = code === "conflict" ? conflicts[path] : code === "limit_exceeded" ? limits[path] : details[code]
  const detail = told ?? "The row was refused."
  return [{ path, code, detail }]
}

/** Turns refusals of a step into `RowRefused`. */
const step =
  (path: StepPath) =>
  <A>(effect: Effect.Effect<A, Refused>): Effect.Effect<A, RowRefused> =>
    Effect.mapError(effect, (refused) => new RowRefused({ refused, path }))

interface Parts extends Pick<Journal["Service"], "claimKey" | "findIdentity" | "holders"> {
  readonly accounts: Accounts["Service"]
  readonly profiles: Effect.Success<ReturnType<typeof Profiles.make>>
}

/** A member id that no member has: ids have no spaces. */
const unusedId = " "

const ofThere = (outcome: Outcome | undefined): Outcome => {
  if (outcome === undefined) throw new Error("a member that was read is there")
  return outcome
}

const answered = (outcome: Outcome | undefined) => {
  const found = ofThere(outcome)
  return found._tag === "Answered" ? Effect.succeed(found) : Effect.fail(refusedBy(found))
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
  { actor, key, origin, program, within }: RowContext
): Effect.fn.Return<Upsert, Refused> {
  const enrolled = parts.accounts.enroll({ program: program.id, identity, via: "import", key, actor, origin })
  const work = Effect.flatMap(enrolled, answered)
  const guest = { accounts: [], before: {}, after: {}, isImported: true }
  const there = yield* orUnavailable(parts.findIdentity(ClaimKeys.identity(parts.claimKey, program.id, identity)))
  const done = yield* within === undefined || there !== undefined ? work : within(guest, Profiles.hasEnrolled, work)
  const { account, state } = yield* residentOf(parts, done.record.account)
  return { account, member: state.member, created: Profiles.hasEnrolled(done) }
})

/** Finds or enrols the member of a row, and updates its profile. */
const upserted = Effect.fnUntraced(function* (
  parts: Parts,
  row: ImportRow,
  context: RowContext
): Effect.fn.Return<Upsert, Refused> {
  const { identity, opening_balance: _, ...facts } = row
  const isNamed = facts.member_id !== undefined || typeof facts.external_id === "string"
  if (isNamed || identity === undefined)
    return yield* parts.profiles.upsert(context.program, facts, { ...context, via: "import" })
  const found = yield* byIdentity(parts, identity, context)
  if (Object.keys(facts).length > 0)
    yield* parts.profiles.upsert(
      context.program,
      { ...facts, member_id: found.member },
      {
        via: "import",
        actor: context.actor,
        origin: context.origin,
        only: found.created ? undefined : context.only,
        within: context.within
      }
    )
  return found
})

const addIdentity = Effect.fnUntraced(function* (
  parts: Parts,
  { account, created }: Upsert,
  identity: Identity,
  { actor, only, origin, program }: RowContext
): Effect.fn.Return<void, Refused> {
  const key = ClaimKeys.identity(parts.claimKey, program.id, identity)
  const { member, state } = yield* residentOf(parts, account)
  if (state.identities.includes(key)) return
  if (!created && only?.has(account) === false) return yield* Profiles.mayNotChange
  if (only !== undefined && member.identities.some(({ type }) => type === identity.type)) return yield* furtherIdentity
  const action: Action = { type: "change_identities", add: [key], remove: [] }
  const command = { action, guards: {}, identities: [identity], actor, origin }
  yield* answered(yield* parts.accounts.executeOn(account, () => command))
})

/** The posting of an opening balance with its claims: once for a member and all that it contains. */
const openingOf = ({ claimKey }: Parts, { account, state }: Resident, amount: number, program: Program) => {
  const { member } = state
  const once = [{ account, member }, ...mergedMembers(state)].map((of) => ({
    account: of.account,
    key: ClaimKeys.adjustment(claimKey, program.id, openingId(of.account, of.member)),
    fingerprint: claimKey("opening balance", program.id, of.member, String(amount))
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
  return { action, once }
}

/** The cards that a record fills beyond those that are counted with the import. */
const cardsBeyond = ({ counted }: Cards, record: Gifts.Answered["record"] | undefined): number =>
  record === undefined ? 0 : Math.max(0, Gifts.issuedIn(record) - counted)

const postOpening = Effect.fnUntraced(function* (
  parts: Parts,
  { account, created }: Upsert,
  amount: number,
  { actor, cards, only, opening, origin, program, within }: RowContext
): Effect.fn.Return<void, Refused> {
  if (!created && only?.has(account) === false) return yield* Profiles.mayNotChange
  const resident = yield* residentOf(parts, account)
  const { action, once } = openingOf(parts, resident, amount, program)
  const business = once.find((claim) => claim.account === account)
  const guards = { ...(business === undefined ? {} : { business }), once, further: [opening] }
  const command = { action, guards, actor, origin }
  const posted = (counted?: Command["counted"]) =>
    parts.accounts.executeOn(account, () => ({ ...command, counted })).pipe(Effect.map(ofThere))
  if (cards === undefined && within === undefined) return void (yield* answered(yield* posted()))
  yield* Gifts.whileOutdated((outcomeOf) =>
    Effect.gen(function* () {
      const foreseen = yield* parts.accounts.preview(program.id, resident.state.member, command)
      const answer = foreseen._tag === "Answered" ? foreseen : undefined
      const record = answer?.record
      const due = record && (yield* Gifts.dueWith(parts.accounts, program.id, resident.state.member, record.seq))
      const place = record && due && { account, seq: record.seq, always: within !== undefined }
      const executed = outcomeOf(posted(place ?? Gifts.nowhere))
      const work = cards?.within(cardsBeyond(cards, record), executed) ?? executed
      if (within === undefined || record === undefined || answer?.resident === undefined) return yield* work
      const guest = Reached.ofAccount(answer.resident, due?.state, record.at)
      const isRaised = Reached.raisesTier(program, record.events, guest)
      return yield* within({ ...guest, isRaised }, (done) => Render.isCreated(done.record), work)
    })
  )
})

/** Runs a row. */
const run = Effect.fnUntraced(function* (
  parts: Parts,
  row: ImportRow,
  context: RowContext
): Effect.fn.Return<Placed & Pick<Upsert, "created">, RowRefused> {
  const { identity, opening_balance = 0 } = row
  const done = yield* step("")(upserted(parts, row, context))
  const rest = Effect.gen(function* () {
    if (identity !== undefined) yield* step("/identity")(addIdentity(parts, done, identity, context))
    if (opening_balance > 0) yield* step("/opening_balance")(postOpening(parts, done, opening_balance, context))
  })
  const result = yield* Effect.result(rest)
  const { account, created } = done
  const { state } = yield* step("")(residentOf(parts, account))
  const placed = { account, seq: state.seq }
  if (Result.isFailure(result)) {
    const { path, refused } = result.failure
    return yield* new RowRefused({ path, placed, refused })
  }
  return { ...placed, created }
})

/** The programme of a row that is foreseen, and the accounts that it may change; undefined: all. */
export type ForesightContext = Pick<RowContext, "program" | "only">

/** Effects that a row would have on the members that are there. */
export interface Foreseen {
  /** The account of the member that the row finds; undefined if it would enrol one. */
  readonly account: number | undefined
  /** The accounts that were merged into it. */
  readonly contained: ReadonlyArray<number>
  /** The member's attributes. */
  readonly attributes: Attributes | undefined
  /** The points that its opening balance would credit. */
  readonly credits: number
  /** True if they would raise the member's tier. */
  readonly isRaised: boolean
  /** True: the member has got its opening balance before, which is given once ever. */
  readonly hasOpening?: boolean
  /** Its account before and after them. */
  readonly states?: Changed["states"]
  /** The first step that would be refused. */
  readonly refused: RowRefused | undefined
}

const uncredited = { credits: 0, isRaised: false }

const foreseeIdentity = Effect.fnUntraced(function* (
  { accounts, claimKey, findIdentity }: Parts,
  found: Resident | undefined,
  identity: Identity,
  { only, program }: ForesightContext
): Effect.fn.Return<void, Refused> {
  const key = ClaimKeys.identity(claimKey, program.id, identity)
  if (found?.state.identities.includes(key) === true) return
  if (found !== undefined && only?.has(found.account) === false) return yield* Profiles.mayNotChange
  if ((yield* orUnavailable(findIdentity(key))) !== undefined) return yield* refuse("conflict", "")
  if (found === undefined) return
  const action: Action = { type: "change_identities", add: [key], remove: [] }
  yield* answered(yield* accounts.preview(program.id, found.state.member, { action, guards: {} }))
})

/** The points that an opening balance would credit, none if the member has it already, and whether they raise its tier. */
const foreseeOpening = Effect.fnUntraced(function* (
  parts: Parts,
  found: Resident | undefined,
  amount: number,
  { only, program }: ForesightContext
): Effect.fn.Return<Pick<Foreseen, "credits" | "hasOpening" | "isRaised" | "states">, Refused> {
  if (amount === 0) return uncredited
  if (found === undefined)
    return {
      credits: amount,
      isRaised:
        Tiers.countsAll(program, program.primaryUnit) && Tiers.tierOf(program, amount) !== Tiers.tierOf(program, 0)
    }
  if (only?.has(found.account) === false) return yield* Profiles.mayNotChange
  const { action, once } = openingOf(parts, found, amount, program)
  const held = yield* orUnavailable(parts.holders(once.map(({ key }) => key)))
  const fingerprints = new Map(once.map(({ fingerprint, key }) => [key, fingerprint]))
  if (held.some(({ fingerprint, key }) => fingerprint !== fingerprints.get(key))) return yield* refuse("conflict", "")
  if (held.length > 0) return { ...uncredited, hasOpening: true }
  const outcome = yield* parts.accounts.preview(program.id, found.state.member, { action, guards: {} })
  if (outcome._tag !== "Answered") return yield* refusedBy(outcome)
  const { record, resident = found } = outcome
  const guest = Reached.ofAccount(resident, View.view(found.state, program, record.at), record.at)
  return { credits: amount, isRaised: Reached.raisesTier(program, record.events, guest), states: guest.states }
})

/** The member that the row finds. */
const foreseeMember = Effect.fnUntraced(function* (
  parts: Parts,
  { identity, opening_balance: _, ...facts }: ImportRow,
  { only, program }: ForesightContext
): Effect.fn.Return<Resident | undefined, Refused> {
  const isNamed = facts.member_id !== undefined || typeof facts.external_id === "string"
  if (isNamed || identity === undefined) return yield* parts.profiles.foresee(program, facts, only)
  const account = yield* orUnavailable(parts.findIdentity(ClaimKeys.identity(parts.claimKey, program.id, identity)))
  const found = account === undefined ? undefined : yield* residentOf(parts, account)
  if (found === undefined) return yield* parts.profiles.foresee(program, { ...facts, member_id: unusedId })
  const member_id = found.state.member
  const command = { action: { type: "find_member" }, guards: {} } as const
  yield* answered(yield* parts.accounts.preview(program.id, member_id, command))
  return Object.keys(facts).length > 0 ? yield* parts.profiles.foresee(program, { ...facts, member_id }, only) : found
})

/** Foreseen result of a row. Writes nothing, and fails for a transient reason alone. */
const foresee = Effect.fnUntraced(function* (
  parts: Parts,
  row: ImportRow,
  context: ForesightContext
): Effect.fn.Return<Foreseen, Refused> {
  const { identity, opening_balance = 0 } = row
  let account: number | undefined
  let contained: ReadonlyArray<number> = []
  let attributes: Attributes | undefined
  const steps = Effect.gen(function* () {
    const found = yield* step("")(foreseeMember(parts, row, context))
    account = found?.account
    contained = found === undefined ? [] : mergedAccounts(found.state)
    attributes = found?.member.attributes
    if (identity !== undefined) yield* step("/identity")(foreseeIdentity(parts, found, identity, context))
    return yield* step("/opening_balance")(foreseeOpening(parts, found, opening_balance, context))
  })
  const result = yield* Effect.result(steps)
  const seen = { account, attributes, contained }
  if (Result.isSuccess(result)) return { ...seen, ...result.success, refused: undefined }
  const refused = result.failure
  return isTransient(refused.refused) ? yield* refused.refused : { ...seen, ...uncredited, refused }
})

export const make = Effect.fnUntraced(function* (query: Query) {
  const { claimKey, findIdentity, holders } = yield* Journal
  const parts: Parts = {
    accounts: yield* Accounts,
    claimKey,
    findIdentity,
    holders,
    profiles: yield* Profiles.make(query)
  }
  return {
    run: (row: ImportRow, context: RowContext) => run(parts, row, context),
    foresee: (row: ImportRow, context: ForesightContext) => foresee(parts, row, context)
  }
})
