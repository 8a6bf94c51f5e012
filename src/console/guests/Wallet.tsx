/** The rewards in a guest's wallet, which can be cancelled. */
import { Button, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { MemberRewards } from "../../contract/admin/MemberRewards.ts"
import type { MemberShown } from "../../contract/admin/Members.ts"
import { OneMember, RewardCancellation } from "../../contract/admin/Members.ts"
import { call, client } from "../shared/client.ts"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Failed } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { guestStrings } from "./guestStrings.ts"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OneMember)
const rewards = client(MemberRewards)

const text = memberStrings

/** Ids that the service gives to the rewards that campaigns issue. */
const ofCampaign = /^cmp_[0-9a-f]{32}$/

type Reward = (typeof MemberShown.Type)["issued_rewards"][number]

const Cancel = ({ reward }: { readonly reward: Reward }) => {
  const names = useNames()
  const { issued_reward_id, member_id, program_id, reward_id } = reward
  const name = names.reward(reward_id)
  return (
    <ReasonDialog
      label={guestStrings.cancel}
      name={guestStrings.cancelOf(name)}
      isDangerous
      preview={guestStrings.cancelPreview(name)}
      done={useRefresh()}
      schema={RewardCancellation}
      send={(payload) =>
        admin.member.cancelMemberReward({ params: { program_id, member_id, issued_reward_id }, payload })
      }
    >
      <OwnLimits program={program_id} names={["rewards_per_day"]} />
    </ReasonDialog>
  )
}

/** The code of a reward, once somebody asks for it: who has it can redeem it. */
const Code = ({ reward }: { readonly reward: Reward }) => {
  const { issued_reward_id, member_id, program_id } = reward
  const look = useMutation({
    mutationFn: () =>
      call(rewards.member_rewards.showMemberReward({ params: { program_id, member_id, issued_reward_id } }))
  })
  if (look.error !== null) return <Failed error={look.error} />
  if (look.data === undefined)
    return (
      <Button size="compact-xs" variant="default" loading={look.isPending} onClick={() => look.mutate()}>
        {text.showCode}
      </Button>
    )
  return (
    <Note size="xs" style={{ overflowWrap: "anywhere" }}>
      {text.code} <bdi>{look.data.issued_reward.artifact.value}</bdi>
    </Note>
  )
}

export const Wallet = ({ shown: { issued_rewards, member } }: { readonly shown: typeof MemberShown.Type }) => {
  const zone = useZone()
  const names = useNames()
  const may = useMay()
  const mayCancel = may("cancelMemberReward") && member.status === "active"
  return (
    <Panel title={text.wallet}>
      {issued_rewards.length === 0 ? (
        <Text c="dimmed">{text.noWallet}</Text>
      ) : (
        <Listing
          label={text.wallet}
          minWidth={300}
          rows={issued_rewards}
          keyOf={({ issued_reward_id }) => issued_reward_id}
          columns={[
            {
              label: text.reward,
              by: ({ reward_id }) => names.reward(reward_id),
              cell: (reward) => (
                <>
                  {names.reward(reward.reward_id)}
                  {may("showMemberReward") ? <Code reward={reward} /> : undefined}
                  {ofCampaign.test(reward.issued_reward_id) ? <Note size="xs">{text.byCampaign}</Note> : undefined}
                </>
              )
            },
            {
              label: text.given,
              by: ({ issued_at }) => issued_at,
              cell: ({ issued_at }) => timeShort(issued_at, zone)
            },
            {
              label: text.expires,
              by: ({ expires_at }) => expires_at,
              cell: ({ expires_at }) => (expires_at === undefined ? text.never : timeShort(expires_at, zone))
            },
            ...(mayCancel ? [{ label: "", cell: (reward: Reward) => <Cancel reward={reward} /> }] : [])
          ]}
        />
      )}
    </Panel>
  )
}
