/** The filters of the audit, as the address holds them; days are `YYYY-MM-DD`. */
export interface AuditSearch {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly from?: string
  readonly until?: string
}

const names = ["actor", "action", "subject", "from", "until"] as const

/** Takes what is a filter and not empty. */
export const auditSearch = (given: Readonly<Record<string, unknown>> | AuditSearch): AuditSearch =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => names.some((one) => one === name) && typeof value === "string" && value !== ""
    )
  )
