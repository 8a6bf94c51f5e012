/**
 * Guests whose records lie in files: everything about them, and their erasure. Holds contract/members.md *Erasure* and
 * contract/databases.md *Archive*: nothing of an erased guest comes back.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { earn } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as RestoreSpans from "../../../src/reads/reconcile/RestoreSpans.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Folders from "../../Folders.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const root = { authorization: "Bearer proto-dev-admin-key" }
const folder = Folders.make("lotbook-archive-")

const server = <E>(journal: Layer.Layer<Journal, E, Database>) =>
  Layer.provideMerge(
    TestServer.layer(journal, [], undefined, [Testing.demoProgram], Pools.layer),
    Layer.merge(
      TestDatabase.layer,
      // The files outlive the server.
      Layer.effectDiscard(
        Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true })))
      )
    )
  )

const everything = (member: string) =>
  TestServer.send(`/admin/api/v1/members/${program_id}/${member}/export.json`, undefined, {
    method: "GET",
    headers: root
  })

/** An enrolment with personal data under a key. */
const enrolment = (member_id: string) => ({
  context: Testing.context(`enrol-${member_id}`),
  program_id,
  member_id,
  identity: { type: "loyalty_id", value: `${member_id}@secret.example`, issuer: "x" },
  attributes: { note: `secret of ${member_id}` }
})
const enrol = (member_id: string) =>
  TestServer.send("/proto/v1/members/enroll", enrolment(member_id), {
    headers: { authorization: "Bearer proto-dev-token" }
  })

/** Enrols guests, and puts all that they did into files. */
const archived = Effect.fnUntraced(function* (...members: ReadonlyArray<string>) {
  for (const member of members) {
    const enrolled = yield* enrol(member)
    assert.strictEqual(enrolled.status, 201, JSON.stringify(enrolled.body))
    yield* earn(member, `${member}-order`, 1_000)
  }
  for (let span = 0; span < 3; span++) {
    yield* Archiving.begin
    yield* earn(members[0] ?? "", `later-${span}`, 1_000)
  }
  for (let span = 0; span < 3; span++) yield* Archiving.seal
  assert.strictEqual(yield* Archiving.archiveAll(folder), 2)
})

/** All rows of all tables as text, but for the log of requests. */
const dump = Effect.scoped(
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    const tables = yield* connection.query("SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'")
    const texts: Array<string> = []
    for (const { name } of tables.rows) {
      const { rows } = yield* connection.query(`SELECT t::text AS row FROM "${String(name)}" t`)
      for (const { row } of rows) texts.push(`${String(name)} ${String(row)}`)
    }
    return texts
  })
)

it.layer(server(PgJournal.layer.pipe(Layer.provide(ArchiveFiles.layer(folder)))), { excludeTestServices: true })(
  "guests whose records lie in files",
  (it) => {
    it.effect("have all of their entries in a file of everything, and nothing of an erased one comes back", () =>
      Effect.gen(function* () {
        yield* archived("gone", "stays")
        const whole = yield* everything("gone")
        assert.strictEqual(whole.status, 200, JSON.stringify(whole.body))
        assert.lengthOf(whole.body["ledger"] as ReadonlyArray<unknown>, 4)
        assert.include(JSON.stringify(whole.body), "gone@secret.example")

        const erased = yield* TestServer.send("/platform/v1/members/erase", {
          program_id,
          member_id: "gone",
          reason: "asked"
        })
        assert.strictEqual(erased.status, 200, JSON.stringify(erased.body))
        // Out of the files: neither a replay of the enrolment nor a file of everything has it.
        for (const answer of [yield* enrol("gone"), yield* everything("gone")])
          assert.notMatch(JSON.stringify(answer.body), /gone@secret|secret of gone/)
        assert.match(JSON.stringify((yield* enrol("stays")).body), /stays@secret/)

        // Out of the database, once the months are back.
        const [{ month } = {}] = yield* Scenario.byHand("SELECT month FROM archived_spans LIMIT 1")
        assert.strictEqual(yield* RestoreSpans.restore(String(month), folder, () => Effect.void), 2)
        for (const row of yield* dump) assert.notMatch(row, /gone@secret|secret of gone/)
        assert.notMatch(JSON.stringify((yield* enrol("gone")).body), /gone@secret|secret of gone/)
        for (const file of fs.readdirSync(folder))
          assert.notInclude(fs.readFileSync(`${folder}/${file}`, "latin1"), "secret")
      })
    )
  }
)

it.layer(server(PgJournal.layer), { excludeTestServices: true })("guests whose records are away", (it) => {
  it.effect("are erased, and a file of everything is refused before its first byte", () =>
    Effect.gen(function* () {
      fs.mkdirSync(folder, { recursive: true })
      yield* archived("here", "away")
      const refused = yield* everything("away")
      assert.strictEqual(refused.status, 503)
      assert.deepInclude(refused.body, { code: "archived", month: new Date().toISOString().slice(0, 7) })
      const erased = yield* TestServer.send("/platform/v1/members/erase", {
        program_id,
        member_id: "away",
        reason: "asked"
      })
      assert.strictEqual(erased.status, 200, JSON.stringify(erased.body))
      for (const row of yield* dump) assert.notMatch(row, /away@secret|secret of away/)
    })
  )
})
