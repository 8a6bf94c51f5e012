/** Merges a guest into another one. Shows both side by side, and what the merge does, before it is done. */
import { Alert, List, SimpleGrid, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import type { MergePreview } from "../../contract/admin/Merge.ts"
import { Merging } from "../../contract/admin/Merge.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName, useGuest } from "../shared/choosers/GuestCard.tsx"
import { GuestChooser } from "../shared/choosers/GuestChooser.tsx"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { date, number } from "../shared/format.ts"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { labelOf } from "../shared/words/words.ts"
import { memberStrings as text } from "./memberStrings.ts"
import { consentStrings, profileStrings } from "./profileStrings.ts"

const admin = client(Merging)

const limits = ["points_per_action", "points_per_day", "rewards_per_day"] as const

/** By names of the contract, which may be newer than the page. */
const profileFields: Readonly<Record<string, string>> = profileStrings.fields

/** Profile fields and attributes as the profile names them. */
const listed = ({ attributes, profile }: MergePreview["dropped"]): string =>
  [
    ...profile.map((name) => profileFields[name] ?? labelOf(name)),
    ...attributes.map((name) => (name === "join_location" ? profileStrings.joinedAt : name))
  ].join(", ")

/** A merge's effects, item by item. Omits what does not change. */
const mergeItems = (
  { balances, copied, dropped, filled_cards, leaves_at, moved }: MergePreview,
  from: string,
  into: string,
  tier: string | undefined,
  { names, zone }: { readonly names: ReturnType<typeof useNames>; readonly zone: string }
): ReadonlyArray<string> => {
  const consents = copied.consents.map(({ channel, granted, purpose }) =>
    text.mergeConsent(purpose, channel && consentStrings.channels[channel], granted)
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
    ...(listed(copied) === "" ? [] : [text.mergeCopies(listed(copied))]),
    ...consents,
    ...(listed(dropped) === "" ? [] : [text.mergeDrops(from, listed(dropped))]),
    ...(leaves_at === undefined ? [] : [text.mergeLeaves(into, date(leaves_at, zone))]),
    text.mergeOrders(into),
    text.mergeAfter(into, balances.map(({ amount, unit }) => `${number(amount)} ${names.unit(unit)}`).join(", ")),
    ...(tier === undefined ? [] : [text.mergeTier(into, names.tier(tier))])
  ]
}

/** Both guests, and what the merge does. */
const Foreseen = ({ from, into }: { readonly from: Guest; readonly into: Guest }) => {
  const names = useNames()
  const zone = useZone()
  const { program_id } = from
  const foreseen = useForeseen(program_id, from.member_id, into)
  const preview = foreseen.data?.preview
  const isSameName = guestName(from) === guestName(into)
  const [closed, kept] = [guestName(from), guestName(into)].map((name, side) =>
    isSameName ? text.mergeNames[side === 0 ? "from" : "into"](name) : name
  ) as [string, string]
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {([from, into] as const).map((guest, side) => (
          <section key={guest.member_id} aria-label={text.mergeSides[side === 0 ? "from" : "into"]}>
            <Text size="sm" fw={600}>
              {text.mergeSides[side === 0 ? "from" : "into"]}
            </Text>
            <GuestCard guest={guest} />
          </section>
        ))}
      </SimpleGrid>
      <Alert color="red" title={strings.member.preview} role="status">
        {text.mergePreview(closed, kept)}
        {preview === undefined ? undefined : (
          <List size="sm" mt="xs">
            {mergeItems(preview, closed, kept, foreseen.data?.member.tier_id, { names, zone }).map((item) => (
              <List.Item key={item}>{item}</List.Item>
            ))}
          </List>
        )}
        {foreseen.error === null ? undefined : <Text size="sm">{sentenceOf(foreseen.error)}</Text>}
      </Alert>
    </>
  )
}

const useForeseen = (program_id: string, from: string, into: Guest | undefined) =>
  useQuery({
    queryKey: ["merge", program_id, from, into?.member_id],
    enabled: into !== undefined,
    retry: false,
    queryFn: () =>
      call(
        admin.merge.mergeMembers({
          params: { program_id },
          payload: { from, into: into?.member_id ?? "", reason: "-", dry_run: true }
        })
      )
  })

export const Merge = () => {
  const { member_id: from, program_id } = useParams({ from: "/members/$program_id/$member_id" })
  const refresh = useRefresh()
  const [into, setInto] = useState<Guest>()
  const [reason, setReason] = useState("")
  const closed = useGuest(program_id, from)
  const { data } = useForeseen(program_id, from, into)
  return (
    <ChangeDialog
      label={text.merge}
      isDangerous
      isReady={data !== undefined && reason !== ""}
      begin={() => {
        setInto(undefined)
        setReason("")
      }}
      done={refresh}
      run={() =>
        call(
          admin.merge.mergeMembers({ params: { program_id }, payload: { from, into: into?.member_id ?? "", reason } })
        )
      }
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={program_id} names={limits} />
          <GuestChooser
            label={text.mergeInto}
            program_id={program_id}
            but={from}
            value={into}
            onChange={setInto}
            error={faultAt(error, "/into", into?.member_id ?? "")}
          />
          {into === undefined || closed.data == null ? undefined : <Foreseen from={closed.data} into={into} />}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}
