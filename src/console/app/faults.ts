/** The service's messages about refused values, in the catalogue's words. `labels.ts` makes them known. Pure. */
import { faultStrings } from "./faultStrings.ts"

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\{}]/g, "\\$&")

/** How many characters of a message are the same in every case: the more, the better it fits. */
const sameChars = (key: string): number => key.replaceAll(/\{\d\}/g, "").length

const patterns = Object.keys(faultStrings)
  .toSorted((one, other) => sameChars(other) - sameChars(one))
  .map((key) => ({
    key,
    // Places are numbered in the order of the service's message.
    pattern: new RegExp(
      `^${key
        .split(/\{\d\}/)
        .map(escaped)
        .join("(.+?)")}$`
    )
  }))

/** The key of a message in the catalogue; undefined: it is not there. */
export const faultKey = (message: string): string | undefined =>
  Object.hasOwn(faultStrings, message) ? message : patterns.find(({ pattern }) => pattern.test(message))?.key

/** A message in the catalogue's words, or else as it is. */
export const faultText = (message: string): string => {
  const key = faultKey(message)
  const told = key === undefined ? undefined : faultStrings[key]
  if (told === undefined) return message
  const values = patterns.find((one) => one.key === key)?.pattern.exec(message) ?? []
  return told.replaceAll(/\{(\d)\}/g, (_, place: string) => values[Number(place)] ?? "")
}
