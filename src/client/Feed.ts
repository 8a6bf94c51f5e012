/** Reads the feed (contract/events.md *Feed*): each event at least once, in order, from where the reader stopped. */
import type { FeedEvent, FeedReadOutput } from "./generated/Wire.ts"
import type { Transport } from "./Http.ts"
import { LotbookError, ProblemError } from "./LotbookError.ts"
import { never, waited } from "./Waiting.ts"

/** Keeps a reader's position. `filePosition` of `lotbook/client/node` keeps it in a file. */
export interface FeedPosition {
  /** The last value that `write` was given; undefined before. */
  readonly read: () => string | undefined | Promise<string | undefined>
  /** Keeps the position. It must be durable before this is done. */
  readonly write: (position: string) => void | Promise<void>
}

export interface FeedBatch {
  /** At least one. Later versions may send other types: ignore those that you do not know. */
  readonly events: ReadonlyArray<FeedEvent>
  /** The position after them. A handler that keeps it in one transaction with the events has each event once. */
  readonly next: string
  /** Age of the oldest change after `next`, seconds; 0 if there is none. Absent for a token limited to restaurants. */
  readonly lagSeconds?: number
}

/** Why the reader waits before it asks again. */
export interface FeedPause {
  readonly error: LotbookError
  /** Faults since the last answer, from 1. */
  readonly faults: number
  readonly waitMs: number
}

export interface ReadFeed {
  readonly client: Pick<Transport, "request">
  readonly position: FeedPosition
  /** Keeps the events, by their `id`: after a kill the last batch comes again. The next batch waits for it. */
  readonly onEvents: (batch: FeedBatch) => void | Promise<void>
  /** Where to begin as long as there is no position: `beginning` by default, or the first commit at an instant. */
  readonly from?: "beginning" | "now" | Date
  readonly types?: ReadonlyArray<FeedEvent["type"]>
  readonly programId?: string
  readonly memberId?: string
  /** Most events of a batch, 1 to 1,000; 1,000 by default. */
  readonly limit?: number
  /** Ends the reader, after the batch in hand. */
  readonly signal?: AbortSignal
  /** Told after each answer, also one without events; never for a token limited to restaurants. */
  readonly onLag?: (lagSeconds: number) => void
  readonly onPause?: (pause: FeedPause) => void
  /** Milliseconds that only grow; `performance.now` by default. */
  readonly now?: () => number
  /** `Math.random` by default. */
  readonly random?: () => number
  /** Waits for so long; rejects as soon as the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The service does not know the position: it is of another database, or damaged. */
export class FeedPositionError extends Error {
  override readonly name = "FeedPositionError"
  readonly position: string
  constructor(position: string, cause: LotbookError) {
    const remedy = "remove the position and what was read with it, and read again from the beginning"
    super(`The service does not know the position ${position}; ${remedy}.`, { cause })
    this.position = position
  }
}

const defaultLimit = 1_000
/** How long the service waits for an event: its longest. */
const waitSeconds = 25
/** Time for one answer, ms: the wait, and as much as for any other request. */
const timeoutMs = waitSeconds * 1_000 + 15_000
/** Longest wait after the first fault; each further one doubles it, ms. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** An empty answer sooner than this is of a service that stops, ms. */
const shortestWaitMs = 1_000

/** Another attempt can succeed: the service is away, something else answers, or the token is about to be mended. */
const isPassing = (error: LotbookError): boolean =>
  error.kind !== "problem" || error.isTemporary || error.status === 401 || error.status === 403

const isPage = (body: unknown): body is FeedReadOutput => {
  const { events, next } = (body ?? {}) as Partial<FeedReadOutput>
  return Array.isArray(events) && typeof next === "string"
}

const batchOf = ({ events, lag_seconds: lagSeconds, next }: FeedReadOutput): FeedBatch => ({
  events,
  next,
  ...(lagSeconds === undefined ? undefined : { lagSeconds })
})

const afterOf = (from: NonNullable<ReadFeed["from"]>): string | undefined => {
  if (from === "beginning") return "0"
  return from === "now" ? undefined : `time:${from.toISOString()}`
}

/**
 * Reads until the signal is aborted: then it resolves. While the service is away or refuses the token it goes on asking.
 * Rejects with what `onEvents` or `position` throws, with a `FeedPositionError`, and with a `LotbookError` where the
 * request is wrong; what is kept is right then, so that it can be called again.
 */
export const readFeed = async (options: ReadFeed): Promise<void> => {
  const { client, from = "beginning", limit = defaultLimit, onEvents, position, signal = never } = options
  const { now = () => performance.now(), random = Math.random, wait = waited } = options

  const pageAfter = async (after: string | undefined): Promise<FeedReadOutput> => {
    const { body, requestId } = await client.request({
      method: "GET",
      path: "/platform/v1/feed",
      query: {
        after,
        types: options.types?.join(","),
        program_id: options.programId,
        member_id: options.memberId,
        limit,
        // Without a position an answer tells one. It comes at once, so that a kill does not lose what happens meanwhile.
        wait_seconds: after === undefined ? 0 : waitSeconds
      },
      signal,
      timeoutMs,
      totalMs: timeoutMs,
      retries: 0
    })
    if (isPage(body)) return body
    throw new LotbookError("the answer is no page of the feed", {
      kind: "unreadable",
      request: "GET /platform/v1/feed",
      requestId,
      attempts: 1
    })
  }

  /** Waits after a fault that will pass. Throws every other one. */
  const pause = async (error: unknown, after: string | undefined, faults: number): Promise<void> => {
    if (error instanceof ProblemError && error.errors.some(({ path }) => path === "/after"))
      throw after === undefined || !isKept ? error : new FeedPositionError(after, error)
    if (!(error instanceof LotbookError) || !isPassing(error)) throw error
    const backoffMs = random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (faults - 1))
    const waitMs = Math.round((error.retryAfterMs ?? 0) + backoffMs)
    options.onPause?.({ error, faults, waitMs })
    await wait(waitMs, signal).catch(() => undefined)
  }

  /** The next page, after as many attempts as it takes; undefined once the signal is aborted. */
  const nextPage = async (after: string | undefined): Promise<FeedReadOutput | undefined> => {
    for (let faults = 1; !signal.aborted; faults++) {
      try {
        return await pageAfter(after)
      } catch (error) {
        if (signal.aborted) return undefined
        await pause(error, after, faults)
      }
    }
    return undefined
  }

  const kept = await position.read()
  let isKept = kept !== undefined
  let after = kept ?? afterOf(from)
  for (;;) {
    const askedMs = now()
    const page = await nextPage(after)
    if (page === undefined) return
    const { events, lag_seconds: lagSeconds, next } = page
    if (events.length > 0) await onEvents(batchOf(page))
    if (next !== after) await position.write(next)
    if (lagSeconds !== undefined) options.onLag?.(lagSeconds)
    const isEarly = events.length === 0 && next === after && now() - askedMs < shortestWaitMs
    if (isEarly) await wait(shortestWaitMs, signal).catch(() => undefined)
    after = next
    isKept = true
  }
}
