/**
 * Wakes accounts when they have due work; writes nothing itself.
 *
 * Sleeps until the earliest due time of any account, resident or not. A commit
 * with an earlier due time shortens the sleep. An account that cannot post is
 * skipped for a while, so that it does not block the others.
 */
import { Cause, Context, Effect, Latch, Layer, Metric } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import { machineTime, type ServiceTime, serviceTime } from "../../base/time/Times.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../account/Accounts.ts"
import type { Outcome } from "../account/Outcome.ts"
import { Partitions, type PartitionsOfNode } from "../cluster/Partitions.ts"
import { Journal } from "../journal/Journal.ts"
import type { AccountNumber, DueAccount, JournalUnavailable } from "../journal/Records.ts"
import { Programs } from "../programs/Programs.ts"

/** Accounts that one query of the journal returns. */
const batchAccounts = 512
/** Accounts that post concurrently: four groups. */
const concurrency = 256
/** Accounts whose due time is computed again at once: few, because requests wait for the thread meanwhile. */
const outdatedAccounts = 32
/** Longest timer of Node, ms: about 24.8 days; then the next round begins. */
const longestTimerMs = 2 ** 31 - 1
/** Pause after a failure, while writes are frozen, and between two checks for late writes, ms. */
const pauseMs = 1_000
/** Pause before overloaded accounts are woken again, ms. */
const busyMs = 50
/** Longest delay of a write by a former service, ms: above the longest statement. */
const lateMs = 10_000
/** First skip of an account that cannot post, ms; doubled each time up to the longest. */
const firstSkipMs = 1_000
const longestSkipMs = 3_600_000
/** Most skipped accounts: every query of the journal has their numbers. */
const mostSkipped = 10_000
/** Later than every due time. */
const endOfTime = Number.MAX_SAFE_INTEGER

const lag = Metric.gauge("lotbook_expiry_lag_seconds", {
  description: "Age of the oldest due work of accounts that is not posted yet, without skipped accounts"
})

const postings = Metric.counter("lotbook_expiry_postings_total", {
  description: "Accounts whose due work was posted: expirations, ended holds and evaluations, new tier periods",
  incremental: true
})

/** `done`: everything due is posted, except on skipped accounts. */
export type Posting = "done" | "frozen" | "unavailable"

/** The result of waking one account. */
type Woken = "posted" | "nothing" | "frozen" | "unavailable" | "overloaded" | { readonly broken: unknown }

const wokenOf = (outcome: Outcome): Woken => {
  switch (outcome._tag) {
    case "Answered":
      return outcome.record.events.length > 0 ? "posted" : "nothing"
    case "Frozen":
      return "frozen"
    case "Unavailable":
    case "Unreachable":
      return "unavailable"
    case "Overloaded":
      return "overloaded"
    case "Archived":
    case "Refusal":
      return { broken: outcome }
  }
}

interface Skip {
  readonly lengthMs: number
  /** Monotonic time, ms: a sandbox's clock stands still. */
  readonly until: number
}

/** Accounts that could not post, and how long they are skipped. */
class Skipped {
  private readonly skips = new Map<AccountNumber, Skip>()

  get isFull(): boolean {
    return this.skips.size >= mostSkipped
  }

  get size(): number {
    return this.skips.size
  }

  now(at: number): ReadonlyArray<AccountNumber> {
    return [...this.skips].flatMap(([account, { until }]) => (until > at ? [account] : []))
  }

  /** Time when the next account is woken again; Infinity if none is skipped. */
  earliest(at: number): number {
    let earliest = Infinity
    for (const { until } of this.skips.values()) if (until > at && until < earliest) earliest = until
    return earliest
  }

  /** Skips an account for longer than last time; returns the duration, ms. */
  add(account: AccountNumber, at: number): number {
    const last = this.skips.get(account)
    const lengthMs = last === undefined ? firstSkipMs : Math.min(longestSkipMs, last.lengthMs * 2)
    this.skips.set(account, { lengthMs, until: at + lengthMs })
    return lengthMs
  }

  delete(account: AccountNumber): void {
    this.skips.delete(account)
  }

  /** Call when nothing is due but on accounts skipped now: all others have nothing due any more. */
  keepNow(at: number): void {
    for (const [account, { until }] of this.skips) if (until <= at) this.skips.delete(account)
  }
}

export class Expiry extends Context.Service<
  Expiry,
  {
    /** Posts everything due by now, earliest first. What cannot be posted now is posted later by itself. */
    readonly postDue: Effect.Effect<Posting, JournalUnavailable>
  }
>()("lotbook/core/expiry/Expiry") {
  static readonly layer: Layer.Layer<Expiry, never, Accounts | Journal | Programs> = Layer.effect(
    Expiry,
    Effect.suspend(() => make)
  )
}

interface Parts {
  readonly accounts: Accounts["Service"]
  readonly journal: Journal["Service"]
  readonly partitions: PartitionsOfNode
  readonly programs: Programs["Service"]
  readonly service: ServiceTime
  /** Monotonic time, ms. */
  readonly monotonic: () => number
  readonly skipped: Skipped
  /** Ends the sleep. */
  readonly sooner: Latch.Latch
  sleepsUntil: number
  /** A former service may have died during a commit. Its write can still arrive until then, unnoticed by this service. */
  readonly lateUntil: number
}

const make = Effect.gen(function* () {
  const [{ nanos }, service] = [yield* machineTime, yield* serviceTime]
  const parts: Parts = {
    accounts: yield* Accounts,
    journal: yield* Journal,
    partitions: yield* Partitions,
    programs: yield* Programs,
    service,
    monotonic: () => Number(nanos() / 1_000_000n),
    skipped: new Skipped(),
    sooner: Latch.makeUnsafe(false),
    sleepsUntil: Infinity,
    lateUntil: service.now() + lateMs
  }
  yield* Series.begin(lag)
  yield* Series.begin(postings)
  yield* Series.gauge(
    "lotbook_expiry_skipped_accounts",
    { description: "Accounts that cannot post what is due, and are tried again later" },
    () => parts.skipped.size
  )
  // Work that its former owner has not posted is due at once.
  yield* parts.partitions.onClaimed(() => hasten(parts, 0))
  parts.accounts.onDue((at) => hasten(parts, at))
  yield* round(parts).pipe(
    Effect.catchTag("JournalUnavailable", () => Effect.sleep(pauseMs)),
    Effect.forever,
    Effect.forkScoped
  )
  // A new version of a programme changes when its accounts are due.
  yield* parts.programs.onChange(() => hasten(parts, 0))
  // The loop may sleep for long: wake it, because work remains.
  const wakeLoop = Effect.sync(() => parts.sooner.openUnsafe())
  return Expiry.of({
    postDue: Effect.onExit(postAll(parts), (exit) =>
      exit._tag === "Success" && exit.value === "done" ? Effect.void : wakeLoop
    )
  })
})

/** Something is due at a time: shortens the sleep. */
const hasten = (parts: Parts, at: number): void => {
  if (at >= parts.sleepsUntil) return
  parts.sleepsUntil = at
  parts.sooner.openUnsafe()
}

const wake = ({ accounts }: Parts, { account }: DueAccount): Effect.Effect<Woken> =>
  Effect.catchCause(Effect.map(accounts.wake(account), wokenOf), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed<Woken>({ broken: cause })
  )

const skip = ({ monotonic, skipped }: Parts, { account, at }: DueAccount, reason: unknown) =>
  Effect.suspend(() => {
    const lengthMs = skipped.add(account, monotonic())
    const what = `Account ${account} cannot post what was due at ${fromMillis(at)}; it is skipped for ${lengthMs} ms`
    return Effect.logError(what, reason)
  })

const due = ({ journal, monotonic, partitions, skipped }: Parts, until: number, limit: number) =>
  Effect.suspend(() => journal.due(until, limit, skipped.now(monotonic()), partitions.owned()))

/** Each account at most once per instant: if it is listed again for the same instant, its row is wrong. */
const postBatch = Effect.fnUntraced(function* (
  parts: Parts,
  batch: ReadonlyArray<DueAccount>,
  nothingAt: Map<AccountNumber, number>
) {
  const { skipped } = parts
  const results = yield* Effect.forEach(batch, (one) => wake(parts, one), { concurrency })
  for (const [index, result] of results.entries()) {
    const one = batch[index]!
    if (result === "posted") {
      skipped.delete(one.account)
      yield* Metric.update(postings, 1)
    } else if (result === "nothing") {
      // Once, this can be another write that posted it meanwhile.
      if (nothingAt.get(one.account) === one.at) yield* skip(parts, one, "The account itself has nothing due.")
      else nothingAt.set(one.account, one.at)
    } else if (typeof result === "object") yield* skip(parts, one, result.broken)
  }
  return results
})

/**
 * Wakes accounts whose due time an earlier version of their programme computed: they post what is due by this one, or
 * store when something will be.
 */
const computeAgain = Effect.fnUntraced(function* (parts: Parts) {
  const { journal, monotonic, partitions, programs, service, skipped } = parts
  const inForce = programs.all().map(({ id, version }) => ({ id, version }))
  const found = yield* journal.outdated(inForce, outdatedAccounts, skipped.now(monotonic()), partitions.owned())
  const batch = found.map((account) => ({ account, at: service.now() }))
  const results = yield* Effect.forEach(batch, (one) => wake(parts, one), { concurrency: outdatedAccounts })
  for (const [index, result] of results.entries())
    if (typeof result === "object") yield* skip(parts, batch[index]!, result.broken)
  yield* Effect.yieldNow
  return results
})

const postAll = Effect.fnUntraced(function* (parts: Parts): Effect.fn.Return<Posting, JournalUnavailable> {
  const { monotonic, service, skipped } = parts
  const nothingAt = new Map<AccountNumber, number>()
  for (;;) {
    if (skipped.isFull) return "unavailable"
    const now = service.now()
    const at = monotonic()
    const batch = yield* due(parts, now, batchAccounts)
    yield* Metric.update(lag, Math.max(0, now - (batch[0]?.at ?? now)) / 1000)
    const results = batch.length === 0 ? yield* computeAgain(parts) : yield* postBatch(parts, batch, nothingAt)
    if (results.length === 0) {
      skipped.keepNow(at)
      return "done"
    }
    if (results.includes("frozen")) return "frozen"
    if (results.includes("unavailable")) return "unavailable"
    if (results.includes("overloaded")) yield* Effect.sleep(busyMs)
  }
})

/** Posts everything due, and sleeps until more is. */
const round = Effect.fnUntraced(function* (parts: Parts) {
  const { lateUntil, monotonic, service, skipped, sooner } = parts
  sooner.closeUnsafe()
  parts.sleepsUntil = Infinity
  if ((yield* postAll(parts)) !== "done") return yield* Effect.sleep(pauseMs)
  const [next] = yield* due(parts, endOfTime, 1)
  const now = service.now()
  parts.sleepsUntil = Math.min(parts.sleepsUntil, next?.at ?? Infinity, now < lateUntil ? now + pauseMs : Infinity)
  const at = monotonic()
  const sleepMs = Math.min(parts.sleepsUntil - now, skipped.earliest(at) - at)
  if (sleepMs === Infinity) return yield* sooner.await
  yield* Effect.raceFirst(sooner.await, Effect.sleep(Math.min(longestTimerMs, Math.max(1, sleepMs))))
})
