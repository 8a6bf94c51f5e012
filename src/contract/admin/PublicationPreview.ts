/** Effects of a publication on members, orders and offers (contract/operators.md *Preview of a publication*). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { FreeForm, field, Identifier, Integer, Money, optional, Timestamp } from "../Values.ts"
import { frozenChangeProblems } from "./Endpoint.ts"
import { described, programsPath, Version } from "./ProgramsInForce.ts"
import { CardRewards, Given } from "./PromotionFigures.ts"

/** Most members whose tiers are counted; of more, a sample is. */
export const maxCountedMembers = 10_000
/** Days whose orders are tried. */
export const triedDays = 30
/** Most orders of these days that are all tried; of more, those of a sample of guests are. */
export const maxTriedOrders = 1_000
/** Most members whose progress of challenges is looked at. */
export const maxReadMembers = 1_000

const Tier = Schema.Struct({
  tier_id: field(Identifier, "The tier's id."),
  name: field(Schema.String, "Its name: the new one, of a removed tier the present one."),
  before: optional(Integer, "Members with it now; absent: it is new."),
  after: optional(Integer, "Members with it once the definition is in force; absent: it is removed.")
}).annotate({ identifier: "TierPreview", description: "The members of a tier before and after a publication." })

const Members = Schema.Struct({
  total: field(Integer, "Members of the programme that are not closed."),
  counted: field(
    Integer,
    `Members that the tiers count: all, or of more than ${maxCountedMembers.toLocaleString("en")} a sample of about so many.`
  ),
  tiers: field(Schema.Array(Tier), "The definition's tiers, lowest first, then removed ones.")
})

const TriedCards = Schema.Struct({
  ...CardRewards.fields,
  most_for_one_order: field(Integer, "Most of them that one of the orders gives.")
}).annotate({ identifier: "TriedCards", description: "Rewards of full stamp cards that orders would give." })

const Orders = Schema.Struct({
  total: field(Integer, `Orders of the last ${triedDays} days that are not closed.`),
  count: field(
    Integer,
    `Orders that were tried: all of them, or of more than ${maxTriedOrders.toLocaleString("en")} those of a sample of guests.`
  ),
  from: optional(Timestamp, "When the first of them accrued; absent: there are none."),
  until: optional(Timestamp, "When the last of them accrued; absent: there are none."),
  before: field(Schema.Array(Given), "What they would earn by the version in force, by account."),
  after: field(Schema.Array(Given), "What they would earn by the definition, by account."),
  card_before: optional(
    TriedCards,
    "Rewards of the stamp card in force; absent: there is none, or only promotions in `untried` fill it."
  ),
  card_after: optional(
    TriedCards,
    "Rewards of the definition's stamp card; absent: it has none, or only promotions in `untried` fill it."
  ),
  untried: field(
    Schema.Array(Identifier),
    "Promotions of either definition on certain products, categories or tags, or for each item: records of orders do not tell them."
  )
})

const change = field(Schema.Literals(["added", "removed", "changed"]), "What would become of it.")
const name = field(Schema.String, "Its name: the new one, of a removed one the present one.")

const RewardChange = Schema.Struct({ reward_id: field(Identifier, "The reward's id."), name, change }).annotate({
  identifier: "RewardChange",
  description: "A reward that comes, goes or changes."
})
const PromotionChange = Schema.Struct({
  promotion_id: field(Identifier, "The promotion's id."),
  name,
  change
}).annotate({
  identifier: "PromotionChange",
  description: "A promotion that comes, goes or changes."
})
const Completed = Schema.Struct({
  looked_at: field(
    Integer,
    `Members whose progress was looked at: all, or of more than ${maxReadMembers.toLocaleString("en")} a sample of at most so many.`
  ),
  total: field(Integer, "Members of the programme that are not closed."),
  guests: field(
    Integer,
    "Those looked at whose progress is enough already: they complete it with their next order that counts."
  ),
  reward_id: field(Identifier, "The challenge's reward."),
  name: field(Schema.String, "The name of the reward."),
  rewards: field(Integer, "How many of them these guests get then."),
  cost: optional(Money, "What they are worth, by the reward's discount or `max_value`; absent: it has none.")
}).annotate({ identifier: "CompletedAtOnce", description: "Rewards of a challenge that becomes easier to complete." })
export type Completed = typeof Completed.Type

const ChallengeChange = Schema.Struct({
  challenge_id: field(Identifier, "The challenge's id."),
  name,
  change,
  completes: optional(
    Completed,
    "What is completed at once; absent: nothing is, as the count is not lower, nor does the challenge begin to repeat or count again."
  )
}).annotate({
  identifier: "ChallengeChange",
  description: "A challenge that comes, goes or changes."
})

const PreviewRequest = Schema.Struct({ program: field(FreeForm, "The definition, published or not: a `ProgramFile`.") })

export const PublicationPreview = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  version: optional(Version, "The version in force, with which the definition is compared; absent: a new programme."),
  members: field(Members, "Members by tier, by the figures that are kept, as of about a second ago."),
  orders: field(Orders, "What recorded orders would earn."),
  rewards: field(Schema.Array(RewardChange), "Rewards that come, go or change."),
  promotions: field(Schema.Array(PromotionChange), "Promotions that come, go or change."),
  challenges: field(Schema.Array(ChallengeChange), "Challenges that come, go or change.")
}).annotate({ identifier: "PublicationPreview", description: "What a publication would do." })
export type PublicationPreview = typeof PublicationPreview.Type

const codes: ReadonlyArray<ProblemCode> = frozenChangeProblems

export const previewPublication = HttpApiEndpoint.post("previewPublication", `${programsPath}/preview`, {
  payload: PreviewRequest,
  success: PublicationPreview,
  error: problems(codes)
})
  .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
  .annotateMerge(
    described(
      "program.preview",
      "Show what a publication would do",
      "Members by tier before and after, what orders of the last 30 days would earn, and the rewards, promotions and challenges that change. Orders " +
        "count by spend, place and time, for the member's present standing. Nothing is stored.",
      codes,
      true
    )
  )
