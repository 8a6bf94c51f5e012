/** The redemptions of a check: which are the same, which can be carried out, and why not (contract/tills.md *Toast*). */
import type { Order } from "../../../contract/protocol/Order.ts"
import type { State } from "../../../core/account/domain/State.ts"
import type { Program } from "../../../core/rules/Program.ts"
import type { CheckFacts } from "../connections/CheckFacts.ts"
import { idOf } from "./Checks.ts"
import * as Offers from "./Offers.ts"
import type { Redemption } from "./Wire.ts"

/** A redemption is an offer at a place of the check. */
export const keyOf = ({ appliedDiscountGuid, identifier, multiItemDiscountGuid, selectionGuid }: Redemption): string =>
  JSON.stringify([identifier, multiItemDiscountGuid ?? appliedDiscountGuid ?? selectionGuid ?? ""])

/** Its id for the service. Each time that the same place gets the same offer again is another one. */
export const redemptionId = (check: string, key: string, times: number): string =>
  idOf(check, key, String(times)).replaceAll(/[^\w.:-]/g, "_")

interface Sorting {
  readonly choices: ReadonlyArray<Offers.Choice>
  readonly order: Order | undefined
  readonly redemptions: ReadonlyArray<Redemption>
  readonly at: number
}

export interface Applied {
  readonly key: string
  readonly redemption: Redemption
  /** Undefined: it is captured already. */
  readonly choice: Offers.Choice | undefined
}

export interface Sorted {
  readonly applied: ReadonlyArray<Applied>
  readonly rejected: ReadonlyArray<{ readonly redemption: Redemption; readonly message: string }>
  /** Points and rewards that the applied ones take, beside those that are captured. */
  readonly taken: Offers.Taken
}

/** Sorts the redemptions of a list: in its order, each with what those before it take. One that is there twice counts once. */
export const sorted = (
  state: State,
  program: Program,
  { redeemed = {} }: CheckFacts,
  { at, choices, order, redemptions }: Sorting
): Sorted => {
  const seen = new Set<string>()
  const applied: Array<Applied> = []
  const rejected: Array<{ readonly redemption: Redemption; readonly message: string }> = []
  let taken = Offers.nothingTaken
  for (const redemption of redemptions) {
    const key = keyOf(redemption)
    if (seen.has(key)) continue
    seen.add(key)
    if (redeemed[key]?.reservation !== undefined) {
      applied.push({ key, redemption, choice: undefined })
      continue
    }
    const choice = choices.find(({ identifier }) => identifier === redemption.identifier)
    const message =
      redemption.quantity !== undefined && Number(redemption.quantity) > 1
        ? "It can be used once at a time."
        : choice === undefined
          ? "This reward is not there any more."
          : Offers.whyNot(state, program, choice, order, at, taken)
    if (message !== undefined || choice === undefined) {
      rejected.push({ redemption, message: message ?? "" })
      continue
    }
    applied.push({ key, redemption, choice })
    taken = Offers.andTaken(program, choice, taken)
  }
  return { applied, rejected, taken }
}
