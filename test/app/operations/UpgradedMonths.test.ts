/**
 * Two months that the newest release has recorded, closed after an upgrade to this version: they are counted anew to the same
 * bytes after a rebuild, a restore and an archived span (contract/finance.md *Roll-forward*, *Verification*).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import type { ClosedMonth } from "../../../src/contract/admin/Finance.ts"
import type { RestaurantRedemptions } from "../../../src/contract/platform/RestaurantRedemptions.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { runFolder, until } from "../../faults/Processes.ts"
import { Service } from "../../faults/Service.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "../cli/InProcess.ts"
import { urlOf } from "../cli/Lotbook.ts"
import { newestRelease, unpack } from "./Released.ts"

const program_id = "demo-foodservice"
const member_id = "guest"
const [september, october, november] = ["2026-09-05T12:00:00Z", "2026-10-10T12:00:00Z", "2026-11-02T12:00:00Z"] as const
const release = newestRelease()
const finance = "/admin/api/v1/finance"

const ask = async (service: Service, address: string, body?: object) => {
  const key = address.startsWith("/admin/") ? "proto-dev-admin-key" : "proto-dev-token"
  const answer = await fetch(`http://127.0.0.1:${service.port}${address}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  return { status: answer.status, bytes: await answer.bytes() }
}

const told = async <A = Record<string, unknown>>(service: Service, address: string, body?: object): Promise<A> => {
  const { bytes, status } = await ask(service, address, body)
  const text = Buffer.from(bytes).toString()
  assert.isBelow(status, 300, `${address}: ${text}`)
  return JSON.parse(text)
}

const proto = <A>(service: Service, route: string, body: object) =>
  told<A>(service, `/proto/v1/${route}`, { context: Testing.context(), ...body })

const orderAt = (at: string, location_id: string, id: string, amount: number, more: object = {}) => {
  const order = Testing.order(id, amount, { ...Testing.placedAt(Date.parse(at)), ...more })
  return { ...order, scope: { ...order.scope, location_id } }
}

const redeemed = async (service: Service, at: string, id: string) => {
  const order = orderAt(at, "west", `${id}-order`, 500, { status: "open" })
  const { reservation } = await proto<{ readonly reservation: { readonly reservation_id: string } }>(
    service,
    "redemptions/reserve",
    { redemption_id: id, member_id, reward_id: "one-off", order }
  )
  await proto(service, "redemptions/capture", { reservation_id: reservation.reservation_id, order_id: order.order_id })
  return reservation.reservation_id
}

/** Records orders and redemptions of two months. Returns the points that the guest has in the end. */
const recorded = async (service: Service): Promise<number> => {
  await proto(service, "members/enroll", {
    program_id,
    member_id,
    identity: { type: "loyalty_id", value: "card", issuer: "x" }
  })
  await proto(service, "accruals", { member_id, order: orderAt(september, "east", "s-1", 4_000) })
  await proto(service, "orders/adjust", {
    program_id,
    member_id,
    adjustment: {
      reason: "test",
      adjustment_id: "refund",
      original_order_id: "s-1",
      type: "partial_refund",
      occurred_at: september,
      order_total_delta: { amount: -1_000, currency: "USD" },
      eligible_spend_delta: { amount: -1_000, currency: "USD" }
    }
  })
  await redeemed(service, september, "r-september")
  await told(service, "/admin/api/v1/clock", { set: october })
  await proto(service, "accruals", { member_id, order: orderAt(october, "west", "o-1", 3_000) })
  const reservation_id = await redeemed(service, october, "r-october")
  await proto(service, "redemptions/reverse", { reservation_id, reason: "test" })
  await told(service, "/admin/api/v1/clock", { set: november })
  const { balances } = await proto<{ readonly balances: ReadonlyArray<{ readonly amount: number }> }>(
    service,
    "accounts/get",
    { program_id, member_id }
  )
  return balances[0]!.amount
}

const closed = (service: Service, period: string) =>
  until(`${period} is closed`, async () => {
    const { bytes, status } = await ask(service, `${finance}/close`, { program_id, period })
    assert.include([200, 409], status, Buffer.from(bytes).toString())
    return status === 200 ? (JSON.parse(Buffer.from(bytes).toString()) as ClosedMonth) : undefined
  })

const fileOf = async (service: Service, period: string) => {
  const { bytes, status } = await ask(service, `${finance}/closings/${program_id}/${period}/file`)
  assert.strictEqual(status, 200)
  return hash("sha256", bytes)
}

const linesOf = ({ statement: { rows } }: ClosedMonth) =>
  rows.map(({ closing, lines, opening }) => [
    opening.points,
    Object.fromEntries(lines.map(({ line, points }) => [line, points])),
    closing.points
  ])

const proven = Effect.fnUntraced(function* (url: string, ...from: ReadonlyArray<string>) {
  const { code, err, out } = yield* InProcess.lotbook(["finance", "verify", ...from], { DATABASE_URL: url })
  assert.strictEqual(code, 0, err + out)
  assert.include(out, "2 closed months are as they were told.")
})

layer(TestDatabase.layer, { excludeTestServices: true, timeout: 300_000 })("months of the newest release", (it) => {
  it.effect.skipIf(release === undefined)("close after an upgrade, and are proven whatever becomes of them", () =>
    Effect.gen(function* () {
      const test = yield* Database
      const within = (name: string) => ({ ...test, clientConfig: { ...test.clientConfig, database: name } })
      const made = Effect.fnUntraced(function* (name: string, template: string) {
        yield* TestDatabase.administer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
        yield* Effect.addFinalizer(() => Effect.orDie(TestDatabase.administer(`DROP DATABASE ${name} WITH (FORCE)`)))
        return within(name)
      })
      // Empty: the former version makes its own tables, and this one adds what is new.
      const name = `${test.clientConfig.database}_former`
      const database = yield* made(name, "template0")
      const url = urlOf(database)
      const { folder } = yield* Effect.acquireRelease(Effect.sync(runFolder), ({ remove }) => Effect.sync(remove))
      const flags = ["--database-url", url, "--sandbox-clock", september]
      const formerMain = unpack(release!, path.join(folder, "tree"))
      const points = yield* Effect.promise(async () => {
        const former = await Service.start(folder, flags, { main: formerMain })
        const found = await recorded(former)
        assert.strictEqual(await former.stop(), 0)
        return found
      })

      const service = yield* Effect.promise(() => Service.start(folder, flags))
      yield* Effect.addFinalizer(() => Effect.promise(() => service.stop()))
      const months = yield* Effect.promise(async () => [
        await closed(service, "2026-09"),
        await closed(service, "2026-10")
      ])
      assert.deepStrictEqual(months.map(linesOf), [
        [[0, { base: 400, orders_down: -100, redeemed: -100 }, 200]],
        [[200, { base: 300, redeemed: -100, given_back: 100 }, points]]
      ])
      const { redemptions } = yield* Effect.promise(() =>
        told<RestaurantRedemptions>(
          service,
          `/platform/v1/restaurants/redemptions?program_id=${program_id}&from=2026-09-01`
        )
      )
      assert.deepStrictEqual(
        redemptions.map(({ order_id, reversed_at }) => [order_id, reversed_at !== undefined]),
        [
          ["r-october-order", true],
          ["r-september-order", false]
        ]
      )
      const files = () => Effect.promise(() => Promise.all(months.map(({ period }) => fileOf(service, period))))
      const before = yield* files()
      yield* proven(url)
      const rebuilt = yield* InProcess.lotbook(["journal", "rebuild"], { DATABASE_URL: url })
      assert.strictEqual(rebuilt.code, 0, rebuilt.err + rebuilt.out)
      yield* proven(url)
      assert.deepStrictEqual(yield* files(), before)
      assert.strictEqual(yield* Effect.promise(() => service.stop()), 0)

      yield* proven(urlOf(yield* made(`${name}_copy`, name)))

      const to = yield* Archiving.folder
      yield* Effect.gen(function* () {
        for (const _ of [1, 2, 3]) yield* Archiving.begin
        for (const _ of [1, 2, 3]) yield* Archiving.seal
        assert.isAbove(yield* Archiving.archiveAll(to), 0)
      }).pipe(Effect.provide(Programs.layer), Effect.provideService(Database, database))
      yield* proven(url, "--from", to)
    }).pipe(Effect.scoped)
  )
})
