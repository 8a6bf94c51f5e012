/** The challenges that members complete at once after a publication (contract/operators.md *Preview of a publication*). */
import { Effect } from "effect"
import type { Completed } from "../../contract/admin/PublicationPreview.ts"
import { maxReadMembers } from "../../contract/admin/PublicationPreview.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import * as Challenges from "../../core/rules/Challenges.ts"
import type { Program } from "../../core/rules/Program.ts"
import { valueOf } from "../../core/rules/Rewards.ts"
import { refusedBy } from "../../desk/surface/Refusal.ts"

/** Accounts that are read side by side. Most are not in memory: each reads its snapshot. */
const readsAtOnce = 8

interface Sum {
  guests: number
  rewards: number
}

const shown = (
  { rewards: all }: Program,
  { rewardId }: Challenges.Challenge,
  { guests, rewards }: Sum,
  lookedAt: number,
  total: number
): Completed => {
  const reward = all.get(rewardId)
  const worth = reward && valueOf(reward.effect)
  return {
    looked_at: lookedAt,
    total,
    guests,
    reward_id: rewardId,
    name: reward?.name ?? rewardId,
    rewards,
    ...(worth && { cost: { amount: worth.amount * rewards, currency: worth.currency } })
  }
}

/** Members at even distances, so that a part of them tells of all. */
const spread = (members: ReadonlyArray<number>): ReadonlyArray<number> => {
  const step = Math.ceil(members.length / maxReadMembers)
  return members.filter((_, place) => place % step === 0)
}

/**
 * By challenge, what members complete with the next order that counts, because their progress is enough for `after`. Only
 * of challenges that `after` makes easier. `members`: accounts of the programme, all of `total` or a sample.
 */
export const of = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  before: Program,
  after: Program,
  members: ReadonlyArray<number>,
  total: number,
  at: number
): Effect.fn.Return<ReadonlyMap<string, Completed>, Refused> {
  const eased = after.challenges.filter((one) =>
    before.challenges.some((was) => was.id === one.id && Challenges.isEased(was, one))
  )
  if (eased.length === 0) return new Map()
  const sums = new Map(eased.map(({ id }) => [id, { guests: 0, rewards: 0 }]))
  const now = { at, zone: after.zone, lateMs: after.promotions.lateMs }
  const read = spread(members)
  const looked = yield* Effect.forEach(
    read,
    Effect.fnUntraced(function* (account) {
      const found = yield* accounts.readOn(account, true)
      if (found === undefined) return false
      if (found._tag !== "Resident") return yield* refusedBy(found)
      // Closed or merged since the figures were kept.
      if (found.state.status === "closed") return false
      const enough = Challenges.enough(eased, found.state.challenges, now)
      for (const id of new Set(enough.map(({ challenge }) => challenge.id))) {
        const sum = sums.get(id)
        if (sum === undefined) continue
        sum.guests++
        sum.rewards += enough.filter(({ challenge }) => challenge.id === id).length
      }
      return true
    }),
    { concurrency: readsAtOnce }
  )
  const lookedAt = looked.filter((isThere) => isThere).length
  return new Map(
    eased.map((one) => [one.id, shown(after, one, sums.get(one.id) ?? { guests: 0, rewards: 0 }, lookedAt, total)])
  )
})
