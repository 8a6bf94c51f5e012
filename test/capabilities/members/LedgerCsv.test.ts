/**
 * contract/operators.md *Routes*: an export that its caller leaves ends its query; one that fails half way never looks
 * whole.
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Contract from "../../../src/contract/admin/Members.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { JournalUnavailable, type LedgerRow } from "../../../src/core/journal/Records.ts"
import { csvPage } from "../../../src/desk/surface/Bounds.ts"
import * as TestServer from "../../app/service/TestServer.ts"

/** Fate of the second page. */
let second: Effect.Effect<ReadonlyArray<LedgerRow>, JournalUnavailable> = Effect.never

const journal = Layer.effect(
  Journal,
  Effect.map(Journal, (memory) =>
    Journal.of({
      ...memory,
      ledger: (query) => (query.beforeN === undefined ? memory.ledger(query) : Effect.suspend(() => second))
    })
  )
).pipe(Layer.provide(MemoryJournal.layer), Layer.provide(MemoryJournal.MemoryStorage.layer))

const request = Effect.map(
  TestServer.port,
  (port) => (signal: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}${Contract.pathOf(Testing.demoProgram.id, "ada")}/ledger.csv`, {
      headers: { authorization: "Bearer proto-dev-admin-key" },
      signal
    })
)

it.layer(TestServer.layer(journal), { excludeTestServices: true })("the export of a ledger", (it) => {
  it.effect("ends the query of a page when the caller goes away", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* Effect.forEach(Array.from({ length: csvPage }), () => credit("ada", 1), { concurrency: 64 })
      const asked = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      second = Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
      )
      const send = yield* request
      const leave = new AbortController()
      const response = yield* Effect.promise(() => send(leave.signal))
      const reader = response.body!.getReader()
      assert.isFalse((yield* Effect.promise(() => reader.read())).done)
      yield* Deferred.await(asked)
      leave.abort()
      yield* Deferred.await(ended)
    })
  )

  it.effect("resets the connection where a page cannot be read", () =>
    Effect.gen(function* () {
      second = Effect.fail(new JournalUnavailable({ cause: "test" }))
      const send = yield* request
      const read = yield* Effect.promise(() =>
        send(new AbortController().signal)
          .then((response) => response.text())
          .then(
            () => "whole",
            () => "cut"
          )
      )
      assert.strictEqual(read, "cut")
    })
  )
})
