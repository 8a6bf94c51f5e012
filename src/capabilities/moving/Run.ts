/** Carries out a move in whose plan has no fault that was not waived (contract/moving.md *Run*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault, MoveIn } from "../../contract/admin/MoveIn.ts"
import type { Pass, Send } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { Sent } from "./Checks.ts"
import { besideLeftOut, reasonOf } from "./LeftReasons.ts"
import type { MoveFile } from "./Rows.ts"

/** The results of a run. */
export interface Ran {
  readonly outcomes: Readonly<Partial<Record<GuestMoved["outcome"], number>>>
  /** Lots that were posted. */
  readonly posted: number
  readonly differences: number
}

/** A guest that was refused or is missing, a lot that was moved with another amount, or orders from before. Without a file: row 0. */
export interface Left {
  readonly file: string
  readonly row: number
  readonly code: string
  readonly unit: string
  readonly moved: string
  readonly listed: string
  readonly earned: string
  readonly spent: string
  /** The member, where the files do not have the guest. */
  readonly member: string
  readonly reason: string
  readonly remedy: string
}

/** A line of the list, without points. */
export const leftAt = (place: Sent["place"], code: string, why = reasonOf(code)): Left => ({
  ...why,
  ...{ ...place, code, unit: "", moved: "", listed: "", earned: "", spent: "", member: "" }
})

/** The differences of a guest, each at the row of its lot; a lot that the files lack is at that of the guest. */
export const differencesOf = (
  { guest, lots, place }: Sent,
  { differences }: GuestMoved,
  files: ReadonlyArray<MoveFile>
): ReadonlyArray<Left> =>
  differences.map(({ listed, lot, moved, unit }) => {
    const at = lot === undefined ? undefined : lots[lot]
    const found = at === undefined ? place : { file: files[at.file]?.name ?? place.file, row: at.row }
    return {
      ...leftAt(found, "difference", guest.lots_left_out === true ? besideLeftOut : undefined),
      unit,
      moved: String(moved),
      listed: String(listed)
    }
  })

const leftOf = (sent: Sent, told: GuestMoved, files: ReadonlyArray<MoveFile>): ReadonlyArray<Left> => [
  ...(told.outcome === "refused" ? [leftAt(sent.place, told.code ?? "refused")] : []),
  ...differencesOf(sent, told, files)
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
          for (const what of leftOf(sent, one, pass.divided.files)) left(what)
        }
        guests += batch.length
        return progress(guests, { outcomes: { ...outcomes }, posted, differences })
      })
    )
    return { outcomes, posted, differences } satisfies Ran
  })
