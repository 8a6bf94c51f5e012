/**
 * Guests claim orders (contract/orders.md *Claiming an order*): the row names the guest, then the accrual is posted, then kept
 * adjustments, then the row is done.
 *
 * Invariant: each step can be repeated, on any node, because the journal's order id and the adjustments' ids let each happen
 * once. So what a kill has left is finished by the next touch or by the worker, and the journal decides who has an order.
 */
import { Effect, Result } from "effect"
import type { ClaimedOrder } from "../../contract/platform/KeptOrders.ts"
import type { BodyOf } from "../../contract/protocol/Operations.ts"
import { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { mergedAccounts, type OrderRecord } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import { unavailable } from "../../core/account/Outcome.ts"
import type { Claimed, From } from "../../core/protocol/KeptOrders.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import { dayAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { isTransient, refuse, refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import * as ClaimCode from "./ClaimCode.ts"
import type { Done } from "./Keeping.ts"
import { isTaken } from "./Keeping.ts"
import * as Store from "./KeptStore.ts"
import { accrued, claimsOf, count, mustReach, type Parts } from "./Parts.ts"

type Accrual = BodyOf<"accrual.post">

/** An order that is done. */
interface Finished {
  /** The member that has it. */
  readonly owner: Resident
  /** The answer of the accrual, if this call has posted it. */
  readonly accrual?: { readonly body: Accrual; readonly created: boolean }
  /** True if this call has posted adjustments. */
  readonly isAdjusted: boolean
}

/** Posts the accrual for the member that claims the order. Refused: the order is open again. */
const accrue = Effect.fnUntraced(function* (parts: Parts, row: Store.Kept, from: From) {
  const { account = 0, program_id: program } = row
  const claimant = (yield* parts.accounts.readOn(account)) ?? unavailable
  if (claimant._tag !== "Resident") return yield* refusedBy(claimant)
  const { member } = claimant.state
  const done = yield* parts.kept.accrue({ program, member, order: Store.orderOf(row) }, from)
  if (done._tag === "Answer") {
    const created = done.created && done.isReplay !== true
    if (created) yield* count(program, "claimed")
    return { body: done.body, created }
  }
  // Somebody else has it, by a till.
  if (done._tag === "Refusal" && done.code === "conflict") return undefined
  if (done._tag === "Refusal") yield* Store.release(parts.query, row)
  return yield* refusedBy(done)
})

/** Posts the adjustments that were kept, in their order. One that the rules refuse is dropped, and told in the log. */
const adjust = Effect.fnUntraced(function* (parts: Parts, row: Store.Kept, member: string, from: From) {
  const open = yield* Store.openAdjustments(parts.query, row)
  for (const adjustment of open) {
    const { adjustment_id: id } = adjustment
    const done = yield* parts.kept.adjust(row.program_id, member, adjustment, from)
    if (done._tag === "Refusal")
      yield* Effect.logWarning(
        `Adjustment ${id} of order ${row.order_id} was kept, and cannot be posted: ${done.detail}`
      )
    else if (done._tag !== "Answer") return yield* refusedBy(done)
    yield* Store.closeAdjustment(parts.query, row.program_id, id)
  }
  return open.length > 0
})

/** Adjustments of an order that was kept under the id of one that has accrued elsewhere: none of them is of that order. */
const drop = Effect.fnUntraced(function* (parts: Parts, row: Store.Kept) {
  const place = yield* parts.accounts.orderPlace(row.program_id, row.order_id)
  if (place === undefined) return
  if (place._tag !== "Place") return yield* refusedBy(place)
  const kept = Store.orderOf(row).scope.location_id
  if (place.location === kept) return
  for (const { adjustment_id: id } of yield* Store.openAdjustments(parts.query, row)) {
    yield* Effect.logWarning(
      `Adjustment ${id} of order ${row.order_id}, kept at ${kept}, was dropped: that order accrued at ${place.location}`
    )
    yield* Store.closeAdjustment(parts.query, row.program_id, id)
  }
})

/** True of an order that neither earned on an account nor counts in a challenge. */
const hasEarnedNothing = ({ challenges, earnings }: OrderRecord): boolean =>
  challenges.length === 0 && earnings.every(({ kept }) => kept === 0)

/** Finishes an order that somebody claims or has. */
export const finish = Effect.fnUntraced(function* (
  parts: Parts,
  row: Store.Kept,
  from: From
): Effect.fn.Return<Finished, Refused> {
  const { query, transaction } = parts
  const { order_id, program_id } = row
  const before = yield* accrued(parts, program_id, order_id)
  if (before !== undefined) yield* drop(parts, row)
  const accrual = before === undefined ? yield* accrue(parts, row, from) : undefined
  const found = before ?? (yield* accrued(parts, program_id, order_id))
  if (found === undefined) return yield* refusedBy(unavailable)
  const owner = yield* memberOf(parts.accounts, program_id, found.member)
  let isAdjusted = false
  for (;;) {
    isAdjusted = (yield* adjust(parts, row, found.member, from)) || isAdjusted
    const isDone = yield* transaction(
      Effect.gen(function* () {
        // An adjustment that comes now waits for the lock, and then finds the order taken.
        yield* Store.lock(query, program_id, order_id)
        const open = yield* Store.openAdjustments(query, row)
        if (open.length === 0) yield* Store.end(query, row, owner.account, hasEarnedNothing(found.order))
        return open.length === 0
      })
    )
    if (isDone) return { owner, isAdjusted, ...(accrual === undefined ? undefined : { accrual }) }
  }
})

/** Finishes a claim that is on its way, for instance after a kill. False: nobody has the order, and it has adjustments. */
export const finishBegun = Effect.fnUntraced(function* (
  parts: Parts,
  program: string,
  order: string,
  from: From
): Effect.fn.Return<boolean, Refused> {
  const row = yield* Store.find(parts.query, program, order)
  if (row === undefined || !isTaken(row)) return !(yield* Store.isAdjusted(parts.query, program, order))
  yield* finish(parts, row, from)
  return true
})

/** A claim that is asked for. */
export interface Asked {
  readonly claim_code?: string | undefined
  readonly order_id?: string | undefined
  readonly member_id: string
}

const nothing = refuse("not_found", "There is no order to claim: it is unknown, over, or was taken away.")

/** The order of a code. Wrong codes count by the guest; those of a programme only raise an alert. */
const byCode = Effect.fnUntraced(function* (
  { claimKey, query }: Parts,
  program: string,
  { account }: Resident,
  typed: string
): Effect.fn.Return<string, Refused> {
  const waitMs = yield* Store.waitOf(query, account)
  if (waitMs !== undefined)
    return yield* Effect.fail(
      new Refused({
        code: "rate_limited",
        detail: "The member has entered too many wrong codes.",
        retryAfter: Math.max(1, Math.ceil(waitMs / 1000))
      })
    )
  const code = ClaimCode.read(typed)
  if (code === undefined)
    return yield* refuseFaults([
      { path: "/claim_code", message: "must be a claim code; a character is wrong or missing" }
    ])
  const row = yield* Store.findByCode(query, ClaimCode.hashOf(claimKey, program, code))
  if (row !== undefined) return row.order_id
  yield* Store.countWrong(query, account)
  yield* count(program, "wrong_code")
  return yield* nothing
})

/** The accounts of a member. */
const accountsOf = ({ account, state }: Resident): ReadonlyArray<number> => [account, ...mergedAccounts(state)]

/** Gives an open order to the guest; one that is taken stays as it is. */
const begin = (parts: Parts, program: Program, guest: Resident, order: string, actor: string) => {
  const { now, query, transaction } = parts
  return transaction(
    Effect.gen(function* (): Effect.fn.Return<Store.Kept, Refused> {
      const row = yield* Store.lock(query, program.id, order)
      if (row === undefined || row.state === "withdrawn") return yield* nothing
      if (isTaken(row)) return row
      const at = now()
      if (at >= row.expires_at) return yield* nothing
      const { perDay } = yield* claimsOf(program)
      yield* Store.holdGuest(query, guest.account)
      const claimed = yield* Store.claimedSince(query, accountsOf(guest), dayAt(program.zone, at).start)
      if (claimed >= perDay)
        return yield* refuse(
          "invalid_state",
          said`The member has claimed ${claimed} orders today, the most that are allowed.`
        )
      yield* Store.begin(query, row, { account: guest.account, actor, claimedAt: at, at: parts.machineNow() })
      return { ...row, state: "claiming", account: guest.account }
    })
  )
}

/** The accrual of an order that the guest has already. */
const repeated = Effect.fnUntraced(function* (parts: Parts, claimed: Claimed, from: From) {
  const done = yield* parts.kept.accrue(claimed, from)
  return done._tag === "Answer" ? done.body : yield* refusedBy(done)
})

/** The answer to the guest who has the order. */
const answered = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  row: Store.Kept,
  { accrual, isAdjusted, owner }: Finished,
  from: From
): Effect.fn.Return<Done<Accrual>, Refused> {
  const { member } = owner.state
  const again = { program: program.id, member, order: Store.orderOf(row) }
  const created = accrual?.created ?? false
  const body = accrual?.body ?? (yield* repeated(parts, again, from))
  if (!isAdjusted) return { created, body }
  const now = yield* memberOf(parts.accounts, program.id, member)
  const at = Math.max(parts.now(), now.state.at)
  return {
    created,
    body: { ...body, balances: Render.balances(ownerOf(now), view(now.state, program, at), program, at) }
  }
})

/** Claims an order for a member. */
export const claim = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  { claim_code, member_id, order_id }: Asked,
  from: From
): Effect.fn.Return<Done<typeof ClaimedOrder.Type>, Refused> {
  yield* claimsOf(program)
  const guest = yield* memberOf(parts.accounts, program.id, member_id)
  const order = claim_code === undefined ? (order_id ?? "") : yield* byCode(parts, program.id, guest, claim_code)
  yield* mustReach(parts, from.caller, program.id, order, claim_code === undefined ? "/order_id" : "/claim_code")
  for (let tries = 0; tries < Bounds.claimTries; tries++) {
    const row = yield* begin(parts, program, guest, order, from.caller.name)
    const isOwn = accountsOf(guest).includes(row.account ?? 0)
    const finished = yield* Effect.result(finish(parts, row, from))
    if (Result.isFailure(finished)) {
      // Refused to another guest, the order is open again.
      if (isOwn || isTransient(finished.failure)) return yield* Effect.fail(finished.failure)
      continue
    }
    if (!accountsOf(guest).includes(finished.success.owner.account))
      return yield* refuse("conflict", "The order was claimed before.")
    const done = yield* answered(parts, program, row, finished.success, from)
    return { created: done.created, body: Render.present<typeof ClaimedOrder.Type>(done.body) }
  }
  return yield* refusedBy({ _tag: "Overloaded" })
})
