/**
 * Twelve and more wrong bodies for each operation: 422 with the right place, never a 500, and nothing done. Holds
 * contract/resources.md *Identities*.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { OperationId } from "../../../src/contract/protocol/Operations.ts"
import { operationIds, operations } from "../../../src/contract/protocol/Operations.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as TestServer from "./TestServer.ts"

const program_id = "demo-foodservice"
const member_id = "guest-1"
const identity = { type: "loyalty_id", value: "card-1", issuer: "x" }
const money = { amount: 0, currency: "USD" }

/** A sound body of each operation, its context aside. */
const sound: { readonly [Id in OperationId]: Record<string, unknown> } = {
  "member.lookup": { program_id, identity },
  "member.enroll": { program_id, identity, member_id, attributes: { a: 1 } },
  "account.get": { member_id, program_id },
  "program.get": { program_id },
  "ledger.list": { member_id, program_id, operations: ["accrual"], limit: 10 },
  "ledger.manual_adjustment": {
    member_id,
    program_id,
    adjustment_id: "a-1",
    amount: 5,
    classification: "gift",
    reason: "x",
    qualifies_for_tier: false
  },
  "order.evaluate": { member_id, order: Testing.order("o-1", 1000, Testing.placedNow) },
  "accrual.post": { member_id, order: Testing.order("o-1", 1000, Testing.placedNow) },
  "order.adjust": {
    member_id,
    program_id,
    adjustment: {
      adjustment_id: "a-2",
      original_order_id: "o-1",
      type: "void",
      reason: "x",
      occurred_at: "2026-07-14T10:00:00Z",
      order_total_delta: money,
      eligible_spend_delta: money
    }
  },
  "redemption.reserve": {
    redemption_id: "r-1",
    member_id,
    reward_id: "one-off",
    order: Testing.order("o-2", 500, Testing.placedNow)
  },
  "redemption.capture": { reservation_id: "rsv", order_id: "o-2" },
  "redemption.reverse": { reservation_id: "rsv", reason: "x" },
  "issued_reward.issue": { issued_reward_id: "i-1", member_id, program_id, reward_id: "one-off" },
  "issued_reward.list": { member_id, program_id, statuses: ["issued"] },
  "issued_reward.cancel": { issued_reward_id: "i-1", reason: "x" }
}

type Path = ReadonlyArray<string | number>

/** Every place in a body that holds a value. */
const places = (value: unknown, at: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? [
        ...(at.length > 0 ? [at] : []),
        ...Object.entries(value).flatMap(([key, part]) =>
          key === "attributes" ? [[...at, key]] : places(part, [...at, Array.isArray(value) ? Number(key) : key])
        )
      ]
    : [at]

const pointer = (path: Path) => path.map((part) => `/${part}`).join("")

/** A copy with one place changed; `undefined` takes it out. */
const changed = (body: object, path: Path, value: unknown): object => {
  const copy = structuredClone(body)
  const [last = ""] = path.slice(-1)
  // Walks to the parent of the place; `places` made the path from this very body.
  const parent = path
    .slice(0, -1)
    .reduce<Record<string | number, unknown>>(
      (part, key) => part[key] as Record<string | number, unknown>,
      copy as Record<string | number, unknown>
    )
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

const wrong: ReadonlyArray<readonly [string, unknown]> = [
  ["null", null],
  ["a boolean in its place", "BOOLEAN"],
  ["an empty object", {}],
  ["a lone surrogate", "\ud800"],
  ["NUL", "\u0000"],
  ["an empty text", ""],
  ["a blank text", " \t\u3000 "],
  ["2,000 characters", "x".repeat(2000)],
  ["seven decimals", 1.0000001],
  ["2^53", 2 ** 53]
]

/** Places of texts for people, which may be blank. */
const isForPeople = (path: Path): boolean => path.includes("reason") || path.at(-1) === "issuer"

layer(TestServer.layer(MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))), {
  excludeTestServices: true
})("wrong bodies", (it) => {
  for (const id of operationIds) {
    it.effect(`${id}: every wrong value in every place answers 422 and names the place`, () =>
      Effect.gen(function* () {
        const body = { context: Testing.context("a-sound-key"), ...sound[id] }
        const attempts = places(body).flatMap((path) =>
          wrong.map(
            ([name, value]) =>
              [path, name, value === "BOOLEAN" ? (path.at(-1) === "qualifies_for_tier" ? 1 : true) : value] as const
          )
        )
        assert.isAtLeast(attempts.length, 12)
        const answers = yield* Effect.forEach(
          attempts,
          ([path, , value]) => TestServer.send(operations[id].path, changed(body, path, value)),
          { concurrency: 16 }
        )
        answers.forEach((answer, index) => {
          const [path = [], name = ""] = attempts[index] ?? []
          const errors = answer.body["errors"] as ReadonlyArray<{ path: string }> | undefined
          const says = `${id} ${pointer(path)} ${name}: ${answer.status} ${JSON.stringify(errors)?.slice(0, 200)}`
          if (path.includes("attributes") && name === "an empty object") return
          if (isForPeople(path) && name === "a blank text") return
          assert.strictEqual(answer.status, 422, says)
          assert.isTrue(
            errors?.some((error) => error.path.startsWith(pointer(path))),
            says
          )
        })
      })
    )

    it.effect(`${id}: a missing or unknown property is named by its own place`, () =>
      Effect.gen(function* () {
        const body = { context: Testing.context("a-sound-key"), ...sound[id] }
        for (const key of ["context", ...Object.keys(sound[id])]) {
          const answer = yield* TestServer.send(operations[id].path, changed(body, [key], undefined))
          const errors = (answer.body["errors"] ?? []) as ReadonlyArray<{ path: string }>
          assert.isBelow(answer.status, 500)
          if (answer.body["code"] === "validation_failed")
            assert.deepStrictEqual(
              errors.map(({ path }) => path),
              [`/${key}`]
            )
        }
        const unknown = yield* TestServer.send(operations[id].path, { ...body, surprise: 1 })
        assert.deepInclude(unknown.body, { status: 422, code: "validation_failed" })
        assert.deepStrictEqual(unknown.body["errors"], [{ path: "/surprise", message: "is not a known property" }])
        const hidden = yield* TestServer.send(
          operations[id].path,
          JSON.stringify(body).replace("{", '{"__proto__":{"a":1},')
        )
        assert.strictEqual(hidden.status, 422)
      })
    )

    it.effect(`${id}: an unknown query name is a validation error, whatever it asks for`, () =>
      Effect.gen(function* () {
        const body = { context: Testing.context("a-sound-key"), ...sound[id] }
        const answer = yield* TestServer.send(`${operations[id].path}?dry_run=true`, body)
        assert.deepInclude(answer.body, { status: 422, code: "validation_failed" })
        assert.deepStrictEqual(answer.body["errors"], [{ path: "/dry_run", message: "is not a known property" }])
        assert.notStrictEqual((yield* TestServer.send(`${operations[id].path}?`, body)).status, 422)
      })
    )
  }

  const withOrder = ["order.evaluate", "accrual.post", "redemption.reserve"] as const
  for (const id of withOrder)
    it.effect(
      `${id}: what is wrong of the order's times and sums is told beside all else, as far as it is readable`,
      () =>
        Effect.gen(function* () {
          const body = { context: Testing.context("a-sound-key"), ...sound[id] }
          const send = (...changes: ReadonlyArray<readonly [Path, unknown]>) =>
            Effect.map(
              TestServer.send(
                operations[id].path,
                changes.reduce<object>((one, [path, value]) => changed(one, path, value), body)
              ),
              ({ body: { code, errors } }) => [
                code,
                (errors as ReadonlyArray<{ path: string }>).map(({ path }) => path)
              ]
            )
          const ahead = [["order", "placed_at"], "2096-07-14T10:00:00Z"] as const
          const total = [["order", "totals", "total", "amount"], 7] as const
          assert.deepStrictEqual(yield* send([["order", "order_id"], 7], ahead, total), [
            "validation_failed",
            ["/order/order_id", "/order/totals/total/amount", "/order/placed_at", "/order/business_date"]
          ])
          assert.deepStrictEqual(yield* send([["order", "lines", 0, "quantity"], "x"], ahead, total), [
            "validation_failed",
            ["/order/lines/0/quantity", "/order/placed_at", "/order/business_date"]
          ])
          assert.deepStrictEqual(
            yield* send([["order", "business_date"], "x"], [["order", "totals", "tip"], {}], ahead),
            [
              "validation_failed",
              ["/order/business_date", "/order/totals/tip/amount", "/order/totals/tip/currency", "/order/placed_at"]
            ]
          )
        })
    )

  for (const id of withOrder)
    it.effect(`${id}: another currency and an unknown programme are told beside all else`, () =>
      Effect.gen(function* () {
        const identity = { type: "loyalty_id", value: "card-of-euro" }
        const enrolled = { context: Testing.context(), program_id, identity, member_id: "of-euro" }
        yield* TestServer.send(operations["member.enroll"].path, enrolled)
        const sent = JSON.stringify({ ...sound[id], member_id: "of-euro" })
        const told = (text: string, order: object) =>
          Effect.gen(function* () {
            const body = JSON.parse(text) as { readonly order: object }
            const context = Testing.context(`a-key-of-${id}`)
            const { body: problem } = yield* TestServer.send(operations[id].path, {
              ...body,
              context,
              order: { ...body.order, order_id: `euro-${id}`, ...order }
            })
            const errors = (problem["errors"] ?? []) as ReadonlyArray<{ readonly path: string }>
            return [problem["code"], ...errors.map(({ path }) => path)]
          })
        const ahead = { placed_at: "2096-07-14T10:00:00Z", business_date: "2096-07-14" }
        const euro = sent.replaceAll("USD", "EUR")
        const currency = "/order/totals/total/currency"
        assert.deepStrictEqual(yield* told(euro, {}), ["currency_mismatch"])
        assert.deepStrictEqual(yield* told(euro, ahead), ["invalid_order", "/order/placed_at", currency])
        assert.deepStrictEqual(yield* told(euro, { order_id: 7 }), ["validation_failed", "/order/order_id", currency])
        const elsewhere = sent.replaceAll(program_id, "elsewhere")
        const program = "/order/scope/program_id"
        assert.deepStrictEqual(yield* told(elsewhere, {}), ["not_found"])
        assert.deepStrictEqual(yield* told(elsewhere, ahead), ["invalid_order", "/order/placed_at", program])
        assert.deepStrictEqual(yield* told(elsewhere, { order_id: 7 }), [
          "validation_failed",
          "/order/order_id",
          program
        ])
      })
    )

  it.effect("capabilities take no query, and public pages ignore theirs", () =>
    Effect.gen(function* () {
      const get = (path: string) => TestServer.send(path, undefined, { method: "GET" })
      const refused = yield* get("/proto/v1/capabilities?dry_run=true&a=%zz")
      assert.deepInclude(refused.body, { status: 422, code: "validation_failed" })
      assert.strictEqual((yield* get("/proto/v1/capabilities?dry_run=true")).status, 422)
      for (const path of ["/health", "/.well-known/proto", "/problems/not-found", "/openapi.json"])
        assert.strictEqual((yield* get(`${path}?utm_source=x&a=%zz`)).status, 200, path)
    })
  )

  const hashed = [..."0123456789abcdef"].join("").repeat(4)

  it.effect("the value of a hash is a SHA-256 in lower-case hex, on every surface that takes an identity", () =>
    Effect.gen(function* () {
      for (const type of ["email_hash", "phone_hash"]) {
        for (const value of [hashed.toUpperCase(), hashed.slice(1), `${hashed}0`, "ada@example.com", "+491701234567"]) {
          const wrongHash = { type, value }
          const admin = { headers: { authorization: "Bearer proto-dev-admin-key" } }
          const members = "/admin/api/v1/members/demo-foodservice"
          const requests = [
            [operations["member.lookup"].path, { program_id, identity: wrongHash }, "/identity/value"],
            [operations["member.enroll"].path, { program_id, identity: wrongHash }, "/identity/value"],
            [`${members}/guest-1/identities`, { add: [identity, wrongHash] }, "/add/1/value"]
          ] as const
          for (const [path, body, place] of requests) {
            const context = path.startsWith("/proto") ? { context: Testing.context("a-sound-key") } : {}
            const answer = yield* TestServer.send(path, { ...context, ...body }, path.startsWith("/proto") ? {} : admin)
            assert.strictEqual(answer.status, 422, `${path} ${value}`)
            assert.deepStrictEqual(answer.body["errors"], [
              { path: place, message: "must be a SHA-256 in 64 lower-case hex digits" }
            ])
          }
        }
        const sent = { context: Testing.context("a-sound-key"), program_id, identity: { type, value: hashed } }
        assert.strictEqual((yield* TestServer.send(operations["member.lookup"].path, sent)).status, 200)
      }
    })
  )
})
