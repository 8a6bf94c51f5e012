/** The adjustment id of a member's opening balance (contract/engagement.md *Opening balances*). */
import { maxIdLength } from "../../contract/Values.ts"

/** Has the account's number instead of the member's id if that is too long. */
export const openingId = (account: number, member: string): string => {
  const id = `opening:${member}`
  return id.length <= maxIdLength ? id : `opening::${account.toString(36)}`
}
