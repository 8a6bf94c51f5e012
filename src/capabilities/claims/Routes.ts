/** The routes of orders without a guest (contract/orders.md *Orders without a guest*). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { AdjustKeptOrder, ClaimOrder, KeepOrder } from "../../contract/platform/KeptOrders.ts"
import * as Codes from "../../core/account/Codes.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Adjusting from "./Adjusting.ts"
import * as Claiming from "./Claiming.ts"
import type { Done } from "./Keeping.ts"
import * as Keeping from "./Keeping.ts"
import { mustReach, needed, type Parts } from "./Parts.ts"

const response = ({ body, created }: Done<object>) =>
  HttpServerResponse.jsonUnsafe(body, { status: created ? 201 : 200 })

/** The programme of a request. The order of a body names one too. */
const programOf = Effect.fnUntraced(function* ({ programs }: Parts, named: string | undefined, ofOrder?: string) {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, named ?? ofOrder)
  if (ofOrder !== undefined && ofOrder !== program.id)
    return yield* refuseFaults([{ path: "/order/scope/program_id", message: "must be the program_id of the request" }])
  return program
})

const from = Effect.map(CurrentCaller, (caller) => ({ caller, requestId: caller.requestId ?? Codes.identifier("req") }))

const keepOrder = Effect.fnUntraced(function* (parts: Parts, { order, program_id }: typeof KeepOrder.Type) {
  const program = yield* programOf(parts, program_id, order.scope.program_id)
  const caller = yield* CurrentCaller
  yield* Limited.mustReach(caller, order, parts.now())
  return response(yield* Keeping.keep(parts, program, order, caller))
})

const adjustKeptOrder = Effect.fnUntraced(function* (
  parts: Parts,
  { adjustment, program_id }: typeof AdjustKeptOrder.Type
) {
  const program = yield* programOf(parts, program_id)
  const { original_order_id: order } = adjustment
  yield* mustReach(parts, yield* CurrentCaller, program.id, order, "/adjustment/original_order_id")
  return response(yield* Adjusting.adjust(parts, program, adjustment, yield* from))
})

const claimOrder = Effect.fnUntraced(function* (parts: Parts, { program_id, ...asked }: typeof ClaimOrder.Type) {
  const program = yield* programOf(parts, program_id)
  if (asked.order_id !== undefined) yield* mustGive("platform", "Claiming an order without its code")
  return response(yield* Claiming.claim(parts, program, asked, yield* from))
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_orders", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("keepOrder", ({ payload }) => keepOrder(parts, payload))
      .handle("adjustKeptOrder", ({ payload }) => adjustKeptOrder(parts, payload))
      .handle("claimOrder", ({ payload }) => claimOrder(parts, payload))
  )
)
