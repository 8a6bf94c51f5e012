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
 * - `--max-semi-space-size=32`, in MB; V8 by itself takes 64, or less on a small machine. With 16 some 12 MB are allocated
 *   between two collections, with 32 and 64 twice and four times as much. At saturation each collection moves all that is
 *   under way, 4.5 ms with 16: two instances of each in turns let 8,500 accruals a second through with 16, 9,600 with 32,
 *   9,900 with 64. At a fixed rate of half of that one takes 2 ms with 16 and 4 with 64, and p99 was 16 ms with 16, 13 with
 *   32 and 14 with 64; of the mix 14, 12 and 11 (nine slices and more of each; an instance may differ from another of the
 *   same by a tenth). On a slower machine, where one takes longer, one instance each had 14 ms with 16 and 22 with 64, and
 *   no less with 32 than with 64.
 *
 * A fourth, `--use-largepages=silent`, is about code: half of the thread's time goes by in Node's own, 40 MB of it, whose
 * addresses the processor then finds with 20 entries of its tables instead of 10,000. Two instances of each in turns, nine
 * slices and more: 0.96 of the service's time at half of saturation, for accruals and the mix; at saturation 0.96 and 1.00.
 * p99 at half was 16 ms instead of 19 for accruals, and no lower for the mix. Where the system has no large pages, it does
 * nothing.
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
