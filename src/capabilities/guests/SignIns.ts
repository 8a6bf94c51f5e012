/** Counts how guests sign in, for metrics: by the way and the outcome, and by nothing of a guest. */
import { Effect, Metric } from "effect"
import * as Series from "../../base/metrics/Series.ts"

const ways = ["email", "phone", "link", "unknown"] as const
/** `unknown`: a code of no request. */
type Way = (typeof ways)[number]

/** `asked`: for a code, whether or not one was sent. `refused`: a wrong, used or late code or link. */
const outcomes = ["asked", "signed_in", "joined", "refused"] as const
type Outcome = (typeof outcomes)[number]

const total = (way: Way, outcome: Outcome) =>
  Metric.counter("lotbook_guest_sign_ins_total", {
    description: "Sign-ins of guests to their page, by way and outcome",
    attributes: { way, outcome },
    incremental: true
  })

/** Outcomes that a way can have. */
const isPossible = (way: Way, outcome: Outcome): boolean => {
  if (way === "unknown") return outcome === "refused"
  return way !== "link" || outcome === "signed_in" || outcome === "refused"
}

export const begin = Effect.forEach(
  ways.flatMap((way) => outcomes.filter((outcome) => isPossible(way, outcome)).map((outcome) => total(way, outcome))),
  Series.begin,
  { discard: true }
)

export const count = (way: Way, outcome: Outcome) => Metric.update(total(way, outcome), 1)
