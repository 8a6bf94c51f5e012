/**
 * The write freeze: a switch in memory in front of the one in the database
 * (decisions.md §4 Freeze).
 */
import { Context, Effect, Layer } from "effect"
import type { JournalUnavailable } from "../journal/Journal.ts"
import { Journal } from "../journal/Journal.ts"

/** How often the stored switch is looked at, ms: another node may have moved it. */
const lookMs = 2_000

export class WriteFreeze extends Context.Service<
  WriteFreeze,
  {
    readonly isFrozen: () => boolean
    /** Moves the switch; frozen, it answers once every earlier write has ended, on every node. */
    readonly set: (frozen: boolean) => Effect.Effect<void, JournalUnavailable>
  }
>()("lotbook/http/WriteFreeze") {
  /** `startFrozen` wins over the stored switch, and is stored. */
  static layer(startFrozen: boolean): Layer.Layer<WriteFreeze, JournalUnavailable, Journal> {
    return Layer.effect(
      WriteFreeze,
      Effect.gen(function* () {
        const journal = yield* Journal
        if (startFrozen) yield* journal.setFrozen(true)
        let frozen = startFrozen || (yield* journal.isFrozen)
        let moves = 0
        const look = Effect.gen(function* () {
          const seen = moves
          const stored = yield* journal.isFrozen
          if (seen === moves) frozen = stored
        })
        yield* Effect.sleep(lookMs).pipe(
          Effect.andThen(look),
          Effect.catchTag("JournalUnavailable", () => Effect.void),
          Effect.forever,
          Effect.forkScoped
        )
        const set = (next: boolean) =>
          Effect.gen(function* () {
            moves++
            if (next) frozen = true
            yield* journal.setFrozen(next)
            moves++
            frozen = next
          })
        return WriteFreeze.of({ isFrozen: () => frozen, set })
      })
    )
  }
}
