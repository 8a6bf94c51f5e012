/**
 * contract/members.md *Requests for merged members*: a request that names a merged member, or what it had, is carried
 * out on the other.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { body, earn } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import type { Outcome } from "../../../src/core/account/Outcome.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import { MemoryStorage } from "../../../src/core/journal/MemoryJournal.ts"
import type { Handlers } from "../../../src/core/protocol/Handler.ts"

const program_id = Testing.demoProgram.id
const { order } = Testing

type Payload<Id extends OperationId> = Omit<RequestOf<Id>, "context">

/** Sends a request; its answer's body as JSON, or the refusal as it is. */
const send = <Id extends OperationId>(
  id: Id,
  payload: Payload<Id>,
  key?: string
): Effect.Effect<ResponseOf<Id>, never, Handlers> =>
  Effect.map(
    Testing.call(id, { context: Testing.context(key), ...payload } as RequestOf<Id>),
    (handled) => JSON.parse(JSON.stringify(handled._tag === "Answer" ? handled.body : handled)) as ResponseOf<Id>
  )

/** The code of a refusal. */
const codeOf = <R>(answered: Effect.Effect<object, never, R>) =>
  Effect.map(answered, (body) => ("code" in body ? body.code : body))

const enroll = (member_id: string) =>
  send("member.enroll", { program_id, member_id, identity: { type: "external", value: `card of ${member_id}` } })
const accrue = (member_id: string, id: string, amount: number, key?: string) =>
  send("accrual.post", { member_id, order: order(id, amount) }, key)
const account = (member_id: string) => send("account.get", { program_id, member_id })
const reserve = (member_id: string, id: string, key?: string, issued_reward_id?: string) =>
  send(
    "redemption.reserve",
    {
      redemption_id: id,
      member_id,
      reward_id: "one-off",
      order: order(`order of ${id}`, 500, { status: "open" }),
      ...(issued_reward_id === undefined ? undefined : { issued_reward_id })
    },
    key
  )
const capture = (reservation_id: string, id: string, key?: string) =>
  send("redemption.capture", { reservation_id, order_id: `order of ${id}` }, key)
const reverse = (reservation_id: string) => send("redemption.reverse", { reservation_id, reason: "test" })
const issue = (member_id: string, issued_reward_id: string) =>
  send("issued_reward.issue", { program_id, member_id, issued_reward_id, reward_id: "one-off" })
const refund = (member_id: string, id: string, adjustment_id: string) => {
  const none = { amount: 0, currency: "USD" }
  return send("order.adjust", {
    program_id,
    member_id,
    adjustment: {
      adjustment_id,
      original_order_id: id,
      type: "full_refund",
      reason: "test",
      occurred_at: "2026-07-14T10:00:00.000Z",
      order_total_delta: none,
      eligible_spend_delta: none
    }
  })
}

const merge = (from: string, into: string, more: object = {}): Effect.Effect<Outcome, never, Accounts> =>
  Effect.flatMap(Accounts, (accounts) => accounts.merge(program_id, { from, into, ...more }))

const balanceOf = (member: string) => Effect.map(account(member), ({ balances }) => balances[0]?.amount)

const inMemory = <A, E>(body: Effect.Effect<A, E, Accounts | Handlers | Journal | MemoryStorage>) =>
  Effect.provide(body, Testing.layer())

const start = Date.UTC(2026, 6, 14, 10)

it.effect("a request on the merged member is carried out on the other, reads too", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* accrue("ben", "b1", 3_000)
      yield* issue("ben", "gift")
      const merged = yield* merge("ben", "ada")
      assert.strictEqual(merged._tag, "Answered")
      const shown = yield* account("ben")
      assert.deepInclude(shown.member, { member_id: "ada", status: "active" })
      assert.deepStrictEqual(
        shown.member.identities.map(({ value }) => value),
        ["card of ada", "card of ben"]
      )
      assert.deepStrictEqual((yield* accrue("ben", "b2", 1_000)).entry.member_id, "ada")
      assert.strictEqual(yield* balanceOf("ada"), 400)
      const found = yield* send("member.lookup", { program_id, identity: { type: "external", value: "card of ben" } })
      assert.strictEqual(found.member?.member_id, "ada")
      assert.strictEqual((yield* enroll("ben")).member.member_id, "ada")
      const listed = yield* send("issued_reward.list", { program_id, member_id: "ben" })
      assert.deepStrictEqual(
        listed.issued_rewards.map((reward) => [reward.issued_reward_id, reward.member_id, reward.status]),
        [["gift", "ada", "issued"]]
      )
      const hold = yield* reserve("ben", "r1", undefined, "gift")
      assert.strictEqual(hold.reservation.member_id, "ada")
      const evaluated = yield* send("order.evaluate", {
        member_id: "ben",
        order: order("e", 500, { member_id: "ben" })
      })
      assert.strictEqual(evaluated.member_id, "ada")
      // The operators see the member itself.
      const accounts = yield* Accounts
      const itself = yield* accounts.read(program_id, "ben", true)
      assert.deepInclude(itself?._tag === "Resident" ? itself.state.mergedInto : {}, { member: "ada" })
    })
  )
)

it.effect("retries of what the merged member did are replays, and business identifiers still protect", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (const member of ["ada", "ben"]) yield* enroll(member)
      const accrued = yield* accrue("ben", "b1", 3_000, "accrual-key")
      const held = yield* reserve("ben", "r1", "reserve-key")
      const { reservation_id } = held.reservation
      const captured = yield* capture(reservation_id, "r1", "capture-key")
      const before = yield* accrue("ada", "a1", 1_000)
      yield* merge("ben", "ada")
      const ids = ({ context: _, ...body }: { context?: unknown }) => body
      assert.deepStrictEqual(ids(yield* accrue("ben", "b1", 3_000, "accrual-key")), ids(accrued))
      assert.deepStrictEqual(ids(yield* reserve("ben", "r1", "reserve-key")), ids(held))
      assert.deepStrictEqual(ids(yield* capture(reservation_id, "r1", "capture-key")), ids(captured))
      // The same facts under a new key: the first entry with the balances of now, and as then with that key.
      const repeated = yield* accrue("ben", "b1", 3_000, "another-key")
      assert.deepStrictEqual(repeated.entry, accrued.entry)
      assert.deepInclude(repeated.balances[0], { member_id: "ada", account_id: "points:ada", amount: 300 })
      assert.deepStrictEqual(ids(yield* accrue("ada", "b1", 3_000, "another-key")), ids(repeated))
      assert.deepStrictEqual((yield* accrue("ada", "a1", 1_000, "third-key")).entry, before.entry)
      assert.strictEqual(yield* codeOf(accrue("ben", "b1", 3_001)), "conflict")
      assert.deepStrictEqual((yield* accrue("ben", "a1", 1_000)).entry, before.entry)
      const again = yield* reserve("ben", "r1", "reserve-again")
      assert.deepInclude(again.reservation, { reservation_id, status: "captured", member_id: "ada" })
      assert.deepStrictEqual(ids(yield* capture(reservation_id, "r1")), ids(captured))
      const reversed = yield* reverse(reservation_id)
      assert.deepInclude(reversed.reservation, { status: "reversed", member_id: "ada" })
      assert.deepStrictEqual(ids(yield* reverse(reservation_id)), ids(reversed))
      assert.strictEqual(yield* balanceOf("ada"), 400)
      const refunded = yield* refund("ben", "b1", "adjustment-1")
      assert.deepInclude(refunded.entry, { amount: -300, member_id: "ada", order_id: "b1" })
      assert.deepInclude((yield* refund("ada", "b1", "adjustment-2")).entry, { amount: 0 })
      assert.strictEqual(yield* balanceOf("ada"), 100)
    })
  )
)

/** Each write that names a member, by its number: business identifiers and keys are derived from that. */
const writes = (member_id: string, n: number, named?: string) => {
  const key = (operation: string) => `${operation}-key-${n}`
  const more = named === undefined ? {} : { member_id: named }
  const money = { amount: 0, currency: "USD" }
  return [
    send("accrual.post", { member_id, order: order("order", 1_000, more) }, key("accrual")),
    send(
      "order.adjust",
      {
        program_id,
        member_id,
        adjustment: {
          adjustment_id: "adjustment",
          original_order_id: "order",
          type: "partial_refund",
          reason: "test",
          occurred_at: "2026-07-14T10:00:00.000Z",
          order_total_delta: money,
          eligible_spend_delta: money
        }
      },
      key("adjust")
    ),
    send(
      "ledger.manual_adjustment",
      {
        program_id,
        member_id,
        adjustment_id: "gift",
        amount: 200,
        classification: "gift",
        reason: "test",
        qualifies_for_tier: false
      },
      key("manual")
    ),
    send(
      "redemption.reserve",
      {
        member_id,
        redemption_id: "redemption",
        reward_id: "one-off",
        order: order("another order", 500, { status: "open", ...more })
      },
      key("reserve")
    ),
    send(
      "issued_reward.issue",
      { program_id, member_id, issued_reward_id: "reward", reward_id: "one-off" },
      key("issue")
    )
  ] as ReadonlyArray<Effect.Effect<object, never, Handlers>>
}

it.effect("Idempotency: in facts and payloads an id stands for the member that it leads to", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (const member of ["ada", "ben", "cem"]) yield* enroll(member)
      const first = yield* Effect.all(writes("ben", 1, "ben"))
      assert.deepStrictEqual(
        first.filter((body) => "code" in body),
        []
      )
      yield* capture((first[3] as ResponseOf<"redemption.reserve">).reservation.reservation_id, "r", "capture-key")
      yield* reverse((first[3] as ResponseOf<"redemption.reserve">).reservation.reservation_id)
      yield* merge("ben", "ada")
      const ids = ({ context: _, ...body }: { context?: unknown }) => body
      for (const [member, named] of [
        ["ada", "ada"],
        ["ada", "ben"],
        ["ben", "ada"],
        ["ben", "ben"]
      ] as const) {
        // With the same key: the original bodies.
        for (const [index, body] of (yield* Effect.all(writes(member, 1, named))).entries())
          assert.deepStrictEqual(ids(body), ids(first[index]!), `${member} ${named} ${index}`)
        // With a new one: no conflict, and nothing is done twice.
        for (const body of yield* Effect.all(writes(member, member === "ada" ? 2 : 3, named)))
          assert.isFalse("code" in body, JSON.stringify(body))
      }
      assert.strictEqual(yield* balanceOf("ada"), 300)
      // Another member is other facts, also where the order alone names it.
      const codes = (all: ReadonlyArray<object>) => all.map((body) => ("code" in body ? body.code : "done"))
      assert.deepStrictEqual(codes(yield* Effect.all(writes("cem", 1, "cem"))), Array(5).fill("idempotency_conflict"))
      assert.deepStrictEqual(codes(yield* Effect.all(writes("cem", 4, "cem"))), Array(5).fill("conflict"))
      const [accrual, , , reserved] = yield* Effect.all(writes("ada", 1, "cem"))
      assert.deepStrictEqual(codes([accrual!, reserved!]), ["idempotency_conflict", "idempotency_conflict"])
      assert.deepStrictEqual(codes((yield* Effect.all(writes("ada", 1))).slice(0, 1)), ["idempotency_conflict"])
      // Commands with the survivor's id are the same with the other's, too.
      const sent = yield* accrue("ada", "later", 1_000, "later-key")
      assert.deepStrictEqual(ids(yield* accrue("ben", "later", 1_000, "later-key")), ids(sent))
      // And once more after the survivor itself was merged.
      yield* merge("ada", "cem")
      for (const member of ["ada", "ben", "cem"])
        for (const [index, body] of (yield* Effect.all(writes(member, 1, "cem"))).entries())
          assert.deepStrictEqual(ids(body), ids(first[index]!), `${member} ${index}`)
    })
  )
)

it.effect("Idempotency: a replayed enrolment answers its original body, whatever became of the member", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const enrolling = (member_id: string) =>
        send(
          "member.enroll",
          {
            program_id,
            member_id,
            identity: { type: "external", value: `card of ${member_id}` },
            attributes: { favourite: "bowl" }
          } as Payload<"member.enroll">,
          `enrol-${member_id}`
        )
      const [ada, ben] = [yield* enrolling("ada"), yield* enrolling("ben")]
      const finding = (member_id: string) =>
        send("member.enroll", { program_id, identity: ben.member.identities[0]! }, `find-${member_id}`)
      const accounts = yield* Accounts
      const { claimKey } = yield* Journal
      const card = { type: "external", value: "another card" }
      yield* accounts.execute(program_id, "ben", {
        action: { type: "change_identities", add: [ClaimKeys.identity(claimKey, program_id, card)], remove: [] },
        guards: {},
        identities: [card]
      })
      yield* accounts.execute(program_id, "ben", {
        action: { type: "change_profile", onlyWithdraws: false },
        guards: {},
        attributes: { favourite: "soup" }
      })
      assert.deepStrictEqual(yield* enrolling("ben"), ben)
      const setStatus = (member: string, status: "active" | "suspended") =>
        accounts.execute(program_id, member, { action: { type: "set_status", status, reason: "test" }, guards: {} })
      yield* setStatus("ben", "suspended")
      const found = yield* finding("ben")
      assert.deepInclude(found.member, { status: "suspended", attributes: { favourite: "soup" } })
      assert.lengthOf(found.member.identities, 2)
      yield* setStatus("ben", "active")
      yield* accounts.execute(program_id, "ben", {
        action: { type: "change_identities", add: [], remove: [ClaimKeys.identity(claimKey, program_id, card)] },
        guards: {}
      })
      yield* accounts.execute(program_id, "ben", {
        action: { type: "change_profile", onlyWithdraws: false },
        guards: {},
        attributes: { favourite: "bread" }
      })
      assert.deepStrictEqual(yield* finding("ben"), found)
      yield* merge("ben", "ada")
      const foundIn = yield* finding("ada")
      assert.strictEqual(foundIn.member.member_id, "ada")
      yield* setStatus("ada", "suspended")
      assert.deepStrictEqual([yield* enrolling("ada"), yield* enrolling("ben")], [ada, ben])
      assert.deepStrictEqual([yield* finding("ada"), yield* finding("ben")], [foundIn, found])
      yield* accounts.execute(program_id, "ada", { action: { type: "erase", reason: "asked" }, guards: {} })
      for (const [member, body] of [
        ["ada", ada],
        ["ben", ben]
      ] as const) {
        const { attributes: _, ...rest } = body.member
        assert.deepStrictEqual(yield* enrolling(member), { ...body, member: { ...rest, identities: [] } })
      }
      for (const [member, body] of [
        ["ada", foundIn],
        ["ben", found]
      ] as const) {
        const { attributes: _, ...rest } = body.member
        assert.deepStrictEqual(yield* finding(member), { ...body, member: { ...rest, identities: [] } })
      }
    })
  )
)

it.effect("used rewards of the merged member are listed, cancelled and given back as before", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (const member of ["ada", "ben"]) yield* enroll(member)
      for (const [at, [member, id]] of [
        ["ben", "used"],
        ["ada", "own"],
        ["ben", "gone"],
        ["ben", "kept"]
      ].entries()) {
        yield* TestClock.setTime(start + at * 1_000)
        yield* issue(member!, id!)
      }
      const gone = yield* send("issued_reward.cancel", { issued_reward_id: "gone", reason: "test" })
      const { reservation } = yield* reserve("ben", "r1", undefined, "used")
      yield* capture(reservation.reservation_id, "r1")
      yield* merge("ben", "ada")
      const listed = () =>
        Effect.map(send("issued_reward.list", { program_id, member_id: "ada" }), ({ issued_rewards }) =>
          issued_rewards.map((one) => [one.issued_reward_id, one.status])
        )
      const wallet = [
        ["kept", "issued"],
        ["gone", "cancelled"],
        ["own", "issued"],
        ["used", "redeemed"]
      ]
      assert.deepStrictEqual(yield* listed(), wallet)
      assert.deepStrictEqual(yield* send("issued_reward.cancel", { issued_reward_id: "gone", reason: "again" }), gone)
      yield* reverse(reservation.reservation_id)
      assert.deepStrictEqual(yield* listed(), wallet.with(3, ["used", "issued"]))
      const cancelled = yield* send("issued_reward.cancel", { issued_reward_id: "kept", reason: "test" })
      assert.deepInclude(cancelled.issued_reward, { member_id: "ada", status: "cancelled" })
      yield* enroll("cem")
      yield* merge("ada", "cem")
      assert.deepStrictEqual(yield* listed(), wallet.with(3, ["used", "issued"]).with(0, ["kept", "cancelled"]))
    })
  )
)

it.effect("crossing and chained merges under load wait for nobody for ever; points are neither lost nor doubled", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const members = ["m1", "m2", "m3", "m4", "m5"]
      for (const member of members) yield* enroll(member)
      const accruals = Effect.forEach(
        Array.from({ length: 60 }, (_, n) => n),
        (n) => accrue(members[n % 5]!, `o${n}`, 1_000),
        { concurrency: "unbounded" }
      )
      const pairs = [
        ["m1", "m2"],
        ["m2", "m1"],
        ["m3", "m2"],
        ["m2", "m4"],
        ["m4", "m3"],
        ["m5", "m1"]
      ] as const
      const merges = Effect.forEach(pairs, ([from, into]) => merge(from, into), { concurrency: "unbounded" })
      const [accrued, merged] = yield* Effect.all([accruals, merges], { concurrency: "unbounded" })
      // The higher the tier of the two together, the more an order earns.
      const earned: ReadonlyArray<number> = accrued.map((body) => body.entry?.amount ?? 0)
      assert.isTrue(earned.every((amount) => amount >= 100))
      // Of two that cross, one is refused.
      const refused = merged.filter((outcome) => outcome._tag === "Refusal")
      assert.isAbove(refused.length, 0)
      assert.isTrue(refused.every((outcome) => outcome._tag === "Refusal" && outcome.code === "invalid_state"))
      const { tables } = yield* MemoryStorage
      const entries = [...tables.accounts.values()].flatMap((one) => one.entries)
      assert.strictEqual(
        entries.reduce((sum, { amount }) => sum + amount, 0),
        earned.reduce((sum, amount) => sum + amount, 0)
      )
    })
  )
)

it.effect("a merge with an idempotency key answers again, and other facts are a conflict", () =>
  inMemory(
    Effect.gen(function* () {
      for (const member of ["ada", "ben", "cem"]) yield* enroll(member)
      const key = { key: "00000000-0000-0000-0000-000000000001", fingerprint: "00000000-0000-0000-0000-000000000002" }
      const first = yield* merge("ben", "ada", { key })
      const again = yield* merge("ben", "ada", { key })
      assert.deepInclude(again, { _tag: "Answered", isReplay: true })
      const replyOf = (outcome: Outcome) => (outcome._tag === "Answered" ? outcome.record : undefined)
      assert.deepStrictEqual(replyOf(again), replyOf(first))
      const other = yield* merge("cem", "ada", { key: { ...key, fingerprint: key.key } })
      assert.deepInclude(other, { code: "idempotency_conflict" })
      assert.deepInclude(yield* merge("ben", "ada"), { code: "invalid_state" })
      assert.deepInclude(yield* merge("ada", "ada"), { code: "invalid_state" })
      assert.deepInclude(yield* merge("nobody", "ada"), { code: "not_found" })
      assert.deepInclude(yield* merge("ada", "nobody"), { code: "not_found" })
    })
  )
)

it.effect("Ledger list: a member's has the entries of those merged into it, each with its own member_id", () =>
  inMemory(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (const member of ["ada", "ben", "cid"]) yield* enroll(member)
      for (const [index, member] of ["ben", "ada", "cid", "ada", "ben"].entries()) {
        yield* TestClock.adjust("1 second")
        yield* earn(member, `order-${index}`, 1_000 * (index + 1))
      }
      yield* TestClock.adjust("1 second")
      yield* merge("cid", "ben")
      yield* TestClock.adjust("1 second")
      yield* merge("ben", "ada")
      yield* TestClock.adjust("1 second")
      yield* earn("ben", "order-5", 6_000)
      const list = (payload: object) =>
        body<ResponseOf<"ledger.list">>(
          Testing.call("ledger.list", { context: Testing.context(), program_id, member_id: "ada", ...payload })
        )
      const shown = ({ entries }: ResponseOf<"ledger.list">) =>
        entries.map(({ amount, member_id }) => `${member_id} ${amount}`)
      const whole = yield* list({})
      const orders = ["ben 500", "ada 400", "cid 300", "ada 200", "ben 100"]
      const merges = [...shown(whole).slice(1, 3).toSorted(), ...shown(whole).slice(3, 5).toSorted()]
      assert.deepStrictEqual(merges, ["ada 900", "ben -900", "ben 300", "cid -300"])
      assert.deepStrictEqual([shown(whole)[0], ...shown(whole).slice(5)], ["ada 900", ...orders])
      assert.lengthOf(new Set(whole.entries.map(({ entry_id }) => entry_id)), 10)
      const paged: Array<(typeof whole.entries)[number]> = []
      for (let cursor: string | undefined; ; ) {
        const page = yield* list({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
        paged.push(...page.entries)
        cursor = page.next_cursor
        if (cursor === undefined) break
      }
      assert.deepStrictEqual(paged, whole.entries)
      const own = whole.entries.filter(({ member_id }) => member_id === "ben")
      assert.deepStrictEqual((yield* list({ account_id: own[0]?.account_id })).entries, own)
      assert.deepStrictEqual((yield* list({ member_id: "cid" })).entries, whole.entries)
    })
  )
)
