import type { Draft } from "./draft.ts"

const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/** The zone of a definition's local times; UTC while what is typed is none. */
export const zoneOf = (draft: Draft): string => {
  const zone = draft["time_zone"] ?? partOf(partOf(draft["tier_policy"], "period"), "time_zone")
  return typeof zone === "string" && isZone(zone) ? zone : "UTC"
}
