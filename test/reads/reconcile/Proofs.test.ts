/** `journal verify` covers what gives rights or proves: programmes, tokens, the end of the audit, attributes. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { body } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as Programs from "../../../src/core/programs/Programs.ts"
import * as Proofs from "../../../src/reads/reconcile/Proofs.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { api, post, root } from "../../capabilities/operators/Operators.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Scenario from "./Scenario.ts"

const program_id = "demo-foodservice"

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    Effect.andThen(
      ProgramWrites.write(connection, Testing.demoProgram, { by: "test", source: "file" }, 0, 0),
      ProgramWrites.write(connection, Testing.demoProgram, { by: "test", source: "api" }, 1, 1)
    )
  )
)
const programs = Programs.Programs.layer.pipe(Layer.provide(published))
const shared = TestServer.layerFor(PgJournal.layer, programs, Pools.layer).pipe(Layer.provideMerge(TestDatabase.layer))

/** Everything that one of these tables is damaged by, and the table that verify names. */
const damages: ReadonlyArray<readonly [table: string, damage: string]> = [
  ["programs", "UPDATE programs SET definition = jsonb_set(definition, '{name}', '\"Mine\"') WHERE version = 1"],
  ["programs", "UPDATE programs SET published_by = 'somebody' WHERE version = 2"],
  ["programs", "DELETE FROM programs WHERE version = 1"],
  ["tokens", "UPDATE tokens SET scopes = '{admin:write}' WHERE name = 'Till'"],
  ["tokens", "UPDATE tokens SET programs = NULL WHERE name = 'Till'"],
  ["tokens", "UPDATE tokens SET expires_at = NULL WHERE name = 'Till'"],
  ["tokens", "UPDATE tokens SET revoked_at = NULL WHERE name = 'Gone'"],
  [
    "tokens",
    "INSERT INTO tokens SELECT 'tok_FORGED', name, scopes, programs, issuer, created_at, created_by FROM tokens LIMIT 1"
  ],
  ["members", `UPDATE members SET attributes = '{"vip": true}' WHERE attributes IS NOT NULL`],
  ["members", `UPDATE members SET attributes = '{"vip": true}' WHERE attributes IS NULL`],
  ["members", "UPDATE members SET attributes = NULL"],
  [
    "audit",
    `WITH cut AS (DELETE FROM audit WHERE chain = 0 AND n = (SELECT n FROM audit_heads WHERE chain = 0) RETURNING n)
      UPDATE audit_heads h SET n = a.n, hash = a.hash FROM audit a, cut
      WHERE h.chain = 0 AND a.chain = 0 AND a.n = cut.n - 1`
  ]
]

/** Each table of what was configured, and everything that its rows are damaged by. */
const changedRights: ReadonlyArray<readonly [table: string, damage: string]> = [
  ["users", "UPDATE users SET role = 'owner' WHERE name = 'Ana'"],
  ["users", "UPDATE users SET programs = NULL WHERE name = 'Ana'"],
  ["users", "UPDATE users SET status = 'active' WHERE name = 'Bob'"],
  ["users", "UPDATE users SET role_gone_at = 1 WHERE name = 'Ana'"],
  [
    "users",
    `INSERT INTO users (user_id, email, name, role, status, created_at, created_by)
      VALUES ('usr_FORGED', 'f@example.com', 'F', 'owner', 'active', 0, 'root')`
  ],
  ["users", "DELETE FROM users WHERE name = 'Bob'"],
  [
    "passkeys",
    `INSERT INTO passkeys (passkey_id, user_id, credential_id, public_key, counter, transports, host, name, created_at)
      SELECT 'pk_FORGED', user_id, 'c', '', 0, '{}', 'localhost', 'F', 0 FROM users WHERE name = 'Ana'`
  ],
  ["role_limits", "UPDATE role_limits SET points_per_day = NULL WHERE role = 'support'"],
  ["role_limits", "UPDATE role_limits SET orders_moved_per_day = 21 WHERE role = 'support'"],
  ["role_limits", "DELETE FROM role_limits WHERE role = 'manager'"],
  ["role_limits", "INSERT INTO role_limits (role, rewards_per_day) VALUES ('analyst', 3)"],
  ["role_limits", "INSERT INTO role_limits (role, points_per_day) VALUES ('franchisee', 9000)"],
  ["user_limits", "UPDATE user_limits SET points_per_day = 4999"],
  ["user_limits", "DELETE FROM user_limits"],
  ["user_limits", "INSERT INTO user_limits (user_id, rewards_per_day) SELECT user_id, 9 FROM users WHERE name = 'Bob'"],
  ["locations", "UPDATE locations SET closed = false"],
  ["locations", "UPDATE locations SET name = 'Uptown'"],
  ["locations", `UPDATE locations SET franchisees = '[{"from": "2026-01-01", "franchisee_id": "forged"}]'`],
  ["locations", "UPDATE locations SET brands = NULL"],
  ["locations", "INSERT INTO locations (location_id, name, updated_at) VALUES ('loc-forged', 'Forged', 0)"],
  ["locations", "DELETE FROM locations"],
  ["connectors", "UPDATE connectors SET url = 'https://elsewhere.example.com/hook'"],
  ["connectors", "UPDATE connectors SET event_types = '{proto.order.accrued.v1}'"],
  ["connectors", "UPDATE connectors SET include_artifacts = true"],
  ["connectors", "UPDATE connectors SET program_ids = NULL"],
  ["connectors", "UPDATE connectors SET enabled = true"],
  ["connectors", "DELETE FROM connectors"],
  ["connections", "UPDATE connections SET unknown_restaurant = 'accept'"],
  ["connections", "UPDATE connections SET active = true"],
  ["connections", `UPDATE connections SET settings = settings || '{"tells": "names"}'`],
  ["connections", "DELETE FROM connections"],
  ["installation", "UPDATE installation SET write_frozen = true"]
]

/** Configures one of each, and changes it: the last entry of the audit decides. */
const configure = Effect.gen(function* () {
  const invite = (name: string, role: string) =>
    Effect.map(
      post("/staff", { email: `${name}@example.com`, name, role, programs: [program_id] }),
      ({ body: { user } }) => `/staff/${(user as { readonly user_id: string }).user_id}`
    )
  const done = Effect.map(({ body, status }: TestServer.Response) =>
    assert.include([200, 201], status, JSON.stringify(body))
  )
  const reason = "tested"
  const ana = yield* invite("Ana", "marketer")
  yield* done(post(`${ana}/role`, { role: "support", programs: [program_id], reason }))
  yield* done(post("/staff/limits", { role: "support", points_per_action: 900, points_per_day: 5_000, reason }))
  yield* done(post("/staff/limits", { role: "developer", points_per_action: 1, reason }))
  yield* done(post(`${ana}/limits`, { points_per_action: 500, reason }))
  yield* done(post(`${ana}/limits`, { points_per_day: 400, reason }))
  const bob = yield* invite("Bob", "analyst")
  yield* done(post(`${bob}/disable`, { reason }))
  // Owners have no limits, whichever they had.
  const eve = yield* invite("Eve", "support")
  yield* done(post(`${eve}/limits`, { points_per_action: 500, reason }))
  yield* done(post(`${eve}/role`, { role: "owner", reason }))
  const location = { location_id: "loc-1", name: "Downtown", address: "1 Main Street" }
  const put = (path: string, body: object) =>
    done(TestServer.send(path, body, { method: "PUT", headers: path.startsWith(api) ? root : {} }))
  yield* put(`${api}/locations`, location)
  yield* put(`${api}/locations`, {
    location_id: "loc-1",
    name: "Downtown",
    closed: true,
    franchisees: [{ from: "2026-01-01", franchisee_id: "ada" }, { from: "2026-10-15" }],
    brands: [{ from: "2026-01-01", brand_id: "bowl" }]
  })
  const connector = (connector_id: string, event_types: ReadonlyArray<string>) =>
    put("/platform/v1/connectors", {
      connector_id,
      name: "Mail",
      type: "webhook",
      configuration: { url: "https://hooks.example.com/secret", event_types, program_ids: [program_id] }
    })
  yield* connector("con-1", ["proto.member.enrolled.v1", "proto.order.accrued.v1"])
  yield* connector("con-1", ["proto.member.enrolled.v1"])
  const send = (path: string, body: object) => done(TestServer.send(`/platform/v1/connectors/${path}`, body))
  yield* send("status", { connector_id: "con-1", enabled: false })
  yield* connector("con-2", ["proto.member.enrolled.v1"])
  yield* send("delete", { connector_id: "con-2" })
  const connected = yield* post("/connections", { vendor: "toast", program_id, name: "East" })
  const { connection_id } = connected.body["connection"] as { readonly connection_id: string }
  yield* done(
    TestServer.send(`${api}/connections/${connection_id}`, { status: "paused" }, { method: "PATCH", headers: root })
  )
  yield* done(post("/maintenance", { write_frozen: true, reason }))
  yield* done(post("/maintenance", { write_frozen: false, reason }))
})

layer(shared, { excludeTestServices: true })("journal verify", (it) => {
  it.effect(
    "finds each change past the service of people, limits, locations, connectors, connections and the freeze",
    () =>
      Effect.gen(function* () {
        yield* configure
        const isNamed = (table: string) => changedRights.some(([damaged]) => damaged === table)
        const namedIn = (found: ReadonlyArray<{ readonly table: string }>) =>
          found.map(({ table }) => table).filter(isNamed)
        const connection = yield* Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))
        const named = Effect.map(Proofs.differences(connection), namedIn)
        assert.deepStrictEqual(yield* named, [])
        const tables = [
          "users",
          "passkeys",
          "role_limits",
          "user_limits",
          "locations",
          "connectors",
          "connections",
          "installation"
        ]
        yield* Scenario.byHand(...tables.map((table) => `CREATE TABLE kept_${table} AS TABLE ${table}`))
        const restore = [
          ...tables.toReversed().map((one) => `DELETE FROM ${one}`),
          ...tables.map(
            (one) =>
              `INSERT INTO ${one} ${one.startsWith("connect") ? "OVERRIDING SYSTEM VALUE " : ""}SELECT * FROM kept_${one}`
          )
        ]
        for (const [table, damage] of changedRights) {
          yield* Scenario.byHand(damage)
          assert.deepStrictEqual([...new Set(yield* named)], [table], damage)
          yield* Scenario.byHand(...restore)
        }
        assert.deepStrictEqual(namedIn((yield* Scenario.verify()).found), [])
        yield* Scenario.byHand("UPDATE users SET role = 'owner' WHERE name = 'Ana'")
        assert.deepStrictEqual(namedIn((yield* Scenario.verify()).found), ["users"])
        yield* Scenario.byHand(...restore)
      })
  )

  it.effect("finds each change past the service of programmes, tokens, attributes and the audit's end", () =>
    Effect.gen(function* () {
      const enroll = (value: string, attributes?: Record<string, string>) =>
        body(
          Testing.call("member.enroll", {
            context: Testing.context(),
            program_id,
            identity: { type: "loyalty_id", value },
            ...(attributes === undefined ? undefined : { attributes })
          })
        )
      yield* enroll("with", { favourite: "soup", "a b": "ö" })
      yield* enroll("without")
      const grant = { scopes: ["protocol:read"], programs: [program_id], expires_at: "2099-01-01T00:00:00Z" }
      yield* post("/tokens", { ...grant, name: "Till" })
      const gone = yield* post("/tokens", { ...grant, name: "Gone" })
      yield* post(`/tokens/${gone.body["token_id"]}/revoke`, { reason: "lost" })
      const { found } = yield* Scenario.verify()
      const ofProofs = (all: typeof found) =>
        all.map(({ table }) => table).filter((table) => damages.some(([damaged]) => damaged === table))
      assert.deepStrictEqual(ofProofs(found), [])
      const tables = ["programs", "tokens", "members", "audit", "audit_heads"]
      yield* Scenario.byHand(...tables.map((table) => `CREATE TABLE kept_${table} AS TABLE ${table}`))
      for (const [table, damage] of damages) {
        yield* Scenario.byHand(damage)
        assert.include(ofProofs((yield* Scenario.verify()).found), table, damage)
        yield* Scenario.byHand(
          ...tables.flatMap((one) => [
            `DELETE FROM ${one}`,
            `INSERT INTO ${one} ${one === "audit" ? "OVERRIDING SYSTEM VALUE " : ""}SELECT * FROM kept_${one}`
          ])
        )
      }
      assert.deepStrictEqual(ofProofs((yield* Scenario.verify()).found), [])
    })
  )
})
