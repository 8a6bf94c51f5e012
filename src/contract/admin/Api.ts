/**
 * The HttpApi of `/admin/api/v1`: what operators and automation call. No part of
 * the protocol (admin.md; decisions.md §2).
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { described, problems } from "../Description.ts"
import type { Examples } from "../Description.ts"
import { IsoDuration } from "../IsoDuration.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, guardProblems, storageProblems } from "../protocol/Problem.ts"
import { protocolVersion } from "../protocol/Protocol.ts"
import { field, optional, Timestamp } from "../Values.ts"

/** Where the operators' routes live. */
export const adminPath = "/admin/api/v1"
export const maintenancePath = `${adminPath}/maintenance` as const
export const clockPath = `${adminPath}/clock` as const

/** The admin key, sent as a bearer token. */
export class AdminKey extends HttpApiMiddleware.Service<AdminKey>()("lotbook/contract/AdminKey", {
  security: { admin_key: HttpApiSecurity.http({ scheme: "bearer" }) }
}) {}

/** Request and answer of the write freeze. */
export const Maintenance = Schema.Struct({
  write_frozen: field(Schema.Boolean, "True while every write is refused with `write_frozen`.")
}).annotate({ identifier: "Maintenance" })

/** Moves the clock of a sandbox: exactly one of the two properties. */
export const ClockMove = Schema.Struct({
  advance: optional(
    IsoDuration,
    "How far to move the clock on, an ISO 8601 duration; months and years by the calendar in UTC."
  ),
  set: optional(Timestamp, "The instant to move the clock to, never an earlier one.")
}).annotate({ identifier: "ClockMove" })

/** The sandbox's time. */
export const ClockState = Schema.Struct({
  now: field(Timestamp, "The instant at which the sandbox's clock stands."),
  sandbox: field(Schema.Boolean, "True: the time is a sandbox's and moves only on request.")
}).annotate({ identifier: "ClockState" })

const annotated = (
  identifier: string,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  examples: Examples,
  safeToRetry = false
) => OpenApi.annotations({ identifier, summary, description, transform: described({ codes, examples, safeToRetry }) })

const freezeProblems: ReadonlyArray<ProblemCode> = [...bodyProblems, ...guardProblems, ...storageProblems]
const clockProblems: ReadonlyArray<ProblemCode> = [...guardProblems, "not_found"]
const moveProblems: ReadonlyArray<ProblemCode> = [...freezeProblems, "not_found", "invalid_state"]

export class Maintenances extends HttpApiGroup.make("maintenance")
  .add(
    HttpApiEndpoint.get("maintenance", maintenancePath, {
      success: Maintenance,
      error: problems(guardProblems)
    }).annotateMerge(
      annotated(
        "maintenance",
        "Whether writes are frozen",
        "Shows the switch. Scope: `admin:read`, or the admin key.",
        guardProblems,
        { response: { write_frozen: false } },
        true
      )
    ),
    HttpApiEndpoint.post("freeze", maintenancePath, {
      payload: Maintenance,
      success: Maintenance,
      error: problems(freezeProblems)
    }).annotateMerge(
      annotated(
        "freeze",
        "Freeze writes, or allow them again",
        "Freezing answers once every earlier write has been committed, on every service of the database. " +
          "The switch survives restarts. Scope: `admin:write`, or the admin key.",
        freezeProblems,
        { request: { write_frozen: false }, response: { write_frozen: false } }
      )
    )
  )
  .middleware(AdminKey)
  .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
  .annotateMerge(OpenApi.annotations({ title: "Maintenance", description: "The write freeze, for operators." })) {}

export class SandboxClock extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("clock", clockPath, { success: ClockState, error: problems(clockProblems) }).annotateMerge(
      annotated(
        "clock",
        "What time it is in the sandbox",
        "A live service has no clock to show and answers `not_found`. Scope: `admin:read`, or the admin key.",
        clockProblems,
        { response: { now: "2026-07-14T10:05:00.000Z", sandbox: true } },
        true
      )
    ),
    HttpApiEndpoint.post("moveClock", clockPath, {
      payload: ClockMove,
      success: ClockState,
      error: problems(moveProblems)
    }).annotateMerge(
      annotated(
        "moveClock",
        "Move the sandbox's clock on",
        "Everything that falls due on the way is posted at its own instant before the answer comes. " +
          "The clock never goes back. Scope: `admin:write`, or the admin key.",
        moveProblems,
        { request: { advance: "P30D" }, response: { now: "2026-08-13T10:05:00.000Z", sandbox: true } }
      )
    )
  )
  .middleware(AdminKey)
  .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sandbox clock",
      description: "Moves time on a service started with `--sandbox-clock`."
    })
  ) {}

export class AdminApi extends HttpApi.make("lotbook-admin")
  .add(Maintenances, SandboxClock)
  .annotateMerge(OpenApi.annotations({ title: "Lotbook administration", version: protocolVersion })) {}
