/**
 * contract/programmes.md *Files at the start*, *Versions*: programme versions on PostgreSQL, from files at a start and
 * by publication.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { body, credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Times from "../../../src/base/time/Times.ts"
import * as ProgramUse from "../../../src/capabilities/programs/ProgramUse.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as ProgramStore from "../../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { Json } from "../../core/rules/Builders.ts"
import { program } from "../../core/rules/Builders.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const store = Layer.provideMerge(PgJournal.layer, TestDatabase.layer)
const live = Layer.provideMerge(Programs.layer, store)

const named = (name: string, more: (json: Json) => void = () => {}) =>
  program((p) => {
    p["name"] = name
    more(p)
  })

const publish = <E = never, R = never>(
  next: Program,
  publication: ProgramStore.Publication,
  options?: Publishing.PublishOptions<E, R>
) => Effect.flatMap(ProgramWrites.ownWriter, (writer) => Publishing.publish(writer, next, publication, options))
const retire = (id: string) =>
  Effect.flatMap(ProgramWrites.ownWriter, (writer) => Publishing.retire(writer, id, "eva", "season is over"))
const restore = (id: string) => Effect.flatMap(ProgramWrites.ownWriter, (writer) => Publishing.restore(writer, id))

const byApi = { by: "eva", source: "api" } as const

/** A start with these programmes in files; what it logs. */
const start = Effect.fnUntraced(function* (programs: ReadonlyArray<Program>, which: Publishing.Which = "changed") {
  const said: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => said.push(`${logLevel}: ${String(message)}`))
  const files = programs.map((one) => ({ file: `${one.id}.json`, program: one }))
  yield* Effect.provide(Publishing.publishFiles(files, which), Logger.layer([logger]))
  yield* (yield* Programs).refresh
  return said
})

const databaseNow = Connect.apart((connection) =>
  Effect.map(
    connection.query("SELECT floor(extract(epoch from clock_timestamp()) * 1000)::float8 AS now"),
    ({ rows }) => Number(rows[0]?.["now"])
  )
)

/** Runs at a sandbox's time, before all that the tests do. */
const atSandboxTime = Times.at(new Times.StandingTime(1_000))

const inForce = Effect.map(Programs, (programs) => {
  const now = programs.get("p")
  return now === undefined ? undefined : [now.version, now.definition.name]
})

describe("a start with programme files", () => {
  it.live("publishes new files and files changed since the last start, and nothing else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* start([named("A")]), ["Info: Programme p: published version 1 from p.json"])
      assert.deepStrictEqual(yield* start([named("A")]), [])
      assert.deepStrictEqual(yield* start([named("B")]), ["Info: Programme p: published version 2 from p.json: /name"])
      assert.deepStrictEqual(yield* inForce, [2, "B"])
      assert.deepStrictEqual(yield* start([named("A")]), ["Info: Programme p: published version 3 from p.json: /name"])
    }).pipe(Effect.provide(live))
  )

  it.live("keeps a version that was published by other means, with a warning, unless publishing is forced", () =>
    Effect.gen(function* () {
      const goesOn =
        "Warn: Programme p keeps version 2, published by eva (api); p.json differs at /name. To publish the file, start with PROTO_PROGRAMS_PUBLISH=true."
      yield* start([named("A")])
      yield* publish(named("Api"), byApi)
      assert.deepStrictEqual(yield* start([named("A")]), [goesOn])
      assert.deepStrictEqual(yield* start([named("B")]), [goesOn])
      assert.deepStrictEqual(yield* start([named("B")]), [goesOn])
      assert.deepStrictEqual(yield* start([named("C")]), [goesOn])
      assert.deepStrictEqual(yield* inForce, [2, "Api"])
      yield* start([named("C")], "all")
      assert.deepStrictEqual(yield* inForce, [3, "C"])
    }).pipe(Effect.provide(live))
  )

  it.live("a takeover changes no rules: files that differ are reported, and only new programmes are published", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      const keeps =
        "Warn: Programme p keeps version 1, published by a file; p.json differs at /name. To publish the file, start with PROTO_PROGRAMS_PUBLISH=true."
      const said: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => said.push(`${logLevel}: ${String(message)}`))
      const files = [{ file: "p.json", program: named("B") }]
      yield* Effect.provide(Publishing.reportFiles(files), Logger.layer([logger]))
      assert.deepStrictEqual(said, [keeps])
      assert.deepStrictEqual(yield* start([named("B")], "new"), [keeps])
      assert.deepStrictEqual(yield* inForce, [1, "A"])
      assert.deepStrictEqual(yield* start([named("B")]), [keeps], "nor does the next start, which does not say so")
      yield* start([named("B")], "all")
      assert.deepStrictEqual(yield* inForce, [2, "B"])
      const other = named("Q", (p) => (p["program_id"] = "q"))
      assert.deepStrictEqual(yield* start([named("B"), other], "new"), [
        "Info: Programme q: published version 1 from q.json"
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("publishes a file that was changed from what was published otherwise", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      yield* publish(named("Api"), byApi)
      assert.deepStrictEqual(yield* start([named("Api")]), [])
      yield* start([named("B")])
      assert.deepStrictEqual(yield* inForce, [3, "B"])
    }).pipe(Effect.provide(live))
  )

  it.live("makes an entry of the audit for each file that it published, dated by the database", () =>
    Effect.gen(function* () {
      const began = yield* databaseNow
      yield* atSandboxTime(start([named("A")]))
      yield* start([named("A")])
      yield* start([named("B")])
      const entries = yield* Connect.apart((connection) =>
        connection.query(
          "SELECT chain, n::int, at::float8, actor_kind, actor_name, action, subject_id, program_id, changes FROM audit ORDER BY n"
        )
      )
      const common = { chain: 0, actor_kind: "system", actor_name: "system", action: "program.publish" }
      const of = { ...common, subject_id: "p", program_id: "p" }
      assert.deepStrictEqual<unknown>(
        entries.rows.map(({ at: _, changes, ...entry }) => ({ ...entry, changes: JSON.parse(String(changes)) })),
        [
          { ...of, n: 1, changes: { after: { version: 1, source: "file", changes: [] } } },
          {
            ...of,
            n: 2,
            changes: {
              before: { version: 1 },
              after: { version: 2, source: "file", changes: [{ path: "/name", from: "A", to: "B" }] }
            }
          }
        ]
      )
      for (const { at } of entries.rows) assert.isAtLeast(Number(at), began)
    }).pipe(Effect.provide(live))
  )

  it.live("keeps the version in force if a file is gone, with a warning", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      assert.deepStrictEqual((yield* start([named("Q", (p) => (p["program_id"] = "q"))])).slice(-1), [
        "Warn: Programme p has no file any more; it keeps version 1."
      ])
      // A version of other means needs none.
      yield* publish(named("Api"), byApi)
      yield* publish(
        named("R", (p) => (p["program_id"] = "r")),
        byApi
      )
      assert.deepStrictEqual(yield* start([named("Q", (p) => (p["program_id"] = "q"))]), [])
      assert.deepStrictEqual(
        (yield* Programs).all().map(({ id }) => id),
        ["p", "q", "r"]
      )
    }).pipe(Effect.provide(live))
  )

  it.live("stops at changes that are not allowed, with every path and reason, and publishes nothing", () =>
    Effect.gen(function* () {
      yield* start([named("A"), named("Q", (p) => (p["program_id"] = "q"))])
      const broken = {
        ...named("B"),
        file: {
          ...named("B").file,
          currency: "EUR",
          accounts: named("B").file.accounts.map((one) => ({ ...one, is_primary: one.unit === "stamps" }))
        }
      }
      const refused = yield* Effect.flip(start([named("R", (p) => (p["program_id"] = "q")), broken]))
      assert.strictEqual(
        refused.message,
        "p.json: /currency: must stay USD, the currency in force\np.json: /accounts: must keep points as the primary account"
      )
      assert.deepStrictEqual(
        (yield* Programs).all().map(({ version }) => version),
        [1, 1]
      )
    }).pipe(Effect.provide(live))
  )
})

describe("publishing", () => {
  it.live("writes the next version for all who look, with who, how and when; tier policies keep their history", () =>
    Effect.gen(function* () {
      yield* start([program()])
      const july = program((p) => (p["tier_policy"].period.starts_month = 7))
      assert.deepStrictEqual(yield* publish(july, { ...byApi, note: "season" }, { expected: 1 }), {
        version: 2,
        changes: [{ path: "/tier_policy/period/starts_month", from: 1, to: 7 }]
      })
      assert.deepStrictEqual(
        (yield* Programs).get("p")?.tierPolicies.map(({ policy }) => policy?.period.starts_month),
        [1, 7]
      )
      const stored = (yield* Connect.apart((connection) => ProgramStore.read(connection, "p"))).get("p")
      assert.deepInclude(stored?.versions[1], { version: 2, by: "eva", source: "api", note: "season" })
      const other = yield* Layer.build(Layer.fresh(Programs.layer))
      assert.strictEqual(
        yield* Effect.provideContext(
          Effect.map(Programs, (one) => one.get("p")?.version),
          other
        ),
        2
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("is refused while a node runs that might not read the definition, and so would stop every till", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      yield* TestDatabase.query(
        "INSERT INTO nodes (id, address, protocol, version) VALUES ('aaaaaaaaaaaa', '127.0.0.1:1', 2, '0.3.0')"
      )
      const refused = yield* Effect.flip(publish(named("B"), byApi))
      assert.deepInclude(refused, { _tag: "OlderNode", version: "0.3.0" })
      assert.deepInclude(yield* Effect.flip(start([named("B")], "all")), { _tag: "OlderNode" })
      const further = { ...named("C"), id: "cafe", file: { ...named("C").file, program_id: "cafe" } }
      assert.deepInclude(yield* Effect.flip(start([named("A"), further], "new")), { _tag: "OlderNode" })
      // A file that is in force is no publication.
      assert.deepStrictEqual(yield* start([named("A")], "all"), [])
      yield* TestDatabase.query("UPDATE nodes SET dead = true")
      assert.strictEqual((yield* publish(named("B"), byApi)).version, 2)
      yield* TestDatabase.query("DELETE FROM nodes")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("refuses an unexpected version and blocking changes; 20 concurrent publications get 20 numbers", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      assert.deepInclude(yield* Effect.flip(publish(named("B"), byApi, { expected: 7 })), {
        _tag: "VersionConflict",
        version: 1
      })
      const euros = { ...named("B"), file: { ...named("B").file, currency: "EUR" } }
      assert.deepInclude(yield* Effect.flip(publish(euros, byApi)), { _tag: "IncompatibleChange" })
      const versions = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => named(`N${index}`)),
        (one) => Effect.map(publish(one, byApi), ({ version }) => version),
        { concurrency: 20 }
      )
      assert.deepStrictEqual(
        versions.toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, index) => index + 2)
      )
      assert.strictEqual((yield* Programs).get("p")?.version, 21)
    }).pipe(Effect.provide(live))
  )

  it.live("versions that were in force can be neither changed nor removed", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      const connection = yield* PgConnection.make((yield* Database).clientConfig)
      for (const statement of ["UPDATE programs SET version = 2", "DELETE FROM programs", "TRUNCATE programs"]) {
        const refused = yield* Effect.flip(connection.query(statement))
        assert.include(String(refused.reason.cause), "append-only")
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("a programme that was retired is so on every service, until it is restored", () =>
    Effect.gen(function* () {
      yield* start([named("A")])
      const isRetired = Effect.map(Programs, (programs) => programs.get("p")?.isRetired)
      yield* retire("p")
      yield* start([named("B")])
      assert.isTrue(yield* isRetired)
      yield* restore("p")
      assert.isFalse(yield* isRetired)
    }).pipe(Effect.provide(live))
  )
})

const service = HandlersOf.layer.pipe(Layer.provideMerge(Accounts.layer()), Layer.provideMerge(live))

/** The demo programme, changed. */
const demo = (change: (json: Json) => void) => {
  const json = structuredClone(Testing.demoProgram.file) as Json
  change(json)
  return Testing.programOf(json)
}

/** The demo programme at twice its points. */
const twice = demo((p) => {
  p["earning"].rate.amount *= 2
  for (const rule of p["account_earning"] ?? []) if (rule.unit === p["earning"].rate.unit) rule.amount *= 2
})

describe("a published version", () => {
  it.live("counts for what is decided next, without a restart; records name the version that decided them", () =>
    Effect.gen(function* () {
      yield* start([demo(() => {})])
      yield* enroll("ada")
      yield* earn("ada", "order-1", 1_000)
      yield* publish(twice, byApi)
      yield* earn("ada", "order-2", 1_000)
      const [second, first] = yield* ledgerOf("ada")
      assert.strictEqual(second?.amount, 2 * (first?.amount ?? 0))
      yield* retire(twice.id)
      const refused = yield* Testing.call("accrual.post", {
        context: Testing.context(),
        member_id: "ada",
        order: Testing.order("order-3", 1_000)
      })
      assert.deepInclude(refused, { _tag: "Refusal", code: "program_retired" })
      const connection = yield* PgConnection.make((yield* Database).clientConfig)
      const { rows } = yield* connection.query("SELECT program_version::int AS version FROM journal ORDER BY seq")
      assert.deepStrictEqual(
        rows.map((row) => row["version"]),
        [1, 1, 2]
      )
    }).pipe(Effect.scoped, Effect.provide(service))
  )
})

/** The same publisher on another service of the database. */
const elsewhere = Effect.map(
  Layer.build(Layer.fresh(Programs.layer)),
  (other) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideContext(effect, other)
)

describe("a version that another service publishes", () => {
  it.live("decides the next command, and those that were decided under the version before", () =>
    Effect.gen(function* () {
      yield* start([demo(() => {})])
      const programs = yield* Programs
      const there = yield* elsewhere
      yield* enroll("ada")
      yield* earn("ada", "order-1", 100)
      yield* there(publish(twice, byApi))
      assert.strictEqual(programs.get(twice.id)?.version, 1)
      yield* Effect.forEach(["order-2", "order-3", "order-4"], (order) => earn("ada", order, 100), {
        concurrency: "unbounded"
      })
      assert.strictEqual(programs.get(twice.id)?.version, 2)
      const [newest, , , first] = yield* ledgerOf("ada")
      assert.strictEqual(newest?.amount, 2 * (first?.amount ?? 0))
    }).pipe(Effect.scoped, Effect.provide(service))
  )

  it.live("decides what would be refused under the version before, and a retirement what would be allowed", () =>
    Effect.gen(function* () {
      const without = demo((p) => (p["rewards"] = p["rewards"].filter((one: Json) => one["reward_id"] !== "one-off")))
      yield* start([without])
      const there = yield* elsewhere
      yield* enroll("ada")
      const issue = (issued_reward_id: string) =>
        Testing.call("issued_reward.issue", {
          context: Testing.context(),
          issued_reward_id,
          member_id: "ada",
          program_id: without.id,
          reward_id: "one-off"
        })
      assert.deepInclude(yield* issue("early"), { code: "not_found" })
      yield* there(
        publish(
          demo(() => {}),
          byApi
        )
      )
      assert.strictEqual((yield* issue("first"))._tag, "Answer")
      yield* there(retire(without.id))
      assert.deepInclude(yield* issue("second"), { code: "program_retired" })
      yield* there(restore(without.id))
      assert.strictEqual((yield* issue("third"))._tag, "Answer")
    }).pipe(Effect.scoped, Effect.provide(service))
  )

  it.live("that cannot be read makes commands unavailable until it can, and decides none by the version before", () =>
    Effect.gen(function* () {
      yield* start([demo(() => {})])
      const there = yield* elsewhere
      yield* enroll("ada")
      yield* there(publish(twice, byApi))
      const connection = yield* PgConnection.make((yield* Database).clientConfig)
      yield* connection.query("ALTER TABLE programs RENAME TO programs_away")
      const accrue = Testing.call("accrual.post", {
        context: Testing.context("away-key-1"),
        member_id: "ada",
        order: Testing.order("order-1", 1_000)
      })
      assert.deepStrictEqual(yield* accrue, { _tag: "Unavailable" })
      yield* connection.query("ALTER TABLE programs_away RENAME TO programs")
      assert.strictEqual((yield* accrue)._tag, "Answer")
    }).pipe(Effect.scoped, Effect.provide(service))
  )
})

describe("what members still have", () => {
  const blockedAt = (next: Program, since: ProgramUse.Horizon) =>
    Effect.gen(function* () {
      const inForce = (yield* Programs).get(next.id)
      const now = yield* Clock.currentTimeMillis
      const { blocking } = yield* Connect.apart((connection) => Publishing.compare(connection, inForce, next, now))
      // The same among those who were written to since the start alone.
      const removed = { units: ["visits"], rewards: ["one-off"] }
      const among = yield* Connect.apart((connection) =>
        Publishing.compare(connection, inForce, next, now, { removed, since })
      )
      assert.deepStrictEqual(among.blocking, blocking)
      return blocking.map(({ message, path }) => `${path}: ${message}`)
    })

  it.live("balances, holds and wallets block removing their accounts and rewards, until they are over", () =>
    Effect.gen(function* () {
      const withVisits = demo((p) => p["accounts"].push({ unit: "visits", is_primary: false }))
      yield* start([withVisits])
      const since = yield* Connect.apart(ProgramUse.horizon)
      yield* enroll("ada")
      yield* credit("ada", 500)
      yield* body(
        Testing.call("ledger.manual_adjustment", {
          context: Testing.context(),
          member_id: "ada",
          program_id: withVisits.id,
          adjustment_id: "visit",
          amount: 1,
          unit: "visits",
          classification: "gift",
          reason: "test",
          qualifies_for_tier: false
        })
      )
      assert.deepStrictEqual(
        yield* blockedAt(
          demo(() => {}),
          since
        ),
        ["/accounts: must keep the visits account: members have balances or holds on it"]
      )
      const both = demo((p) => {
        p["accounts"].push({ unit: "visits", is_primary: false })
        p["rewards"] = p["rewards"].filter((reward: Json) => reward["reward_id"] !== "one-off")
      })
      assert.deepStrictEqual(yield* blockedAt(both, since), [])
      const held = yield* body<{ readonly reservation: { readonly reservation_id: string } }>(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "red",
          member_id: "ada",
          reward_id: "one-off",
          order: Testing.order("meal", 500, { status: "open" })
        })
      )
      yield* body(
        Testing.call("issued_reward.issue", {
          context: Testing.context(),
          issued_reward_id: "gift",
          member_id: "ada",
          program_id: withVisits.id,
          reward_id: "one-off"
        })
      )
      assert.deepStrictEqual(yield* blockedAt(both, since), [
        "/rewards: must keep one-off: open reservations hold it",
        "/rewards: must keep one-off: members still have it in their wallets"
      ])
      yield* body(
        Testing.call("redemption.reverse", {
          context: Testing.context(),
          reservation_id: held.reservation.reservation_id,
          reason: "changed mind"
        })
      )
      yield* body(
        Testing.call("issued_reward.cancel", { context: Testing.context(), issued_reward_id: "gift", reason: "test" })
      )
      assert.deepStrictEqual(yield* blockedAt(both, since), [])
      const campaign = (statement: string) => Connect.apart((connection) => connection.query(statement))
      yield* campaign(`INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent,
          attribution_days, status, created_at, updated_at)
        VALUES ('gifts', '${withVisits.id}', '', '', '{"issue_reward": {"reward_id": "one-off"}}', 0, 30, 'active', 0, 0)`)
      assert.deepStrictEqual(yield* blockedAt(both, since), [
        "/rewards: must keep one-off: an active campaign grants it"
      ])
      yield* campaign("UPDATE campaigns SET status = 'paused'")
      assert.deepStrictEqual(yield* blockedAt(both, since), [])
    }).pipe(Effect.provide(service))
  )
})
