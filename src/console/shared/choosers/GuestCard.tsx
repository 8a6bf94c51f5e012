/** A guest in words, as people tell one guest from another. Ids are behind “Details”. */

import { Paper, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ListedMember } from "../../../contract/admin/MemberList.ts"
import { MemberLists } from "../../../contract/admin/MemberList.ts"
import { call, client } from "../client.ts"
import { Facts } from "../Facts.tsx"
import { date, number } from "../format.ts"
import { Note } from "../Note.tsx"
import { pointsOf } from "../points.ts"
import { useNames, useZone } from "../program.tsx"
import { strings } from "../strings.ts"
import { chooserStrings } from "./chooserStrings.ts"

const admin = client(MemberLists)

const text = chooserStrings.guest

export type Guest = ListedMember

/** Guests who match a text, at most `limit`. */
export const guestsBy = async (program_id: string, search: string, limit: string): Promise<ReadonlyArray<Guest>> =>
  (await call(admin.member_list.listMembers({ query: { program_id, search, limit } }))).members

/** The guest with this id. It sorts first among those whose ids begin with it. */
export const useGuest = (program_id: string, member_id: string) =>
  useQuery({
    queryKey: ["guest", program_id, member_id],
    retry: false,
    queryFn: async () =>
      (await guestsBy(program_id, member_id, "50")).find((one) => one.member_id === member_id) ?? null
  })

const shownDigits = 4

export const guestName = ({ display_name, email, member_id }: Guest): string => display_name ?? email ?? member_id

const balancesOf = ({ balances }: Guest): string => balances.map(pointsOf).join(", ")

/** A guest's facts in one line. */
export const useGuestLine = (): ((guest: Guest) => string) => {
  const names = useNames()
  const zone = useZone()
  return (guest) =>
    [
      ...(guest.similar === true ? [strings.members.similar] : []),
      ...(guest.phone === undefined ? [] : [text.phone(guest.phone.slice(-shownDigits))]),
      ...(guest.phone === undefined && guest.email !== undefined ? [guest.email] : []),
      balancesOf(guest),
      ...(guest.tier_id === undefined ? [] : [names.tier(guest.tier_id)]),
      guest.last_order_at === undefined ? text.neverVisited : text.lastVisitOn(date(guest.last_order_at, zone))
    ].join(" · ")
}

export const GuestCard = ({ guest }: { readonly guest: Guest }) => {
  const names = useNames()
  const zone = useZone()
  const { balances, email, joined_at, last_order_at, member_id, phone, tier_id } = guest
  return (
    <Paper withBorder p="sm" radius="md">
      <Text fw={600} dir="auto">
        {guestName(guest)}
      </Text>
      <Facts
        facts={[
          ...(phone === undefined ? [] : [[text.telephone, `…${phone.slice(-shownDigits)}`] as const]),
          ...(email === undefined ? [] : [[text.email, email] as const]),
          ...balances.map(({ amount, unit }) => [names.unit(unit), number(amount)] as const),
          ...(tier_id === undefined ? [] : [[text.tier, names.tier(tier_id)] as const]),
          [text.lastVisit, last_order_at === undefined ? text.never : date(last_order_at, zone)],
          [text.joined, date(joined_at, zone)]
        ]}
      />
      <details>
        <summary>{text.details}</summary>
        <Note>{text.id(member_id)}</Note>
      </details>
    </Paper>
  )
}
