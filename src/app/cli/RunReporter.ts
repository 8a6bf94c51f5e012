/** Reports a run of a move in to its target, so that others see it (contract/moving.md *Runs*). */
import { Console, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { machineNow } from "../../base/time/Times.ts"
import * as Bounds from "../../capabilities/moving/Bounds.ts"
import type { Planned } from "../../capabilities/moving/Plan.ts"
import type { Ran } from "../../capabilities/moving/Run.ts"
import type { RunLog } from "../../capabilities/moving/RunReport.ts"
import type { MoveRunReport } from "../../contract/admin/MoveRuns.ts"
import type { MoveTarget } from "./MoveTarget.ts"

export interface Reporter {
  readonly begun: Effect.Effect<void>
  /** Faults that were not waived stand. */
  readonly refused: Effect.Effect<void>
  /** Tells how far it is, now and then. */
  readonly progress: (soFar: Ran) => Effect.Effect<void>
  readonly moved: (done: Ran) => Effect.Effect<void>
}

interface Parts<E> {
  readonly target: MoveTarget<E>
  readonly planned: Planned
  readonly log: RunLog
}

const nothing: Ran = { outcomes: {}, posted: 0, differences: 0 }

/** A run of its own. Guests move also where it cannot be told of. */
export const reporterOf = <E>({ log, planned, target }: Parts<E>) =>
  Effect.map(machineNow, (began): Reporter => {
    const id = `move-${randomUUID()}`
    let told = began
    const tell = (soFar: Ran, ended?: MoveRunReport["ended"]) =>
      Effect.catch(Effect.asVoid(target.report(id, log.report(planned, soFar, ended))), () =>
        Console.error("The run is not told of in the console: its report was refused.")
      )
    return {
      begun: tell(nothing),
      refused: tell(nothing, "refused"),
      progress: (soFar) =>
        Effect.flatMap(machineNow, (now) => {
          if (now - told < Bounds.reportMs) return Effect.void
          told = now
          return tell(soFar)
        }),
      moved: (done) => tell(done, "moved")
    }
  })
