/** Tiers in words. */
import type { Tier } from "../../contract/protocol/Program.ts"
import { number } from "../shared/format.ts"
import type { ItemWords } from "./Cards.tsx"
import type { Draft } from "./draft.ts"
import { tierStrings as text } from "./tierStrings.ts"
import { metricNameOf } from "./tiers.ts"

/** `draft`: the definition, for the name of what is counted. */
export const tierInWords = (tier: Tier, draft: Draft): ItemWords => {
  const { benefits, earn_multiplier_bps: bps = 10_000, minimum, qualification_metric_id } = tier
  return {
    first: minimum === 0 ? text.lowest : text.from(number(minimum), metricNameOf(draft, qualification_metric_id)),
    lines: [
      bps === 10_000 ? text.plain : text.multiplied(number(bps / 10_000)),
      ...(benefits.length === 0 ? [] : [text.benefits(benefits.map((one) => one.name).join(", "))])
    ]
  }
}
