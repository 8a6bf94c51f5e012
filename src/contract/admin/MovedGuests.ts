/** Guests whom earlier moves brought, so that files can be compared with them (contract/moving.md *Guests of earlier moves*). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { field, Identifier, Integer, Unit } from "../Values.ts"
import { annotated, listProblems, nextCursor, page } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"

const MovedPoints = Schema.Struct({
  unit: field(Unit, "The account."),
  amount: field(Integer, "Points that moves have brought, corrections included, of lots that have not expired.")
}).annotate({ identifier: "PointsMovedBefore" })

const MovedBefore = Schema.Struct({
  moved_as: field(Schema.String, "A keyed hash of the guest, as in the answer of a move."),
  member_id: field(Identifier, "The member that the guest is now."),
  points: field(Schema.Array(MovedPoints), "By account; never empty.")
}).annotate({ identifier: "GuestMovedBefore", description: "A guest whom earlier moves have brought points." })
export type MovedBefore = typeof MovedBefore.Type

export const MovedGuests = Schema.Struct({
  guests: field(Schema.Array(MovedBefore), "Guests of some members; it may be empty on any page."),
  next_cursor: nextCursor
}).annotate({ identifier: "GuestsMovedBefore" })
export type MovedGuests = typeof MovedGuests.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export const listMovedGuests = HttpApiEndpoint.get("listMovedGuests", `${programPath}/move-in/guests`, {
  params,
  query: { cursor: page.cursor },
  success: MovedGuests,
  error: problems(codes)
}).annotateMerge(
  annotated(
    "moved_guest.list",
    "List guests of earlier moves",
    "Members who were erased are left out, and those with archived records if the node has no folder of their files. A page is of up to 2,000 accounts, whether or not they were moved. ",
    codes,
    {
      params: { program_id: "demo-foodservice" },
      response: {
        guests: [{ moved_as: "0a1b2c3d4e5f6071", member_id: "mbr-1001", points: [{ unit: "points", amount: 120 }] }]
      }
    },
    true
  )
)
