/** Guests, orders and gifts that stand out, and audiences that wait, as lines of what needs attention (contract/operators.md *Attention*). */

import { useQuery } from "@tanstack/react-query"
import type { Attention } from "../../contract/admin/Attention.ts"
import { Attentions } from "../../contract/admin/Attention.ts"
import { call, client } from "../shared/client.ts"
import { calendarDay, number, time } from "../shared/format.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { pointsOf } from "../shared/points.ts"
import { useProgramId } from "../shared/program.tsx"
import { useMay } from "../shared/session.tsx"
import type { Item } from "./attentionItem.ts"
import { linkStyle } from "./attentionItem.ts"
import { attentionStrings } from "./attentionStrings.ts"

const admin = client(Attentions)

const text = attentionStrings

/** The service counts the orders of a week for it. */
const refreshMs = 300_000

export const useStandOut = () => {
  const program_id = useProgramId()
  return useQuery({
    queryKey: ["attention", program_id],
    enabled: useMay()("attention"),
    refetchInterval: refreshMs,
    queryFn: () => call(admin.attention.attention({ query: program_id === undefined ? {} : { program_id } }))
  })
}

const guestLink = (program_id: string, member_id: string | undefined) =>
  member_id === undefined ? (
    text.someone
  ) : (
    <PageLink to="/members/$program_id/$member_id" params={{ program_id, member_id }} {...linkStyle}>
      {member_id}
    </PageLink>
  )

export const guestItem = (
  program: string,
  { business_date, location_id, member_id, orders }: Attention["guests"][number],
  place: number,
  nameOf: (location: string) => string
): Item => ({
  key: `guest ${business_date} ${member_id ?? place}`,
  link: guestLink(program, member_id),
  told: text.manyOrders(
    number(orders),
    calendarDay(business_date),
    location_id === undefined ? undefined : nameOf(location_id)
  )
})

export const giftItem = (
  program: string,
  { amount, at, audit_id, by, median, member_id, unit }: Attention["gifts"][number],
  zone: string
): Item => ({
  key: `gift ${audit_id}`,
  link: guestLink(program, member_id),
  told: text.gift(
    pointsOf({ amount, unit }),
    time(at, zone),
    by,
    median === undefined ? undefined : pointsOf({ amount: median, unit })
  )
})

export const orderItem = (
  program: string,
  { at, member_id, order_id, rewards }: Attention["orders"][number],
  zone: string
): Item => ({
  key: `order ${at} ${order_id}`,
  link: guestLink(program, member_id),
  told: text.manyRewards(number(rewards), order_id, time(at, zone))
})

export const moveItem = (
  program: string,
  { at, by, member_id, received, taken }: Attention["moves"][number],
  place: number,
  zone: string
): Item => ({
  key: `moves ${member_id ?? place}`,
  link: guestLink(program, member_id),
  told: text.moved(number(taken), number(received), time(at, zone), by)
})

export const receiptItem = (
  program: string,
  { at, member_id, order_id, other_id, other_member_id: guest }: Attention["receipts"][number],
  zone: string
): Item => ({
  key: `receipt ${order_id} ${other_id}`,
  link: guestLink(program, member_id),
  told:
    guest === undefined
      ? text.twice(order_id, other_id, time(at, zone))
      : text.twiceOf(order_id, other_id, time(at, zone), guest)
})

export const audienceItem = ({ campaign_id, name }: NonNullable<Attention["audiences"]>[number]): Item => ({
  key: `audience ${campaign_id}`,
  link: (
    <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }} {...linkStyle}>
      {name}
    </PageLink>
  ),
  told: text.waits
})
