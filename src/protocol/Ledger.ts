/**
 * The ledger: its list, and manual adjustments.
 */
import { Effect } from "effect"
import { refusal } from "../account/domain/Refusal.ts"
import * as Rows from "../account/Rows.ts"
import { defaultPage } from "../contract/protocol/Operations.ts"
import type { RequestOf } from "../contract/protocol/Operations.ts"
import { toMillis } from "../contract/Values.ts"
import type { LedgerQuery } from "../journal/Records.ts"
import { Journal } from "../journal/Journal.ts"
import * as Cursor from "./Cursor.ts"
import type { Caller, Handled } from "./Handler.ts"
import * as Reads from "./Reads.ts"
import { answer, guarded, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { factsOf, payload } from "./Writes.ts"

export const make = Effect.gen(function* () {
  const journal = yield* Journal
  const { read } = yield* Reads.make
  const { guard, write } = yield* Writes.make
  const { claimKey } = journal

  const listLedger = (request: RequestOf<"ledger.list">): Effect.Effect<Handled> =>
    read(request.program_id, request.member_id, (_, resident, program, at) => {
      const { account_id, cursor, occurred_from, occurred_until, operations } = request
      const owner = ownerOf(resident)
      const filters = JSON.stringify([owner.account, account_id, operations?.toSorted(), occurred_from, occurred_until])
      const beforeN = cursor === undefined ? undefined : Cursor.read(claimKey, filters, cursor)
      if (cursor !== undefined && beforeN === undefined) {
        return refusal(
          "invalid_cursor",
          "The cursor is not one of this list; take it from next_cursor, with the same filters."
        )
      }
      const unit = program.accounts.find((account) => Render.accountId(owner, account.unit) === account_id)?.unit
      if (account_id !== undefined && unit === undefined) return answer({ entries: [] }, at)
      const limit = request.limit ?? defaultPage
      const query: LedgerQuery = {
        account: owner.account,
        beforeN,
        unit,
        operations,
        occurredFrom: occurred_from === undefined ? undefined : toMillis(occurred_from),
        occurredUntil: occurred_until === undefined ? undefined : toMillis(occurred_until),
        limit: limit + 1
      }
      return guarded(
        Effect.map(journal.ledger(query), (rows) => {
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return answer(
            {
              entries: page.map((row) => Render.entry(owner, row)),
              next_cursor:
                rows.length > limit && last !== undefined ? Cursor.make(claimKey, filters, last.n) : undefined
            },
            at
          )
        })
      )
    })

  const adjustManually = (request: RequestOf<"ledger.manual_adjustment">, caller: Caller): Effect.Effect<Handled> => {
    const { adjustment_id, context, expires_at, member_id, program_id, unit } = request
    const business = Rows.adjustmentClaim(claimKey, program_id, adjustment_id)
    return write(
      caller,
      context,
      program_id,
      member_id,
      {
        type: "adjust_manually",
        adjustment: adjustment_id,
        amount: request.amount,
        unit,
        classification: request.classification,
        reason: request.reason,
        qualifies: request.qualifies_for_tier,
        expires: expires_at === undefined ? undefined : toMillis(expires_at)
      },
      guard("ledger.manual_adjustment", program_id, context, business, factsOf(payload(request)))
    )
  }

  return { "ledger.list": listLedger, "ledger.manual_adjustment": adjustManually }
})
