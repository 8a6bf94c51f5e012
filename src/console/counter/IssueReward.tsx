/** A dialog that issues a reward to a guest. */
import { Alert, NativeSelect } from "@mantine/core"
import { useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import { askFor, isBeyondLimit, useMayAsk } from "../asks/asking.ts"
import { askStrings } from "../asks/askStrings.ts"
import type { MemberShown } from "../guests/MemberShown.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useLeftToday } from "../shared/ownLimits.ts"
import { useProgram } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"

const admin = client(OneMember)

const text = memberStrings

const rewardLimits = ["rewards_per_day"] as const

export const IssueReward = ({ member }: Pick<MemberShown, "member">) => {
  const params = { program_id: member.program_id, member_id: member.member_id }
  const refresh = useRefresh()
  const mayGive = useMay()("issueMemberReward")
  const mayAsk = useMayAsk()
  const [isBeyond, setBeyond] = useState(false)
  const isUsedUp = useLeftToday(member.program_id, "rewards_per_day") === 0
  const mustAsk = mayAsk && (!mayGive || isBeyond || isUsedUp)
  const program = useProgram()
  const now = useServiceNow()
  const rewards = (program.data?.program.rewards ?? []).filter(
    ({ available_until: until }) => until === undefined || Date.parse(until) >= now
  )
  const [chosen, setChosen] = useState<string>()
  const [reason, setReason] = useState("")
  const reward = rewards.find(({ reward_id }) => reward_id === chosen) ?? rewards[0]
  return (
    <ChangeDialog<unknown>
      label={text.issue}
      submit={mustAsk ? askStrings.ask : text.issue}
      {...(mustAsk ? { told: askStrings.asked } : {})}
      done={refresh}
      begin={() => {
        setReason("")
        setBeyond(false)
      }}
      isReady={reward !== undefined && reason !== "" && (mustAsk || !isUsedUp)}
      run={async (keyOf) => {
        const reward_id = reward?.reward_id ?? ""
        const issued_reward_id = keyOf({ reward_id })
        if (mustAsk) return askFor({ ...params, gift: { type: "reward", reward_id }, reason })
        try {
          return await call(
            admin.member.issueMemberReward({ params, payload: { issued_reward_id, reward_id, reason } })
          )
        } catch (error) {
          setBeyond(isBeyondLimit(error))
          throw error
        }
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
          {mustAsk ? (
            <Note>{askStrings.hint}</Note>
          ) : isUsedUp ? undefined : (
            <Alert title={strings.member.preview}>{text.issuePreview(reward?.name ?? "")}</Alert>
          )}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}
