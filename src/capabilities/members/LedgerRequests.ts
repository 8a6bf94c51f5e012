/** Additions of the records to the operators' ledger of their entries: causes, callers, requests, balances and rates. */
import { Effect } from "effect"
import type { EntryCause, EntryRate, EntryRequest } from "../../contract/admin/MemberLedger.ts"
import { postedOf } from "../../core/account/BalanceAt.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { mergeReason } from "../../core/account/domain/AccountEvent.ts"
import type { Posted } from "../../core/account/domain/Posted.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable, StoredRecord } from "../../core/journal/Records.ts"
import type * as MemberLedger from "../../core/protocol/MemberLedger.ts"

export interface Posting {
  readonly cause: EntryCause
  /** Undefined for entries that the service posted by itself, such as expirations. */
  readonly actor: string | undefined
  readonly request: typeof EntryRequest.Type | undefined
  readonly balance: number | undefined
  readonly rate: typeof EntryRate.Type | undefined
  /** The reward of a full stamp card. */
  readonly reward_id: string | undefined
}

const requestOf = (origin: string | undefined): Posting["request"] => {
  if (origin === undefined) return undefined
  const [request_id = "", system, instance] = origin.split(" ")
  return { request_id, ...(system === undefined ? {} : { source: { system, ...(instance && { instance }) } }) }
}

const rateOf = (entry: Posted, currency: string): Posting["rate"] => {
  if (entry.op !== "accrual" || entry.rule === undefined || entry.spend === undefined) return undefined
  const { rule, spend } = entry
  const [amount, per, multiplier_bps] = rule
  const money = (amount: number) => ({ amount, currency })
  return { amount, multiplier_bps, eligible_spend: money(spend), ...(per > 0 && { spend: money(per) }) }
}

const adjustedBy = (events: ReadonlyArray<AccountEvent>): EntryCause => {
  const adjusted = events.find((event) => event.type === "order_adjusted")
  if (adjusted === undefined) throw new Error("an order's adjustment has no event of its own in its record")
  if (adjusted.moved !== undefined) return "order_moved"
  switch (adjusted.kind) {
    case "partial_refund":
    case "full_refund":
      return "refund"
    case "void":
    case "correction":
      return adjusted.kind
  }
}

/** `events`: those of the entry's record. */
export const causeOf = (entry: Posted, events: ReadonlyArray<AccountEvent>): EntryCause => {
  switch (entry.op) {
    case "accrual":
      return entry.earned === undefined ? "order" : "order_moved"
    case "adjustment":
      if (entry.reset === true) return entry.reason === mergeReason ? "merge" : "stamp_card"
      return adjustedBy(events)
    case "reversal":
      return entry.restores === undefined ? "reversal" : "expiration_undone"
    default:
      return entry.op
  }
}

/** The reward that a full card has issued: its event stands just before the entry that empties the card. */
const cardRewardOf = (entry: Posted, events: ReadonlyArray<AccountEvent>): string | undefined => {
  if (entry.op !== "adjustment" || entry.reset !== true) return undefined
  const issued = events[events.findIndex((event) => event.type === "posted" && event.n === entry.n) - 1]
  return issued?.type === "reward_issued" && issued.card !== undefined ? issued.reward : undefined
}

/** A record has the balances after all of its entries: those after each follow from the last entry backwards. */
const postingsIn = (record: StoredRecord, currency: string): ReadonlyArray<readonly [number, Posting]> => {
  const caller = { actor: record.actor, request: requestOf(record.origin) }
  const balances = postedOf(record.balances)
  const events = decodeEvents(record)
  return events
    .filter((event) => event.type === "posted")
    .toReversed()
    .map((event) => {
      const balance = balances.get(event.unit)
      if (balance !== undefined) balances.set(event.unit, balance - event.amount)
      const told = { rate: rateOf(event, currency), reward_id: cardRewardOf(event, events) }
      return [event.n, { cause: causeOf(event, events), ...caller, balance, ...told }] as const
    })
}

/** The postings of entries, in their order. */
export const of = Effect.fnUntraced(function* (
  journal: Journal["Service"],
  entries: ReadonlyArray<MemberLedger.Entry>,
  currency: string
): Effect.fn.Return<ReadonlyArray<Posting>, JournalUnavailable> {
  const found = new Map<number, ReadonlyMap<number, Posting>>()
  for (const [account, own] of Map.groupBy(entries, ({ owner }) => owner.account)) {
    const records = yield* journal.recordsOf(
      account,
      own.map(({ row }) => row.n)
    )
    found.set(account, new Map(records.flatMap((record) => postingsIn(record, currency))))
  }
  return entries.map(({ owner: { account }, row: { n } }) => {
    const posting = found.get(account)?.get(n)
    if (posting === undefined) throw new Error(`entry ${account}/${n} is in no record`)
    return posting
  })
})
