import type { MemberStatus } from "../../contract/Values.ts"

export const statuses: ReadonlyArray<MemberStatus> = ["active", "suspended", "closed"]

/** The filters of the list of members in the address bar. */
export interface MembersSearch {
  readonly search?: string
  readonly status?: MemberStatus
  readonly tier?: string
  readonly from?: string
  readonly until?: string
}

export const membersSearch = (given: Record<string, unknown>): MembersSearch => {
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const { from, search, status, tier, until } = Object.fromEntries(texts)
  const known = statuses.find((one) => one === status)
  return {
    ...(search === undefined || search === "" ? {} : { search }),
    ...(known === undefined ? {} : { status: known }),
    ...(tier === undefined || tier === "" ? {} : { tier }),
    ...(from === undefined || from === "" ? {} : { from }),
    ...(until === undefined || until === "" ? {} : { until })
  }
}
