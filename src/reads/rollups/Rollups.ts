/**
 * Updates the rollups: reads the feed in batches, and writes the change of each
 * batch.
 *
 * Invariant: the position moves by compare-and-set in the transaction that writes
 * the change. So a kill at any point loses nothing and counts nothing twice. If two
 * writers run at the same time, one of them has to read again.
 */
import { Context, Effect, Layer, Metric, Option, Semaphore } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Feed } from "../feed/Feed.ts"
import * as Position from "../feed/Position.ts"
import * as Steps from "../feed/Steps.ts"
import * as Bounds from "./Bounds.ts"
import type { Read } from "./Change.ts"
import { Change, read } from "./Change.ts"
import * as Holds from "./Holds.ts"
import * as LadderOf from "./Ladder.ts"
import type { Progress } from "./RollupStore.ts"
import { RollupStore } from "./RollupStore.ts"

/** How far the rollups are behind, seconds. */
const lag = Metric.gauge("lotbook_rollups_lag_seconds", {
  description: "Age of the oldest record that the operators' figures do not count yet, seconds."
})

export class Rollups extends Context.Service<
  Rollups,
  {
    /** Adds the next records, at most `limit`, or gives members their tiers by a new ladder. */
    readonly step: (limit: number) => Effect.Effect<Steps.StepResult, JournalUnavailable>
    /** Steps until there is nothing more to do, or until the record at a position is counted and every ladder is applied. */
    readonly catchUp: (options?: Steps.CatchUp) => Effect.Effect<void, JournalUnavailable>
  }
>()("lotbook/reads/rollups/Rollups") {
  static readonly layer: Layer.Layer<Rollups, never, Feed | Programs | RollupStore> = Layer.effect(
    Rollups,
    Effect.suspend(() => make)
  )

  /** Updates the rollups until the scope closes, on one node at a time. */
  static readonly layerWorker: Layer.Layer<never, never, Rollups | Feed | RollupStore> = Layer.effectDiscard(
    Effect.suspend(() =>
      Effect.gen(function* () {
        const { whileMine } = yield* Partitions
        yield* Series.begin(lag)
        yield* Effect.forkScoped(whileMine(singletons.rollups, keep))
        yield* Effect.forkScoped(measure)
      })
    )
  )
}

interface Parts {
  readonly feed: Feed["Service"]
  readonly programs: Programs["Service"]
  readonly store: RollupStore["Service"]
  readonly now: () => number
  /** The stored progress, as far as this process knows it; undefined: it must be read. */
  known: Progress | undefined
  /** A whole page of records, read while the page before it was written. */
  ahead: Page | undefined
}

interface Page {
  readonly after: Progress["position"]
  readonly last: Progress["position"] | undefined
  readonly records: ReadonlyArray<Read>
}

const make = Effect.gen(function* () {
  const parts: Parts = {
    feed: yield* Feed,
    programs: yield* Programs,
    store: yield* RollupStore,
    now: (yield* serviceTime).now,
    known: undefined,
    ahead: undefined
  }
  const alone = Semaphore.makeUnsafe(1)
  const step = (limit: number) => alone.withPermits(1)(once(parts, limit))
  return Rollups.of({
    step,
    catchUp: ({ limit = Bounds.remakeRecords, until } = {}) =>
      Steps.catchUp(step, { limit, until }, (until) =>
        Effect.map(parts.store.progress, (progress) => isCountedTo(until, progress))
      )
  })
})

const isCountedTo = (until: Position.Position, { ladders, position }: Progress): boolean =>
  Position.compare(position, until) >= 0 && [...ladders.values()].every(({ sortedTo }) => sortedTo === null)

const write = Effect.fnUntraced(function* (
  parts: Parts,
  from: Progress,
  position: Progress["position"],
  change: Change
): Effect.fn.Return<Steps.StepResult, JournalUnavailable> {
  const { store } = parts
  // Until the response arrives, the change is in doubt.
  parts.known = undefined
  const written = yield* store.write(from, position, change)
  if (written === "replaced") return "replaced"
  if (written === "changed") {
    const ladders = new Map([...from.ladders, ...change.ladders])
    parts.known = { changes: from.changes + 1, position, ladders }
  }
  return "changed"
})

const page = Effect.fnUntraced(function* ({ feed }: Parts, after: Progress["position"], limit: number) {
  const stored = yield* feed.read(after, limit)
  const records: Array<Read> = []
  yield* Pace.inTurns(stored, Bounds.turnRecords, (record) => records.push(read(record)))
  return { after, last: stored.at(-1)?.position, records }
})

/** A page that was read ahead counts only if it is whole: there may be more records by now after a shorter one. */
const nextPage = (parts: Parts, after: Progress["position"], limit: number) => {
  const { ahead } = parts
  parts.ahead = undefined
  return ahead !== undefined && ahead.records.length === limit && Position.isSame(ahead.after, after)
    ? Effect.succeed(ahead)
    : page(parts, after, limit)
}

const ladderFor = ({ programs }: Parts, { ladders }: Progress) => {
  const inForce = new Map(programs.all().map((program) => [program.id, LadderOf.ladderOf(program)]))
  return (program: string) => ladders.get(program)?.ladder ?? inForce.get(program) ?? LadderOf.none
}

/** Takes over newly published ladders. Their members get their tiers again, from the first account on. */
const takeLadders = ({ now, programs }: Parts, from: Progress): Change | undefined => {
  const change = new Change(new Map(), () => LadderOf.none)
  for (const program of programs.all()) {
    const ladder = LadderOf.ladderOf(program)
    const before = from.ladders.get(program.id)
    if (before !== undefined && LadderOf.toText(before.ladder) === LadderOf.toText(ladder)) continue
    change.ladders.set(program.id, { ladder, sortedTo: 0, since: now() })
  }
  return change.ladders.size === 0 ? undefined : change
}

const count = Effect.fnUntraced(function* (
  parts: Parts,
  from: Progress,
  limit: number
): Effect.fn.Return<Steps.StepResult | undefined, JournalUnavailable> {
  const { store } = parts
  const { last, records } = yield* nextPage(parts, from.position, limit)
  if (last === undefined) return undefined
  const before = yield* store.members(from, [...new Set(records.map(({ record }) => record.account))])
  if (before === undefined) {
    parts.known = undefined
    return "changed"
  }
  const missing = Holds.missing(records.flatMap(({ events }) => events))
  const holds = missing.length === 0 ? new Map<string, Holds.Hold>() : yield* store.holds(missing)
  const change = new Change(before, ladderFor(parts, from), holds)
  yield* Pace.inTurns(records, Bounds.turnRecords, (one) => change.record(one))
  const written = write(parts, from, last, change)
  if (records.length < limit) return yield* written
  const reading = Effect.option(page(parts, last, limit))
  const [result, ahead] = yield* Effect.all([written, reading], { concurrency: 2 })
  parts.ahead = Option.getOrUndefined(ahead)
  return result
})

/** Gives the next members their tiers by the unfinished ladders. */
const sort = Effect.fnUntraced(function* (parts: Parts, from: Progress) {
  const { store } = parts
  const pending = [...from.ladders].filter(([, { sortedTo }]) => sortedTo !== null)
  if (pending.length === 0) return undefined
  const after = Math.min(...pending.map(([, { sortedTo }]) => sortedTo ?? 0))
  const members = yield* store.membersAfter(after, Bounds.sortedMembers)
  const last = members.at(-1)
  const change = new Change(new Map(), ladderFor(parts, from))
  for (const member of members) change.sortByLadder(member)
  const isDone = last === undefined || members.length < Bounds.sortedMembers
  for (const [program, sorted] of pending) {
    const sortedTo = isDone ? null : Math.max(sorted.sortedTo ?? 0, last.account)
    change.ladders.set(program, { ...sorted, sortedTo })
  }
  return yield* write(parts, from, from.position, change)
})

const once = Effect.fnUntraced(function* (parts: Parts, limit: number) {
  const { store } = parts
  const from = parts.known ?? (yield* store.progress)
  parts.known = from
  const ladders = takeLadders(parts, from)
  if (ladders !== undefined) return yield* write(parts, from, from.position, ladders)
  const counted = yield* count(parts, from, limit)
  if (counted === "replaced") return counted
  const sorted = parts.known === undefined ? undefined : yield* sort(parts, parts.known)
  const step = sorted ?? counted ?? "drained"
  // Another writer may change the rollups now: a rebuild starts again from the first record.
  if (step === "drained") parts.known = undefined
  return step
})

const pauses = {
  batchRecords: Bounds.batchRecords,
  idleMs: Bounds.idleMs,
  busyTimes: Bounds.busyTimes,
  busyMostMs: Bounds.busyMostMs,
  troubleMs: Bounds.troubleMs
}

const keep = Effect.flatMap(Rollups, ({ step }) => Steps.keep("The rollups", step, pauses))
const measure = Effect.gen(function* () {
  const [feed, store] = [yield* Feed, yield* RollupStore]
  const oldest = Effect.flatMap(store.progress, ({ position }) => feed.oldestAfter(position))
  return yield* Steps.measure(lag, oldest, Bounds.measureMs)
})
