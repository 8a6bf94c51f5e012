/** `lotbook tokens` and `lotbook freeze` as an operator runs them, on the database and on a service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestDatabase from "../../TestDatabase.ts"
import { lotbook, onDatabase } from "./InProcess.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("lotbook", (it) => {
  it.effect("tokens issues, lists, rotates and revokes a token; the secret alone is on standard output", () =>
    Effect.gen(function* () {
      const issued = yield* onDatabase("tokens", "create", "--name", "Till\u00a01", "--scope", "protocol:read")
      assert.strictEqual(issued.code, 0, issued.err)
      assert.match(issued.out, /^lot_[\w-]{43}\n$/)
      const [id = ""] = issued.err.split(" ")
      assert.match(id, /^tok_/)
      const { out } = yield* onDatabase("tokens", "list")
      // Not the token of the command's own environment.
      assert.match(out, new RegExp(`^${id}  active  Till[^\n]*\n$`))
      const rotated = yield* onDatabase("tokens", "rotate", id)
      assert.match(rotated.out, /^lot_[\w-]{43}\n$/)
      assert.match(rotated.err, /^tok_\w+ {2}rotating /)
      const revoked = yield* onDatabase("tokens", "revoke", id, "--reason", "sold")
      assert.deepStrictEqual([revoked.code, revoked.out.split("  ").slice(0, 2)], [0, [id, "revoked"]])
      const again = yield* onDatabase("tokens", "rotate", id)
      assert.deepStrictEqual([again.code, again.out, again.err], [1, "", `invalid_state: Token ${id} is revoked.\n`])
    })
  )

  it.effect("tokens and staff are limited to restaurants by flags, and told with their limits", () =>
    Effect.gen(function* () {
      const limits = ["--franchisee", "harbour", "--location", "east", "--location", "west"]
      const scope = ["--scope", "protocol:read"]
      const issued = yield* onDatabase("tokens", "create", "--name", "Tills", ...scope, ...limits)
      assert.strictEqual(issued.code, 0, issued.err)
      const told = /locations east,west {2}franchisees harbour/
      assert.match(issued.err, told)
      assert.match((yield* onDatabase("tokens", "list")).out, told)
      const nora = ["staff", "invite", "nora@example.com"]
      const facts = ["--name", "Nora", "--role", "franchisee"]
      const without = yield* onDatabase(...nora, ...facts)
      assert.deepStrictEqual([without.code, without.out], [1, ""])
      const invited = yield* onDatabase(...nora, ...facts, ...limits)
      assert.strictEqual(invited.code, 0, invited.err)
      assert.match((yield* onDatabase("staff", "list")).out, told)
      const other = yield* onDatabase(...nora, "--brand", "corner-bowl")
      assert.deepStrictEqual([other.code, other.out], [1, ""])
      assert.strictEqual((yield* onDatabase(...nora, ...limits)).code, 0)
    })
  )

  it.effect("freeze switches writes off and on, for a reason that the audit keeps", () =>
    Effect.gen(function* () {
      const said = (...name: ReadonlyArray<string>) =>
        Effect.map(onDatabase("freeze", ...name), ({ code, out }) => [code, out] as const)
      assert.deepStrictEqual(yield* said("on", "--reason", "The move"), [0, "Writes are frozen.\n"])
      assert.deepStrictEqual(yield* said("status"), [0, "Writes are frozen.\n"])
      assert.deepStrictEqual(yield* said("off"), [0, "Writes are allowed.\n"])
      const told = yield* TestDatabase.query(
        "SELECT action, reason FROM audit WHERE action LIKE 'freeze.%' ORDER BY chain, n"
      )
      assert.deepStrictEqual(told, [
        { action: "freeze.on", reason: "The move" },
        { action: "freeze.off", reason: null }
      ])
      assert.match((yield* onDatabase("freeze", "on", "--reason", "")).err, /reason/)
    })
  )

  it.effect("ends with 2 without a key for the service, or where nothing answers", () =>
    Effect.gen(function* () {
      const away = ["freeze", "status", "--url", "http://127.0.0.1:1"]
      assert.match((yield* lotbook(away, { PROTO_ADMIN_KEY: "" })).err, /PROTO_ADMIN_KEY/)
      const ran = yield* lotbook(away, { PROTO_ADMIN_KEY: "some-admin-key" })
      assert.deepStrictEqual([ran.code, ran.out], [2, ""])
      assert.notStrictEqual(ran.err, "")
    })
  )
})
