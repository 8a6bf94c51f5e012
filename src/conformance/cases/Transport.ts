/**
 * Checks before any operation: paths, methods, tokens, media types, sizes
 * (contract/transport.md *Order of the checks*, *Problems*).
 */
import { Effect } from "effect"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import { operationIds, operations } from "../../contract/protocol/Operations.ts"
import { basePath, discoveryPath, retryMarker } from "../../contract/protocol/Protocol.ts"
import * as Bodies from "../Bodies.ts"
import { maxTestedBodyBytes } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import { wrongToken } from "../Host.ts"
import type { Probe } from "../Probe.ts"
import { codeOf, display, isSuccess, summary } from "../Probe.ts"

const servedBy = (probe: Probe): ReadonlyArray<OperationId> => operationIds.filter((id) => probe.world.served.has(id))

/** Every operation that the host serves. */
const eachServed = <E>(probe: Probe, check: (id: OperationId) => Effect.Effect<void, E>) =>
  Effect.forEach(servedBy(probe), check, { discard: true })

/** Every operation that does not answer `write_frozen` now. */
const eachOpen = <E>(probe: Probe, check: (id: OperationId) => Effect.Effect<void, E>) =>
  Effect.forEach(
    operationIds.filter((id) => probe.world.open.has(id)),
    check,
    { discard: true }
  )

const getPaths = [discoveryPath, "/health", `${basePath}/capabilities`]

const allowed = (allow: string | undefined): ReadonlyArray<string> =>
  (allow ?? "").split(",").map((method) => method.trim().toUpperCase())

const wrongMethod = Effect.fnUntraced(function* (probe: Probe, path: string, method: string, right: string) {
  const exchange = yield* probe.send({ method, path })
  probe.refused(exchange, 405, "method_not_allowed")
  const { allow } = exchange.headers
  const methods = allowed(allow)
  if (exchange.status === 405 && (!methods.includes(right) || methods.includes(method))) {
    probe.differs(exchange, `an Allow header that lists ${right} and not ${method}`, `Allow: ${allow ?? "absent"}`)
  }
})

/** Requests with two faults, and the code of the fault that must win. */
const precedence = (probe: Probe) => {
  const accruals = operations["accrual.post"].path
  const text = { "content-type": "text/plain" }
  const large = "x".repeat((probe.world.maxBodyBytes ?? 0) + 1)
  const isLarge = large.length > 1 && large.length <= maxTestedBodyBytes
  return [
    { request: { method: "POST", path: `${basePath}/no-such-route`, token: null, body: "{" }, code: "not_found" },
    { request: { method: "GET", path: accruals, token: null }, code: "method_not_allowed" },
    { request: { method: "POST", path: accruals, token: null, body: "{", headers: text }, code: "unauthorized" },
    ...(isLarge
      ? [
          { request: { method: "POST", path: accruals, body: large, headers: text }, code: "unsupported_media_type" },
          { request: { method: "POST", path: accruals, body: large }, code: "payload_too_large" }
        ]
      : []),
    { request: { method: "POST", path: accruals, body: "{" }, code: "invalid_json" }
  ]
}

const openApiMarks = (document: unknown): ReadonlyMap<string, boolean> => {
  const paths =
    (document as { readonly paths?: Record<string, { readonly post?: Record<string, unknown> }> }).paths ?? {}
  return new Map(Object.entries(paths).map(([path, { post }]) => [path, post?.[retryMarker] === true]))
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "transport.operations-served",
    level: "strict",
    rule: "contract/transport.md *Paths and methods*",
    title: "every operation has its path",
    needs: [],
    run: (probe) =>
      Effect.sync(() => {
        for (const id of operationIds) {
          probe.check(undefined, probe.world.served.has(id), `POST ${operations[id].path} is served`, "404")
        }
      })
  },
  {
    id: "transport.specified-served",
    level: "base",
    rule: "contract/operations.md *Table of operations*",
    title: "every operation whose path the specification gives is served",
    needs: [],
    run: (probe) =>
      Effect.sync(() => {
        for (const id of specified) {
          probe.check(undefined, probe.world.served.has(id), `POST ${operations[id].path} is served`, "404")
        }
      })
  },
  {
    id: "transport.unknown-route",
    level: "base",
    rule: "contract/transport.md *Order of the checks*",
    title: "an unknown route is 404 not_found",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const paths = ["no-such-route", "members", "members/lookup/more"].map((path) => `${basePath}/${path}`)
      for (const path of paths) {
        probe.refused(yield* probe.send({ method: "POST", path, body: {} }), 404, "not_found")
        probe.refused(yield* probe.send({ method: "GET", path }), 404, "not_found")
      }
    })
  },
  {
    id: "transport.paths-exact",
    level: "strict",
    rule: "contract/transport.md *Paths and methods*",
    title: "paths match exactly, and take no unknown query parameter",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { path } = operations["program.get"]
      for (const other of [`${path}/`, path.toUpperCase(), path.replace("/programs", "//programs")]) {
        probe.refused(yield* probe.send({ method: "POST", path: other, body: {} }), 404, "not_found")
      }
      const context = yield* probe.context()
      const body = { context, program_id: probe.program_id }
      const queried = yield* probe.send({ method: "POST", path: `${path}?a=1`, body })
      probe.refused(queried, 422, "validation_failed")
    })
  },
  {
    id: "transport.wrong-method",
    level: "base",
    rule: "contract/transport.md *Order of the checks*",
    title: "a known path with a wrong method is 405 with an Allow header",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      yield* eachServed(probe, (id) => wrongMethod(probe, operations[id].path, "GET", "POST"))
      for (const path of getPaths) yield* wrongMethod(probe, path, "POST", "GET")
      yield* wrongMethod(probe, operations["ledger.list"].path, "DELETE", "POST")
      yield* wrongMethod(probe, operations["ledger.list"].path, "PUT", "POST")
    })
  },
  {
    id: "transport.head",
    level: "strict",
    rule: "contract/transport.md *Paths and methods*",
    title: "HEAD is answered on every path that has GET",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      for (const path of getPaths) {
        const exchange = yield* probe.send({ method: "HEAD", path })
        probe.check(exchange, exchange.status === 200 && exchange.text === "", "200 without a body", summary(exchange))
      }
    })
  },
  {
    id: "transport.token-missing",
    level: "base",
    rule: "contract/transport.md *Authentication*",
    title: "every route except discovery and health needs a token",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const context = yield* probe.context()
      yield* eachServed(probe, (id) =>
        Effect.map(
          probe.send({ method: "POST", path: operations[id].path, body: { context, ...bodies[id] }, token: null }),
          (exchange) => probe.refused(exchange, 401, "unauthorized")
        )
      )
      probe.refused(
        yield* probe.send({ method: "GET", path: `${basePath}/capabilities`, token: null }),
        401,
        "unauthorized"
      )
    })
  },
  {
    id: "transport.token-wrong",
    level: "base",
    rule: "contract/transport.md *Authentication*",
    title: "an unknown or malformed token is 401 unauthorized",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const body = { context: yield* probe.context(), program_id: probe.program_id }
      const request = { method: "POST", path: operations["program.get"].path, body, token: null }
      for (const authorization of [`Bearer ${wrongToken}`, "Bearer", `Basic ${btoa("a:b")}`]) {
        const exchange = yield* probe.send({ ...request, headers: { authorization } })
        probe.refused(exchange, 401, "unauthorized")
        if (!probe.strict) continue
        probe.check(
          exchange,
          /^Bearer\b/i.test(exchange.headers["www-authenticate"] ?? ""),
          "a header WWW-Authenticate: Bearer",
          `WWW-Authenticate: ${exchange.headers["www-authenticate"] ?? "absent"}`
        )
      }
    })
  },
  {
    id: "transport.media-type",
    level: "base",
    rule: "contract/transport.md *Order of the checks*",
    title: "a body that is not application/json is 415 unsupported_media_type",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const context = yield* probe.context()
      yield* eachOpen(probe, (id) =>
        Effect.map(
          probe.send({
            method: "POST",
            path: operations[id].path,
            body: JSON.stringify({ context, ...bodies[id] }),
            headers: { "content-type": "text/plain" }
          }),
          (exchange) => probe.refused(exchange, 415, "unsupported_media_type")
        )
      )
    })
  },
  {
    id: "transport.media-type-parameters",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "parameters of the media type, such as charset, are accepted",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const body = JSON.stringify({ context: yield* probe.context(), program_id: probe.program_id })
      const headers = { "content-type": "application/json; charset=utf-8" }
      const exchange = yield* probe.send({ method: "POST", path: operations["program.get"].path, body, headers })
      probe.check(exchange, isSuccess(exchange), "success", summary(exchange))
    })
  },
  {
    id: "transport.too-large",
    level: "base",
    rule: "contract/transport.md *Bodies*",
    title: "a body over the advertised max_body_bytes is 413 payload_too_large",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { maxBodyBytes } = probe.world
      if (maxBodyBytes === undefined) {
        return yield* probe.stop(undefined, "max_body_bytes in capabilities", "none")
      }
      if (maxBodyBytes > maxTestedBodyBytes)
        return yield* probe.skip(`the limit is ${maxBodyBytes} bytes, too large to test`)
      const { path } = operations["program.get"]
      const valid = JSON.stringify({ context: yield* probe.context(), program_id: probe.program_id })
      const within = yield* probe.send({ method: "POST", path, body: valid.padEnd(maxBodyBytes) })
      probe.check(within, isSuccess(within), `success: the body has ${maxBodyBytes} bytes`, summary(within))
      const over = yield* probe.send({ method: "POST", path, body: valid.padEnd(maxBodyBytes + 1) })
      probe.refused(over, 413, "payload_too_large")
    })
  },
  {
    id: "transport.too-large-streamed",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "a chunked body over the limit is 413 too",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { maxBodyBytes = Number.POSITIVE_INFINITY } = probe.world
      if (maxBodyBytes > maxTestedBodyBytes) return yield* probe.skip("the limit is too large to test")
      const valid = JSON.stringify({ context: yield* probe.context(), program_id: probe.program_id })
      const over = yield* probe.send({
        method: "POST",
        path: operations["program.get"].path,
        body: valid.padEnd(maxBodyBytes + 1),
        chunked: true
      })
      probe.refused(over, 413, "payload_too_large")
    })
  },
  {
    id: "transport.invalid-json",
    level: "base",
    rule: "contract/transport.md *Order of the checks*",
    title: "a body that is not JSON is 400 invalid_json",
    needs: [],
    run: (probe) =>
      eachOpen(probe, (id) =>
        Effect.map(probe.send({ method: "POST", path: operations[id].path, body: '{"context": ' }), (exchange) =>
          probe.refused(exchange, 400, "invalid_json")
        )
      )
  },
  {
    id: "transport.not-an-object",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "JSON that is no object, no UTF-8 or no body at all is 400 invalid_json",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = [
        "[]",
        '"text"',
        "null",
        "1",
        "",
        "{} {}",
        new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
      ]
      for (const body of bodies) {
        const exchange = yield* probe.send({ method: "POST", path: operations["program.get"].path, body })
        probe.refused(exchange, 400, "invalid_json")
      }
    })
  },
  {
    id: "transport.repeated-name",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "a name twice in one object is 400 invalid_json, however it is escaped",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const context = yield* probe.context()
      yield* eachOpen(probe, (id) =>
        Effect.gen(function* () {
          const text = JSON.stringify({ context, ...bodies[id] })
          for (const name of ["request_id", "request\\u005fid"]) {
            const body = text.replace('"context":{', `"context":{"${name}":"another",`)
            const exchange = yield* probe.send({ method: "POST", path: operations[id].path, body })
            probe.refused(exchange, 400, "invalid_json")
          }
        })
      )
    })
  },
  {
    id: "transport.unknown-query",
    level: "strict",
    rule: "contract/transport.md *Paths and methods*",
    title: "an unknown query name is 422 validation_failed; public paths ignore queries",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const context = yield* probe.context()
      yield* eachOpen(probe, (id) =>
        Effect.gen(function* () {
          const body = JSON.stringify({ context, ...bodies[id] })
          const path = `${operations[id].path}?dry_run=true` as const
          probe.refused(yield* probe.send({ method: "POST", path, body }), 422, "validation_failed")
        })
      )
      for (const path of ["/health", discoveryPath]) {
        const exchange = yield* probe.send({ method: "GET", path: `${path}?dry_run=true` })
        probe.check(exchange, exchange.status === 200, "an answer as without the query", exchange.status)
      }
    })
  },
  {
    id: "transport.precedence",
    level: "strict",
    rule: "contract/transport.md *Order of the checks*",
    title: "of several faults the first check decides the answer",
    needs: ["accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      for (const { request, code } of precedence(probe)) {
        const exchange = yield* probe.send(request)
        probe.check(exchange, codeOf(exchange) === code, code, summary(exchange))
      }
    })
  },
  {
    id: "transport.request-id",
    level: "strict",
    rule: "contract/transport.md *Headers*",
    title: "X-Request-Id is echoed, or generated if absent",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const id = probe.id("x-request")
      const path = `${basePath}/capabilities`
      const given = yield* probe.send({ method: "GET", path, headers: { "x-request-id": id } })
      probe.equal(given, "X-Request-Id", given.headers["x-request-id"], id)
      const first = yield* probe.send({ method: "GET", path })
      const second = yield* probe.send({ method: "GET", path })
      const made = first.headers["x-request-id"]
      const isFresh = made !== undefined && made !== second.headers["x-request-id"]
      probe.check(first, isFresh, "a new X-Request-Id in each answer", `${made} and ${second.headers["x-request-id"]}`)
    })
  },
  {
    id: "transport.problem-pages",
    level: "strict",
    rule: "contract/transport.md *Problems*",
    title: "the type of a problem is the address of its documentation",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      for (const code of ["not_found", "validation_failed", "idempotency_conflict", "insufficient_balance"]) {
        const path = `/problems/${code.replaceAll("_", "-")}`
        const exchange = yield* probe.send({ method: "GET", path, token: null })
        probe.check(exchange, exchange.status === 200 && exchange.text !== "", "200 with a page", summary(exchange))
      }
    })
  },
  {
    id: "transport.retry-marker",
    level: "strict",
    rule: "contract/transport.md *Versions*",
    title: "the OpenAPI document marks the operations that are safe to retry, and no others",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const exchange = yield* probe.send({ method: "GET", path: "/openapi.json", token: null })
      if (!isSuccess(exchange)) return yield* probe.stop(exchange, "200", summary(exchange))
      const marks = openApiMarks(exchange.body)
      for (const id of operationIds) {
        const { path, safeToRetry } = operations[id]
        probe.equal(exchange, `${retryMarker} of ${path}`, marks.get(path), safeToRetry)
      }
    })
  },
  {
    id: "transport.frozen",
    level: "base",
    rule: "contract/databases.md *Write freeze*",
    title: "while writes are frozen, writes are 503 write_frozen with Retry-After, and reads succeed",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      if (!probe.world.isFrozen) return yield* probe.skip("writes are not frozen; this command never freezes a host")
      const bodies = yield* Bodies.validBodies(probe)
      for (const id of servedBy(probe).filter((id) => operations[id].write)) {
        const exchange = yield* probe.post(id, bodies[id])
        probe.refused(exchange, 503, "write_frozen")
        const after = exchange.headers["retry-after"]
        probe.check(exchange, after !== undefined, "a Retry-After header", display(after))
      }
      const read = yield* probe.post("program.get", { program_id: probe.program_id })
      probe.check(read, isSuccess(read), "success: reads are not frozen", summary(read))
    })
  }
]

/** The operations whose path and shape the specification gives. */
const specified: ReadonlyArray<OperationId> = [
  "member.lookup",
  "account.get",
  "program.get",
  "ledger.list",
  "ledger.manual_adjustment",
  "order.adjust",
  "redemption.reserve",
  "redemption.reverse",
  "issued_reward.issue",
  "issued_reward.list"
]
