/** contract/engagement.md *Taking an import back*: what is taken, who stays and why, once, and nothing below what is there. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { earn } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { ForeseenImport } from "../../../src/contract/platform/Imports.ts"
import type { ImportTakenBack } from "../../../src/contract/platform/ImportTakenBack.ts"
import type { Scope } from "../../../src/contract/Scopes.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const token = (name: string, scopes: ReadonlyArray<Scope>) => ({ token_sha256: hash("sha256", name), scopes })
const tokens = [
  token("owner", ["platform:read", "platform:write", "admin:write", "admin:read", "protocol:write"]),
  token("erasing", ["members:erase", "audience:write"])
]
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)
const send = (path: string, body: object, method = "POST", name = "owner") =>
  TestServer.send(path, method === "GET" ? undefined : body, { method, headers: { authorization: `Bearer ${name}` } })
const imported = Effect.fnUntraced(function* (key: string, rows: ReadonlyArray<object>) {
  const { body } = yield* send("/platform/v1/imports/members", { program_id, rows, idempotency_key: key })
  return (body["import"] as { readonly import_id: string }).import_id
})
const takeBack = (import_id: string, more: object = {}, name = "owner") =>
  send("/platform/v1/imports/take-back", { import_id, reason: "wrong file", ...more }, "POST", name)
const answer = Effect.fnUntraced(function* (import_id: string, more: object = {}) {
  const { body, status } = yield* takeBack(import_id, more)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body as unknown as ImportTakenBack
})
const guestsOf = ({ guests }: ImportTakenBack) =>
  Object.fromEntries(guests.map(({ member_id, outcome, reason, taken }) => [member_id, [reason ?? outcome, taken]]))
const balance = Effect.fnUntraced(function* (member: string) {
  const { body } = yield* send(`/admin/api/v1/members/${program_id}/${member}`, {}, "GET")
  return (body["balances"] as ReadonlyArray<{ readonly amount: number }>)[0]?.amount
})
const adjust = Effect.fnUntraced(function* (member: string, amount: number) {
  const { body, status } = yield* send(`/admin/api/v1/members/${program_id}/${member}/adjustments`, {
    ...{ adjustment_id: `a-${member}`, amount, classification: amount > 0 ? "gift" : "correction", reason: "test" },
    qualifies_for_tier: false
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
})

it.layer(layer, { excludeTestServices: true })("an import that is taken back", (it) => {
  it.effect(
    "takes its points back as far as they are there, erases idle guests, and lists the others with a reason",
    () =>
      Effect.gen(function* () {
        yield* send("/platform/v1/members", { program_id, member_id: "there", display_name: "There" }, "PUT")
        yield* adjust("there", 30)
        const rows = [
          { member_id: "idle", display_name: "Idle", opening_balance: 100 },
          { member_id: "idle", email: "idle@example.org" },
          { member_id: "without" },
          { member_id: "ordered", opening_balance: 50 },
          { member_id: "spent", opening_balance: 80 },
          { member_id: "changed", opening_balance: 10 },
          { member_id: "there", display_name: "Renamed", opening_balance: 70 },
          { member_id: "bad row", opening_balance: 70 }
        ]
        const id = yield* imported("taken-back", rows)
        yield* earn("ordered", "after-import", 1000)
        yield* adjust("spent", -60)
        yield* send("/platform/v1/members", { program_id, member_id: "changed", display_name: "Herself" }, "PUT")
        const expected: ReturnType<typeof guestsOf> = {
          idle: ["erased", 100],
          without: ["erased", 0],
          ordered: ["ordered", 50],
          spent: ["changed", 20],
          changed: ["changed", 10],
          there: ["was_there", 70]
        }
        const foreseen = yield* answer(id, { dry_run: true })
        assert.deepStrictEqual(guestsOf(foreseen), expected)
        assert.deepInclude(foreseen, { erased: 2, kept: 4, credited: 310, taken: 250 })
        assert.isUndefined(foreseen.import.taken_back_at)
        assert.strictEqual(yield* balance("idle"), 100)
        const done = yield* answer(id)
        assert.deepStrictEqual(guestsOf(done), expected)
        assert.isString(done.import.taken_back_at)
        for (const [member, left] of [
          ["idle", 0],
          ["spent", 0],
          ["changed", 0],
          ["there", 30]
        ] as const)
          assert.strictEqual(yield* balance(member), left, member)
        const { body } = yield* send(`/platform/v1/members?program_id=${program_id}&member_id=there`, {}, "GET")
        assert.deepInclude(body["member"], { display_name: "Renamed" })
        // Once: a repetition answers the same.
        const again = yield* answer(id, { reason: "once more" })
        assert.deepStrictEqual(again, done)
        const [entries] = yield* TestDatabase.query(
          "SELECT count(*)::int AS n FROM ledger_entries WHERE adjustment_id LIKE 'opening-taken-back:%'"
        )
        assert.strictEqual(entries?.["n"], 5)
        const [audited] = yield* TestDatabase.query(
          "SELECT count(*)::int AS n FROM audit WHERE action = 'import.take_back'"
        )
        assert.strictEqual(audited?.["n"], 1)
        // By another key they come in again, and a dry run says whose opening balances do not.
        const { body: told } = yield* send("/platform/v1/imports/members", { program_id, rows, dry_run: true })
        const { warnings } = told["import"] as ForeseenImport
        assert.deepStrictEqual(
          warnings.flatMap(({ detail, path, rows }) => (path === "/opening_balance" ? [[rows, detail]] : [])),
          [
            [
              [4, 5, 6, 7],
              "The member has got the opening balance before, also if it was taken back. It is not given again."
            ]
          ]
        )
        // The same file sent again with its key answers the first result, and imports nothing.
        yield* imported("taken-back", rows)
        assert.strictEqual(yield* balance("there"), 30)
        yield* isSound
      })
  )

  it.effect("is refused where what it did is not known, and takes points only for who may", () =>
    Effect.gen(function* () {
      const id = yield* imported("refused-key", [{ member_id: "refused", opening_balance: 5 }])
      assert.strictEqual((yield* takeBack(id, {}, "erasing")).status, 403)
      assert.strictEqual((yield* takeBack("imp_0")).status, 404)
      // As an earlier version completed it.
      yield* TestDatabase.query("DELETE FROM import_rows")
      assert.strictEqual((yield* takeBack(id)).status, 409)
      assert.strictEqual(yield* balance("refused"), 5)
    })
  )
})
