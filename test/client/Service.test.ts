/** The client against a service: a guest's journey in memory, and all three surfaces of a demo. */
import { it as effect } from "@effect/vitest"
import { Effect } from "effect"
import type { LotbookClient, LotbookOptions } from "lotbook/client"
import { buildOrder, createClient, memoryStore, ProblemError, Till, TillError } from "lotbook/client"
import { assert, describe, it } from "vitest"
import * as Demo from "../../src/app/demo/Demo.ts"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"

const program_id = "demo-foodservice"
const now = "2026-07-14T10:00:00.000Z"

const orderOf = (order_id: string, placed_at = now) =>
  buildOrder({
    order_id,
    scope: { program_id, brand_id: "corner-bowl", merchant_id: "merchant-west", location_id: "location-42" },
    channel: "counter",
    status: "paid",
    currency: "USD",
    zone: "UTC",
    placed_at,
    lines: [{ product_id: "bowl-classic", unit_price: "11.00", category_ids: ["bowls"] }]
  })

/** A client of a service in memory. */
const served = async (use: (client: LotbookClient) => Promise<void>, options: Partial<LotbookOptions> = {}) => {
  const service = await Testing.serve({ now })
  try {
    const { adminKey, token, url } = service
    await use(createClient({ url, token, adminToken: adminKey, date: () => new Date(now), ...options }))
  } finally {
    await service.stop()
  }
}

describe("a guest", () => {
  it("is enrolled, earns, spends, is refused, and sees points expire", () =>
    served(async ({ proto, sandbox }) => {
      const identity = { type: "loyalty_id", value: "card-of-ada", issuer: "corner-bowl" } as const
      const { member } = await proto.member.enroll({ program_id, identity, member_id: "ada" })
      assert.strictEqual(member.member_id, "ada")
      const { member: found } = await proto.member.lookup({ program_id, identity })
      assert.strictEqual(found?.member_id, "ada")

      const first = await proto.accrual.post({ identity, order: orderOf("sale-1") })
      assert.isAbove(first.entry.amount, 0)
      // The same sale again, as after a crash: nothing is posted twice.
      assert.deepStrictEqual((await proto.accrual.post({ identity, order: orderOf("sale-1") })).entry, first.entry)
      for (const order_id of ["sale-2", "sale-3"])
        await proto.accrual.post({ member_id: "ada", order: orderOf(order_id) })
      const entries: Array<string | undefined> = []
      for await (const { order_id } of proto.ledger.list.all({ program_id, member_id: "ada", limit: 1 }))
        entries.push(order_id)
      assert.deepStrictEqual(entries, ["sale-3", "sale-2", "sale-1"])

      const { rewards } = (await proto.program.get({ program_id })).program
      const order = { ...orderOf("sale-4"), status: "open" } as const
      const wanted = { redemption_id: "r-1", member_id: "ada", reward_id: rewards![0]!.reward_id, order }
      const { reservation } = await proto.redemption.reserve(wanted)
      const { reservation_id } = reservation
      const captured = await proto.redemption.capture({ reservation_id, order_id: "sale-4" })
      assert.strictEqual(captured.reservation.status, "captured")
      const reversals = [await proto.redemption.reverse({ reservation_id, reason: "Sent back" })]
      reversals.push(await proto.redemption.reverse({ reservation_id, reason: "Sent back by the guest" }))
      assert.deepStrictEqual(reversals[1]!.reservation, reversals[0]!.reservation)
      assert.strictEqual(reversals[1]!.reservation.status, "reversed")
      // Keys follow from the redemption and from the adjustment, and the facts are others.
      const refund = (amount: number) =>
        proto.order.adjust({
          member_id: "ada",
          program_id,
          adjustment: {
            adjustment_id: "refund-1",
            original_order_id: "sale-1",
            type: "partial_refund",
            reason: "Cold",
            occurred_at: now,
            order_total_delta: { amount: -amount, currency: "USD" },
            eligible_spend_delta: { amount: -amount, currency: "USD" }
          }
        })
      assert.isBelow((await refund(100)).entry.amount, 0)
      const twice = await refund(200).catch((error: unknown) => error)
      assert(twice instanceof ProblemError && twice.code === "idempotency_conflict", String(twice))
      const other = { ...wanted, order: { ...order, order_id: "sale-5" } }
      const refused = await proto.redemption.reserve(other).catch((error: unknown) => error)
      assert(refused instanceof ProblemError, String(refused))
      assert.strictEqual(refused.code, "idempotency_conflict")

      const before = await sandbox.now()
      assert.strictEqual(before.toISOString(), now)
      assert.strictEqual((await sandbox.advance("P2Y")).toISOString(), "2028-07-14T10:00:00.000Z")
      const { balances } = await proto.account.get({ program_id, member_id: "ada" })
      assert.strictEqual(balances.find(({ unit }) => unit === "points")?.amount, 0)
      assert.strictEqual((await sandbox.set("2028-07-15T00:00:00.000Z")).toISOString(), "2028-07-15T00:00:00.000Z")
      assert.strictEqual((await sandbox.reset()).toISOString(), now)
      assert.isNull((await proto.member.lookup({ program_id, identity })).member)
    }))
})

describe("a network that loses requests and answers", () => {
  it("makes nothing be done twice, and nothing be lost", () => {
    const sent = new Map<string, number>()
    const lost = new TypeError("fetch failed")
    return served(
      async ({ proto }) => {
        const identity = { type: "loyalty_id", value: "card-of-ada", issuer: "corner-bowl" } as const
        await proto.member.enroll({ program_id, identity, member_id: "ada" })
        const ids = Array.from({ length: 20 }, (_, place) => `sale-${place}`)
        await Promise.all(ids.map((id) => proto.accrual.post({ identity, order: orderOf(id) })))
        const posted: Array<string | undefined> = []
        for await (const { order_id } of proto.ledger.list.all({ program_id, member_id: "ada", limit: 7 }))
          posted.push(order_id)
        assert.sameMembers(posted, ids)
        assert.isAtLeast(sent.size, ids.length)
        for (const attempts of sent.values()) assert.strictEqual(attempts, 3)
      },
      {
        wait: () => Promise.resolve(),
        // Of each request the first attempt never arrives, the second's answer is lost, and the third is answered.
        fetch: async (url, init) => {
          const request = `${String(url)} ${String(init?.body)}`
          const before = sent.get(request) ?? 0
          sent.set(request, before + 1)
          if (before === 0) throw lost
          const response = await fetch(url, init)
          if (before === 1) throw lost
          return response
        },
        retries: 2
      }
    )
  })
})

effect.live("the three surfaces of a demo answer the client", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const url = `http://127.0.0.1:${yield* TestServer.port}`
    const client = createClient({ url, token: "proto-dev-token", adminToken: "proto-dev-admin-key" })
    const { admin, platform, proto } = client
    const store = memoryStore(new Map())
    yield* Effect.promise(async () => {
      assert.strictEqual((await proto.discovery.show()).protocol, "PROTO")
      assert.include(
        (await admin.program.list()).programs.map((one) => one.program_id),
        program_id
      )
      const ids: Array<string> = []
      for await (const { member_id } of admin.member.list.all({ program_id, limit: 5 })) ids.push(member_id)
      assert.isAbove(ids.length, 5)
      assert.strictEqual(new Set(ids).size, ids.length)
      const csv = await platform.customerProfile.export({ program_id })
      assert.strictEqual(csv.split("\n", 1)[0]?.split(",")[0], "member_id")
      const segment = {
        program_id,
        segment_id: "vip",
        name: "Vip",
        member_ids: ids.slice(0, 2)
      } as const
      const put = await platform.segment.put(segment, { idempotencyKey: "segment-0001" })
      assert.deepStrictEqual(await platform.segment.put(segment, { idempotencyKey: "segment-0001" }), put)
      const missing = await admin.member.show({ program_id, member_id: "nobody" }).catch((error: unknown) => error)
      assert(missing instanceof ProblemError && missing.code === "not_found")
      const wanted = {
        redemptionId: "r-1",
        memberId: "member-003",
        rewardId: "one-off",
        order: orderOf("basket-1", new Date().toISOString())
      }
      const till = (): Till => new Till({ client, store, programId: program_id })
      const first = till()
      const [hold, again] = [await first.reserve(wanted), await first.reserve(wanted)]
      assert.strictEqual(again, hold)
      await first.stop()
      const second = till()
      await second.drained()
      for (const reason of ["The guest left", "Changed their mind"])
        assert.strictEqual((await second.reverse(hold, reason)).outcome, "reversed")
      const ended = await second.reserve(wanted).catch((error: unknown) => error)
      assert(ended instanceof TillError && ended.message.includes("reversed"), String(ended))
      await second.stop()
      const { token_id } = await admin.token.create({ name: "Till", scopes: ["protocol:read"] })
      await admin.token.revoke({ token_id, reason: "The till was sold." })
    })
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)
