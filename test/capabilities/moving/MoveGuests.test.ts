/** Moves on PostgreSQL. Holds contract/moving.md *What is posted*, *Once only*, *Moving*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { at, StandingTime } from "../../../src/base/time/Times.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import type { GuestMoved } from "../../../src/contract/admin/MoveIn.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Victims from "../../Victims.ts"
import * as Moves from "./Moves.ts"

const { program_id } = Testing.demoProgram.file
const outcomes = (guests: ReadonlyArray<GuestMoved>) => guests.map(({ outcome }) => outcome)

/** Balance, lots and wallet rewards of guests whose external id begins so. */
const look = (prefix: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT count(*)::int AS members, sum(a.balance)::int AS points,
          (SELECT count(*)::int FROM ledger_entries e WHERE e.account = ANY (array_agg(a.number))) AS entries,
          (SELECT count(*)::int FROM issued_rewards r WHERE r.account = ANY (array_agg(a.number))) AS rewards
        FROM profiles p JOIN accounts a ON a.number = p.account WHERE p.external_id LIKE '${prefix}%'`
    ),
    ([row]) => [row?.["members"], row?.["points"], row?.["entries"], row?.["rewards"]]
  )

const memberOf = (external: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT a.member_id AS id, a.number::int AS account FROM profiles p JOIN accounts a ON a.number = p.account WHERE p.external_id = '${external}'`
    ),
    ([row]) => ({ member: String(row?.["id"]), account: Number(row?.["account"]) })
  )

const postgres = Moves.service(PgJournal.layer).pipe(Layer.provideMerge(TestDatabase.layer))

layer(postgres, { excludeTestServices: true })("guests", (it) => {
  it.effect("are moved once wherever the process is killed", () =>
    Effect.gen(function* () {
      const file = path.join(import.meta.dirname, "MoveVictim.ts")
      for (const [step, record] of [
        ["sent", "3"],
        ["committed", "20"],
        ["sent", "30"]
      ] as const)
        assert.strictEqual(yield* Victims.run(file, step, record), "SIGKILL", step)
      const rest = outcomes(yield* Moves.moveIn(Moves.many))
      assert.include(rest, "same")
      assert.include(rest, "enrolled")
      assert.deepStrictEqual(yield* look("many-"), [160, 160 * 150, 320, 160])
      assert.deepStrictEqual(new Set(outcomes(yield* Moves.moveIn(Moves.many))), new Set(["same"]))
      yield* isSound
    })
  )

  it.effect("are moved once by two nodes at a time", () =>
    Effect.gen(function* () {
      const guests = Array.from({ length: 20 }, (_, n) => Moves.guest(`both-${n}`))
      const other = Moves.service(PgJournal.layer).pipe(Layer.provide(Layer.succeed(Database, yield* Database)))
      const context = yield* Layer.build(Layer.fresh(other))
      yield* Effect.all([Moves.moveIn(guests), Effect.provide(Moves.moveIn(guests), context)], { concurrency: 2 })
      assert.deepStrictEqual(yield* look("both-"), [20, 20 * 150, 40, 0])
    })
  )

  it.effect("who were erased stay erased, and those who were merged are the member that remains", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("erased"), Moves.guest("merged"), Moves.guest("remaining")])
      const { query } = yield* PeoplePool
      const profiles = yield* Profiles.make(query)
      const { member } = yield* memberOf("erased")
      const erased = profiles.erase(Testing.demoProgram, { member_id: member, reason: "asked for it" })
      yield* Effect.provideService(erased, CurrentCaller, operator)
      const accounts = yield* Accounts
      const [from, into] = [yield* memberOf("merged"), yield* memberOf("remaining")]
      yield* accounts.merge(program_id, { from: from.member, into: into.member })
      yield* TestDatabase.query(
        `INSERT INTO rollup_merges (account, into_account) VALUES (${from.account}, ${into.account})`
      )
      const more = { unit: "points", amount: 7, earned_at: "2026-07-02T00:00:00Z", expires_at: null } as const
      const again = [Moves.guest("erased"), Moves.guest("merged"), Moves.guest("merged")]
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn(again.slice(0, 2))), ["erased", "same"])
      const added = Moves.guest("merged", { lots: [...Moves.guest("merged").lots, more] })
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn([added])), ["added"])
      const found = yield* accounts.read(program_id, into.member)
      assert.deepStrictEqual(found?._tag === "Resident" && found.state.units.map(({ posted }) => posted), [307])
      yield* TestDatabase.query("DELETE FROM rollup_merges")
    })
  )

  it.effect("who are one member have their own lots, each without those of the other", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* Moves.moveIn([Moves.guest("twin-1"), Moves.guest("twin-2")])
      const [from, into] = [yield* memberOf("twin-1"), yield* memberOf("twin-2")]
      const { external_id: _, ...others } = Moves.guest("twin-3")
      const third = { ...others, member_id: into.member }
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn([third])), ["joined"])
      yield* accounts.merge(program_id, { from: from.member, into: into.member })
      yield* TestDatabase.query(
        `INSERT INTO rollup_merges (account, into_account) VALUES (${from.account}, ${into.account})`
      )
      const again = yield* Moves.moveIn([Moves.guest("twin-1"), Moves.guest("twin-2"), third], { correct: true })
      assert.deepStrictEqual(
        again.map(({ differences, outcome }) => [outcome, differences]),
        [
          ["same", []],
          ["same", []],
          ["same", []]
        ]
      )
      yield* TestDatabase.query("DELETE FROM rollup_merges")
    })
  )

  it.effect("are corrected by what their lots have left; the rest is told, and other points stay", () =>
    Effect.gen(function* () {
      const guest = Moves.guest("taken")
      yield* Moves.moveIn([guest])
      const { account } = yield* memberOf("taken")
      const accounts = yield* Accounts
      const change = (amount: number) =>
        accounts.executeOn(account, () => ({
          action: {
            ...{ type: "adjust_manually", adjustment: `taken ${amount}`, amount, classification: "gift" },
            ...{ reason: "test", qualifies: false }
          },
          guards: {}
        }))
      yield* change(-120)
      yield* change(25)
      const gone = { ...guest, lots: [] }
      const [kept] = yield* Moves.moveIn([{ ...gone, lots_left_out: true }], { correct: true })
      assert.deepStrictEqual([kept?.outcome, kept?.posted, kept?.differences.length], ["same", 0, 2])
      const [told] = yield* Moves.moveIn([gone], { correct: true })
      const rest = [
        { unit: "points", moved: 100, listed: 0 },
        { unit: "points", moved: 20, listed: 0 }
      ]
      assert.deepStrictEqual([told?.outcome, told?.posted, told?.differences], ["added", 1, rest])
      assert.deepStrictEqual(yield* look("taken"), [1, 25, 5, 0])
      const [again] = yield* Moves.moveIn([gone], { correct: true })
      assert.deepStrictEqual([again?.outcome, again?.posted, again?.differences], ["same", 0, rest])
    })
  )

  it.effect("whose lots have expired since do not differ, whether or not the files have them", () =>
    Effect.gen(function* () {
      const ends = { unit: "points", amount: 30, expires_at: "2098-12-31T00:00:00Z" } as const
      const guest = Moves.guest("ended", { lots: [ends] })
      yield* Moves.moveIn([guest])
      const later = new StandingTime(Date.parse("2099-01-01T00:00:00Z"))
      const wrong = { ...guest, lots: [{ ...ends, amount: 20 }] }
      for (const one of [{ ...guest, lots: [] }, wrong]) {
        const [before] = yield* Moves.moveIn([one], { dry_run: true })
        assert.strictEqual(before?.differences.length, 1)
        const [after] = yield* at(later)(Moves.moveIn([one], { correct: true }))
        assert.deepStrictEqual([after?.outcome, after?.differences], ["same", []])
      }
    })
  )

  it.effect("are the same in any order of their lots, those of one date as well", () =>
    Effect.gen(function* () {
      const lot = { unit: "points", earned_at: "2026-06-01T00:00:00Z", expires_at: null } as const
      const lots = [30, 50, 40].map((amount) => ({ ...lot, amount }))
      yield* Moves.moveIn([Moves.guest("order", { lots })])
      for (const again of [lots.toReversed(), lots.toSorted((one, other) => one.amount - other.amount)]) {
        const [told] = yield* Moves.moveIn([Moves.guest("order", { lots: again })], { correct: true })
        assert.deepStrictEqual([told?.outcome, told?.differences], ["same", []])
      }
    })
  )

  it.effect("whose card has moved to another guest are themselves, and the card stays", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("card-1"), Moves.guest("card-2")])
      const card = { type: "loyalty_id", value: "card-card-1" } as const
      const { claimKey } = yield* Journal
      const key = ClaimKeys.identity(claimKey, program_id, card)
      const accounts = yield* Accounts
      const [one, other] = [yield* memberOf("card-1"), yield* memberOf("card-2")]
      const change = (add: ReadonlyArray<string>, remove: ReadonlyArray<string>) =>
        ({ action: { type: "change_identities", add, remove }, guards: {}, identities: [card] }) as const
      yield* accounts.executeOn(one.account, () => change([], [key]))
      yield* accounts.executeOn(other.account, () => change([key], []))
      const told = yield* Moves.moveIn([Moves.guest("card-1")])
      assert.deepStrictEqual(outcomes(told), ["same"])
      assert.deepStrictEqual(yield* look("card-1"), [1, 150, 2, 0])
      const found = yield* accounts.readOn(one.account)
      assert.strictEqual(found?._tag === "Resident" && found.state.identities.includes(key), false)
    })
  )

  it.effect("have a card that nobody has any more, whose guest was erased or has lost it", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("gone-1"), Moves.guest("gone-2")])
      const { query } = yield* PeoplePool
      const profiles = yield* Profiles.make(query)
      const { member } = yield* memberOf("gone-1")
      const erased = profiles.erase(Testing.demoProgram, { member_id: member, reason: "asked for it" })
      yield* Effect.provideService(erased, CurrentCaller, operator)
      const { claimKey } = yield* Journal
      const lost = { type: "loyalty_id", value: "card-gone-2" } as const
      const remove = [ClaimKeys.identity(claimKey, program_id, lost)]
      const accounts = yield* Accounts
      yield* accounts.executeOn((yield* memberOf("gone-2")).account, () => ({
        action: { type: "change_identities", add: [], remove },
        guards: {},
        identities: [lost]
      }))
      const next = [1, 2].map((n) =>
        Moves.guest(`next-${n}`, { identities: [{ type: "loyalty_id", value: `card-gone-${n}` }] })
      )
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn(next)), ["enrolled", "enrolled"])
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn(next)), ["same", "same"])
      // Without an id, the card leads to the guest that was moved with it first: one who was erased comes back by no file.
      const { external_id: _, ...card } = next[0]!
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn([card])), ["erased"])
    })
  )

  it.effect("who joined at a date that lies ahead have joined now", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("ahead", { joined_at: "2098-01-01T00:00:00Z" })])
      const found = yield* (yield* Accounts).readOn((yield* memberOf("ahead")).account)
      assert.isTrue(found?._tag === "Resident" && found.state.joined <= found.state.at)
    })
  )

  it.effect("with a card of another member are refused, or move without it", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("holder")])
      const guest = Moves.guest("stranger", { identities: [{ type: "loyalty_id", value: "card-holder" }] })
      const [dry] = yield* Moves.moveIn([guest], { dry_run: true })
      assert.deepStrictEqual([dry?.outcome, dry?.faults], ["refused", ["card_elsewhere"]])
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn([guest])), ["refused"])
      assert.deepStrictEqual(yield* look("stranger"), [0, null, 0, 0])
      assert.deepStrictEqual(outcomes(yield* Moves.moveIn([guest], { waive: ["card_elsewhere"] })), ["enrolled"])
      assert.deepStrictEqual(yield* look("stranger"), [1, 150, 2, 0])
    })
  )

  it.effect("who are here keep what they have and get what they lack", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const profiles = yield* Profiles.make(query)
      const facts = { external_id: "here", display_name: "Ada", attributes: { drink: "tea" } }
      yield* profiles.upsert(Testing.demoProgram, facts, { via: "platform", actor: undefined })
      const told = yield* Moves.moveIn([
        Moves.guest("here", {
          display_name: "Somebody",
          email: "ada@example.com",
          attributes: { drink: "coffee", size: "large" },
          consents: [
            { purpose: "marketing", granted: true, recorded_at: "2026-01-01T00:00:00Z", source: "app", version: "3" }
          ]
        })
      ])
      assert.deepStrictEqual(outcomes(told), ["joined"])
      const shown = yield* profiles.show((yield* memberOf("here")).account)
      assert.deepInclude(shown, { display_name: "Ada", email: "ada@example.com" })
      assert.deepStrictEqual(shown.attributes, { drink: "tea", size: "large" })
      assert.deepStrictEqual(shown.consents, [
        { purpose: "marketing", granted: true, recorded_at: "2026-01-01T00:00:00.000Z", source: "app (text 3)" }
      ])
      yield* isSound
    })
  )

  // The last test: its entry is in no record.
  it.effect("whose lots have expired by inactivity do not differ, though these had no date of their own", () =>
    Effect.gen(function* () {
      const guest = Moves.guest("idle")
      yield* Moves.moveIn([guest])
      const { account } = yield* memberOf("idle")
      yield* TestDatabase.query(
        `INSERT INTO ledger_entries (account, n, seq, amount, occurred_at, related_n, operation, unit)
          VALUES (${account}, 3, 99, -100, now(), 1, 'expiration', 'points')`
      )
      const [told] = yield* Moves.moveIn([{ ...guest, lots: [] }], { dry_run: true })
      assert.deepStrictEqual(told?.differences, [{ unit: "points", moved: 50, listed: 0 }])
    })
  )
})
