/** Reads of a folder of archive files that does not answer. Holds contract/databases.md *Archive*. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as ArchiveFiles from "../../../../src/core/journal/archive/ArchiveFiles.ts"
import { SpanWriter } from "../../../../src/core/journal/archive/SpanWriter.ts"
import * as Bounds from "../../../../src/core/journal/Bounds.ts"

const facts = {
  span: 0,
  month: "2025-01",
  database: "d",
  seal: "s",
  columns: { records: ["account", "seq"], entries: [] }
}

const rowsOf = (known: ArchiveFiles.Known) =>
  Effect.flatMap(ArchiveFiles.ArchiveFiles, (files) =>
    files === undefined ? Effect.die("no folder") : files.rows(known, "records", { account: 1, first: 1, last: 9 })
  )

const folderOfOwn = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hung-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

/** Opening a pipe to read waits for somebody who writes, as a mount that hangs does. */
const pipeIn = (folder: string): string => {
  const pipe = path.join(folder, "pipe")
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe])
  return pipe
}

it.effect("are given up after a while, and go on once it answers", () =>
  Effect.gen(function* () {
    const folder = yield* folderOfOwn
    const pipe = pipeIn(folder)
    const writer = new SpanWriter(path.join(folder, "whole"))
    writer.add("records", [1n, 1n, 0n, 0n], '["1","1"]')
    const { checksum } = writer.finish(facts)
    yield* Effect.gen(function* () {
      const hung = { file: "pipe", checksum }
      const reads = yield* Effect.forEach(Array.from({ length: Bounds.archiveReads + 1 }), () =>
        Effect.forkChild(Effect.flip(rowsOf(hung)), { startImmediately: true })
      )
      yield* TestClock.adjust(Bounds.archiveReadMs)
      for (const read of reads)
        assert.match((yield* Fiber.join(read)).message, /did not answer within 5000 ms. Look at the disk, or the mount/)

      // The threads that wait are not given to other reads: one that could be served waits, too.
      const kept = yield* Effect.forkChild(Effect.flip(rowsOf({ file: "whole", checksum })), { startImmediately: true })
      yield* TestClock.adjust(Bounds.archiveReadMs)
      assert.match((yield* Fiber.join(kept)).message, /did not answer/)
      // Open until the read below is served, for a thread that begins to open it late.
      const end = fs.openSync(pipe, fs.constants.O_RDWR)
      assert.deepStrictEqual(yield* rowsOf({ file: "whole", checksum }), [{ account: "1", seq: "1" }])
      fs.closeSync(end)
    }).pipe(Effect.provide(ArchiveFiles.layer(folder)))
  })
)

it.effect("of a command wait as long as it takes", () =>
  Effect.gen(function* () {
    const folder = yield* folderOfOwn
    const pipe = pipeIn(folder)
    const read = yield* Effect.forkChild(Effect.flip(rowsOf({ file: "pipe", checksum: new Uint8Array() })), {
      startImmediately: true
    }).pipe(Effect.provide(ArchiveFiles.layerPatient(folder)))
    yield* TestClock.adjust(Bounds.archiveReadMs * 100)
    yield* Effect.acquireRelease(
      Effect.sync(() => fs.openSync(pipe, fs.constants.O_RDWR)),
      (fd) => Effect.sync(() => fs.closeSync(fd))
    )
    assert.match((yield* Fiber.join(read)).message, /cannot be read/)
  })
)
