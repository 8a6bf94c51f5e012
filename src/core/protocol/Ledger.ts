/**
 * The ledger: its list, and manual adjustments.
 */
import { Effect } from "effect"
import type { WriteContext } from "../../contract/protocol/Context.ts"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { defaultPage } from "../../contract/protocol/Operations.ts"
import { toMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import type { Action } from "../account/domain/Action.ts"
import { refusal } from "../account/domain/Refusal.ts"
import { orUnavailable } from "../account/Outcome.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Journal } from "../journal/Journal.ts"
import type { Caller, Handling } from "./Handler.ts"
import * as MemberLedger from "./MemberLedger.ts"
import * as Reads from "./Reads.ts"
import { answer } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { factsOf, payload } from "./Writes.ts"

const seal = (claimKey: ClaimKey, filters: string, place: string): string =>
  claimKey("cursor", filters, place).replaceAll("-", "")

/** Ledger cursors: opaque, bound to their filters, tamper-evident. The text is the last entry's place and a keyed hash over it and the filters. */
const cursorOf = (claimKey: ClaimKey, filters: string, place: string): string =>
  `${place}.${seal(claimKey, filters, place)}`

/** The entry's place; undefined if the cursor is not from this service with these filters. */
const placeIn = (claimKey: ClaimKey, filters: string, cursor: string): string | undefined => {
  const [, place, sealed] = /^([0-9a-z~-]{1,40})\.([0-9a-f]{32})$/.exec(cursor) ?? []
  return place === undefined || sealed !== seal(claimKey, filters, place) ? undefined : place
}

/** The entries of a page, and the cursor of the next one. `found`: one entry more if there is a next page. */
const pageOf = (claimKey: ClaimKey, filters: string, limit: number, found: ReadonlyArray<MemberLedger.Entry>) => {
  const last = found.length > limit ? found[limit - 1] : undefined
  return {
    entries: found.slice(0, limit).map(({ owner, row }) => Render.entry(owner, row)),
    next_cursor: last && cursorOf(claimKey, filters, MemberLedger.placeOf(last))
  }
}

/** A manual adjustment as tills (with a context) and operators ask for it: its action and its guards. */
export const adjusting = (
  { claimKey, guard }: Pick<Writes.Writes, "claimKey" | "guard">,
  asked: Omit<RequestOf<"ledger.manual_adjustment">, "context"> & { readonly location_id?: string },
  context?: WriteContext
) => {
  const { adjustment_id, amount, classification, expires_at, program_id, qualifies_for_tier, reason, unit } = asked
  const action: Action = {
    type: "adjust_manually",
    adjustment: adjustment_id,
    amount,
    unit,
    classification,
    reason,
    qualifies: qualifies_for_tier,
    expires: expires_at === undefined ? undefined : toMillis(expires_at),
    ...(asked.location_id === undefined ? undefined : { location: asked.location_id })
  }
  const business = ClaimKeys.adjustment(claimKey, program_id, adjustment_id)
  return { action, guards: guard("ledger.manual_adjustment", program_id, context, business, factsOf(asked)) }
}

export const make = Effect.gen(function* () {
  const journal = yield* Journal
  const { read } = yield* Reads.make
  const writes = yield* Writes.make
  const { claimKey } = journal

  const listLedger = (request: RequestOf<"ledger.list">): Handling<"ledger.list"> =>
    read(request.program_id, request.member_id, (_, resident, program, at) => {
      const { account_id, cursor, occurred_from, occurred_until, operations } = request
      const own = resident.account
      const filters = JSON.stringify([own, account_id, operations?.toSorted(), occurred_from, occurred_until])
      const after = cursor === undefined ? undefined : placeIn(claimKey, filters, cursor)
      if (cursor !== undefined && after === undefined) {
        return refusal(
          "invalid_cursor",
          "The cursor does not belong to this list. Use next_cursor of the previous page, with the same filters."
        )
      }
      const asked = MemberLedger.asked(resident, program, account_id, {
        operations,
        occurredFrom: occurred_from === undefined ? undefined : toMillis(occurred_from),
        occurredUntil: occurred_until === undefined ? undefined : toMillis(occurred_until)
      })
      if (asked === undefined) return answer({ entries: [], next_cursor: undefined }, at)
      const limit = request.limit ?? defaultPage
      const found = MemberLedger.page(journal.ledger, asked, after, limit + 1)
      return orUnavailable(Effect.map(found, (entries) => answer(pageOf(claimKey, filters, limit, entries), at)))
    })

  const adjustManually = (
    request: RequestOf<"ledger.manual_adjustment">,
    caller: Caller
  ): Handling<"ledger.manual_adjustment"> => {
    const { context, member_id, program_id } = request
    const { action, guards } = adjusting(writes, payload(request), context)
    return writes.write(Render.entriesBody, caller, context, program_id, member_id, action, guards)
  }

  return { "ledger.list": listLedger, "ledger.manual_adjustment": adjustManually }
})
