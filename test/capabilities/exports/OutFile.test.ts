/** A file that is whole or not there, beside other processes that write to its name. Holds contract/exports.md *File*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as OutFile from "../../../src/capabilities/exports/OutFile.ts"
import * as Folders from "../../Folders.ts"

const folder = Folders.make("lotbook-out-file-")
const inFolder = (name: string) => path.join(folder, name)
const made = (name: string) => OutFile.make(inFolder(name), { readers: { isPlain: true }, isCompressed: false })
/** The file that a process writes, until it has its name. */
const unfinished = (name: string, pid = process.pid, host = os.hostname()) => `${name}.${pid}@${host}.unfinished`
const read = (name: string) => fs.readFileSync(inFolder(name), "utf8")

/** The message of a refusal. */
const refusalOf = <A, R>(work: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(work), ({ message }) => message)

describe("a file of an export", () => {
  it.effect("is not touched by a second export to the same name, however often that one is tried", () =>
    Effect.gen(function* () {
      const first = yield* made("both")
      yield* first.write("whole\n")
      for (const _ of [1, 2]) {
        const message = yield* refusalOf(Effect.scoped(made("both")))
        assert.include(message, `process ${process.pid} writes it`)
        assert.isTrue(fs.existsSync(inFolder(unfinished("both"))))
      }
      yield* first.end
      yield* first.place
      assert.strictEqual(read("both"), "whole\n")
      assert.strictEqual(fs.statSync(inFolder("both")).mode & 0o777, 0o600)
      assert.isFalse(fs.existsSync(inFolder(unfinished("both"))))
    }).pipe(Effect.scoped)
  )

  it.effect("is begun where killed exports left theirs, which go, and not beside one that writes", () =>
    Effect.gen(function* () {
      const killed = spawnSync("true").pid
      const left = [unfinished("stale", killed), unfinished("stale")]
      for (const name of left) fs.writeFileSync(inFolder(name), "half")
      // Not of this file, and no unfinished one.
      const others = [unfinished("stale.json", killed), "stale.tar.unfinished"]
      for (const name of others) fs.writeFileSync(inFolder(name), "another")
      const out = yield* made("stale")
      yield* out.end
      yield* out.place
      assert.strictEqual(read("stale"), "")
      assert.deepStrictEqual(
        fs
          .readdirSync(folder)
          .filter((name) => name.startsWith("stale"))
          .toSorted(),
        ["stale", ...others.toSorted()]
      )
      // A process that runs, as far as anybody can tell.
      fs.writeFileSync(inFolder(unfinished("beside", process.ppid)), "half")
      const message = yield* refusalOf(Effect.scoped(made("beside")))
      assert.include(message, `process ${process.ppid} writes it`)
      assert.strictEqual(read(unfinished("beside", process.ppid)), "half")
    }).pipe(Effect.scoped)
  )

  it.effect("is not begun beside one that another container writes, until that was not touched for a minute", () =>
    Effect.gen(function* () {
      // The same process id, as the first process of every container has.
      const theirs = unfinished("apart", process.pid, "another-container")
      fs.writeFileSync(inFolder(theirs), "half")
      fs.utimesSync(inFolder(theirs), 0, 0)
      yield* TestClock.adjust("59 seconds")
      assert.include(yield* refusalOf(Effect.scoped(made("apart"))), `${process.pid} on another-container writes it`)
      assert.strictEqual(read(theirs), "half")
      yield* TestClock.adjust("1 second")
      const out = yield* made("apart")
      assert.isFalse(fs.existsSync(inFolder(theirs)))
      // However slow it is, others see that it is being written.
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(fs.statSync(inFolder(unfinished("apart"))).mtimeMs, 660_000)
      yield* out.end
      yield* out.place
      assert.strictEqual(read("apart"), "")
    }).pipe(Effect.scoped)
  )

  it.effect("takes the place of no file that came meanwhile, and says so before it is told of", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const out = yield* made("came")
          yield* out.write("ours")
          fs.writeFileSync(inFolder("came"), "theirs")
          assert.match(yield* refusalOf(out.end), /is there already/)
        })
      )
      assert.strictEqual(read("came"), "theirs")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const out = yield* made("late")
          yield* out.end
          fs.writeFileSync(inFolder("late"), "theirs")
          assert.match(yield* refusalOf(out.place), /EEXIST/)
        })
      )
      assert.strictEqual(read("late"), "theirs")
      assert.deepStrictEqual(
        fs.readdirSync(folder).filter((name) => /^(came|late)\./.test(name)),
        []
      )
    })
  )

  it.effect("is refused if its own was removed, and leaves what another one began", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const out = yield* made("gone")
          fs.rmSync(inFolder(unfinished("gone")))
          fs.writeFileSync(inFolder(unfinished("gone")), "another")
          assert.match(yield* refusalOf(out.end), /was removed meanwhile/)
        })
      )
      assert.strictEqual(read(unfinished("gone")), "another")
      assert.isFalse(fs.existsSync(inFolder("gone")))
    })
  )
})
