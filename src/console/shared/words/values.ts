/** Texts for values of any shape, and the differences of two values. Pure. */
import "./labels.ts"
import { money, number, percent, time } from "../format.ts"
import { strings } from "../strings.ts"
import { choiceOf, labelOf } from "./words.ts"

const text = strings.values

const isMoney = (value: object): value is { readonly amount: number; readonly currency: string } =>
  "amount" in value && "currency" in value && typeof value.amount === "number" && typeof value.currency === "string"

const isTimestamp = (value: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value)

/** Fields whose values are chosen from a few, which have labels. */
const chosen: ReadonlySet<string> = new Set([
  "at",
  "channel",
  "channels",
  "dated_by",
  "eligible_channels",
  "every",
  "languages",
  "line_kinds",
  "mode",
  "party_type",
  "retention",
  "role",
  "rounding",
  "source",
  "stacking",
  "target",
  "tender_types",
  "type",
  "unit"
])

/** Fields that refer to something with a name. */
type Reference = "reward_id" | "tier_id"

/** The name behind an id; undefined: there is none. */
export type NameOf = (field: Reference, id: string) => string | undefined

const nameless: NameOf = () => undefined

const isReference = (name: string): name is Reference => name === "reward_id" || name === "tier_id"

const textIn = (said: string, zone: string, name: string, nameOf: NameOf): string => {
  if (said === "") return text.nothing
  if (isTimestamp(said)) return time(said, zone)
  if (isReference(name)) return nameOf(name, said) ?? said
  return chosen.has(name) ? choiceOf(said) : said
}

/** A part's label: of a reference that is told by its name the thing's own, not that of its id. */
const partLabel = (name: string, value: unknown, nameOf: NameOf): string =>
  isReference(name) && typeof value === "string" && nameOf(name, value) !== undefined
    ? labelOf(name.replace(/_id$/, ""))
    : labelOf(name.replace(/_bps$/, ""))

/** A text for a value. Nested parts have their names, times are in `zone`. */
export const valueText = (value: unknown, zone: string, name = "", nameOf: NameOf = nameless): string => {
  if (value === undefined || value === null) return text.absent
  if (typeof value === "boolean") return value ? text.yes : text.no
  if (typeof value === "number") return name.endsWith("_bps") ? percent(value) : number(value)
  if (Array.isArray(value))
    return value.length === 0 ? text.nothing : value.map((one) => valueText(one, zone, name, nameOf)).join(", ")
  if (typeof value !== "object") return textIn(String(value), zone, name, nameOf)
  if (isMoney(value)) return money(value)
  const entries = Object.entries(value)
  return entries.length === 0
    ? text.nothing
    : entries
        .map(([part, inner]) => `${partLabel(part, inner, nameOf)}: ${valueText(inner, zone, part, nameOf)}`)
        .join(", ")
}

/** A difference between two values. */
export interface Difference {
  /** Names from the outside in. Empty: the whole value. */
  readonly path: ReadonlyArray<string>
  readonly before: unknown
  readonly after: unknown
}

/** The id of an item of a list, such as its `promotion_id`; undefined: it has none. */
const idOf = (item: unknown): string | undefined => {
  if (!isRecord(item)) return undefined
  const [, id] = Object.entries(item).find(([name]) => name.endsWith("_id")) ?? []
  return typeof id === "string" ? id : undefined
}

/** The items of a list by id; undefined: not all of them have one. */
const itemsOf = (list: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (list === undefined || list === null) return new Map()
  if (!Array.isArray(list)) return undefined
  const items = new Map(list.flatMap((item) => idOf(item) ?? []).map((id, at) => [id, list[at] as unknown]))
  return items.size === list.length ? items : undefined
}

/** The differences of two lists of named items, item by item; undefined: they are no such lists, or in another order alone. */
export const itemDifferences = (before: unknown, after: unknown): ReadonlyArray<Difference> | undefined => {
  const [was, is] = [itemsOf(before), itemsOf(after)]
  if (was === undefined || is === undefined) return undefined
  const nameOf = (id: string): string => {
    const item = is.get(id) ?? was.get(id)
    return isRecord(item) && typeof item["name"] === "string" && item["name"] !== "" ? item["name"] : id
  }
  const found = [...new Set([...was.keys(), ...is.keys()])].flatMap((id): ReadonlyArray<Difference> => {
    const [one, other] = [was.get(id), is.get(id)]
    // A value that is new or gone is one line.
    if (one === undefined || other === undefined) return [{ path: [nameOf(id)], before: one, after: other }]
    return differences(one, other).map(({ path, ...change }) => ({ path: [nameOf(id), ...path], ...change }))
  })
  return found.length === 0 ? undefined : found
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isMoney(value)

/** The differences of two values, part by part. Lists are compared as a whole. */
export const differences = (before: unknown, after: unknown): ReadonlyArray<Difference> => {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const [was, is] = [before ?? {}, after ?? {}]
  if (!isRecord(was) || !isRecord(is)) return [{ path: [], before, after }]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return names.flatMap((name) =>
    differences(was[name], is[name]).map(({ path, ...change }) => ({ path: [name, ...path], ...change }))
  )
}
