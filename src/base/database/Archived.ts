/** Statements that need records of a span that lies in a file (contract/databases.md *Archive*). */
import { Refused } from "../../contract/Refused.ts"
import { detailOf, said } from "../../contract/Said.ts"

/** SQLSTATE of `refuse_archived` (migrations/0063_archived_spans.sql). Its detail is the month. */
const code = "LB001"

/** The month, YYYY-MM, whose records an error of PostgreSQL says are archived; undefined: it says something else. */
export const monthOf = (error: unknown): string | undefined => {
  for (let cause = error; typeof cause === "object" && cause !== null; ) {
    const { code: state, detail } = cause as { readonly code?: unknown; readonly detail?: unknown }
    if (state === code && typeof detail === "string") return detail
    const { cause: inner, reason } = cause as { readonly cause?: unknown; readonly reason?: unknown }
    cause = reason ?? inner
  }
  return undefined
}

export const refused = (month: string): Refused =>
  new Refused({
    code: "archived",
    month,
    ...detailOf(
      said`This needs records of ${month}, which are archived. An operator restores them with lotbook journal restore ${month}.`
    )
  })
