/** A till keeps what it accepts until the service has carried it out, once (docs/retries.md). */
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import type { ReserveInput, TillClient, TillEvent, TillOptions } from "lotbook/client"
import { memoryStore, QueueFull, StoreError, Till, TillError } from "lotbook/client"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { Loss, Sent } from "./TillService.ts"
import { card, errorOf, order, programId, startedAt, TillService } from "./TillService.ts"

let service: TillService
let kept: Map<string, string>
let events: Array<TillEvent>
let waits: Array<number>
const tills: Array<Till> = []

beforeEach(async () => {
  service = await new TillService().start()
  kept = new Map()
  events = []
  waits = []
})
afterEach(async () => {
  for (const till of tills.splice(0)) await till.stop()
  await service.close()
})

/** A till whose pauses end at once. */
const open = (client: TillClient = service.client(), more: Partial<TillOptions> = {}): Till => {
  const till = new Till({
    client,
    store: memoryStore(kept),
    programId,
    onEvent: (event) => events.push(event),
    now: () => startedAt,
    random: () => 1,
    wait: async (ms) => void waits.push(ms),
    ...more
  })
  tills.push(till)
  return till
}

/** A till that never ends its pauses by itself. */
const patient = (client: TillClient, more: Partial<TillOptions> = {}) =>
  open(client, {
    wait: (ms, signal) =>
      new Promise((_, reject) => {
        waits.push(ms)
        signal.addEventListener("abort", () => reject(new Error("aborted")))
      }),
    ...more
  })

const types = () => events.map(({ type }) => type)
/** A client that loses what the script says, one entry a request; the rest arrives. */
const losing = (...script: Array<Loss>) => service.client(() => script.shift())
const operationsDone = () => service.done.map(({ operation }) => operation)
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it must be refused"),
    (error: unknown) => error
  )
const kindOf = async (promise: Promise<unknown>) => ((await failure(promise)) as { readonly kind?: string }).kind

const reward = (redemptionId: string, memberId: string): ReserveInput => ({
  redemptionId,
  memberId,
  rewardId: "one-off",
  order: order(`o-${redemptionId}`, 1_000, { status: "authorized" })
})

/** A member with 100 points. */
const guest = async (name: string): Promise<string> => {
  const { member } = await service.enroll(name)
  await service.read("accrual.post", { member_id: member.member_id, order: order(`first-${name}`) })
  service.done.splice(0)
  return member.member_id
}

describe("a sale", () => {
  it("is accepted once it is kept, and posted to the card's member", async () => {
    let keep: () => void = () => undefined
    const store = memoryStore(kept)
    const slow = {
      ...store,
      put: (id: string, text: string) => new Promise<void>((done) => (keep = () => done(store.put(id, text))))
    }
    const till = open(service.client(), { store: slow })
    const accepted = till.sale({ order: order("o-1"), card: card("ada") })
    await till.start()
    await new Promise(setImmediate)
    assert.deepStrictEqual([kept.size, service.done.length, types()], [0, 0, []])
    keep()
    const { id, outcome } = await accepted
    assert.strictEqual(id, "sale:o-1")
    assert.isTrue(kept.has(id))
    assert.strictEqual((await outcome).outcome, "posted")
    assert.deepStrictEqual(operationsDone(), ["member.enroll", "accrual.post"])
    assert.deepStrictEqual(types(), ["accepted", "posted"])
    assert.strictEqual(kept.size, 0)
    const [entry] = await service.ledger((await service.member("ada"))!)
    assert.deepInclude(entry, { order_id: "o-1", amount: 100 })
  })

  it("of a known card or of a member enrols nobody", async () => {
    const memberId = await guest("ada")
    const till = open()
    await till.sale({ order: order("o-1"), card: card("ada") })
    await till.sale({ order: order("o-2"), memberId })
    await till.drained()
    assert.deepStrictEqual(operationsDone(), ["accrual.post", "accrual.post"])
    assert.strictEqual((await service.points(memberId)).amount, 300)
  })

  it("is kept once if the till is told twice, and never under other facts", async () => {
    const till = patient(service.client(() => "request"))
    const first = await till.sale({ order: order("o-1"), card: card("ada") })
    const again = await till.sale({ card: { issuer: "till", type: "loyalty_id", value: "ada" }, order: order("o-1") })
    assert.deepStrictEqual([first.isRepeat, again.isRepeat, kept.size], [false, true, 1])
    assert.strictEqual(await kindOf(till.sale({ order: order("o-1", 2_000), card: card("ada") })), "conflict")
    assert.strictEqual(await kindOf(till.sale({ order: order("o-2") } as never)), "invalid")
    for (const input of [undefined, { card: card("ada") }, { card: card("ada"), order: {} }])
      assert.strictEqual(await kindOf(till.sale(input as never)), "invalid")
  })

  it("is refused by name where it could not be sent, as other calls are", async () => {
    const till = open()
    const unpaid = order("o-1", 1_000, { status: "authorized" })
    const big = { ...order("o-1"), metadata: { table: { number: 4n } } } as never
    for (const [call, words] of [
      [till.sale({ order: unpaid, card: card("ada") }), "authorized"],
      [till.sale({ order: big, card: card("ada") }), "/order/metadata/table/number is a BigInt"],
      [till.sale(null as never), "whole `order`"],
      [till.cancel(null as never), "whole `order`"],
      [till.reserve(null as never), "whole `order`"],
      [till.adjust({ memberId: "m" } as never), "whole `adjustment`"]
    ] as const) {
      const error = await failure(call)
      assert.deepInclude(error, { name: "TillError", kind: "invalid" })
      assert.include((error as Error).message, words)
    }
    assert.deepStrictEqual([kept.size, service.done.length], [0, 0])
  })

  it("is not accepted where the disk is full, and the till goes on", async () => {
    const store = memoryStore(kept)
    let isFull = true
    const till = open(service.client(), {
      store: {
        ...store,
        put: (id, text) => (isFull ? Promise.reject(new StoreError("full", "no space")) : store.put(id, text))
      }
    })
    assert.strictEqual(await kindOf(till.sale({ order: order("o-1"), card: card("ada") })), "full")
    isFull = false
    await till.sale({ order: order("o-2"), card: card("ada") })
    await till.drained()
    assert.deepStrictEqual(
      service.done.map(({ key }) => key),
      ["till-enrol-o-2", "till-accrual-o-2"]
    )
  })

  it("is not accepted beyond maxEntries", async () => {
    const till = patient(
      service.client(() => "request"),
      { maxEntries: 2 }
    )
    await till.sale({ order: order("o-1"), card: card("ada") })
    await till.sale({ order: order("o-2"), card: card("bob") })
    const error = await failure(till.sale({ order: order("o-3"), card: card("eve") }))
    assert.instanceOf(error, QueueFull)
    assert.instanceOf(error, TillError)
    assert.deepInclude(events, { type: "full", maxEntries: 2 })
    assert.strictEqual(kept.size, 2)
    assert.deepInclude(await till.state(), {
      queued: 2,
      refused: 0,
      held: 0,
      oldestAt: new Date(startedAt).toISOString()
    })
  })
})

it("sends the client's source", async () => {
  const sources = async (more: object) => {
    const till = open({ ...service.client(), source: { system: "pos", instance: "till-7" } }, more)
    await till.cancel({ order: order("o-1"), reason: "never sold", card: card(`guest ${kept.size}`) })
    await till.drained()
    return service.done.splice(0).map(({ body }) => (body.context as { readonly source?: unknown }).source)[0]
  }
  assert.deepStrictEqual(await sources({}), { system: "pos", instance: "till-7" })
  kept.clear()
  assert.deepStrictEqual(await sources({ system: "kiosk", instance: "k-1" }), { system: "kiosk", instance: "k-1" })
})

describe("the queue", () => {
  it("keeps the order of a guest and of an order, and sends those of others meanwhile", async () => {
    const sending: Array<Sent> = []
    const releases: Array<() => void> = []
    const client = service.client(async (sent) => {
      sending.push(sent)
      await new Promise<void>((release) => releases.push(release))
      return undefined
    })
    const [ada, bob] = [await guest("ada"), await guest("bob")]
    const till = open(client, { parallel: 3 })
    await till.sale({ order: order("a-1"), memberId: ada })
    await till.sale({ order: order("a-2"), memberId: ada })
    await till.cancel({ order: order("b-1"), reason: "wrong table", memberId: bob })
    await till.cancel({ order: order("a-2"), reason: "wrong dish", card: card("ada") })
    const keys = () => sending.map(({ key }) => key.replace("till-", ""))
    assert.deepStrictEqual(keys(), ["accrual-a-1", "adjust-void-b-1"])
    while ((await till.state()).queued > 0) {
      releases.shift()?.()
      await new Promise(setImmediate)
    }
    assert.deepStrictEqual(
      keys().filter((key) => key.includes("a-")),
      ["accrual-a-1", "accrual-a-2", "lookup-adjustment:void-a-2", "adjust-void-a-2"]
    )
    assert.strictEqual((await service.points(ada)).amount, 200)
    assert.strictEqual((await till.refused())[0]?.refusal.code, "not_found", "b-1 was never sold")
  })

  it("sends at most `parallel` requests at once", async () => {
    let most = 0
    let now = 0
    const client = service.client(async () => {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      now--
      return undefined
    })
    const till = open(client, { parallel: 3 })
    for (let n = 0; n < 12; n++) await till.sale({ order: order(`o-${n}`), card: card(`guest-${n}`) })
    await till.drained()
    assert.strictEqual(most, 3)
  })

  const problem = (status: number, code: string) => errorOf({ kind: "problem", status, code, detail: "not now" })
  const pausing: Readonly<Record<string, Loss>> = {
    "no network": "request",
    "a lost answer": "answer",
    "no answer in time": errorOf({ kind: "timeout" }),
    "no token": errorOf({ kind: "token" }),
    "a proxy's page": errorOf({ kind: "unreadable", status: 404 }),
    "401": problem(401, "unauthorized"),
    "403": problem(403, "forbidden"),
    "408": problem(408, "request_timeout"),
    "429": problem(429, "rate_limited"),
    "500": problem(500, "internal_error"),
    "503": problem(503, "storage_unavailable")
  }
  for (const [name, loss] of Object.entries(pausing))
    it(`pauses on ${name}, and then repeats under the same key`, async () => {
      await guest("ada")
      const till = open(losing(loss))
      await till.sale({ order: order("o-1"), card: card("ada") })
      await till.drained()
      assert.deepStrictEqual(types(), ["accepted", "paused", "resumed", "posted"])
      assert.deepStrictEqual([...new Set(service.done.map(({ key }) => key))], ["till-accrual-o-1"])
      assert.isEmpty(await till.refused())
      assert.strictEqual((await service.points((await service.member("ada"))!)).amount, 200)
    })

  it("waits longer each time, up to a minute, and as long as the service says", async () => {
    const away: ReadonlyArray<Loss> = Array.from({ length: 9 }, () => "request")
    const till = open(
      losing(...away, errorOf({ kind: "problem", status: 429, code: "rate_limited", retryAfterMs: 90_000 }))
    )
    await till.sale({ order: order("o-1"), card: card("ada") })
    await till.drained()
    assert.deepStrictEqual(
      waits.map((ms) => ms / 1000),
      [1, 2, 4, 8, 16, 32, 60, 60, 60, 90]
    )
  })

  it("goes on where it was with a card that nobody has, and with short pauses as long as there are answers", async () => {
    const till = open(losing(undefined, "request", "request", undefined, "request"))
    await till.sale({ order: order("o-1"), card: card("ada") })
    await till.drained()
    assert.deepStrictEqual(operationsDone(), ["member.enroll", "accrual.post"])
    assert.deepStrictEqual(waits, [1_000, 2_000, 1_000])
  })

  it("tries one alone after a pause, at once when it is woken, and then all", async () => {
    let isAway = true
    let sent = 0
    const client = service.client(() => {
      sent++
      return isAway ? "request" : undefined
    })
    const till = patient(client, { parallel: 4 })
    for (let n = 0; n < 8; n++) await till.sale({ order: order(`o-${n}`), card: card(`guest-${n}`) })
    while ((await till.state()).sending > 0) await new Promise(setImmediate)
    const before = sent
    assert.deepInclude((await till.state()).paused?.reason, { kind: "network" })
    await till.wake()
    while (waits.length < 2) await new Promise(setImmediate)
    assert.strictEqual(sent, before + 1)
    isAway = false
    await till.wake()
    await till.drained()
    assert.isUndefined((await till.state()).paused)
    assert.strictEqual(service.done.filter(({ operation }) => operation === "accrual.post").length, 8)
  })

  it("is not held up by one entry that fails for ever", async () => {
    const client = service.client(({ key }) =>
      key.endsWith("-bad") ? errorOf({ kind: "problem", status: 500, code: "internal_error" }) : undefined
    )
    const till = open(client)
    const bad = await till.sale({ order: order("bad"), card: card("eve") })
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, n) => till.sale({ order: order(`o-${n}`), card: card(`guest-${n}`) }))
    )
    for (const { outcome } of others) assert.strictEqual((await outcome).outcome, "posted")
    assert.deepStrictEqual([...kept.keys()], [bad.id])
  })
})

describe("a capture that waits", () => {
  const away = async (fault: (sent: Sent) => Loss) => {
    const memberId = await guest("ada")
    let isAway = false
    const till = patient(service.client((sent) => (isAway ? fault(sent) : undefined)))
    const hold = await till.reserve(reward("r-1", memberId))
    isAway = true
    for (let n = 0; n < 6; n++) await till.sale({ order: order(`o-${n}`), card: card(`guest-${n}`) })
    assert.strictEqual((await till.capture(hold)).outcome, "queued")
    while ((await till.state()).sending > 0) await new Promise(setImmediate)
    service.done.splice(0)
    return {
      till,
      back: () => {
        isAway = false
      }
    }
  }

  it("goes before the sales once the network is back, since its hold ends", async () => {
    const { back, till } = await away(() => "request")
    for (const pauses of [2, 3]) {
      await till.wake()
      while (waits.length < pauses) await new Promise(setImmediate)
    }
    back()
    await till.wake()
    await till.drained()
    assert.strictEqual(operationsDone()[0], "redemption.capture")
    assert.strictEqual(service.done.length, 13)
  })

  it("holds no sale up, if it alone fails", async () => {
    const { till } = await away(({ operation }) =>
      operation === "redemption.capture" || waits.length === 0
        ? errorOf({ kind: "problem", status: 500, code: "internal_error" })
        : undefined
    )
    while (!(await till.state()).paused || (await till.state()).queued > 1) {
      await till.wake()
      await new Promise(setImmediate)
    }
    assert.strictEqual(service.done.length, 12)
  })
})

describe("a refusal", () => {
  const wrong = (id: string) => {
    const right = order(id)
    return { ...right, totals: { ...right.totals, total: { amount: 1, currency: "USD" } } }
  }

  it("goes to a list with its reason, and the guest's other sales go on; mended, it is posted under a new key", async () => {
    const till = open()
    const { id, outcome } = await till.sale({ order: wrong("o-1"), card: card("ada") })
    await till.sale({ order: order("o-2"), card: card("ada") })
    assert.strictEqual((await outcome).outcome, "refused")
    await till.drained()
    const [refused] = await till.refused()
    assert.deepInclude(refused, { id, revision: 0 })
    assert.deepInclude(refused?.refusal, { code: "invalid_order", status: 422 })
    assert.include(refused?.refusal.remedy, "mend")
    assert.notInclude(types(), "paused")
    const mended = await till.mend(id, { order: order("o-1") })
    assert.strictEqual((await mended.outcome).outcome, "posted")
    assert.deepStrictEqual([await till.refused(), kept.size], [[], 0])
    assert.strictEqual(service.done.at(-1)?.key, "till-accrual-o-1~1")
    assert.strictEqual((await service.points((await service.member("ada"))!)).amount, 200)
    assert.strictEqual(await kindOf(till.mend(id)), "not_found")
  })

  it("is there after a restart, and is dropped with a reason", async () => {
    const till = open()
    const { id } = await till.sale({ order: wrong("o-1"), card: card("ada") })
    await till.drained()
    await till.stop()
    const later = open()
    assert.strictEqual((await later.refused())[0]?.refusal.code, "invalid_order")
    await later.drop(id, "typed by mistake")
    assert.deepInclude(events.at(-1), { type: "dropped", why: "typed by mistake" })
    assert.deepStrictEqual([await later.refused(), kept.size], [[], 0])
  })

  it("of a member that a restore may have lost is sent again at each start and wake, under its key", async () => {
    const lost = () =>
      errorOf({
        kind: "problem",
        code: "not_found",
        status: 404,
        problem: { member_unknown_since: "2026-07-14T09:00:00Z" }
      })
    const till = open(losing(lost(), lost()))
    const { id } = await till.sale({ order: order("o-1"), memberId: "member-9" })
    await till.drained()
    const [refused] = await till.refused()
    assert.deepInclude(refused?.refusal, { code: "not_found", memberUnknownSince: "2026-07-14T09:00:00Z" })
    assert.include(refused?.refusal.remedy, "same member id")
    await till.wake()
    await till.drained()
    assert.deepStrictEqual(
      (await till.refused()).map((entry) => entry.id),
      [id]
    )
    await till.stop()
    await service.read("member.enroll", { program_id: programId, identity: card("ada"), member_id: "member-9" })
    const later = open()
    await later.start()
    await later.drained()
    assert.deepStrictEqual([await later.refused(), kept.size], [[], 0])
    assert.deepInclude(service.done.at(-1), { operation: "accrual.post", key: "till-accrual-o-1" })
  })

  it("of an order with a number that was used before is mended with a new one", async () => {
    const till = open()
    await till.sale({ order: order("o-1"), card: card("ada") })
    await till.drained()
    const { id } = await till.sale({ order: order("o-1", 2_000), card: card("bob") })
    await till.drained()
    assert.strictEqual((await till.refused())[0]?.refusal.code, "idempotency_conflict")
    await till.mend(id, { order: order("o-2", 2_000) })
    await till.drained()
    assert.strictEqual((await service.points((await service.member("bob"))!)).amount, 200)
  })
})

/** The clock of a till that is a day ahead. */
const day = 86_400_000
const now = () => startedAt + day
const dated = (id: string) => order(id, 1_000, Testing.placedAt(now()))

describe("a till whose clock is a day ahead", () => {
  it("is told once, and its sales are mended at once", async () => {
    const till = open(service.client(), { now })
    await till.sale({ order: dated("o-1"), card: card("ada") })
    await till.sale({ order: dated("o-2"), card: card("bob") })
    await till.drained()
    const clocks = events.filter(({ type }) => type === "clock")
    assert.deepStrictEqual(clocks, [{ type: "clock", aheadMs: day }])
    assert.isEmpty(await till.refused())
    assert.strictEqual(types().filter((type) => type === "posted").length, 2)
    assert.strictEqual(kept.size, 0)
    const sales = service.done.filter(({ operation }) => operation === "accrual.post")
    for (const { body, key } of sales) {
      const { business_date, placed_at } = body["order"] as { business_date: string; placed_at: string }
      assert.deepStrictEqual([placed_at, business_date], [new Date(startedAt).toISOString(), "2026-07-14"])
      assert.match(key, /~1$/, "other facts have another key")
    }
  })

  it("asks for the time where no answer has told it, and repeats a mended sale as it was", async () => {
    const memberId = await guest("ada")
    let isLost = true
    const first = patient(
      service.client(({ key }) => (isLost && key.endsWith("~1") ? "answer" : undefined)),
      { now }
    )
    await first.sale({ order: dated("o-1"), memberId })
    while (waits.length === 0) await new Promise(setImmediate)
    await first.stop()
    isLost = false
    const second = open(service.client(), { now })
    await second.drained()
    assert.strictEqual((await service.points(memberId)).amount, 200)
    assert.isEmpty(await second.refused())
  })

  it("refuses a mended sale that is made again, with a remedy that posts nothing twice", async () => {
    const till = open(service.client(), { now })
    const memberId = await guest("ada")
    for (let n = 0; n < 2; n++) {
      await till.sale({ order: dated("o-1"), memberId })
      await till.drained()
    }
    const [refused] = await till.refused()
    assert.strictEqual(refused?.refusal.code, "conflict")
    assert.match(refused?.refusal.remedy ?? "", /wrong clock dated it: then drop it/)
    assert.strictEqual((await service.points(memberId)).amount, 200)
  })

  it("leaves an order alone that is refused as too old", async () => {
    const till = open(service.client(), { now })
    const old = order("o-old", 1_000, Testing.placedAt(startedAt - 401 * day))
    await till.sale({ order: dated("o-1"), card: card("ada") })
    await till.sale({ order: old, card: card("ada") })
    await till.drained()
    const [refused] = await till.refused()
    assert.strictEqual(refused?.revision, 0)
    assert.deepInclude(refused?.job, { order: old })
  })

  it("is not mended where its clock is right", async () => {
    const till = open()
    await till.sale({ order: dated("o-1"), card: card("ada") })
    await till.drained()
    assert.strictEqual((await till.refused())[0]?.refusal.code, "invalid_order")
    assert.notInclude(types(), "clock")
  })
})

describe("a reward at a till whose clock is a day ahead", () => {
  it("is held at once, and captured", async () => {
    const memberId = await guest("ada")
    const till = open(service.client(), { now })
    const hold = await till.reserve({ memberId, rewardId: "one-off", order: dated("o-1"), redemptionId: "r-1" })
    assert.isBelow(Date.parse(hold.expiresAt), startedAt + day)
    assert.deepStrictEqual(
      events.filter(({ type }) => type === "clock"),
      [{ type: "clock", aheadMs: day }]
    )
    assert.strictEqual((await till.capture(hold)).outcome, "captured")
    assert.strictEqual(kept.size, 0)
  })

  it("is released as its hold was mended where the answer is lost", async () => {
    const memberId = await guest("ada")
    const before = await service.points(memberId)
    let asked = 0
    const till = open(
      // The first is refused; the answer of the second is lost.
      service.client(({ operation }) => (operation === "redemption.reserve" && ++asked === 2 ? "answer" : undefined)),
      { now }
    )
    const reserved = till.reserve({ memberId, rewardId: "one-off", order: dated("o-1"), redemptionId: "r-1" })
    assert.strictEqual(await kindOf(reserved), "network")
    await till.drained()
    assert.deepStrictEqual(operationsDone().slice(-2), ["redemption.reserve", "redemption.reverse"])
    assert.deepStrictEqual(await service.points(memberId), before)
    assert.strictEqual(kept.size, 0)
  })
})

describe("a restart", () => {
  it("goes on with the same keys, in the same order", async () => {
    const first = patient(service.client(() => "answer"))
    await first.sale({ order: order("o-1"), card: card("ada") })
    await first.sale({ order: order("o-2"), card: card("ada") })
    await first.cancel({ order: order("o-1"), reason: "sent back", card: card("ada") })
    await first.stop()
    assert.strictEqual(kept.size, 3)
    const second = open()
    await second.drained()
    assert.strictEqual(kept.size, 0)
    const member = (await service.member("ada"))!
    assert.deepStrictEqual(
      (await service.ledger(member))
        .map(({ amount, operation, order_id }) => [operation, order_id, amount])
        .toReversed(),
      [
        ["accrual", "o-1", 100],
        ["accrual", "o-2", 100],
        ["adjustment", "o-1", -100]
      ]
    )
  })

  it("says the same of a void that is told again, whether it waits or is done", async () => {
    const memberId = await guest("ada")
    await service.read("accrual.post", { member_id: memberId, order: order("o-1") })
    const sold = { order: order("o-1"), reason: "sent back", memberId }
    let now = startedAt
    const first = patient(
      service.client(() => "request"),
      { now: () => now }
    )
    await first.cancel(sold)
    await first.stop()
    now += 60_000
    const second = open(service.client(), { now: () => now })
    assert.isTrue((await second.cancel(sold)).isRepeat, "it waits")
    await second.drained()
    now += 60_000
    const third = open(service.client(), { now: () => now })
    const { outcome } = await third.cancel(sold)
    assert.strictEqual((await outcome).outcome, "posted", "it is done")
    const voids = service.done.filter(({ operation }) => operation === "order.adjust")
    const [one, again] = voids.map(({ body: { context, ...facts }, key }) => ({ key, facts }))
    assert.deepStrictEqual([voids.length, again], [2, one])
    assert.strictEqual((await service.points(memberId)).amount, 100)
  })

  it("sends a capture before what waits", async () => {
    const memberId = await guest("ada")
    const first = patient(
      service.client(({ operation }) => (operation === "redemption.reserve" ? undefined : "request")),
      { parallel: 2 }
    )
    for (let n = 0; n < 6; n++) await first.sale({ order: order(`o-${n}`), card: card(`guest-${n}`) })
    const hold = await first.reserve(reward("r-1", memberId))
    assert.strictEqual((await first.capture(hold)).outcome, "queued")
    await first.stop()
    service.done.splice(0)
    const second = open(service.client(), { parallel: 2 })
    await second.drained()
    assert.strictEqual(operationsDone()[0], "redemption.capture")
    assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 })
  })

  it("reads nothing of a newer version, and says what it cannot read", async () => {
    kept.set("sale:o-9", JSON.stringify({ v: 2, id: "sale:o-9", seq: 0 }))
    kept.set("sale:o-1", "half of a te")
    const till = open()
    assert.strictEqual(await kindOf(till.sale({ order: order("o-2"), card: card("ada") })), "newer_format")
    assert.strictEqual(kept.size, 2)
    kept.delete("sale:o-9")
    await till.sale({ order: order("o-2"), card: card("ada") })
    await till.drained()
    assert.deepStrictEqual(events[0], { type: "damaged", where: "sale:o-1" })
    assert.deepStrictEqual([...kept.keys()], ["sale:o-1"], "it is kept for a person to look at")
  })

  it("stops once what is being sent has ended, and accepts nothing more", async () => {
    let release: () => void = () => undefined
    const client = service.client(async () => {
      await new Promise<void>((done) => (release = done))
      return undefined
    })
    const till = patient(client)
    await till.sale({ order: order("o-1"), card: card("ada") })
    let isStopped = false
    const stopped = till.stop().then(() => (isStopped = true))
    assert.strictEqual(await kindOf(till.sale({ order: order("o-2"), card: card("ada") })), "stopped")
    for (const before = kept.size; before === kept.size; ) {
      assert.isFalse(isStopped)
      release()
      await new Promise(setImmediate)
    }
    await stopped
    assert.strictEqual(kept.size, 0)
  })
})

describe("a reward", () => {
  it("is held and captured, or reversed, online", async () => {
    const memberId = await guest("ada")
    const till = open()
    const hold = await till.reserve(reward("r-1", memberId))
    assert.deepInclude(hold.effect, { type: "discount" })
    assert.strictEqual((await service.points(memberId)).reserved, 100)
    assert.strictEqual((await till.state()).held, 1)
    assert.strictEqual((await till.capture(hold)).outcome, "captured")
    assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 })
    assert.strictEqual((await till.reverse(hold, "sent back")).outcome, "reversed")
    assert.deepInclude(await service.points(memberId), { amount: 100, reserved: 0 })
    const other = await till.reserve(reward("r-2", memberId))
    assert.strictEqual((await till.reverse(other, "changed their mind")).outcome, "reversed")
    assert.deepInclude(await service.points(memberId), { amount: 100, reserved: 0 })
    assert.strictEqual(kept.size, 0)
  })

  it("is of a card's member, and only where somebody has the card", async () => {
    const memberId = await guest("ada")
    const till = open()
    const { memberId: _, ...asked } = reward("r-1", memberId)
    assert.strictEqual(await kindOf(till.reserve({ ...asked, card: card("nobody") })), "not_found")
    assert.strictEqual(kept.size, 0)
    const hold = await till.reserve({ ...asked, card: card("ada") })
    assert.strictEqual((await till.capture(hold)).outcome, "captured")
    assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 })
  })

  it("that is refused is told by the client's error, and nothing is kept", async () => {
    const { member } = await service.enroll("ada")
    const till = open()
    const error = await failure(till.reserve(reward("r-1", member.member_id)))
    assert.deepInclude(error, { code: "insufficient_balance" })
    assert.deepStrictEqual([kept.size, await till.refused()], [0, []])
  })

  it("of which the answer was lost is reversed as soon as the service answers", async () => {
    const memberId = await guest("ada")
    const till = patient(losing("answer"))
    assert.strictEqual(await kindOf(till.reserve(reward("r-1", memberId))), "network")
    assert.strictEqual((await service.points(memberId)).reserved, 100)
    await till.wake()
    await till.drained()
    assert.deepInclude(await service.points(memberId), { amount: 100, reserved: 0 })
    assert.strictEqual(kept.size, 0)
  })

  it("that a till left undecided is reversed by the next one", async () => {
    const memberId = await guest("ada")
    const first = open()
    const hold = await first.reserve(reward("r-1", memberId))
    await first.stop()
    const second = open()
    await second.drained()
    assert.deepInclude(await service.points(memberId), { amount: 100, reserved: 0 })
    // The till's caller kept the hold: it is told that there is none.
    assert.deepInclude(await second.capture(hold), { outcome: "late", code: "invalid_state" })
  })

  it("may be reversed as often as its caller likes, whatever the reason, also after a restart", async () => {
    const memberId = await guest("ada")
    const first = open()
    const hold = await first.reserve(reward("r-1", memberId))
    await first.stop()
    const away = patient(service.client(() => "request"))
    assert.deepStrictEqual(await away.reverse(hold, "asked while it is under way"), {
      outcome: "queued",
      id: "hold:r-1"
    })
    await away.stop()
    const second = open()
    await second.drained()
    for (const reason of ["changed their mind", "changed their mind", "sent back"])
      assert.strictEqual((await second.reverse(hold, reason)).outcome, "reversed", reason)
    assert.deepInclude(await service.points(memberId), { amount: 100, reserved: 0 })
    assert.deepStrictEqual([kept.size, await second.refused()], [0, []])
  })

  it("that is asked for again is the same hold, and never one that has ended", async () => {
    const memberId = await guest("ada")
    const till = open()
    const [hold, meanwhile] = await Promise.all([1, 2].map(() => till.reserve(reward("r-1", memberId))))
    assert.deepStrictEqual([meanwhile, await till.reserve(reward("r-1", memberId))], [hold, hold])
    assert.strictEqual((await service.points(memberId)).reserved, 100)
    assert.strictEqual(await kindOf(till.reserve({ ...reward("r-1", memberId), rewardId: "two-off" })), "conflict")
    assert.strictEqual((await till.capture(hold!)).outcome, "captured")
    let seconds = 0
    const later = open(service.client(), { now: () => startedAt + 1_000 * ++seconds })
    assert.include(((await failure(later.reserve(reward("r-1", memberId)))) as Error).message, "captured")
    assert.strictEqual((await later.reverse(hold!, "sent back")).outcome, "reversed")
    assert.include(((await failure(later.reserve(reward("r-1", memberId)))) as Error).message, "reversed")
    assert.deepStrictEqual([kept.size, await later.refused()], [0, []])
  })

  it("that was captured stays so where its reservation is asked for again and the answer is lost", async () => {
    const memberId = await guest("ada")
    const till = open()
    assert.strictEqual((await till.capture(await till.reserve(reward("r-1", memberId)))).outcome, "captured")
    const second = patient(losing("answer"), { now: () => startedAt + 1_000 })
    assert.strictEqual(await kindOf(second.reserve(reward("r-1", memberId))), "network")
    await second.wake()
    await second.drained()
    assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 })
    assert.strictEqual(kept.size, 0)
  })

  it("that was to be captured when the till ended is captured by the next one, and not reversed", async () => {
    const memberId = await guest("ada")
    for (const loss of ["request", "answer"] as const) {
      const redemption = `r-${loss}`
      const first = patient(service.client(({ operation }) => (operation === "redemption.capture" ? loss : undefined)))
      const hold = await first.reserve(reward(redemption, memberId))
      assert.strictEqual((await first.capture(hold)).outcome, "queued")
      await first.stop()
      const second = open()
      await second.drained()
      assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 }, loss)
      assert.deepInclude(events.at(-1), { type: "posted" })
      await service.read("accrual.post", { member_id: memberId, order: order(`more-${loss}`) })
    }
  })

  it("captured too late is told with its remedy; mended, it is held anew and captured", async () => {
    const memberId = await guest("ada")
    const till = open()
    const hold = await till.reserve(reward("r-1", memberId))
    await service.advance(121)
    const late = await till.capture(hold)
    assert.deepInclude(late, { outcome: "late", code: "expired", id: "hold:r-1" })
    assert.include((late as { readonly remedy: string }).remedy, "holds the reward anew")
    assert.deepStrictEqual(await till.capture(hold), late)
    await till.mend("hold:r-1")
    await till.drained()
    assert.deepInclude(await service.points(memberId), { amount: 0, reserved: 0 })
    assert.isEmpty(await till.refused())
  })

  it("captured too late, whose points are gone, stays in the list until it is dropped", async () => {
    const memberId = await guest("ada")
    const till = open()
    const hold = await till.reserve(reward("r-1", memberId))
    await service.advance(121)
    await till.capture(hold)
    const other = await till.reserve(reward("r-2", memberId))
    await till.capture(other)
    await till.mend("hold:r-1")
    await till.drained()
    const [refused] = await till.refused()
    assert.strictEqual(refused?.refusal.code, "insufficient_balance")
    assert.include(refused?.refusal.remedy, "manual debit")
    await till.drop("hold:r-1", "the shop bears it")
    assert.strictEqual(kept.size, 0)
  })

  it("is not decided where the decision cannot be kept", async () => {
    const memberId = await guest("ada")
    const store = memoryStore(kept)
    let isFull = false
    const till = open(service.client(), {
      store: {
        ...store,
        put: (id, text) => (isFull ? Promise.reject(new StoreError("full", "no space")) : store.put(id, text))
      }
    })
    const hold = await till.reserve(reward("r-1", memberId))
    isFull = true
    assert.strictEqual(await kindOf(till.capture(hold)), "full")
    isFull = false
    assert.strictEqual((await till.capture(hold)).outcome, "captured")
  })
})
