/** Merges a guest into another one. Shows both side by side, and what the merge does, before it is done. */
import { Alert, List, SimpleGrid, Text } from "@mantine/core"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import type { Merged, MergePreview } from "../../contract/admin/Merge.ts"
import { Merging, Merge as ToMerge } from "../../contract/admin/Merge.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName, useGuest } from "../shared/choosers/GuestCard.tsx"
import { client } from "../shared/client.ts"
import { ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { GuestField } from "../shared/form/GuestField.tsx"
import { date, number } from "../shared/format.ts"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { sentenceOf } from "../shared/States.tsx"
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

interface EffectsProps {
  readonly from: Guest
  readonly into: Guest
  readonly foreseen: typeof Merged.Type | undefined
  readonly error: unknown
}

/** Both guests, and what the merge does. */
const Effects = ({ error, foreseen, from, into }: EffectsProps) => {
  const names = useNames()
  const zone = useZone()
  const preview = foreseen?.preview
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
            {mergeItems(preview, closed, kept, foreseen?.member.tier_id, { names, zone }).map((item) => (
              <List.Item key={item}>{item}</List.Item>
            ))}
          </List>
        )}
        {error === null ? undefined : <Text size="sm">{sentenceOf(error)}</Text>}
      </Alert>
    </>
  )
}

export const Merge = () => {
  const { member_id: from, program_id } = useParams({ from: "/members/$program_id/$member_id" })
  const [chosen, choose] = useState<Guest>()
  const closed = useGuest(program_id, from).data
  const merge = (payload: typeof ToMerge.Type) => admin.merge.mergeMembers({ params: { program_id }, payload })
  return (
    <FormDialog
      help="merge"
      label={text.merge}
      isDangerous
      schema={ToMerge}
      start={{ from }}
      foresee={(payload) => merge({ ...payload, dry_run: true })}
      isReady={(_, { data }) => data !== undefined}
      send={merge}
      done={useRefresh()}
    >
      {({ into }, { data, error }) => (
        <>
          <OwnLimits program={program_id} names={limits} />
          <GuestField at="/into" label={text.mergeInto} program_id={program_id} but={from} onGuest={choose} />
          {chosen === undefined || chosen.member_id !== into || closed == null ? undefined : (
            <Effects from={closed} into={chosen} foreseen={data} error={error} />
          )}
          <ReasonField />
        </>
      )}
    </FormDialog>
  )
}
