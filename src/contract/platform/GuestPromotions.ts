/** Promotions and challenges as guests may see them (contract/engagement.md *Promotions*, *Progress of challenges*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { Challenge } from "../Challenges.ts"
import { problems } from "../Description.ts"
import { Promotion, PromotionOn, PromotionWhen, PromotionWhere } from "../Promotions.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, Integer, Money, optional, Timestamp, Unit } from "../Values.ts"
import { platformPath, programId } from "./Platform.ts"
import examples from "./promotionExamples.json" with { type: "json" }

const promotionsPath = `${platformPath}/promotions` as const
const challengesPath = `${platformPath}/members/challenges` as const

const { description, image_url, name, promotion_id } = Promotion.fields

const Effect = Schema.Struct({
  multiply_bps: optional(Integer, "Base points by this factor, in basis points: 20,000 is double."),
  add: optional(Integer, "Points once an order."),
  add_per_item: optional(Integer, "Points for each item that counts."),
  unit: field(Unit, "The account that gets it.")
})

export const PublicPromotion = Schema.Struct({
  promotion_id,
  name,
  description,
  image_url,
  effect: field(Effect, "What it gives: exactly one of `multiply_bps`, `add` and `add_per_item`."),
  when: optional(PromotionWhen, "When the order is placed; all given parts must hold. Absent: always."),
  where: optional(PromotionWhere, "Where and how it is placed. Absent: everywhere."),
  on: optional(PromotionOn, "Only these items count. Absent: all that earn."),
  minimum_spend: optional(Money, "The spend of the items that count, at least."),
  for_some: optional(
    Schema.Literal(true),
    "Present if not every member gets it with each order: it depends on the tier, on joining, on the first order, or on how often it gave."
  )
}).annotate({ identifier: "PublicPromotion", description: "A promotion as guests may see it." })
export type PublicPromotion = typeof PublicPromotion.Type

const PromotionList = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  time_zone: field(Schema.String, "The IANA time zone of the promotions' local dates and times."),
  promotions: field(
    Schema.Array(PublicPromotion),
    "Promotions that are enabled and not over, in the programme's order."
  )
})
export type PromotionList = typeof PromotionList.Type

const ChallengeProgress = Schema.Struct({
  challenge_id: Challenge.fields.challenge_id,
  name: Challenge.fields.name,
  description: Challenge.fields.description,
  progress: field(Integer, "What counts towards the next completion."),
  needed: field(Integer, "What completes it."),
  completed: field(Integer, "Completions in the present week, month or year, or ever."),
  until: optional(Timestamp, "When it starts anew or ends; absent: never.")
}).annotate({ identifier: "ChallengeProgress", description: "A member's progress of a challenge." })
export type ChallengeProgress = typeof ChallengeProgress.Type

export const ProgressQuery = Schema.Struct({ program_id: programId, member_id: field(Identifier, "The member.") })

export const PromotionQuery = Schema.Struct({ program_id: programId })

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]

export class Promotions extends HttpApiGroup.make("platform_promotions")
  .add(
    HttpApiEndpoint.get("listPromotions", promotionsPath, {
      query: PromotionQuery,
      success: PromotionList,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "promotion.list",
        "List promotions",
        "A programme's promotions that run or will run, for a menu, an app or a page.",
        codes,
        examples.listPromotions,
        true
      )
    ),
    HttpApiEndpoint.get("memberChallenges", challengesPath, {
      query: ProgressQuery,
      success: Schema.Struct({
        challenges: field(Schema.Array(ChallengeProgress), "The programme's challenges, in its order.")
      }),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "challenge.list",
        "List a member's challenges",
        "The challenges that are enabled and not over, with the member's progress now. A merged member is answered as the remaining one.",
        codes,
        examples.memberChallenges,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Promotions", description: "What guests may see of promotions and challenges." })
  ) {}
