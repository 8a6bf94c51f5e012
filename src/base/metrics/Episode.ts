/**
 * Logs a trouble while it lasts: its beginning, each new reason and every minute at
 * warning, its end at info. So the newest lines of a log always say why.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type MachineTime, machineTime } from "../time/Times.ts"
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

/** State of a trouble. `sinceNanos`: its beginning; undefined: there is none. */
interface Trouble {
  sinceNanos: bigint | undefined
  loggedNanos: bigint
  readonly reasons: Set<string>
}

const none = (): Trouble => ({ sinceNanos: undefined, loggedNanos: 0n, reasons: new Set() })

/** Troubles by their names. */
export type Troubles = Map<string, Trouble>

/**
 * Troubles that outlive the parts that meet them: parts that are built anew in a process tell the end of those that
 * the former ones have told. Undefined: each part has its own.
 */
export const Outliving = Context.Reference<Troubles | undefined>("lotbook/base/metrics/Outliving", {
  defaultValue: () => undefined
})

/** The trouble of a name, which may have begun in a former part. */
export const troubleOf = (name: string): Effect.Effect<Trouble> =>
  Effect.map(Outliving, (outliving) => {
    const trouble = outliving?.get(name) ?? none()
    outliving?.set(name, trouble)
    return trouble
  })

const msSince = (clock: MachineTime, nanos: bigint): number => Number((clock.nanos() - nanos) / 1_000_000n)

/** `state`: undefined begins without trouble. */
export const make = (
  clock: MachineTime,
  { began, ended, over, trouble }: EpisodeOptions,
  state: Trouble = none()
): Episode => ({
  failed: (reason, kind = reason) =>
    Effect.suspend(() => {
      const { reasons } = state
      state.sinceNanos ??= clock.nanos()
      const isNew = !reasons.has(kind) && reasons.size < mostReasons
      if (!isNew && msSince(clock, state.loggedNanos) < repeatMs) return Effect.void
      reasons.add(kind)
      state.loggedNanos = clock.nanos()
      const facts = { reason, outage_ms: msSince(clock, state.sinceNanos) }
      return LogEvents.of(began, facts)(Effect.logWarning(trouble(reason)))
    }),
  succeeded: Effect.suspend(() => {
    if (state.sinceNanos === undefined) return Effect.void
    const ms = msSince(clock, state.sinceNanos)
    state.sinceNanos = undefined
    state.reasons.clear()
    return LogEvents.of(ended, { outage_ms: ms })(Effect.logInfo(over(ms)))
  }),
  isOn: () => state.sinceNanos !== undefined
})

/** An episode whose trouble outlives the part, by the name of its beginning and, if there are several, its own. */
export const outliving = (options: EpisodeOptions, name = ""): Effect.Effect<Episode> =>
  Effect.gen(function* () {
    return make(yield* machineTime, options, yield* troubleOf(options.began + name))
  })
