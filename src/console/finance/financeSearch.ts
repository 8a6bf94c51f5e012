/** The month and the rows of the page Finance, in the address bar. */
export const kinds = ["unit", "location", "franchisee"] as const
export type Kind = (typeof kinds)[number]

export interface FinanceSearch {
  /** `YYYY-MM`, or else the page says that there is no such month; absent: the one that is closed next, or the last one that is over. */
  readonly month?: string
  /** Absent: the whole programme. */
  readonly by?: Exclude<Kind, "unit">
  /** The restaurant or franchisee whose statement is shown; empty: the brand. */
  readonly of?: string
}

export const financeSearch = ({ by, month, of }: Record<string, unknown>): FinanceSearch => ({
  ...(typeof month === "string" || typeof month === "number" ? { month: String(month) } : {}),
  ...(by === "location" || by === "franchisee" ? { by } : {}),
  ...(typeof of === "string" || typeof of === "number" ? { of: String(of) } : {})
})
