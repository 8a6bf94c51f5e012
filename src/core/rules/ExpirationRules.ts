/**
 * The rules of a file's `point_expiration` (contract/programmes.md *Checks of a file*).
 */
import type { PointExpiration } from "../../contract/ProgramFile.ts"
import { dayMs } from "./Calendar.ts"

/** The fewest days that so many months have, whatever the day they are counted from. */
const fewestDays = (months: number): number => {
  const lengths = Array.from({ length: 48 }, (_, first) => Date.UTC(2001, first + months) - Date.UTC(2001, first))
  return Math.min(...lengths) / dayMs
}

/** Calls `say` for every fault, with the place in the file (JSON Pointer) and the reason. */
export const checkExpiration = (
  { at, days, months, type, warning_days }: PointExpiration,
  say: (path: string, message: string) => void
): void => {
  const path = "/point_expiration"
  if ((days === undefined) === (months === undefined)) say(path, "must have either days or months")
  if (at !== undefined && type !== "after_earned") say(`${path}/at`, "is allowed only with type after_earned")
  const life = days ?? (months === undefined ? Infinity : fewestDays(months))
  warning_days.forEach((warning, index) => {
    const place = `${path}/warning_days/${index}`
    if (warning_days.indexOf(warning) < index) say(place, "must be unique")
    if (warning >= life) {
      say(place, `must be at least 1 and less than ${months === undefined ? "days" : `${life}, the days of months`}`)
    }
  })
}
