/** The filters of the request log in the address bar. */
export interface RequestsSearch {
  readonly status?: string
  readonly code?: string
  readonly caller?: string
  readonly request_id?: string
  /** With the console's own requests, which are many. */
  readonly console?: "shown"
}

const names = ["status", "code", "caller", "request_id"] as const

/** Keeps the known filters that are not empty. Ids of digits alone come from the address bar as numbers. */
export const requestsSearch = (given: Readonly<Record<string, unknown>> | RequestsSearch): RequestsSearch =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (name === "console") return value === "shown" ? [[name, value]] : []
      const isKnown = names.some((one) => one === name) && (typeof value === "string" || typeof value === "number")
      return isKnown && String(value) !== "" ? [[name, String(value)]] : []
    })
  )
