/**
 * Orders that were kept without a guest, once a guest has them (contract/orders.md *Orders without a guest*): the accrual,
 * and adjustments of the member that has an order. The journal's claim of the order's id decides who that is.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { WriteContext } from "../../contract/protocol/Context.ts"
import type { BodyOf } from "../../contract/protocol/Operations.ts"
import type { Order, OrderAdjustment } from "../../contract/protocol/Order.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import { orUnavailable } from "../account/Outcome.ts"
import { Journal } from "../journal/Journal.ts"
import type { Caller, Handled } from "./Handler.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"

/** The system that these writes name as their source. */
const source = { system: "claims" } as const

/** An order as it is kept: everything by which it earns, and nothing of a person. */
export const keptOf = ({ member_id: _, metadata: __, order_number: ___, ...order }: Order): Order => ({
  ...order,
  lines: order.lines.map(({ metadata: _, name: __, ...line }) => line)
})

/** The facts of a kept order. An accrual of it that a till sends later has the same, however it was paid. */
export const factsOfKept = (order: Order): Writes.Facts => {
  const { tenders: _, ...kept } = keptOf(order)
  return { text: ` ${canonical(Writes.factsOfOrder(kept))}`, named: Writes.namesIn(order) }
}

/** The caller of a write, and its request. */
export interface From {
  readonly caller: Caller
  readonly requestId: string
}

const contextOf = ({ requestId }: From): WriteContext => ({
  protocol_version: protocolVersion,
  profile,
  request_id: requestId,
  // Not used: business identifiers alone guard these writes, or a key of their own.
  idempotency_key: requestId,
  occurred_at: "",
  source
})

/** A kept order, and the member that it accrues for. */
export interface Claimed {
  readonly program: string
  readonly member: string
  readonly order: Order
}

export const make = Effect.gen(function* () {
  const { claimKey, holders } = yield* Journal
  const { guard, write } = yield* Writes.make

  /**
   * Posts the accrual of a kept order. If the member has the order already, whatever the facts: the same answer again,
   * with the balances of now. If another one has it: `conflict`.
   */
  const accrue = ({ member, order, program }: Claimed, from: From): Effect.Effect<Handled<BodyOf<"accrual.post">>> =>
    orUnavailable(
      Effect.gen(function* () {
        const business = ClaimKeys.order(claimKey, program, order.order_id)
        const { business: own } = guard("accrual.post", program, undefined, business, factsOfKept(order))
        const [holder] = yield* holders([business])
        const guards = {
          // A repetition is a replay, which writes nothing.
          key: {
            key: claimKey("claimed order", program, order.order_id),
            fingerprint: own.fingerprint,
            hasEnd: true as const
          },
          business: holder === undefined ? own : { key: business, fingerprint: holder.fingerprint },
          named: []
        }
        const action = { type: "accrue", order, evaluation: undefined } as const
        return yield* write(Render.entriesBody, from.caller, contextOf(from), program, member, action, guards)
      })
    )

  /** Adjusts an order, for the member that has it. */
  const adjust = (
    program_id: string,
    member_id: string,
    adjustment: OrderAdjustment,
    from: From
  ): Effect.Effect<Handled<BodyOf<"order.adjust">>> => {
    const business = ClaimKeys.adjustment(claimKey, program_id, adjustment.adjustment_id)
    const facts = Writes.factsOf({ member_id, program_id, adjustment })
    const guards = guard("order.adjust", program_id, undefined, business, facts)
    const action = { type: "adjust_order", adjustment } as const
    return write(Render.entriesBody, from.caller, contextOf(from), program_id, member_id, action, guards)
  }

  return { accrue, adjust }
})
