/**
 * Decides one action on top of a state: events and reply, or a refusal.
 *
 * Pure: no clock, no randomness, no service; ids, codes and times are arguments.
 * Everything due by `now` is posted first, as events of the same decision.
 * Precedence of refusals: existence, a retired programme, member status, faults of
 * the order, state. Records of the idempotency key and of the business identifier
 * come before all of these; `Deciding` looks them up (contract/idempotency.md *Precedence of answers*).
 */
import { faultAt, said } from "../../../contract/Said.ts"
import { maxAmount } from "../../../contract/Values.ts"
import type { Action, AdjustManually, Enroll } from "./Action.ts"
import type { Circumstances, Decision } from "./Decision.ts"
import { decided, decidedEntries, decidedMember, inactive, tooLarge } from "./Decision.ts"
import { Draft } from "./Draft.ts"
import { changeIdentities, changeProfile, erase, setStatus } from "./Membership.ts"
import { bring, moveIn } from "./MoveIn.ts"
import * as Notices from "./Notices.ts"
import { accrue, adjustOrder } from "./Orders.ts"
import { capture, findReservation, reserve, reverse } from "./Redemptions.ts"
import { refusal } from "./Refusal.ts"
import { restoreExpired } from "./Restoration.ts"
import { cancelReward, issueReward } from "./Rewards.ts"
import { fillCards } from "./StampCard.ts"
import type { State } from "./State.ts"
import { available, unitOf } from "./State.ts"

/** The actions that a retired programme allows. Operators may still change status and identities of its members. */
const allowedWhenRetired: ReadonlySet<Action["type"]> = new Set([
  "adjust_order",
  "find_reservation",
  "capture",
  "reverse",
  "set_status",
  "change_identities",
  "erase",
  "expire",
  "restore_expired"
])

export const decide = (state: State, action: Action, given: Circumstances): Decision => {
  const decision = carryOut(state, action, given)
  if (!given.program.isRetired || allowedWhenRetired.has(action.type) || isWithdrawal(action)) return decision
  // Existence is checked first; a repeated command gets its first answer.
  if (decision._tag === "DoneBefore" || (decision._tag === "Refusal" && decision.code === "not_found")) return decision
  return refusal("program_retired", said`Programme ${given.program.id} was retired.`)
}

const isWithdrawal = (action: Action): boolean => action.type === "change_profile" && action.onlyWithdraws

const carryOut = (state: State, action: Action, given: Circumstances): Decision => {
  const draft = new Draft(state, given.program, given.now)
  switch (action.type) {
    case "enroll":
      return enroll(draft, action)
    case "move_in":
      return moveIn(draft, action)
    case "find_member":
      return findMember(draft)
    case "accrue":
      return accrue(draft, action, given)
    case "adjust_order":
      return adjustOrder(draft, action, given)
    case "adjust_manually":
      return adjustManually(draft, action, given)
    case "reserve":
      return reserve(draft, action, given)
    case "find_reservation":
      return findReservation(draft, action, given)
    case "capture":
      return capture(draft, action, given)
    case "reverse":
      return reverse(draft, action, given)
    case "issue_reward":
      return issueReward(draft, action)
    case "cancel_reward":
      return cancelReward(draft, action, given)
    case "set_status":
      return setStatus(draft, action)
    case "change_identities":
      return changeIdentities(draft, action)
    case "change_profile":
      return changeProfile(draft, action)
    case "erase":
      return erase(draft, action)
    case "restore_expired":
      return restoreExpired(state, action, given)
    case "expire":
      draft.settle()
      return decided(draft, { type: "none" })
  }
}

const enroll = (draft: Draft, { external, identity, joined, member, moves, program, via }: Enroll): Decision => {
  draft.emit({
    type: "enrolled",
    at: draft.at,
    program,
    member,
    identity,
    ...Notices.firstTier(draft.program),
    ...(via === undefined ? undefined : { via }),
    ...(joined === undefined ? undefined : { joined })
  })
  if (external !== undefined) draft.emit({ type: "external_id_given", at: draft.at, external })
  return (moves === undefined ? undefined : bring(draft, moves)) ?? decidedMember(draft, true)
}

const findMember = (draft: Draft): Decision =>
  draft.state.status === "closed"
    ? refusal("member_not_active", "The identity belongs to a member that was closed.")
    : decidedMember(draft, false)

const adjustManually = (draft: Draft, action: AdjustManually, given: Circumstances): Decision => {
  const { amount, classification } = action
  const unit = action.unit ?? draft.program.primaryUnit
  if (!draft.program.accounts.some((account) => account.unit === unit)) {
    const fault = faultAt("/unit", said`must be the unit of an account of programme ${draft.program.id}`)
    return refusal("validation_failed", `/unit ${fault.message}.`, [fault])
  }
  const refused = inactive(draft.state)
  if (refused !== undefined) return refused
  if (action.expires !== undefined && amount < 0) return refusal("invalid_state", "A debit has no expires_at.")
  if (action.expires !== undefined && action.expires <= draft.at)
    return refusal("expired", "expires_at must lie ahead.")
  draft.settle()
  const free = available(unitOf(draft.state, unit))
  const mayOverdraw = classification === "correction" || classification === "migration"
  if (amount < 0 && -amount > free && !mayOverdraw) {
    return refusal("insufficient_balance", said`The debit takes ${-amount} ${unit}; ${free} are available.`)
  }
  // Credited amounts may be taken whole; only what nobody ever credited is bounded, as a credit is.
  if (!draft.fits(unit, amount) || -amount > Math.max(free, maxAmount)) return tooLarge(unit)
  const first = draft.state.entries + 1
  draft.post({
    op: "manual",
    unit,
    amount,
    adjustment: action.adjustment,
    ...(action.location === undefined ? undefined : { location: action.location }),
    classification,
    reason: action.reason,
    qualifies: action.qualifies,
    ...(action.expires === undefined ? undefined : { expires: action.expires })
  })
  const cards = fillCards(draft, given.cards)
  return "_tag" in cards ? cards : decidedEntries(draft, first, cards)
}
