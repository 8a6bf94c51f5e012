/**
 * Guards of a publication that gives more rewards than the version in force: many for one order are confirmed
 * (contract/programmes.md *Rewards of one order*). A stamp card that fills with fewer stamps gives more than a person was
 * counted for who activated a campaign of stamps (contract/operators.md *Limits*): somebody with limits first pauses it.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { firstOf, int8 } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as RewardsPerOrder from "../../core/rules/RewardsPerOrder.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Given from "../../desk/surface/Given.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"

const { text } = PgTypes

const givingStatement = `SELECT c.campaign_id AS id FROM campaigns c
  WHERE c.program_id = $1 AND c.status = 'active' AND c.archived_at IS NULL AND (c.ends_at IS NULL OR c.ends_at > $2)
    AND c.action ? 'credit' AND coalesce(c.action -> 'credit' ->> 'unit', $3) = $4
  ORDER BY c.n LIMIT 1`
const givingOf = firstOf(Schema.Struct({ id: Schema.String }))

/** The words that refuse a card with which the same stamps fill more cards than by the programme in force; undefined: they do not. */
const easing = ({ threshold, unit }: NonNullable<Program["stampCard"]>, { stampCard }: Program): string | undefined => {
  if (stampCard === undefined) return "must not be added"
  if (stampCard.unit !== unit) return "must not be of another account"
  return threshold < stampCard.threshold ? "must not fill with fewer stamps" : undefined
}

/** Refuses a definition that gives many rewards for one order, and more than the one in force, unless that is confirmed. */
const requireConfirmed = (
  next: Program,
  inForce: Program | undefined,
  confirmed?: number
): Effect.Effect<void, Refused> => {
  const rewards = RewardsPerOrder.toConfirm(next, inForce)
  if (rewards === undefined || confirmed === rewards) return Effect.void
  const message = `must be ${rewards}, to confirm: ${RewardsPerOrder.inWords(rewards)}`
  return refuseFaults([{ path: "/confirm_rewards", message }])
}

/** Both guards. `path`: the place of the stamp card in the request. */
export const make = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const { isLimited } = yield* Given.make
  const { now } = yield* serviceTime
  return Effect.fnUntraced(function* (
    next: Program,
    inForce: Program | undefined,
    confirmed: number | undefined,
    path: string
  ): Effect.fn.Return<void, Refused, CurrentCaller> {
    yield* requireConfirmed(next, inForce, confirmed)
    const { stampCard } = next
    const eased = inForce && stampCard && easing(stampCard, inForce)
    if (eased === undefined || !(yield* isLimited)) return
    const asked = [text(next.id), int8(now()), text(next.primaryUnit), text(stampCard?.unit ?? null)]
    const giving = yield* givingOf(query(givingStatement, asked))
    if (giving === undefined) return
    const why = `while the campaign ${giving.id} is active, which credits them`
    const message = `${eased} ${why}: pause it, and who resumes it is counted`
    return yield* refuseFaults([{ path, message }])
  })
})
