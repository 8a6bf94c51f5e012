/**
 * Rows of many callers in one statement: while as many groups as may be are in flight, the next one gathers. What each row
 * costs alone, a round trip and a commit, a group costs once. Records of accounts have groups of their own, whose order matters
 * (`core/journal/GroupCommit.ts`).
 */
import { Cause, Effect, Exit } from "effect"

interface Options<Row, Result, Failure> {
  /** Carries out rows, and returns one result for each, in their order. */
  readonly run: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Result>, Failure>
  /** Groups in flight. */
  readonly inFlight: number
  /** Rows of a group. */
  readonly size: number
}

interface Waiting<Row, Result, Failure> {
  readonly row: Row
  readonly resume: (result: Effect.Effect<Result, Failure>) => void
}

/** Makes a function that sends a row with the next group. A defect of a row fails no other: the rows are sent again, one by one. */
export const make = Effect.fnUntraced(function* <Row, Result, Failure>({
  inFlight,
  run,
  size
}: Options<Row, Result, Failure>) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const waiting: Array<Waiting<Row, Result, Failure>> = []
  let open = 0

  const carry = (group: ReadonlyArray<Waiting<Row, Result, Failure>>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(run(group.map(({ row }) => row))), (exit) => {
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause) && group.length > 1)
        return Effect.forEach(group, (one) => carry([one]), { discard: true })
      group.forEach(({ resume }, place) => {
        resume(Exit.map(exit, (results) => results[place]!))
      })
      return Effect.void
    })

  const serve = Effect.gen(function* () {
    // Rows that come later in this turn of the event loop join the group.
    yield* Effect.yieldNow
    while (waiting.length > 0) yield* carry(waiting.splice(0, size))
    open--
  })

  return (row: Row): Effect.Effect<Result, Failure> =>
    Effect.callback((resume) => {
      waiting.push({ row, resume })
      if (open === inFlight) return
      open++
      fork(serve)
    })
})
