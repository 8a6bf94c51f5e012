/** The guest at the counter, in large type, with what a clerk may do for her. */
import { Alert, Button, Group, Paper, Stack, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import type { MemberShown } from "../guests/MemberShown.ts"
import { useMember } from "../guests/MemberShown.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { useServiceNow } from "../shared/clock.ts"
import { Facts } from "../shared/Facts.tsx"
import { date, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { useNames, useProgram, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { MemberStatus } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { counterStrings } from "./counterStrings.ts"
import { GivePoints } from "./GivePoints.tsx"
import { IssueReward } from "./IssueReward.tsx"
import { ReceiptMissing } from "./ReceiptMissing.tsx"
import { recognised } from "./recognised.ts"

const text = counterStrings

const giftLimits = ["points_per_action", "points_per_day", "rewards_per_day"] as const

const Points = ({ shown: { balances } }: { readonly shown: MemberShown }) => {
  const names = useNames()
  return balances.map(({ available, reserved, unit }) => (
    <div key={unit}>
      <Text className="number" fz={40} fw={700} lh={1.1}>
        {text.points(number(available), names.unit(unit))}
      </Text>
      {reserved === 0 ? undefined : <Note>{text.held(number(reserved))}</Note>}
    </div>
  ))
}

/** The names of the rewards that the guest's points are enough for. */
const useAffordable = ({ balances }: MemberShown): ReadonlyArray<string> => {
  const rewards = useProgram().data?.program.rewards ?? []
  const now = useServiceNow()
  return rewards.flatMap(({ available_until: until, cost, name }) => {
    if (until !== undefined && Date.parse(until) < now) return []
    const available = balances.find(({ unit }) => unit === cost.unit)?.available ?? 0
    return cost.amount > 0 && cost.amount <= available ? [name] : []
  })
}

const listed = (names: ReadonlyArray<string>): string => (names.length === 0 ? text.none : names.join(", "))

const useFacts = (shown: MemberShown): ReadonlyArray<readonly [string, ReactNode]> => {
  const names = useNames()
  const affordable = useAffordable(shown)
  const { issued_rewards, tier_progress: tier } = shown
  const own = tier === undefined ? undefined : names.tier(tier.current_tier_id)
  return [
    ...(own === undefined
      ? []
      : [
          [
            text.tier,
            tier?.next_tier_id === undefined
              ? own
              : text.toNext(own, number(tier.remaining_to_next ?? 0), names.tier(tier.next_tier_id))
          ] as const
        ]),
    [text.wallet, listed(issued_rewards.map(({ reward_id }) => names.reward(reward_id)))],
    [text.enoughFor, listed(affordable)],
    ...recognised(shown).map(([name, value]) => [name, <bdi key={name}>{value}</bdi>] as const)
  ]
}

const Actions = ({ shown }: { readonly shown: MemberShown }) => {
  const may = useMay()
  const { member } = shown
  if (member.status !== "active") return <Alert color="yellow">{text.notActive}</Alert>
  return (
    <Group gap="sm" className="counter">
      {may("adjustMember") ? <GivePoints shown={shown} label={text.give} isBrief /> : undefined}
      {may("issueMemberReward") ? <IssueReward member={member} /> : undefined}
      {may("addReceipt") ? <ReceiptMissing member={member} /> : undefined}
    </Group>
  )
}

const Card = ({ choose, shown }: { readonly shown: MemberShown; readonly choose: (guest: string) => void }) => {
  const { member_id, merged_into, program_id, status } = shown.member
  const name = shown.profile?.display_name ?? member_id
  const facts = useFacts(shown)
  const zone = useZone()
  return (
    <Paper withBorder p="lg" radius="md" component="section" aria-label={name}>
      <Stack>
        <Group gap="sm">
          <Title order={2} fz={28} dir="auto">
            {name}
          </Title>
          <MemberStatus status={status} />
        </Group>
        {shown.leaves_at === undefined ? undefined : (
          <Alert color="yellow">{memberStrings.leaves(date(shown.leaves_at, zone))}</Alert>
        )}
        {merged_into === undefined ? (
          <>
            <Points shown={shown} />
            <Actions shown={shown} />
            <OwnLimits program={program_id} names={giftLimits} />
            <Facts facts={facts} />
          </>
        ) : (
          <Alert color="yellow">
            <Stack gap="xs" align="flex-start">
              {text.merged}
              <Button variant="default" onClick={() => choose(merged_into)}>
                {text.toOther}
              </Button>
            </Stack>
          </Alert>
        )}
        <PageLink to="/members/$program_id/$member_id" params={{ program_id, member_id }}>
          {text.whole}
        </PageLink>
      </Stack>
    </Paper>
  )
}

export const Guest = (props: {
  readonly program_id: string
  readonly member_id: string
  readonly choose: (guest: string) => void
}) => {
  const { choose, member_id, program_id } = props
  const query = useMember(program_id, member_id)
  return <Shown query={query}>{(shown) => <Card key={shown.member.member_id} shown={shown} choose={choose} />}</Shown>
}
