/**
 * Three restaurants of three franchisees, for a walk over all routes: what belongs to the other two has a mark that nothing else
 * has (contract/people.md *Limited to restaurants*).
 */
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"

export const program_id = "demo-foodservice"
export const { business_date: today } = Testing.placedNow
export const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)

/** In every name and id of the neighbours, and of what they alone have: so long that no id has it by chance. */
const mark = /zzqzzq[\w-]*/gi
/** Spend and points that only orders of the neighbours have. */
const amounts = /\b(?:33300|3330|44400|4440|55500|5550|77770|7777)\b/g

/** The marks in a text that the request did not have itself. */
export const leaks = (text: string, request: string): ReadonlyArray<string> =>
  [...text.matchAll(mark), ...text.matchAll(amounts)].flatMap(([found]) => (request.includes(found) ? [] : [found]))

export const orderAt = (location_id: string, id: string, amount = 500, more: object = {}) => {
  const order = Testing.order(id, amount, { ...Testing.placedNow, ...more })
  return { ...order, scope: { ...order.scope, location_id } }
}

/** By default with the token of tills and marketing. */
const accepted = (path: string, body: object, method = "POST", headers: Record<string, string> = {}) =>
  Effect.map(TestServer.send(path, body, { method, headers }), (answer) => {
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  })

const root = (path: string, body: object, method = "POST") => accepted(path, body, method, Operators.root)

/** The wide till. */
const proto = (path: string, body: object) => accepted(`/proto/v1${path}`, { context: Testing.context(), ...body })

export const cardOf = (member_id: string) => ({ type: "loyalty_id", value: `card-${member_id}`, issuer: "x" })

const enroll = (member_id: string) => proto("/members/enroll", { program_id, identity: cardOf(member_id), member_id })

const accrue = (member_id: string, order: object, more: object = {}) =>
  proto("/accruals", { member_id, order, ...more })

const reserved = (redemption_id: string, location: string) =>
  Effect.map(
    proto("/redemptions/reserve", {
      redemption_id,
      member_id: "guest-all",
      reward_id: "one-off",
      order: orderAt(location, `${redemption_id}-order`, 500, { status: "open" })
    }),
    ({ reservation }) => String((reservation as { readonly reservation_id: string }).reservation_id)
  )

const places = [
  ["north", "North End", [{ from: "2020-01-01", franchisee_id: "nora" }]],
  ["zzqzzq-west", "Zzqzzq West End", [{ from: "2020-01-01", franchisee_id: "zzqzzq-wes" }]],
  ["zzqzzq-south", "Zzqzzq South End", [{ from: "2020-01-01", franchisee_id: "zzqzzq-sue" }]],
  [
    "moved",
    "Moved",
    [
      { from: "2020-01-01", franchisee_id: "zzqzzq-wes" },
      { from: today, franchisee_id: "nora" }
    ]
  ]
] as const

/** An adjustment of points as operators make it. */
export const gift = (adjustment_id: string, location_id: string | undefined, reason = "Cold soup", amount = 10) => ({
  adjustment_id,
  amount,
  classification: "gift",
  reason,
  qualifies_for_tier: false,
  location_id
})

/** An accrual that the wide till has posted at a neighbour, to be sent again by others. */
export const westOrder = {
  context: Testing.context("zzqzzq-key-of-west"),
  member_id: "zzqzzq-guest-w",
  order: orderAt("zzqzzq-west", "zzqzzq-o-keyed", 300)
}

export const world = Effect.gen(function* () {
  for (const [location_id, name, franchisees] of places)
    yield* root(`${Operators.api}/locations`, { location_id, name, franchisees }, "PUT")
  for (const member of ["guest-n", "guest-all", "zzqzzq-guest-w", "zzqzzq-guest-s", "zzqzzq-guest-m"])
    yield* enroll(member)
  // No restaurant learns the name of a guest.
  for (const member_id of ["guest-n", "guest-all"])
    yield* accepted("/platform/v1/members", { program_id, member_id, display_name: "Zzqzzq Family" }, "PUT")
  yield* accrue("guest-n", orderAt("north", "o-north", 600))
  yield* accrue("guest-all", orderAt("north", "o-all", 700))
  yield* accrue("guest-all", orderAt("zzqzzq-west", "zzqzzq-o-all", 800))
  yield* accrue("zzqzzq-guest-w", orderAt("zzqzzq-west", "zzqzzq-o-west", 33_300))
  yield* accrue("zzqzzq-guest-s", orderAt("zzqzzq-south", "zzqzzq-o-south", 44_400))
  yield* accrue("zzqzzq-guest-m", orderAt("moved", "zzqzzq-o-before", 55_500, { business_date: yesterday }))
  yield* accrue("guest-n", orderAt("moved", "o-after", 900))
  yield* proto("/accruals", westOrder)
  yield* root(
    `${Operators.api}/members/${program_id}/guest-all/adjustments`,
    gift("zzqzzq-a-1", "zzqzzq-west", "Zzqzzq sorry")
  )
  yield* root(
    `${Operators.api}/members/${program_id}/zzqzzq-guest-s/adjustments`,
    gift("zzqzzq-a-2", "zzqzzq-south", "Zzqzzq", 7_777)
  )
  yield* root(`${Operators.api}/tokens`, {
    name: "Zzqzzq till of the west",
    scopes: ["protocol:read"],
    franchisee_ids: ["zzqzzq-wes"]
  })
  // Of the chain, at no restaurant.
  yield* root(
    `${Operators.api}/members/${program_id}/guest-all/adjustments`,
    gift("zzqzzq-a-3", undefined, "Zzqzzq birthday", 900)
  )
  const [own, other] = [yield* reserved("r-north", "north"), yield* reserved("zzqzzq-r-west", "zzqzzq-west")]
  for (const [redemption, place] of [
    ["r-used", "north"],
    ["zzqzzq-r-used", "zzqzzq-west"]
  ] as const) {
    const reservation_id = yield* reserved(redemption, place)
    yield* proto("/redemptions/capture", { reservation_id, order_id: `${redemption}-order` })
  }
  const tokens = yield* Operators.issue({
    name: "Zzqzzq south",
    scopes: ["protocol:read"],
    location_ids: ["zzqzzq-south"]
  })
  return { reservations: { own, other }, otherToken: tokens.token_id }
})

export type World = Effect.Success<typeof world>
