/** The audit's filters in the address bar. Days are `YYYY-MM-DD`. */
export interface AuditSearch {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly from?: string
  readonly until?: string
}

const names = ["actor", "action", "subject", "from", "until"] as const

/** Keeps the known filters that are not empty. */
export const auditSearch = (given: Readonly<Record<string, unknown>> | AuditSearch): AuditSearch =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => names.some((one) => one === name) && typeof value === "string" && value !== ""
    )
  )
