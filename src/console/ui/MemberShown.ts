/** A member as its page shows it, for the page and for the dialogs that name another member. */
import { useQuery } from "@tanstack/react-query"
import type { MemberShown as Shown } from "../../contract/admin/Members.ts"
import { OneMember } from "../../contract/admin/Members.ts"
import { call, client, Failure } from "../app/client.ts"
import { number } from "../app/format.ts"
import { memberStrings } from "../app/memberStrings.ts"
import { sentenceOf } from "./States.tsx"

const admin = client(OneMember)

export type MemberShown = typeof Shown.Type

/** `isWanted`: false does not ask. */
export const useMember = (program_id: string, member_id: string, isWanted = true) =>
  useQuery({
    queryKey: ["member", program_id, member_id],
    enabled: isWanted,
    retry: false,
    queryFn: () => call(admin.member.showMember({ params: { program_id, member_id } }))
  })

/** Text of a field for another guest's id where its text is nobody's. */
export const noSuch = (error: unknown): string | undefined => {
  if (error === null) return undefined
  // A name or an address is no id: to who types it that makes no difference.
  const isNobody = error instanceof Failure && (error.code === "not_found" || error.code === "validation_failed")
  return isNobody ? memberStrings.noSuch : sentenceOf(error)
}

/** The id, with the name if there is one. */
export const nameIn = (member_id: string, shown: MemberShown | undefined): string =>
  shown?.profile?.display_name === undefined ? member_id : `${shown.profile.display_name}, ${member_id}`

export const balancesText = ({ balances }: MemberShown, unitName: (unit: string) => string): string =>
  balances.map(({ amount, unit }) => `${number(amount)} ${unitName(unit)}`).join(", ")
