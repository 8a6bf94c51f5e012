/** Imports and the audiences of active campaigns (contract/engagement.md *Changes of an active audience*). */
import { Effect } from "effect"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { ImportRow } from "../contract/platform/Imports.ts"
import { mayGive } from "../contract/Scopes.ts"
import type { Query } from "../database/Pools.ts"
import type { Program } from "../program/Program.ts"
import * as Pinned from "../segments/Pinned.ts"
import { mustGive } from "../surface/Giving.ts"
import * as Store from "./ImportStore.ts"

/**
 * Refuses an import that an active campaign answers, or whose attributes make guests part of the audience of one, from a
 * caller who may not give.
 */
export const mustReachNobody = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<void, Refused, CurrentCaller> {
  if (mayGive((yield* CurrentCaller).scopes, "platform")) return
  const campaign = yield* Store.startedCampaign(query, program.id)
  if (campaign !== undefined) yield* mustGive("platform", `The active campaign ${campaign} counts imports: each`)
  const asked = yield* Pinned.attributesOf(query, program)
  const attributes = rows.flatMap((row) => Object.keys(row.attributes ?? {}))
  if (attributes.includes("referred_by")) {
    const referral = yield* Store.referralCampaign(query, program.id)
    if (referral !== undefined) yield* mustGive("platform", `The attribute referred_by, for which ${referral} gives,`)
  }
  const name = attributes.find((one) => asked.has(one))
  if (name !== undefined) yield* mustGive("platform", `The attribute ${name}, for which campaigns ask,`)
})
