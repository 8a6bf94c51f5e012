/** Entries that a till keeps of sales, adjustments and holds, and their keys (contract/idempotency.md *Keys*). */
import type { buildOrder } from "../OrderBuilder.ts"
import { jsonOf } from "../Request.ts"
import { StoreError } from "./Store.ts"
import { TillError } from "./TillErrors.ts"

export type Order = ReturnType<typeof buildOrder>

/** How a guest is known: a card number, a token of a wallet, a hash of an address. */
export interface Card {
  readonly type: "loyalty_id" | "token" | "email_hash" | "phone_hash" | "external"
  readonly value: string
  readonly issuer?: string
}

/** Exactly one of the two. */
export type Guest =
  | { readonly card: Card; readonly memberId?: undefined }
  | { readonly memberId: string; readonly card?: undefined }

interface Money {
  readonly amount: number
  readonly currency: string
}

/** A refund, a void or a correction (docs/refunds.md). */
export interface Adjustment {
  /** Unique in the programme, for good. */
  readonly adjustment_id: string
  readonly original_order_id: string
  readonly type: "partial_refund" | "full_refund" | "void" | "correction"
  readonly reason: string
  readonly occurred_at: string
  readonly order_total_delta: Money
  readonly eligible_spend_delta: Money
  readonly lines?: ReadonlyArray<{
    readonly line_id: string
    readonly quantity_delta: number
    readonly subtotal_delta: Money
  }>
}

export type SaleInput = Guest & {
  readonly order: Order
  /** For the member, if the card has to be enrolled. */
  readonly attributes?: Readonly<Record<string, unknown>>
}
export type AdjustmentInput = Guest & { readonly adjustment: Adjustment }

interface Reserving {
  /** Unique in the programme, for good. */
  readonly redemptionId: string
  readonly rewardId: string
  /** The order before the reward is applied. */
  readonly order: Order
  /** For a reward that guests pay with, a multiple of its cost. */
  readonly points?: number
  /** A reward of the guest's wallet. */
  readonly issuedRewardId?: string
}

/** A card's member is looked up. */
export type ReserveInput = Guest & Reserving

/** The hold that is asked for, and its member. */
export type Reserved = Reserving & { readonly memberId: string }

export type SaleJob = SaleInput & { readonly kind: "sale" }
export type AdjustmentJob = AdjustmentInput & { readonly kind: "adjustment" }

/**
 * A hold, kept from before it is opened until it has ended. `reserve`: it may be open, and nobody decided yet; a till that
 * starts reverses it. `capture`, `reverse`: decided, and sent until it is answered. `again`: hold anew and capture at once.
 */
export interface HoldJob {
  readonly kind: "hold"
  readonly step: "reserve" | "capture" | "reverse" | "again"
  readonly redemptionId: string
  readonly orderId: string
  /** The request; absent for a hold that an earlier till opened. */
  readonly input?: Reserved
  readonly reservationId?: string
  readonly reason?: string
}

export type Job = SaleJob | AdjustmentJob | HoldJob

/** Why the service refused an entry. */
export interface Refusal {
  readonly code: string
  readonly status: number
  readonly detail: string
  /** Each invalid property, where the code is `validation_failed` or `invalid_order`. */
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly requestId?: string
  /** The service's database was restored, and may have lost the member since then: the till sends the entry again. */
  readonly memberUnknownSince?: string
  /** Action that a person can take. */
  readonly remedy: string
  readonly at: string
}

export interface Entry<J extends Job = Job> {
  /** `sale:`, `adjustment:` or `hold:` and the id of the order, adjustment or redemption. */
  readonly id: string
  /** Its place in the order in which things were accepted. */
  readonly seq: number
  readonly acceptedAt: string
  /** How often it was mended: each time it has another key. */
  readonly revision: number
  readonly job: J
  /** The member that had the card of an adjustment when it was first sent. */
  readonly memberId?: string
  readonly refusal?: Refusal
}

/** Version of an entry's text. */
const version = 1

export const encode = (entry: Entry): string => JSON.stringify({ v: version, ...entry })

/** The entry of a text; undefined where it is none. Throws for one of a newer version. */
export const decode = (text: string): Entry | undefined => {
  let parsed: (Entry & { readonly v?: unknown }) | null
  try {
    parsed = JSON.parse(text) as typeof parsed
  } catch {
    return undefined
  }
  if (typeof parsed?.v !== "number") return undefined
  if (parsed.v > version)
    throw new StoreError("newer_format", `an entry has version ${parsed.v}, and this till reads ${version}`)
  const { v: _, ...entry } = parsed
  return typeof entry.id === "string" && typeof entry.seq === "number" ? entry : undefined
}

export const idOf = (job: Job): string => {
  if (job.kind === "sale") return `sale:${job.order.order_id}`
  return job.kind === "adjustment" ? `adjustment:${job.adjustment.adjustment_id}` : `hold:${job.redemptionId}`
}

/** One key for one action, the same in every process: from the business id, and from how often it was mended. */
export const keyOf = (action: string, businessId: string, revision: number): string =>
  `till-${action}-${businessId}${revision === 0 ? "" : `~${revision}`}`

const guestTag = ({ card, memberId }: Guest): string =>
  card === undefined ? `member ${memberId}` : `card ${JSON.stringify([card.type, card.issuer ?? null, card.value])}`

/**
 * Keys that it shares with jobs sent one after the other: the guest, however named, and the order. Holds share
 * nothing: they do not wait, since they expire.
 */
export const tagsOf = (job: Job): ReadonlyArray<string> => {
  if (job.kind === "hold") return []
  const orderId = job.kind === "sale" ? job.order.order_id : job.adjustment.original_order_id
  return [guestTag(job), `order ${orderId}`]
}

/** A capture goes before all that waits: its hold ends. */
export const isUrgent = (job: Job): boolean => job.kind === "hold" && (job.step === "capture" || job.step === "again")

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)])
  )
}

/** Whether two values say the same, however their properties are ordered. */
export const isSame = (one: object, other: object): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

/** A copy that no caller changes, with what JSON keeps of it. */
export const copyOf = <A>(value: A): A => {
  let text: string
  try {
    text = jsonOf(value)
  } catch (error) {
    throw new TillError("invalid", (error as Error).message)
  }
  return JSON.parse(text) as A
}

/** Changes of a refused entry by a person; all else stays. */
export interface Change {
  readonly order?: Order
  readonly adjustment?: AdjustmentInput["adjustment"]
  readonly guest?: Guest
}

/** A job with what a person changed. */
export const mended = (job: Job, { adjustment, guest, order }: Change): Job => {
  const isWrong =
    (order !== undefined && job.kind !== "sale") ||
    (adjustment !== undefined && job.kind !== "adjustment") ||
    (guest !== undefined && job.kind === "hold")
  if (isWrong) throw new TillError("invalid", `an entry of kind ${job.kind} has no such part`)
  if (job.kind === "hold") return job.step === "capture" ? { ...job, step: "again" } : job
  const { card, memberId, ...rest } = job
  const who = guest ?? (card === undefined ? { memberId: memberId! } : { card })
  return { ...rest, ...who, ...(order && { order }), ...(adjustment && { adjustment }) } as Job
}
