/** contract/operators.md *Audit*: entries name guests for callers who may see guests, and for nobody else. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { bearer, get, issue, post } from "./Operators.ts"

const program_id = "demo-foodservice"
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, undefined, Pools.layer),
  TestDatabase.layer
)

interface Entries {
  readonly entries: ReadonlyArray<{ readonly action: string; readonly subject: { readonly name?: string } }>
}

const subjects = (headers?: Record<string, string>) =>
  Effect.map(get("/audit?subject=mia", headers), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return (body as unknown as Entries).entries.map(({ subject }) => subject)
  })

it.layer(layer, { excludeTestServices: true })("the list of the audit", (it) => {
  it.effect("names a guest by the present name, until the guest is erased", () =>
    Effect.gen(function* () {
      yield* enroll("mia")
      const profile = { program_id, member_id: "mia", display_name: "Mia Maker" }
      assert.strictEqual((yield* TestServer.send("/platform/v1/members", profile, { method: "PUT" })).status, 200)
      yield* post(`/members/${program_id}/mia/status`, { status: "suspended", reason: "test" })
      const auditor = yield* issue({ scopes: ["audit:read"] })
      const support = yield* issue({ scopes: ["audit:read", "members:read"] })
      const named = { type: "member", id: "mia", name: "Mia Maker" }
      assert.include(
        (yield* subjects()).map((one) => JSON.stringify(one)),
        JSON.stringify(named)
      )
      assert.deepStrictEqual(yield* subjects(bearer(support.secret)), yield* subjects())
      for (const subject of yield* subjects(bearer(auditor.secret))) assert.notProperty(subject, "name")
      const erased = yield* TestServer.send("/platform/v1/members/erase", {
        program_id,
        member_id: "mia",
        reason: "test"
      })
      assert.isBelow(erased.status, 300, JSON.stringify(erased.body))
      for (const subject of yield* subjects()) assert.notProperty(subject, "name")
    })
  )
})
