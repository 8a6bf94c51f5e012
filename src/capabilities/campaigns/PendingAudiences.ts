/** The routes of changes that wait (contract/engagement.md *Changes of an active audience*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { ConfirmAudience } from "../../contract/platform/PendingAudience.ts"
import { said } from "../../contract/Said.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Pinned from "../segments/Pinned.ts"
import * as SegmentStore from "../segments/SegmentStore.ts"
import * as Store from "./CampaignStore.ts"
import * as Caused from "./Caused.ts"

const needed = Effect.all({
  given: Given.make,
  people: PeoplePool,
  work: WorkPool,
  programs: Programs,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

const aimed = Effect.fnUntraced(function* ({ people, programs }: Parts, id: string) {
  const found = yield* Store.find(people.query, id)
  if (found === undefined) return yield* refuse("not_found", said`There is no campaign ${id}.`)
  const program = yield* Visible.named(programs, yield* CurrentCaller, found.program)
  if (found.segment === undefined) return yield* refuse("invalid_state", said`The campaign ${id} has no segment.`)
  return { program, campaign: found, one: { id, segment: found.segment } }
})

const preview = Effect.fnUntraced(function* (parts: Parts, campaign_id: string) {
  const { one, program } = yield* aimed(parts, campaign_id)
  const pending_segments = yield* Pinned.pendingOf(parts.people.query, campaign_id)
  if (pending_segments.length === 0)
    return { audience: { campaign_id, pending_segments, comes: 0, goes: 0, comes_sample: [], goes_sample: [] } }
  const { scopes } = yield* CurrentCaller
  const mayName = scopes.has("members:read") || scopes.has("platform:read")
  // Before the members are compared: a change meanwhile is one that the preview does not show.
  const seen = yield* Pinned.seen(parts.people.query, program, one)
  const compared = yield* Pinned.compared(parts.work, program, one, parts.time.now())
  const named = mayName ? compared : { ...compared, comes_sample: [], goes_sample: [] }
  return { audience: { campaign_id, pending_segments, ...named, seen } }
})

const confirmed = Effect.fnUntraced(function* (parts: Parts, { campaign_id, seen }: ConfirmAudience) {
  const { program } = yield* aimed(parts, campaign_id)
  yield* mustGive("platform", "Confirming an audience")
  const { query, transaction } = parts.people
  yield* transaction(
    Effect.gen(function* () {
      yield* SegmentStore.lock(query, program.id)
      yield* Store.holdGrants(query, campaign_id)
      const pending = yield* Pinned.pendingOf(query, campaign_id)
      if (pending.length === 0) return
      const { campaign, one } = yield* aimed(parts, campaign_id)
      yield* Pinned.mustBeSeen(query, program, one, seen)
      yield* Caused.redirected(query, parts.given, campaign, program)
      yield* Pinned.release(query, campaign_id)
      yield* Store.raiseUnlessActive(query, campaign_id)
      yield* Audit.tell(query, {
        action: "campaign.audience",
        subject: { type: "campaign", id: campaign_id },
        programId: program.id,
        changes: { after: { segments: pending } }
      })
    })
  )
})

const confirm = (parts: Parts, asked: ConfirmAudience) =>
  Effect.andThen(confirmed(parts, asked), preview(parts, asked.campaign_id))

/** Confirms without the preview of what is left, which another pool counts: for a transaction around it. */
export const make = Effect.map(needed, (parts) => ({ confirm: (asked: ConfirmAudience) => confirmed(parts, asked) }))

export const layer = HttpApiBuilder.group(PlatformApi, "platform_pending_audiences", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("previewAudience", ({ payload }) => preview(parts, payload.campaign_id))
      .handle("confirmAudience", ({ payload }) => confirm(parts, payload))
  )
)
