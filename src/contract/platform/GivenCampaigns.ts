/** Campaigns that gave guests something, as guests read them (contract/engagement.md *Texts for guests*). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { annotated, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { told } from "../Said.ts"
import { bounded, field, Identifier, optional, Timestamp, whole } from "../Values.ts"
import { CampaignMail } from "./CampaignMail.ts"
import examples from "./campaignExamples.json" with { type: "json" }
import { platformPath, programId } from "./Platform.ts"

const memberCampaignsPath = `${platformPath}/members/campaigns` as const

/** Longest name and text of a campaign for guests, characters: a line and a short paragraph on a telephone. */
export const maxGuestNameLength = 60
export const maxGuestTextLength = 280

const GuestName = bounded(1, maxGuestNameLength)
const GuestText = bounded(1, maxGuestTextLength)

/** Days in which the guest's page shows a text: news of a month. */
export const defaultGuestDays = 30
export const maxGuestDays = 90

const GuestWords = Schema.Struct({
  name: optional(GuestName, "Its name. Absent: none."),
  text: field(GuestText, "What guests read under its name.")
}).annotate({ identifier: "CampaignGuestWords" })

export const GuestTexts = Schema.Struct({
  en: optional(GuestWords, "What guests read in English."),
  de: optional(GuestWords, "What guests read in German.")
}).annotate({ identifier: "CampaignGuestTexts" })

/** Texts of a campaign for guests, as callers set them. */
export const guestTexts = {
  guest_name: optional(GuestName, "Its name as guests read it. They never read `name`."),
  guest_text: optional(
    GuestText,
    "What guests read of it, once it gave them something, also on their page. Absent: it is not told to them."
  ),
  guest_texts: optional(
    GuestTexts,
    "Both by language, such as `de`: guests read those of their own, else `guest_name` and `guest_text`. Only with `guest_text`."
  ),
  guest_days: optional(
    whole(1, maxGuestDays, told`must be a whole number from ${1} to ${maxGuestDays}`),
    `Days after the gift in which the guest's page shows the text. Absent: ${defaultGuestDays}.`
  ),
  mail: optional(
    CampaignMail,
    "The mail to those who get something and have agreed to mail. Only in a programme with a page for guests. Absent: none."
  )
}

const GivenCampaign = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  name: optional(GuestName, "Its `guest_name`."),
  text: field(GuestText, "Its `guest_text`, or that of the language."),
  given_at: field(Timestamp, "When the member got it."),
  issued_reward_id: optional(Identifier, "The issued reward; absent for a credit.")
}).annotate({ identifier: "GivenCampaign", description: "What a campaign gave to a member, in words for guests." })
export type GivenCampaign = typeof GivenCampaign.Type

const GivenQuery = Schema.Struct({ program_id: programId, member_id: field(Identifier, "The member."), ...page })
export type GivenQuery = typeof GivenQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export const memberCampaigns = HttpApiEndpoint.get("memberCampaigns", memberCampaignsPath, {
  query: GivenQuery,
  success: Schema.Struct({
    campaigns: field(Schema.Array(GivenCampaign), "A page of what campaigns gave to the member, newest first."),
    next_cursor: nextCursor
  }).annotate({ identifier: "GivenCampaignList" }),
  error: problems(codes)
}).annotateMerge(
  annotated(
    "campaign.list_given",
    "List what campaigns gave to a member",
    "One item for each reward or credit of a campaign that has a `guest_text`, with its present texts. A merged member is " +
      "answered as the remaining one, with what both got.",
    codes,
    examples.memberCampaigns,
    true
  )
)
