/** When a request is sent again (docs/retries.md *What to retry, and when*). Pure. */
import type { LotbookError } from "./LotbookError.ts"
import { temporaryStatuses } from "./LotbookError.ts"

/** Longest wait of the first retry; each further one doubles it, ms. */
const firstWaitMs = 1000
/** No wait is longer, unless the service asks for one, ms. */
const longestWaitMs = 60_000

export interface Attempted {
  readonly error: LotbookError
  /** Sent again, it cannot be carried out twice. */
  readonly isRepeatable: boolean
  /** From 1. */
  readonly attempt: number
  readonly retries: number
  /** Until the caller's time for all attempts is over, ms. */
  readonly leftMs: number
  /** From 0 to 1. */
  readonly random: number
}

/** No answer, or one that says that it will pass. A page that asks for a sign-in stays for longer than anyone waits. */
const isPassing = ({ code, kind, status }: LotbookError): boolean =>
  status === undefined ? kind === "network" || kind === "timeout" : temporaryStatuses.has(status) && code !== "archived"

/**
 * How long to wait before the request is sent again, ms; undefined: it is not. Exponential backoff with full jitter,
 * after what the service asks for: a thousand tills must not come back in one second.
 */
export const waitMsOf = ({ attempt, error, isRepeatable, leftMs, random, retries }: Attempted): number | undefined => {
  if (attempt > retries || !isPassing(error)) return undefined
  // A request beyond the rate limit was not carried out.
  if (!isRepeatable && error.status !== 429) return undefined
  const backoffMs = random * Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1))
  const waitMs = Math.round((error.retryAfterMs ?? 0) + backoffMs)
  return waitMs < leftMs ? waitMs : undefined
}
