/** An import of somebody who may not change members (contract/engagement.md *Imports*). */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { Scope } from "../../../src/contract/Scopes.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const token = (name: string, scopes: ReadonlyArray<Scope>) => ({ token_sha256: hash("sha256", name), scopes })
const [giving, changing, owner] = ["giving", "changing", "owner"].map((name) => ({ authorization: `Bearer ${name}` }))
const tokens = [
  token("owner", ["platform:read", "platform:write"]),
  token("giving", ["audience:write", "points:give"]),
  token("changing", ["audience:write", "members:write", "members:read"])
]
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)
const send = (path: string, body: object, headers: Record<string, string> | undefined, method = "POST") =>
  TestServer.send(`/platform/v1${path}`, method === "GET" ? undefined : body, { method, headers: { ...headers } })

it.layer(layer, { excludeTestServices: true })("without members:write", (it) => {
  it.effect("imports enrol, and change nothing of a member who exists without members:write", () =>
    Effect.gen(function* () {
      const there = { program_id, member_id: "there", external_id: "there", email: "there@example.com" }
      yield* send("/members", there, changing, "PUT")
      const card = (value: string) => ({ type: "loyalty_id", value, issuer: "cards" })
      const rows = [
        { member_id: "there", identity: card("hers") },
        { external_id: "there", email: "hers@example.com" },
        { member_id: "there", consent: { marketing: true } },
        { member_id: "there", attributes: { vip: true } },
        { member_id: "there", external_id: "hers" },
        { identity: { type: "external", value: "there" }, display_name: "Hers" },
        { member_id: "there", opening_balance: 5 },
        // Rows that change nothing are taken, and so are new members, in several rows too.
        { member_id: "there", email: "there@example.com" },
        { external_id: "new", identity: card("new") },
        { external_id: "new", display_name: "New", consent: { marketing: true } },
        { identity: card("newer"), display_name: "Newer", attributes: { size: 4 } },
        { identity: card("newer"), identity_note: "a bad row" }
      ]
      const errors = (body: Record<string, unknown>) => {
        const { created, errors, updated } = body["import"] as Record<string, unknown> & {
          readonly errors: ReadonlyArray<Record<string, unknown>>
        }
        return [created, updated, errors.map(({ code, path, row }) => [row, path, code])]
      }
      const told = [
        2,
        2,
        [
          [1, "/identity", "forbidden"],
          ...[2, 3, 4, 5, 6].map((row) => [row, "", "forbidden"]),
          [7, "/opening_balance", "forbidden"],
          [12, "/identity_note", "validation_failed"]
        ]
      ]
      const foreseen = yield* send("/imports/members", { program_id, rows, dry_run: true }, giving)
      assert.deepStrictEqual(errors(foreseen.body), told)
      const imported = yield* send("/imports/members", { program_id, rows, idempotency_key: "only-enrols" }, giving)
      assert.deepStrictEqual(errors(imported.body), told)
      const found = yield* send(`/members?program_id=${program_id}&member_id=there`, {}, changing, "GET")
      const { member } = found.body as { readonly member: Record<string, unknown> }
      assert.deepInclude(member, { email: "there@example.com", external_id: "there", consents: [] })
      assert.isUndefined(member["attributes"])
      // Somebody who may change members is not held up.
      const changed = yield* send(
        "/imports/members",
        { program_id, rows: rows.slice(0, 1), idempotency_key: "changes-there" },
        changing
      )
      assert.deepStrictEqual(errors(changed.body), [0, 1, []])
    })
  )

  it.effect("imports give a new member one identity of a type without members:write", () =>
    Effect.gen(function* () {
      const card = (value: string) => ({ type: "loyalty_id", value, issuer: "drawer" })
      const rows = [
        { external_id: "stack", identity: card("1") },
        { external_id: "stack", identity: card("2") },
        { external_id: "stack", identity: card("1") },
        { external_id: "stack", identity: { type: "external", value: "stack-2" } },
        { identity: card("3"), display_name: "Three" },
        { identity: card("3"), display_name: "Three again" },
        { external_id: "other", identity: card("2") }
      ]
      const told = [
        [2, "/identity", "forbidden"],
        [4, "/identity", "forbidden"]
      ]
      const errors = ({ body }: TestServer.Response) =>
        (body["import"] as { readonly errors: ReadonlyArray<Record<string, unknown>> }).errors.map(
          ({ code, path, row }) => [row, path, code]
        )
      const sent = (more: object, headers: Record<string, string> | undefined) =>
        send("/imports/members", { program_id, rows, ...more }, headers)
      assert.deepStrictEqual(errors(yield* sent({ dry_run: true }, giving)), told)
      assert.deepStrictEqual(errors(yield* sent({ dry_run: true }, changing)), [[7, "/identity", "conflict"]])
      assert.deepStrictEqual(errors(yield* sent({ idempotency_key: "stack-of-cards" }, giving)), told)
    })
  )

  it.effect("an import that an active campaign with include_imports counts needs points:give", () =>
    Effect.gen(function* () {
      const campaign = (include_imports: boolean) =>
        send(
          "/campaigns",
          {
            program_id,
            campaign_id: "welcome",
            name: "Welcome",
            trigger: { on: "member.enrolled", ...(include_imports ? { include_imports } : undefined) },
            action: { credit: { amount: 5, reason: "Welcome" } }
          },
          owner,
          "PUT"
        )
      const status = (to: string) => send("/campaigns/status", { campaign_id: "welcome", status: to }, owner)
      const imported = (key: string, headers: Record<string, string> | undefined) =>
        Effect.map(
          send("/imports/members", { program_id, idempotency_key: key, rows: [{ external_id: key }] }, headers),
          ({ status }) => status
        )
      assert.strictEqual((yield* campaign(true)).status, 200)
      assert.strictEqual(yield* imported("of-a-draft", changing), 201)
      assert.strictEqual((yield* status("active")).status, 200)
      assert.strictEqual(yield* imported("by-nobody", changing), 403)
      assert.strictEqual(yield* imported("by-a-giver", giving), 201)
      yield* status("paused")
      assert.strictEqual(yield* imported("of-a-paused", changing), 201)
      assert.strictEqual((yield* campaign(false)).status, 200)
      yield* status("active")
      assert.strictEqual(yield* imported("not-counted", changing), 201)
      yield* status("archived")
    })
  )
})
