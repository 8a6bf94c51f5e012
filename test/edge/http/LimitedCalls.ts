/** The requests of a walk: for each route that is open to limited callers, of what is theirs and of what is the neighbours'. */
import * as Testing from "../../../src/app/testing/Testing.ts"
import { cardOf, gift, orderAt, program_id, today, type World, westOrder, yesterday } from "./LimitedWorld.ts"

export interface Call {
  /** `own`: it is answered; `other`: refused; `open`: answered, and shows nothing of a restaurant; `any`: either. */
  readonly is: "own" | "other" | "open" | "any"
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Calls = Readonly<Record<string, ReadonlyArray<Call>>>

const open = [{ is: "open" }] as const
const proto = (is: Call["is"], body: object): Call => ({ is, body: { context: Testing.context(), ...body } })
const asked = (is: Call["is"], query: Record<string, string>): Call => ({ is, query: { program_id, ...query } })

/** Routes that show the caller's session, passkeys or invitation: test/capabilities/staff holds them. */
export const ofSelf: ReadonlyArray<string> = [
  "signOut",
  "newPasskeyOptions",
  "addPasskey",
  "renamePasskey",
  "removePasskey",
  "endOwnSessions",
  "showOwnAccount",
  "chooseOwnLanguage",
  "listOwnSessions",
  // A stream, an assistant's client and a file of the programme have steps of their own.
  "streamFeed",
  "mcp"
]

const refund = (original_order_id: string) => ({
  adjustment_id: `${original_order_id}-back`,
  original_order_id,
  type: "partial_refund",
  reason: "test",
  occurred_at: new Date().toISOString(),
  order_total_delta: { amount: -100, currency: "USD" },
  eligible_spend_delta: { amount: -100, currency: "USD" }
})

const adjusting = (id: string) => ({ member_id: "guest-all", program_id, adjustment: refund(id) })

const tills = ({ reservations }: World): Calls => ({
  "program.get": [proto("open", { program_id })],
  "member.lookup": [
    proto("own", { program_id, identity: cardOf("guest-n") }),
    proto("any", { program_id, identity: cardOf("nobody") })
  ],
  "member.enroll": [proto("own", { program_id, identity: cardOf("guest-new"), member_id: "guest-new" })],
  "account.get": [proto("own", { program_id, member_id: "guest-all" })],
  "issued_reward.list": [proto("own", { program_id, member_id: "guest-all" })],
  "order.evaluate": [
    proto("own", { member_id: "guest-all", order: orderAt("north", "o-e") }),
    proto("other", { member_id: "guest-all", order: orderAt("zzqzzq-west", "o-e") }),
    proto("other", { member_id: "guest-all", order: orderAt("moved", "o-e", 500, { business_date: yesterday }) })
  ],
  "accrual.post": [
    proto("own", { member_id: "guest-n", order: orderAt("north", "o-own") }),
    proto("other", { member_id: "guest-all", order: orderAt("zzqzzq-west", "o-other") }),
    proto("other", { member_id: "guest-all", order: orderAt("moved", "o-m", 500, { business_date: yesterday }) }),
    // By a neighbour's order id, and by the key of what a wider till posted there.
    proto("other", { member_id: "guest-all", order: orderAt("north", "zzqzzq-o-west") }),
    { is: "other", body: westOrder },
    { is: "other", body: { ...westOrder, order: orderAt("north", "zzqzzq-o-keyed", 300) } }
  ],
  "order.adjust": [
    proto("own", adjusting("o-all")),
    ...["zzqzzq-o-west", "zzqzzq-o-before", "zzqzzq-o-none"].map((id) => proto("other", adjusting(id)))
  ],
  "redemption.reserve": [
    proto("own", {
      redemption_id: "r-own",
      member_id: "guest-all",
      reward_id: "one-off",
      order: orderAt("north", "r-own-order", 500, { status: "open" })
    }),
    proto("other", {
      redemption_id: "zzqzzq-r-west",
      member_id: "guest-all",
      reward_id: "one-off",
      order: orderAt("north", "r-other-order", 500, { status: "open" })
    })
  ],
  "redemption.capture": [
    proto("other", { reservation_id: reservations.other, order_id: "zzqzzq-r-west-order" }),
    proto("own", { reservation_id: reservations.own, order_id: "r-north-order" })
  ],
  "redemption.reverse": [
    proto("other", { reservation_id: reservations.other, reason: "test" }),
    proto("own", { reservation_id: reservations.own, reason: "test" })
  ],
  keepOrder: [
    { is: "any", body: { program_id, order: orderAt("north", "k-own") } },
    { is: "other", body: { program_id, order: orderAt("zzqzzq-west", "k-other") } }
  ],
  adjustKeptOrder: [
    { is: "any", body: { program_id, adjustment: refund("k-own") } },
    { is: "other", body: { program_id, adjustment: refund("zzqzzq-o-west") } }
  ],
  claimOrder: [
    { is: "other", body: { program_id, claim_code: "0123-4567-89AB", member_id: "guest-all" } },
    { is: "other", body: { program_id, order_id: "zzqzzq-o-west", member_id: "guest-all" } }
  ]
})

const member = (member_id: string) => ({ program_id, member_id })

const restaurants: Calls = {
  restaurantFigures: [
    asked("own", {}),
    asked("other", { location_id: "zzqzzq-west" }),
    asked("own", { location_id: "moved" })
  ],
  restaurantOrders: [
    asked("own", {}),
    asked("own", { limit: "1" }),
    asked("other", { location_id: "zzqzzq-west" }),
    asked("own", { from: yesterday, to: yesterday })
  ],
  restaurantOrdersCsv: [asked("own", {}), asked("other", { location_id: "zzqzzq-south" })],
  restaurantRedemptions: [
    asked("own", {}),
    asked("own", { limit: "1" }),
    asked("other", { location_id: "zzqzzq-west" })
  ],
  restaurantRedemptionsCsv: [asked("own", {}), asked("other", { location_id: "zzqzzq-west" })],
  restaurantGuest: [
    asked("own", { member_id: "guest-all" }),
    asked("own", { known_by: "card-guest-all" }),
    asked("own", { order_id: "o-after" }),
    ...["zzqzzq-o-west", "zzqzzq-o-before", "zzqzzq-o-all", "none"].map((order_id) => asked("other", { order_id })),
    ...["zzqzzq-guest-w", "zzqzzq-guest-m", "nobody"].map((member_id) => asked("other", { member_id })),
    ...["card-zzqzzq-guest", "zzqzzq", "card"].map((known_by) => asked("other", { known_by }))
  ],
  memberLedger: [
    { is: "own", params: member("guest-all") },
    { is: "own", params: member("guest-n"), query: { limit: "1" } },
    { is: "other", params: member("guest-all"), query: { location_id: "zzqzzq-west" } },
    { is: "other", params: member("zzqzzq-guest-w") },
    { is: "other", params: member("nobody") }
  ],
  memberLedgerCsv: [
    { is: "own", params: member("guest-all") },
    { is: "other", params: member("zzqzzq-guest-m") }
  ],
  adjustMember: [
    { is: "own", params: member("guest-all"), body: gift("a-own", "north") },
    { is: "other", params: member("guest-all"), body: gift("a-other", "zzqzzq-west") },
    { is: "other", params: member("zzqzzq-guest-w"), body: gift("a-w", "north") },
    // The id of what was given elsewhere.
    { is: "other", params: member("guest-all"), body: gift("zzqzzq-a-1", "north", "Zzqzzq sorry") }
  ],
  readFeed: [
    { is: "own", query: { after: "0", limit: "1000" } },
    { is: "own", query: { after: "0", member_id: "zzqzzq-guest-w" } },
    { is: "own", query: { after: "0", location_id: "north" } },
    { is: "other", query: { location_id: "zzqzzq-west" } }
  ]
}

const desk = ({ otherToken }: World, ownToken: string): Calls => ({
  session: [{ is: "any" }],
  capabilities: [...open],
  maintenance: [...open],
  platform: [...open],
  // A service on the real clock has none.
  clock: [{ is: "any" }],
  showLogo: [{ is: "any", params: { program_id } }],
  showProgram: [{ is: "open", params: { program_id } }],
  listPrograms: [...open],
  listLocations: [{ is: "own" }],
  listClosings: [{ is: "open", params: { program_id } }],
  rollForward: [
    asked("own", { from: today, until: dayAfter(today), by: "location" }),
    asked("own", { from: yesterday, until: dayAfter(today) }),
    asked("own", { from: "2026-01-01", until: dayAfter(today), by: "month" })
  ],
  audit: [
    { is: "own" },
    { is: "own", query: { subject: "zzqzzq-guest-s" } },
    { is: "own", query: { actor: "root", limit: "1" } },
    { is: "own", query: { action: "token.create" } }
  ],
  auditCsv: [{ is: "own" }],
  tokens: [{ is: "own" }],
  createToken: [
    { is: "own", body: { name: "Second till", scopes: ["members:read"] } },
    { is: "other", body: { name: "Third", scopes: ["members:read"], franchisee_ids: ["zzqzzq-wes"] } },
    { is: "other", body: { name: "Fourth", scopes: ["members:read"], location_ids: ["zzqzzq-west"] } },
    { is: "other", body: { name: "Fifth", scopes: ["members:read"], programs: ["zzqzzq-none"] } }
  ],
  rotateToken: [
    { is: "other", params: { token_id: otherToken }, body: {} },
    { is: "own", params: { token_id: ownToken }, body: {} }
  ],
  revokeToken: [
    { is: "other", params: { token_id: otherToken }, body: { reason: "test" } },
    { is: "own", params: { token_id: ownToken }, body: { reason: "test" } }
  ]
})

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** `ownToken`: a token that the caller has made. */
export const callsOf = (world: World, ownToken: string): Calls => ({
  ...tills(world),
  ...restaurants,
  ...desk(world, ownToken)
})
