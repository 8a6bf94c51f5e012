/**
 * contract/databases.md *Clock of the service*: what a clock ahead of time has expired is named by journal verify, and
 * comes back.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { body } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Times from "../../../src/base/time/Times.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as InProcess from "../../app/cli/InProcess.ts"
import * as Scenario from "./Scenario.ts"

const day = 86_400_000
const members = 12

/** Posts everything that a service without a check of its clock would post, with a clock 400 days ahead. */
const accident = Effect.gen(function* () {
  const { now } = yield* Times.machineTime
  const ahead: Times.ServiceTime = { _tag: "ServiceTime", now: () => now() + 400 * day }
  const rows = yield* Scenario.byHand("SELECT number::int AS number FROM accounts")
  yield* Effect.forEach(rows, ({ number }) => Effect.flatMap(Accounts.Accounts, ({ wake }) => wake(Number(number))), {
    discard: true
  }).pipe(
    Effect.provide(
      Layer.fresh(Accounts.layer()).pipe(Layer.provide(Times.layer(ahead)), Layer.provide(PgJournal.layer))
    )
  )
})

const present = Scenario.byHand(
  `SELECT a.member_id, a.balance::int AS balance, (SELECT json_agg(l ORDER BY l.unit, l.expires_at) FROM rollup_member_lots l
      WHERE l.account = a.number) AS lots, (SELECT json_agg(r.status ORDER BY r.n) FROM issued_rewards r
      WHERE r.account = a.number) AS rewards FROM accounts a ORDER BY a.number`
)

const restore = (...more: ReadonlyArray<string>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    InProcess.onDatabase(
      ...["journal", "restore-expired", "--from", fromMillis(now - day), "--until", fromMillis(now + day)],
      ...["--reason", "Clock was 400 days ahead", ...more]
    )
  )

const records = Effect.map(Scenario.byHand("SELECT count(*)::int AS count FROM journal"), ([row]) => row?.["count"])

layer(Scenario.layer, { excludeTestServices: true })("journal restore-expired", (it) => {
  it.effect("returns points and rewards with their dates; verify is clean, and a second run posts nothing", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(members)
      const now = yield* Clock.currentTimeMillis
      yield* body(
        Testing.call("issued_reward.issue", {
          context: Testing.context(),
          issued_reward_id: "wallet-of-100-days",
          member_id: "m-0",
          program_id: "demo-foodservice",
          reward_id: "one-off",
          expires_at: fromMillis(now + 100 * day)
        })
      )
      yield* Scenario.countRollups
      const before = yield* present

      yield* accident
      yield* Scenario.countRollups
      const [lost] = yield* Scenario.byHand(
        "SELECT count(*)::int AS count, sum(amount)::int AS points FROM ledger_entries WHERE operation = 'expiration'"
      )
      assert.isAtLeast(Number(lost?.["count"]), members)
      const damaged = yield* Scenario.verify()
      assert.strictEqual(damaged.found.length, members, JSON.stringify(damaged.found[0]))
      for (const { message, table } of damaged.found) {
        assert.strictEqual(table, "journal")
        assert.match(
          message,
          /^is dated \S+, with entries [\d, ]+, but was written at \S+: see journal restore-expired$/
        )
      }

      const count = yield* records
      const dry = yield* restore()
      assert.strictEqual(dry.code, 0, dry.err)
      assert.include(dry.out, `Would restore ${-Number(lost?.["points"])} points and 1 rewards of ${members} members.`)
      assert.strictEqual(yield* records, count)

      const done = yield* restore("--apply")
      assert.strictEqual(done.code, 0, done.err)
      assert.include(done.out, `Restored ${-Number(lost?.["points"])} points and 1 rewards of ${members} members.`)
      yield* Scenario.countRollups
      assert.deepStrictEqual(yield* present, before)
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
      const audited = yield* Scenario.byHand(
        "SELECT actor_kind, reason FROM audit WHERE action = 'member.restore_expired'"
      )
      assert.lengthOf(audited, members)
      assert.deepInclude(audited[0], { actor_kind: "system", reason: "Clock was 400 days ahead" })

      const after = yield* records
      const again = yield* restore("--apply")
      assert.include(again.out, "Restored 0 points and 0 rewards of 0 members.")
      assert.strictEqual(yield* records, after)
    })
  )

  it.effect("time goes on from the present: what members do next is dated now, and refunds know what came back", () =>
    Effect.gen(function* () {
      const refund = yield* InProcess.onDatabase(
        ...["members", "adjust", "m-1", "--program", "demo-foodservice", "--id", "after-1", "--amount", "1"],
        ...["--classification", "gift", "--reason", "after"]
      )
      assert.strictEqual(refund.code, 0, refund.err)
      const [entry] = yield* Scenario.byHand(
        "SELECT occurred_at < now() + interval '1 minute' AS is_now FROM ledger_entries WHERE adjustment_id = 'after-1'"
      )
      assert.strictEqual(entry?.["is_now"], true)
      yield* Scenario.countRollups
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )
})
