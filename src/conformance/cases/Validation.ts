/** Bodies that break the schema: 422 validation_failed, with the place of each fault. */
import { Effect } from "effect"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import { operationIds, operations } from "../../contract/protocol/Operations.ts"
import * as Bodies from "../Bodies.ts"
import type { Case } from "../Case.ts"
import type { Exchange } from "../Host.ts"
import type { Probe } from "../Probe.ts"
import { display } from "../Probe.ts"

type Json = Readonly<Record<string, unknown>>

const errorsOf = ({ body }: Exchange): ReadonlyArray<{ readonly path: unknown; readonly message: unknown }> => {
  const errors = typeof body === "object" && body !== null && "errors" in body ? body.errors : undefined
  return Array.isArray(errors) ? errors : []
}

/** Checks for 422 with errors of path and message; with `--strict` the places must be among the errors. */
const invalid = (probe: Probe, exchange: Exchange, places: ReadonlyArray<string>): void => {
  probe.refused(exchange, 422, "validation_failed")
  if (exchange.status !== 422) return
  const errors = errorsOf(exchange)
  const wellFormed =
    errors.length > 0 && errors.every(({ message, path }) => typeof path === "string" && typeof message === "string")
  probe.check(exchange, wellFormed, "errors of {path, message}", errors)
  if (!probe.strict) return
  for (const place of places) {
    const isListed = errors.some(({ path }) => path === place)
    probe.check(exchange, isListed, `an error at ${place || "the root"}`, errors)
  }
}

/** The required properties of an operation's request, except its context. */
const requiredOf = (id: OperationId): ReadonlyArray<string> => {
  const { ast } = operations[id].request
  return ast._tag !== "Objects"
    ? []
    : ast.propertySignatures
        .filter(({ name, type }) => name !== "context" && type.context?.isOptional !== true)
        .map(({ name }) => String(name))
}

/** A copy with the value at a pointer replaced; undefined removes it. */
const changed = (body: Json, place: string, value: unknown): Json => {
  const copy = structuredClone(body) as Record<string, unknown>
  const keys = place.slice(1).split("/")
  const last = keys.pop() ?? ""
  const parent = keys.reduce((part, key) => part[key] as Record<string, unknown>, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

const open = (probe: Probe) => operationIds.filter((id) => probe.world.open.has(id))

/** Sends one body for each row: valid, except for one place. */
const broken = Effect.fnUntraced(function* (
  probe: Probe,
  rows: ReadonlyArray<readonly [id: OperationId, place: string, value: unknown]>
) {
  const bodies = yield* Bodies.validBodies(probe)
  for (const [id, place, value] of rows) {
    if (!probe.world.open.has(id)) continue
    const body: Json = { context: yield* probe.context(), ...bodies[id] }
    invalid(probe, yield* probe.post(id, changed(body, place, value)), [place])
  }
})

/** The fields for which the specification requires the identifier rule. */
const identifierFields: ReadonlyArray<readonly [OperationId, string]> = [
  ["account.get", "/member_id"],
  ["account.get", "/program_id"],
  ["ledger.list", "/member_id"],
  ["ledger.list", "/program_id"],
  ["ledger.list", "/account_id"],
  ["ledger.manual_adjustment", "/member_id"],
  ["ledger.manual_adjustment", "/program_id"],
  ["ledger.manual_adjustment", "/adjustment_id"],
  ["issued_reward.issue", "/issued_reward_id"],
  ["issued_reward.issue", "/member_id"],
  ["issued_reward.issue", "/program_id"],
  ["issued_reward.issue", "/reward_id"]
]

const wrongIdentifiers = ["", "a".repeat(129), "-first", "a b", "ä", 7]

const limits: ReadonlyArray<readonly [OperationId, string, unknown]> = [
  ["ledger.list", "/limit", 0],
  ["ledger.list", "/limit", 101],
  ["ledger.list", "/limit", "10"],
  ["ledger.list", "/cursor", ""],
  ["ledger.list", "/cursor", "a".repeat(513)],
  ["ledger.list", "/operations", []],
  ["ledger.list", "/operations", "accrual"],
  ["ledger.list", "/occurred_from", "yesterday"],
  ["ledger.list", "/occurred_until", "2026-02-30T00:00:00Z"],
  ["issued_reward.list", "/statuses", []],
  ["ledger.manual_adjustment", "/reason", ""],
  ["ledger.manual_adjustment", "/reason", "a".repeat(256)],
  ["ledger.manual_adjustment", "/classification", undefined],
  ["ledger.manual_adjustment", "/classification", "no-such-classification"],
  ["ledger.manual_adjustment", "/amount", "1"],
  ["ledger.manual_adjustment", "/amount", 1.5],
  ["ledger.manual_adjustment", "/unit", "no-such-unit"],
  ["ledger.manual_adjustment", "/qualifies_for_tier", "yes"],
  ["ledger.manual_adjustment", "/expires_at", "tomorrow"]
]

const line = "/order/lines/0"
/** Values that this project's decisions forbid (contract/resources.md *Values*). */
const forbidden: ReadonlyArray<readonly [OperationId, string, unknown]> = [
  ["account.get", "/context/request_id", "a b"],
  ["account.get", "/context/occurred_at", "2026-07-14"],
  ["account.get", "/context/occurred_at", "2026-07-14T24:00:00Z"],
  ["account.get", "/context/source", undefined],
  ["account.get", "/context/source/system", "a b"],
  ["ledger.manual_adjustment", "/context/idempotency_key", undefined],
  ["ledger.manual_adjustment", "/context/idempotency_key", "seven77"],
  ["ledger.manual_adjustment", "/context/idempotency_key", "a".repeat(256)],
  ["ledger.manual_adjustment", "/amount", 0],
  ["ledger.manual_adjustment", "/amount", 9_007_199_254_740_992],
  ["ledger.manual_adjustment", "/qualifies_for_tier", undefined],
  ["ledger.manual_adjustment", "/reason", "a\u0000b"],
  ["ledger.manual_adjustment", "/reason", "\ud800"],
  ["ledger.list", "/operations", ["no-such-operation"]],
  ["ledger.list", "/limit", 1.5],
  ["issued_reward.list", "/statuses", ["no-such-status"]],
  ["member.enroll", "/identity/type", "no-such-type"],
  ["member.enroll", "/identity/value", ""],
  ["member.enroll", "/identity/value", "a".repeat(513)],
  ["member.enroll", "/identity/value", " "],
  ["ledger.manual_adjustment", "/context/idempotency_key", " ".repeat(8)],
  ["accrual.post", "/order/order_id", " "],
  ["member.enroll", "/member_id", "a b"],
  ["accrual.post", `${line}/quantity`, 0.1234567],
  ["accrual.post", `${line}/quantity`, 0],
  ["accrual.post", `${line}/kind`, "no-such-kind"],
  ["accrual.post", `${line}/unit_price/currency`, "usd"],
  ["accrual.post", `${line}/unit_price/amount`, "1"],
  ["accrual.post", "/order/lines", []],
  ["accrual.post", "/order/totals/tip", undefined],
  ["accrual.post", "/order/channel", "no-such-channel"],
  ["accrual.post", "/order/status", "no-such-status"],
  ["accrual.post", "/order/business_date", "2026-02-30"],
  ["accrual.post", "/order/scope/location_id", undefined],
  ["order.adjust", "/adjustment/type", "no-such-type"],
  ["order.adjust", "/adjustment/eligible_spend_delta", undefined],
  ["redemption.reverse", "/reason", ""],
  ["redemption.reverse", "/reason", "a".repeat(256)],
  ["issued_reward.cancel", "/reason", undefined],
  ["issued_reward.issue", "/artifact", { type: "no-such-type", value: "x" }]
].map(([id, place, value]) => [id as OperationId, place as string, value])

/** Where the fault is inside a replaced value. */
const within: Readonly<Record<string, string>> = {
  "/artifact": "/artifact/type",
  "/operations": "/operations/0",
  "/statuses": "/statuses/0"
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "validation.required",
    level: "base",
    rule: "contract/transport.md *Problems*",
    title: "a body without required properties is 422 with errors of path and message",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      for (const id of open(probe)) {
        const places = requiredOf(id).map((name) => `/${name}`)
        invalid(probe, yield* probe.post(id, {}), places)
        const { path } = operations[id]
        invalid(probe, yield* probe.send({ method: "POST", path, body: {} }), ["/context", ...places])
      }
    })
  },
  {
    id: "validation.protocol",
    level: "base",
    rule: "contract/resources.md *Request context*",
    title: "protocol_version and profile are the protocol's constants",
    needs: [],
    run: (probe) =>
      broken(
        probe,
        open(probe).flatMap((id) => [
          [id, "/context/protocol_version", "2.0"] as const,
          [id, "/context/profile", "retail/1.0"] as const
        ])
      )
  },
  {
    id: "validation.identifiers",
    level: "base",
    rule: "contract/resources.md *Values*",
    title: "the length and pattern of identifiers are checked",
    needs: [],
    run: (probe) =>
      broken(
        probe,
        identifierFields.flatMap(([id, place]) => wrongIdentifiers.map((value) => [id, place, value] as const))
      )
  },
  {
    id: "validation.limits",
    level: "base",
    rule: "contract/resources.md *Values*",
    title: "documented bounds of fields are checked",
    needs: [],
    run: (probe) => broken(probe, limits)
  },
  {
    id: "validation.bounds-accepted",
    level: "base",
    rule: "contract/resources.md *Values*",
    title: "values at their bounds are accepted",
    needs: ["account.get", "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const long = `${probe.id("a")}${"a".repeat(128)}`.slice(0, 128)
      for (const member_id of [long, "A", "a._:-9"]) {
        const exchange = yield* probe.post("account.get", { member_id, program_id })
        probe.check(exchange, exchange.status !== 422, "no validation failure", display(exchange.text))
      }
      for (const limit of [1, 100]) {
        const exchange = yield* probe.post("ledger.list", { member_id: long, program_id, limit })
        probe.check(exchange, exchange.status !== 422, "no validation failure", display(exchange.text))
      }
    })
  },
  {
    id: "validation.unknown-properties",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "an unknown property is reported at its place",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      yield* broken(
        probe,
        open(probe).flatMap((id) => [[id, "/unexpected", true] as const, [id, "/context/unexpected", true] as const])
      )
      yield* broken(probe, [
        ["accrual.post", `${line}/unexpected`, true],
        ["accrual.post", `${line}/unit_price/unexpected`, true],
        ["member.enroll", "/identity/unexpected", true],
        ["order.adjust", "/adjustment/unexpected", true]
      ])
    })
  },
  {
    id: "validation.values",
    level: "strict",
    rule: "contract/resources.md *Values*",
    title: "enumerations, lengths, whole numbers, timestamps and texts are checked",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      for (const [id, place, value] of forbidden) {
        if (!probe.world.open.has(id)) continue
        const body: Json = { context: yield* probe.context(), ...bodies[id] }
        invalid(probe, yield* probe.post(id, changed(body, place, value)), [within[place] ?? place])
      }
    })
  },
  {
    id: "validation.hashes",
    level: "strict",
    rule: "contract/resources.md *Enumerations*",
    title: "the value of email_hash and phone_hash is a SHA-256 in lower-case hex",
    needs: ["member.lookup"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const hashed = "0123456789abcdef".repeat(4)
      for (const type of ["email_hash", "phone_hash"] as const) {
        const sound = yield* probe.post("member.lookup", { program_id, identity: { type, value: hashed } })
        probe.check(sound, sound.status === 200, "a lookup by a hash is answered", display(sound.text))
        for (const value of [hashed.toUpperCase(), hashed.slice(1), "ada@example.com"])
          invalid(probe, yield* probe.post("member.lookup", { program_id, identity: { type, value } }), [
            "/identity/value"
          ])
      }
    })
  },
  {
    id: "validation.every-fault",
    level: "strict",
    rule: "contract/transport.md *Problems*",
    title: "every offending property is reported at once, and detail names the first",
    needs: ["accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const places = [`${line}/quantity`, "/order/business_date", "/context/request_id"]
      const body = places.reduce((spoiltBody: Json, place) => changed(spoiltBody, place, "no such value"), {
        context: yield* probe.context(),
        ...bodies["accrual.post"]
      })
      const exchange = yield* probe.post("accrual.post", body)
      invalid(probe, exchange, places)
      const [first] = errorsOf(exchange)
      const detail = (exchange.body as { readonly detail?: unknown } | undefined)?.detail
      const namesFirst = typeof detail === "string" && typeof first?.path === "string" && detail.includes(first.path)
      probe.check(exchange, namesFirst, `a detail that names ${display(first?.path)}`, detail)
    })
  },
  {
    id: "validation.forbidden-keys",
    level: "strict",
    rule: "contract/transport.md *Bodies*",
    title: "__proto__, constructor and prototype are rejected as keys of free-form objects",
    needs: ["member.enroll"],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      for (const key of ["__proto__", "constructor", "prototype"]) {
        const attributes: unknown = JSON.parse(`{"deep": {"${key}": 1}}`)
        const exchange = yield* probe.post("member.enroll", { ...bodies["member.enroll"], attributes })
        invalid(probe, exchange, [`/attributes/deep/${key}`])
      }
    })
  }
]
