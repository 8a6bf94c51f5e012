/** The search for secrets and identity values can fail: each place is shown one. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as Leaks from "./Leaks.ts"
import * as TestDatabase from "./TestDatabase.ts"

const token = `lot_${"a".repeat(43)}`

/** Findings of the search in a database that had these statements; empty: nothing. */
const found = (...statements: ReadonlyArray<string>) =>
  Effect.forEach(statements, (statement) => TestDatabase.query(statement), { discard: true }).pipe(
    Effect.provide(TestDatabase.layer),
    Effect.exit,
    Effect.map((exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""))
  )

const keyed = (body: string) => `INSERT INTO keyed_requests
  (key, fingerprint, named, at, status, body, members)
  VALUES (gen_random_uuid(), gen_random_uuid(), '{}', 1, 200, '${body}', '{}')`
const entryOf = (reason: string) =>
  `SELECT append_audit(0, '{"at": "1", "actor_kind": "root", "actor_name": "root", "action": "x", "subject_type": "x",
    "subject_id": "x", "reason": "${reason}"}')`
const memberOf = (value: string) => `INSERT INTO members (account, identities) VALUES (1, '[{"value": "${value}"}]')`
const retired = (reason: string) => `INSERT INTO retired_programs VALUES ('x', now(), 'x', '${reason}')`

it.effect(
  "a row with a token, with an identity value outside personal data, or with an address in the audit is found",
  () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(memberOf("card-1"), keyed("card-2"), entryOf("new cards, a stamp-card-1")), "")
      const said = yield* found(memberOf(token), keyed(token), entryOf("is ada@example.com"), retired("is card-1"))
      for (const table of ["members", "keyed_requests", "audit", "retired_programs"]) assert.include(said, `"${table}"`)
    })
)

it.effect("a line of the log and a problem with one are found", () =>
  Effect.gen(function* () {
    const isLogged = (work: Effect.Effect<void>) =>
      Effect.map(Effect.exit(Effect.provide(work, Leaks.logShowsNone)), Exit.isFailure)
    const logged = yield* Effect.all([
      isLogged(Effect.logWarning("no card was found")),
      isLogged(Effect.annotateLogs(Effect.logWarning("found"), { identity: "card-1" })),
      isLogged(Effect.logWarning("failed", new Error(`of ${token}`)))
    ])
    assert.deepStrictEqual(logged, [false, true, true])
    assert.throws(() => Leaks.shownTo(409, '{"detail": "card-1 is taken"}'))
    assert.strictEqual(Leaks.shownTo(200, "card-1"), "card-1")
  })
)
