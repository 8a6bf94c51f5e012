/** Closes a membership for good, after a look at what ends with it and whether the person's limits allow that. */
import { Alert } from "@mantine/core"
import { OneMember, StatusChange } from "../../contract/admin/Members.ts"
import { useOwnAccount } from "../shared/account.ts"
import { client } from "../shared/client.ts"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useLeftToday } from "../shared/ownLimits.ts"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import type { MemberShown } from "./MemberShown.ts"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OneMember)

const text = memberStrings

const limits = ["points_per_action", "points_per_day", "rewards_per_day"] as const

/** True if more ends with the membership than the person may take (contract/operators.md *Limits*). */
const useIsBeyond = ({ balances, issued_rewards, member }: MemberShown): boolean => {
  const atOnce = useOwnAccount().data?.limits?.points_per_action ?? Number.POSITIVE_INFINITY
  const ofDay = useLeftToday(member.program_id, "points_per_day") ?? Number.POSITIVE_INFINITY
  const rewards = useLeftToday(member.program_id, "rewards_per_day") ?? Number.POSITIVE_INFINITY
  const points = balances.reduce((sum, { amount }) => sum + Math.max(0, amount), 0)
  return points > Math.min(atOnce, ofDay) || issued_rewards.length > rewards
}

export const Close = ({ shown }: { readonly shown: MemberShown }) => {
  const { member_id, program_id } = shown.member
  const names = useNames()
  const isBeyond = useIsBeyond(shown)
  const lost = [
    ...shown.balances.filter(({ amount }) => amount > 0).map(({ amount, unit }) => names.amount(amount, unit)),
    ...shown.issued_rewards.map(({ reward_id }) => names.reward(reward_id))
  ]
  const guest = shown.profile?.display_name ?? member_id
  return (
    <ReasonDialog
      label={text.close}
      isDangerous
      preview={text.closePreview(guest, lost.join(", "))}
      done={useRefresh()}
      schema={StatusChange}
      start={{ status: "closed" }}
      isReady={() => !isBeyond}
      send={(payload) => admin.member.setMemberStatus({ params: { program_id, member_id }, payload })}
    >
      <OwnLimits program={program_id} names={limits} />
      {isBeyond ? <Alert color="yellow">{text.closeBeyond}</Alert> : undefined}
    </ReasonDialog>
  )
}
