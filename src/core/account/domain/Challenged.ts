/**
 * Challenges of a member: what an order adds, what an adjustment takes, and the rewards of what is complete by then
 * (contract/programmes.md *Challenges*).
 */
import type { Order } from "../../../contract/protocol/Order.ts"
import { said } from "../../../contract/Said.ts"
import * as Challenges from "../../rules/Challenges.ts"
import { later } from "../../rules/Expiration.ts"
import { orderTime } from "../../rules/Occasions.ts"
import type { OrderLeft } from "../../rules/OrdersLeft.ts"
import type { CardReward } from "./Action.ts"
import type { NeedsCards } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { fillCards } from "./StampCard.ts"
import type { OrderRecord } from "./State.ts"

/** The most completions of one order or merge, few enough for one commit. */
const mostAtOnce = 1000

/** Adds an order to the member's challenges. `isEarning`: it is not below the programme's minimum. */
export const countOrder = (draft: Draft, order: Order, left: OrderLeft, isEarning: boolean): void => {
  const { program, state } = draft
  const { zone } = program.promotions
  const time = orderTime(order, program.promotions, draft.at)
  const counts = Challenges.countedBy(program.challenges, order, left, { ...time, zone, isEarning })
  const forgets = state.challenges
    .filter((one) => !program.challenges.some(({ id, since }) => id === one.id && since === one.since))
    .map(({ id, since }) => ({ id, since }))
  if (counts.length === 0 && forgets.length === 0) return
  draft.emit({
    type: "challenge_progressed",
    at: draft.at,
    order: order.order_id,
    counts,
    ...(forgets.length === 0 ? undefined : { forgets })
  })
}

/** Counts an order again by what is left of it; undefined: nothing is. */
export const countAgain = (draft: Draft, { challenges, order }: OrderRecord, left: OrderLeft | undefined): void => {
  const changes = challenges.flatMap(({ amount: before, kind, terms, ...place }): ReadonlyArray<Challenges.Change> => {
    const amount = (left === undefined ? 0 : Challenges.amountOf(kind, terms, left)) - before
    return amount === 0 ? [] : [{ ...place, amount }]
  })
  if (changes.length > 0) draft.emit({ type: "challenge_progressed", at: draft.at, order, changes })
}

/** Where the decision has added to challenges. */
const raisedBy = ({ events }: Draft): ReadonlyArray<Challenges.Place> =>
  events.flatMap((event): ReadonlyArray<Challenges.Place> => {
    if (event.type === "challenge_progressed")
      return (event.counts ?? event.changes ?? []).filter(({ amount }) => amount > 0)
    return event.type === "merged_in" ? (event.challenges ?? []).filter(({ amounts }) => amounts.length > 0) : []
  })

/** Issues the rewards of full stamp cards and of complete challenges. `NeedsCards` if `cards` are too few. */
export const issueEarned = (
  draft: Draft,
  cards: ReadonlyArray<CardReward> | undefined
): ReadonlyArray<CardReward> | NeedsCards | Refusal => {
  const { challenges, promotions, zone } = draft.program
  const now = { at: draft.at, zone, lateMs: promotions.lateMs }
  const due = Challenges.due(challenges, draft.state.challenges, raisedBy(draft), now)
  const given = due.filter(({ isGiven }) => isGiven).length
  if (given > mostAtOnce)
    return refusal(
      "invalid_state",
      said`The order would complete challenges ${given} times; the limit is ${mostAtOnce} at once.`
    )
  const stamps = fillCards(draft, cards)
  if ("_tag" in stamps) return stamps._tag === "NeedsCards" ? { ...stamps, count: stamps.count + given } : stamps
  const rest = (cards ?? []).slice(stamps.length, stamps.length + given)
  if (rest.length < given) return { _tag: "NeedsCards", count: stamps.length + given }
  const rewards = rest.values()
  for (const { challenge, completion, isGiven } of due) {
    const reward = isGiven ? rewards.next().value : undefined
    if (reward !== undefined) issue(draft, challenge, reward)
    const { issued } = reward ?? {}
    draft.emit({
      type: "challenge_completed",
      at: draft.at,
      ...completion,
      ...(issued === undefined ? undefined : { issued })
    })
  }
  return [...stamps, ...rest]
}

const issue = (draft: Draft, { rewardId, rewardTtlMs }: Challenges.Challenge, { code, issued }: CardReward): void =>
  draft.emit({
    type: "reward_issued",
    at: draft.at,
    issued,
    n: draft.state.issued + 1,
    reward: rewardId,
    artifact: { type: "code", value: code },
    ...(rewardTtlMs === undefined ? undefined : { expires: later(draft.at, rewardTtlMs) })
  })
