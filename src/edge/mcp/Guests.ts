/** Tools about guests: find one, explain a balance. */
import { Effect } from "effect"
import type { LedgerPage } from "../../contract/admin/MemberLedger.ts"
import type { MemberList } from "../../contract/admin/MemberList.ts"
import { membersPath } from "../../contract/admin/MemberList.ts"
import type { MemberShown } from "../../contract/admin/Members.ts"
import { pathOf } from "../../contract/admin/Members.ts"
import { Cursor, Value } from "../../contract/Values.ts"
import * as Bounds from "./Bounds.ts"
import { said } from "./GuestText.ts"
import { answer } from "./ToolAnswer.ts"
import * as Toolbox from "./Toolbox.ts"
import * as Words from "./Words.ts"

export const findGuest = Toolbox.make("find_guest", {
  title: "Find a guest",
  description:
    "Finds members by the beginning of a member id, external id, e-mail address or any word of a name; by the last digits, at least four, of a telephone or card number; by a whole identity; or by an order id, or the beginning or end of a recent one. Names that differ by a typing error are `similar`.",
  asks: ["listMembers"],
  parameters: {
    search: Value.annotate({ description: "What to look for." }),
    program_id: Toolbox.optionally(
      Toolbox.programId,
      "Only this programme's members. Absent: all that the caller may see."
    ),
    limit: Toolbox.optionally(
      Toolbox.upTo(Bounds.mostFound),
      `Most members, 1 to ${Bounds.mostFound}. Absent: ${Bounds.foundByDefault}.`
    ),
    cursor: Toolbox.optionally(Cursor, "next_cursor of the previous answer, with the same search.")
  }
})

interface Found {
  readonly search: string
  readonly program_id?: string
  readonly limit?: number
  readonly cursor?: string
}

const find = Toolbox.handler("find_guest", ({ limit = Bounds.foundByDefault, ...query }: Found) =>
  Effect.map(Toolbox.get<MemberList>(membersPath, { ...query, limit: String(limit) }), (data) => {
    const { members, next_cursor } = data
    const more =
      next_cursor === undefined ? "" : " There are more: ask again with cursor, or search for more of the text."
    // An assistant learns nothing that it is not asked for.
    const known = members.map(({ email: _, phone: _phone, ...member }) => member)
    return answer({
      summary: `${Words.count(members.length, "guest")} found.${more}`,
      data: { ...data, members: known }
    })
  })
)

export const explainBalance = Toolbox.make("explain_balance", {
  title: "Explain a balance",
  description:
    "Says what a guest's balances are made of: lots and when they expire, open reservations, tier, and the newest ledger entries in words.",
  asks: ["showMember", "memberLedger"],
  parameters: {
    program_id: Toolbox.programId,
    member_id: Toolbox.memberId,
    entries: Toolbox.optionally(
      Toolbox.upTo(Bounds.mostEntries),
      `Newest ledger entries, 1 to ${Bounds.mostEntries}. Absent: ${Bounds.entriesByDefault}.`
    )
  }
})

interface Explained {
  readonly program_id: string
  readonly member_id: string
  readonly entries?: number
}

type Shown = typeof MemberShown.Type

/** Facts that explain a balance. Identities, profile and codes of rewards are not needed for it. */
const dataOf = (
  { balances, lots, member, metrics, reservations, tier_progress }: Shown,
  ledger: typeof LedgerPage.Type
) => {
  const { joined_at, member_id, merged_into, program_id, status, tier_id } = member
  return {
    member: { member_id, program_id, status, joined_at, tier_id, merged_into },
    balances,
    lots,
    reservations: reservations.map(({ cost, created_at, expires_at, order_id, reservation_id, reward_id }) => ({
      reservation_id,
      reward_id,
      order_id,
      cost,
      created_at,
      expires_at
    })),
    metrics,
    tier_progress,
    entries: ledger.entries
  }
}

const explanationOf = (shown: Shown, { entries, next_cursor }: typeof LedgerPage.Type): ReadonlyArray<string> => {
  const { balances, lots, member, reservations, tier_progress } = shown
  const status = member.status === "active" ? [] : [`The member is ${member.status}.`]
  const accounts = balances.flatMap((one) => [Words.balance(one), Words.lots(one.unit, lots)])
  const holds = reservations.slice(0, Bounds.rows).map(Words.reservation)
  const tier = tier_progress === undefined ? [] : [Words.tier(tier_progress)]
  const older = next_cursor === undefined ? "These are all entries." : "There are older entries, which are not shown."
  return [...status, ...accounts, ...holds, ...tier, "The newest entries first:", ...entries.map(Words.entry), older]
}

const explain = Toolbox.handler(
  "explain_balance",
  Effect.fnUntraced(function* ({ entries = Bounds.entriesByDefault, member_id, program_id }: Explained) {
    const path = pathOf(program_id, member_id)
    const shown = yield* Toolbox.get<Shown>(path)
    const ledger = yield* Toolbox.get<typeof LedgerPage.Type>(`${path}/ledger`, { limit: String(entries) })
    const held = shown.balances.map(({ available, unit }) => `${available} ${unit}`).join(" and ")
    return answer({
      summary: `Member ${said(shown.member.member_id)} of programme ${said(program_id)} can spend ${held} now.`,
      explanation: explanationOf(shown, ledger),
      data: dataOf(shown, ledger)
    })
  })
)

export const handlers = { find_guest: find, explain_balance: explain }
