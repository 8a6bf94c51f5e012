/** Tables reach the disk as they grow: what is synced, how often, and what a failure means. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as WriteBack from "../../../src/database/embedded/WriteBack.ts"

const mb = 1024 * 1024

/** A data folder with files of so many bytes, for as long as the scope lives. */
const dataFolder = (files: Readonly<Record<string, number>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-write-back-"))
      fs.mkdirSync(path.join(folder, "base", "5"), { recursive: true })
      const fileOf = (name: string) => path.join(folder, "base", "5", name)
      const grow = (name: string, bytes: number) => {
        if (!fs.existsSync(fileOf(name))) fs.writeFileSync(fileOf(name), "")
        fs.truncateSync(fileOf(name), bytes)
      }
      for (const [name, bytes] of Object.entries(files)) grow(name, bytes)
      return { folder, fileOf, grow }
    }),
    ({ folder }) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
  )

/** Runs it with a sync that only notes the files' names, and fails for some. */
const watched = Effect.fnUntraced(function* (folder: string, broken: ReadonlyArray<string> = []) {
  const synced: Array<string> = []
  const failed: Array<string> = []
  yield* Effect.forkScoped(
    WriteBack.steadily(folder, {
      onFailed: ({ file }) => Effect.sync(() => void failed.push(path.basename(file))),
      sync: (file) => {
        synced.push(path.basename(file))
        const isBroken = broken.includes(path.basename(file))
        return isBroken ? Effect.fail(new WriteBack.SyncFailed({ file, cause: new Error("EIO") })) : Effect.void
      }
    }),
    { startImmediately: true }
  )
  /** What was synced a pace later. */
  const later = Effect.map(TestClock.adjust("1 second"), () => synced.splice(0))
  return { later, failed }
})

describe("files of tables", () => {
  it.effect("are synced with each megabyte that they have grown by, a second apart", () =>
    Effect.gen(function* () {
      const { folder, grow } = yield* dataFolder({ "16384": mb, "16384.1": 2 * mb, "16390": mb })
      const { later } = yield* watched(folder)
      assert.deepStrictEqual(yield* later, [])
      grow("16384", 2 * mb - 1)
      grow("16384.1", 3 * mb)
      grow("16390", 9 * mb)
      assert.deepStrictEqual(yield* later, ["16384.1", "16390"])
      assert.deepStrictEqual(yield* later, [])
      grow("16384", 2 * mb)
      grow("16390", 10 * mb - 1)
      assert.deepStrictEqual(yield* later, ["16384"])
    })
  )

  it.effect("count from a megabyte on, found within ten seconds", () =>
    Effect.gen(function* () {
      const { folder, grow } = yield* dataFolder({ "16384": mb - 1 })
      const { later } = yield* watched(folder)
      grow("16384", mb)
      grow("16390", mb)
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* later, [])
      grow("16384", 2 * mb)
      grow("16390", 2 * mb)
      assert.deepStrictEqual(yield* later, ["16384", "16390"])
    })
  )

  it.effect("may go, or be cut, and count again as they grow", () =>
    Effect.gen(function* () {
      const { fileOf, folder, grow } = yield* dataFolder({ "16384": mb, "16390": mb, "16396": 8 * mb })
      const { later } = yield* watched(folder)
      fs.rmSync(fileOf("16384"))
      grow("16390", 0)
      grow("16396", 2 * mb)
      assert.deepStrictEqual(yield* later, [])
      grow("16396", 3 * mb)
      assert.deepStrictEqual(yield* later, ["16396"])
      grow("16390", mb)
      yield* TestClock.adjust("10 seconds")
      grow("16390", 2 * mb)
      assert.deepStrictEqual(yield* later, ["16390"])
    })
  )

  it.effect("that cannot be synced are told of, and the others go on", () =>
    Effect.gen(function* () {
      const { folder, grow } = yield* dataFolder({ "16384": mb, "16390": mb })
      const { failed, later } = yield* watched(folder, ["16384"])
      grow("16384", 2 * mb)
      grow("16390", 2 * mb)
      assert.deepStrictEqual(yield* later, ["16384", "16390"])
      assert.deepStrictEqual(failed, ["16384"])
      grow("16384", 3 * mb)
      assert.deepStrictEqual(yield* later, ["16384"])
      assert.deepStrictEqual(failed, ["16384", "16384"])
    })
  )
})

describe("a service that stops during a sync", () => {
  it.effect("waits for it, and acts on its failure, which nobody else would be told of", () =>
    Effect.gen(function* () {
      const { folder, grow } = yield* dataFolder({ "16384": mb })
      const begun = yield* Deferred.make<void>()
      const ends = yield* Deferred.make<void, WriteBack.SyncFailed>()
      const failed: Array<WriteBack.SyncFailed> = []
      const writing = yield* Effect.forkChild(
        WriteBack.steadily(folder, {
          onFailed: (error) => Effect.sync(() => void failed.push(error)),
          sync: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ends))
        }),
        { startImmediately: true }
      )
      grow("16384", 2 * mb)
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(writing), { startImmediately: true })
      const error = new WriteBack.SyncFailed({ file: "16384", cause: new Error("EIO") })
      yield* Deferred.fail(ends, error)
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(failed, [error])
    })
  )
})

describe("syncing a file", () => {
  it.effect("ends well where it is written, or gone", () =>
    Effect.gen(function* () {
      const { fileOf } = yield* dataFolder({ "16384": mb })
      yield* WriteBack.syncFile(fileOf("16384"))
      yield* WriteBack.syncFile(fileOf("16390"))
    })
  )

  it.effect("tells the file and the cause where the system cannot, as for this one, which has no disk", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(WriteBack.syncFile("/dev/null"))
      assert.strictEqual(error.file, "/dev/null")
      assert.include(String(error.cause), "EINVAL")
    })
  )

  it.effect("is a defect where nothing was asked about its writes", () =>
    Effect.gen(function* () {
      const { fileOf } = yield* dataFolder({ "16384": mb })
      const exit = yield* Effect.exit(WriteBack.syncFile(path.join(fileOf("16384"), "within")))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )
})
