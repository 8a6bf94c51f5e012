/** The list of members, for operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, storageUnavailable } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { ListedMember, MemberListQuery } from "../../contract/admin/MemberList.ts"
import type { Unit } from "../../contract/Values.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Paging from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import type { Listed, ListQuery } from "./ListedMembers.ts"
import * as ListedMembers from "./ListedMembers.ts"
import * as MemberSearch from "./MemberSearch.ts"

const filtersOf = ({ cursor: _, limit: _limit, ...filters }: MemberListQuery) => ["members", filters]

/** The text of a cursor: the account, the list's sort key, and how it is found, if not by a beginning. */
const placeOf = ({ account, joined, member, rank }: Listed, isSearch: boolean): string =>
  `${account} ${isSearch ? member : joined}${rank === MemberSearch.ranks.beginning ? "" : ` ${rank}`}`

const afterOf = (place: string | undefined): ListQuery["after"] => {
  if (place === undefined) return undefined
  const [account = "", key = "", rank = MemberSearch.ranks.beginning] = place.split(" ")
  return { account: Number(account), key, rank: Number(rank) }
}

type UnitBalance = readonly [unit: Unit, posted: number, reserved: number]

const balancesOf = (program: Program, { account, balances, member }: Listed, now: number) => {
  const owner = { account, program: program.id, member }
  const posted = JSON.parse(balances) as ReadonlyArray<UnitBalance>
  return program.accounts.map(({ label, unit }) => {
    const [, amount, reserved] = posted.find(([of]) => of === unit) ?? [unit, 0, 0]
    const { unit_label: _, ...balance } = Render.balance(owner, [unit, amount, reserved], now)
    return label === undefined ? balance : { ...balance, unit_label: label }
  })
}

const shown = (program: Program, listed: Listed, now: number): ListedMember => {
  const tier = Ladder.tierAt(program, now, listed)
  return {
    member_id: listed.member,
    program_id: program.id,
    status: listed.status,
    ...(tier === undefined ? undefined : { tier_id: tier }),
    ...(listed.displayName === undefined ? undefined : { display_name: listed.displayName }),
    ...(listed.email === undefined ? undefined : { email: listed.email }),
    ...(listed.phone === undefined ? undefined : { phone: listed.phone }),
    joined_at: fromMillis(listed.joined),
    ...(listed.rank === MemberSearch.ranks.similar ? { similar: true } : undefined),
    ...(listed.lastOrder === undefined ? undefined : { last_order_at: fromMillis(listed.lastOrder) }),
    balances: balancesOf(program, listed, now)
  }
}

const time = (text: string | undefined): number | undefined => (text === undefined ? undefined : toMillis(text))

export const layer = HttpApiBuilder.group(AdminApi, "member_list", (handlers) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { claimKey } = journal
    const { now: clock } = yield* serviceTime
    const [programs, reads] = [yield* Programs, yield* RollupReads]
    const { query: run } = yield* PeoplePool

    const seenBy = Effect.fnUntraced(function* (program_id: string | undefined) {
      const caller = yield* CurrentCaller
      return program_id === undefined
        ? Visible.programsOf(programs, caller)
        : [yield* Visible.named(programs, caller, program_id)]
    })

    /** The keys of the members who are in a tier now. */
    const keysOf = Effect.fnUntraced(function* (tier_id: string, seen: ReadonlyArray<Program>, now: number) {
      const kinds = yield* Effect.mapError(reads.kinds(seen.map(({ id }) => id)), () => storageUnavailable)
      return seen.flatMap((program) => {
        const counted = kinds.flatMap((kind) => (kind.program === program.id ? [kind.tier] : []))
        const keys = [Ladder.noTier, ...counted].filter((key) => Ladder.tierAt(program, now, key) === tier_id)
        return keys.map((key) => ({ program: program.id, ...key }))
      })
    })

    return handlers.handle("listMembers", ({ query }) =>
      Effect.gen(function* () {
        const now = clock()
        const filters = filtersOf(query)
        const page = yield* Paging.pageOf(claimKey, filters, query)
        const { joined_from, joined_until, program_id, status, tier_id } = query
        const seen = yield* seenBy(program_id)
        const ids = seen.map(({ id }) => id)
        const search = yield* MemberSearch.searchIn(journal, ids, query.search)
        const found = yield* ListedMembers.list(run, {
          programs: ids,
          status,
          tiers: tier_id === undefined ? undefined : yield* keysOf(tier_id, seen, now),
          joinedFrom: time(joined_from),
          joinedUntil: time(joined_until),
          search,
          after: afterOf(page.after),
          limit: page.limit + 1
        })
        const { rows, ...next } = Paging.paged(claimKey, filters, page, found, (row) =>
          placeOf(row, search !== undefined)
        )
        const members = rows.flatMap((row) => {
          const program = programs.get(row.program)
          return program === undefined ? [] : [shown(program, row, now)]
        })
        return { members, ...next }
      })
    )
  })
)
