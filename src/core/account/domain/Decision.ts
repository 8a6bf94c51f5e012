/**
 * The results of `decide`, and its inputs beside state and action.
 */
import { said } from "../../../contract/Said.ts"
import { type IneligibleReason, maxAmount } from "../../../contract/Values.ts"
import type { Program } from "../../rules/Program.ts"
import type { AccountEvent } from "./AccountEvent.ts"
import type { CardReward } from "./Action.ts"
import * as Announced from "./Announced.ts"
import type { Draft } from "./Draft.ts"
import * as Metrics from "./Metrics.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import type { BalanceFigures, Reply } from "./Reply.ts"
import type { IssuedReward, OrderRecord, Reservation, State } from "./State.ts"
import { unitOf } from "./State.ts"

/** An ended thing that has left memory, folded from the journal again. */
export interface Recalled {
  readonly order?: OrderRecord | undefined
  /** The record that has the order now, if it was moved from this member to another one. */
  readonly elsewhere?: { readonly account: number; readonly seq: number }
  readonly reservation?: Reservation | undefined
  readonly reward?: IssuedReward | undefined
}

/** The inputs of `decide` beside the state and the action. */
export interface Circumstances {
  /** The clock's time, ms. */
  readonly now: number
  readonly program: Program
  /** Ids and codes for rewards of stamp cards and challenges, as many as an earlier `NeedsCards` asked for. */
  readonly cards?: ReadonlyArray<CardReward>
  readonly recalled?: Recalled
  /** Id of the reservation that the record makes; given with `reserve`. */
  readonly reservation?: string
}

export interface Decided {
  readonly _tag: "Decided"
  readonly at: number
  readonly events: ReadonlyArray<AccountEvent>
  /** The state after the events. */
  readonly state: State
  readonly reply: Reply
  /** Stamp card rewards that were used: the record claims their ids and codes. */
  readonly cards: ReadonlyArray<CardReward>
}

/** Record `seq` did the same before, such as the capture of this reservation: its reply is the answer. */
export interface DoneBefore {
  readonly _tag: "DoneBefore"
  readonly seq: number
  /** That record's account, if it belongs to a member that was merged into this one. */
  readonly account?: number
}

export const doneBefore = (seq: number, account: number | undefined): DoneBefore =>
  account === undefined ? { _tag: "DoneBefore", seq } : { _tag: "DoneBefore", seq, account }

/** The decision must be repeated with `count` cards. */
export interface NeedsCards {
  readonly _tag: "NeedsCards"
  readonly count: number
}

export type Decision = Decided | DoneBefore | NeedsCards | Refusal

/** Refuses while the member is not active (contract/members.md *Status and writes*). */
export const inactive = (state: State): Refusal | undefined =>
  state.status === "active" ? undefined : refusal("member_not_active", said`Member ${state.member} is ${state.status}.`)

/** Refuses if the member is closed. A suspended member may still capture and reverse. */
export const closed = (state: State): Refusal | undefined => (state.status === "closed" ? inactive(state) : undefined)

export const tooLarge = (what: string): Refusal =>
  refusal(
    "invalid_state",
    said`This is too much ${what}: a credit, an overdraft and an order's total are at most ${maxAmount}, and a balance must be exact in JSON.`
  )

/** The balances of a state, in the programme's order. */
export const balances = (state: State, program: Program): ReadonlyArray<BalanceFigures> =>
  program.accounts.map(({ label, unit }) => {
    const { posted, reserved } = unitOf(state, unit)
    return label === undefined ? [unit, posted, reserved] : [unit, posted, reserved, label]
  })

export const decided = (draft: Draft, reply: Reply, cards: ReadonlyArray<CardReward> = []): Decided => {
  draft.settle()
  if (draft.events.length > 0) draft.tellTier()
  const { at, seq, state } = draft
  return {
    _tag: "Decided",
    at,
    // A copy without spare capacity, because the events are kept with the reply.
    events: draft.events.slice(),
    state: { ...state, seq, at, announced: state.announced + Announced.count(draft.events) },
    reply,
    cards
  }
}

/** Decides with the member as reply, as it is after the events. */
export const decidedMember = (draft: Draft, created: boolean, cards: ReadonlyArray<CardReward> = []): Decided => {
  draft.settle()
  const tier = Metrics.tierOf(draft.state, draft.program, draft.at)
  const reply = {
    type: "member",
    created,
    ...(draft.state.status === "active" ? undefined : { status: draft.state.status }),
    ...(tier === undefined ? undefined : { tier: tier.tier_id }),
    balances: balances(draft.state, draft.program)
  } as const
  return decided(draft, reply, cards)
}

/** Decides with the entries from `first` on as reply, and the balances after all events. */
export const decidedEntries = (
  draft: Draft,
  first: number,
  cards: ReadonlyArray<CardReward> = [],
  ineligible: ReadonlyArray<IneligibleReason> = []
): Decided => {
  const last = draft.state.entries
  draft.settle()
  const reply = { type: "entries", first, last, balances: balances(draft.state, draft.program) } as const
  return decided(draft, ineligible.length === 0 ? reply : { ...reply, ineligible }, cards)
}
