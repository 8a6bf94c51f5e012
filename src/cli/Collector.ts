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
 *
 * Three more things are said on the command line, by `npm start`:
 *
 * - `--v8-pool-size=1`: one helper instead of four. A collection is over when the last of its threads is, and on two
 *   cores with a database on them one of four has always just lost its core: a tenth of the young collections took
 *   8 ms and more instead of 11, the longest 14 instead of 60. The service's time goes down by a twentieth.
 * - `--no-memory-reducer`: without it, V8 gives memory back some 100 s after each full collection, by another one that
 *   moves what is left together and stops requests for 40 to 110 ms instead of 10 to 25.
 * - `--max-semi-space-size=16`, in MB: by itself V8 lets the young generation grow until some 52 MB are allocated between
 *   two collections, each of which then stops requests for 5 ms, and one of ten for 8 and more, as what survives is in no
 *   cache any longer. So there are four times as many of 2.4 ms, which queues get over: p99 of accruals at half of
 *   saturation goes from 22 to 14 ms (14 slices each, in turns). The thread's time was the same there, in 16 slices
 *   before a tenth more; with 8 it takes a tenth more than with 16, and with 32 it is as if nothing had been said.
 */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--no-allocation-site-pretenuring")

/**
 * How far the heap grows over what a full collection left, in percent, before the next: while one marks, some 300 ms
 * with 100 MB alive, requests take several times as long. V8 by itself begins one at half of this and less.
 */
const growingPercent = 300

/** For a process that answers requests: full collections are seldom. */
export const giveWay: Effect.Effect<void> = Effect.sync(() =>
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
)
