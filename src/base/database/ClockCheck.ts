/**
 * Whether the service's time is trusted (contract/databases.md *Clock of the service*): only while the
 * machine's clock agrees with PostgreSQL's, and neither has left the newest
 * heartbeat or commit further behind than an installation is usually off.
 *
 * Between two comparisons PostgreSQL's time goes on by the monotonic clock. So a
 * jump of the machine's clock is found at once, by the check itself. A sandbox has
 * no check: its time is its own.
 */
import { Effect } from "effect"
import type { MachineTime } from "../time/Times.ts"

/** Longest time without a heartbeat and a commit that needs no confirmation, ms: 31 days. */
export const longestSilenceMs = 31 * 86_400_000

/** A database's words about time, and when it was asked. */
export interface Reading {
  /** The machine's time at the sending of the question, ms. */
  readonly sentMs: number
  /** Monotonic time at the sending of the question and at its answer. */
  readonly sentNanos: bigint
  readonly receivedNanos: bigint
  /** PostgreSQL's time, ms. */
  readonly databaseMs: number
  /** PostgreSQL's time at the newest stored heartbeat or commit, ms; null: there is none. */
  readonly newestMs: number | null
}

export interface ClockFault {
  /** `differs`: from PostgreSQL's clock. `silent`: both are far ahead of the newest heartbeat and commit. */
  readonly kind: "differs" | "silent"
  readonly machine: string
  readonly database: string
  /** Both times and the remedy, for people. */
  readonly detail: string
}

/** A time that may be outside of what `Date` can show. */
const textOf = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString()
}

/** A duration in its largest unit, rounded. */
const durationText = (ms: number): string => {
  const seconds = Math.abs(ms) / 1000
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} minutes`
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} hours`
  return `${Math.round(seconds / 86_400)} days`
}

export class ClockCheck {
  private readonly clock: MachineTime
  private readonly toleranceMs: number
  /** PostgreSQL's time less the monotonic time, ms; undefined before the first comparison. */
  private offsetMs: number | undefined
  private newestMs: number | null = null

  constructor(clock: MachineTime, toleranceMs: number) {
    this.clock = clock
    this.toleranceMs = toleranceMs
  }

  /** Takes PostgreSQL's time. The time between question and answer counts as no difference. */
  compare({ databaseMs, newestMs, receivedNanos, sentMs, sentNanos }: Reading): void {
    const earliest = sentMs
    const latest = sentMs + msOf(receivedNanos - sentNanos)
    const ahead = databaseMs < earliest ? earliest - databaseMs : databaseMs > latest ? latest - databaseMs : 0
    this.offsetMs = sentMs - ahead - msOf(sentNanos)
    this.newestMs = newestMs
  }

  /** How far the machine's clock is ahead of PostgreSQL's, ms; negative: behind. */
  get aheadMs(): number {
    return this.aheadAt(this.clock.now())
  }

  /** False while nothing that falls due may be posted. Cheap enough for every request. */
  get agrees(): boolean {
    const nowMs = this.clock.now()
    return Math.abs(this.aheadAt(nowMs)) <= this.toleranceMs && this.silentMs(nowMs) <= longestSilenceMs
  }

  /** Undefined if the time is trusted. */
  get fault(): ClockFault | undefined {
    if (this.agrees) return undefined
    const nowMs = this.clock.now()
    const aheadMs = this.aheadAt(nowMs)
    const machine = textOf(nowMs)
    const database = textOf(Math.round(nowMs - aheadMs))
    if (Math.abs(aheadMs) > this.toleranceMs) {
      const way = aheadMs > 0 ? "ahead of" : "behind"
      const detail =
        `This machine's clock says ${machine}, PostgreSQL's says ${database}: it is ${durationText(aheadMs)} ${way} PostgreSQL's, ` +
        `and at most ${durationText(this.toleranceMs)} are allowed. Set the clock that is wrong; the service then goes on by itself.`
      return { kind: "differs", machine, database, detail }
    }
    const silentMs = this.silentMs(nowMs)
    const detail =
      `The clocks of this machine and of PostgreSQL say ${machine} and ${database}, ${durationText(silentMs)} after the newest heartbeat ` +
      `and commit (${textOf(nowMs - silentMs)}). If they are right because Lotbook was off for so long, run lotbook clock confirm; if they are wrong, set them. The service then goes on by itself.`
    return { kind: "silent", machine, database, detail }
  }

  private aheadAt(nowMs: number): number {
    return this.offsetMs === undefined ? 0 : nowMs - this.offsetMs - msOf(this.clock.nanos())
  }

  /** Time since the newest heartbeat or commit, ms. */
  private silentMs(nowMs: number): number {
    return this.newestMs === null ? 0 : nowMs - this.newestMs
  }
}

const msOf = (nanos: bigint): number => Number(nanos) / 1_000_000

/** Asks with `question`, which runs one statement, and compares. */
export const ask = <E, R>(
  check: ClockCheck,
  clock: MachineTime,
  question: Effect.Effect<Pick<Reading, "databaseMs" | "newestMs">, E, R>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    const sentMs = clock.now()
    const sentNanos = clock.nanos()
    return Effect.map(question, (answer) =>
      check.compare({ ...answer, sentMs, sentNanos, receivedNanos: clock.nanos() })
    )
  })
