/** Moves an order from one account to another: by one record of each (`Pair`). */
import * as Effect from "effect/Effect"
import { said } from "../../contract/Said.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import type { Recorded } from "./Codec.ts"
import * as Codes from "./Codes.ts"
import type { Sides } from "./domain/Merge.ts"
import type { MoveDecided, Moving } from "./domain/Move.ts"
import { move as decide } from "./domain/Move.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import type { State } from "./domain/State.ts"
import { pathFrom } from "./domain/State.ts"
import type { Side } from "./MergeHolds.ts"
import type { Outcome, Resident } from "./Outcome.ts"
import * as Pair from "./Pair.ts"
import * as PastRecords from "./PastRecords.ts"
import type { Brought, MoveRequest } from "./Request.ts"

const belongs = refusal("invalid_state", "The order belongs to this member already.")

/** Runs a move. It continues if the caller disconnects. */
export const move = (deps: AccountDeps, from: Side, into: Side, request: MoveRequest): Effect.Effect<Outcome> => {
  const claimed = new Set<string>()
  return Pair.run(deps, from, into, {
    key: request.key,
    same: belongs,
    isOfAnother: (claim) => claimed.has(claim),
    decide: (pair) =>
      Effect.map(find(deps, pair.from.resident, request), (found) => {
        if ("_tag" in found) return found
        const prepared = prepare(deps, pair, request, found)
        if (prepared._tag === "Prepared") for (const { key } of prepared.records[1].claims) claimed.add(key)
        return prepared
      })
  })
}

/** Effects that a move would have. */
export interface MoveForeseen {
  readonly _tag: "Foreseen"
  /** Both after the move. */
  readonly from: Resident
  readonly into: Resident
  /** The record that the second one would get. */
  readonly record: Recorded
  readonly brings: Brought
}

/** Decides the move of an order, and writes nothing. */
export const foresee = (
  deps: AccountDeps,
  program: Program,
  from: Resident,
  into: Resident,
  request: MoveRequest
): Effect.Effect<MoveForeseen | Refusal, JournalUnavailable> =>
  from.account === into.account
    ? Effect.succeed(belongs)
    : Effect.map(find(deps, from, request), (found) => {
        if ("_tag" in found) return found
        const decision = withCards(deps, { from, into }, program, found)
        if (decision._tag === "Refusal") return decision
        const { at, events, reply, state } = decision.into
        return {
          _tag: "Foreseen",
          from: { ...from, state: decision.from.state },
          into: { ...into, state },
          record: { account: into.account, seq: state.seq, at, events, reply },
          brings: broughtBy(from.state, decision)
        }
      })

/** The order as the member has it; a refusal if it does not. */
const find = Effect.fnUntraced(function* (
  deps: AccountDeps,
  { account, state }: Pick<Resident, "account" | "state">,
  { order: id, reason }: MoveRequest
): Effect.fn.Return<Moving | Refusal, JournalUnavailable> {
  const { member, program: programId } = state
  const recalled = yield* PastRecords.recall(deps, { number: account, programId, state }, { type: "order", id })
  const { elsewhere, order } = recalled
  if (elsewhere !== undefined) return refusal("invalid_state", said`Order ${id} was moved to another member before.`)
  const last = yield* PastRecords.lastMove(deps, programId, id)
  const place = last ?? (yield* PastRecords.claimedBy(deps, programId, { type: "order", id }))
  if (order === undefined || place === undefined)
    return refusal("not_found", said`Order ${id} has no accrual for member ${member}.`)
  return {
    order,
    accrual: yield* PastRecords.read(deps, place.account, place.seq),
    move: (last?.event.move ?? 0) + 1,
    before: [...new Set([...accountsTo(account, state, place.account), ...(last?.event.before ?? [])])],
    adjustment: Codes.identifier("move"),
    reason
  }
})

/** The account of a record, and those that its member was merged into, up to `account`. */
const accountsTo = (account: number, state: Resident["state"], first: number): ReadonlyArray<number> => [
  account,
  ...(first === account ? [] : (pathFrom(state, first) ?? []).map((merged) => merged.account))
]

/** Decides, with the rewards of the cards that the points of the order fill. */
const withCards = (deps: AccountDeps, sides: Sides, program: Program, moving: Moving): MoveDecided | Refusal => {
  const given = { now: deps.now(), program }
  let decision = decide(sides, moving, given)
  if (decision._tag === "NeedsCards")
    decision = decide(sides, moving, { ...given, cards: deps.makeCards(decision.count) })
  if (decision._tag === "NeedsCards") throw new Error("a decision asked for cards that it was given")
  return decision
}

/** Points of all units that a member has spent, or holds, and does not have. */
const owed = ({ units }: State): number =>
  units.reduce((sum, { posted, reserved }) => sum + Math.max(0, reserved - posted), 0)

const broughtBy = (from: State, decision: MoveDecided): Brought => ({
  rewards: decision.into.cards.length,
  points: Math.max(0, owed(decision.from.state) - owed(from))
})

/** Decides both records under one revision of the programmes. */
const prepare = (
  deps: AccountDeps,
  { from, into }: Pair.Pair,
  { actor, audit, counted, key, order, origin }: MoveRequest,
  moving: Moving
): Pair.Prepared | Refusal => {
  const { claimKey } = deps.journal
  const { program: programId } = from.resident.state
  const program = deps.programOf(programId)
  if (program === undefined) return refusal("not_found", said`There is no programme ${programId}.`)
  const decision = withCards(deps, { from: from.resident, into: into.resident }, program, moving)
  if (decision._tag === "Refusal") return decision
  const brings = broughtBy(from.resident.state, decision)
  if (counted !== undefined && (brings.rewards > counted.rewards || brings.points > counted.points))
    return refusal(
      "limit_exceeded",
      said`It would bring about ${brings.rewards} rewards and ${brings.points} points; fewer were counted.`
    )
  const own = (claim: string) => ({ key: claim, fingerprint: claim })
  const claims = [
    ...(key === undefined ? [] : [key]),
    own(ClaimKeys.movedOrder(claimKey, programId, order, moving.move)),
    ...decision.into.cards.flatMap((card) => ClaimKeys.claimsOfCard(claimKey, programId, card))
  ]
  const taken = [own(ClaimKeys.adjustment(claimKey, programId, moving.adjustment))]
  const facts = { member: undefined, actor, origin }
  const records = [
    from.record(decision.from, { ...facts, claims: taken, audit: audit?.from }),
    into.record(decision.into, { ...facts, claims, audit: audit?.into })
  ] as const
  return { _tag: "Prepared", decision, records }
}
