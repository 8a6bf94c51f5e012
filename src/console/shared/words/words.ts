/** Turns names of the contract into words. Pure. Small, because the sign-in page loads it too. */
import { strings } from "../strings.ts"
import type { Told } from "./catalogue.ts"

let labels: Readonly<Record<string, string>> = {}

/** Takes the labels of names. Until then names are told as they are. */
export const knowLabels = (known: Readonly<Record<string, string>>): void => {
  labels = known
}

/** A property's name as words, of the catalogue or as it is: `minimum_eligible_spend` is “Minimum eligible spend”. */
export const labelOf = (name: string): string => {
  if (Object.hasOwn(labels, name)) return labels[name] ?? name
  const words = name.replace(/_bps$/, "").replaceAll("_", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${name.endsWith("_bps") ? ", %" : ""}`
}

/** A value that a field is chosen from, in words; a value without a label as it is. */
export const choiceOf = (value: string): string => (Object.hasOwn(labels, value) ? (labels[value] ?? value) : value)

/** An item's name; of an account without one the words for its unit; undefined: it has neither. */
export const itemName = (item: unknown): string | undefined => {
  if (typeof item !== "object" || item === null) return undefined
  const { name, unit, unit_label } = item as Readonly<Record<string, unknown>>
  const found = [name, unit_label].find((one) => typeof one === "string" && one !== "")
  if (found !== undefined) return String(found)
  return typeof unit === "string" && unit !== "" ? labelOf(unit) : undefined
}

/** A label as it is within a sentence: “points”. */
export const labelWithin = (name: string): string => strings.values.inSentence(labelOf(name))

/** A description of the contract with the names in backticks as words. */
export const inWords = (description: string): string =>
  description.replaceAll(/`([^`]*)`/g, (_, name: string) =>
    strings.values.quoted(name.split(".").map(labelOf).join(" › "))
  )

let toldFault = ({ message }: Told, _isShare: boolean): string => message

/** Takes what tells the service's messages in the catalogue's words. Until then they are told as they are. */
export const knowFaults = (told: (fault: Told, isShare: boolean) => string): void => {
  toldFault = told
}

/** The service's message about a value, in the catalogue's words. */
export const faultInWords = (fault: Told): string => toldFault(fault, false)

/** Per cent need not be whole where the basis points must. */
const asShare = ({ message, template }: Told): Told =>
  template?.text === "must be a whole number from {1} to {2}"
    ? { message, template: { ...template, text: "must be {1} to {2}" } }
    : { message, template }

/**
 * The same with the names of properties in words: `needs add_per_item` is “needs “Add per item””. `isShare`: the value is
 * in basis points, which forms show as per cent.
 */
export const messageInWords = (fault: Told, isShare = false): string =>
  inWords(toldFault(isShare ? asShare(fault) : fault, isShare)).replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    strings.values.quoted(labelOf(name))
  )

/** A JSON Pointer as words: `/rewards/0/cost` with a reward's name is “Rewards › Free coffee › Cost”. */
export const pathInWords = (pointer: string, root: unknown): string => {
  let at: unknown = root
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => {
      const inner: unknown = typeof at === "object" && at !== null ? Reflect.get(at, part) : undefined
      const isItem = Array.isArray(at)
      at = inner
      if (!isItem) return labelOf(part)
      // An item that has no name yet is known by its place.
      return itemName(inner) ?? (typeof inner === "string" && inner !== "" ? inner : String(Number(part) + 1))
    })
    .join(" › ")
}

/** Makes a JSON Pointer. */
export const pointerTo = (...path: ReadonlyArray<string>): string =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
