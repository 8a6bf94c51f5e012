/**
 * People ask others for a gift that they may not give (contract/people.md *Asking a manager*).
 *
 * Invariant: the ask's id, or the order id of its receipt, is the gift's identifier in the journal, so that a gift is given
 * once: also by two who approve at once, and by one who tries again after a kill. The row only says who does.
 */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineNow } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Ask, NewAsk } from "../../contract/admin/Asks.ts"
import type { Receipt } from "../../contract/admin/Receipt.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Template } from "../../contract/Said.ts"
import { said } from "../../contract/Said.ts"
import { allows, askedFor } from "../../contract/Scopes.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import { isOwn } from "../../core/account/domain/State.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { isTransient, refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as OneMember from "../members/OneMember.ts"
import * as ProfileStore from "../members/ProfileStore.ts"
import * as Receipts from "../members/Receipts.ts"
import * as Store from "./AskStore.ts"
import * as Bounds from "./Bounds.ts"

const needed = Effect.all({ members: OneMember.make, parts: OneMember.needed, pool: PeoplePool })
type Parts = Effect.Success<typeof needed>

type Gift = Pick<typeof NewAsk.Type, "gift" | "reason" | "program_id" | "member_id"> & { readonly ask_id: string }

/** Facts of a question that are foreseen now. */
interface Foreseen {
  readonly look: string
  readonly display_name?: string | undefined
  readonly balance_after?: number | undefined
  readonly earns?: number | undefined
  readonly alike?: ReadonlyArray<string> | undefined
  readonly refused?: string | undefined
  readonly refused_template?: Template | undefined
}

const adjustmentOf = ({ ask_id, gift, reason }: Gift) => {
  if (gift.type !== "points") return undefined
  const { type: _, ...points } = gift
  return { ...points, adjustment_id: ask_id, reason }
}

const receiptOf = ({ gift, reason }: Gift): Receipt | undefined => {
  if (gift.type !== "receipt") return undefined
  const { type: _, ...receipt } = gift
  // The person who approves has looked at orders that may be the same one.
  return { ...receipt, confirmed: true, reason }
}

const hashOf = (seen: unknown): string => hash("sha256", JSON.stringify(seen), "hex").slice(0, 32)

/**
 * Hash of a guest as a manager sees her: points, rewards, tier and status. The account's newest record would not do: a request
 * that is repeated writes one, and changes nothing.
 */
const lookOf = ({ at, program, resident, state }: OneMember.Seen): string => {
  const owner = ownerOf(resident)
  const seen = [
    [owner.member, state.status, Metrics.tierOf(state, program, at)?.tier_id],
    Render.balances(owner, state, program, at).map(({ amount, available, unit }) => [unit, amount, available]),
    state.rewards.filter(isOwn).map(({ issued, status }) => [issued, status])
  ]
  return hashOf(seen)
}

/** Balance after a gift, and for a receipt what it earns. Nothing is done. */
const tried = Effect.fnUntraced(function* ({ members, parts, pool }: Parts, gift: Gift) {
  const adjustment = adjustmentOf(gift)
  if (adjustment !== undefined) {
    const { balances, entry } = (yield* members.adjust(gift, { ...adjustment, dry_run: true })).body
    return { balance_after: balances.find(({ unit }) => unit === entry.unit)?.amount }
  }
  const receipt = receiptOf(gift)
  if (receipt === undefined) return undefined
  const { already, balances, entry, others } = (yield* Receipts.add({ parts, pool }, gift, {
    ...receipt,
    dry_run: true
  })).body
  if (already !== undefined) return yield* refuse("conflict", "The receipt was added meanwhile.")
  const alike = others.flatMap(({ is_alike, order_id }) => (is_alike === true ? [order_id] : []))
  return {
    balance_after: balances.find(({ unit }) => unit === entry.unit)?.amount,
    earns: entry.amount,
    ...(alike.length === 0 ? undefined : { alike })
  }
})

const refusedBy = ({ detail, template }: Refused) => ({ refused: detail, refused_template: template })

/** Effects of a gift if it were given now, without limits of people. Nothing is done. */
const foresee = Effect.fnUntraced(function* (all: Parts, gift: Gift) {
  const { parts } = all
  const seen = yield* OneMember.see(parts, gift)
  const stored = yield* ProfileStore.find(parts.people.query, seen.resident.account)
  const known = {
    look: lookOf(seen),
    display_name: stored === undefined ? undefined : ProfileStore.profileShown(stored)?.display_name
  }
  const caller = yield* CurrentCaller
  const effects = yield* Effect.result(
    Effect.provideService(tried(all, gift), CurrentCaller, { ...caller, kind: "system" })
  )
  if (Result.isFailure(effects)) return { ...known, ...refusedBy(effects.failure) }
  const told: Partial<Foreseen> = { ...effects.success }
  return { ...known, ...told, ...(told.alike === undefined ? undefined : { look: hashOf([known.look, told.alike]) }) }
})

const statusOf = ({ ends_at, status }: Store.Row, now: number): Ask["status"] =>
  status === "open" && ends_at <= now ? "over" : status

const shown = (row: Store.Row, { keyId }: RequestCaller, now: number, foreseen?: Partial<Foreseen>): Ask => {
  const { asked_at, decided_at, ends_at, gift: _, look, user_id, ...facts } = row
  return Render.present<Ask>({
    ...facts,
    look: foreseen?.look,
    display_name: foreseen?.display_name,
    balance_after: foreseen?.balance_after,
    earns: foreseen?.earns,
    alike: foreseen?.alike,
    refused: foreseen?.refused,
    refused_template: foreseen?.refused_template,
    gift: Store.giftOf(row),
    asked_at: fromMillis(asked_at),
    ends_at: fromMillis(ends_at),
    is_own: user_id === keyId,
    status: statusOf(row, now),
    decided_at: decided_at === undefined ? undefined : fromMillis(decided_at),
    has_changed: foreseen === undefined || foreseen.look === look ? undefined : true
  })
}

const entryOf = (action: string, row: Store.Row, reason: string) => ({
  action,
  subject: { type: "member", id: row.member_id },
  programId: row.program_id,
  changes: Audit.changesOf(undefined, { ask_id: row.ask_id, asked_by: row.asked_by, ...Store.giftOf(row) }),
  reason
})

const giftIn = (row: Store.Row): Gift => ({ ...row, gift: Store.giftOf(row) })

const list = Effect.fnUntraced(function* (parts: Parts, program_id: string | undefined) {
  const caller = yield* CurrentCaller
  const { programs } = parts.parts
  const seen =
    program_id === undefined
      ? Visible.programsOf(programs, caller)
      : [yield* Visible.named(programs, caller, program_id)]
  const now = yield* machineNow
  const asked = askedFor("approveAsk")
  const found = yield* Store.list(parts.pool.query, {
    programs: seen.map(({ id }) => id),
    user: caller.keyId,
    ofOthers: asked !== undefined && allows(caller.scopes, asked),
    now
  })
  return yield* Effect.forEach(found, (row) =>
    statusOf(row, now) !== "open"
      ? Effect.succeed(shown(row, caller, now))
      : Effect.map(Effect.result(foresee(parts, giftIn(row))), (foreseen) =>
          Result.isSuccess(foreseen)
            ? shown(row, caller, now, foreseen.success)
            : shown(row, caller, now, refusedBy(foreseen.failure))
        )
  )
})

const ask = Effect.fnUntraced(function* (
  parts: Parts,
  { gift, member_id, program_id, reason }: typeof NewAsk.Type
): Effect.fn.Return<Ask, Refused, CurrentCaller> {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  if (caller.kind !== "user") return yield* refuse("forbidden", "Only people ask others for gifts.")
  yield* Visible.named(parts.parts.programs, caller, program_id)
  const now = yield* machineNow
  const ask_id = Codes.identifier("ask")
  const foreseen = yield* foresee(parts, { ask_id, gift, member_id, program_id, reason })
  return yield* transaction(
    Effect.gen(function* () {
      yield* Store.removeOld(query, now)
      if ((yield* Store.countOpen(query, caller.keyId, now)) >= Bounds.mostOpen)
        return yield* refuse("invalid_state", said`You have ${Bounds.mostOpen} open questions. Wait for answers first.`)
      const row = yield* Store.insert(query, {
        ...{ ask_id, program_id, member_id, reason },
        gift: JSON.stringify(gift),
        look: foreseen.look,
        user_id: caller.keyId,
        asked_by: caller.name,
        asked_at: now,
        ends_at: now + Bounds.openMs
      })
      yield* Audit.tell(query, entryOf("ask.make", row, reason))
      return shown(row, caller, now, foreseen)
    })
  )
})

/** A question of a programme that the caller may see. */
const seen = Effect.fnUntraced(function* ({ parts, pool }: Parts, ask_id: string) {
  const row = yield* Store.find(pool.query, ask_id)
  if (row === undefined) return yield* refuse("not_found", said`There is no question ${ask_id}.`)
  yield* Visible.named(parts.programs, yield* CurrentCaller, row.program_id)
  return row
})

/** Why a question cannot be decided. */
const refuseDecided = (row: Store.Row | undefined, now: number) => {
  if (row === undefined) return refuse("conflict", "The question is no longer kept.")
  const by = row.decided_by ?? ""
  if (row.status === "done") return refuse("conflict", said`It was given by ${by}.`)
  if (row.status === "declined") return refuse("conflict", said`It was declined by ${by}.`)
  if (row.status === "doing") return refuse("conflict", said`It is being given by ${by}.`)
  return row.ends_at <= now
    ? refuse("conflict", "Nobody decided within 24 hours. Who asked can ask again.")
    : refuse("conflict", "The question was decided by somebody else.")
}

const decider = Effect.gen(function* () {
  const { keyId, name } = yield* CurrentCaller
  return { user: keyId, name, at: yield* machineNow }
})

const given = ({ members, parts, pool }: Parts, gift: Gift): Effect.Effect<unknown, Refused, CurrentCaller> => {
  const adjustment = adjustmentOf(gift)
  if (adjustment !== undefined) return members.adjust(gift, adjustment)
  const receipt = receiptOf(gift)
  if (receipt !== undefined) return Receipts.add({ parts, pool }, gift, receipt)
  const { ask_id, reason } = gift
  return gift.gift.type === "reward"
    ? members.issue(gift, { issued_reward_id: ask_id, reward_id: gift.gift.reward_id, reason })
    : Effect.void
}

const approve = Effect.fnUntraced(function* (
  parts: Parts,
  ask_id: string,
  look: string
): Effect.fn.Return<Ask, Refused, CurrentCaller> {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  const before = yield* seen(parts, ask_id)
  const by = yield* decider
  // One that is being given may have changed the guest already.
  if (before.status === "open" && (yield* foresee(parts, giftIn(before))).look !== look)
    return yield* refuse("conflict", "The guest has changed since. Look again at what it would do.")
  const row = yield* Store.begin(query, ask_id, by)
  if (row === undefined) return yield* refuseDecided(yield* Store.find(query, ask_id), by.at)
  const done = yield* Effect.result(given(parts, giftIn(row)))
  if (Result.isFailure(done)) {
    if (!isTransient(done.failure)) yield* Store.reopen(query, ask_id, by)
    return yield* Effect.fail(done.failure)
  }
  return yield* transaction(
    Effect.gen(function* () {
      const ended = yield* Store.end(query, ask_id)
      if (ended === undefined) return yield* refuseDecided(yield* Store.find(query, ask_id), by.at)
      yield* Audit.tell(query, entryOf("ask.approve", ended, ended.reason))
      return shown(ended, caller, by.at)
    })
  )
})

const decline = Effect.fnUntraced(function* (
  parts: Parts,
  ask_id: string,
  note: string
): Effect.fn.Return<Ask, Refused, CurrentCaller> {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  yield* seen(parts, ask_id)
  const by = yield* decider
  return yield* transaction(
    Effect.gen(function* () {
      const row = yield* Store.decline(query, ask_id, by, note)
      if (row === undefined) return yield* refuseDecided(yield* Store.find(query, ask_id), by.at)
      yield* Audit.tell(query, entryOf("ask.decline", row, note))
      return shown(row, caller, by.at)
    })
  )
})

export const layer = HttpApiBuilder.group(AdminApi, "asks", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("listAsks", ({ query }) => Effect.map(list(parts, query.program_id), (asks) => ({ asks })))
      .handle("askManager", ({ payload }) => ask(parts, payload))
      .handle("approveAsk", ({ params, payload }) => approve(parts, params.ask_id, payload.look))
      .handle("declineAsk", ({ params, payload }) => decline(parts, params.ask_id, payload.note))
  )
)
