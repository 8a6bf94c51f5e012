/**
 * Merges two accounts. It holds both, the lower number first, so that two merges
 * cannot wait for each other. Then it decides, and submits two linked records:
 * both are committed, or neither is.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AppendOutcome, Claim, JournalRecord, JournalUnavailable, MemberRow } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import { keyConflict } from "./ClaimResolution.ts"
import type { MergeDecided, Sides } from "./domain/Merge.ts"
import { merge as decide } from "./domain/Merge.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import { view } from "./domain/View.ts"
import type { Program } from "../program/Program.ts"
import type { HeldAccount } from "./HeldAccount.ts"
import type { Side } from "./MergeHolds.ts"
import { type Outcome, type Resident, unavailable } from "./Outcome.ts"
import type { MergeRequest } from "./MergeRequest.ts"
import * as PastRecords from "./PastRecords.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as Rows from "./Rows.ts"

interface Pair {
  readonly from: HeldAccount
  readonly into: HeldAccount
}

/** Runs a merge. It continues if the caller disconnects. */
export const merge = (deps: AccountDeps, from: Side, into: Side, request: MergeRequest): Effect.Effect<Outcome> =>
  Effect.callback<Outcome>((resume) => {
    const merging =
      from.number === into.number
        ? Effect.succeed(refusal("invalid_state", "A member cannot be merged into itself."))
        : holding(from, into, (pair) => carryOut(deps, pair, request))
    deps.fork(
      Effect.matchCause(Effect.uninterruptible(merging), {
        onFailure: (cause) => resume(Effect.failCause(cause)),
        onSuccess: (outcome) => resume(Effect.succeed(outcome))
      })
    )
  })

/** Runs `use` with both accounts held. */
const holding = Effect.fnUntraced(function* (
  from: Side,
  into: Side,
  use: (pair: Pair) => Effect.Effect<Outcome>
): Effect.fn.Return<Outcome> {
  const [lower, upper] = from.number < into.number ? [from, into] : [into, from]
  const first = yield* lower.hold
  if (!("release" in first)) return first
  const second = yield* Effect.onError(upper.hold, () => first.release)
  if (!("release" in second)) {
    yield* first.release
    return second
  }
  const [leaving, taking] = lower === from ? [first, second] : [second, first]
  const exit = yield* Effect.exit(use({ from: leaving.account, into: taking.account }))
  // Before the other: who sees the merge there must not see the member as it was here.
  const isTold = yield* leaving.release
  yield* taking.release
  // The same key tells the outcome, once the owner of `from` shows it.
  return !isTold && Exit.isSuccess(exit) && exit.value._tag === "Answered" ? unavailable : yield* exit
})

/** Retries until the outcome is definite. Each retry reads what other owners have written. */
const carryOut = (deps: AccountDeps, pair: Pair, request: MergeRequest): Effect.Effect<Outcome> =>
  Effect.catchTag(
    Effect.gen(function* () {
      for (let tries = 0; tries < Bounds.maxTries; tries++) {
        if (!deps.mayWrite()) return { _tag: "Frozen" } as const
        const known = yield* answered(deps, request)
        if (known !== undefined) {
          // Another owner may have merged since both were loaded: reads after this answer must show it.
          if (known._tag === "Answered") yield* reload(pair)
          return known
        }
        const outcome = isWhole(deps, pair) ? yield* attempt(deps, pair, request) : undefined
        if (outcome !== undefined) return outcome
        yield* reload(pair)
      }
      return { _tag: "Overloaded" } as const
    }),
    "JournalUnavailable",
    () => Effect.succeed(unavailable)
  )

/** Decides, and submits or refuses. Undefined: another owner has written, or the programmes have changed. */
const attempt = Effect.fnUntraced(function* (
  deps: AccountDeps,
  pair: Pair,
  request: MergeRequest
): Effect.fn.Return<Outcome | undefined, JournalUnavailable> {
  const revision = deps.revision()
  const decided = decideOn(deps, pair, request)
  if (decided._tag === "Refusal") return (yield* isCurrent(deps, pair, revision)) ? decided : undefined
  // Again: the clock may have jumped before the decision read it.
  if (!deps.mayWrite()) return { _tag: "Frozen" }
  if (!pair.from.isValid() || !pair.into.isValid()) return { _tag: "Overloaded" }
  const outcomes = yield* Effect.callback<Outcomes>((resume) =>
    deps.journal.submitLinked(decided.records, (outcomes) => resume(Effect.succeed(outcomes)))
  )
  const isOutdated = outcomes.some(({ _tag }) => _tag === "outdated")
  if (isOutdated) return (yield* deps.leaveRevision(revision)) ? undefined : unavailable
  return settle(pair, decided, outcomes) ?? rejection(outcomes, request.key)
})

type Outcomes = readonly [from: AppendOutcome, into: AppendOutcome]

const reload = ({ from, into }: Pair): Effect.Effect<void, JournalUnavailable> =>
  Effect.andThen(from.reload(), into.reload())

/** True if personal data and state agree. Another owner may have changed one between the two reads. */
const isWhole = ({ journal }: AccountDeps, { from, into }: Pair): boolean =>
  [from, into].every(({ resident: { member, state } }) => Rows.hasIdentitiesOf(journal.claimKey, state, member))

/** The stored answer or a conflict if the request's key is taken; else undefined. */
export const answered = Effect.fnUntraced(function* (
  deps: AccountDeps,
  { key }: MergeRequest
): Effect.fn.Return<Outcome | undefined, JournalUnavailable> {
  if (key === undefined) return undefined
  const [holder] = yield* deps.journal.holders([key.key])
  if (holder === undefined) return undefined
  if (holder.fingerprint !== key.fingerprint) return keyConflict
  const record = yield* PastRecords.read(deps, holder.account, holder.seq)
  return { _tag: "Answered", record, isReplay: true }
})

/** A decision with the records that it makes. */
interface Prepared {
  readonly _tag: "Prepared"
  readonly decision: MergeDecided
  readonly records: readonly [from: JournalRecord, into: JournalRecord]
}

/** Decides, with the rewards of the cards that the stamps of both fill. */
const withCards = (deps: AccountDeps, sides: Sides, program: Program): MergeDecided | Refusal => {
  const given = { now: deps.now(), program }
  let decision = decide(sides, given)
  if (decision._tag === "NeedsCards") decision = decide(sides, { ...given, cards: deps.makeCards(decision.count) })
  if (decision._tag === "NeedsCards") throw new Error("a decision asked for cards that it was given")
  return decision
}

/** What a merge would do. */
export interface MergeForeseen {
  readonly _tag: "Foreseen"
  /** ms. */
  readonly at: number
  /** Both before the merge, with everything due by then applied. */
  readonly from: Resident
  readonly into: Resident
  /** The member that stays, after the merge. */
  readonly merged: Resident
  /** Stamp cards that the stamps of both fill. */
  readonly filled: number
}

/** Decides the merge of two members, and writes nothing. */
export const foresee = (
  deps: AccountDeps,
  program: Program,
  from: Resident,
  into: Resident
): MergeForeseen | Refusal => {
  const decision = withCards(deps, { from, into }, program)
  if (decision._tag === "Refusal") return decision
  const { at, cards, state } = decision.into
  const settled = (one: Resident): Resident => ({ ...one, state: view(one.state, program, at) })
  return {
    _tag: "Foreseen",
    at,
    from: settled(from),
    into: settled(into),
    merged: { ...into, state, member: membersOf(from, into).into },
    filled: cards.length
  }
}

/** Decides both records under one revision of the programmes. */
const decideOn = (deps: AccountDeps, pair: Pair, { actor, audit, key, origin }: MergeRequest): Prepared | Refusal => {
  const { from, into } = pair
  const { state } = from.resident
  const program = deps.programOf(state.program)
  if (program === undefined) return refusal("not_found", `There is no programme ${state.program}.`)
  const sides = {
    from: { account: from.number, state },
    into: { account: into.number, state: into.resident.state }
  }
  const decision = withCards(deps, sides, program)
  if (decision._tag === "Refusal") return decision
  const cards = decision.into.cards.flatMap((card) =>
    ClaimKeys.claimsOfCard(deps.journal.claimKey, state.program, card)
  )
  const members = membersOf(from.resident, into.resident)
  const records = [
    from.record(decision.from, { member: members.from, claims: [], actor, origin, audit: audit?.from }),
    into.record(decision.into, {
      member: members.into,
      claims: key === undefined ? cards : [key, ...cards],
      profile: { type: "merge", from: from.number },
      actor,
      origin,
      audit: audit?.into
    })
  ] as const
  return { _tag: "Prepared", decision, records }
}

/**
 * True if states and programmes are the newest. A refusal needs this check: it writes nothing, so no key exposes a
 * second owner.
 */
const isCurrent = Effect.fnUntraced(function* (
  { journal, leaveRevision }: AccountDeps,
  { from, into }: Pair,
  decidedUnder: number
): Effect.fn.Return<boolean, JournalUnavailable> {
  for (const account of [from, into]) {
    const { revision, seq } = yield* journal.witness(account.number, [])
    if (seq > account.resident.state.seq) return false
    if (revision === decidedUnder) continue
    yield* leaveRevision(decidedUnder)
    return false
  }
  return true
})

/** The personal data of both after the merge. `into` keeps its own data, and gets data that only `from` had. */
const membersOf = (
  { member: one }: Resident,
  { member: other }: Resident
): { readonly from: MemberRow; readonly into: MemberRow } => {
  const attributes = { ...one.attributes, ...other.attributes }
  const hasAttributes = one.attributes !== undefined || other.attributes !== undefined
  const identities = [...other.identities, ...one.identities]
  return { from: { identities: [] }, into: hasAttributes ? { identities, attributes } : { identities } }
}

/** Applies the outcomes to both accounts. Returns the answer if both records were committed. */
const settle = ({ from, into }: Pair, { decision, records }: Prepared, [one, other]: Outcomes): Outcome | undefined => {
  if (one._tag !== "committed" || other._tag !== "committed") {
    from.rejected(one)
    into.rejected(other)
    return undefined
  }
  from.advance(decision.from, records[0])
  into.advance(decision.into, records[1])
  const { at, events, reply } = decision.into
  const record = { account: into.number, seq: records[1].seq, at, events, reply }
  return { _tag: "Answered", record, resident: into.resident }
}

/** The answer if nothing was committed. Undefined: decide again. */
const rejection = (outcomes: Outcomes, key: Claim | undefined): Outcome | undefined => {
  const told = outcomes.find(({ _tag }) => _tag !== "superseded")
  switch (told?._tag) {
    case "frozen":
      return { _tag: "Frozen" }
    case "overloaded":
      return { _tag: "Overloaded" }
    case "taken":
      return told.holder.key === key?.key ? undefined : somethingTaken
    case "stale":
    case undefined:
      return undefined
    default:
      return unavailable
  }
}

const somethingTaken: Refusal = refusal("conflict", "A value that must be unique is already in use.")
