/** Tests of campaigns: one member gets what a campaign gives, apart from its runs (contract/engagement.md *Tests*). */
import { Effect } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { CampaignOutcome } from "../../contract/platform/CampaignOutcome.ts"
import type { TestStart } from "../../contract/platform/Campaigns.ts"
import { said } from "../../contract/Said.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { byOne } from "../segments/Reached.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import * as Grants from "./Grants.ts"

const partsOf = Effect.gen(function* () {
  return {
    given: yield* Given.make,
    people: yield* PeoplePool,
    claimKey: (yield* Journal).claimKey,
    now: (yield* serviceTime).now,
    programs: yield* Programs,
    grants: yield* Grants.make
  }
})
type Parts = Effect.Success<typeof partsOf>

/** Gives first, then tells the audit: a repeated request with the same key gives nothing more, and tells it again. */
const test = Effect.fnUntraced(function* (parts: Parts, campaign: StoredCampaign, { member_id }: TestStart) {
  const { claimKey, given, grants, now, people, programs } = parts
  const { action, id: campaign_id, status } = campaign
  const { idempotencyKey, keyId } = yield* CurrentCaller
  const program = yield* Visible.known(programs, campaign.program)
  if (program.isRetired) return yield* refuse("program_retired", said`Programme ${program.id} was retired.`)
  yield* mustGive("platform", "A test of a campaign")
  if (status === "archived") return yield* refuse("invalid_state", said`The campaign ${campaign_id} is archived.`)
  const key = idempotencyKey ?? Codes.identifier("test")
  const id = `cmp_${claimKey("campaign test", keyId, campaign_id, member_id, key).replaceAll("-", "")}`
  const tested = Effect.flatMap(
    grants.test({ action, at: now(), campaign: campaign_id, id, program: program.id }, member_id),
    (handled) => (handled._tag === "Answer" ? Effect.succeed(handled) : Effect.fail(refusedBy(handled)))
  )
  yield* given.within({ program, id: [id], ...byOne(campaign, program) }, () => ({ isNew: true }), tested)
  const outcome: CampaignOutcome = {
    member_id,
    status: "issued",
    ...(action.credit === undefined ? { issued_reward_id: id } : { adjustment_id: id })
  }
  yield* people.transaction(
    Audit.tell(people.query, {
      action: "campaign.test",
      subject: { type: "campaign", id: campaign_id },
      programId: program.id,
      changes: { after: outcome }
    })
  )
  return { outcome }
})

export const make = Effect.map(
  partsOf,
  (parts) => (campaign: StoredCampaign, start: TestStart) => test(parts, campaign, start)
)
