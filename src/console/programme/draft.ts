/** An edited programme definition in the forms. Pure. */

export type Draft = Readonly<Record<string, unknown>>

type Part = Readonly<Record<string, unknown>>

const partOf = (value: unknown, name: string): Part => {
  const part: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof part === "object" && part !== null ? (part as Part) : {}
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The definition has the primary account's rate in two places. Copies a change of `earning.rate` to `account_earning`.
 */
export const followRate = (before: Draft, after: Draft): Draft => {
  const [was, is] = [before, after].map((draft) => partOf(partOf(draft, "earning"), "rate"))
  const earnings = after["account_earning"]
  if (isSame(was, is) || !Array.isArray(earnings)) return after
  const following = (earnings as ReadonlyArray<Part>).map((one) => {
    const isByRate = ["unit", "amount", "spend"].every((name) => isSame(one[name], was?.[name]))
    return isByRate ? { ...one, ...is } : one
  })
  return { ...after, account_earning: following }
}
