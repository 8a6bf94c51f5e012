/** Programmes in force follow what is published, on whichever service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { ProgramsInvalid } from "../../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { program } from "../rules/Builders.ts"

/** Programmes over tables whose revision the test raises; `reads` counts how often they were read. */
const over = () => {
  const tables = new MemoryJournal.MemoryTables()
  const source = { tables, reads: 0, isBroken: false }
  const read = Effect.suspend(() => {
    source.reads++
    if (source.isBroken) return new ProgramsInvalid({ message: "broken" })
    const one = { ...program(), version: tables.revision + 1 }
    return Effect.succeed({ revision: tables.revision, programs: new Map([[one.id, one]]) })
  })
  const journal = MemoryJournal.layer.pipe(
    Layer.provide(Layer.succeed(MemoryJournal.MemoryStorage, MemoryJournal.MemoryStorage.over(tables)))
  )
  const layer = Programs.layerFollowing.pipe(
    Layer.provideMerge(Programs.layerFromRead(read)),
    Layer.provideMerge(journal)
  )
  return { source, layer }
}

const version = Effect.map(Programs, (programs) => programs.get("p")?.version)

describe("programmes in force", () => {
  it.effect("show within half a second what another process has published, and are read only then", () => {
    const { layer, source } = over()
    return Effect.gen(function* () {
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(source.reads, 1)
      source.tables.revision++
      assert.strictEqual(yield* version, 1)
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* version, 2)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(source.reads, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("stay as they are while they cannot be read, and are tried again", () => {
    const { layer, source } = over()
    return Effect.gen(function* () {
      source.isBroken = true
      source.tables.revision++
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* version, 1)
      source.isBroken = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* version, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("are read once by all who leave one revision", () => {
    const { layer, source } = over()
    return Effect.gen(function* () {
      const programs = yield* Programs
      const old = programs.revision()
      source.tables.revision++
      yield* Effect.all(
        Array.from({ length: 20 }, () => programs.refreshFrom(old)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(source.reads, 2)
      yield* programs.refresh
      assert.strictEqual(source.reads, 3)
    }).pipe(Effect.provide(layer))
  })
})
