/**
 * Folds events into an order's record (contract/orders.md *Adjusting an order*). Orders leave memory with their accrual;
 * `Recall` folds them again when an adjustment needs them.
 */

import type { ChallengeProgressed, OrderAdjusted, OrderReceived } from "./AccountEvent.ts"
import { evolveEarning, evolveOther } from "./Clawback.ts"
import type { Accrual, Posted } from "./Posted.ts"
import * as Remaining from "./Remaining.ts"
import type { OrderEarning, OrderRecord, OrderTerms } from "./State.ts"

const termsOf = ({ elsewhere, lines = [], minimum }: Accrual): OrderTerms | undefined =>
  minimum === undefined
    ? undefined
    : { minimum, isElsewhere: elsewhere === true, lines: Remaining.linesOf(lines), raised: 0 }

/** An order's record with the accrual on one more balance. */
const accrued = (record: OrderRecord | undefined, event: Accrual): OrderRecord => {
  const earning: OrderEarning = {
    unit: event.unit,
    n: event.n,
    rule: event.rule ?? [0, 0, 0],
    promotions: event.promotions ?? [],
    most: event.most ?? Number.POSITIVE_INFINITY,
    kept: event.amount,
    inMetrics: event.amount,
    lots: event.amount > 0 ? [event.n] : [],
    expired: 0,
    counted: 0,
    filled: [],
    clawed: []
  }
  return {
    order: event.order,
    location: event.location ?? "",
    period: record?.period ?? event.period ?? event.lastPeriod,
    spend: event.spend ?? 0,
    terms: record?.terms ?? termsOf(event),
    delta: record?.delta ?? 0,
    closed: record?.closed ?? false,
    isEmpty: record?.isEmpty ?? false,
    hasEarned: record?.hasEarned ?? event.orders !== 0,
    uses: record?.uses ?? event.uses ?? [],
    challenges: record?.challenges ?? [],
    earnings: record === undefined ? [earning] : record.earnings.concat(earning)
  }
}

/** An order's parts of challenges after an accrual's or an adjustment's event. */
const countedAfter = ({ challenges }: OrderRecord, { changes = [], counts }: ChallengeProgressed) =>
  counts ??
  challenges.map((part) => {
    const change = changes.find(({ id, since }) => id === part.id && since === part.since)
    return change === undefined ? part : { ...part, amount: part.amount + change.amount }
  })

const countedBy = (
  { hasEarned, isEmpty }: OrderRecord,
  { left, orders }: OrderAdjusted | OrderReceived
): Pick<OrderRecord, "isEmpty" | "hasEarned"> => ({
  isEmpty: left === undefined ? isEmpty : left === "none",
  hasEarned: hasEarned || orders === 1
})

/** The earnings of an order that moved, with what refunds had taken of it before. */
const refundedBefore = ({ earnings }: OrderRecord, { refunded = [] }: OrderReceived): ReadonlyArray<OrderEarning> =>
  earnings.map((earning) => {
    const clawed = refunded.find(([unit]) => unit === earning.unit)?.[1]
    return clawed === undefined ? earning : { ...earning, lots: [earning.n], clawed }
  })

/** An order's record after an event that concerns it, else undefined. */
export const evolveOrder = (
  record: OrderRecord | undefined,
  event: Posted | OrderAdjusted | OrderReceived | ChallengeProgressed
): OrderRecord | undefined => {
  if (event.type === "posted") return posted(record, event)
  if (record?.order !== event.order) return undefined
  switch (event.type) {
    case "challenge_progressed":
      return { ...record, challenges: countedAfter(record, event) }
    case "order_adjusted":
      return adjusted(record, event)
    case "order_received": {
      const { delta, raised } = event
      const terms = record.terms && { ...Remaining.evolveTerms(record.terms, event), raised }
      return { ...record, terms, delta, ...countedBy(record, event), earnings: refundedBefore(record, event) }
    }
  }
}

const adjusted = (record: OrderRecord, event: OrderAdjusted): OrderRecord => ({
  ...record,
  terms: record.terms && Remaining.evolveTerms(record.terms, event),
  delta: record.delta + event.delta,
  closed: record.closed || event.closes === true,
  ...countedBy(record, event),
  ...(event.moved === undefined ? undefined : { isMoved: true })
})

const posted = (record: OrderRecord | undefined, event: Posted): OrderRecord | undefined => {
  if (event.op === "accrual" && (record === undefined || record.order === event.order)) {
    // An order that was moved away and comes back begins anew.
    return accrued(record?.isMoved === true ? undefined : record, event)
  }
  if (record === undefined) return undefined
  if (event.op === "adjustment" && event.order !== undefined) {
    const fold = event.order === record.order ? evolveEarning : evolveOther
    return withEarning(
      record,
      ({ unit }) => unit === event.unit,
      (earning) => fold(earning, event)
    )
  }
  const lot = event.op === "expiration" ? event.taken?.[0]?.[0] : event.op === "reversal" ? event.restores : undefined
  if (lot === undefined) return undefined
  const isOfLot = ({ lots }: OrderEarning) => lots.includes(lot)
  if (!record.earnings.some(isOfLot)) return undefined
  return withEarning(record, isOfLot, (earning) => ({ ...earning, expired: earning.expired - event.amount }))
}

const withEarning = (
  record: OrderRecord,
  which: (earning: OrderEarning) => boolean,
  change: (earning: OrderEarning) => OrderEarning
): OrderRecord => ({
  ...record,
  earnings: record.earnings.map((earning) => (which(earning) ? change(earning) : earning))
})
