/** The service in memory, as tests in plain JavaScript use it: over HTTP, with promises alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as GuidePrograms from "../../docs/GuidePrograms.ts"

type Service = Awaited<ReturnType<typeof Testing.serve>>
type Options = Parameters<typeof Testing.serve>[0]

const now = "2026-07-14T10:00:00.000Z"
const program_id = "demo-foodservice"

const served =
  (use: (service: Service) => Promise<void>, options: Options = { now }) =>
  async () => {
    const service = await Testing.serve(options)
    try {
      await use(service)
    } finally {
      await service.stop()
    }
  }

interface Answer {
  readonly status: number
  readonly isReplay: boolean
  // biome-ignore lint/suspicious/noExplicitAny: an answer's JSON, which each test reads as it expects it
  readonly body: any
}

const send = async (
  { url }: Service,
  method: string,
  path: string,
  bearer: string | undefined,
  body?: object,
  headers: Readonly<Record<string, string>> = {}
): Promise<Answer> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(bearer === undefined ? undefined : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? undefined : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) })
  })
  return {
    status: response.status,
    isReplay: response.headers.get("idempotent-replayed") === "true",
    body: await response.json()
  }
}

const post = (service: Service, path: string, body: object, key?: string) =>
  send(service, "POST", `/proto/v1/${path}`, service.token, { context: Testing.context(key), ...body })

const enroll = (service: Service, member_id = "ada") =>
  post(service, "members/enroll", {
    program_id,
    member_id,
    identity: { type: "loyalty_id", value: `card-${member_id}` }
  })

const earn = (service: Service, order_id: string, amount: number, key?: string) =>
  post(service, "accruals", { member_id: "ada", order: Testing.order(order_id, amount) }, key)

const account = async (service: Service) =>
  (await post(service, "accounts/get", { member_id: "ada", program_id })).body.balances[0]

const clock = (service: Service, body?: object, headers?: Readonly<Record<string, string>>) =>
  send(service, body === undefined ? "GET" : "POST", "/admin/api/v1/clock", service.adminKey, body, headers)

/** Why a promise was rejected, with the causes. */
const faultOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "",
    (error: unknown) => (error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error))
  )

describe("a service in memory", () => {
  it(
    "earns once for an order, and replays the answer",
    served(async (service) => {
      assert.strictEqual((await enroll(service)).status, 201)
      const first = await earn(service, "order-1", 6000, "till-7-0001")
      assert.deepInclude(first, { status: 201, isReplay: false })
      assert.strictEqual(first.body.entry.amount, 600)
      assert.strictEqual(first.body.context.processed_at, now)
      const again = await earn(service, "order-1", 6000, "till-7-0001")
      assert.isTrue(again.isReplay)
      assert.strictEqual(again.body.entry.entry_id, first.body.entry.entry_id)
      const other = await earn(service, "order-1", 7000, "till-7-0002")
      assert.deepInclude(other, { status: 409 })
      assert.strictEqual((await account(service)).amount, 600)
    })
  )

  it(
    "refuses what the service refuses",
    served(async (service) => {
      assert.strictEqual((await earn(service, "order-1", 6000)).body.code, "not_found")
      await enroll(service)
      const invalid = await post(service, "accruals", { member_id: "ada" })
      assert.deepInclude(invalid, { status: 422 })
      assert.strictEqual(invalid.body.code, "validation_failed")
      const poor = await post(service, "redemptions/reserve", {
        redemption_id: "redemption-1",
        member_id: "ada",
        reward_id: "one-off",
        order: Testing.order("order-2", 500, { status: "open" })
      })
      assert.strictEqual(poor.body.code, "insufficient_balance")
      const stranger = await send(service, "POST", "/proto/v1/accruals", "no-such-token", {})
      assert.strictEqual(stranger.status, 401)
      const scope = await send(service, "POST", "/admin/api/v1/clock", service.token, { advance: "P1D" })
      assert.strictEqual(scope.status, 403)
    })
  )

  it(
    "holds and spends a reward, and ends a hold that nobody spends",
    served(async (service) => {
      await enroll(service)
      await earn(service, "order-1", 6000)
      const reserve = (redemption_id: string) =>
        post(service, "redemptions/reserve", {
          redemption_id,
          member_id: "ada",
          reward_id: "one-off",
          order: Testing.order(`for-${redemption_id}`, 500, { status: "open" })
        })
      const { reservation } = (await reserve("redemption-1")).body
      const captured = await post(service, "redemptions/capture", {
        reservation_id: reservation.reservation_id,
        order_id: "for-redemption-1"
      })
      assert.strictEqual(captured.status, 200)
      const spent = (await account(service)).amount
      assert.isBelow(spent, 600)
      const late = (await reserve("redemption-2")).body.reservation
      assert.isAbove((await account(service)).reserved, 0)
      await service.advance("PT10M")
      assert.deepInclude(await account(service), { amount: spent, reserved: 0 })
      const expired = await post(service, "redemptions/capture", {
        reservation_id: late.reservation_id,
        order_id: "for-redemption-2"
      })
      assert.strictEqual(expired.body.code, "expired")
    })
  )

  it(
    "posts an expiration with its own date when the clock is moved over it",
    served(async (service) => {
      await enroll(service)
      await earn(service, "order-1", 6000)
      assert.strictEqual(await service.advance("P366D"), "2027-07-15T10:00:00.000Z")
      assert.strictEqual(service.now(), "2027-07-15T10:00:00.000Z")
      assert.strictEqual((await account(service)).amount, 0)
      const { entries } = (await post(service, "ledger/list", { member_id: "ada", program_id })).body
      assert.deepInclude(entries[0], {
        operation: "expiration",
        amount: -600,
        occurred_at: "2027-07-14T10:00:00.000Z"
      })
    })
  )

  it(
    "moves the clock over HTTP, once for a key",
    served(async (service) => {
      assert.deepStrictEqual((await clock(service)).body, { now, sandbox: true })
      const key = { "idempotency-key": "move-the-clock-1" }
      const moved = { now: "2026-07-15T10:00:00.000Z", sandbox: true }
      assert.deepStrictEqual((await clock(service, { advance: "P1D" }, key)).body, moved)
      assert.deepInclude(await clock(service, { advance: "P1D" }, key), { isReplay: true, body: moved })
      assert.strictEqual((await clock(service, { advance: "P2D" }, key)).body.code, "idempotency_conflict")
      assert.strictEqual((await clock(service, { set: "2026-07-20T10:00:00Z" })).status, 200)
      assert.strictEqual((await clock(service, { set: now })).body.code, "invalid_state")
      assert.strictEqual(service.now(), "2026-07-20T10:00:00.000Z")
    })
  )

  it(
    "starts over, by a call and over HTTP",
    served(async (service) => {
      for (const reset of [() => service.reset(), async () => (await clock(service, { reset: true })).body.now]) {
        assert.strictEqual((await enroll(service)).status, 201)
        assert.strictEqual((await earn(service, "order-1", 6000, "till-7-0001")).isReplay, false)
        await service.advance("P1M")
        assert.strictEqual(await reset(), now)
        assert.strictEqual(service.now(), now)
        const gone = await post(service, "accounts/get", { member_id: "ada", program_id })
        assert.strictEqual(gone.body.code, "not_found")
      }
    })
  )

  it(
    "says of every other route that it needs PostgreSQL",
    served(async (service) => {
      for (const [method, path] of [
        ["GET", "/platform/v1/analytics"],
        ["GET", "/admin/api/v1/overview"],
        ["POST", "/admin/api/v1/programs/publish"],
        ["POST", "/mcp"],
        ["GET", "/console"]
      ] as const) {
        const { body, status } = await send(service, method, path, service.adminKey)
        assert.strictEqual(status, 404, path)
        assert.strictEqual(body.code, "not_found")
        assert.match(body.detail, /in memory.*PostgreSQL.*npm start/)
      }
    })
  )

  it(
    "has discovery, health and the description",
    served(async (service) => {
      const { body } = await send(service, "GET", "/.well-known/proto", undefined)
      assert.strictEqual(body.endpoints.api, "/proto/v1")
      const { operations } = (await send(service, "GET", body.endpoints.capabilities, service.token)).body
      assert.include(operations, "accrual.post")
      const ready = await send(service, "GET", "/health/ready", undefined)
      assert.deepInclude(ready.body, { status: "ok", environment: "sandbox" })
      assert.strictEqual((await send(service, "GET", "/openapi.json", undefined)).status, 200)
    })
  )

  it("takes programmes of its own, and names their faults", async () => {
    const file = path.join(import.meta.dirname, "..", "..", "..", "src", "app", "demo", "program.demo.json")
    const demo: object = JSON.parse(fs.readFileSync(file, "utf8"))
    await served(
      async (service) => {
        const { body } = await post(service, "programs/get", { program_id: "corner-cafe" })
        assert.strictEqual(body.program.program_id, "corner-cafe")
        assert.strictEqual((await enroll(service)).body.code, "not_found")
      },
      { programs: [{ ...demo, program_id: "corner-cafe" }] }
    )()
    assert.match(await faultOf(Testing.serve({ programs: [{ ...demo, name: 5 }] })), /^\/name: /)
  })

  it("refuses what is no instant and no duration", async () => {
    assert.match(await faultOf(Testing.serve({ now: "yesterday" })), /instant such as/)
    await served(async (service) => {
      assert.match(await faultOf(service.advance("1 year")), /no ISO 8601 duration/)
      assert.match(await faultOf(service.advance("P9000Y")), /cannot move by P9000Y/)
      assert.strictEqual(service.now(), now)
    })()
  })

  it(
    "stands at the machine's time unless a time is given, and takes orders of now",
    served(async (service) => {
      await enroll(service)
      const at = new Date().toISOString()
      const order = Testing.order("order-1", 6000, { placed_at: at, business_date: at.slice(0, 10) })
      assert.strictEqual((await post(service, "accruals", { member_id: "ada", order })).status, 201)
    }, {})
  )

  it("keeps to itself, and ends with its port", async () => {
    const [one, two] = await Promise.all([Testing.serve({ now }), Testing.serve({ now })])
    await enroll(one)
    assert.strictEqual((await post(two, "accounts/get", { member_id: "ada", program_id })).status, 404)
    assert.match(await faultOf(Testing.serve({ port: Number(new URL(two.url).port) })), /EADDRINUSE/)
    await one.stop()
    assert.match(await faultOf(fetch(one.url)), /fetch failed/)
    await two[Symbol.asyncDispose]()
  })

  it.live("runs the guide's test by node --test", () =>
    Effect.gen(function* () {
      const { output, status } = GuidePrograms.runTillTest(yield* GuidePrograms.folder)
      assert.strictEqual(status, 0, output)
      assert.match(output, /pass 2/)
    }).pipe(Effect.scoped)
  )
})
