/** Why something is left, and what to do, by the code of the list (contract/moving.md *Run*, *Reconcile*). */

interface Reason {
  readonly reason: string
  readonly remedy: string
}

const refused: Reason = {
  reason: "The guest was not moved.",
  remedy: "Mend the fault that is listed for the row, or waive it, and run again."
}

const reasons: ReadonlyMap<string, Reason> = new Map([
  ["conflict", { reason: "Somebody changed the same guest meanwhile.", remedy: "Run again." }],
  ["not_moved", { reason: "The guest was not moved.", remedy: "Run these files." }],
  ["not_whole", { reason: "Something of the guest was not moved yet.", remedy: "Run these files." }],
  [
    "difference",
    {
      reason: "The lot was moved with another amount.",
      remedy: "Run with --correct. What was spent or is held here stays as it is."
    }
  ],
  [
    "orders_before",
    {
      reason: "Orders here brought points before the move.",
      remedy: "Take these orders back here, or waive orders_before where the files do not have their points."
    }
  ],
  [
    "moved_before",
    {
      reason: "An earlier move brought the guest; these files do not have it.",
      remedy: "Compare the files with the other system, or waive moved_before where the guest has left it."
    }
  ]
])

/** A lot that is not corrected downwards: a row of the guest's lots was left out, so that nobody knows what is gone. */
export const besideLeftOut: Reason = {
  reason: "The lot was moved with another amount, and a row of lots was left out.",
  remedy: "Mend the row that was left out, then run with --correct: until then no points are taken."
}

export const reasonOf = (code: string): Reason => reasons.get(code) ?? refused
