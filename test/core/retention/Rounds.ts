/** Rounds of the deletion of what is old, as a test asks for them. */
import { Effect, Metric } from "effect"
import { type Kept, kept } from "../../../src/core/retention/Kept.ts"
import type { Rule } from "../../../src/core/retention/Retention.ts"
import * as Retention from "../../../src/core/retention/Retention.ts"

/** The time by default, ms. */
export const keptMs = (name: Kept): number => kept[name].days * 86_400_000

/** Deletes until nothing of a rule is old. */
export const round = Effect.fnUntraced(function* (...rules: ReadonlyArray<Rule>) {
  const { batch } = yield* Retention.make(rules)
  const results = []
  for (;;) {
    const result = yield* batch
    results.push(result)
    if (result !== "worked") return results
  }
})

/** The value of a series of what is kept. */
export const measured = (id: string, of: Kept) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find((one) => one.id === id && one.attributes?.["kept"] === of)
    if (found === undefined) throw new Error(`${id} of ${of} is not served`)
    return "count" in found.state
      ? Number(found.state.count)
      : "value" in found.state
        ? Number(found.state.value)
        : Number.NaN
  })
