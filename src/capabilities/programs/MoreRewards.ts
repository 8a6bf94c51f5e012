/**
 * Guards of a publication that gives more than the version in force: many rewards for one order are confirmed
 * (contract/programmes.md *Rewards of one order*). Somebody with limits (contract/operators.md *Limits*) publishes no more
 * points for an order than she may give at once. A stamp card that fills with fewer stamps, or a tier that is reached
 * with less, makes an active campaign give more than its person looked at: somebody with limits first pauses it, and is
 * counted if she resumes it.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { firstOf, int8 } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Said } from "../../contract/Said.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as RewardsPerOrder from "../../core/rules/RewardsPerOrder.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"

const { text } = PgTypes

const givingStatement = `SELECT c.campaign_id AS id FROM campaigns c
  WHERE c.program_id = $1 AND c.status = 'active' AND c.archived_at IS NULL AND (c.ends_at IS NULL OR c.ends_at > $2)
    AND c.action ? 'credit' AND coalesce(c.action -> 'credit' ->> 'unit', $3) = $4
  ORDER BY c.n LIMIT 1`
const givingOf = firstOf(Schema.Struct({ id: Schema.String }))

/**
 * The sentence that refuses a card with which the same stamps fill more cards than by the programme in force, while a campaign credits them;
 * undefined: they do not.
 */
const easing = (
  { threshold, unit }: NonNullable<Program["stampCard"]>,
  { stampCard }: Program
): ((campaign: string) => Said) | undefined => {
  if (stampCard === undefined)
    return (campaign) =>
      said`must not be added while the campaign ${campaign} is active, which credits them: pause it, and who resumes it is counted`
  if (stampCard.unit !== unit)
    return (campaign) =>
      said`must not be of another account while the campaign ${campaign} is active, which credits them: pause it, and who resumes it is counted`
  return threshold < stampCard.threshold
    ? (campaign) =>
        said`must not fill with fewer stamps while the campaign ${campaign} is active, which credits them: pause it, and who resumes it is counted`
    : undefined
}

const rising = `c.program_id = $1 AND c.trigger ->> 'on' = 'tier.changed'
    AND coalesce(c.trigger ->> 'direction', 'up') = 'up'
    AND c.archived_at IS NULL AND (c.ends_at IS NULL OR c.ends_at > $2)`

const risingStatement = `SELECT c.campaign_id AS id FROM campaigns c WHERE c.status = 'active' AND ${rising} ORDER BY c.n LIMIT 1`

// Rises are told up to an hour after the publication, so a resume gives for all of them.
const uncountedStatement = `UPDATE campaigns c SET counted_by = NULL
  WHERE c.status = 'paused' AND c.counted_by <> $3 AND ${rising}`

/** True if guests may be in a higher tier than by the programme in force, with what they have. */
const isLowered = ({ metrics, tiers }: Program, inForce: Program): boolean =>
  JSON.stringify(metrics) !== JSON.stringify(inForce.metrics) ||
  tiers.some(
    ({ minimum, qualification_metric_id }, place) =>
      minimum < (inForce.tiers[place]?.minimum ?? Infinity) ||
      qualification_metric_id !== inForce.tiers[place]?.qualification_metric_id
  )

/** Refuses a definition that gives many rewards for one order, and more than the one in force, unless that is confirmed. */
const requireConfirmed = (
  next: Program,
  inForce: Program | undefined,
  confirmed?: number
): Effect.Effect<void, Refused> => {
  const rewards = RewardsPerOrder.toConfirm(next, inForce)
  if (rewards === undefined || confirmed === rewards) return Effect.void
  return refuseFaults([{ path: "/confirm_rewards", ...RewardsPerOrder.toBeConfirmed(rewards) }])
}

/** The guards. `pathOf`: the place of a part of the definition in the request. */
export const make = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const { foreseen, isLimited } = yield* Given.make
  const { now } = yield* serviceTime

  /** Refuses a person more points for one order than she may give, and than by the programme in force. */
  const points = (next: Program, inForce: Program | undefined): Effect.Effect<void, Refused, CurrentCaller> => {
    const most = RewardsPerOrder.mostPoints(next)
    if (inForce !== undefined && most <= RewardsPerOrder.mostPoints(inForce)) return Effect.void
    return foreseen({ program: next, id: ["publication"], ...nothing, points: most })
  }

  const active = Effect.fnUntraced(function* (
    next: Program,
    inForce: Program,
    pathOf: (part: string) => string
  ): Effect.fn.Return<void, Refused, CurrentCaller> {
    const asked = [text(next.id), int8(now())]
    if (isLowered(next, inForce)) {
      // First: one that is resumed meanwhile is active then, or its person is counted.
      yield* query(uncountedStatement, [...asked, text((yield* CurrentCaller).keyId)])
      const found = yield* givingOf(query(risingStatement, asked))
      if (found !== undefined) {
        const why = said`must not become easier to reach while the automation ${found.id} is active, which gives for it: pause it, and who resumes it is counted`
        return yield* refuseFaults([{ path: pathOf("/tiers"), ...why }])
      }
    }
    const { stampCard } = next
    const eased = stampCard && easing(stampCard, inForce)
    if (eased === undefined) return
    const card = [...asked, text(next.primaryUnit), text(stampCard?.unit ?? null)]
    const giving = yield* givingOf(query(givingStatement, card))
    if (giving === undefined) return
    return yield* refuseFaults([{ path: pathOf("/stamp_card"), ...eased(giving.id) }])
  })

  const all = Effect.fnUntraced(function* (
    next: Program,
    inForce: Program | undefined,
    confirmed: number | undefined,
    pathOf: (part: string) => string
  ): Effect.fn.Return<void, Refused, CurrentCaller> {
    yield* requireConfirmed(next, inForce, confirmed)
    yield* points(next, inForce)
    if (inForce !== undefined && (yield* isLimited)) yield* active(next, inForce, pathOf)
  })
  return { all, points }
})
