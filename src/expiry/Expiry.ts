/**
 * Wakes accounts when something of theirs is due; never writes itself.
 *
 * Sleeps until the earliest due time of any account, resident or not. A commit
 * that makes an earlier one shortens the sleep.
 */
import { Clock, Effect, Latch, Layer } from "effect"
import { Accounts } from "../account/Accounts.ts"
import { Journal } from "../journal/Journal.ts"

/** Accounts woken at once from one look into the journal. */
const batchAccounts = 512
/** Accounts that post at the same time: two groups' worth. */
const concurrency = 256
/** Longest timer that Node sets, ms: about 24.8 days; after it the round is made again. */
const longestTimerMs = 2 ** 31 - 1
/** Pause after trouble or while writes are frozen, ms. */
const pauseMs = 1_000

export const layer: Layer.Layer<never, never, Accounts | Journal> = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const journal = yield* Journal
    const clock = yield* Clock.Clock
    const sooner = Latch.makeUnsafe(false)
    let sleepsUntil = Infinity
    accounts.onDue((at) => {
      if (at >= sleepsUntil) return
      sleepsUntil = at
      sooner.openUnsafe()
    })

    /** Posts everything due by now; whether all of it went well. */
    const postDue = Effect.gen(function* () {
      for (;;) {
        const due = yield* journal.due(clock.currentTimeMillisUnsafe(), batchAccounts)
        const outcomes = yield* Effect.forEach(due, ({ account }) => accounts.wake(account), { concurrency })
        if (outcomes.some((outcome) => outcome._tag !== "Answered")) return false
        if (due.length < batchAccounts) return true
      }
    })

    const round = Effect.gen(function* () {
      sooner.closeUnsafe()
      sleepsUntil = Infinity
      if (!(yield* postDue)) return yield* Effect.sleep(pauseMs)
      const next = yield* journal.nextDue
      sleepsUntil = Math.min(sleepsUntil, next ?? Infinity)
      if (sleepsUntil === Infinity) return yield* sooner.await
      const sleepMs = Math.min(longestTimerMs, Math.max(1, sleepsUntil - clock.currentTimeMillisUnsafe()))
      yield* Effect.raceFirst(sooner.await, Effect.sleep(sleepMs))
    })

    yield* round.pipe(
      Effect.catchTag("JournalUnavailable", () => Effect.sleep(pauseMs)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
