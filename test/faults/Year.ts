/**
 * The readers and receivers of the guide *Receiving events* over more than a year of a sandbox: what they have is the ledger
 * (contract/events.md *Events*, *Order*, *Delivery*).
 */
import { Effect, Schedule } from "effect"
import assert from "node:assert/strict"
import * as path from "node:path"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Signature from "../../src/capabilities/webhooks/Signature.ts"
import { pathOf } from "../../src/contract/admin/Merge.ts"
import { typeOf } from "../../src/contract/platform/EventTypes.ts"
import type { FeedEvent } from "../../src/contract/platform/FeedEvents.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import type { Balance } from "../../src/contract/protocol/Resources.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import * as GuidePrograms from "../docs/GuidePrograms.ts"
import type { Random } from "../model/Random.ts"
import * as RandomOf from "../model/Random.ts"
import { freePort, until } from "./Processes.ts"
import { Service } from "./Service.ts"

const program_id = "demo-foodservice"
const members = ["ada", "ben", "chi", "dina", "emre"]
/** Merged into the first member in the middle of the year. */
const merged = "fay"
const weeks = 56
const mergedIn = 28
const week = 7 * 86_400_000

/** The kinds of events that a year must have, so that the sums are of all of them. */
const wanted = (
  [
    "member.enrolled",
    "member.updated",
    "order.accrued",
    "order.adjusted",
    "balance.changed",
    "redemption.reserved",
    "redemption.captured",
    "redemption.reversed",
    "redemption.expired",
    "issued-reward.issued",
    "issued-reward.expired",
    "points.expiring",
    "tier.changed"
  ] as const
).map(typeOf)

const usd = (amount: number) => ({ amount, currency: "USD" })

/** A client of the service, as the till and the operator. */
class Client {
  readonly url: string

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`
  }

  async send(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: never }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${path.startsWith("/admin") ? "proto-dev-admin-key" : "proto-dev-token"}`,
        "content-type": "application/json"
      },
      ...(body === undefined ? undefined : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    // A year has requests that are refused: points that are not there, orders that are refunded already.
    if (response.status >= 500 || response.status === 422) throw new Error(`${path}: ${response.status} ${text}`)
    return { status: response.status, body: JSON.parse(text) as never }
  }

  /** The answer; undefined if it was refused. */
  async call<Id extends OperationId>(
    id: Id,
    request: Omit<RequestOf<Id>, "context">
  ): Promise<ResponseOf<Id> | undefined> {
    const { body, status } = await this.send("POST", operations[id].path, { context: Testing.context(), ...request })
    return status < 300 ? body : undefined
  }

  async ledger(member_id: string): Promise<ResponseOf<"ledger.list">["entries"]> {
    const entries: Array<ResponseOf<"ledger.list">["entries"][number]> = []
    for (let cursor: string | undefined; ; ) {
      const more = cursor === undefined ? undefined : { cursor }
      const page = await this.call("ledger.list", { member_id, program_id, limit: 100, ...more })
      entries.push(...(page?.entries ?? []))
      cursor = page?.next_cursor
      if (cursor === undefined) return entries
    }
  }

  async feed(): Promise<ReadonlyArray<FeedEvent>> {
    const all: Array<FeedEvent> = []
    for (let after = "0"; ; ) {
      const { body } = await this.send("GET", `/platform/v1/feed?after=${after}&limit=1000`)
      const { events, lag_seconds, next } = body as { events: Array<FeedEvent>; lag_seconds: number; next: string }
      all.push(...events)
      after = next
      if (events.length === 0 && lag_seconds === 0) return all
    }
  }
}

/** Starts reader and receiver of a language; the folder in which they keep what they get. */
const copying = Effect.fnUntraced(function* (client: Client, language: GuidePrograms.Language) {
  const cwd = yield* GuidePrograms.folder
  yield* GuidePrograms.start("reader", language, cwd, { LOTBOOK_URL: client.url })
  const port = yield* Effect.promise(freePort)
  const secret = Signature.newSecret()
  yield* GuidePrograms.start("receiver", language, cwd, { LOTBOOK_SECRET: secret, PORT: String(port) })
  const url = `http://127.0.0.1:${port}/`
  const answers = Effect.promise(() =>
    fetch(url).then(
      () => true,
      () => false
    )
  )
  yield* Effect.repeat(answers, { until: (isThere) => isThere, schedule: Schedule.spaced("20 millis") })
  const connector = {
    connector_id: `year-${language.ending}`,
    name: "year",
    type: "webhook",
    configuration: { url, event_types: ["*"], secret }
  }
  const { body, status } = yield* Effect.promise(() => client.send("PUT", "/platform/v1/connectors", connector))
  assert.ok(status < 300, JSON.stringify(body))
  return cwd
})

/** Actions of a member in a week. */
const visit = async (client: Client, random: Random, member_id: string, id: string, now: number): Promise<void> => {
  const orders = `${member_id}-order`
  switch (random.pick(["order", "order", "order", "refund", "redeem", "redeem", "gift", "reward"])) {
    case "order": {
      const order = Testing.order(`${orders}-${id}`, random.whole(500, 12_000), Testing.placedAt(now))
      return void (await client.call("accrual.post", { member_id, order }))
    }
    case "refund": {
      const weeksAgo = random.whole(1, 4)
      const amount = usd(-random.whole(100, 3_000))
      const adjustment = {
        adjustment_id: `refund-${member_id}-${id}`,
        original_order_id: `${orders}-${Number(id) - weeksAgo}`,
        type: "partial_refund",
        reason: "test",
        occurred_at: fromMillis(now),
        order_total_delta: amount,
        eligible_spend_delta: amount
      } as const
      return void (await client.call("order.adjust", { member_id, program_id, adjustment }))
    }
    case "redeem": {
      const order = Testing.order(`meal-${member_id}-${id}`, 2_000, { status: "open", ...Testing.placedAt(now) })
      const redemption_id = `redemption-${member_id}-${id}`
      const held = await client.call("redemption.reserve", { redemption_id, member_id, reward_id: "one-off", order })
      if (held === undefined) return
      const { reservation_id } = held.reservation
      // Holds that are neither captured nor reversed expire in the next week.
      const ends = random.pick(["captured", "captured", "reversed", "both", "neither"])
      if (ends === "captured" || ends === "both")
        await client.call("redemption.capture", { reservation_id, order_id: order.order_id })
      if (ends === "reversed" || ends === "both")
        await client.call("redemption.reverse", { reservation_id, reason: "test" })
      return
    }
    case "gift": {
      const gift = { member_id, program_id, adjustment_id: `gift-${member_id}-${id}`, reason: "test" }
      return void (await client.call("ledger.manual_adjustment", {
        ...gift,
        amount: random.whole(1, 300),
        classification: "gift",
        qualifies_for_tier: random.next() < 0.5,
        expires_at: fromMillis(now + random.whole(1, 10) * week + 1)
      }))
    }
    case "reward": {
      const issued_reward_id = `reward-${member_id}-${id}`
      const expires_at = fromMillis(now + random.whole(1, 10) * week + 1)
      const reward = { issued_reward_id, member_id, program_id, reward_id: "free-bowl", expires_at }
      return void (await client.call("issued_reward.issue", reward))
    }
  }
}

const live = async (client: Client, random: Random, start: number): Promise<void> => {
  for (const member_id of [...members, merged]) {
    const identity = { type: "loyalty_id", value: `card-${member_id}`, issuer: "x" } as const
    await client.call("member.enroll", { program_id, member_id, identity })
  }
  for (let n = 0; n < weeks; n++) {
    const now = start + n * week
    const visitors = n < mergedIn ? [...members, merged] : members
    await Promise.all(
      visitors.map((member) => visit(client, RandomOf.make(random.whole(0, 1e9), member), member, String(n), now))
    )
    const { status } = await client.send("POST", "/admin/api/v1/clock", { set: fromMillis(now + week) })
    assert.strictEqual(status, 200)
    if (n + 1 !== mergedIn) continue
    const answer = await client.send("POST", pathOf(program_id), { from: merged, into: members[0], reason: "test" })
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  }
}

interface Copied {
  readonly id: string
  readonly sequence: string
  readonly type: string
  readonly data: {
    readonly balances: ReadonlyArray<typeof Balance.Type>
    readonly entries?: ResponseOf<"ledger.list">["entries"]
  }
}

/** A member's events in the order in which a program has stored them. */
const copiedOf = (kind: GuidePrograms.Kind, cwd: string, member: string): ReadonlyArray<Copied> =>
  GuidePrograms.query(kind, cwd, "SELECT * FROM events ORDER BY rowid").flatMap(({ data, member: of, ...row }) =>
    of === member ? [{ ...row, data: JSON.parse(String(data)) } as unknown as Copied] : []
  )

const sumOf = (entries: ReadonlyArray<{ readonly amount: number }>): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0)

/** Holds what a program has of a member against what the service says. */
const check = async (client: Client, kind: GuidePrograms.Kind, cwd: string, member_id: string): Promise<void> => {
  const events = copiedOf(kind, cwd, member_id)
  assert.deepStrictEqual(
    events.map(({ sequence }) => Number(sequence)),
    events.map((_, index) => index + 1),
    `${kind}, ${member_id}: sequences`
  )
  const entries = events.flatMap(({ data }) => data.entries ?? [])
  const last = events.at(-1)?.data.balances[0]
  assert.strictEqual(last?.amount, sumOf(entries), `${kind}, ${member_id}: the last balance is the sum of its entries`)
  // The ledger of the member that remains has the entries of both.
  const posted = (await client.ledger(member_id)).filter((entry) => entry.member_id === member_id)
  assert.deepStrictEqual(
    entries.toReversed(),
    posted.map(({ reason: _, ...entry }) => entry),
    `${kind}, ${member_id}: the ledger`
  )
  if (member_id === merged) return assert.strictEqual(last?.amount, 0)
  const account = await client.call("account.get", { member_id, program_id })
  const figures = ({ amount, available, reserved }: typeof Balance.Type) => ({ amount, available, reserved })
  assert.deepStrictEqual(figures(last!), figures(account!.balances[0]!), `${kind}, ${member_id}: balances`)
}

/** Throws where a program differs from the ledger. Says which languages ran, and how many events each had. */
export const run = (folder: string, seed: number): Promise<string> =>
  Effect.gen(function* () {
    const start = Date.UTC(2026, 6, 14, 10)
    const data = path.join(folder, "data")
    const flags = ["--data-dir", data, "--sandbox-clock", fromMillis(start), "--webhook-private", "true"]
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => Service.start(folder, flags)),
      (service) => Effect.promise(() => service.stop())
    )
    const client = new Client(port)
    const languages = GuidePrograms.languages.filter(({ isThere }) => isThere)
    const programs = yield* Effect.forEach(languages, (language) => copying(client, language))
    yield* Effect.promise(() => live(client, RandomOf.make(seed, "year"), start))
    const events = yield* Effect.promise(() => client.feed())
    const types = new Set<string>(events.map(({ type }) => type))
    const missing = wanted.filter((type) => !types.has(type))
    assert.deepEqual(missing, [], "types that the year lacks")
    for (const cwd of programs)
      for (const kind of ["reader", "receiver"] as const) {
        const isComplete = () => GuidePrograms.query(kind, cwd, "SELECT id FROM events").length >= events.length
        yield* Effect.promise(() => until(`the ${kind} has ${events.length} events`, isComplete))
        for (const member of [...members, merged]) yield* Effect.promise(() => check(client, kind, cwd, member))
      }
    const each = GuidePrograms.languages.map(
      ({ isThere, language }) => `${language}${isThere ? "" : " SKIPPED: not here"}`
    )
    return `${events.length} events of ${weeks} weeks in each reader and receiver: ${each.join(", ")}`
  }).pipe(Effect.scoped, Effect.runPromise)
