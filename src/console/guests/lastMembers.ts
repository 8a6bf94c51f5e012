/** The filters of the list of members, for the way back from a guest. */
import type { MembersSearch } from "./membersSearch.ts"

let last: MembersSearch = {}

export const keepMembersSearch = (search: MembersSearch): void => {
  last = search
}

export const lastMembersSearch = (): MembersSearch => last
