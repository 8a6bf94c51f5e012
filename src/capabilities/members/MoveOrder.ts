/** Moves an order from one member to another (contract/operators.md *Moving an order*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { MoveOrder, OrderMoved, OrderParams } from "../../contract/admin/MoveOrder.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import type { Recorded } from "../../core/account/Codec.ts"
import * as Codes from "../../core/account/Codes.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { State } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import { unavailable } from "../../core/account/Outcome.ts"
import type { Brought } from "../../core/account/Request.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import type { Answered } from "./Gifts.ts"
import * as Gifts from "./Gifts.ts"

/** A move that is asked for, with the ids that its members have now. */
interface Move {
  readonly program: Program
  readonly order: string
  readonly from: string
  readonly to: string
  readonly reason: string
  /** Of the gift: a retry is known as one by its key. */
  readonly id: ReadonlyArray<string>
}

/** The audit entry of a move for one of the two members. */
const entryOf = ({ from, order, program, reason, to }: Move, member: string) =>
  Audit.entryOf({
    action: "order.move",
    subject: { type: "member", id: member },
    programId: program.id,
    changes: { before: { order_id: order, member_id: from }, after: { order_id: order, member_id: to } },
    reason
  })

const giftOf = ({ id, program }: Move, { points, rewards }: Brought): Given.Gift => ({
  program,
  id,
  points,
  rewards,
  moves: 1
})

/** The amounts of both entries, for each unit. */
const pointsOf = ({ events }: Recorded): OrderMoved["points"] => {
  const received = events.find(
    (event): event is Extract<AccountEvent, { type: "order_received" }> => event.type === "order_received"
  )
  return (received?.taken ?? []).map(([unit, taken]) => {
    const given = events.find(
      (event) =>
        event.type === "posted" && event.op === "accrual" && event.unit === unit && event.order === received?.order
    )
    return { unit, taken, given: given?.type === "posted" ? given.amount : 0 }
  })
}

interface Side {
  readonly account: number
  readonly state: State
}

const sideOf = ({ account, state }: Side, program: Program, now: number): OrderMoved["from"] => {
  const at = Math.max(now, state.at)
  const owner = ownerOf({ account, state })
  return {
    member_id: state.member,
    balances: Render.present<OrderMoved["from"]["balances"]>(
      Render.balances(owner, view(state, program, at), program, at)
    )
  }
}

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { claimKey } = yield* Journal
  const programs = yield* Programs
  const given = yield* Given.make
  const { now } = yield* serviceTime

  /** The id of the member that an id stands for; the same if nobody has it. */
  const presentId = (program: string, member: string) =>
    Effect.map(accounts.read(program, member), (found) => (found?._tag === "Resident" ? found.state.member : member))

  /** A member as it is now. */
  const current = Effect.fnUntraced(function* (program: Program, member: string) {
    const found = (yield* accounts.read(program.id, member)) ?? unavailable
    return found._tag === "Resident" ? sideOf(found, program, now()) : yield* refusedBy(found)
  })

  const foresee = ({ from, order, program, reason, to }: Move) =>
    accounts.foreseeMove(program.id, { order, from, into: to, reason })

  const dryRun = Effect.fnUntraced(function* (asked: Move): Effect.fn.Return<OrderMoved, Refused, CurrentCaller> {
    const foreseen = yield* foresee(asked)
    if (foreseen._tag !== "Foreseen") return yield* refusedBy(foreseen)
    yield* given.foreseen(giftOf(asked, foreseen.brings))
    return {
      dry_run: true,
      order_id: asked.order,
      points: pointsOf(foreseen.record),
      from: sideOf(foreseen.from, asked.program, now()),
      to: sideOf(foreseen.into, asked.program, now())
    }
  })

  const execute = Effect.fnUntraced(function* (asked: Move): Effect.fn.Return<OrderMoved, Refused, CurrentCaller> {
    const { from, order, program, reason, to } = asked
    const { idempotencyKey, keyId, kind } = yield* CurrentCaller
    const audit = { from: yield* entryOf(asked, from), into: yield* entryOf(asked, to) }
    // The record of the move claims the key, so a retry after a crash finds the result.
    const key =
      idempotencyKey === undefined
        ? undefined
        : {
            key: claimKey("move key", keyId, program.id, idempotencyKey),
            fingerprint: claimKey("move", from, order, to, reason)
          }
    const { name: actor } = audit.from.actor
    const { requestId: origin } = audit.from
    const settled = ({ isReplay = false }: Answered) => ({ isNew: !isReplay })
    const { record } = yield* Gifts.whileOutdated((outcomeOf) =>
      Effect.gen(function* () {
        const foreseen = kind === "user" ? yield* foresee(asked) : undefined
        // A move that cannot be foreseen is a replay, or is refused.
        const brings = foreseen?._tag === "Foreseen" ? foreseen.brings : { points: 0, rewards: 0 }
        const counted = kind === "user" ? brings : undefined
        const command = { order, from, into: to, reason, key, actor, origin, audit, counted }
        return yield* given.within(giftOf(asked, brings), settled, outcomeOf(accounts.moveOrder(program.id, command)))
      })
    )
    return {
      order_id: order,
      points: pointsOf(record),
      from: yield* current(program, from),
      to: yield* current(program, to)
    }
  })

  /** Moves the order, and returns both members afterwards. With `dry_run` only computes it. */
  const move = Effect.fnUntraced(function* (
    { member_id, order_id: order, program_id }: typeof OrderParams.Type,
    { dry_run = false, reason, to: named }: typeof MoveOrder.Type
  ): Effect.fn.Return<OrderMoved, Refused, CurrentCaller> {
    const program = yield* Visible.known(programs, program_id)
    const [from, to] = [yield* presentId(program_id, member_id), yield* presentId(program_id, named)]
    if (from === to) return yield* refuseFaults([{ path: "/to", message: "must be another member" }])
    const { idempotencyKey } = yield* CurrentCaller
    const id = ["move", order, from, to, idempotencyKey ?? Codes.random()]
    return yield* (dry_run ? dryRun : execute)({ program, order, from, to, reason, id })
  })

  return { move }
})

export const layer = HttpApiBuilder.group(AdminApi, "moveOrder", (handlers) =>
  Effect.map(make, ({ move }) => handlers.handle("moveOrder", ({ params, payload }) => move(params, payload)))
)
