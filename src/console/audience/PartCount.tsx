/** The number of members that one condition matches alone, or the conditions of an inner group together. */
import { Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import type { Rules } from "../../contract/platform/Rules.ts"
import { estimateRestMs, useEstimate } from "./audience.ts"
import type { Item } from "./segmentRules.ts"
import { incomplete } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import { partOf } from "./segmentWire.ts"

const text = segmentStrings.rules

/** Most items of rules whose parts are counted. Each is a request, which would keep the estimate of many waiting. */
const mostItems = 21

/** True if the parts of rules with this number of items are counted. The estimate tells the count of an only condition. */
export const countsParts = (items: number): boolean => items > 2 && items <= mostItems

export const PartCount = ({ item }: { readonly item: Item }) => {
  // As text: equal rules must not begin another pause.
  const written = incomplete(item).length === 0 ? JSON.stringify(partOf(item)) : undefined
  const [settled] = useDebouncedValue(written, estimateRestMs)
  const rules = settled === undefined ? undefined : (JSON.parse(settled) as Rules)
  const { data, isFetching } = useEstimate(rules === undefined ? undefined : { rules }, 0, true)
  // A condition's faults tell what is wrong with it.
  if (written === undefined || data === undefined) return
  const isStale = isFetching || written !== settled
  return (
    <Text size="xs" mt={4} aria-busy={isStale} {...(isStale ? { c: "dimmed" } : {})}>
      {text[item.kind === "group" ? "together" : "alone"](data.estimated_size)}
    </Text>
  )
}
