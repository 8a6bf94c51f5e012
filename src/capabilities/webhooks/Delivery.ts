/** The delivery of an event to a connector: in memory, and as it is stored (migrations/0016_webhooks.sql). */
import type { CrossedEvent, FeedEvent } from "../../contract/platform/FeedEvents.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import type { Outcome } from "./Sender.ts"

export type Status = "pending" | "delivered" | "failed"

/** A delivery as it is stored. */
export interface Row {
  readonly n: number
  readonly id: string
  readonly type: string
  readonly place: Place
  /** 0: the event itself. n: the n-th threshold that it crossed. */
  readonly crossing: number
  /** The replay that has read it; undefined: the feed gave it. */
  readonly replay: number | undefined
  /** When it was last sent, ms. */
  readonly triedAt: number | undefined
  readonly tries: number
  readonly since: number | undefined
  readonly nextAt: number | undefined
}

/** An event that was delivered, as far as the feed or its replay may give it again after a kill. */
export type Delivered = Pick<Row, "id" | "place" | "replay">

/** Delivery to a connector: an event of the feed, or a threshold that it crossed, at the event's place. */
export interface Wanted {
  readonly event: FeedEvent | CrossedEvent
  readonly place: Place
  /** 0: the event itself. n: the n-th threshold that it crossed. */
  readonly crossing: number
}

/** The delivery of an event. */
export interface Item {
  readonly id: string
  readonly type: string
  /** After the event; of a crossing: after the event that crossed. */
  readonly place: Place
  readonly crossing: number
  readonly replay: number | undefined
  /** Undefined once it is stored: then it is read again when it is sent. */
  event: Wanted["event"] | undefined
  /** Number of its row; undefined: it has none yet. */
  row: number | undefined
  status: Status
  /** Attempts that are not written yet. */
  attempts: Array<Outcome>
  triedAt: number | undefined
  /** Attempts that count for the next pause. */
  tries: number
  /** The first attempt since the connector last began to deliver again, ms. */
  since: number | undefined
  nextAt: number | undefined
  /** When the attempt in flight began, ms. */
  sentAt: number | undefined
  finishedAt: number | undefined
}

/** A delivery as it is written. */
export interface Stored {
  readonly n: number | undefined
  readonly event_id: string
  readonly event_type: string
  readonly place: string
  readonly crossing: number
  readonly replayed: boolean
  readonly replay: number | undefined
  readonly status: Status
  /** The attempts that are not written yet. */
  readonly attempts: ReadonlyArray<{
    readonly at: number
    readonly status?: number | undefined
    readonly duration_ms: number
    readonly error?: string | undefined
  }>
  readonly tries: number
  readonly since: number | undefined
  readonly next_at: number | undefined
  readonly last_answer: string | undefined
  readonly finished_at: number | undefined
}

/** How a delivery is to be written. Its attempts count as written from now on. */
export const takeStored = (item: Item): Stored => {
  const { attempts, crossing, finishedAt, id, nextAt, place, replay, row, since, status, tries, type } = item
  item.attempts = []
  return {
    n: row,
    event_id: id,
    event_type: type,
    place: PlaceOf.toText(place),
    crossing,
    replayed: replay !== undefined,
    replay,
    status,
    attempts: attempts.slice(-Bounds.attempts).map(({ at, durationMs, error, status: answered }) => ({
      at,
      status: answered,
      duration_ms: durationMs,
      error
    })),
    tries,
    since,
    next_at: nextAt,
    last_answer: attempts.findLast(({ body }) => body !== undefined)?.body,
    finished_at: finishedAt
  }
}

export const accountOf = ({ place }: Pick<Item, "place">): number => place.position.account

export const itemOf = ({ n, ...row }: Row): Item => ({
  ...row,
  event: undefined,
  row: n,
  status: "pending",
  attempts: [],
  sentAt: undefined,
  finishedAt: undefined
})

/** Negative: `a` is delivered before `b`, if both are the same member's. */
export const compare = (a: Pick<Item, "crossing" | "place">, b: Pick<Item, "crossing" | "place">): number =>
  PlaceOf.compare(a.place, b.place) || a.crossing - b.crossing

export const freshOf = ({ crossing, event, place }: Wanted, replay: number | undefined): Item => ({
  id: event.id,
  type: event.type,
  place,
  crossing,
  replay,
  event,
  row: undefined,
  status: "pending",
  attempts: [],
  triedAt: undefined,
  tries: 0,
  since: undefined,
  nextAt: undefined,
  sentAt: undefined,
  finishedAt: undefined
})

/** True if a delivery waits for its first attempt, with its event in memory. */
export const isFresh = ({ event, triedAt }: Item): boolean => event !== undefined && triedAt === undefined
