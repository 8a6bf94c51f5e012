/** Tools about orders: why one earned what it did, and what one would earn. */
import { Effect } from "effect"
import type { LedgerPage, OperatorsEntry } from "../../contract/admin/MemberLedger.ts"
import type { MemberList } from "../../contract/admin/MemberList.ts"
import { membersPath } from "../../contract/admin/MemberList.ts"
import { pathOf } from "../../contract/admin/Members.ts"
import type { VersionList, VersionShown } from "../../contract/admin/Programs.ts"
import { programsPath } from "../../contract/admin/ProgramsInForce.ts"
import { typeOf } from "../../contract/platform/EventTypes.ts"
import type { FeedEvent, feedEvents } from "../../contract/platform/FeedEvents.ts"
import { platformPath } from "../../contract/platform/Platform.ts"
import { operations } from "../../contract/protocol/Operations.ts"
import { Order } from "../../contract/protocol/Order.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { ForeignId, fromMillis, toMillis } from "../../contract/Values.ts"
import { Asking, ToolRefused } from "./Asking.ts"
import * as Bounds from "./Bounds.ts"
import { said } from "./GuestText.ts"
import { answer } from "./ToolAnswer.ts"
import * as Toolbox from "./Toolbox.ts"
import * as Words from "./Words.ts"

type Entry = typeof OperatorsEntry.Type
type Accrued = (typeof feedEvents)["order.accrued"]["Type"]

export const explainOrder = Toolbox.make("explain_order", {
  title: "Explain what an order earned",
  description:
    "Says why an order earned what it did: its ledger entries, and with more scopes its eligible spend, the rate that was in force, the tier's multiplier and each promotion's part.",
  asks: ["listMembers", "memberLedger"],
  mayAsk: ["readFeed", "listProgramVersions"],
  parameters: {
    program_id: Toolbox.programId,
    order_id: ForeignId.annotate({ description: "The order's id." }),
    member_id: Toolbox.optionally(Toolbox.memberId, "Whose order it is. Absent: it is searched for.")
  }
})

interface Explained {
  readonly program_id: string
  readonly order_id: string
  readonly member_id?: string
}

/** The members that may have the order: a search for its id finds more than orders. */
const candidates = ({ member_id, order_id, program_id }: Explained) => {
  if (member_id !== undefined) return Effect.succeed([member_id])
  const query = { program_id, search: order_id, limit: String(Bounds.orderCandidates) }
  return Effect.map(Toolbox.get<MemberList>(membersPath, query), ({ members }) => members.map((one) => one.member_id))
}

/** A member's entries of the order; none if it has none among the newest entries that are looked through. */
const entriesOf = Effect.fnUntraced(function* (program: string, member: string, order: string) {
  const path = `${pathOf(program, member)}/ledger`
  const found: Array<Entry> = []
  let cursor: string | undefined
  for (let page = 0; page < Bounds.ledgerPages; page++) {
    const query = { operations: "accrual,adjustment", limit: "200", cursor }
    const { entries, next_cursor } = yield* Toolbox.get<typeof LedgerPage.Type>(path, query)
    found.push(...entries.filter(({ order_id }) => order_id === order))
    cursor = next_cursor
    if (cursor === undefined || found.some(({ operation }) => operation === "accrual")) break
  }
  return found
})

const isOf =
  (order: string) =>
  (event: FeedEvent): event is Accrued =>
    event.type === typeOf("order.accrued") && event.data.order_id === order

/** The event that announced the accrual. It has what the entry was computed from. */
const eventOf = Effect.fnUntraced(function* ({ member_id, occurred_at, program_id }: Entry, order: string) {
  let after = `time:${fromMillis(toMillis(occurred_at) - Bounds.feedBeforeMs)}`
  for (let page = 0; page < Bounds.feedPages; page++) {
    const query = { program_id, member_id, types: typeOf("order.accrued"), after, limit: "100" }
    const { events, next } = yield* Toolbox.get<{
      readonly events: ReadonlyArray<FeedEvent>
      readonly next: string
    }>(`${platformPath}/feed`, query)
    const found = events.find(isOf(order))
    if (found !== undefined) return found
    after = next
  }
  return undefined
})

/** The definition that was in force at an instant. */
const definitionAt = Effect.fnUntraced(function* (program: string, at: string) {
  const path = `${programsPath}/${encodeURIComponent(program)}/versions`
  const { versions } = yield* Toolbox.get<typeof VersionList.Type>(path, { limit: "200" })
  const one = versions.find(({ published_at }) => published_at <= at) ?? versions.at(-1)
  return one === undefined ? undefined : yield* Toolbox.get<typeof VersionShown.Type>(`${path}/${one.version}`)
})

const rateOf = ({ program, version }: typeof VersionShown.Type): ReadonlyArray<string> => {
  const { account_earning, earning } = program
  const rules = account_earning ?? [{ mode: "spend" as const, ...earning.rate }]
  return rules.map(({ amount, mode, spend, unit }) =>
    mode === "spend" && spend !== undefined
      ? `By version ${version} of the programme, which was in force then, each ${Words.money(spend)} of eligible spend earns ${amount} ${unit}; orders below ${Words.money(earning.minimum_eligible_spend)} earn nothing by spend.`
      : `By version ${version} of the programme, which was in force then, each order earns ${amount} ${unit}.`
  )
}

const partsOf = ({ eligible_spend, first_order, multiplier_bps, promotions = [] }: Accrued["data"]) => [
  `Its eligible spend was ${Words.money(eligible_spend)}: without tax, tip and excluded lines.`,
  `The multiplier of the member's tier was ${Words.multiplier(multiplier_bps)}.`,
  ...(promotions.length === 0
    ? ["No promotion gave anything."]
    : promotions.map(
        ({ amount, promotion_id, unit }) => `Promotion ${said(promotion_id)} gave ${amount} ${unit} of what it earned.`
      )),
  ...(first_order ? ["It is the member's first order."] : [])
]

const explain = Toolbox.handler(
  "explain_order",
  Effect.fnUntraced(function* (asked: Explained) {
    const { order_id, program_id } = asked
    let entries: ReadonlyArray<Entry> = []
    for (const member of yield* candidates(asked)) {
      entries = yield* entriesOf(program_id, member, order_id)
      if (entries.length > 0) break
    }
    const accruals = entries.filter(({ operation }) => operation === "accrual")
    const [accrual] = accruals
    if (accrual === undefined) {
      const where =
        asked.member_id === undefined
          ? "the members that a search for it finds; give member_id"
          : `member ${said(asked.member_id)}; without member_id it is searched for`
      const message = `not_found: No accrual of the order was found in programme ${said(program_id)}, in the newest entries of ${where}.`
      return yield* new ToolRefused({ code: "not_found", message })
    }
    const event = yield* Toolbox.ifAllowed(eventOf(accrual, order_id))
    const definition = yield* Toolbox.ifAllowed(definitionAt(program_id, accrual.occurred_at))
    const earned = accruals.map(({ amount, unit }) => `${amount} ${unit}`).join(" and ")
    const isUnannounced = event.found === undefined && event.missing === undefined
    const unannounced = isUnannounced ? "The order's event is not in the feed, or not yet: ask again." : undefined
    const missing = [event.missing, unannounced, definition.missing].flatMap((one) =>
      one === undefined ? [] : [`Some reasons are not shown. ${one}`]
    )
    return answer({
      summary: `The order of member ${said(accrual.member_id)} earned ${earned} at ${accrual.occurred_at}.`,
      explanation: [
        ...(definition.found === undefined ? [] : rateOf(definition.found)),
        ...(event.found === undefined ? [] : partsOf(event.found.data)),
        "Points are rounded down, once for the whole order.",
        ...missing,
        "Its entries, newest first:",
        ...entries.map(Words.entry)
      ],
      data: { entries, accrued: event.found === undefined ? undefined : factsOf(event.found.data) }
    })
  })
)

const factsOf = ({ eligible_spend, first_order, location_id, multiplier_bps, promotions }: Accrued["data"]) => ({
  eligible_spend,
  multiplier_bps,
  first_order,
  location_id,
  promotions
})

export const evaluateOrder = Toolbox.make("evaluate_order", {
  title: "Evaluate an order",
  description:
    "Says what an order would earn now, and which rewards the guest could use for it. The order is not posted, and nothing is reserved.",
  asks: ["order.evaluate"],
  parameters: {
    member_id: Toolbox.memberId,
    order: Order
  }
})

interface Evaluated {
  readonly member_id: string
  readonly order: Order
}

type Evaluation = (typeof operations)["order.evaluate"]["response"]["Type"]

const evaluate = Toolbox.handler("evaluate_order", ({ member_id, order }: Evaluated) =>
  Effect.gen(function* () {
    const { requestId } = yield* Asking
    const { context: _, ...data } = yield* Toolbox.ask<Evaluation>({
      method: "POST",
      path: operations["order.evaluate"].path,
      body: {
        context: {
          protocol_version: protocolVersion,
          profile,
          request_id: requestId,
          occurred_at: order.placed_at,
          source: { system: "mcp" }
        },
        member_id,
        order
      }
    })
    const { almost = [], estimated_accrual, ineligible_reasons = [], promotions = [], rewards } = data
    const usable = rewards.filter(({ status }) => status === "available")
    return answer({
      summary: `The order would earn ${estimated_accrual.amount} ${estimated_accrual.unit} if it were paid now. ${usable.length} of ${rewards.length} rewards could be used for it.`,
      explanation: [
        ...ineligible_reasons.map((reason) => `It earns nothing by spend: ${reason}.`),
        ...promotions.map(
          ({ amount, promotion_id, unit }) => `Promotion ${said(promotion_id)} would give ${amount} ${unit} of it.`
        ),
        ...almost.map(
          ({ promotion_id }) => `Promotion ${said(promotion_id)} is nearly reached; data says what is missing.`
        )
      ],
      data
    })
  })
)

export const handlers = { explain_order: explain, evaluate_order: evaluate }
