/** True of a search by so few digits that it finds no telephone and no card (contract/members.md *Searching*). */
export const isFewDigits = (search: string): boolean => /^\d{1,3}$/.test(search.trim())
