/**
 * Promotions and challenges that guests may see: `GET /platform/v1/promotions`, `GET /platform/v1/members/challenges`
 * (contract/engagement.md *Promotions*, *Progress of challenges*).
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { serviceTime } from "../../base/time/Times.ts"
import type { Promotion as PromotionFile } from "../../contract/Promotions.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { ChallengeProgress, PromotionList, PublicPromotion } from "../../contract/platform/GuestPromotions.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import type { State } from "../../core/account/domain/State.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { present } from "../../core/protocol/Render.ts"
import * as Challenges from "../../core/rules/Challenges.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Promotion } from "../../core/rules/Promotions.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import * as Visible from "../../desk/surface/Visible.ts"

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

/** Promotions that guests may see at `at`. A retired programme has none. */
export const publicPromotions = (
  { id, isRetired, promotions: { all, zone }, file }: Program,
  at: number
): PromotionList => {
  const open = all.filter((one) => !isRetired && one.file.enabled !== false && one.until > at)
  const promotions = (file.promotions ?? []).flatMap(({ promotion_id }) =>
    open.filter((one) => one.id === promotion_id)
  )
  return { program_id: id, time_zone: zone, promotions: promotions.map(shown) }
}

/** A member's progress of the challenges that are enabled and not over. A retired programme has none. */
export const progressOf = ({ challenges, file, isRetired, zone }: Program, state: State, at: number) =>
  challenges
    .filter((one) => !isRetired && one.isEnabled && one.until > at)
    .map((challenge): ChallengeProgress => {
      const { until, ...progress } = Challenges.shown(challenge, state.challenges, zone, at)
      const { description } = file.challenges?.find(({ challenge_id }) => challenge_id === challenge.id) ?? {}
      return present<ChallengeProgress>({
        challenge_id: challenge.id,
        name: challenge.name,
        description,
        ...progress,
        until: until === undefined ? undefined : fromMillis(until)
      })
    })

export const layer = HttpApiBuilder.group(
  PlatformApi,
  "platform_promotions",
  Effect.fnUntraced(function* (handlers) {
    const [accounts, programs] = [yield* Accounts, yield* Programs]
    const { now } = yield* serviceTime
    return handlers
      .handle(
        "listPromotions",
        Effect.fn("Promotions.list")(function* ({ query }) {
          const program = yield* Visible.programOf(programs, yield* CurrentCaller, query.program_id)
          return publicPromotions(program, now())
        })
      )
      .handle(
        "memberChallenges",
        Effect.fn("Promotions.challenges")(function* ({ query }) {
          const program = yield* Visible.programOf(programs, yield* CurrentCaller, query.program_id)
          const { state } = yield* memberOf(accounts, program.id, query.member_id)
          return { challenges: progressOf(program, state, Math.max(now(), state.at)) }
        })
      )
  })
)
