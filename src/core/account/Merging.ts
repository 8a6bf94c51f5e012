/** Merges two accounts: by one record of each (`Pair`). */
import * as Effect from "effect/Effect"
import { said } from "../../contract/Said.ts"
import type { MemberRow } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import type { AccountEvent } from "./domain/AccountEvent.ts"
import type { MergeDecided, Sides } from "./domain/Merge.ts"
import { merge as decide } from "./domain/Merge.ts"
import { changedSince, type Refusal, refusal } from "./domain/Refusal.ts"
import { view } from "./domain/View.ts"
import type { Side } from "./MergeHolds.ts"
import type { Outcome, Resident } from "./Outcome.ts"
import * as Pair from "./Pair.ts"
import type { MergeRequest, MergeSeen } from "./Request.ts"
import * as Rows from "./Rows.ts"

/** Runs a merge. It continues if the caller disconnects. */
export const merge = (deps: AccountDeps, from: Side, into: Side, request: MergeRequest): Effect.Effect<Outcome> =>
  Pair.run(deps, from, into, {
    key: request.key,
    same: refusal("invalid_state", "A member cannot be merged into itself."),
    decide: (pair) => Effect.sync(() => (isWhole(deps, pair) ? decideOn(deps, pair, request) : undefined))
  })

/** True if personal data and state agree. Another owner may have changed one between the two reads. */
const isWhole = ({ journal }: AccountDeps, { from, into }: Pair.Pair): boolean =>
  [from, into].every(({ resident: { member, state } }) => Rows.hasIdentitiesOf(journal.claimKey, state, member))

/** Decides, with the rewards of the cards that the stamps of both fill. */
const withCards = (deps: AccountDeps, sides: Sides, program: Program): MergeDecided | Refusal => {
  const given = { now: deps.now(), program }
  let decision = decide(sides, given)
  if (decision._tag === "NeedsCards") decision = decide(sides, { ...given, cards: deps.makeCards(decision.count) })
  if (decision._tag === "NeedsCards") throw new Error("a decision asked for cards that it was given")
  return decision
}

/** Effects that a merge would have. */
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
  /** The events of its record. */
  readonly events: ReadonlyArray<AccountEvent>
  readonly seen: MergeSeen
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
  const { at, cards, events, state } = decision.into
  const settled = (one: Resident): Resident => ({ ...one, state: view(one.state, program, at) })
  return {
    _tag: "Foreseen",
    at,
    from: settled(from),
    into: settled(into),
    merged: { ...into, state, member: membersOf(from, into).into },
    filled: cards.length,
    events,
    seen: seenOf(from, into)
  }
}

const seenOf = (from: Resident, into: Resident): MergeSeen => ({ from: from.state.seq, into: into.state.seq })

/** Decides both records under one revision of the programmes. */
const decideOn = (
  deps: AccountDeps,
  pair: Pair.Pair,
  { actor, audit, counted, key, origin }: MergeRequest
): Pair.Prepared | Refusal => {
  const { from, into } = pair
  const { state } = from.resident
  const program = deps.programOf(state.program)
  if (program === undefined) return refusal("not_found", said`There is no programme ${state.program}.`)
  const sides = {
    from: { account: from.number, state },
    into: { account: into.number, state: into.resident.state }
  }
  const decision = withCards(deps, sides, program)
  if (decision._tag === "Refusal") return decision
  const seen = seenOf(from.resident, into.resident)
  if (counted !== undefined && (counted.from !== seen.from || counted.into !== seen.into)) return changedSince
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
