/** Members that a run of a campaign would reach (contract/engagement.md *Runs*). */
import { Schema } from "effect"
import { told } from "../Said.ts"
import { field, Identifier, optional, Text, whole } from "../Values.ts"
import { MailForecast } from "./CampaignMail.ts"

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")

/** Names an audience as somebody has looked at it. */
export const Seen = Schema.String.check(Schema.isMaxLength(64, { message: told`must have at most ${64} characters` }))

/** `seen` of a request that acts on the audience. */
export const expectedSeen = optional(
  Seen,
  "That of the preview of its run: if a segment, an import or a publication has changed the audience since, the answer is 409. Absent: any."
)

export const RunForecast = Schema.Struct({
  selected: field(Count, "Members of the segment now."),
  skipped: field(
    Schema.Array(
      Schema.Struct({
        code: field(Schema.Literals(["already_reached", "frequency_reached"]), "Why they would get nothing."),
        count: field(Count, "How many they are.")
      })
    ),
    "Members whom a run now would skip."
  ),
  open: field(Count, "The others: those that get something or are held out, as far as the limit allows it."),
  limit_left: optional(Count, "How often the campaign's limit still lets it give something; absent: no limit."),
  mail: optional(MailForecast, "Who would get the campaign's mail; absent: it has none."),
  seen: field(Seen, "What is shown here, for the activation or the run.")
}).annotate({ identifier: "CampaignRunForecast", description: "Whom a run would reach now." })
export type RunForecast = typeof RunForecast.Type

export const ForecastQuery = Schema.Struct({
  campaign_id: field(Identifier, "The campaign. It has no trigger."),
  run_key: optional(Text, "The key of the run. Absent: a run without a key.")
})
export type ForecastQuery = typeof ForecastQuery.Type
