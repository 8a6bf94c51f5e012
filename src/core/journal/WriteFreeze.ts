/**
 * The write freeze (contract/databases.md *Write freeze*): this process's own switch, set at
 * the start and never stored, and the stored one, which all services share.
 */
import { Context, Effect, Layer } from "effect"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import type { AuditEntry } from "./Audit.ts"
import { Journal } from "./Journal.ts"
import type { JournalUnavailable } from "./Records.ts"

/** How often the stored switch is read, ms: another node may have moved it. */
const readMs = 250
/** Time within which every node follows the stored switch, ms: one that reads nothing for so long is not confirmed either. */
export const followedMs = 2_000

export class WriteFreeze extends Context.Service<
  WriteFreeze,
  {
    readonly isFrozen: () => boolean
    /**
     * False while writes are frozen, and while the clock is not trusted
     * (contract/databases.md *Clock of the service*). Ask after reading the time.
     */
    readonly mayWrite: () => boolean
    /**
     * Stores the switch, and ends the start's own freeze with `false`. With `true` it answers
     * once every earlier write is committed or refused, and every node refuses new ones.
     */
    readonly set: (frozen: boolean, audit?: AuditEntry) => Effect.Effect<void, JournalUnavailable>
  }
>()("lotbook/core/journal/WriteFreeze") {
  /** `startFrozen` holds for this process alone, until `set(false)`. `hasOthers`: false if this is the only node. */
  static layer(
    startFrozen: boolean,
    isTimeBelieved: () => boolean = () => true,
    hasOthers: () => boolean = () => false
  ): Layer.Layer<WriteFreeze, JournalUnavailable, Journal> {
    return Layer.effect(
      WriteFreeze,
      Effect.gen(function* () {
        const journal = yield* Journal
        let own = startFrozen
        let stored = yield* journal.isFrozen
        let moves = 0
        let moving = 0
        let logged = false
        /** Logs a change of what `isFrozen` says, once. */
        const logChange = Effect.suspend(() => {
          const frozen = own || stored
          if (frozen === logged) return Effect.void
          logged = frozen
          return frozen
            ? LogEvent.of("freeze", { own })(
                Effect.logWarning(own ? "Writes are frozen by this service's settings" : "Writes are frozen")
              )
            : LogEvent.of("unfreeze")(Effect.logInfo("Writes are no longer frozen"))
        })
        yield* logChange
        const read = Effect.gen(function* () {
          const seen = moves
          const found = yield* journal.isFrozen
          // A read that began before a move, or during one, tells nothing of what came after it.
          if (seen !== moves || moving > 0) return
          stored = found
          yield* logChange
        })
        yield* Effect.sleep(readMs).pipe(
          Effect.andThen(read),
          Effect.catchTag("JournalUnavailable", () => Effect.void),
          Effect.forever,
          Effect.forkScoped
        )
        const set = Effect.fnUntraced(function* (next: boolean, audit?: AuditEntry) {
          moves++
          if (next) stored = true
          yield* logChange
          moving++
          yield* Effect.ensuring(
            journal.setFrozen(next, audit),
            Effect.sync(() => void moving--)
          )
          moves++
          stored = next
          if (!next) own = false
          yield* logChange
          if (next && hasOthers()) yield* Effect.sleep(followedMs)
        })
        const isFrozen = () => own || stored
        return WriteFreeze.of({ isFrozen, mayWrite: () => !isFrozen() && isTimeBelieved(), set })
      })
    )
  }
}
