/** A member as its page shows it. */
import { useQuery } from "@tanstack/react-query"
import type { MemberShown as Shown } from "../../contract/admin/Members.ts"
import { OneMember } from "../../contract/admin/Members.ts"
import { call, client } from "../shared/client.ts"

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

export const balancesText = ({ balances }: MemberShown, nameOf: (amount: number, unit: string) => string): string =>
  balances.map(({ amount, unit }) => nameOf(amount, unit)).join(", ")
