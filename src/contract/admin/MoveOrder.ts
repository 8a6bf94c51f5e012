/** Moving an order to another member, for operators (contract/operators.md *Moving an order*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Balance } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, ForeignId, field, Identifier, Integer, optional, Unit } from "../Values.ts"
import { annotated, changeProblems } from "./Endpoint.ts"
import { MemberParams, memberPath } from "./Members.ts"

export const OrderParams = Schema.Struct({
  ...MemberParams.fields,
  order_id: field(ForeignId.annotate({ examples: ["demo-member-005-0"] }), "An order that accrued for the member.")
})

export const MoveOrder = Schema.Struct({
  to: field(Identifier, "The member that the order belongs to."),
  reason: field(FilledReason, "The reason, for the entry and the audit log. It must not contain personal data."),
  dry_run: optional(
    Schema.Boolean,
    "True: returns what the move would do, and changes nothing. Served while writes are frozen."
  )
})

const Side = Schema.Struct({
  member_id: field(Identifier, "The member."),
  balances: field(Schema.Array(Balance), "Its balances after the move; of a repeated request those of now.")
})

export const OrderMoved = Schema.Struct({
  dry_run: optional(Schema.Literal(true), "Nothing was changed. These are the figures that the move would give."),
  order_id: field(ForeignId, "The order."),
  points: field(
    Schema.Array(
      Schema.Struct({
        unit: field(Unit, "The unit of the account."),
        taken: field(Integer, "The amount of the entry of the first member: not positive."),
        given: field(Integer, "The amount of the entry of the other one, with points that have expired since.")
      })
    ),
    "What moves, for each account on which the order earned."
  ),
  from: field(Side, "The member that had the order."),
  to: field(Side, "The member that has it now.")
})
export type OrderMoved = typeof OrderMoved.Type

const codes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "not_found",
  "conflict",
  "member_not_active",
  "program_retired",
  "invalid_state",
  "limit_exceeded"
]

const balance = (member_id: string, amount: number) => ({
  account_id: `points:${member_id}`,
  member_id,
  program_id: "demo-foodservice",
  unit: "points",
  amount,
  reserved: 0,
  available: amount,
  as_of: "2026-08-13T10:05:00.000Z",
  unit_label: "points"
})

const examples = {
  request: { to: "member-001", reason: "The cashier scanned the wrong card" },
  response: {
    order_id: "demo-member-005-0",
    points: [{ unit: "points", taken: -260, given: 260 }],
    from: { member_id: "member-005", balances: [balance("member-005", 782)] },
    to: { member_id: "member-001", balances: [balance("member-001", 703)] }
  }
}

export class OrderMoving extends HttpApiGroup.make("moveOrder")
  .add(
    HttpApiEndpoint.post("moveOrder", `${memberPath}/orders/:order_id/move`, {
      params: OrderParams,
      payload: MoveOrder,
      success: OrderMoved,
      error: problems(codes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "member.move_order",
          "Move an order to another member",
          "What is left of the order is taken from the member as by a void, and posted to the other one by the rules and " +
            "with the dates of its accrual: both or neither. From then on refunds and repeated accruals that name either " +
            "member reach the order where it is. `invalid_state` if it was refunded in full, or moved to another member before. ",
          codes,
          examples
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Moving orders", description: "Moves an order to the member it belongs to." })
  ) {}
