/**
 * Finds what a clock ahead of time has expired, and returns it (contract/databases.md *Clock of the service*):
 * points to their lots, with the dates they had, and wallet rewards. Nothing of it
 * counts for metrics or stamp cards. The account's time goes back to the present.
 */
import type { Unit } from "../../../contract/Values.ts"
import type { AccountEvent } from "./AccountEvent.ts"
import type { ExpiredEarly, FoundEarly, RestoreExpired, RewardExpiredEarly } from "./Action.ts"
import type { Circumstances, Decision } from "./Decision.ts"
import { decided, tooLarge } from "./Decision.ts"
import { Draft } from "./Draft.ts"
import { isOver } from "./Lots.ts"
import type { Posted } from "./Posted.ts"
import { refusal } from "./Refusal.ts"
import { factsOf } from "./Rewards.ts"
import type { State } from "./State.ts"
import { unitOf } from "./State.ts"

const key = (order: string, unit: Unit): string => `${unit} ${order}`

/** Reads an account's records in order, and keeps what expired before its time. */
export class Search {
  private lots: Array<ExpiredEarly> = []
  private rewards = new Map<string, RewardExpiredEarly>()
  private readonly issued = new Map<string, RewardExpiredEarly["was"]>()
  /** The order and unit that made a lot. */
  private readonly orders = new Map<number, string>()
  /** Points of an order that its clawbacks have counted as expired since the first early expiration. */
  private counted = new Map<string, number>()
  /** The account's date (`State.idle`). */
  private idle: number | undefined
  private records = 0
  private seq = 0

  /** `trueMs`: the time at which the record was really written; undefined if its date is trusted. */
  read(seq: number, events: ReadonlyArray<AccountEvent>, trueMs: number | undefined): void {
    this.seq = seq
    if (trueMs !== undefined) this.records++
    for (const event of events) this.event(event, trueMs)
  }

  private event(event: AccountEvent, trueMs: number | undefined): void {
    if (event.type === "clock_corrected") {
      this.lots = []
      this.rewards = new Map()
      this.counted = new Map()
      this.records = 0
    } else if (event.type === "posted") this.posted(event, trueMs)
    else if (event.type === "merged_in" || event.type === "moved_in") this.idle = event.idle ?? this.idle
    else if (event.type === "reward_issued") this.issued.set(event.issued, event)
    else if (event.type === "reward_received") this.issued.set(event.issued, event.was)
    else if (event.type === "reward_expired" && trueMs !== undefined) {
      const was = this.issued.get(event.issued)
      if (was?.expires !== undefined && was.expires > trueMs)
        this.rewards.set(event.issued, { issued: event.issued, was })
    }
  }

  private posted(event: Posted, trueMs: number | undefined): void {
    const { n, unit } = event
    this.idle = event.idle ?? this.idle
    if ((event.op === "accrual" || event.op === "adjustment") && event.order !== undefined) {
      const of = key(event.order, unit)
      this.orders.set(n, of)
      const counted = event.op === "adjustment" ? (event.counted ?? 0) : 0
      if (this.lots.length > 0) this.counted.set(of, (this.counted.get(of) ?? 0) + counted)
    }
    if (event.op !== "expiration" || trueMs === undefined) return
    for (const share of event.taken ?? [])
      if (!isOver(share, trueMs, this.idle)) this.lots.push({ unit, entry: n, share })
  }

  /** Lots to be returned at `now`. Those due since stay expired, and so do those that a refund has taken. */
  found(now: number): FoundEarly {
    const counted = new Map(this.counted)
    const lots: Array<ExpiredEarly> = []
    // Newest first, as a clawback takes an order's lots.
    for (const one of this.lots.toReversed()) {
      const [n, points, expires, earned] = one.share
      if (isOver(one.share, now, this.idle)) continue
      const of = this.orders.get(n) ?? ""
      const taken = Math.min(points, Math.max(0, counted.get(of) ?? 0))
      counted.set(of, (counted.get(of) ?? 0) - taken)
      if (points > taken) lots.push({ ...one, share: [n, points - taken, expires, earned] })
    }
    const rewards = [...this.rewards.values()].filter(({ was }) => was.expires !== undefined && was.expires > now)
    return {
      lots: lots.toSorted((a, b) => a.share[3] - b.share[3] || a.entry - b.entry),
      rewards,
      seq: this.seq,
      records: this.records
    }
  }
}

export const restoreExpired = (
  state: State,
  { found, reason }: RestoreExpired,
  { now, program }: Circumstances
): Decision => {
  if (state.seq !== found.seq)
    return refusal("invalid_state", "The account has newer records than those that were read.")
  // The one decision that is dated before the account's last event: that one was dated by the wrong clock.
  const draft = new Draft({ ...state, at: Math.min(state.at, now) }, program, now)
  draft.emit({ type: "clock_corrected", at: draft.at, from: state.at })
  for (const { entry, share, unit } of found.lots) {
    if (!draft.keeps(unit, share[1])) return tooLarge(unit)
    // As for a reversal: what returns fills a hole first.
    const [n, points, expires, earned] = share
    const left = points - Math.min(points, Math.max(0, -unitOf(draft.state, unit).posted))
    draft.emit({
      type: "posted",
      at: draft.at,
      n: draft.state.entries + 1,
      op: "reversal",
      unit,
      amount: points,
      back: left > 0 ? [[n, left, expires, earned]] : [],
      related: entry,
      restores: n,
      reason
    })
  }
  for (const { issued, was } of found.rewards) {
    draft.emit({ type: "reward_restored", at: draft.at, issued, was: factsOf(was) })
  }
  return decided(draft, { type: "none" })
}
