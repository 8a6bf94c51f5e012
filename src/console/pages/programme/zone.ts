import type { Draft } from "../../app/draft.ts"

const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The zone of a definition's local times. */
export const zoneOf = (draft: Draft): string => {
  const zone = draft["time_zone"] ?? partOf(partOf(draft["tier_policy"], "period"), "time_zone")
  return typeof zone === "string" && zone !== "" ? zone : "UTC"
}
