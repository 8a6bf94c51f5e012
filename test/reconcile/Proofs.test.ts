/** `journal verify` covers what gives rights or proves: programmes, tokens, the end of the audit, attributes. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Pools from "../../src/database/Pools.ts"
import * as PgJournal from "../../src/journal/postgres/PgJournal.ts"
import * as Programs from "../../src/program/Programs.ts"
import * as Connect from "../../src/database/Connect.ts"
import * as ProgramStore from "../../src/program/ProgramStore.ts"
import { body } from "../../src/testing/Guests.ts"
import * as Testing from "../../src/testing/Testing.ts"
import { post } from "../operators/Operators.ts"
import * as TestServer from "../service/TestServer.ts"
import * as TestDatabase from "../TestDatabase.ts"
import * as Scenario from "./Scenario.ts"

const program_id = "demo-foodservice"

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    Effect.andThen(
      ProgramStore.write(connection, Testing.demoProgram, { by: "test", source: "file" }, 0, 0),
      ProgramStore.write(connection, Testing.demoProgram, { by: "test", source: "api" }, 1, 1)
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

layer(shared, { excludeTestServices: true })("journal verify", (it) => {
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
