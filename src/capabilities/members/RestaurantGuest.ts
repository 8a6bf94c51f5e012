/**
 * A guest as a restaurant sees one: by a whole card number or address, or one who has ordered there; the balance, the entries
 * there, and all others as one sum (contract/members.md *A guest at a restaurant*).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { rowsOf, texts } from "../../base/database/Values.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { RestaurantGuestQuery } from "../../contract/platform/RestaurantGuest.ts"
import { maxGuestEntries, type RestaurantGuest } from "../../contract/platform/RestaurantGuest.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import { view } from "../../core/account/domain/View.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { searchKey, searchOf, wholeNumber } from "../../core/journal/SearchKey.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Bounds from "./Bounds.ts"
import * as OwnEntries from "./OwnEntries.ts"

const needed = Effect.all({
  accounts: Accounts,
  journal: Journal,
  people: PeoplePool,
  programs: Programs,
  time: serviceTime,
  clock: machineTime
})
type Parts = Effect.Success<typeof needed>

const { text } = PgTypes

/** $1: programme; $2: whole values of identities; $3: the address; $4: the telephone number; $5: the tsquery for it. */
const knownStatement = `SELECT DISTINCT a.member_id FROM (
    SELECT account FROM members WHERE identity_values(identities) && $2
    UNION SELECT account FROM profiles WHERE program_id = $1 AND email_key = $3
    UNION SELECT account FROM profiles WHERE program_id = $1 AND phone = $4 AND profile_terms(name_key, phone) @@ $5::tsquery
  ) found JOIN accounts a ON a.number = found.account WHERE a.program_id = $1 LIMIT 2`
const memberRows = rowsOf(Schema.Struct({ member_id: Schema.String }))

/** The member that a whole card number or address leads to; undefined: nobody. */
const knownBy = Effect.fnUntraced(function* (query: Query, program: string, typed: string) {
  const { number, values } = searchOf(typed)
  const phone = wholeNumber(typed)
  const [one, other] = yield* memberRows(
    query(knownStatement, [
      text(program),
      texts(values),
      text(typed.includes("@") ? searchKey(typed) : null),
      text(phone ?? null),
      text(phone === undefined ? null : (number ?? null))
    ])
  )
  return other === undefined ? one?.member_id : yield* refuse("conflict", "Several guests have it. Use a card number.")
})

/** The member of an order that accrued where the caller may see it; undefined: there is none. */
const orderedBy = Effect.fnUntraced(function* (
  { accounts }: Parts,
  { restaurants }: Pick<RequestCaller, "restaurants">,
  program: string,
  order: string
) {
  const place = yield* accounts.orderPlace(program, order)
  if (place === undefined) return undefined
  if (place._tag !== "Place") return yield* refusedBy(place)
  if (restaurants?.hasOrder(place) === false) return undefined
  const found = yield* accounts.order(program, order)
  if (found === undefined) return undefined
  return found._tag === "FoundOrder" ? found.member : yield* refusedBy(found)
})

/** The entries at the restaurants of the caller, newest first. */
const ownEntries = (
  { accounts, journal }: Parts,
  program: Program,
  resident: Resident,
  restaurants: Restaurants | undefined
) => {
  const asked = MemberLedger.asked(resident, program, undefined, {})
  if (asked === undefined) return Effect.succeed([])
  const shown = OwnEntries.at(accounts, program, restaurants)
  const page = OwnEntries.page(journal.ledger, asked, shown, undefined, Infinity)
  return Effect.map(page, ({ entries }) => entries)
}

/** A guest whom the caller may see, and the entries there. */
interface Seen {
  readonly resident: Resident
  readonly own: ReadonlyArray<MemberLedger.Entry>
}

const nobody = refuse("not_found", "No guest is known here by that.")

/** Answers that nobody is known take one time, whatever was looked at: else it would tell a neighbour's guest from nobody. */
const evenly = Effect.fnUntraced(function* <A, R>(
  { clock }: Parts,
  { restaurants }: Pick<RequestCaller, "restaurants">,
  work: Effect.Effect<A, Refused, R>
): Effect.fn.Return<A, Refused, R> {
  if (restaurants === undefined) return yield* work
  const until = clock.now() + Bounds.unknownMs
  return yield* Effect.tapError(work, ({ code }) =>
    code === "not_found" ? Effect.suspend(() => Effect.sleep(Math.max(0, until - clock.now()))) : Effect.void
  )
})

/** The guest that a caller may see; everybody else is unknown, in the same words. `proven`: whom a card or an order led to. */
const seen = Effect.fnUntraced(function* (
  parts: Parts,
  { restaurants }: Pick<RequestCaller, "restaurants">,
  program: Program,
  member: string | undefined,
  proven: string | undefined
): Effect.fn.Return<Seen, Refused> {
  const resident = member === undefined ? undefined : yield* parts.accounts.read(program.id, member)
  if (resident === undefined) return yield* nobody
  if (resident._tag !== "Resident") return yield* refusedBy(resident)
  const own = yield* ownEntries(parts, program, resident, restaurants)
  const since = parts.time.now() - Bounds.guestDays * dayMs
  const hasOrdered = own.some(({ row }) => row.operation === "accrual" && row.occurredAt >= since)
  const isProven = proven !== undefined && (proven === member || proven === resident.state.member)
  return isProven || restaurants === undefined || hasOrdered ? { resident, own } : yield* nobody
})

/**
 * The guest that a request of a limited caller is about, by `known_by` or by orders there; for a merged guest the remaining
 * one. Undefined: the caller has no limit.
 */
export const mustSee = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  member: string,
  known_by: string | undefined
): Effect.fn.Return<string | undefined, Refused, CurrentCaller> {
  const caller = yield* CurrentCaller
  if (caller.restaurants === undefined) return undefined
  const known = known_by === undefined ? Effect.succeed(undefined) : knownBy(parts.people.query, program.id, known_by)
  const looked = Effect.flatMap(known, (proven) => seen(parts, caller, program, member, proven))
  const { resident } = yield* evenly(parts, caller, looked)
  return resident.state.member
})

const show = Effect.fnUntraced(function* (parts: Parts, asked: RestaurantGuestQuery) {
  const caller = yield* CurrentCaller
  const { known_by, member_id, order_id, program_id } = asked
  const program = yield* Visible.programOf(parts.programs, caller, program_id)
  const known =
    known_by !== undefined
      ? knownBy(parts.people.query, program.id, known_by)
      : order_id === undefined
        ? Effect.succeed(undefined)
        : orderedBy(parts, caller, program.id, order_id)
  const looked = Effect.flatMap(known, (proven) => seen(parts, caller, program, member_id ?? proven, proven))
  const { own, resident } = yield* evenly(parts, caller, looked)
  const at = Math.max(parts.time.now(), resident.state.at)
  const state = view(resident.state, program, at)
  const owner = ownerOf(resident)
  const sumOf = (unit: string) => own.reduce((sum, { row }) => (row.unit === unit ? sum + row.amount : sum), 0)
  return Render.present<RestaurantGuest>({
    member_id: state.member,
    status: state.status,
    tier_id: Metrics.tierOf(state, program, at)?.tier_id,
    balances: Render.balances(owner, state, program, at),
    entries: own.slice(0, maxGuestEntries).map((entry) => Render.entry(entry.owner, entry.row)),
    elsewhere: state.units.map(({ posted, unit }) => ({ unit, amount: posted - sumOf(unit) }))
  })
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_restaurant_guests", (handlers) =>
  Effect.map(needed, (parts) => handlers.handle("restaurantGuest", ({ query }) => show(parts, query)))
)
