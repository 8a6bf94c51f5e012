/** contract/events.md *Warnings and tiers*: a publication and an upgrade change when members are due. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { MemoryStorage } from "../../../src/core/journal/MemoryJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { inForceAs } from "../../../src/core/rules/Program.ts"

const start = Date.UTC(2026, 6, 14, 10)
const day = 86_400_000
const demo = Testing.demoProgram
const silent: Program = { ...demo, warnings: [] }

/** Programmes that the test publishes. */
const publishing = () => {
  const inForce = { revision: 0, programs: new Map([[demo.id, silent]]) }
  const programs = Programs.layerFromRead(Effect.sync(() => ({ ...inForce })))
  const publish = Effect.fnUntraced(function* (program: Program, at: number) {
    const { tables } = yield* MemoryStorage
    const versions = [silent, program].map(({ file }, index) => ({
      publishedAt: index * at,
      tierPolicy: file.tier_policy,
      promotions: (file.promotions ?? []).map(({ promotion_id }) => ({ id: promotion_id, every: undefined })),
      pointExpiration: index === 0 ? undefined : file.point_expiration
    }))
    tables.revision = ++inForce.revision
    inForce.programs = new Map([[demo.id, inForceAs(program, versions, false)]])
    yield* (yield* Programs).refresh
  })
  return { publish, layer: Testing.layerFrom(MemoryJournal.layer, programs) }
}

const kinds = Effect.map(MemoryStorage, ({ tables }) =>
  tables.log.flatMap(({ events }) =>
    (JSON.parse(events) as ReadonlyArray<{ readonly type: string }>).map(({ type }) => type)
  )
)

it.effect("a publication makes members due by its own warnings, those that had nothing due too", () => {
  const { layer, publish } = publishing()
  return Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const members = Array.from({ length: 100 }, (_, n) => `m-${n}`)
    yield* Effect.forEach(members, (member) => Effect.andThen(enroll(member), credit(member, 10)), { concurrency: 20 })
    const { tables } = yield* MemoryStorage
    const before = [...tables.accounts.values()].map(({ nextDue }) => nextDue)
    assert.isTrue(before.every((at) => at === start + 365 * day))
    yield* publish(demo, start + day)
    // The test clock does not wait for all that a publication starts.
    yield* Effect.repeat(TestClock.adjust("1 second"), {
      until: () => [...tables.accounts.values()].every(({ dueVersion }) => dueVersion === 2)
    })
    for (const { nextDue } of tables.accounts.values()) assert.isBelow(nextDue ?? 0, start + 336 * day)
    const records = tables.log.length
    assert.strictEqual((yield* kinds).filter((kind) => kind === "points_expiring").length, 0)
    yield* TestClock.adjust("336 days")
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => tables.log.length === records + members.length })
    assert.strictEqual((yield* kinds).filter((kind) => kind === "points_expiring").length, members.length)
    assert.isTrue([...tables.accounts.values()].every(({ nextDue }) => nextDue !== null && nextDue > start + 350 * day))
  }).pipe(Effect.provide(layer), Effect.provide(MemoryStorage.layer))
})

it.effect("a start after an upgrade computes what older software has left, also if it is killed meanwhile", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { tables, write } = yield* MemoryStorage
    const over = Effect.provide(Testing.layerFromStorage({ tables, write }), { local: true })
    yield* Effect.scoped(over(Effect.andThen(enroll("ada"), earn("ada", "order-1", 6000))))
    const [there] = tables.accounts.values()
    const computed = there!.nextDue
    // Rows that 0.2.0 wrote.
    tables.due.move([...tables.accounts.keys()][0]!, computed, start + 365 * day)
    Object.assign(there!, { nextDue: start + 365 * day, dueVersion: 0 })
    const records = tables.log.length
    yield* Effect.scoped(over(TestClock.adjust("1 second")))
    assert.deepStrictEqual([there!.nextDue, there!.dueVersion], [computed, 1])
    assert.strictEqual(tables.log.length, records)
  }).pipe(Effect.provide(MemoryStorage.layer))
)
