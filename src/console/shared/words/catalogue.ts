/** Finds the service's messages in a part of the catalogue, by templates with places for what differs. Pure. */

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\{}]/g, "\\$&")

/** How many characters of a message are the same in every case: the more, the better it fits. */
const sameChars = (key: string): number => key.replaceAll(/\{\d\}/g, "").length

export interface Catalogue {
  /** The key of a message; undefined: it is not there. */
  readonly keyOf: (message: string) => string | undefined
  /** A message in the catalogue's words, or else as it is. `valueOf`: words for what is in a place of the service's. */
  readonly tell: (message: string, valueOf: (value: string) => string) => string
}

/** `strings`: texts by the service's message, both with `{1}`, `{2}` for what differs. */
export const catalogueOf = (strings: Readonly<Record<string, string>>): Catalogue => {
  const patterns = Object.keys(strings)
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
  const find = (message: string) => patterns.find(({ pattern }) => pattern.test(message))
  return {
    keyOf: (message) => find(message)?.key,
    tell: (message, valueOf) => {
      const found = find(message)
      if (found === undefined) return message
      const values = found.pattern.exec(message) ?? []
      return (strings[found.key] ?? message).replaceAll(/\{(\d)\}/g, (_, place: string) =>
        valueOf(values[Number(place)] ?? "")
      )
    }
  }
}
