/**
 * Decisions about the reward wallet: issue and cancel (contract/redemptions.md *Issuing*, *Cancelling*).
 */
import { said } from "../../../contract/Said.ts"
import type { IssuedFacts } from "./AccountEvent.ts"
import type { CancelReward, IssueReward } from "./Action.ts"
import type { Circumstances, Decided, Decision } from "./Decision.ts"
import { closed, decided, doneBefore, inactive } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import { evolveReward } from "./Evolve.ts"
import { refusal } from "./Refusal.ts"
import type { IssuedReward } from "./State.ts"
import { holderOf } from "./State.ts"
import { pay } from "./Taking.ts"

/** The facts that a reward keeps when it comes back, or moves to another account. */
export const factsOf = ({ artifact, at, expires, n, paid, reward }: IssuedFacts): IssuedFacts => ({
  at,
  n,
  reward,
  artifact,
  ...(expires === undefined ? undefined : { expires }),
  ...(paid === undefined ? undefined : { paid })
})

const decidedReward = (draft: Draft, kept: IssuedReward, created: boolean): Decided => {
  const { cancelledIn: _c, cancelledSeq: _s, paid: _p, ...reward } = kept
  return decided(draft, { type: "reward", created, reward })
}

export const issueReward = (draft: Draft, action: IssueReward): Decision => {
  const offered = draft.program.rewards.get(action.reward)
  if (offered === undefined)
    return refusal("not_found", said`Programme ${draft.program.id} has no reward ${action.reward}.`)
  const refused = inactive(draft.state)
  if (refused !== undefined) return refused
  if (action.expires !== undefined && action.expires <= draft.at) {
    return refusal("expired", "expires_at must lie ahead.", [{ path: "/expires_at", message: "must lie ahead" }])
  }
  draft.settle()
  const { artifact, expires, issued, reward: id } = action
  const paid = action.isPaid === true ? pay(draft, offered, issued) : undefined
  if (paid !== undefined && "code" in paid) return paid
  draft.emit({
    type: "reward_issued",
    at: draft.at,
    issued,
    n: draft.state.issued + 1,
    reward: id,
    artifact,
    ...(expires === undefined ? undefined : { expires }),
    ...paid
  })
  const reward = draft.state.rewards.at(-1)
  if (reward?.issued !== action.issued) throw new Error("an issued reward is the newest of the wallet")
  return decidedReward(draft, reward, true)
}

export const cancelReward = (draft: Draft, action: CancelReward, given: Circumstances): Decision => {
  const before = draft.state.rewards.find((reward) => reward.issued === action.issued) ?? given.recalled?.reward
  if (before === undefined) return refusal("not_found", said`There is no issued reward ${action.issued}.`)
  if (before.status === "cancelled") {
    return before.cancelledSeq === undefined
      ? decidedReward(draft, before, false)
      : doneBefore(before.cancelledSeq, before.cancelledIn)
  }
  const refused = action.isTakenBack === true ? closed(draft.state) : inactive(draft.state)
  if (refused !== undefined) return refused
  draft.settle()
  const reward = draft.after(before, evolveReward)
  if (reward.status !== "issued")
    return refusal("invalid_state", said`Issued reward ${action.issued} is ${reward.status}.`)
  const holder = holderOf(draft.state, action.issued)
  if (holder !== undefined) {
    return refusal("invalid_state", said`Issued reward ${action.issued} is held by reservation ${holder.reservation}.`)
  }
  const { issued, reason } = action
  if (reward.paid !== undefined) draft.restore(reward.paid, { wallet: issued, reason })
  draft.emit({ type: "reward_cancelled", at: draft.at, issued, reason })
  return decidedReward(draft, { ...reward, status: "cancelled", cancelled: draft.at, reason: action.reason }, false)
}
