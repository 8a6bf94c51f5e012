/** Moving guests of another provider in, some at a time (contract/moving.md *Moving*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { field, Identifier, Integer, optional, Unit } from "../Values.ts"
import { annotated, changeProblems } from "./Endpoint.ts"
import { MovedGuest } from "./MovedGuest.ts"
import { listMovedGuests } from "./MovedGuests.ts"
import { listMoveRuns, reportMoveRun, showMoveRun } from "./MoveRuns.ts"
import { params, programPath } from "./ProgramsInForce.ts"

/** Most guests in a request: their records share some groups of the journal. */
export const maxGuests = 200

/** Collisions with what is here. A guest who has one is not moved unless it is waived. */
const HereFault = Schema.Literals(["card_elsewhere", "opening_balance", "doubled_code"])
export type HereFault = typeof HereFault.Type

const LotDifference = Schema.Struct({
  unit: field(Unit, "The account."),
  moved: field(Integer, "Points that were moved of the lot, corrections included."),
  listed: field(Integer, "Points that the request lists; 0: it does not list the lot."),
  lot: optional(Integer, "The lot's place among those of the request, from 0; absent: it does not list the lot.")
}).annotate({ identifier: "LotDifference", description: "A lot that was moved with another amount." })

const Since = Schema.Struct({
  unit: field(Unit, "The account."),
  moved: field(Integer, "Points that moves have brought the member, corrections included."),
  accrued: field(Integer, "Points that orders have earned, refunds and corrections included."),
  redeemed: field(Integer, "Points that were spent, below 0; what was given back is not counted."),
  expired: field(Integer, "Points that have expired, below 0."),
  other: field(Integer, "All other entries: gifts, merges, resets of stamp cards."),
  balance: field(Integer, "The balance: the sum of all of them.")
}).annotate({ identifier: "SinceMoved", description: "What makes a member's balance of an account." })
export type Since = typeof Since.Type

const Before = Schema.Struct({
  unit: field(Unit, "The account."),
  earned: field(Integer, "Points that those orders have earned, refunds and corrections included."),
  spent: field(Integer, "Points that were spent before, below 0; what was given back is not counted.")
}).annotate({ identifier: "BeforeMove", description: "Points of orders from before a member's points were moved." })
export type Before = typeof Before.Type

export const GuestMoved = Schema.Struct({
  outcome: field(
    Schema.Literals(["enrolled", "joined", "added", "same", "erased", "refused"]),
    "`enrolled`: a new member; `joined`: one who was here; `added`: moved before, and something was added or corrected; " +
      "`same`: moved before, and nothing is new; `erased`: moved before, and erased since; `refused`: not moved."
  ),
  member_id: optional(Identifier, "The member, if the guest is one."),
  posted: field(Integer, "Lots that were posted."),
  faults: field(Schema.Array(HereFault), "Collisions with what is here."),
  differences: field(Schema.Array(LotDifference), "Lots that were moved before with other amounts."),
  moved_as: optional(Schema.String, "With `since`: a keyed hash of a guest who was moved before."),
  since: optional(Schema.Array(Since), "With `since`: what makes the balances of a guest who was moved before."),
  before: optional(
    Schema.Array(Before),
    "With `since`: what a member earned and spent here before its latest points were moved, or before those that this request would move."
  ),
  code: optional(Schema.String, "Why the member's account refused it: a problem code.")
}).annotate({ identifier: "GuestMoved", description: "What became of a guest." })
export type GuestMoved = typeof GuestMoved.Type

export const MoveIn = Schema.Struct({
  guests: field(
    Schema.Array(MovedGuest).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" }),
      Schema.isMaxLength(maxGuests, { message: told`must have at most ${maxGuests} items` })
    ),
    `At most ${maxGuests} guests.`
  ),
  waive: optional(Schema.Array(HereFault), "Collisions that do not keep a guest from being moved."),
  correct: optional(
    Schema.Boolean,
    "True: posts the differences of lots that were moved before, as far as the lots have points left."
  ),
  greet: optional(Schema.Boolean, "True: new members count as new, and welcome campaigns reach them."),
  dry_run: optional(
    Schema.Boolean,
    "True: tells what would become of the guests, and changes nothing. Served while writes are frozen."
  ),
  since: optional(
    Schema.Boolean,
    "True, with `dry_run`: also tells what makes the balances of guests who were moved before, and what members had earned before."
  )
}).annotate({ identifier: "MoveIn", description: "Guests of another provider." })
export type MoveIn = typeof MoveIn.Type

export const MovedIn = Schema.Struct({
  dry_run: optional(Schema.Literal(true), "Nothing was changed."),
  guests: field(Schema.Array(GuestMoved), "What became of each, in their order.")
}).annotate({ identifier: "MovedIn", description: "What became of guests." })
export type MovedIn = typeof MovedIn.Type

const codes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "program_retired"]

const examples = {
  request: {
    guests: [
      {
        external_id: "old-1001",
        display_name: "Ada Martin",
        identities: [{ type: "loyalty_id", value: "old-card-1001" }],
        lots: [{ unit: "points", amount: 120, earned_at: "2026-03-01T00:00:00Z" }],
        standing: { lifetime: { points: 4200 }, orders: 31 },
        rewards: [],
        consents: [{ purpose: "marketing", granted: true, recorded_at: "2025-11-02T09:30:00Z", source: "app" }]
      }
    ],
    dry_run: true
  },
  response: { dry_run: true, guests: [{ outcome: "enrolled", posted: 1, faults: [], differences: [] }] }
}

export class MovingIn extends HttpApiGroup.make("moveIn")
  .add(
    HttpApiEndpoint.post("moveGuestsIn", `${programPath}/move-in`, {
      params,
      payload: MoveIn,
      success: MovedIn,
      error: problems(codes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "guest.move_in",
          "Move guests of another provider in",
          "One record sets all of a guest. Each guest, lot and reward is moved once, whatever request it comes with; sent again, the " +
            "request goes on. Points count for no metric, stamp card or limit. For tokens and keys; people use the command.",
          codes,
          examples
        )
      )
  )
  .add(listMovedGuests, listMoveRuns, reportMoveRun, showMoveRun)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Moving in", description: "Brings guests of another provider with all they have." })
  ) {}
