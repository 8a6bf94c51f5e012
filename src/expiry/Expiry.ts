/**
 * Wakes accounts when something of theirs is due; never writes itself.
 *
 * Sleeps until the earliest due time of any account, resident or not. A commit
 * that makes an earlier one shortens the sleep.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import type { Outcome } from "../account/Account.ts"
import { Accounts } from "../account/Accounts.ts"
import { Journal, type JournalUnavailable } from "../journal/Journal.ts"

/** Accounts woken at once from one look into the journal. */
const batchAccounts = 512
/** Accounts that post at the same time: two groups' worth. */
const concurrency = 256
/** Longest timer that Node sets, ms: about 24.8 days; after it the round is made again. */
const longestTimerMs = 2 ** 31 - 1
/** Pause after trouble, while writes are frozen, and between two looks for late writes, ms. */
const pauseMs = 1_000
/** How long a write of a service that died here may still arrive, ms: above the longest statement. */
const lateMs = 10_000

/** Whether what was due was posted, or had been by somebody else. */
const went = (outcome: Outcome): boolean => outcome._tag === "Answered"
const posted = (outcome: Outcome): boolean => outcome._tag === "Answered" && outcome.record.events.length > 0

export class Expiry extends Context.Service<
  Expiry,
  {
    /** Posts everything due by now, earliest first; whether all of it is posted. */
    readonly postDue: Effect.Effect<boolean, JournalUnavailable>
  }
>()("lotbook/expiry/Expiry") {
  static readonly layer: Layer.Layer<Expiry, never, Accounts | Journal> = Layer.effect(
    Expiry,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const journal = yield* Journal
      const clock = yield* Clock.Clock
      const sooner = Latch.makeUnsafe(false)
      let sleepsUntil = Infinity
      // A service that ran before may have died under a commit of which nobody here hears.
      const lateUntil = clock.currentTimeMillisUnsafe() + lateMs
      accounts.onDue((at) => {
        if (at >= sleepsUntil) return
        sleepsUntil = at
        sooner.openUnsafe()
      })

      const postDue: Expiry["Service"]["postDue"] = Effect.gen(function* () {
        for (;;) {
          const due = yield* journal.due(clock.currentTimeMillisUnsafe(), batchAccounts)
          if (due.length === 0) return true
          const outcomes = yield* Effect.forEach(due, ({ account }) => accounts.wake(account), { concurrency })
          // A table that calls accounts due which are not would keep this going for ever.
          if (!outcomes.every(went) || !outcomes.some(posted)) return false
        }
      })

      const round = Effect.gen(function* () {
        sooner.closeUnsafe()
        sleepsUntil = Infinity
        if (!(yield* postDue)) return yield* Effect.sleep(pauseMs)
        const next = yield* journal.nextDue
        const now = clock.currentTimeMillisUnsafe()
        sleepsUntil = Math.min(sleepsUntil, next ?? Infinity, now < lateUntil ? now + pauseMs : Infinity)
        if (sleepsUntil === Infinity) return yield* sooner.await
        const sleepMs = Math.min(longestTimerMs, Math.max(1, sleepsUntil - now))
        yield* Effect.raceFirst(sooner.await, Effect.sleep(sleepMs))
      })

      yield* round.pipe(
        Effect.catchTag("JournalUnavailable", () => Effect.sleep(pauseMs)),
        Effect.forever,
        Effect.forkScoped
      )
      return Expiry.of({ postDue })
    })
  )
}
