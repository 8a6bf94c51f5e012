/** The list of members, for operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import type { ListedMember, MemberListQuery } from "../contract/admin/MemberList.ts"
import type { Unit } from "../contract/Values.ts"
import { fromMillis, toMillis } from "../contract/Values.ts"
import { serviceTime } from "../time/Times.ts"
import { Journal } from "../journal/Journal.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Render from "../protocol/Render.ts"
import * as Ladder from "../rollups/Ladder.ts"
import type { After, Kind, Listed } from "../rollups/RollupReads.ts"
import { RollupReads } from "../rollups/RollupReads.ts"
import * as OrderSearch from "./OrderSearch.ts"
import * as Paging from "../surface/Paging.ts"
import { storageUnavailable } from "../database/Pools.ts"
import * as Visible from "../surface/Visible.ts"

const filtersOf = ({ cursor: _, limit: _limit, ...filters }: MemberListQuery) => ["members", filters]

/** The text of a cursor: the account and the list's sort key. */
const placeOf = ({ account, joined, member }: Listed, search: string | undefined): string =>
  `${account} ${search === undefined ? joined : member}`

const afterOf = (place: string | undefined): After | undefined => {
  if (place === undefined) return undefined
  const [account = "", ...key] = place.split(" ")
  return { account: Number(account), key: key.join(" ") }
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
  const tier = Ladder.tierAt(program, now, listed.tier)
  return {
    member_id: listed.member,
    program_id: program.id,
    status: listed.status,
    ...(tier === undefined ? undefined : { tier_id: tier }),
    ...(listed.displayName === undefined ? undefined : { display_name: listed.displayName }),
    joined_at: fromMillis(listed.joined),
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

    const kindsFor = Effect.fnUntraced(function* ({ program_id, status, tier_id }: MemberListQuery, now: number) {
      const caller = yield* CurrentCaller
      const seen =
        program_id === undefined
          ? Visible.programsOf(programs, caller)
          : [yield* Visible.named(programs, caller, program_id)]
      const byId = new Map(seen.map((program) => [program.id, program]))
      const isWanted = (kind: Kind): boolean => {
        const program = byId.get(kind.program)
        if (program === undefined || (status !== undefined && kind.status !== status)) return false
        return tier_id === undefined || Ladder.tierAt(program, now, kind.tier) === tier_id
      }
      const kinds = yield* Effect.mapError(reads.kinds([...byId.keys()]), () => storageUnavailable)
      return kinds.filter(isWanted)
    })

    return handlers.handle("listMembers", ({ query }) =>
      Effect.gen(function* () {
        const now = clock()
        const filters = filtersOf(query)
        const page = yield* Paging.pageOf(claimKey, filters, query)
        const kinds = yield* kindsFor(query, now)
        const seen = [...new Set(kinds.map(({ program }) => program))]
        const found = yield* Effect.mapError(
          reads.list({
            kinds,
            found: yield* OrderSearch.accountsOf(journal, seen, query.search),
            joinedFrom: time(query.joined_from),
            joinedUntil: time(query.joined_until),
            search: query.search,
            after: afterOf(page.after),
            limit: page.limit + 1
          }),
          () => storageUnavailable
        )
        const { rows, ...next } = Paging.paged(claimKey, filters, page, found, (row) => placeOf(row, query.search))
        const members = rows.flatMap((row) => {
          const program = programs.get(row.program)
          return program === undefined ? [] : [shown(program, row, now)]
        })
        return { members, ...next }
      })
    )
  })
)
