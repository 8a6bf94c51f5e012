/** The requests of an entry, and what their failures mean (docs/retries.md *What to retry, and when*). */
import type { Source } from "../Calls.ts"
import type { RedemptionReserveOutput } from "../generated/Wire.ts"
import { ClockCheck } from "./ClockCheck.ts"
import type { Adjustment, AdjustmentJob, Card, Entry, HoldJob, Order, Refusal, Reserved, SaleJob } from "./Entries.ts"
import { keyOf } from "./Entries.ts"

/** Calls of a client that the till needs. One of `createClient` fits. */
export interface TillClient {
  /** Resolves for 2xx; rejects with an error like `LotbookError`. */
  readonly request: (request: {
    readonly method: "POST"
    readonly path: string
    readonly body: unknown
    readonly signal: AbortSignal
    readonly retries: number
  }) => Promise<{ readonly body: unknown; readonly isReplay?: boolean }>
  /** The sender of its requests, which is the till's, too. */
  readonly source?: Source | undefined
}

/** Properties of the client's errors. Other errors have none of them. */
export interface ClientError {
  readonly kind?: string
  readonly code?: string
  readonly status?: number
  readonly message?: string
  readonly detail?: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly requestId?: string
  readonly retryAfterMs?: number
  readonly problem?: { readonly member_unknown_since?: string }
}

/** Why the queue waits. */
export interface PauseReason {
  /** The client's kind of error, such as `network` or `problem`. */
  readonly kind: string
  readonly message: string
  readonly code?: string
  readonly status?: number
  readonly requestId?: string
  readonly retryAfterMs?: number
}

/** A refusal, thrown by the calls of an entry. */
export class Refused extends Error {
  readonly refusal: Refusal
  /** The client's error. */
  override readonly cause: unknown
  constructor(refusal: Refusal, cause: unknown) {
    super(refusal.detail)
    this.refusal = refusal
    this.cause = cause
  }
}

/** Answers of the service itself after which the same request can succeed once something outside has changed. */
const pauses = (status: number): boolean => [401, 403, 408, 429].includes(status) || status >= 500

/** True for a refusal of the service: of anything else it is not known whether the request was carried out. */
export const isRefusal = (
  error: unknown
): error is ClientError & { readonly code: string; readonly status: number } => {
  const { code, kind, status } = (error ?? {}) as ClientError
  return kind === "problem" && code !== undefined && status !== undefined && !pauses(status)
}

export const pauseReasonOf = (error: unknown): PauseReason => {
  const { kind = "unknown", message = String(error), ...more } = (error ?? {}) as ClientError
  const { code, requestId, retryAfterMs, status } = more
  return {
    kind,
    message,
    ...(code === undefined ? undefined : { code }),
    ...(status === undefined ? undefined : { status }),
    ...(requestId === undefined ? undefined : { requestId }),
    ...(retryAfterMs === undefined ? undefined : { retryAfterMs })
  }
}

const remedies: Readonly<Record<string, string>> = {
  invalid_order: "Correct what `errors` names, then mend it with the order.",
  validation_failed: "Correct what `errors` names, then mend it.",
  conflict:
    "The id is taken by other facts, perhaps by the same sale as a wrong clock dated it: then drop it. Mend it with a new id only " +
    "if it is another order, since that posts it again.",
  idempotency_conflict:
    "The service has other facts under this key. Compare them, then drop it or mend it with a new id.",
  not_found: "Look whether the member, order or programme exists, then mend it.",
  member_not_active: "Make the member active, or mend it with another guest; else drop it."
}

/** Advice of the guide *Retries and offline tills* for a capture that came too late. */
const holdRemedies: Readonly<Record<string, string>> = {
  expired:
    "The guest has paid less and the points were not spent. Mend it: the till holds the reward anew and captures it.",
  invalid_state:
    "The hold was reversed. If the guest has paid less, mend it: the till holds the reward anew and captures it.",
  insufficient_balance:
    "The points are gone. The shop bears the discount, or an operator posts a manual debit classified as `correction`; then drop it."
}

/** A restore of the service may have lost the member. */
const lostRemedy =
  "Do not drop it. The service's database was restored: enrol the guest again with the same member id. The till sends it again at " +
  "each start and `wake`."

const remedyOf = (code: string, kind: Entry["job"]["kind"]): string =>
  (kind === "hold" ? holdRemedies[code] : undefined) ?? remedies[code] ?? "Look at `detail`, then mend it or drop it."

export interface CallsOptions {
  readonly client: TillClient
  readonly programId: string
  readonly system: string
  readonly instance: string | undefined
  readonly now: () => number
  readonly signal: AbortSignal
  /** The service has answered a request, whatever it said. */
  readonly onAnswer: () => void
  /** The till's clock is found to differ from the service's, ms. */
  readonly onClock: (aheadMs: number) => void
}

/** The body of an answer; its properties are those of the operation. */
export type TillAnswer = Readonly<Record<string, unknown>>

export class Calls {
  private readonly options: CallsOptions
  /** Sales whose card was found to be unknown, and those for which it was enrolled. */
  private readonly cards = new Map<string, "unknown" | "enrolled">()
  private readonly clock: ClockCheck
  /** Requests of this run, for their ids. */
  private requests = 0

  constructor(options: CallsOptions) {
    this.options = options
    this.clock = new ClockCheck(options)
  }

  /** Sends one request; throws `Refused`, or the client's error where the outcome is open. */
  private async post(entry: Entry, path: string, key: string, payload: object): Promise<TillAnswer> {
    const { client, instance, now, onAnswer, signal, system } = this.options
    const context = {
      protocol_version: "1.0",
      profile: "foodservice/1.0",
      request_id: `till-${now().toString(36)}-${(++this.requests).toString(36)}`,
      idempotency_key: key,
      occurred_at: entry.acceptedAt,
      source: { system, ...(instance === undefined ? undefined : { instance }) }
    }
    const body = { context, ...payload }
    try {
      const answer = await client.request({ method: "POST", path: `/proto/v1/${path}`, body, signal, retries: 0 })
      onAnswer()
      if (answer.isReplay !== true) this.clock.read(answer.body as TillAnswer)
      return answer.body as TillAnswer
    } catch (error) {
      if (!isRefusal(error)) throw error
      onAnswer()
      const { code, detail = "", errors, problem, requestId, status } = error
      const since = problem?.member_unknown_since
      const lost = since === undefined ? undefined : { memberUnknownSince: since }
      throw this.refused(
        entry,
        { code, status, detail, ...(requestId === undefined ? undefined : { requestId }), ...lost },
        error,
        errors
      )
    }
  }

  private refused(
    { job }: Entry,
    facts: Pick<Refusal, "code" | "status" | "detail" | "requestId" | "memberUnknownSince">,
    cause: unknown,
    errors: Refusal["errors"] = []
  ): Refused {
    const at = new Date(this.options.now()).toISOString()
    const remedy = facts.memberUnknownSince === undefined ? remedyOf(facts.code, job.kind) : lostRemedy
    return new Refused({ ...facts, ...(errors.length === 0 ? undefined : { errors }), remedy, at }, cause)
  }

  /** Posts the order; enrols the card first if nobody has it. A repetition goes on where the one before was. */
  async sale(entry: Entry<SaleJob>): Promise<TillAnswer> {
    const { card, memberId, order } = entry.job
    const accrual = card === undefined ? { member_id: memberId, order } : { identity: card, order }
    const key = keyOf("accrual", order.order_id, entry.revision)
    try {
      if (card !== undefined && this.cards.get(entry.id) === "unknown") await this.enrol(entry, card)
      const answer = await this.post(entry, "accruals", key, accrual)
      this.cards.delete(entry.id)
      return answer
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const isUnknown = card !== undefined && error.refusal.code === "not_found" && !this.cards.has(entry.id)
      if (!isUnknown) {
        this.cards.delete(entry.id)
        throw error
      }
    }
    this.cards.set(entry.id, "unknown")
    return this.sale(entry)
  }

  /**
   * The order of an entry that was refused as placed ahead, with the dates of the service's clock; undefined where the
   * till's clock is not the cause.
   */
  async datedBack(entry: Entry, order: Order, { errors = [] }: Refusal): Promise<Order | undefined> {
    if (!errors.some(({ path }) => path === "/order/placed_at")) return undefined
    if (this.clock.aheadMs === undefined)
      // Any answer has the service's time.
      await this.memberOf(entry, { type: "loyalty_id", value: "clock" }).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error
      })
    return this.clock.datedBack(order)
  }

  private async enrol(entry: Entry<SaleJob>, card: Card): Promise<void> {
    const { attributes, order } = entry.job
    const payload = { program_id: this.options.programId, identity: card }
    const key = keyOf("enrol", order.order_id, entry.revision)
    await this.post(entry, "members/enroll", key, attributes === undefined ? payload : { ...payload, attributes })
    this.cards.set(entry.id, "enrolled")
  }

  /** The member that has a card. */
  async memberOf(entry: Entry, card: Card): Promise<string> {
    const payload = { program_id: this.options.programId, identity: card }
    const { member } = await this.post(entry, "members/lookup", keyOf("lookup", entry.id, 0), payload)
    const id = (member as { readonly member_id: string } | null)?.member_id
    if (id !== undefined) return id
    throw this.refused(entry, { code: "not_found", status: 404, detail: "No member has the card." }, undefined)
  }

  async adjust(entry: Entry<AdjustmentJob>, memberId: string): Promise<TillAnswer> {
    const { adjustment } = entry.job
    const payload = { member_id: memberId, program_id: this.options.programId, adjustment }
    return this.post(entry, "orders/adjust", keyOf("adjust", adjustment.adjustment_id, entry.revision), payload)
  }

  /** Opens a hold, or finds it. A new entry has another key: it is told what became of a hold of the same redemption. */
  async reserve(entry: Entry<HoldJob>, input: Reserved, redemptionId: string): Promise<RedemptionReserveOutput> {
    const { issuedRewardId, memberId, order, points, rewardId } = input
    const answer = await this.post(
      entry,
      "redemptions/reserve",
      keyOf("reserve", `${redemptionId}~${entry.acceptedAt}`, 0),
      {
        redemption_id: redemptionId,
        member_id: memberId,
        reward_id: rewardId,
        order,
        ...(points === undefined ? undefined : { points }),
        ...(issuedRewardId === undefined ? undefined : { issued_reward_id: issuedRewardId })
      }
    )
    return answer as unknown as RedemptionReserveOutput
  }

  async capture(entry: Entry<HoldJob>, reservationId: string): Promise<TillAnswer> {
    const payload = { reservation_id: reservationId, order_id: entry.job.orderId }
    return this.post(entry, "redemptions/capture", keyOf("capture", reservationId, 0), payload)
  }

  async reverse(entry: Entry<HoldJob>, reservationId: string, reason: string): Promise<TillAnswer> {
    const payload = { reservation_id: reservationId, reason }
    return this.post(entry, "redemptions/reverse", keyOf("reverse", reservationId, 0), payload)
  }

  /** Does what was decided about a hold; undefined where there is none any more. */
  async hold(entry: Entry<HoldJob>): Promise<TillAnswer | undefined> {
    const { input, reason = "The till ended before it was decided", redemptionId, reservationId, step } = entry.job
    if (step === "capture" && reservationId !== undefined) return this.capture(entry, reservationId)
    if (step === "reverse" && reservationId !== undefined)
      // Its key was used for another reason: it is reversed already.
      return unless(["expired", "idempotency_conflict"], () => this.reverse(entry, reservationId, reason))
    if (input === undefined)
      throw this.refused(entry, { code: "not_found", status: 404, detail: "Nobody knows what was held." }, undefined)
    if (step === "again") {
      const { reservation } = await this.reserve(entry, input, `${redemptionId}~${entry.revision}`)
      return this.capture(entry, reservation.reservation_id)
    }
    // A hold that was refused was never open; one that cannot be reversed has ended with its time or its member. One that was
    // decided before it was asked for again stays so.
    return unless("any", async () => {
      const { reservation } = await this.reserve(entry, input, redemptionId)
      return reservation.status === "reserved" ? this.reverse(entry, reservation.reservation_id, reason) : undefined
    })
  }
}

/** Undefined where it is refused for one of these codes. */
const unless = async (
  codes: ReadonlyArray<string> | "any",
  work: () => Promise<TillAnswer | undefined>
): Promise<TillAnswer | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refused && (codes === "any" || codes.includes(error.refusal.code))) return undefined
    throw error
  }
}

/** Takes back all that an order earned: for `Till.cancel`. It is dated by its order: the same call later is the same void. */
export const voidOf = (order: SaleJob["order"], reason: string, adjustmentId: string): Adjustment => {
  const { discount, subtotal, total } = order.totals
  const minus = (amount: number) => ({ amount: amount === 0 ? 0 : -amount, currency: total.currency })
  return {
    adjustment_id: adjustmentId,
    original_order_id: order.order_id,
    type: "void",
    reason,
    occurred_at: order.closed_at ?? order.placed_at,
    order_total_delta: minus(total.amount),
    eligible_spend_delta: minus(subtotal.amount - discount.amount)
  }
}
