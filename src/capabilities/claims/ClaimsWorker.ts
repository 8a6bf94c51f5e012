/**
 * Finishes orders without a guest, on one node at a time: claims that a kill has left, and orders that accrued for a guest by
 * a till. Accruals never look at kept orders: the worker hears of them by the feed.
 */
import { Effect, Layer } from "effect"
import * as Pace from "../../base/time/Pace.ts"
import { typeOf } from "../../contract/platform/EventTypes.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import type { Caller } from "../../core/protocol/Handler.ts"
import type { PlacedEvent } from "../../reads/feed/EventFeed.ts"
import { EventFeed } from "../../reads/feed/EventFeed.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import * as Claiming from "./Claiming.ts"
import * as Store from "./KeptStore.ts"
import { needed, type Parts } from "./Parts.ts"

/** The caller that began a claim. */
const callerOf = ({ actor = "claims" }: Store.Kept): Caller => ({ name: actor, scopes: new Set(), programs: undefined })

/** The order of an event that tells of its accrual. */
const accruedIn = ({ event, place }: PlacedEvent): ReadonlyArray<Store.Accrued> =>
  event.type === typeOf("order.accrued")
    ? [{ program: event.programid, order: event.data.order_id, account: place.position.account }]
    : []

/** Reads the feed for programmes that keep orders. True: there may be more. */
const read = Effect.fnUntraced(function* (
  { programs, query }: Parts,
  feed: EventFeed["Service"]
): Effect.fn.Return<boolean, Refused | JournalUnavailable> {
  const keeping = new Set(programs.all().flatMap(({ claims, id }) => (claims === undefined ? [] : [id])))
  const stored = yield* Store.placeRead(query)
  if (keeping.size === 0) {
    if (stored !== undefined) yield* Store.forgetPlace(query)
    return false
  }
  const place = stored === undefined ? yield* feed.now : PlaceOf.fromText(stored)
  if (place === undefined) throw new Error(`kept orders have no place ${stored}`)
  const page = yield* feed.read(place, { programs: keeping, accounts: undefined }, Bounds.roundRecords)
  const next = PlaceOf.toText(page.next)
  if (next !== stored) yield* Store.advance(query, page.events.flatMap(accruedIn), next)
  return !page.isLast
})

/** Finishes a claim. One that cannot be finished now is tried again later. */
const finishOne = (parts: Parts, row: Store.Kept) =>
  Effect.catch(
    Effect.asVoid(Claiming.finish(parts, row, { caller: callerOf(row), requestId: "claims" })),
    ({ detail }: Refused) =>
      Effect.andThen(
        Effect.logDebug(`The claim of order ${row.order_id} cannot be finished yet: ${detail}`),
        Store.postpone(parts.query, row, parts.machineNow())
      )
  )

export const rounds = Effect.gen(function* () {
  const parts = yield* needed
  const feed = yield* EventFeed
  const { mayWrite } = yield* WriteFreeze
  return Effect.gen(function* () {
    if (!mayWrite()) return "waits" as const
    const hasMore = yield* read(parts, feed)
    const open = yield* Store.abandoned(parts.query, parts.machineNow() - Bounds.abandonedMs)
    for (const row of open) yield* finishOne(parts, row)
    return hasMore || open.length > 0 ? ("worked" as const) : ("idle" as const)
  })
})

/** Works until the scope closes, on one node at a time. */
export const layerWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { whileMine } = yield* Partitions
    const work = Pace.keep({
      name: "Orders without a guest",
      batch: yield* rounds,
      idle: Effect.sleep(Bounds.roundMs),
      busyPauseMs: (tookMs) => tookMs,
      troubleMs: Bounds.troubleMs
    })
    yield* Effect.forkScoped(whileMine(singletons.claims, work))
  })
)
