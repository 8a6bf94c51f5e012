/**
 * Wakes accounts when something of theirs is due; never writes itself.
 *
 * Sleeps until the earliest due time of any account, resident or not. A commit
 * that makes an earlier one shortens the sleep. An account that cannot post is
 * skipped for a while, so that it holds up nobody else.
 */
import { Cause, Clock, Context, Effect, Latch, Layer } from "effect"
import type { Outcome } from "../account/Outcome.ts"
import { Accounts } from "../account/Accounts.ts"
import { fromMillis } from "../contract/Values.ts"
import type { AccountNumber, DueAccount } from "../journal/Journal.ts"
import { Journal, type JournalUnavailable } from "../journal/Journal.ts"

/** Accounts woken at once from one look into the journal. */
const batchAccounts = 512
/** Accounts that post at the same time: four groups. */
const concurrency = 256
/** Longest timer that Node sets, ms: about 24.8 days; after it the round is made again. */
const longestTimerMs = 2 ** 31 - 1
/** Pause after trouble, while writes are frozen, and between two looks for late writes, ms. */
const pauseMs = 1_000
/** Pause before accounts that turned the work away for now are woken again, ms. */
const busyMs = 50
/** How long a write of a service that died here may still arrive, ms: above the longest statement. */
const lateMs = 10_000
/** How long an account that cannot post is skipped: doubled each time, ms. */
const firstSkipMs = 1_000
const longestSkipMs = 3_600_000
/** Accounts that are skipped at the most: their numbers go with every look into the journal. */
const mostSkipped = 10_000
/** Later than anything is due. */
const endOfTime = Number.MAX_SAFE_INTEGER

/** `done`: everything due is posted, save on accounts that are skipped. */
export type Posting = "done" | "frozen" | "unavailable"

/** What waking one account came to. */
type Woken = "posted" | "nothing" | "frozen" | "unavailable" | "overloaded" | { readonly broken: unknown }

const wokenOf = (outcome: Outcome): Woken => {
  switch (outcome._tag) {
    case "Answered":
      return outcome.record.events.length > 0 ? "posted" : "nothing"
    case "Frozen":
      return "frozen"
    case "Unavailable":
      return "unavailable"
    case "Overloaded":
      return "overloaded"
    case "Refusal":
    case "Held":
      return { broken: outcome }
  }
}

interface Skip {
  readonly lengthMs: number
  /** By the monotonic clock, ms: a sandbox's time stands still. */
  readonly until: number
}

/** The accounts that could not post, and for how long they are not woken. */
class Skipped {
  private readonly skips = new Map<AccountNumber, Skip>()

  get isFull(): boolean {
    return this.skips.size >= mostSkipped
  }

  now(at: number): ReadonlyArray<AccountNumber> {
    return [...this.skips].flatMap(([account, { until }]) => (until > at ? [account] : []))
  }

  /** When the next one is woken again, Infinity without any. */
  earliest(at: number): number {
    let earliest = Infinity
    for (const { until } of this.skips.values()) if (until > at && until < earliest) earliest = until
    return earliest
  }

  /** Skips an account for longer than last time; returns for how long, ms. */
  add(account: AccountNumber, at: number): number {
    const last = this.skips.get(account)
    const lengthMs = last === undefined ? firstSkipMs : Math.min(longestSkipMs, last.lengthMs * 2)
    this.skips.set(account, { lengthMs, until: at + lengthMs })
    return lengthMs
  }

  delete(account: AccountNumber): void {
    this.skips.delete(account)
  }
}

export class Expiry extends Context.Service<
  Expiry,
  {
    /** Posts everything due by now, earliest first. What it cannot post now is posted later, unasked. */
    readonly postDue: Effect.Effect<Posting, JournalUnavailable>
  }
>()("lotbook/expiry/Expiry") {
  static readonly layer: Layer.Layer<Expiry, never, Accounts | Journal> = Layer.effect(
    Expiry,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const journal = yield* Journal
      const clock = yield* Clock.Clock
      const sooner = Latch.makeUnsafe(false)
      const skipped = new Skipped()
      const monotonic = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      let sleepsUntil = Infinity
      // A service that ran before may have died during a commit; this one gets no outcome of it.
      const lateUntil = clock.currentTimeMillisUnsafe() + lateMs
      accounts.onDue((at) => {
        if (at >= sleepsUntil) return
        sleepsUntil = at
        sooner.openUnsafe()
      })

      const wake = ({ account }: DueAccount): Effect.Effect<Woken> =>
        Effect.catchCause(Effect.map(accounts.wake(account), wokenOf), (cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed<Woken>({ broken: cause })
        )

      const skip = ({ account, at }: DueAccount, reason: unknown) =>
        Effect.suspend(() => {
          const lengthMs = skipped.add(account, monotonic())
          const what = `Account ${account} cannot post what was due at ${fromMillis(at)}; it is skipped for ${lengthMs} ms`
          return Effect.logError(what, reason)
        })

      const due = (until: number, limit: number) =>
        Effect.suspend(() => journal.due(until, limit, skipped.now(monotonic())))

      /** Once for each account: listed again for the same instant, its row is wrong. */
      const postBatch = Effect.fnUntraced(function* (
        batch: ReadonlyArray<DueAccount>,
        nothingAt: Map<AccountNumber, number>
      ) {
        const results = yield* Effect.forEach(batch, wake, { concurrency })
        for (const [index, result] of results.entries()) {
          const one = batch[index]!
          if (result === "posted") skipped.delete(one.account)
          else if (result === "nothing") {
            // Another write posted it, or so it seems once.
            if (nothingAt.get(one.account) === one.at) yield* skip(one, "The account itself has nothing due.")
            else nothingAt.set(one.account, one.at)
          } else if (typeof result === "object") yield* skip(one, result.broken)
        }
        return results
      })

      const postAll: Expiry["Service"]["postDue"] = Effect.gen(function* () {
        const nothingAt = new Map<AccountNumber, number>()
        for (;;) {
          if (skipped.isFull) return "unavailable"
          const batch = yield* due(clock.currentTimeMillisUnsafe(), batchAccounts)
          if (batch.length === 0) return "done"
          const results = yield* postBatch(batch, nothingAt)
          if (results.includes("frozen")) return "frozen"
          if (results.includes("unavailable")) return "unavailable"
          if (results.includes("overloaded")) yield* Effect.sleep(busyMs)
        }
      })

      const round = Effect.gen(function* () {
        sooner.closeUnsafe()
        sleepsUntil = Infinity
        if ((yield* postAll) !== "done") return yield* Effect.sleep(pauseMs)
        const [next] = yield* due(endOfTime, 1)
        const now = clock.currentTimeMillisUnsafe()
        sleepsUntil = Math.min(sleepsUntil, next?.at ?? Infinity, now < lateUntil ? now + pauseMs : Infinity)
        const at = monotonic()
        const sleepMs = Math.min(sleepsUntil - now, skipped.earliest(at) - at)
        if (sleepMs === Infinity) return yield* sooner.await
        yield* Effect.raceFirst(sooner.await, Effect.sleep(Math.min(longestTimerMs, Math.max(1, sleepMs))))
      })

      yield* round.pipe(
        Effect.catchTag("JournalUnavailable", () => Effect.sleep(pauseMs)),
        Effect.forever,
        Effect.forkScoped
      )

      // The loop may sleep for long: it must learn that something is left to do.
      const lookAgain = Effect.sync(() => sooner.openUnsafe())
      return Expiry.of({
        postDue: Effect.onExit(postAll, (exit) =>
          exit._tag === "Success" && exit.value === "done" ? Effect.void : lookAgain
        )
      })
    })
  )
}
