/** contract/guests.md *What a guest sees*, *History*, *Claiming an order*, *Taking a reward*, *Changing the profile*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { compile } from "../../../src/core/rules/Program.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "../claims/World.ts"
import { heard, visitor } from "./Visitor.ts"

const { accrue, guest, kept, order, points, refund, said } = World
const hostile = `<img src=x onerror=alert(1)>"'; DROP TABLE members; --`

const code = <A>(done: Effect.Effect<A, { readonly code: string }>) =>
  Effect.match(done, { onFailure: ({ code }) => code, onSuccess: () => "done" })

const auditOf = (action: string) =>
  Effect.map(
    TestDatabase.query("SELECT actor_name, subject_id, changes::text FROM audit WHERE action = $1 ORDER BY n", [
      action
    ]),
    (rows) => rows.map((row) => [row["actor_name"], row["subject_id"], row["changes"]])
  )

it.layer(TestDatabase.layer, { excludeTestServices: true })("a guest on her page", (it) => {
  it.effect("sees herself and what the programme shows guests, and nothing else", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "sees")
      yield* accrue(a, "sees", order("sees-1", 12_000))
      const ada = yield* visitor(a, "sees")
      const me = yield* ada.me
      assert.deepStrictEqual(Object.keys(me.member), ["language", "joined_at", "status", "consents"])
      assert.deepStrictEqual(me.balances, [{ unit: "points", label: "points", points: 1_200, spendable: 1_200 }])
      assert.deepStrictEqual(me.expiring, [{ unit: "points", points: 1_200, at: "2027-07-14T12:00:00.000Z" }])
      // A date of the programme's zone is told once, however many orders expire on it.
      World.time.set(World.start + 3 * 3_600_000)
      yield* accrue(a, "sees", order("sees-2", 100))
      const [first, ...others] = (yield* ada.me).expiring
      assert.deepStrictEqual([first?.at, others.length], ["2027-07-14T12:00:00.000Z", 0])
      assert.isAbove(first?.points ?? 0, 1_200)
      World.time.set(World.start)
      assert.deepStrictEqual(me.tier, {
        name: "Regular",
        next: { name: "VIP", missing: [{ metric: "points", missing: 300 }] }
      })
      assert.deepStrictEqual(
        me.rewards.map(({ can_take, missing, points, reward_id, why }) => [reward_id, points, missing, can_take, why]),
        [
          ["one-off", 100, 0, true, undefined],
          ["free-bowl", 1_000, 0, true, undefined],
          ["summer-special", 50, 0, true, undefined]
        ]
      )
      assert.deepStrictEqual(me.wallet, [])
      assert.deepStrictEqual(me.card, { value: "card-sees" })
      assert.include(
        me.promotions.map(({ name }) => name),
        "Drinks at lunch"
      )
      assert.isUndefined(me.leaving)
      const text = JSON.stringify(me)
      for (const inner of ["funding", "franchisee", "multiply", "account_id", "identities", "effect"])
        assert.notInclude(text, inner)
    })
  )

  it.effect("reads her account, her profile, what campaigns say to her, and no more", () =>
    Effect.gen(function* () {
      const statements: Array<string> = []
      const a = yield* World.node({ pools: heard((statement) => statements.push(statement)) })
      yield* guest(a, "few")
      const ada = yield* visitor(a, "few")
      yield* ada.me
      statements.length = 0
      yield* ada.me
      assert.strictEqual(statements.length, 2, statements.join("\n"))
      yield* accrue(a, "few", order("few-1", 1_000))
      statements.length = 0
      yield* ada.history()
      // The names of restaurants.
      assert.strictEqual(statements.length, 1, statements.join("\n"))
    })
  )

  it.effect("sees when rewards begin, and none that is over, retired or for others", () =>
    Effect.gen(function* () {
      const { file } = Testing.demoProgram
      const [one] = file.rewards
      const soon = { ...one!, reward_id: "soon", available_from: "2026-07-15T00:00:00Z" }
      const over = { ...one!, reward_id: "over", available_until: "2026-07-13T00:00:00Z" }
      const free = { ...one!, reward_id: "free", cost: { unit: "points", amount: 0 } as const }
      const vip = { promotion_id: "vip", name: "For VIPs", effect: { add: 5 }, who: { tier_ids: ["vip"] } }
      const tomorrow = {
        promotion_id: "tomorrow",
        name: "Tomorrow",
        effect: { add: 5 },
        when: { dates: ["2026-07-15"] }
      }
      const program = compile({
        ...file,
        rewards: [one!, soon, over, free],
        promotions: [vip, tomorrow, { promotion_id: "all", name: hostile, effect: { add: 5 } }]
      })
      const a = yield* World.node({ program })
      yield* guest(a, "later")
      const ada = yield* visitor(a, "later")
      const me = yield* ada.me
      assert.deepStrictEqual(
        me.rewards.map(({ missing, reward_id, why }) => [reward_id, missing, why]),
        [
          ["one-off", 100, "too_few_points"],
          ["soon", 100, "not_yet"],
          ["free", 0, "at_the_till"]
        ]
      )
      assert.deepStrictEqual(me.promotions, [{ name: hostile }])
      const retired = yield* World.node({ program: { ...program, isRetired: true } })
      const then = yield* Effect.flatMap(visitor(retired, "later"), ({ me }) => me)
      assert.deepStrictEqual([then.rewards, then.promotions, then.challenges], [[], [], []])
    })
  )

  it.effect("reads what happened in words' parts, page by page, with cursors of her own", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "reads")
      yield* guest(a, "other")
      yield* TestDatabase.query("INSERT INTO locations (location_id, name, updated_at) VALUES ($1, $2, 0)", [
        order("x", 1).scope.location_id,
        hostile
      ])
      yield* accrue(a, "reads", order("reads-1", 12_000))
      yield* a.on(Guests.credit("reads", 30))
      yield* a.on(Guests.credit("reads", -5))
      const held = yield* a.on(Guests.reserve("reads", "reads-r"))
      yield* a.on(
        Testing.call("redemption.capture", {
          context: Testing.context(),
          reservation_id: held.reservation.reservation_id,
          order_id: held.reservation.order_id
        })
      )
      const ada = yield* visitor(a, "reads")
      const { body } = yield* ada.take("free-bowl", "reads-key-1")
      yield* a.adjust(refund("reads-f", "reads-1", 2_000))
      const { issued_reward_id } = body
      yield* a.on(
        Testing.call("issued_reward.cancel", { context: Testing.context(), issued_reward_id, reason: "test" })
      )
      const all = yield* ada.history()
      assert.deepStrictEqual(
        all.entries.map(({ kind, location, points, reward }) => [kind, points, reward, location]),
        [
          ["given_back", 1_000, "Free bowl", undefined],
          ["refunded", -200, undefined, hostile],
          ["spent", -1_000, "Free bowl", undefined],
          ["spent", -100, "$1 off", hostile],
          ["corrected", -5, undefined, undefined],
          ["gift", 30, undefined, undefined],
          ["earned", 1_200, undefined, hostile]
        ]
      )
      assert.isUndefined(all.next_cursor)
      const first = yield* ada.history({ limit: "4" })
      const rest = yield* ada.history({ limit: "4", cursor: first.next_cursor })
      assert.deepStrictEqual([...first.entries, ...rest.entries], all.entries)
      const bob = yield* visitor(a, "other")
      assert.strictEqual(yield* code(bob.history({ cursor: first.next_cursor })), "invalid_cursor")
      assert.deepStrictEqual(yield* bob.history(), { entries: [] })
    })
  )

  it.effect("claims an order once, on two nodes at once; another guest learns nothing of whose it is", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node(), yield* World.node()]
      yield* guest(a, "claims")
      yield* guest(a, "late")
      const receipt = yield* kept(a, "claims-1")
      const [here, there] = [yield* visitor(a, "claims"), yield* visitor(b, "claims")]
      const done = yield* Effect.all([said(here.claim(receipt)), said(there.claim(receipt))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(done.toSorted(), ["created", "same"])
      assert.deepStrictEqual((yield* here.claim(receipt)).body, {
        points: 100,
        unit: "points",
        again: true,
        balances: [{ unit: "points", label: "points", points: 100, spendable: 100 }]
      })
      const late = yield* visitor(b, "late")
      const refused = yield* Effect.flip(late.claim(receipt))
      assert.strictEqual(refused.code, "conflict")
      assert.notInclude(refused.detail, "claims")
      assert.strictEqual(yield* code(late.claim("0000-0000-0000")), "not_found")
      assert.strictEqual(yield* code(late.claim("nonsense")), "validation_failed")
    })
  )

  it.effect("takes a reward once for a key, on two nodes at once, and shows its code at the till", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node(), yield* World.node()]
      yield* guest(a, "takes")
      yield* a.on(Guests.credit("takes", 250))
      const [here, there] = [yield* visitor(a, "takes"), yield* visitor(b, "takes")]
      const done = yield* Effect.all([here.take("one-off", "takes-key-1"), there.take("one-off", "takes-key-1")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(done.map(({ created }) => created).toSorted(), [false, true])
      assert.deepStrictEqual(done[0]?.body, done[1]?.body)
      assert.strictEqual(yield* points(a, "takes"), 150)
      const { balances, wallet } = yield* here.me
      assert.deepStrictEqual(wallet, [done[0]!.body])
      assert.strictEqual(balances[0]?.spendable, 150)
      // Another key takes another one; the same key names no other reward.
      assert.strictEqual(yield* code(here.take("free-bowl", "takes-key-1")), "conflict")
      assert.isTrue((yield* there.take("one-off", "takes-key-2")).created)
      assert.strictEqual(yield* code(here.take("one-off", "takes-key-3")), "insufficient_balance")
      assert.strictEqual(yield* code(here.take("none", "takes-key-4")), "not_found")
      const taken = (yield* auditOf("member.reward.take")).filter(([, member]) => member === "takes")
      assert.deepStrictEqual(
        taken.map(([actor, member]) => [actor, member]),
        [
          ["guest", "takes"],
          ["guest", "takes"]
        ]
      )
      const used = yield* a.on(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "takes-r",
          member_id: "takes",
          reward_id: "one-off",
          issued_reward_id: done[0]!.body.issued_reward_id,
          order: Testing.order("takes-meal", 500, { status: "open", ...Testing.placedAt(World.time.now()) })
        })
      )
      assert.strictEqual(used._tag, "Answer")
      assert.strictEqual(yield* points(a, "takes"), 50)
    })
  )

  it.effect("changes her profile; the audit names no value, and a consent keeps the version of its text", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "changes")
      const ada = yield* visitor(a, "changes")
      const consents = [{ purpose: "marketing", channel: "email" as const, granted: true }]
      const member = yield* ada.change({ name: hostile, birthday: "1990-02-03", consents, text_version: "2026-11" })
      assert.deepInclude(member, { name: hostile, birthday: "1990-02-03", language: "en" })
      assert.deepStrictEqual(
        member.consents.map(({ channel, granted, purpose }) => [purpose, channel, granted]),
        [["marketing", "email", true]]
      )
      assert.deepStrictEqual(yield* TestDatabase.query("SELECT source, recorded_by FROM consents"), [
        { source: "guest_page 2026-11", recorded_by: "guest" }
      ])
      const told = yield* auditOf("member.profile")
      assert.deepStrictEqual(told.length, 1)
      assert.deepStrictEqual(told[0]?.slice(0, 2), ["guest", "changes"])
      assert.notInclude(String(told[0]?.[2]), "1990")
      assert.notInclude(String(told[0]?.[2]), "onerror")
      const cleared = yield* ada.change({ name: null, consents: [{ ...consents[0]!, granted: false }] })
      assert.isUndefined(cleared.name)
      assert.isFalse(cleared.consents[0]?.granted)
      assert.strictEqual(yield* code(ada.change({ birthday: "2030-01-01" })), "validation_failed")
    })
  )

  it.effect("sees and changes nothing while suspended", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "rests")
      yield* a.on(Guests.credit("rests", 250))
      const receipt = yield* kept(a, "rests-1")
      yield* a.accounts.execute(a.program.id, "rests", {
        action: { type: "set_status", status: "suspended", reason: "test" },
        guards: {}
      })
      const ada = yield* visitor(a, "rests")
      const me = yield* ada.me
      assert.strictEqual(me.member.status, "suspended")
      assert.deepStrictEqual([...new Set(me.rewards.map(({ why }) => why))], ["not_active"])
      assert.strictEqual((yield* ada.history()).entries.length, 1)
      assert.strictEqual(yield* code(ada.take("one-off")), "member_not_active")
      assert.strictEqual(yield* code(ada.claim(receipt)), "member_not_active")
      assert.strictEqual(yield* code(ada.change({ name: "Ada" })), "member_not_active")
    })
  )

  it.effect("sees how much expires after the dates that are told, so that all of it is her balance", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "saves")
      for (let day = 0; day < 14; day++) {
        World.time.set(World.start + day * 86_400_000)
        yield* accrue(a, "saves", order(`saves-${day}`, 1_000))
      }
      const { balances, expiring, expiring_later = [] } = yield* (yield* visitor(a, "saves")).me
      World.time.set(World.start)
      assert.deepStrictEqual([expiring.length, expiring_later.map(({ unit }) => unit)], [12, ["points"]])
      const sum = [...expiring, ...expiring_later].reduce((before, { points }) => before + points, 0)
      assert.strictEqual(sum, balances[0]?.points)
    })
  )

  it.effect("is the one that remains after a merge, with what both had", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "old")
      yield* guest(a, "heir")
      yield* accrue(a, "old", order("old-1", 1_000))
      const old = yield* visitor(a, "old")
      yield* a.on(Guests.credit("old", 100))
      const { body } = yield* old.take("one-off", "old-key-1")
      yield* a.accounts.merge(a.program.id, { from: "old", into: "heir" })
      const me = yield* old.me
      assert.strictEqual(me.card?.value, "card-heir")
      assert.deepStrictEqual(me.wallet, [body])
      assert.deepStrictEqual((yield* old.take("one-off", "old-key-1")).body, body)
      assert.strictEqual(yield* points(a, "heir"), 100)
      assert.deepStrictEqual(
        (yield* old.history()).entries.map(({ kind }) => kind),
        ["merged", "merged", "spent", "gift", "earned"]
      )
      assert.strictEqual(yield* said(old.claim(yield* kept(a, "heir-1"))), "created")
    })
  )
})
