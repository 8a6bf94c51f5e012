/**
 * Makes V8's garbage collector give way to requests.
 *
 * Importing this keeps V8 from guessing which objects will live long. What is
 * under way when the young generation is collected survives it, so V8 concludes
 * that such objects live long and allocates them, and soon all of their kind, in
 * the old generation at once. Dead there, they keep alive whatever they refer to
 * until the next full collection, which survives in turn: measured on the
 * transport alone, 12 ms instead of 1 ms a collection and a third of all that is
 * allocated kept. Nothing here gains by the guess.
 */
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { setPriority } from "node:os"
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--no-allocation-site-pretenuring")

/**
 * How far the heap grows over what a full collection left, in percent, before the next: while one marks, some 300 ms
 * with 100 MB alive, requests take several times as long. V8 by itself begins one at half of this and less.
 */
const growingPercent = 300

/** The niceness of the collector's helpers. */
const helperNiceness = 10

/** The name that Node gives to V8's threads. */
const helperName = "V8Worker"

/** Helpers mark and compile for as long as there is something to do: on few cores they take those of others. */
const lowerHelpers = Effect.try({
  try: () => {
    for (const thread of readdirSync("/proc/self/task")) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim()
      // On Linux threads have a priority each.
      if (name === helperName) setPriority(Number(thread), helperNiceness)
    }
  },
  catch: (cause) => cause
})

/** For a process that answers requests: full collections are seldom, and what helps with them gives way. */
export const giveWay: Effect.Effect<void> = Effect.gen(function* () {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
  if (process.platform !== "linux") return
  yield* Effect.catch(lowerHelpers, (cause) =>
    Effect.logDebug("The collector's helpers keep the priority of requests", cause)
  )
})
