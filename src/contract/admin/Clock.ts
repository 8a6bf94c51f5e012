/** The clock of a sandbox, for operators (contract/databases.md *Sandbox clock*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { IsoDuration } from "../IsoDuration.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, optional, Timestamp } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"

const clockPath = `${adminPath}/clock` as const

/** Moves the clock of a sandbox, or resets the sandbox: exactly one of the three properties. */
export const ClockMove = Schema.Struct({
  advance: optional(
    IsoDuration,
    "The duration by which the clock moves forward (ISO 8601). Months and years follow the calendar in UTC."
  ),
  set: optional(Timestamp, "The new time. It must not be earlier than the present one."),
  reset: optional(
    Schema.Literal(true),
    "Resets the sandbox: deletes members, the journal, keys of requests and the audit, and sets the clock to the time of `--sandbox-clock`."
  )
}).annotate({ identifier: "ClockMove" })

/** The sandbox's time. */
export const ClockState = Schema.Struct({
  now: field(Timestamp, "The sandbox clock's present time."),
  sandbox: field(Schema.Boolean, "Always true: the time belongs to a sandbox and moves only on request.")
}).annotate({ identifier: "ClockState" })

const clockProblems: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const moveProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state", "write_frozen"]

export class SandboxClock extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("clock", clockPath, { success: ClockState, error: problems(clockProblems) }).annotateMerge(
      annotated(
        "clock.show",
        "Show the sandbox's time",
        "A live service has no clock to show and answers `not_found`.",
        clockProblems,
        { response: { now: "2026-07-14T10:05:00.000Z", sandbox: true } },
        true
      )
    ),
    HttpApiEndpoint.post("moveClock", clockPath, {
      payload: ClockMove,
      success: ClockState,
      error: problems(moveProblems)
    })
      .annotateMerge(
        annotated(
          "clock.move",
          "Move the sandbox clock forward, or reset the sandbox",
          "Everything due by the new time is posted before the response, with its own due time. The clock never goes back. " +
            "`reset` deletes members, balances, journal, keys of requests, imports, campaign runs, members of static segments " +
            "and the audit; the new audit begins with the reset. Programmes with all versions, tokens, segments, campaigns " +
            "(paused) and connectors stay. A reset is refused while another service of the database is alive (409 " +
            "`invalid_state`) and while writes are frozen (503 `write_frozen`). Until it ends, other requests get 503 " +
            "`not_active`.",
          moveProblems,
          { request: { advance: "P30D" }, response: { now: "2026-08-13T10:05:00.000Z", sandbox: true } }
        )
      )
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true, isRepeatable: true })
  )
  .middleware(Refusals)
  .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sandbox clock",
      description: "Moves time on a service started with `--sandbox-clock`."
    })
  ) {}
