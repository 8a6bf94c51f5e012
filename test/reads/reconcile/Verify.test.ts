/** Findings of `lotbook journal verify`, and what it leaves in peace. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { earn } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Strays from "../../../src/reads/reconcile/Strays.ts"
import { kinds, picker } from "./Damage.ts"
import * as Scenario from "./Scenario.ts"

const tables = [
  "journal",
  "claims",
  "keys",
  "ledger_entries",
  "accounts",
  "members",
  "identities",
  "issued_rewards",
  "snapshots",
  "member_rollups",
  "rollup_member_lots",
  "rollup_orders",
  "rollup_buyers"
]
const members = 120
/** Accounts damaged in one round, one row each; the others must not be named. */
const damagedAtOnce = 90
const rounds = 5
const seed = 20_261_121

/** The columns that are written: the others follow from them. */
const written = (table: string) =>
  table === "rollup_orders"
    ? "account, order_id, program_id, at, location_id, business, accrued, earned_by, delta, is_closed, counts"
    : "*"
const keep = Scenario.byHand(
  ...tables.map((table) => `CREATE TABLE kept_${table} AS SELECT ${written(table)} FROM ${table}`)
)
const restore = Scenario.byHand(
  ...tables.flatMap((table) => {
    const columns = written(table) === "*" ? "" : `(${written(table)})`
    return [`TRUNCATE ${table}`, `INSERT INTO ${table} ${columns} SELECT * FROM kept_${table}`]
  })
)

layer(Scenario.layer, { excludeTestServices: true })("journal verify", (it) => {
  it.effect("finds nothing where nothing was touched, and has seen everything", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(members)
      const { accounts, entries, found, records } = yield* Scenario.verify()
      assert.deepStrictEqual(found, [])
      const [counted] = yield* Scenario.byHand(
        "SELECT (SELECT count(*) FROM journal)::int AS records, (SELECT count(*) FROM ledger_entries)::int AS entries"
      )
      assert.deepStrictEqual({ accounts, entries, records }, { accounts: members, ...counted })
      const [kept] = yield* Scenario.byHand("SELECT count(*)::int AS snapshots FROM snapshots")
      assert.strictEqual(kept?.["snapshots"], members)
      yield* keep
    })
  )

  it.effect(`finds every one of ${rounds * damagedAtOnce} damaged rows, and names no account that is sound`, () =>
    Effect.gen(function* () {
      const pick = picker(seed)
      const numbers = (yield* Scenario.byHand("SELECT number::int AS number FROM accounts ORDER BY 1")).map((row) =>
        Number(row["number"])
      )
      const names = Object.keys(kinds)
      const done = new Set<string>()
      for (let round = 0; round < rounds; round++) {
        const chosen = numbers.toSorted(() => pick([-1, 1])).slice(0, damagedAtOnce)
        const damages = chosen.map((account, index) => {
          // Every kind in turn, so that none is left to chance; account and row are.
          const name = names[(round * damagedAtOnce + index) % names.length] ?? ""
          const by = pick(Array.from({ length: 100_000 }, (_, number) => number))
          done.add(name)
          return { account, name, statement: kinds[name]?.(account, by) ?? "" }
        })
        yield* Scenario.byHand(...damages.map(({ statement }) => statement))
        const { found } = yield* Scenario.verify()
        const named = new Set(found.flatMap(({ account = [] }) => account))
        const missed = damages.filter(({ account }) => !named.has(account))
        assert.deepStrictEqual(
          missed.map(({ name, statement }) => `${name}: ${statement}`),
          []
        )
        const damaged = new Set(chosen)
        // A claim that was moved to an account that never was is named there as well.
        const sound = [...named].filter((account) => numbers.includes(account) && !damaged.has(account))
        assert.deepStrictEqual(sound, [])
        yield* restore
      }
      assert.strictEqual(done.size, names.length)
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )

  it.effect("finds rows of accounts that the journal never opened", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "INSERT INTO accounts SELECT 9001, seq, next_due, balance, status, program_id, 'nobody', joined_at FROM accounts LIMIT 1",
        "INSERT INTO members VALUES (9002, '[]')",
        "INSERT INTO claims VALUES (gen_random_uuid(), gen_random_uuid(), 9003, 1, 0)",
        "INSERT INTO ledger_entries SELECT 9004, n, seq, amount, occurred_at, expires_at, related_n, operation, unit FROM ledger_entries LIMIT 1",
        "INSERT INTO snapshots SELECT 9005, seq, version, state FROM snapshots LIMIT 1",
        "INSERT INTO journal SELECT 9006, seq, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal WHERE seq = 1 LIMIT 1",
        "INSERT INTO member_rollups SELECT 9007, seq, program_id, 'nobody', status, joined, tier_id, tier_period, period, units FROM member_rollups LIMIT 1",
        "INSERT INTO rollup_member_lots VALUES (9008, 'points', 1, 1)",
        "INSERT INTO rollup_orders (account, order_id, program_id, at, business, accrued, earned_by) VALUES (9009, 'o', 'p', 0, 0, 1, 9009)",
        "INSERT INTO rollup_buyers VALUES (9010, 'p', 1, 1, 0)"
      )
      const { found } = yield* Scenario.verify()
      assert.deepStrictEqual(
        [...new Set(found.flatMap(({ account = [] }) => account))].sort(),
        [9001, 9002, 9003, 9004, 9005, 9006, 9007, 9008, 9009, 9010]
      )
      yield* restore
    })
  )

  it.effect("looks for claims that are held twice without a copy of all claims and keys", () =>
    Effect.gen(function* () {
      const plan = yield* Scenario.byHand(`EXPLAIN ${Strays.twiceStatement}`)
      assert.notInclude(JSON.stringify(plan), "CTE")
    })
  )

  it.effect("finds a claim that is held twice, in whichever eras", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "INSERT INTO eras (era, began) VALUES (1, 0), (2, 0)",
        "INSERT INTO claims SELECT key, fingerprint, account, seq, 2 FROM claims ORDER BY key LIMIT 1"
      )
      const { found } = yield* Scenario.verify()
      const twice = found.filter(({ message }) => message.includes("held more than once"))
      assert.deepStrictEqual(
        twice.map(({ message }) => /in era (\d)/.exec(message)?.[1]),
        ["0", "2"]
      )
      yield* Scenario.byHand("DELETE FROM eras WHERE era > 0")
      yield* restore
    })
  )

  it.effect("finds rows under numbers that no account has, however far off, and comes to an end", () =>
    Effect.gen(function* () {
      const far = ["-5", "5000000000000", "9007199254740990", "9007199254740991", "-9223372036854775808"]
      const journal = "INSERT INTO journal SELECT"
      yield* Scenario.byHand(
        ...far.map((number) => `INSERT INTO claims VALUES (gen_random_uuid(), gen_random_uuid(), ${number}, 7, 0)`),
        ...far.map((number) => `INSERT INTO snapshots VALUES (${number}, 1, 1, '{}')`),
        `${journal} 9223372036854775807, seq, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal WHERE seq = 1 LIMIT 1`,
        `${journal} 9000000000000000, seq, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal WHERE seq < 0 OR seq > 20 LIMIT 1`
      )
      const { found } = yield* Scenario.verify()
      assert.deepStrictEqual(
        [...new Set(found.map(({ account, table }) => `${account} ${table}`))].sort(),
        [
          ...["-5", "5000000000000", "9007199254740990"].flatMap((number) => [
            `${number} claims`,
            `${number} snapshots`
          ]),
          // Numbers that the service never assigns: rows are reported together, claims one by one.
          "9007199254740991 claims",
          ...["-9223372036854776000 claims", "-9223372036854776000 snapshots", "9223372036854776000 journal"],
          ...["9000000000000000 journal", "9000000000000000 accounts", "9000000000000000 members"]
        ].sort()
      )
      yield* restore
    })
  )

  it.effect("finds the same in ranges of few rows, where most accounts come in pages", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "UPDATE ledger_entries SET amount = amount + 1 WHERE order_id IN ('m-3-1', 'm-90-2')",
        "DELETE FROM ledger_entries WHERE order_id = 'm-4-11'",
        "DELETE FROM journal WHERE seq = 9 AND account = (SELECT number FROM accounts WHERE member_id = 'm-8')",
        "UPDATE claims SET account = account + 1 WHERE account = (SELECT number FROM accounts WHERE member_id = 'm-50')",
        "INSERT INTO claims VALUES (gen_random_uuid(), gen_random_uuid(), 9000, 1, 0)"
      )
      const { found: wide, ...counted } = yield* Scenario.verify()
      assert.isAbove(wide.length, 5)
      for (const rangeRows of [7, 12, 50]) {
        const { found, ...narrow } = yield* Scenario.verify(100, { rangeRows })
        assert.deepStrictEqual(narrow, counted)
        assert.deepStrictEqual(found, wide)
      }
      yield* restore
      assert.deepStrictEqual((yield* Scenario.verify(100, { rangeRows: 7 })).found, [])
    })
  )

  it.effect("verifies only the given programme, by its accounts' journals and by their rows", () =>
    Effect.gen(function* () {
      const program = Testing.demoProgram.id
      yield* Scenario.byHand(
        "UPDATE accounts SET program_id = 'other' WHERE member_id = 'm-2'",
        "DELETE FROM accounts WHERE member_id = 'm-3'"
      )
      const { accounts, found } = yield* Scenario.verify(100, { program })
      assert.strictEqual(accounts, members)
      assert.strictEqual(found.length, 2)
      assert.strictEqual((yield* Scenario.verify(100, { program: "other" })).accounts, 1)
      assert.strictEqual((yield* Scenario.verify(100, { program: "none" })).accounts, 0)
      yield* restore
    })
  )

  it.effect("raises no alarm beside a service at work", () =>
    Effect.gen(function* () {
      let orders = 0
      const post = Effect.suspend(() => {
        const order = orders++
        return earn(`m-${order % members}`, `live-${order}`, 700)
      })
      let isOver = false
      const till = Effect.whileLoop({ while: () => !isOver, body: () => post, step: () => undefined })
      const traffic = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 64 }, () => till),
          { concurrency: 64 }
        )
      )
      let seen = 0
      for (let round = 0; round < 3; round++) {
        const { found, records } = yield* Scenario.verify()
        assert.deepStrictEqual(found, [])
        assert.isAtLeast(records, seen)
        seen = records
      }
      isOver = true
      yield* Fiber.join(traffic)
      assert.isAbove(orders, 64)
      yield* restore
    })
  )

  it.effect("verifies the given share of the accounts", () =>
    Effect.gen(function* () {
      const { accounts, found } = yield* Scenario.verify(50)
      assert.isAbove(accounts, 0)
      assert.isBelow(accounts, members)
      assert.deepStrictEqual(found, [])
    })
  )

  it.effect("reads an account of more records than a page in pages", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 1_100 }, (_, index) => index),
        (index) => earn("m-7", `long-${index}`, 500),
        { concurrency: 64, discard: true }
      )
      assert.deepStrictEqual((yield* Scenario.verify(100, { rangeRows: 500 })).found, [])
      yield* Scenario.byHand(
        "UPDATE ledger_entries SET amount = amount + 1 WHERE order_id = 'long-700'",
        "DELETE FROM ledger_entries WHERE order_id = 'long-1099'"
      )
      const { found } = yield* Scenario.verify(100, { rangeRows: 500 })
      assert.deepStrictEqual(found.map(({ message, table }) => `${table} ${message.split(" ")[0]}`).sort(), [
        "ledger_entries amount",
        "ledger_entries is"
      ])
    })
  )
})

layer(Scenario.layer, { excludeTestServices: true })("journal rebuild", (it) => {
  describe("puts right what the journal knows", () => {
    it.effect("rows of accounts, wallet rewards and snapshots; nothing is left to find", () =>
      Effect.gen(function* () {
        yield* Scenario.lives(12)
        yield* keep
        yield* Scenario.byHand(
          "UPDATE accounts SET seq = 1, balance = 0, next_due = NULL, status = 'closed' WHERE member_id = 'm-1'",
          "DELETE FROM accounts WHERE member_id = 'm-2'",
          "DELETE FROM issued_rewards WHERE issued_reward_id = 'm-3-wallet-1'",
          "UPDATE issued_rewards SET status = 'expired' WHERE issued_reward_id = 'm-4-wallet-2'",
          "UPDATE snapshots SET state = 'x'"
        )
        assert.isAbove((yield* Scenario.verify()).differences, 12)
        const { skipped, unrepaired, written } = yield* Scenario.rebuild
        assert.deepStrictEqual({ skipped, unrepaired, written }, { skipped: 0, unrepaired: 0, written: 12 })
        assert.deepStrictEqual((yield* Scenario.verify()).found, [])
        for (const table of ["accounts", "issued_rewards", "snapshots", "member_rollups"]) {
          const rows = yield* Scenario.byHand(
            `(TABLE ${table} EXCEPT TABLE kept_${table}) UNION ALL (TABLE kept_${table} EXCEPT TABLE ${table})`
          )
          assert.deepStrictEqual(rows, [], table)
        }
        assert.strictEqual((yield* Scenario.rebuild).written, 0)
      })
    )

    it.effect("sums of finance, of days and of months, that are not what entries add up to", () =>
      Effect.gen(function* () {
        yield* Scenario.byHand(
          "UPDATE finance_days SET points = points + 1 WHERE span = 31 AND line = 'redeemed' AND unit = 'points'",
          "DELETE FROM finance_days WHERE span = 1 AND line = 'base' AND unit = 'points'"
        )
        const { found } = yield* Scenario.verify(100, { isFull: true })
        assert.deepStrictEqual(
          found.map(({ row, table }) => [table, row]),
          [
            ["finance_days", `${Testing.demoProgram.id} points`],
            ["finance_days", `${Testing.demoProgram.id} points`]
          ]
        )
        assert.match(found[0]?.message ?? "", /^its days come to -?\d+; the journal says \d+$/)
        assert.match(found[1]?.message ?? "", /^its months come to \d+; the journal says \d+$/)
        assert.isTrue((yield* Scenario.rebuild).hasRemadeRollups)
        assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
      })
    )

    it.effect("and reports what it cannot repair, which stays unchanged", () =>
      Effect.gen(function* () {
        yield* Scenario.byHand(
          "UPDATE ledger_entries SET amount = amount + 1 WHERE order_id = 'm-5-1'",
          "DELETE FROM members WHERE account = (SELECT number FROM accounts WHERE member_id = 'm-6')",
          "UPDATE journal SET reply = reply || ' ' WHERE seq = 3 AND account = (SELECT number FROM accounts WHERE member_id = 'm-8')",
          "UPDATE accounts SET balance = 1 WHERE member_id = 'm-8'"
        )
        const { found, written } = yield* Scenario.rebuild
        assert.strictEqual(written, 0)
        assert.deepStrictEqual([...new Set(found.map(({ table }) => table))].sort(), [
          "accounts",
          "journal",
          "ledger_entries",
          "members"
        ])
      })
    )
  })
})
