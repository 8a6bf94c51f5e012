/** Changes of an active campaign's audience that wait (contract/engagement.md *Changes of an active audience*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, frozenChangeProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, optional, whole } from "../Values.ts"
import { platformPath } from "./Platform.ts"
import { Seen } from "./RunForecast.ts"

const path = `${platformPath}/campaigns/audience` as const

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")
const Sample = Schema.Array(Identifier)

export const PendingAudience = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  pending_segments: field(Sample, "Its segments with changes that it does not use yet; none: nothing waits."),
  comes: field(Count, "Members who come into the audience by them, as it is now."),
  goes: field(Count, "Members who go."),
  comes_sample: field(Sample, "Some of those who come; none for a caller who may not see members."),
  goes_sample: field(Sample, "Some of those who go, likewise."),
  seen: optional(Seen, "What is shown here, for its confirmation. Absent if nothing waits.")
}).annotate({ identifier: "PendingAudience", description: "What confirming the changes of an audience would do." })

const Named = Schema.Struct({ campaign_id: field(Identifier, "The campaign.") })

export const ConfirmAudience = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  seen: field(Seen, "That of the preview: what has changed since is not confirmed (409).")
}).annotate({ identifier: "ConfirmAudience" })
export type ConfirmAudience = typeof ConfirmAudience.Type

const codes: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state", "conflict"]
const confirmCodes: ReadonlyArray<ProblemCode> = [...codes, "limit_exceeded"]

/** Nothing waits: the demo has no change of an active audience. */
const settled = {
  campaign_id: "bowl-for-regulars",
  pending_segments: [],
  comes: 0,
  goes: 0,
  comes_sample: [],
  goes_sample: []
}
const ConfirmedAudience = Schema.Struct({ audience: field(PendingAudience, "The changes that wait.") })

export class PendingAudiences extends HttpApiGroup.make("platform_pending_audiences")
  .add(
    HttpApiEndpoint.post("previewAudience", `${path}/preview`, {
      payload: Named,
      success: ConfirmedAudience,
      error: problems(codes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "campaign_audience.preview",
          "Preview the changes of an active audience",
          "Counts the members who would come and go. Changes nothing.",
          codes,
          { request: { campaign_id: "bowl-for-regulars" }, response: { audience: settled } },
          true
        )
      ),
    HttpApiEndpoint.post("confirmAudience", `${path}/confirm`, {
      payload: ConfirmAudience,
      success: ConfirmedAudience,
      error: problems(confirmCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "campaign_audience.confirm",
          "Confirm the changes of an active audience",
          "From then on the campaign uses its segments as they are. `conflict` if they changed since the preview, or members were imported. Needs `points:give`, and counts as activating the campaign does.",
          confirmCodes,
          {
            request: { campaign_id: "bowl-for-regulars", seen: "9b74c9897bac770ffc029102a200c5de" },
            response: { audience: settled }
          },
          true
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Audiences of active campaigns",
      description: "Changes of segments that wait for somebody who may give."
    })
  ) {}
