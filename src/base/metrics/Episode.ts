/**
 * Logs a trouble while it lasts: its beginning, each new reason and every minute at
 * warning, its end at info. So the newest lines of a log always say why.
 */
import * as Effect from "effect/Effect"
import type { MachineTime } from "../time/Times.ts"
import type { LogEvent } from "./LogEvent.ts"
import * as LogEvents from "./LogEvent.ts"

/** Pause between two lines with the same reasons, ms. */
const repeatMs = 60_000
/** Most reasons that are known in one episode: a reason with changing numbers must not fill the memory. */
const mostReasons = 32

interface EpisodeOptions {
  readonly began: LogEvent
  readonly ended: LogEvent
  /** The line for a reason, as a sentence without its reason's full stop. */
  readonly trouble: (reason: string) => string
  readonly over: (ms: number) => string
}

export interface Episode {
  /** Call at each failure. Reasons of one `kind` count as the same. */
  readonly failed: (reason: string, kind?: string) => Effect.Effect<void>
  /** Call at each success; cheap while there is no trouble. */
  readonly succeeded: Effect.Effect<void>
  readonly isOn: () => boolean
}

const msSince = (clock: MachineTime, nanos: bigint): number => Number((clock.nanos() - nanos) / 1_000_000n)

export const make = (clock: MachineTime, { began, ended, over, trouble }: EpisodeOptions): Episode => {
  let sinceNanos: bigint | undefined
  let loggedNanos = 0n
  const reasons = new Set<string>()
  return {
    failed: (reason, kind = reason) =>
      Effect.suspend(() => {
        sinceNanos ??= clock.nanos()
        const isNew = !reasons.has(kind) && reasons.size < mostReasons
        if (!isNew && msSince(clock, loggedNanos) < repeatMs) return Effect.void
        reasons.add(kind)
        loggedNanos = clock.nanos()
        const facts = { reason, outage_ms: msSince(clock, sinceNanos) }
        return LogEvents.of(began, facts)(Effect.logWarning(trouble(reason)))
      }),
    succeeded: Effect.suspend(() => {
      if (sinceNanos === undefined) return Effect.void
      const ms = msSince(clock, sinceNanos)
      sinceNanos = undefined
      reasons.clear()
      return LogEvents.of(ended, { outage_ms: ms })(Effect.logInfo(over(ms)))
    }),
    isOn: () => sinceNanos !== undefined
  }
}
