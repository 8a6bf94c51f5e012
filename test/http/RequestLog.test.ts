/** One metric and one line for each request, by what the gate has found out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric, References } from "effect"
import type { Exchange } from "../../src/http/Exchange.ts"
import { problem } from "../../src/http/Reply.ts"
import * as RequestLog from "../../src/http/RequestLog.ts"

const exchange = {
  incoming: { method: "POST" },
  path: "/proto/v1/accruals",
  requestId: "till-7",
  startedAt: 0,
  route: { operation: "accrual.post", path: "/proto/v1/accruals" },
  caller: { name: "Till 7" }
} as unknown as Exchange

const unknownPath = { ...exchange, path: "/nowhere", route: undefined, caller: undefined } as unknown as Exchange
const overloaded = problem("overloaded", { detail: "", instance: "" })

const counts = Effect.map(Metric.snapshot, (all) =>
  all
    .filter(({ id }) => id === "lotbook_http_request_duration_seconds")
    .map(({ attributes, state }) => [attributes, "count" in state ? state.count : undefined])
)

describe("the request log", () => {
  it.effect("counts and times requests by operation, status and code, at whatever level the log is", () =>
    Effect.gen(function* () {
      const record = yield* RequestLog.make()
      record(exchange, { status: 201, body: "" })
      record(exchange, { status: 201, body: "" })
      record(exchange, overloaded)
      record(unknownPath, problem("not_found", { detail: "", instance: "" }))
      assert.deepStrictEqual(yield* counts, [
        [{ operation: "accrual.post", status: "201", code: "" }, 2],
        [{ operation: "accrual.post", status: "503", code: "overloaded" }, 1],
        [{ operation: "none", status: "404", code: "not_found" }, 1]
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("writes a line with its facts where the level asks for it, and none else", () =>
    Effect.gen(function* () {
      const lines: Array<Readonly<Record<string, unknown>>> = []
      const logger = Logger.layer([
        Logger.make(({ fiber }) => void lines.push(fiber.getRef(References.CurrentLogAnnotations)))
      ])
      const at = (level: "Debug" | "Info") =>
        Effect.map(RequestLog.make(), (record) => record(exchange, overloaded)).pipe(
          Effect.provide(logger),
          Effect.provideService(References.MinimumLogLevel, level)
        )
      yield* at("Info")
      assert.deepStrictEqual(lines, [])
      yield* at("Debug")
      const [{ ms, ...facts } = {}] = lines
      assert.isNumber(ms)
      assert.deepStrictEqual(facts, {
        method: "POST",
        route: "/proto/v1/accruals",
        operation: "accrual.post",
        status: 503,
        code: "overloaded",
        caller: "Till 7",
        request_id: "till-7"
      })
    })
  )

  it.effect("at info, past the lines of a second, logs errors alone and then tells how many it left out", () =>
    Effect.gen(function* () {
      const lines: Array<Readonly<Record<string, unknown>>> = []
      const logger = Logger.layer([
        Logger.make(({ fiber }) => void lines.push(fiber.getRef(References.CurrentLogAnnotations)))
      ])
      const record = yield* Effect.provide(RequestLog.make(2), logger)
      const ok = { status: 200, body: "" }
      for (const reply of [ok, ok, ok, overloaded]) record({ ...exchange, contextId: "req-1" } as Exchange, reply)
      record(unknownPath, problem("internal_error", { detail: "", instance: "" }))
      const pattern = "/admin/api/v1/members/:program_id/:member_id"
      record({ ...unknownPath, pattern } as Exchange, problem("internal_error", { detail: "", instance: "" }))
      assert.deepStrictEqual(
        lines.map(({ context_request_id, omitted, route, status }) => [status, route, context_request_id, omitted]),
        [
          [200, "/proto/v1/accruals", "req-1", undefined],
          [200, "/proto/v1/accruals", "req-1", undefined],
          [500, undefined, undefined, 2],
          [500, pattern, undefined, undefined]
        ]
      )
    })
  )

  it.effect("counts polls of health and metrics, and gives them a line at debug alone", () =>
    Effect.gen(function* () {
      const routes: Array<unknown> = []
      const logger = Logger.layer([
        Logger.make(({ fiber }) => void routes.push(fiber.getRef(References.CurrentLogAnnotations)["route"]))
      ])
      const poll = { ...exchange, route: { operation: "ready", path: "/health/ready" } } as unknown as Exchange
      const at = (level: "Debug" | "Info") =>
        Effect.map(RequestLog.make(100), (record) => {
          record(poll, problem("not_active", { detail: "", instance: "" }))
          record(exchange, { status: 201, body: "" })
        }).pipe(Effect.provide(logger), Effect.provideService(References.MinimumLogLevel, level))
      yield* at("Info")
      assert.deepStrictEqual(routes, ["/proto/v1/accruals"])
      yield* at("Debug")
      assert.deepStrictEqual(routes.slice(1), ["/health/ready", "/proto/v1/accruals"])
      assert.deepStrictEqual(yield* counts, [
        [{ operation: "ready", status: "503", code: "not_active" }, 2],
        [{ operation: "accrual.post", status: "201", code: "" }, 2]
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
