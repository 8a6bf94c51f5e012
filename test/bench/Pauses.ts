/**
 * Whether the whole machine stands still, as a virtual one does while its host has no core for it and counts nothing
 * as stolen: threads that do nothing but wake up every few ms, one for each core, all come late together. A core that is busy
 * with what is measured lets one of them wait for a few ms.
 */
import { Effect } from "effect"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import type { Task } from "./pulse.ts"

/** A thread sleeps for so long, ms. */
const sleepMs = 5
/** From here on the machine stood still, ms. */
export const pauseMs = 10

/** When a thread should have been awake and was not, ms since 1970. */
export interface Late {
  readonly from: number
  readonly until: number
}

/** Where two lists overlap; each in order of time, and its own do not. */
const overlap = (ours: ReadonlyArray<Late>, theirs: ReadonlyArray<Late>): ReadonlyArray<Late> =>
  ours.flatMap((one) =>
    theirs
      .map((other) => ({ from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) }))
      .filter(({ from, until }) => until > from)
  )

/** How long all threads were late at once, from `pauseMs` at a time, ms. */
export const together = (threads: ReadonlyArray<ReadonlyArray<Late>>): number =>
  threads
    .reduce(overlap)
    .map(({ from, until }) => until - from)
    .filter((lasted) => lasted >= pauseMs)
    .reduce((sum, lasted) => sum + lasted, 0)

/** A thread that is awake by now, and what it has seen when it is told to end. */
const begin = (over: Int32Array<SharedArrayBuffer>) =>
  Effect.callback<{ readonly seen: Promise<ReadonlyArray<Late>> }>((resume) => {
    const task: Task = { over, sleepMs, leastMs: pauseMs }
    const thread = new Worker(new URL("./pulse.ts", import.meta.url), { workerData: task })
    const seen = new Promise<ReadonlyArray<Late>>((resolve, reject) => {
      thread.on("message", (message: ReadonlyArray<Late> | "awake") => {
        if (message === "awake") resume(Effect.succeed({ seen }))
        else resolve(message)
      })
      // Nobody may be waiting for it yet: then it ends the benchmark as what nobody has handled.
      thread.once("error", reject)
    })
  })

/** Runs something, and says for how long the machine stood still meanwhile, ms. */
export const watching = Effect.fnUntraced(function* <A, E, R>(run: Effect.Effect<A, E, R>) {
  const over = new Int32Array(new SharedArrayBuffer(4))
  const end = Effect.sync(() => {
    Atomics.store(over, 0, 1)
    Atomics.notify(over, 0)
  })
  const watched = Effect.gen(function* () {
    const threads = yield* Effect.all(
      Array.from({ length: os.availableParallelism() }, () => begin(over)),
      { concurrency: "unbounded" }
    )
    const value = yield* run
    yield* end
    const seen = yield* Effect.promise(() => Promise.all(threads.map((thread) => thread.seen)))
    return { value, pausedMs: together(seen) }
  })
  return yield* Effect.ensuring(watched, end)
})
