/** contract/engagement.md *Imports*: a dry run tells what the import then does, and stores nothing. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { account, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { ForeseenImport, Import } from "../../../src/contract/platform/Imports.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const retired = { ...Testing.demoProgram, id: "retired", isRetired: true }
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram, retired], Pools.layer),
  TestDatabase.layer
)

const send = (body: object, query = "") => TestServer.send(`/platform/v1/imports/members${query}`, body)

const foresee = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>, program = program_id) {
  const { body, status } = yield* send({ program_id: program, rows, dry_run: true })
  assert.strictEqual(status, 200, JSON.stringify(body))
  assert.isTrue(body["dry_run"])
  return body["import"] as ForeseenImport
})

const run = Effect.fnUntraced(function* (idempotency_key: string, rows: ReadonlyArray<unknown>, program = program_id) {
  const { body, status } = yield* send({ idempotency_key, program_id: program, rows })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body["import"] as Import
})

const outcome = ({ created, errors, failed, repeated, status, submitted, updated }: Import | ForeseenImport) => ({
  status,
  submitted,
  created,
  updated,
  failed,
  errors,
  repeated
})

/** Rows that an import could leave behind. */
const stored = Effect.gen(function* () {
  const tables = ["imports", "import_rows", "import_errors", "accounts", "records", "profiles", "audit_entries"]
  const known = yield* TestDatabase.query(
    `SELECT relname::text AS name FROM pg_class WHERE relname = ANY (ARRAY[${tables.map((one) => `'${one}'`).join()}])`
  )
  const names = known.map(({ name }) => String(name)).toSorted()
  assert.include(names, "imports")
  assert.include(names, "accounts")
  return yield* Effect.forEach(names, (name) =>
    Effect.map(TestDatabase.query(`SELECT count(*)::int AS n FROM ${name}`), ([row]) => [name, row?.["n"]])
  )
})

const credited = Effect.map(
  TestDatabase.query(
    "SELECT coalesce(sum(amount), 0)::int AS n FROM ledger_entries WHERE adjustment_id LIKE 'opening:%'"
  ),
  ([row]) => Number(row?.["n"])
)

const card = (value: string) => ({ type: "loyalty_id", value, issuer: "x" })

/** Imports rows after a dry run of them, and asserts that the two tell the same. Returns what was foreseen. */
const tried = Effect.fnUntraced(function* (key: string, rows: ReadonlyArray<unknown>, program = program_id) {
  const before = yield* stored
  const points = yield* credited
  const foreseen = yield* foresee(rows, program)
  assert.deepStrictEqual(yield* stored, before)
  assert.deepStrictEqual(outcome(foreseen), outcome(yield* run(key, rows, program)))
  assert.strictEqual(foreseen.opening_total, (yield* credited) - points)
  return foreseen
})

it.layer(layer, { excludeTestServices: true })("a dry run", (it) => {
  it.effect("tells of rows that are bad by themselves, and of members that are there", () =>
    Effect.gen(function* () {
      for (const member of ["there", "holder", "shut", "still"]) yield* enroll(member)
      yield* run("dry-before", [
        { member_id: "holder", external_id: "ext-1", identity: card("held"), opening_balance: 70 },
        { external_id: "ext-2", display_name: "Two" }
      ])
      for (const [member, status] of [
        ["shut", "closed"],
        ["still", "suspended"]
      ] as const)
        yield* TestServer.send(
          `/admin/api/v1/members/${program_id}/${member}/status`,
          { status, reason: "t" },
          { headers: { authorization: "Bearer proto-dev-admin-key" } }
        )
      const foreseen = yield* tried("dry-known", [
        { member_id: "there", email: "there@example.com", opening_balance: 5 },
        { member_id: "new-1", email: "secret" },
        { member_id: "new-2", phone: "secret", email: "secret" },
        "secret",
        {},
        { member_id: "shut", display_name: "secret" },
        { member_id: "still", display_name: "secret" },
        { member_id: "still", consent: { marketing: false } },
        { member_id: "new-3", external_id: "ext-1" },
        { member_id: "there", external_id: "ext-1" },
        { member_id: "new-4", identity: card("held") },
        { identity: card("held") },
        { identity: card("held"), display_name: "Holder" },
        { identity: card("new-card"), birth_date: "2999-01-01" },
        { external_id: "ext-1", opening_balance: 70 },
        { external_id: "ext-1", opening_balance: 71 },
        { member_id: "ext-2" },
        { external_id: "there-too", identity: card("card-new"), opening_balance: 30 },
        { member_id: "new-5", opening_balance: -1 },
        { member_id: "new-6", opening_balance: 11 }
      ])
      assert.strictEqual(foreseen.opening_total, 5 + 30 + 11)
      for (const { detail } of foreseen.errors) assert.notMatch(detail, /secret|ext-|held|holder/)
    })
  )

  it.effect(
    "counts a row that enrols its member and fails at its card as created and as failed, as the import does",
    () =>
      Effect.gen(function* () {
        const rows = [
          { external_id: "part-1", identity: card("part") },
          { external_id: "part-2", identity: card("part") }
        ]
        const foreseen = yield* tried("dry-part-1", rows)
        assert.deepInclude(foreseen, { status: "partial", created: 2, updated: 0, failed: 1 })
        const alone = yield* tried("dry-part-2", [
          { external_id: "part-3", identity: card("part"), opening_balance: 5 }
        ])
        assert.deepInclude(alone, { status: "partial", created: 1, updated: 0, failed: 1 })
      })
  )

  it.effect("tells of rows that depend on earlier rows", () =>
    Effect.gen(function* () {
      yield* enroll("owner")
      const foreseen = yield* tried("dry-within", [
        { external_id: "twice", opening_balance: 10 },
        { external_id: "twice", display_name: "Again", opening_balance: 10 },
        { external_id: "twice", opening_balance: 11 },
        { member_id: "first", external_id: "shared" },
        { member_id: "second", external_id: "shared" },
        { external_id: "shared", display_name: "First" },
        { member_id: "owner", external_id: "given" },
        { external_id: "given", opening_balance: 3 },
        { member_id: "owner", opening_balance: 3 },
        { identity: card("alone"), display_name: "Alone" },
        { identity: card("alone") },
        { member_id: "other", identity: card("alone") },
        { member_id: "other", identity: card("other") },
        { identity: { type: "external", value: "other" } },
        { member_id: "twice" }
      ])
      assert.strictEqual(foreseen.opening_total, 13)
      assert.deepStrictEqual(
        foreseen.errors.map(({ path, row }) => [row, path]),
        [
          [3, "/opening_balance"],
          [5, ""],
          [12, "/identity"],
          [15, ""]
        ]
      )
    })
  )

  it.effect("names the rows that have the same member, and the opening balances that are given again", () =>
    Effect.gen(function* () {
      const told = ({ repeated }: ForeseenImport) => repeated.map(({ count, path, rows }) => [path, count, rows])
      const points = yield* credited
      const foreseen = yield* tried("dry-repeated", [
        { external_id: "rep-1", opening_balance: 10 },
        { member_id: "rep-2", external_id: "rep-2", identity: card("rep-2") },
        { external_id: "rep-1", email: "no address" },
        { external_id: "rep-1", display_name: "Again" },
        { member_id: "rep-2", external_id: "rep-2", identity: card("rep-2"), display_name: "Two" },
        { external_id: "rep-1", opening_balance: 10 },
        { external_id: "rep-3" },
        { external_id: "rep-4", identity: card("rep-4") },
        { identity: card("rep-4"), display_name: "Four" }
      ])
      assert.deepStrictEqual(told(foreseen), [
        ["/external_id", 3, [1, 4, 6]],
        ["/opening_balance", 2, [1, 6]],
        ["/member_id", 2, [2, 5]],
        ["/identity", 2, [8, 9]]
      ])
      assert.strictEqual((yield* credited) - points, 10)
      const one = [
        "loyalty_id,rep-5,x",
        "",
        "loyalty_id,rep-6,x",
        ...Array.from({ length: 11 }, () => "loyalty_id,rep-5,x")
      ]
      const csv = ["identity_type,identity_value,identity_issuer", ...one].join("\r\n")
      const { body } = yield* send({ program_id, csv, dry_run: true })
      assert.deepStrictEqual(told(body["import"] as ForeseenImport), [
        ["/identity_value", 12, [2, 5, 6, 7, 8, 9, 10, 11, 12, 13]]
      ])
    })
  )

  it.effect("tells of a retired programme", () =>
    Effect.gen(function* () {
      const foreseen = yield* tried(
        "dry-retired",
        [{ member_id: "late" }, { identity: card("late") }, { member_id: "late-2", email: "x" }],
        "retired"
      )
      assert.deepStrictEqual([foreseen.failed, foreseen.created], [3, 0])
    })
  )

  it.effect("groups the errors that differ in nothing but their rows, of CSV by column and with the file's rows", () =>
    Effect.gen(function* () {
      const bad = Array.from({ length: 12 }, (_, n) => `bad-${n},secret,`)
      const csv = ["member_id,email,marketing_consent", "", ...bad, "bad-12,,maybe", "short"].join("\r\n")
      const { body, status } = yield* send({ program_id, csv }, "?dry_run=true&file_name=g%C3%A4ste.csv")
      assert.strictEqual(status, 200)
      const { error_groups, errors, file_name } = body["import"] as ForeseenImport
      assert.strictEqual(file_name, "gäste.csv")
      assert.lengthOf(errors, 14)
      assert.deepStrictEqual(
        error_groups.map(({ count, path, rows }) => [path, count, rows]),
        [
          ["/email", 12, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
          ["/marketing_consent", 1, [15]],
          ["", 1, [16]]
        ]
      )
    })
  )

  it.effect("takes no key, and refuses the file that the import would refuse", () =>
    Effect.gen(function* () {
      const rows = [{ member_id: "keyed" }]
      const asked = { idempotency_key: "dry-keyed-1", program_id, rows }
      const shown = yield* send({ ...asked, dry_run: true })
      assert.strictEqual(shown.status, 200)
      assert.strictEqual((yield* send({ ...asked, rows: [...rows, { member_id: "keyed-2" }] })).status, 201)
      const refused = yield* send({ program_id, csv: "member_id,secret\nm,1", dry_run: true })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [422, "validation_failed"])
      assert.strictEqual((yield* send({ ...asked, dry_run: false })).status, 409)
      assert.strictEqual((yield* send(asked, "?dry_run=yes")).status, 422)
      assert.strictEqual((yield* account("keyed")).balances.length > 0, true)
    })
  )

  it.effect(
    "warns of members with one e-mail address, in the file or there already, and of new ones without a name",
    () =>
      Effect.gen(function* () {
        yield* enroll("warned-known")
        yield* run("warned-key-1", [{ member_id: "warned-there", email: "Stays@example.com" }])
        const { warnings } = yield* foresee([
          { member_id: "warned-1", display_name: "Ann", email: "one@example.com" },
          { member_id: "warned-2", email: "ONE@example.com" },
          { member_id: "warned-known", email: "own@example.com" },
          // One member twice is told as repeated.
          { member_id: "warned-3", external_id: "w3", display_name: "Bo", email: "bo@example.com" },
          { external_id: "w3", email: "bo@example.com" },
          { member_id: "warned-there", email: "stays@example.com" },
          { member_id: "warned-4", display_name: "Cy", email: "STAYS@example.com" }
        ])
        assert.deepStrictEqual(
          warnings.map(({ count, path, rows }) => [path, count, rows]),
          [
            ["/email", 2, [1, 2]],
            ["/email", 2, [6, 7]],
            ["/email", 1, [7]],
            ["/display_name", 1, [2]]
          ]
        )
      })
  )
})
