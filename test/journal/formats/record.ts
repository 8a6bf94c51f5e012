/**
 * Writes down what the present code makes of a full scenario: the journal of
 * this format, beside those of earlier ones. Run once for each format that is
 * released, with that release's code: `node test/journal/formats/record.ts`.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Resident } from "../../../src/account/Account.ts"
import { Accounts } from "../../../src/account/Accounts.ts"
import { EVENT_VERSION } from "../../../src/account/domain/Event.ts"
import { plain } from "../../../src/account/domain/State.ts"
import type { OperationId, RequestOf } from "../../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import type { Handlers } from "../../../src/protocol/Handler.ts"
import { MemoryStorage, MemoryTables } from "../../../src/journal/MemoryJournal.ts"
import * as Testing from "../../../src/testing/Testing.ts"

const start = Date.UTC(2026, 6, 14, 10)
const day = 86_400_000
const demo = "demo-foodservice"
const stamps = "coffee-stamps"

const json = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(import.meta.dirname, file), "utf8"))

let keys = 0
const call = <Id extends OperationId>(id: Id, request: Omit<RequestOf<Id>, "context">) =>
  Effect.flatMap(
    Testing.call(id, { context: Testing.context(`format-key-${++keys}`), ...request } as RequestOf<Id>),
    (handled): Effect.Effect<Record<string, never>, never, Handlers> => {
      if (handled._tag !== "Answer") throw new Error(`${id}: ${JSON.stringify(handled)}`)
      return Effect.succeed(handled.body as Record<string, never>)
    }
  )

const enroll = (program_id: string, member_id: string) =>
  call("member.enroll", {
    program_id,
    member_id,
    identity: { type: "loyalty_id", value: `card-${member_id}`, issuer: "x" },
    attributes: { name: member_id }
  })
const accrue = (program: string, member_id: string, order: string, amount: number) =>
  call("accrual.post", { member_id, order: Testing.order(order, amount, {}, program) })
const credit = (program_id: string, member_id: string, adjustment_id: string, amount: number, days?: number) =>
  call("ledger.manual_adjustment", {
    member_id,
    program_id,
    adjustment_id,
    amount,
    classification: amount < 0 ? "correction" : "bonus",
    reason: "because",
    qualifies_for_tier: amount > 0,
    ...(days === undefined ? undefined : { expires_at: fromMillis(start + days * day) })
  })
const refund = (member_id: string, order: string, id: string, type: "partial_refund" | "full_refund", delta: number) =>
  call("order.adjust", {
    member_id,
    program_id: demo,
    adjustment: {
      adjustment_id: id,
      original_order_id: order,
      type,
      reason: "returned",
      occurred_at: fromMillis(start),
      order_total_delta: { amount: delta, currency: "USD" },
      eligible_spend_delta: { amount: delta, currency: "USD" }
    }
  })
const reserve = (member_id: string, redemption_id: string, order: string, issued_reward_id?: string) =>
  Effect.map(
    call("redemption.reserve", {
      redemption_id,
      member_id,
      reward_id: "one-off",
      order: Testing.order(order, 500, { status: "open" }),
      ...(issued_reward_id === undefined ? undefined : { issued_reward_id })
    }),
    (body) => (body["reservation"] as unknown as { reservation_id: string }).reservation_id
  )
const capture = (reservation_id: string, order_id: string) => call("redemption.capture", { reservation_id, order_id })
const reverse = (reservation_id: string) => call("redemption.reverse", { reservation_id, reason: "changed mind" })
const issue = (issued_reward_id: string, days: number) =>
  call("issued_reward.issue", {
    issued_reward_id,
    member_id: "ada",
    program_id: demo,
    reward_id: "one-off",
    expires_at: fromMillis(start + days * day)
  })

const scenario = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* enroll(demo, "ada")
  yield* accrue(demo, "ada", "order-1", 6000)
  yield* accrue(demo, "ada", "order-2", 1234)
  yield* credit(demo, "ada", "gift", 75, 2)
  yield* TestClock.adjust("1 hour")
  yield* refund("ada", "order-1", "refund-1", "partial_refund", -1000)
  yield* refund("ada", "order-2", "refund-2", "full_refund", -1234)
  const first = yield* reserve("ada", "red-1", "meal-1")
  yield* capture(first, "meal-1")
  yield* reverse(first)
  yield* reverse(yield* reserve("ada", "red-2", "meal-2"))
  yield* reserve("ada", "red-3", "meal-3")
  yield* TestClock.adjust("3 days")
  yield* credit(demo, "ada", "clawback", -900)
  yield* accrue(demo, "ada", "order-3", 10_000)
  yield* issue("wallet-1", 9)
  yield* issue("wallet-2", 9)
  yield* issue("wallet-3", 9)
  yield* capture(yield* reserve("ada", "red-4", "meal-4", "wallet-1"), "meal-4")
  yield* call("issued_reward.cancel", {
    issued_reward_id: "wallet-2",
    program_id: demo,
    reason: "mistake"
  } as Omit<RequestOf<"issued_reward.cancel">, "context">)
  yield* TestClock.adjust("10 days")
  yield* reserve("ada", "red-5", "meal-5")
  yield* enroll(stamps, "ben")
  for (let cup = 0; cup < 12; cup++) yield* accrue(stamps, "ben", `cup-${cup}`, 400)
  yield* credit(stamps, "ben", "many", 35)
})

/** The states as this code has them in memory, lots oldest first. */
const states = Effect.gen(function* () {
  const accounts = yield* Accounts
  const read = (number: number) => Effect.map(accounts.readOn(number), (found) => [number, stateOf(found)] as const)
  return new Map(yield* Effect.forEach([...tables.accounts.keys()], read))
})

const stateOf = (found: unknown) => {
  const { state } = found as Resident
  return plain(state)
}

const { tables, write } = MemoryStorage.over(new MemoryTables())
const programs = [Testing.demoProgram, Testing.programOf(json("program.stamps.json"))]
const kept = await Effect.runPromise(
  Effect.scoped(
    Effect.andThen(scenario, states).pipe(
      Effect.provide(Testing.layerOver({ tables, write }, programs)),
      Effect.provide(TestClock.layer())
    )
  )
)

/** What each account came to: the same code must read it so for ever. */
const accounts = [...tables.accounts].map(([number, { entries, memberId, member, programId, records, rewards }]) => ({
  number,
  programId,
  memberId,
  member,
  records: records.map(({ at, events, hash, reply, seq, version }) => ({
    seq,
    at,
    version,
    hash,
    events: JSON.parse(events),
    reply: JSON.parse(reply),
    claims: [...tables.claims.values()]
      .filter((claim) => claim.account === number && claim.seq === seq)
      .map(({ fingerprint, key }) => ({ key, fingerprint }))
  })),
  entries,
  rewards: [...rewards.values()],
  state: kept.get(number)
}))
fs.writeFileSync(
  path.join(import.meta.dirname, `${EVENT_VERSION}.json`),
  `${JSON.stringify({ version: EVENT_VERSION, secret: "in-memory", accounts }, null, 1)}\n`
)
process.stdout.write(`format ${EVENT_VERSION}: ${accounts.map(({ records }) => records.length).join(" + ")} records\n`)
