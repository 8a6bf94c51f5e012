/** The lines of an export. Holds contract/exports.md *Lines*, *One moment*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Moment from "../../../src/base/database/Moment.ts"
import * as Export from "../../../src/capabilities/exports/Export.ts"
import { Writer } from "../../../src/capabilities/exports/Writer.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"

interface Line {
  readonly kind: string
  readonly account: number
  readonly [name: string]: unknown
}

/** The lines of an export; `progress` runs after each guest. */
const lines = <R>(progress: (guests: number) => Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    let text = ""
    const write = (more: string) =>
      Effect.sync(() => {
        text += more
      })
    const connection = yield* Moment.open("export")
    yield* Export.write({
      ...{ connection, program: "demo-foodservice", writer: new Writer({ write }), takenAt: 0 },
      progress: (guests) => Effect.provide(progress(guests), context)
    })
    return text
      .split("\n")
      .slice(0, -1)
      .map((line): Line => JSON.parse(line))
  }).pipe(Effect.scoped)

layer(Scenario.layer, { excludeTestServices: true })("an export", (it) => {
  it.effect("is of one moment: what commits while it is written is not in it", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(["ada", "ben", "cem"], enroll)
      yield* credit("cem", 10)
      const meanwhile = Effect.orDie(Effect.andThen(credit("cem", 5), enroll("dora")))
      const found = yield* lines((guests) => (guests === 1 ? Effect.asVoid(meanwhile) : Effect.void))
      assert.strictEqual(found.filter(({ kind }) => kind === "guest").length, 3)
      const cem = found.find(({ kind, member_id }) => kind === "guest" && member_id === "cem")
      const own = found.filter(({ account }) => account === cem?.account)
      assert.deepStrictEqual(
        own.map(({ kind }) => kind),
        ["guest", "record", "record", "entry", "lot", "total"]
      )
      assert.deepInclude(own.at(-1), { records: 2, entries: 1 })
      const after = yield* lines(() => Effect.void)
      assert.strictEqual(after.filter(({ kind }) => kind === "guest").length, 4)
    })
  )

  it.effect("has each version of the programme, profiles, and records with their events", () =>
    Effect.gen(function* () {
      const found = yield* lines(() => Effect.void)
      assert.deepInclude(found[0], { kind: "export", format: 1, program_id: "demo-foodservice", retired_at: null })
      assert.deepInclude(found[1], { kind: "program", version: 1, published_by: "test" })
      const guest = found.find(({ kind }) => kind === "guest")
      assert.deepInclude(guest, { status: "active", attributes: null, external_id: null, erased_at: null })
      assert.match(String(guest?.["joined_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const record = found.find(({ kind }) => kind === "record")
      assert.deepInclude(record, { seq: 1, program_version: 1 })
      assert.isArray(record?.["events"])
    })
  )
})
