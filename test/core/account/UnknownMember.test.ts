/** A member that is not known: a till must tell a wrong id from one that a restore may have lost (docs/backups.md *Restore*). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const shared = TestServer.layer(PgJournal.layer).pipe(Layer.provideMerge(TestDatabase.layer))

layer(shared, { excludeTestServices: true })("a member that is not known", (it) => {
  it.effect("is told with the time since when a restore may have lost it, and without one where there was none", () =>
    Effect.gen(function* () {
      const accrue = TestServer.send("/proto/v1/accruals", {
        context: Testing.context(),
        member_id: "nobody",
        order: Testing.order("o-1", 1_000, Testing.placedNow)
      })
      yield* enroll("ada")
      const before = yield* accrue
      assert.deepStrictEqual([before.status, before.body["member_unknown_since"]], [404, undefined])
      const [newest] = yield* TestDatabase.query("SELECT max(written_at)::text AS at FROM journal")
      // As PostgreSQL's next start on another timeline.
      yield* TestDatabase.query("SELECT begin_epoch(true)")
      const after = yield* accrue
      assert.deepInclude(after.body, { code: "not_found", detail: before.body["detail"] })
      assert.strictEqual(after.body["member_unknown_since"], new Date(Number(newest?.["at"])).toISOString())
    })
  )
})
