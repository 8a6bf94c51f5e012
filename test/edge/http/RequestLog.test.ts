/** One metric and one line for each request, by what the gate has found out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric, References } from "effect"
import type { Exchange } from "../../../src/edge/http/Exchange.ts"
import { problem } from "../../../src/edge/http/Reply.ts"
import * as RequestLog from "../../../src/edge/http/RequestLog.ts"

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

/** Keeps the lines: each one's message and facts. */
const collecting = (lines: Array<Readonly<Record<string, unknown>>>) =>
  Logger.layer([
    Logger.make(
      ({ fiber, message }) =>
        void lines.push({ message: String(message), ...fiber.getRef(References.CurrentLogAnnotations) })
    )
  ])

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
      const logger = collecting(lines)
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
        message: "POST /proto/v1/accruals 503",
        operation: "accrual.post",
        status: 503,
        code: "overloaded",
        caller: "Till 7",
        request_id: "till-7"
      })
    })
  )

  it.effect(
    "at info gives each write of a known caller and each error a line, and reads a bounded number a second",
    () =>
      Effect.gen(function* () {
        const lines: Array<Readonly<Record<string, unknown>>> = []
        const logger = collecting(lines)
        const record = yield* Effect.provide(RequestLog.make({ perSecond: 2 }), logger)
        const write = { ...exchange, contextId: "req-1", route: { ...exchange.route, isWrite: true } } as Exchange
        const stranger = { ...write, caller: undefined } as Exchange
        const ok = { status: 200, body: "" }
        for (const reply of [ok, ok, ok]) record(exchange, reply)
        for (const reply of [ok, ok, overloaded]) record(write, reply)
        record(stranger, problem("unauthorized", { detail: "", instance: "" }))
        record(unknownPath, problem("internal_error", { detail: "", instance: "" }))
        assert.deepStrictEqual(
          lines.map(({ context_request_id, message, omitted }) => [message, context_request_id, omitted]),
          [
            ["POST /proto/v1/accruals 200", undefined, undefined],
            ["POST /proto/v1/accruals 200", undefined, undefined],
            ["POST /proto/v1/accruals 200", "req-1", 1],
            ["POST /proto/v1/accruals 200", "req-1", undefined],
            ["POST (unknown path) 500", undefined, 2]
          ]
        )
      })
  )

  it.effect("tells the trace, what was posted, and for a wrong token the address", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const record = yield* RequestLog.make({ perSecond: 10, write: (line) => void lines.push(line) })
      const trace = "0af7651916cd43dd8448eb211c80319c"
      const incoming = { method: "POST", headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` } }
      const posted = { account: 7, entries: ["ent_7_1"] }
      record({ ...exchange, incoming, posted } as unknown as Exchange, { status: 201, body: "" })
      const wrong = { ...exchange, caller: undefined, sourceIp: "192.0.2.7" } as unknown as Exchange
      record(wrong, problem("unauthorized", { detail: "", instance: "" }))
      const [write, refused] = lines.map((line) => JSON.parse(line))
      assert.strictEqual(write.message, "POST /proto/v1/accruals 201")
      assert.strictEqual(write.level, "INFO")
      assert.strictEqual(write.timestamp, "1970-01-01T00:00:00.000Z")
      assert.deepInclude(write.annotations, {
        trace_id: trace,
        account: 7,
        entries: ["ent_7_1"],
        request_id: "till-7"
      })
      assert.strictEqual(refused.message, "POST /proto/v1/accruals 401")
      assert.deepInclude(refused.annotations, { status: 401, code: "unauthorized", address: "192.0.2.7" })
      assert.notProperty(write.annotations, "address")
      // A guest's visit begins with a 401.
      const route = { operation: "guest_session.show", path: "/my/api/v1/:program_id/session" }
      record({ ...wrong, route } as unknown as Exchange, problem("unauthorized", { detail: "", instance: "" }))
      assert.notInclude(lines.pop(), "192.0.2.7")
      const pattern = "/admin/api/v1/members/:program_id/:member_id"
      record({ ...unknownPath, pattern } as Exchange, problem("method_not_allowed", { detail: "", instance: "" }))
      assert.strictEqual(JSON.parse(lines[2] ?? "{}").message, `POST ${pattern} 405`)
    })
  )

  it.effect("says method and route once, and the id of the body only where it is another one", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const record = yield* RequestLog.make({ perSecond: 10, write: (line) => void lines.push(line) })
      for (const contextId of ["till-7", "order-7"])
        record({ ...exchange, contextId } as Exchange, { status: 201, body: "" })
      const [same, other] = lines.map((line) => JSON.parse(line))
      assert.hasAllKeys(same, ["message", "level", "timestamp", "annotations"])
      assert.hasAllKeys(same.annotations, ["operation", "status", "ms", "request_id", "caller"])
      assert.strictEqual(other.annotations.context_request_id, "order-7")
    })
  )

  it.effect("counts polls of health and metrics, and gives them a line at debug alone", () =>
    Effect.gen(function* () {
      const lines: Array<Readonly<Record<string, unknown>>> = []
      const logger = collecting(lines)
      const poll = { ...exchange, route: { operation: "ready", path: "/health/ready" } } as unknown as Exchange
      const at = (level: "Debug" | "Info") =>
        Effect.map(RequestLog.make({ perSecond: 100 }), (record) => {
          record(poll, problem("not_active", { detail: "", instance: "" }))
          record(exchange, { status: 201, body: "" })
        }).pipe(Effect.provide(logger), Effect.provideService(References.MinimumLogLevel, level))
      yield* at("Info")
      const messages = () => lines.map(({ message }) => message)
      assert.deepStrictEqual(messages(), ["POST /proto/v1/accruals 201"])
      yield* at("Debug")
      assert.deepStrictEqual(messages().slice(1), ["POST /health/ready 503", "POST /proto/v1/accruals 201"])
      assert.deepStrictEqual(yield* counts, [
        [{ operation: "ready", status: "503", code: "not_active" }, 2],
        [{ operation: "accrual.post", status: "201", code: "" }, 2]
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
