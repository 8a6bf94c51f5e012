/** A payload that is being typed, and what of it is sent. Its places are JSON Pointers. Pure. */

export type Draft = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): Draft =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Draft) : {}

const namesOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1)

/** The value at a place. */
export const valueAt = (value: unknown, path: string): unknown =>
  namesOf(path).reduce<unknown>((at, name) => (Array.isArray(at) ? at[Number(name)] : recordOf(at)[name]), value)

const within = (value: unknown, [name, ...inner]: ReadonlyArray<string>, next: unknown): unknown => {
  if (name === undefined) return next
  if (Array.isArray(value)) return value.with(Number(name), within(value[Number(name)], inner, next))
  const record = recordOf(value)
  const put = within(record[name], inner, next)
  const { [name]: _, ...others } = record
  return put === undefined ? others : { ...record, [name]: put }
}

/** The same with another value at a place. Undefined: without one. */
export const withAt = (draft: Draft, path: string, next: unknown): Draft => recordOf(within(draft, namesOf(path), next))

const filledPart = (value: unknown, before: unknown): unknown => {
  if (typeof value === "string") {
    const text = value === before ? value : value.trim()
    return text === "" ? undefined : text
  }
  if (typeof value !== "object" || value === null) return value
  const formerly: object = typeof before === "object" && before !== null ? before : {}
  const kept = Object.entries(value).flatMap(([name, part]) => {
    const filled = filledPart(part, Reflect.get(formerly, name))
    return filled === undefined ? [] : [[name, filled] as const]
  })
  if (kept.length === 0) return undefined
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept)
}

/** The part that is filled in: nothing empty, and no blanks around texts that are not as they were before. */
export const filledIn = (draft: Draft, before: object): Draft => recordOf(filledPart(draft, before))
