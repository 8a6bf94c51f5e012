import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import type { BodyFault } from "../../src/contract/Decode.ts"
import { canonical, maxFaults, pointer, strictDecoder } from "../../src/contract/Decode.ts"
import { CampaignFacts } from "../../src/contract/platform/Campaigns.ts"
import { ProfileFacts } from "../../src/contract/platform/Members.ts"
import { decodeRules } from "../../src/contract/platform/Rules.ts"
import { PutSegment } from "../../src/contract/platform/Segments.ts"
import { decodeRequest } from "../../src/contract/protocol/DecodeRequest.ts"
import type { OperationId } from "../../src/contract/protocol/Operations.ts"
import { operationIds, operations } from "../../src/contract/protocol/Operations.ts"
import { RewardEffect } from "../../src/contract/protocol/Program.ts"
import { FreeJson, Identifier } from "../../src/contract/Values.ts"
import { bodies, context, edited, order } from "./protocol/Bodies.ts"

/** They take exactly one of `member_id` and `identity`; a generated value has both, or none. */
const takesEither: ReadonlySet<OperationId> = new Set(["order.evaluate", "accrual.post"])

const unchecked = (fields: Schema.Struct.Fields) => Schema.Struct({ ...fields, member_id: Identifier })

const faults = (id: OperationId, body: unknown): ReadonlyArray<BodyFault> => {
  const result = decodeRequest(id, body)
  return Result.isFailure(result) ? result.failure : []
}

const paths = (id: OperationId, body: unknown): ReadonlyArray<string> => faults(id, body).map(({ path }) => path)

const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

const brackets = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth))

const reversedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversedKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversedKeys(part)])
  )
}

describe("a good body", () => {
  it.each(operationIds)("%s: comes through as it is", (id) => {
    const result = decodeRequest(id, bodies[id])
    expect(result).toEqual(Result.succeed(bodies[id]))
  })

  it.each(operationIds)("%s: has the schema's order of properties, however they came", (id) => {
    const straight = Result.getOrThrow(decodeRequest(id, bodies[id]))
    const turned = Result.getOrThrow(decodeRequest(id, reversedKeys(bodies[id])))
    expect(Object.keys(turned)).toEqual(Object.keys(straight))
    expect(canonical(turned)).toBe(canonical(straight))
  })

  it("goes without what is optional", () => {
    const lean = {
      ...order,
      scope: { program_id: "p", brand_id: "b", merchant_id: "m", location_id: "l" },
      lines: [edited(order.lines[0], "/metadata")]
    }
    for (const key of ["order_number", "member_id", "closed_at", "tenders", "metadata"])
      delete (lean as Record<string, unknown>)[key]
    const body = { context: edited(context, "/source/instance"), member_id: "member-001", order: lean }
    expect(faults("accrual.post", body)).toEqual([])
  })

  it("needs an idempotency key for writes alone", () => {
    const keyless = edited(context, "/idempotency_key")
    for (const id of operationIds) {
      expect(paths(id, { ...bodies[id], context: keyless })).toEqual(
        operations[id].write ? ["/context/idempotency_key"] : []
      )
    }
  })

  it("any value of a request's schema decodes to itself, also from reversed keys", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (const id of operationIds) {
          const request: Schema.Constraint = operations[id].request
          const result = yield* Arbitrary.checkEffect(
            Arbitrary.schema(takesEither.has(id) ? unchecked(operations[id].request.fields) : request),
            (value) => {
              const { identity, ...withMember } = JSON.parse(JSON.stringify(value))
              const wire: unknown =
                takesEither.has(id) || identity === undefined ? withMember : { ...withMember, identity }
              const straight = decodeRequest(id, wire)
              const turned = decodeRequest(id, reversedKeys(wire))
              return (
                Result.isSuccess(straight) &&
                Result.isSuccess(turned) &&
                canonical(straight.success) === canonical(turned.success)
              )
            },
            { runs: 25, seed: `contract:${id}` }
          )
          expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
        }
      })
    ))
})

const Lone = "\ud800"

/** Operation, place, value put there (none: taken out), the place that must be named. */
type Refused = readonly [what: string, id: OperationId, place: string, value: readonly [unknown?], named?: string]
const refused: ReadonlyArray<Refused> = [
  ["a missing property", "accrual.post", "/order/lines/0/quantity", []],
  ["a missing object", "accrual.post", "/order/totals", []],
  ["a missing context", "member.lookup", "/context", []],
  ["an unknown property", "accrual.post", "/order/lines/0/colour", ["red"]],
  ["an unknown property at the top", "program.get", "/verbose", [true]],
  ["an unknown property of money", "accrual.post", "/order/totals/tip/symbol", ["$"]],
  ["null for an optional property", "accrual.post", "/order/order_number", [null]],
  ["null for an optional array", "accrual.post", "/order/tenders", [null]],
  ["null for a required object", "accrual.post", "/order", [null]],
  ["null for free-form", "accrual.post", "/order/metadata", [null]],
  ["a number for a string", "account.get", "/member_id", [7]],
  ["a string for a number", "accrual.post", "/order/lines/0/quantity", ["1"]],
  ["a string for a boolean", "ledger.manual_adjustment", "/qualifies_for_tier", ["true"]],
  ["an object for an array", "accrual.post", "/order/lines", [{ 0: order.lines[0] }]],
  ["an array for an object", "accrual.post", "/order/scope", [[]]],
  ["an array for free-form", "member.enroll", "/attributes", [[]]],
  ["a value out of an enumeration", "accrual.post", "/order/channel", ["drone"]],
  ["another case of an enumeration", "accrual.post", "/order/status", ["PAID"]],
  ["a property name of objects for an enumeration", "accrual.post", "/order/lines/0/kind", ["constructor"]],
  ["a wrong constant", "program.get", "/context/protocol_version", ["1.1"]],
  ["a wrong profile", "program.get", "/context/profile", ["foodservice/2.0"]],
  ["an identifier with a space", "account.get", "/member_id", ["member 1"]],
  ["a word of the operators' paths for a new member", "member.enroll", "/member_id", ["merge"]],
  ["an identifier that starts with a dot", "account.get", "/member_id", [".member"]],
  ["an identifier with a line break at its end", "account.get", "/member_id", ["member\n"]],
  ["an empty identifier", "account.get", "/program_id", [""]],
  ["an identifier of 129 characters", "account.get", "/member_id", ["m".repeat(129)]],
  ["a request id that is no identifier", "account.get", "/context/request_id", ["a/b"]],
  ["a source that is no identifier", "account.get", "/context/source/instance", ["lane 1"]],
  ["an idempotency key of 7 characters", "accrual.post", "/context/idempotency_key", ["1234567"]],
  ["an idempotency key of 256 characters", "accrual.post", "/context/idempotency_key", ["k".repeat(256)]],
  ["a lone surrogate", "accrual.post", "/order/order_id", [`order${Lone}`]],
  ["a NUL", "redemption.reverse", "/reason", ["a\u0000b"]],
  ["a lone surrogate in free-form", "accrual.post", "/order/metadata/note", [Lone]],
  ["a NUL in free-form", "accrual.post", "/order/metadata/notes/0", ["\u0000"]],
  ["a date that is none", "accrual.post", "/order/business_date", ["2026-02-30"]],
  ["29 February of no leap year", "accrual.post", "/order/business_date", ["2100-02-29"]],
  ["a date with a time", "accrual.post", "/order/business_date", ["2026-07-14T00:00:00Z"]],
  ["a timestamp on a day that is none", "accrual.post", "/order/placed_at", ["2026-02-30T10:00:00Z"]],
  ["a timestamp without an offset", "accrual.post", "/order/placed_at", ["2026-07-14T10:00:00"]],
  ["a timestamp at 24:00", "accrual.post", "/order/placed_at", ["2026-07-14T24:00:00Z"]],
  ["an integer beyond 2^53 − 1", "accrual.post", "/order/totals/total/amount", [2 ** 53]],
  ["a fraction of a minor unit", "accrual.post", "/order/totals/total/amount", [10.5]],
  ["a seventh decimal of a quantity", "accrual.post", "/order/lines/0/quantity", [0.1234567]],
  ["no item", "accrual.post", "/order/lines/0/quantity", [0]],
  ["a currency in small letters", "accrual.post", "/order/totals/tax/currency", ["usd"]],
  ["a currency of four letters", "accrual.post", "/order/totals/tax/currency", ["USDT"]],
  ["no lines", "accrual.post", "/order/lines", [[]]],
  ["more lines than allowed", "accrual.post", "/order/lines", [Array.from({ length: 1001 }, () => order.lines[0])]],
  ["an empty filter", "ledger.list", "/operations", [[]]],
  ["an unknown filter", "ledger.list", "/operations/1", ["gift"]],
  ["an empty wallet filter", "issued_reward.list", "/statuses", [[]]],
  ["an empty cursor", "ledger.list", "/cursor", [""]],
  ["a cursor of 513 characters", "ledger.list", "/cursor", ["c".repeat(513)]],
  ["a page of 0", "ledger.list", "/limit", [0]],
  ["a page of 101", "ledger.list", "/limit", [101]],
  ["an adjustment by 0", "ledger.manual_adjustment", "/amount", [0]],
  ["an adjustment by −0", "ledger.manual_adjustment", "/amount", [-0]],
  ["no classification", "ledger.manual_adjustment", "/classification", []],
  ["an empty reason", "ledger.manual_adjustment", "/reason", [""]],
  ["a reason of 256 characters", "ledger.manual_adjustment", "/reason", ["r".repeat(256)]],
  ["an identity value of 513 characters", "member.lookup", "/identity/value", ["v".repeat(513)]],
  ["an unknown artifact", "issued_reward.issue", "/artifact/type", ["barcode"]],
  [
    "a forbidden key deep in free-form",
    "accrual.post",
    "/order/metadata/till",
    [{ a: [{ constructor: 1 }] }],
    "/order/metadata/till/a/0/constructor"
  ],
  [
    "a forbidden key in a line's free-form",
    "accrual.post",
    "/order/lines/0/metadata",
    [{ prototype: {} }],
    "/order/lines/0/metadata/prototype"
  ]
]

describe("a bad body (the JSON Pointer of every offending property)", () => {
  for (const [what, id, place, value, named = place] of refused) {
    it(what, () => expect(paths(id, edited(bodies[id], place, ...value))).toEqual([named]))
  }

  it("names every fault once, in the schema's order, unknown properties last", () => {
    const body = { zeta: 1, order: { ...order, channel: "drone", extra: 1, lines: [{}] }, member_id: 7 }
    expect(paths("accrual.post", body)).toEqual([
      "/context",
      "/member_id",
      "/order/channel",
      ...["line_id", "kind", "product_id", "quantity", "unit_price", "subtotal", "discount", "tax"].map(
        (key) => `/order/lines/0/${key}`
      ),
      "/order/extra",
      "/zeta"
    ])
  })

  it("escapes ~ and / of keys (RFC 6901)", () => {
    expect(pointer(["a/b", "c~d", 0, ""])).toBe("/a~1b/c~0d/0/")
    expect(paths("program.get", { ...bodies["program.get"], "a/~b": 1 })).toEqual(["/a~1~0b"])
  })

  it.each([["__proto__"], ["constructor"], ["prototype"], ["toString"]])(
    "sees %s as an unknown property, wherever",
    (key) => {
      const text = JSON.stringify(bodies["accrual.post"])
      const top = parsed(text.replace("{", `{"${key}":{},`))
      expect(paths("accrual.post", top)).toEqual([`/${key}`])
      const inside = parsed(text.replace('"scope":{', `"scope":{"${key}":{},`))
      expect(paths("accrual.post", inside)).toEqual([`/order/scope/${key}`])
    }
  )

  it("refuses __proto__ in free-form", () => {
    const text = JSON.stringify(bodies["member.enroll"]).replace(
      '"attributes":{',
      '"attributes":{"__proto__":{"admin":true},'
    )
    expect(faults("member.enroll", parsed(text))).toEqual([
      { path: "/attributes/__proto__", message: "is not allowed as a key" }
    ])
  })

  it("says what is wrong in free-form that may be null", () => {
    const decode = strictDecoder(ProfileFacts)
    const faultsOf = (attributes: unknown) =>
      Result.getOrUndefined(Result.flip(decode({ external_id: "a", attributes })))
    expect(faultsOf("text")).toEqual([{ path: "/attributes", message: "must be an object" }])
    expect(faultsOf(parsed('{"a":{"__proto__":1}}'))).toEqual([
      { path: "/attributes/a/__proto__", message: "is not allowed as a key" }
    ])
    expect(faultsOf(null)).toBeUndefined()
  })

  it.each([[null], [[]], ["text"], [7], [true]])("names the body itself where it is no object: %j", (body) => {
    expect(faults("program.get", body)).toEqual([{ path: "", message: "must be an object" }])
  })

  it("survives 10,000 brackets, wherever they stand", () => {
    const deep = brackets(10_000)
    for (const place of [
      "/member_id",
      "/order",
      "/order/lines",
      "/order/lines/0",
      "/order/totals/tip/amount",
      "/unknown"
    ]) {
      expect(paths("accrual.post", edited(bodies["accrual.post"], place, deep))[0]).toMatch(new RegExp(`^${place}`))
    }
    const [fault] = faults("accrual.post", edited(bodies["accrual.post"], "/order/metadata", { deep }))
    expect(fault).toMatchObject({
      path: `/order/metadata/deep${"/0".repeat(31)}`,
      message: "must not be nested deeper than 32 levels"
    })
  })

  it("reports at most a hundred faults", () => {
    const lines = Array.from({ length: 1000 }, () => ({}))
    expect(faults("accrual.post", edited(bodies["accrual.post"], "/order/lines", lines))).toHaveLength(maxFaults)
    const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]))
    expect(faults("program.get", unknown)).toHaveLength(maxFaults)
    const forbidden = Array.from({ length: 500 }, () => ({ constructor: 1 }))
    expect(faults("member.enroll", edited(bodies["member.enroll"], "/attributes", { forbidden }))).toHaveLength(
      maxFaults
    )
  })

  it("does not go through an array that is too long", () => {
    const body = edited(
      bodies["accrual.post"],
      "/order/lines",
      Array.from({ length: 100_000 }, () => ({}))
    )
    expect(faults("accrual.post", body)).toMatchObject([
      { path: "/order/lines", message: "must have at most 1000 items" }
    ])
  })

  it("repeats nothing of a value, and little of a key", () => {
    const secret = "s3cr3t".repeat(1000)
    const told = JSON.stringify(faults("member.lookup", edited(bodies["member.lookup"], "/identity/value", secret)))
    expect(told).not.toContain("s3cr3t")
    expect(paths("program.get", { ...bodies["program.get"], ["k".repeat(10_000)]: 1 })[0]).toHaveLength(130)
  })

  it("says what was expected", () => {
    const body = edited(edited(bodies["accrual.post"], "/order/channel", "drone"), "/context/profile", 1)
    expect(faults("accrual.post", body).map(({ message }) => message)).toEqual([
      'must be "foodservice/1.0"',
      'must be one of "counter", "drive_thru", "kiosk", "web", "mobile", "pickup", "delivery", "catering", "third_party", "other"'
    ])
  })

  it("goes into the member of a union that the value names", () => {
    const decode = strictDecoder(RewardEffect)
    const told = (value: unknown) =>
      Result.isFailure(decode(value)) ? Result.getOrThrow(Result.flip(decode(value))) : []
    expect(told({ type: "custom", effect_type: "org.upgrade", payload: [1, { a: null }] })).toEqual([])
    expect(told({ type: "free_item", max_quantity: 1 })).toEqual([{ path: "/max_value", message: "is required" }])
    expect(told({ type: "gift" })).toMatchObject([
      { path: "/type", message: 'must be one of "discount", "free_item", "custom"' }
    ])
    expect(told({})).toEqual([{ path: "/type", message: "is required" }])
  })

  it("takes any JSON, a number by itself too, but no number beyond a double", () => {
    const decode = strictDecoder(FreeJson)
    for (const value of [10, -0.5, "text", true, [10], { a: 10 }]) expect(decode(value)).toEqual(Result.succeed(value))
    for (const [value, path] of [
      [Number.POSITIVE_INFINITY, ""],
      [{ a: [Number.POSITIVE_INFINITY] }, "/a/0"]
    ])
      expect(decode(value)).toEqual(Result.fail([{ path, message: "must be a number that fits a double" }]))
  })
})

describe("canonical", () => {
  it("sorts the keys of free-form objects alone, at any depth", () => {
    const value = { b: 1, metadata: { z: [{ y: 1, x: 2 }], a: 1 }, a: { d: 1, c: 2 } }
    expect(canonical(value)).toBe('{"b":1,"metadata":{"a":1,"z":[{"x":2,"y":1}]},"a":{"d":1,"c":2}}')
  })

  it("keeps the order of arrays, and differs where values differ", () => {
    expect(canonical({ metadata: { a: [2, 1] } })).toBe('{"metadata":{"a":[2,1]}}')
    expect(canonical({ metadata: { a: "1" } })).not.toBe(canonical({ metadata: { a: 1 } }))
  })
})

describe("what is wrong between properties", () => {
  it("is told beside other faults, unless one of these properties is wrong itself", () => {
    const body = { ...bodies["accrual.post"], order: edited(order, "/currency", "dollars") } as Record<string, unknown>
    const without = { ...body }
    delete without["member_id"]
    expect(paths("accrual.post", without)).toContain("/order/currency")
    expect(faults("accrual.post", without).length).toBeGreaterThan(faults("accrual.post", body).length)
    const both = { ...body, member_id: "member-001", identity: { type: "loyalty_id", value: "c" } }
    expect(faults("accrual.post", both).length).toBeGreaterThan(faults("accrual.post", body).length)
    const wrong = { ...both, member_id: 7 }
    expect(paths("accrual.post", wrong)).toContain("/member_id")
  })

  it("is told beside other faults of members, segments and campaigns", () => {
    const pathsOf = (schema: Schema.ConstraintDecoder<unknown>, body: object) => {
      const decoded = strictDecoder(schema)(body)
      return Result.isFailure(decoded) ? decoded.failure.map(({ path }) => path).toSorted() : []
    }
    expect(pathsOf(ProfileFacts, { email: "none" })).toEqual(["/email", "/member_id"])
    expect(pathsOf(ProfileFacts, { external_id: "e", email: "none" })).toEqual(["/email"])
    const segment = { name: 7, member_ids: ["m"], rules: { status: ["active"] } }
    expect(pathsOf(PutSegment, segment)).toEqual(["/name", "/rules"])
    const campaign = {
      name: "",
      action: { credit: { amount: 1, reason: "r" } },
      reward_id: "free-bowl",
      starts_at: "2026-08-01T00:00:00Z",
      ends_at: "2026-08-01T00:00:00Z",
      attribution_days: 3,
      attribution_window_days: 4
    }
    const between = ["/attribution_window_days", "/ends_at", "/reward_id", "/segment_id"]
    expect(pathsOf(CampaignFacts, campaign)).toEqual([...between, "/name"].toSorted())
    const trigger = { on: "member.enrolled", where: { first_order: true }, direction: "up", to: "referrer" }
    const ofTrigger = ["/frequency", "/trigger/direction", "/trigger/on", "/trigger/where"]
    const triggered = { name: "n", action: {}, trigger, starts_at: "2026-08-01T00:00:00Z" }
    expect(pathsOf(CampaignFacts, triggered)).toEqual(["/action", ...ofTrigger, "/starts_at"].toSorted())
    // Each condition meets any JSON.
    for (const odd of [null, 7, "x", [], {}, { on: null, where: 7 }])
      for (const name of ["action", "trigger", "schedule", "limit", "starts_at", "ends_at", "frequency"])
        expect(pathsOf(CampaignFacts, { ...campaign, [name]: odd })).not.toEqual([])
  })

  it("refuses an identity whose issuer is blank", () => {
    const identity = { type: "loyalty_id", value: "c-1", issuer: "  " }
    expect(faults("member.enroll", { ...bodies["member.enroll"], identity })).toEqual([
      { path: "/identity/issuer", message: "must not be blank" }
    ])
  })
})

describe("rules of a segment", () => {
  it("take the 200 conditions that the contract promises, and lists of values of at most 100", () => {
    const rules = (n: number) => ({ any: Array.from({ length: n }, () => ({ status: ["active"] })) })
    expect(Result.isSuccess(decodeRules(rules(200)))).toBe(true)
    expect(Result.isFailure(decodeRules(rules(201)))).toBe(true)
    const tier = Array.from({ length: 101 }, (_, index) => `t${index}`)
    expect(Result.isFailure(decodeRules({ tier }))).toBe(true)
  })
})
