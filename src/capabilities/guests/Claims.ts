/** A guest claims an order with the code of the receipt (contract/guests.md *Claiming an order*). */
import { Effect } from "effect"
import type { ClaimedByGuest } from "../../contract/guest/Shown.ts"
import type { LedgerEntry } from "../../contract/protocol/Resources.ts"
import * as Codes from "../../core/account/Codes.ts"
import { present } from "../../core/protocol/Render.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Claiming from "../claims/Claiming.ts"
import type { Done } from "../claims/Keeping.ts"
import type { Parts as ClaimParts } from "../claims/Parts.ts"
import * as Me from "./Me.ts"
import { type Parts, see, type Who } from "./Parts.ts"
import * as WrongCodes from "./WrongCodes.ts"

const earnedOf = ({ amount, unit }: typeof LedgerEntry.Type) => ({ points: amount, unit })

/** Claims an order for the guest. `created`: false if the guest has it already. */
export const claim = Effect.fnUntraced(function* (parts: Parts, claims: ClaimParts, who: Who, claim_code: string) {
  const { memberId, program } = who
  const caller = yield* CurrentCaller
  const from = { caller, requestId: caller.requestId ?? Codes.identifier("req") }
  const asked = { claim_code, member_id: memberId }
  const { body, created } = yield* WrongCodes.counted(
    { query: parts.people.query, claimKey: parts.journal.claimKey },
    { address: caller.sourceIp, kind: "claim" },
    Claiming.claim(claims, program, asked, from),
    // No such order, or one that is over.
    ({ code }) => code === "not_found"
  )
  const { state } = yield* see(parts, who)
  const { entries = [], entry, ineligible_reasons, promotions } = body
  const more = entries.filter(({ entry_id }) => entry_id !== entry.entry_id)
  return {
    created,
    body: present<ClaimedByGuest>({
      ...earnedOf(entry),
      more: more.length === 0 ? undefined : more.map(earnedOf),
      again: created ? undefined : true,
      reasons: ineligible_reasons,
      promotions: promotions && [...new Set(promotions.map(({ name }) => name))],
      balances: Me.balances(state, program)
    })
  } satisfies Done<ClaimedByGuest>
})
