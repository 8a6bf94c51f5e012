/** Actions on a member: to adjust points, issue a reward, change the status, merge. */
import { Alert, Checkbox, Group, List, NativeSelect, NumberInput, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { OneMember } from "../../../contract/admin/Members.ts"
import type { MergePreview } from "../../../contract/admin/Merge.ts"
import { Merging } from "../../../contract/admin/Merge.ts"
import type { MemberStatus as ToStatus, Unit } from "../../../contract/Values.ts"
import { Classification } from "../../../contract/Values.ts"
import { call, client } from "../../app/client.ts"
import { useServiceNow } from "../../app/clock.ts"
import { date, number } from "../../app/format.ts"
import { memberStrings } from "../../app/memberStrings.ts"
import { useOnce } from "../../app/once.ts"
import { useNames, useProgram, useZone } from "../../app/program.tsx"
import { useRefresh } from "../../app/refresh.ts"
import { useMay, useMayGive } from "../../app/session.tsx"
import { strings } from "../../app/strings.ts"
import { labelOf } from "../../app/words.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { GuestInput } from "../../ui/GuestInput.tsx"
import { nameIn, noSuch, useMember } from "../../ui/MemberShown.ts"
import { OwnLimits } from "../../ui/OwnLimits.tsx"
import { Reason } from "../../ui/Reason.tsx"
import { ReasonDialog } from "../../ui/ReasonDialog.tsx"
import { faultAt, sentenceOf } from "../../ui/States.tsx"
import { SignInLink } from "./SignInLink.tsx"

const admin = client(OneMember, Merging)

const text = memberStrings

const pointLimits = ["points_per_action", "points_per_day"] as const

const rewardLimits = ["rewards_per_day"] as const

const bothLimits = [...pointLimits, ...rewardLimits] as const

export const useIds = () => useParams({ from: "/members/$program_id/$member_id" })

export type MemberShown = NonNullable<ReturnType<typeof useMember>["data"]>

export const balancesText = ({ balances }: MemberShown, unitName: (unit: string) => string): string =>
  balances.map(({ amount, unit }) => `${number(amount)} ${unitName(unit)}`).join(", ")

/** The balance before and after, or why there is none. */
const AdjustPreview = (props: {
  readonly before: number
  readonly after: number | undefined
  readonly error: unknown
}) => {
  const { after, before, error } = props
  if (after === undefined && error === null) return undefined
  return (
    <Alert
      color={error === null ? "indigo" : "red"}
      title={error === null ? strings.member.preview : text.notPossible}
      role="status"
    >
      {after === undefined ? sentenceOf(error) : text.previewOf(number(before), number(after))}
    </Alert>
  )
}

const Adjust = ({ shown }: { readonly shown: MemberShown }) => {
  const params = useIds()
  const refresh = useRefresh()
  const once = useOnce()
  const names = useNames()
  const [isOpen, setOpen] = useState(false)
  const [unit, setUnit] = useState<Unit>(shown.balances[0]?.unit ?? "points")
  const [amount, setAmount] = useState<number | string>("")
  const [classification, setClassification] = useState<(typeof Classification.literals)[number]>("service_recovery")
  const [qualifies, setQualifies] = useState(false)
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(amount, 300)
  const change = (amount: number) => {
    const content = {
      amount,
      unit,
      classification,
      qualifies_for_tier: qualifies,
      reason: reason === "" ? "-" : reason
    }
    return { adjustment_id: once.keyOf(content), ...content }
  }
  const preview = useQuery({
    queryKey: ["adjustment", params, unit, settled, classification, qualifies],
    // A closed dialog keeps its input, and asks for no preview.
    enabled: isOpen && typeof settled === "number" && settled !== 0,
    retry: false,
    queryFn: () => call(admin.member.adjustMember({ params, payload: { ...change(Number(settled)), dry_run: true } }))
  })
  const before = shown.balances.find((one) => one.unit === unit)?.amount ?? 0
  const after = preview.data?.balances.find((one) => one.unit === unit)?.amount
  return (
    <ChangeDialog
      label={text.adjust}
      done={() => {
        once.done()
        setAmount("")
        setReason("")
        refresh()
      }}
      begin={() => setOpen(true)}
      end={() => setOpen(false)}
      isReady={typeof amount === "number" && amount !== 0 && reason !== ""}
      run={() => call(admin.member.adjustMember({ params, payload: change(Number(amount)) }))}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={params.program_id} />
          <Group grow align="flex-start">
            <NativeSelect
              label={text.unit}
              value={unit}
              data={shown.balances.map((one) => ({ value: one.unit, label: names.unit(one.unit) }))}
              onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}
            />
            <NumberInput
              label={text.amount}
              description={text.amountHint}
              inputWrapperOrder={["label", "input", "description", "error"]}
              required
              allowDecimal={false}
              value={amount}
              onChange={setAmount}
              error={faultAt(error, "/amount", amount)}
            />
          </Group>
          <NativeSelect
            label={text.classification}
            value={classification}
            data={Classification.literals.map((value) => ({ value, label: labelOf(value) }))}
            onChange={({ currentTarget }) => setClassification(currentTarget.value as typeof classification)}
          />
          <Checkbox
            label={text.qualifies}
            checked={qualifies}
            onChange={({ currentTarget }) => setQualifies(currentTarget.checked)}
          />
          <Reason value={reason} onChange={setReason} error={error} />
          <AdjustPreview before={before} after={after} error={preview.error} />
        </>
      )}
    </ChangeDialog>
  )
}

const Issue = () => {
  const params = useIds()
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
          {may("adjustMember") ? <Adjust shown={shown} /> : undefined}
          {may("issueMemberReward") ? <Issue /> : undefined}
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
