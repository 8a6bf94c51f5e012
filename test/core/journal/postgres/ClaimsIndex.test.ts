/** The index over the claims of ended eras: look-ups find what they found before. Holds contract/databases.md *Claims*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { Database } from "../../../../src/base/database/Database.ts"
import * as Roles from "../../../../src/base/database/Roles.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as ClaimsIndex from "../../../../src/core/journal/postgres/ClaimsIndex.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { append, claim, hash128, record } from "../Records.ts"

/** A node without memory for the claims of ended eras. */
const node = Effect.map(Layer.build(PgJournal.layerFrom({ filterBytes: 0 })), (context) =>
  Context.get(context, Journal)
)
const connect = Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))

const eras = 12
const claimsOfEra = 400
/** The key of a claim that `fill` has made, by its number from 0, in SQL. */
const keyOf = (n: string) => `md5('filled ' || ${n})::uuid`

/** Fills ended eras by hand, and begins the next one. */
const fill = Effect.fnUntraced(function* (sql: PgConnection.PgConnection) {
  yield* sql.query(`INSERT INTO eras (era, began) SELECT n, n * 1000 FROM generate_series(1, ${eras}) n`)
  yield* sql.query(`INSERT INTO claims (key, fingerprint, account, seq, era)
    SELECT ${keyOf("n")}, md5('f')::uuid, 1, n, n / ${claimsOfEra} FROM generate_series(0, ${eras * claimsOfEra - 1}) n`)
})

const rowOf = (sql: PgConnection.PgConnection, statement: string) =>
  Effect.map(sql.query(statement, [], false), ({ rows }) => rows[0] ?? {})

/** The indexes of claims, with what they are over. */
const indexesOf = (sql: PgConnection.PgConnection) =>
  Effect.map(
    sql.query(
      "SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'claims'::regclass ORDER BY 1",
      [],
      false
    ),
    ({ rows }) => rows.map(({ name, valid }) => `${name}${valid === true ? "" : " (invalid)"}`)
  )

/** Searches of an index by a look-up of 40 keys in all ended eras. */
const searches = Effect.fnUntraced(function* (sql: PgConnection.PgConnection, index: string, look: string) {
  const count = rowOf(sql, `SELECT pg_stat_get_xact_numscans('${index}'::regclass)::int AS searches`)
  yield* sql.query("BEGIN", [], false)
  const before = Number((yield* count)["searches"])
  yield* sql.query(look, [], false)
  const after = Number((yield* count)["searches"])
  yield* sql.query("ROLLBACK", [], false)
  return after - before
})
const strangers = "array(SELECT md5('stranger ' || n)::uuid FROM generate_series(1, 40) n)"

it.layer(TestDatabase.layer, { excludeTestServices: true })("an index over the claims of ended eras", (it) => {
  it.effect("is made once there are enough, and then for a quarter more, in place of the one before", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      yield* fill(sql)
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded(), { _tag: "Nothing", before: 0 })
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 12_001 }), { _tag: "Nothing", before: 0 })
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 12_000 }), { _tag: "Indexed", before: eras })
      assert.deepStrictEqual(yield* indexesOf(sql), [`claims_before_${eras}`, "claims_pkey"])
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 1 }), { _tag: "Nothing", before: eras })
      yield* sql.query(`INSERT INTO eras (era, began) VALUES (${eras + 1}, 14999)`)
      assert.strictEqual((yield* ClaimsIndex.indexEnded({ leastBytes: 1 }))._tag, "Nothing")
      yield* sql.query(`UPDATE eras SET began = 15000 WHERE era = ${eras + 1}`)
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 1 }), { _tag: "Indexed", before: eras + 1 })
      assert.deepStrictEqual(yield* indexesOf(sql), [`claims_before_${eras + 1}`, "claims_pkey"])
    })
  )

  it.effect("answers look-ups of appends and refusals with one search a key, analysed or not", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      yield* sql.query("SET enable_seqscan = off")
      yield* sql.query("SET enable_hashjoin = off")
      yield* sql.query("SET enable_mergejoin = off")
      yield* sql.query("SET plan_cache_mode = force_generic_plan")
      const [own, all] = [`claims_before_${eras + 1}`, "claims_pkey"]
      for (const isAnalysed of [false, true]) {
        if (isAnalysed) yield* sql.query("ANALYZE claims")
        const appends = `SELECT any_claimed(${strangers}, 0, ${eras})`
        assert.isAtMost(yield* searches(sql, own, appends), 40)
        assert.strictEqual(yield* searches(sql, all, appends), 0)
        const refusals = `SELECT count(*) FROM held_claims(${strangers})`
        assert.isAtMost(yield* searches(sql, own, refusals), 40)
        // Of the present era alone.
        assert.isAtMost(yield* searches(sql, all, refusals), 40)
      }
    })
  )

  it.effect("finds a claim of whichever era, for an append and for a holder, and takes it in no other", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const journal = yield* node
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1, { claims: [claim(journal.claimKey("index", "new"), hash128(5))] }))
      for (const era of [0, 1, eras - 1]) {
        const { key, seq } = yield* rowOf(
          sql,
          `SELECT key::text, seq::int FROM claims WHERE era = ${era} ORDER BY key LIMIT 1`
        )
        const other = yield* journal.newAccountNumber
        const taken = record(other, 1, {
          claims: [claim(journal.claimKey("index", `with ${era}`)), claim(String(key))]
        })
        const outcome = yield* append(journal, taken)
        assert.strictEqual(outcome._tag === "taken" ? outcome.holder.seq : outcome._tag, seq)
        const keys = [String(key), journal.claimKey("index", "new"), journal.claimKey("index", "none")]
        assert.deepStrictEqual(
          (yield* journal.holders(keys)).map((holder) => [holder.key, holder.account]),
          [
            [keys[0], 1],
            [keys[1], account]
          ]
        )
        const { holders } = yield* journal.witness(account, keys)
        assert.deepStrictEqual(
          holders.map((holder) => holder.key),
          keys.slice(0, 2)
        )
      }
      // The present era still has all that is new.
      const again = record(yield* journal.newAccountNumber, 1, { claims: [claim(journal.claimKey("index", "new"))] })
      assert.strictEqual((yield* append(journal, again))._tag, "taken")
      const { rows } = yield* sql.query("SELECT key FROM claims GROUP BY key HAVING count(*) > 1")
      assert.deepStrictEqual(rows, [])
    })
  )

  it.effect("leaves no era out of a look-up that knows another number of indexed eras", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const { rows } = yield* sql.query("SELECT DISTINCT ON (era) era, key::text FROM claims ORDER BY era, key")
      const last = eras + 1
      for (const used of [0, 3, last]) {
        yield* sql.query("BEGIN", [], false)
        yield* sql.query(`SELECT use_claims_index(${used})`, [], false)
        for (const { era, key: one } of rows) {
          for (const [from, to] of [
            [0, era],
            [era, last],
            [0, last]
          ]) {
            const look = `SELECT any_claimed(array['${one}']::uuid[], ${from}, ${to}) AS found`
            assert.isTrue((yield* rowOf(sql, look))["found"], `era ${era} from ${from} to ${to}, ${used} indexed`)
          }
          const held = yield* rowOf(sql, `SELECT era FROM held_claims(array['${one}']::uuid[])`)
          assert.strictEqual(held["era"], era)
        }
        yield* sql.query("ROLLBACK", [], false)
      }
    })
  )

  it.effect("is made again, or taken into use, after a run that was cut off", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const name = `claims_before_${eras + 1}`
      yield* sql.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${name}'::regclass`)
      assert.deepStrictEqual(yield* indexesOf(sql), [`${name} (invalid)`, "claims_pkey"])
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 1 }), { _tag: "Indexed", before: eras + 1 })
      assert.deepStrictEqual(yield* indexesOf(sql), [name, "claims_pkey"])
      // Cut off between the index and its use.
      yield* sql.query("CREATE INDEX claims_before_5 ON claims (key) WHERE era < 5")
      yield* sql.query("SELECT use_claims_index(5)")
      assert.strictEqual((yield* ClaimsIndex.indexEnded())._tag, "Nothing")
      assert.deepStrictEqual(yield* rowOf(sql, "SELECT indexed_eras() AS used"), { used: eras + 1 })
      assert.deepStrictEqual(yield* indexesOf(sql), [name, "claims_pkey"])
    })
  )

  it.effect("is made by no role but the owner of the tables", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const role = `reads_${randomBytes(4).toString("hex")}`
      yield* TestDatabase.administer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
      yield* Effect.addFinalizer(() =>
        Effect.andThen(TestDatabase.query(`DROP OWNED BY ${role}`), TestDatabase.administer(`DROP ROLE ${role}`)).pipe(
          Effect.orDie
        )
      )
      yield* Effect.flatMap(connect, (sql) => Roles.grant(sql, role))
      yield* TestDatabase.query(`INSERT INTO eras (era, began) VALUES (${eras + 2}, 100000)`)
      const clientConfig = { ...database.clientConfig, username: role, password: Redacted.make(role) }
      const asked = Effect.provideService(ClaimsIndex.indexEnded({ leastBytes: 1 }), Database, {
        ...database,
        clientConfig
      })
      assert.deepStrictEqual(yield* asked, { _tag: "NotOwner", owner: String(database.clientConfig.username) })
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded({ leastBytes: 1 }), { _tag: "Indexed", before: eras + 2 })
      assert.strictEqual((yield* asked)._tag, "Nothing")
    })
  )

  it.effect("is made by one session at a time", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      yield* sql.query("SELECT pg_advisory_lock(7270016)")
      assert.deepStrictEqual(yield* ClaimsIndex.indexEnded(), { _tag: "Elsewhere" })
    })
  )
})
