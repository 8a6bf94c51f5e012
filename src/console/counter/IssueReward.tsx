/** A dialog that issues a reward to a guest. */
import { Alert, NativeSelect } from "@mantine/core"
import { useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import { call, client } from "../app/client.ts"
import { useServiceNow } from "../app/clock.ts"
import { memberStrings } from "../app/memberStrings.ts"
import { useProgram } from "../app/program.tsx"
import { useRefresh } from "../app/refresh.ts"
import { strings } from "../app/strings.ts"
import { ChangeDialog } from "../ui/ChangeDialog.tsx"
import type { MemberShown } from "../ui/MemberShown.ts"
import { OwnLimits } from "../ui/OwnLimits.tsx"
import { Reason } from "../ui/Reason.tsx"

const admin = client(OneMember)

const text = memberStrings

const rewardLimits = ["rewards_per_day"] as const

export const IssueReward = ({ member }: Pick<MemberShown, "member">) => {
  const params = { program_id: member.program_id, member_id: member.member_id }
  const refresh = useRefresh()
  const program = useProgram()
  const now = useServiceNow()
  const rewards = (program.data?.program.rewards ?? []).filter(
    ({ available_until: until }) => until === undefined || Date.parse(until) >= now
  )
  const [chosen, setChosen] = useState<string>()
  const [reason, setReason] = useState("")
  const reward = rewards.find(({ reward_id }) => reward_id === chosen) ?? rewards[0]
  return (
    <ChangeDialog
      label={text.issue}
      done={refresh}
      begin={() => setReason("")}
      isReady={reward !== undefined && reason !== ""}
      run={(keyOf) => {
        const reward_id = reward?.reward_id ?? ""
        const issued_reward_id = keyOf({ reward_id })
        return call(admin.member.issueMemberReward({ params, payload: { issued_reward_id, reward_id, reason } }))
      }}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={params.program_id} names={rewardLimits} />
          <NativeSelect
            label={text.reward}
            value={reward?.reward_id ?? ""}
            data={rewards.map(({ name, reward_id }) => ({ value: reward_id, label: name }))}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
          <Alert title={strings.member.preview}>{text.issuePreview(reward?.name ?? "")}</Alert>
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}
