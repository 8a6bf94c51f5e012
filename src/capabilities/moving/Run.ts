/** Carries out a move in whose plan has no fault that was not waived (contract/moving.md *Run*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault, MoveIn } from "../../contract/admin/MoveIn.ts"
import type { Pass, Send, Sent } from "./Batches.ts"
import { sendAll } from "./Batches.ts"

/** The results of a run. */
export interface Ran {
  readonly outcomes: Readonly<Partial<Record<GuestMoved["outcome"], number>>>
  /** Lots that were posted. */
  readonly posted: number
  readonly differences: number
}

/** A guest that was refused, or a lot that was moved with another amount. */
export interface Left {
  readonly file: string
  readonly row: number
  readonly code: string
  readonly unit: string
  readonly moved: string
  readonly listed: string
}

const leftOf = ({ joined: { place } }: Sent, { code, differences, outcome }: GuestMoved): ReadonlyArray<Left> => [
  ...(outcome === "refused" ? [{ ...place, code: code ?? "refused", unit: "", moved: "", listed: "" }] : []),
  ...differences.map(({ listed, moved, unit }) => ({
    ...place,
    ...{ code: "difference", unit, moved: String(moved), listed: String(listed) }
  }))
]

export interface RunContext<E, R> {
  readonly send: Send<E, R>
  readonly asked: Pick<MoveIn, "correct" | "greet"> & { readonly waive: ReadonlyArray<HereFault> }
  readonly left: (one: Left) => void
  /** Called after each batch with the number of guests so far, and their results. */
  readonly progress: (guests: number, soFar: Ran) => Effect.Effect<void>
}

/** Moves all guests of a plan. */
export const run = <E, R>(pass: Pass, { asked, left, progress, send }: RunContext<E, R>) =>
  Effect.gen(function* () {
    const outcomes: Partial<Record<GuestMoved["outcome"], number>> = {}
    let [guests, posted, differences] = [0, 0, 0]
    yield* sendAll(pass, send, asked, (batch, told) =>
      Effect.suspend(() => {
        for (const [place, sent] of batch.entries()) {
          const one = told[place]!
          outcomes[one.outcome] = (outcomes[one.outcome] ?? 0) + 1
          posted += one.posted
          differences += one.differences.length
          for (const what of leftOf(sent, one)) left(what)
        }
        guests += batch.length
        return progress(guests, { outcomes: { ...outcomes }, posted, differences })
      })
    )
    return { outcomes, posted, differences } satisfies Ran
  })
