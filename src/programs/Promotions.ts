/** The promotions that guests may see: `GET /platform/v1/promotions` (contract/engagement.md *Promotions*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import { PlatformApi } from "../contract/platform/Api.ts"
import type { PromotionList, PublicPromotion } from "../contract/platform/Promotions.ts"
import type { Promotion as PromotionFile } from "../contract/Promotions.ts"
import { dayMs, firstInstant } from "../program/Calendar.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import type { Promotion } from "../program/Promotions.ts"
import { present } from "../protocol/Render.ts"
import { programOf } from "../surface/ProgramOf.ts"
import { serviceTime } from "../time/Times.ts"

/** True if it can give to no order that is placed at `at` or later. */
export const isOver = ({ dates, until, weekly = [] }: Promotion, zone: string, at: number): boolean => {
  if (until <= at) return true
  if (dates === undefined) return false
  // A window past midnight belongs to the date it began on.
  const days = weekly.some((window) => window.until < window.from) ? 2 : 1
  return firstInstant(zone, Math.max(...dates) + days * dayMs) <= at
}

const isForSome = ({ limits, who = {} }: PromotionFile): boolean =>
  Object.keys(who).length > 0 || limits?.per_member !== undefined

const shown = ({ file, unit }: Promotion): PublicPromotion => {
  const { description, effect, image_url, minimum_spend, name, on, promotion_id, when, where } = file
  const { add, add_per_item, multiply_bps } = effect
  return present<PublicPromotion>({
    promotion_id,
    name,
    description,
    image_url,
    effect: { multiply_bps, add, add_per_item, unit },
    when,
    where,
    on,
    minimum_spend,
    for_some: isForSome(file) ? true : undefined
  })
}

/** What guests may see at `at`. A retired programme has no promotions. */
export const publicPromotions = (
  { id, isRetired, promotions: { all, zone }, file }: Program,
  at: number
): PromotionList => {
  const open = all.filter((one) => !isRetired && one.file.enabled !== false && !isOver(one, zone, at))
  const promotions = (file.promotions ?? []).flatMap(({ promotion_id }) =>
    open.filter((one) => one.id === promotion_id)
  )
  return { program_id: id, time_zone: zone, promotions: promotions.map(shown) }
}

export const layer = HttpApiBuilder.group(
  PlatformApi,
  "platform_promotions",
  Effect.fnUntraced(function* (handlers) {
    const programs = yield* Programs
    const { now } = yield* serviceTime
    return handlers.handle(
      "listPromotions",
      Effect.fn("Promotions.list")(function* ({ query }) {
        const program = yield* programOf(programs, yield* CurrentCaller, query.program_id)
        return publicPromotions(program, now())
      })
    )
  })
)
