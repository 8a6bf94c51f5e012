/** Guests of earlier moves whose records are archived. Holds contract/databases.md *Archive*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as MovedBefore from "../../../src/capabilities/moving/MovedBefore.ts"
import * as MoveGuests from "../../../src/capabilities/moving/MoveGuests.ts"
import * as SinceMoved from "../../../src/capabilities/moving/SinceMoved.ts"
import type { MovedGuest } from "../../../src/contract/admin/MovedGuest.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as Moves from "./Moves.ts"

const earlier = Moves.guest("earlier")
const changed = Moves.guest("earlier", {
  lots: [...earlier.lots, { unit: "points", amount: 7, earned_at: "2026-07-02T00:00:00Z", expires_at: null }]
})

const caller = CurrentCaller.of({ ...operator, scopes: new Set(["admin:write", "admin:read"]) })

/** All that reads entries of moved guests. */
const told = Effect.gen(function* () {
  const pool = yield* Pools.WorkPool
  const [{ list }, { moveIn }] = [yield* MovedBefore.make(pool), yield* MoveGuests.make(pool)]
  const look = (one: MovedGuest) => moveIn("demo-foodservice", { guests: [one], dry_run: true, since: true })
  return {
    before: (yield* list("demo-foodservice", {})).guests,
    same: yield* look(earlier),
    more: yield* look(changed)
  }
}).pipe(Effect.provideService(CurrentCaller, caller))

const through = (folder: string) => Effect.provide(told, ArchiveFiles.layer(folder))

layer(Pools.layer.pipe(Layer.provideMerge(Scenario.layer)), { excludeTestServices: true })(
  "guests of earlier moves",
  (it) => {
    it.effect("are told out of archive files as out of the tables, or the month is away", () =>
      Effect.gen(function* () {
        const to = yield* Archiving.folder
        yield* Guests.enroll("other")
        const [moved] = yield* Moves.moveIn([earlier])
        const [row] = yield* Scenario.byHand("SELECT number, member_id FROM accounts WHERE member_id <> 'other'")
        const member = String(row?.["member_id"])
        assert.strictEqual(moved?.outcome, "enrolled")
        yield* Guests.earn(member, "first", 1_000)
        for (let span = 0; span < 3; span++) {
          yield* Archiving.begin
          yield* Guests.earn(member, `later-${span}`, 1_000)
        }
        const expected = yield* told
        assert.strictEqual(expected.before.length, 1)
        assert.strictEqual(expected.same.guests[0]?.outcome, "same")
        assert.deepInclude(expected.same.guests[0]?.since?.[0], { unit: "points", moved: 150, accrued: 400 })
        for (let span = 0; span < 3; span++) yield* Archiving.seal
        assert.strictEqual(yield* Archiving.archiveAll(to), 2)
        assert.deepStrictEqual(yield* through(to), expected)
        // Without a folder, and in one without the files.
        assert.strictEqual((yield* Effect.flip(told)).code, "archived")
        assert.strictEqual((yield* Effect.flip(through(yield* Archiving.folder))).code, "archived")
        const { query } = yield* Pools.WorkPool
        const own = [Number(row?.["number"])]
        const alone = SinceMoved.read({ files: undefined, query }, own, new Set())
        assert.strictEqual((yield* Effect.flip(alone)).code, "archived")
        const done = yield* Effect.provide(Moves.moveIn([earlier]), ArchiveFiles.layer(to))
        assert.strictEqual(done[0]?.outcome, "same")
      })
    )
  }
)

layer(Pools.layer.pipe(Layer.provideMerge(Scenario.layer)), { excludeTestServices: true })(
  "guests of months without moves",
  (it) => {
    it.effect("have none of their files read, and pages end where many files are read", () =>
      Effect.gen(function* () {
        const to = yield* Archiving.folder
        const { list } = yield* MovedBefore.make(yield* Pools.WorkPool)
        const reads: Array<string> = []
        const listed = Effect.gen(function* () {
          const files = (yield* ArchiveFiles.ArchiveFiles)!
          const counting = ArchiveFiles.ArchiveFiles.of({
            ...{ folder: files.folder, keyAt: files.keyAt, keysAfter: files.keysAfter },
            rows: (known, section, range) => {
              reads.push(`${known.file} ${range.account}`)
              return files.rows(known, section, range)
            }
          })
          const { list } = yield* Effect.provideService(
            Effect.flatMap(Pools.WorkPool, MovedBefore.make),
            ArchiveFiles.ArchiveFiles,
            counting
          )
          reads.length = 0
          return yield* list("demo-foodservice", {})
        }).pipe(Effect.provide(ArchiveFiles.layer(to)))
        yield* Effect.gen(function* () {
          const never = Array.from({ length: 60 }, (_, n) => `never-${n}`)
          for (const member of never) yield* Guests.enroll(member)
          yield* Archiving.begin
          const [before] = yield* Moves.moveIn([earlier])
          assert.strictEqual(before?.outcome, "enrolled")
          for (let span = 0; span < 2; span++) {
            yield* Archiving.begin
            yield* Guests.earn("never-0", `never-${span}`, 1_000)
          }
          const expected = yield* list("demo-foodservice", {})
          assert.strictEqual(expected.guests.length, 1)
          for (let span = 0; span < 3; span++) yield* Archiving.seal
          assert.strictEqual(yield* Archiving.archiveAll(to), 2)
          // All that was written is of one day: the first span becomes one of a month before.
          const before30 = (column: string) => `${column} = ${column} - 30 * 86400000::bigint`
          yield* Scenario.byHand(
            `UPDATE archived_spans SET ${before30("first_at")}, ${before30("last_at")} WHERE span = 0`
          )
          assert.deepStrictEqual(yield* listed, expected)
          assert.strictEqual(reads.length, 1, reads.join())
          // Sums of finance that are counted anew tell nothing yet: then every account with records of a month is looked at.
          yield* Scenario.byHand("UPDATE finance_progress SET epoch = 0, transaction = '0', account = 0, seq = 0")
          const page = yield* listed
          assert.strictEqual(reads.length, 50)
          assert.isDefined(page.next_cursor)
        }).pipe(Effect.provideService(CurrentCaller, caller))
      })
    )
  }
)
