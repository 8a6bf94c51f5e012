/** Actions on a member: points and rewards, its status, a merge. */
import { Alert, Group, List, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { OneMember } from "../../../contract/admin/Members.ts"
import type { MergePreview } from "../../../contract/admin/Merge.ts"
import { Merging } from "../../../contract/admin/Merge.ts"
import type { MemberStatus as ToStatus } from "../../../contract/Values.ts"
import { call, client } from "../../app/client.ts"
import { date, number } from "../../app/format.ts"
import { memberStrings } from "../../app/memberStrings.ts"
import { useNames, useZone } from "../../app/program.tsx"
import { useRefresh } from "../../app/refresh.ts"
import { useMay, useMayGive } from "../../app/session.tsx"
import { strings } from "../../app/strings.ts"
import { labelOf } from "../../app/words.ts"
import { GivePoints } from "../../counter/GivePoints.tsx"
import { IssueReward } from "../../counter/IssueReward.tsx"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { GuestInput } from "../../ui/GuestInput.tsx"
import type { MemberShown } from "../../ui/MemberShown.ts"
import { balancesText, nameIn, noSuch, useMember } from "../../ui/MemberShown.ts"
import { OwnLimits } from "../../ui/OwnLimits.tsx"
import { Reason } from "../../ui/Reason.tsx"
import { ReasonDialog } from "../../ui/ReasonDialog.tsx"
import { faultAt, sentenceOf } from "../../ui/States.tsx"
import { SignInLink } from "./SignInLink.tsx"

const admin = client(OneMember, Merging)

const text = memberStrings

const pointLimits = ["points_per_action", "points_per_day"] as const

const bothLimits = [...pointLimits, "rewards_per_day"] as const

export const useIds = () => useParams({ from: "/members/$program_id/$member_id" })

const Status = ({
  label,
  preview,
  to
}: {
  readonly to: ToStatus
  readonly label: string
  readonly preview: string
}) => {
  const params = useIds()
  return (
    <ReasonDialog
      label={label}
      isDangerous={to === "closed"}
      preview={preview}
      done={useRefresh()}
      run={(reason) => call(admin.member.setMemberStatus({ params, payload: { status: to, reason } }))}
    >
      {to === "closed" ? <OwnLimits program={params.program_id} names={bothLimits} /> : undefined}
    </ReasonDialog>
  )
}

/** A merge's effects, item by item. Omits what does not change. */
const mergeItems = (
  { balances, copied, dropped, filled_cards, leaves_at, moved }: MergePreview,
  from: string,
  into: string,
  tier: string | undefined,
  { names, zone }: { readonly names: ReturnType<typeof useNames>; readonly zone: string }
): ReadonlyArray<string> => {
  const listed = (all: ReadonlyArray<string>) => all.map(labelOf).join(", ")
  const consents = copied.consents.map(({ channel, granted, purpose }) =>
    text.mergeConsent(labelOf(purpose), channel === undefined ? undefined : labelOf(channel), granted)
  )
  return [
    ...moved.balances
      .filter(({ amount, lots }) => amount !== 0 || lots > 0)
      .map(({ amount, unit }) => text.mergeMoves(`${number(amount)} ${names.unit(unit)}`)),
    ...(moved.issued_rewards.length === 0
      ? []
      : [text.mergeMoves(moved.issued_rewards.map(({ reward_id }) => names.reward(reward_id)).join(", "))]),
    ...moved.identities.map(({ count, type }) => text.mergeMoves(text.mergeIdentities(labelOf(type), number(count)))),
    ...(filled_cards === 0 ? [] : [text.mergeCards(number(filled_cards))]),
    ...(copied.profile.length === 0 ? [] : [text.mergeCopies(listed(copied.profile))]),
    ...(copied.attributes.length === 0 ? [] : [text.mergeCopies(listed(copied.attributes))]),
    ...consents,
    ...(dropped.profile.length + dropped.attributes.length === 0
      ? []
      : [text.mergeDrops(from, listed([...dropped.profile, ...dropped.attributes]))]),
    ...(leaves_at === undefined ? [] : [text.mergeLeaves(into, date(leaves_at, zone))]),
    text.mergeOrders(into),
    text.mergeAfter(into, balances.map(({ amount, unit }) => `${number(amount)} ${names.unit(unit)}`).join(", ")),
    ...(tier === undefined ? [] : [text.mergeTier(into, names.tier(tier))])
  ]
}

const Merge = () => {
  const names = useNames()
  const zone = useZone()
  const { member_id: from, program_id } = useIds()
  const refresh = useRefresh()
  const [into, setInto] = useState("")
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(into.trim(), 300)
  const closed = useMember(program_id, from)
  const other = useMember(program_id, settled, settled !== "" && settled !== from)
  const foreseen = useQuery({
    queryKey: ["merge", program_id, from, settled],
    enabled: other.data !== undefined,
    retry: false,
    queryFn: () =>
      call(
        admin.merge.mergeMembers({
          params: { program_id },
          payload: { from, into: settled, reason: "-", dry_run: true }
        })
      )
  })
  const preview = foreseen.data?.preview
  return (
    <ChangeDialog
      label={text.merge}
      isDangerous
      isReady={preview !== undefined && settled === into.trim() && reason !== ""}
      begin={() => {
        setInto("")
        setReason("")
      }}
      done={refresh}
      run={() =>
        call(admin.merge.mergeMembers({ params: { program_id }, payload: { from, into: into.trim(), reason } }))
      }
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={program_id} names={bothLimits} />
          <GuestInput
            label={text.mergeInto}
            program_id={program_id}
            but={from}
            value={into}
            onChange={setInto}
            error={faultAt(error, "/into", into) ?? noSuch(other.error)}
          />
          {other.data === undefined ? undefined : (
            <Alert color="red" title={strings.member.preview} role="status">
              {text.mergePreview(
                nameIn(from, closed.data),
                nameIn(settled, other.data),
                balancesText(other.data, names.unit)
              )}
              {preview === undefined ? undefined : (
                <List size="sm" mt="xs">
                  {mergeItems(preview, from, settled, foreseen.data?.member.tier_id, { names, zone }).map((item) => (
                    <List.Item key={item}>{item}</List.Item>
                  ))}
                </List>
              )}
              {foreseen.error === null ? undefined : <Text size="sm">{sentenceOf(foreseen.error)}</Text>}
            </Alert>
          )}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

export const Actions = ({ shown }: { readonly shown: MemberShown }) => {
  const may = useMay()
  const mayGive = useMayGive("admin")
  const maySetStatus = may("setMemberStatus")
  const { status } = shown.member
  if (status === "closed") return undefined
  return (
    <Group gap="xs">
      {status === "active" ? (
        <>
          {may("adjustMember") ? <GivePoints shown={shown} label={text.adjust} /> : undefined}
          {may("issueMemberReward") ? <IssueReward member={shown.member} /> : undefined}
          {maySetStatus ? <Status to="suspended" label={text.suspend} preview={text.suspendPreview} /> : undefined}
        </>
      ) : maySetStatus ? (
        <Status to="active" label={text.activate} preview={text.activatePreview} />
      ) : undefined}
      {may("makeSignInLink") ? <SignInLink /> : undefined}
      {may("mergeMembers") && mayGive ? <Merge /> : undefined}
      {maySetStatus ? <Status to="closed" label={text.close} preview={text.closePreview} /> : undefined}
    </Group>
  )
}
