/**
 * Entries of the ledger, as the journal keeps them: one type for each operation. All are the same JSON, and an entry has no
 * property that the type of its operation lacks.
 */
import type { Classification, Unit } from "../../../contract/Values.ts"
import type { Terms as PromotionTerms, Use } from "../../rules/Promotions.ts"
import type { LotShare } from "./Lots.ts"

/**
 * The rule that turned eligible spend into an accrual's points, stored with the
 * accrual: `[amount, spend, multiplier_bps]`. Spend is in minor units; 0 means per order.
 */
export type EarnRule = readonly [amount: number, spend: number, multiplierBps: number]

/** A line of an order that accrued: money in minor units, `spend` its eligible spend, absent if that is the subtotal. */
export type LineFacts = readonly [id: string, quantity: number, subtotal: number, spend?: number]

/** A promotion's part of an accrual, with its rule. */
export interface PromotionFacts extends PromotionTerms {
  readonly id: string
  /** Its name, for guests. */
  readonly name: string
  /** Points that it gave, which are part of the entry's amount. */
  readonly amount: number
}

/** A ledger entry and its effect on the lots: the facts of every operation. */
interface Entry {
  readonly type: "posted"
  readonly at: number
  /** Number of the entry in its account, from 1. */
  readonly n: number
  readonly unit: Unit
  readonly amount: number
  /** Instant at which the lot made by this entry expires, or `withAccount`. */
  readonly expires?: number
  /** When the account's lots without a date of their own expire, from this entry on. */
  readonly idle?: number
  /** Points that went into a new lot, if not the whole positive amount. */
  readonly lot?: number
  /** Points taken out of lots. */
  readonly taken?: ReadonlyArray<LotShare>
  /** Points put back into lots, or brought by a merge with their dates. An entry with `back` makes a new lot only if `lot` is set. */
  readonly back?: ReadonlyArray<LotShare>
  /** The card that counts from this entry on, by the instant at which it began, and how many are filled before the entry. */
  readonly card?: readonly [from: number, filled: number]
  /** Number of the source entry. */
  readonly related?: number
  readonly reason?: string
}

/** An entry that metrics may count. */
interface Earning extends Entry {
  readonly qualifies?: boolean
  /** Start of the tier period in which the amount counts as qualifying; 0 without a tier policy. Absent: it counts in none. */
  readonly period?: number
  /** Instead of `period`: start of the last tier period, whose figures the adjustment of an order changes. */
  readonly lastPeriod?: number
}

/** Of an order's entries only the first has the facts from `minimum` to `forgets`. */
export interface Accrual extends Earning {
  readonly op: "accrual"
  readonly order: string
  readonly location?: string
  /** The order's eligible spend (minor units) and the earning rule. */
  readonly spend?: number
  readonly rule?: EarnRule
  /**
   * The programme's minimum spend (minor units), whether the order earned nothing for its channel or a limit, and the
   * order's lines. Records of earlier rules have no minimum; their orders are adjusted by those rules.
   */
  readonly minimum?: number
  readonly elsewhere?: true
  readonly lines?: ReadonlyArray<LineFacts>
  /** 0 if the order counts as none, because no account earned by its base rule. Absent: it counts, as all do in older records. */
  readonly orders?: 0 | 1
  /**
   * Whether it is the first order that counts, of those that are not closed. Absent in older records, which have no
   * `orders` either, and if the order counts as none.
   */
  readonly first?: boolean
  /** Uses that count in limits, and counts that no promotion has any more. */
  readonly uses?: ReadonlyArray<Use>
  readonly forgets?: ReadonlyArray<Pick<Use, "id" | "since">>
  readonly promotions?: ReadonlyArray<PromotionFacts>
  /** If it is capped: most that the order earns on the account. */
  readonly most?: number
  /** When the guest ordered, by the till's clock; ms. Absent in older records. */
  readonly placed?: number
  /** The till's business day, YYYY-MM-DD. Absent in older records. */
  readonly business?: string
  /** The evaluation that the caller acted on. */
  readonly evaluation?: string
  /** Of an order that was moved here: when it accrued, ms. Its points keep that date, and their expiry. */
  readonly earned?: number
}

/** The adjustment of an order; with `reset`, a stamp card's reset or a merge's entry. */
export interface Adjusting extends Earning {
  readonly op: "adjustment"
  readonly order?: string
  readonly location?: string
  readonly adjustment?: string
  /** It counts for no metric. */
  readonly reset?: true
  /**
   * Expired points of the order that a clawback counted without posting them; negative if a correction undid that. Of points
   * that were moved in: their amount, which fills no stamp card.
   */
  readonly counted?: number
  /**
   * The amount that metrics add, if it is another one: the points that the order keeps, less those that they have counted
   * of it so far. So points that have expired count for no refunded order. 0 for points that were moved in.
   */
  readonly counts?: number
  /** Points of earlier clawbacks that a correction undid. Lot 0: points that had left a hole. `back` omits those that fill a hole. */
  readonly undone?: ReadonlyArray<LotShare>
  /** Correction: points that filled a hole which the order had not left. Clawback: such points that it took again. */
  readonly filled?: ReadonlyArray<LotShare>
  /** The account's date had passed: what a correction returns to lots without a date of their own had expired. */
  readonly over?: true
}

/** The cost of a captured hold. */
interface Redemption extends Entry {
  readonly op: "redemption"
  readonly order: string
  readonly location: string
  readonly reservation: string
  readonly wallet?: undefined
}

/** The cost of a wallet reward that the member took for points. */
interface Taking extends Entry {
  readonly op: "redemption"
  /** The issued reward. */
  readonly wallet: string
}

/** The refund of a captured hold; with `restores`, the return of a lot that had expired too early. */
interface Reversal extends Entry {
  readonly op: "reversal"
  readonly order?: string
  readonly location?: string
  readonly reservation?: string
  /** The wallet reward whose cost returns, because it was cancelled. */
  readonly wallet?: string
  /** Number of the lot whose early expiration this entry reverses. */
  readonly restores?: number
}

interface Expiring extends Entry {
  readonly op: "expiration"
}

interface Manual extends Earning, Pick<Adjusting, "counted" | "counts"> {
  readonly op: "manual"
  readonly adjustment: string
  readonly location?: string
  readonly classification: Classification
}

export type Posted = Accrual | Adjusting | Redemption | Taking | Reversal | Expiring | Manual

/** An entry of any operation, with what balances and metrics count of it. */
export type CountedEntry = Entry &
  Partial<Pick<Earning, "period" | "lastPeriod">> &
  Partial<Pick<Adjusting, "counted" | "counts">>

/** An entry of any operation, with what a row of the ledger shows of it. */
export type ShownEntry = Entry &
  Pick<Posted, "op"> &
  Partial<Pick<Accrual, "order" | "location" | "qualifies" | "placed" | "business">> &
  Partial<Pick<Adjusting, "adjustment" | "reset">> &
  Partial<Pick<Redemption, "reservation">> &
  Partial<Pick<Manual, "classification">>
