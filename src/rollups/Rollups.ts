/**
 * Updates the rollups: reads the feed in batches, and writes the change of each
 * batch.
 *
 * Invariant: the position moves by compare-and-set in the transaction that writes
 * the change. So a kill at any point loses nothing and counts nothing twice. If two
 * writers run at the same time, one of them has to read again.
 */
import { Context, Effect, Layer, Metric, Semaphore } from "effect"
import { Partitions, singletons } from "../cluster/Partitions.ts"
import { Feed } from "../feed/Feed.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import * as Series from "../metrics/Series.ts"
import { Programs } from "../program/Programs.ts"
import * as Bounds from "./Bounds.ts"
import { Change, read } from "./Change.ts"
import * as Holds from "./Holds.ts"
import * as LadderOf from "./Ladder.ts"
import type { Progress } from "./RollupStore.ts"
import { RollupStore } from "./RollupStore.ts"
import * as Pace from "../time/Pace.ts"
import { serviceNow, serviceTime } from "../time/Times.ts"

/** How far the rollups are behind, seconds. */
const lag = Metric.gauge("lotbook_rollups_lag_seconds", {
  description: "Age of the oldest record that the operators' figures do not count yet, seconds."
})

/** The result of a step. `drained`: there was nothing to do. `replaced`: this node was declared dead. */
export type RollupStepResult = "changed" | "drained" | "replaced"

export class Rollups extends Context.Service<
  Rollups,
  {
    /** Adds the next records, at most `limit`, or gives members their tiers by a new ladder. */
    readonly step: (limit: number) => Effect.Effect<RollupStepResult, JournalUnavailable>
    /** Steps until there is nothing more to do. */
    readonly catchUp: (limit?: number) => Effect.Effect<void, JournalUnavailable>
  }
>()("lotbook/rollups/Rollups") {
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
        yield* Effect.forkScoped(Effect.forever(measure))
      })
    )
  )
}

const make = Effect.gen(function* () {
  const feed = yield* Feed
  const programs = yield* Programs
  const store = yield* RollupStore
  const { now } = yield* serviceTime
  const alone = Semaphore.makeUnsafe(1)
  let known: Progress | undefined

  const write = Effect.fnUntraced(function* (
    from: Progress,
    position: Progress["position"],
    change: Change
  ): Effect.fn.Return<RollupStepResult, JournalUnavailable> {
    // Until the response arrives, the change is in doubt.
    known = undefined
    const written = yield* store.write(from, position, change)
    if (written === "replaced") return "replaced"
    if (written === "changed") {
      const ladders = new Map([...from.ladders, ...change.ladders])
      known = { changes: from.changes + 1, position, ladders }
    }
    return "changed"
  })

  const ladderFor = ({ ladders }: Progress) => {
    const inForce = new Map(programs.all().map((program) => [program.id, LadderOf.ladderOf(program)]))
    return (program: string) => ladders.get(program)?.ladder ?? inForce.get(program) ?? LadderOf.none
  }

  /** Takes over newly published ladders. Their members get their tiers again, from the first account on. */
  const takeLadders = (from: Progress): Change | undefined => {
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
    from: Progress,
    limit: number
  ): Effect.fn.Return<RollupStepResult | undefined, JournalUnavailable> {
    const records = yield* feed.read(from.position, limit)
    const last = records.at(-1)
    if (last === undefined) return undefined
    const before = yield* store.members(from, [...new Set(records.map(({ account }) => account))])
    if (before === undefined) {
      known = undefined
      return "changed"
    }
    const all = records.map(read)
    const missing = Holds.missing(all.flatMap(({ events }) => events))
    const holds = missing.length === 0 ? new Map<string, Holds.Hold>() : yield* store.holds(missing)
    const change = new Change(before, ladderFor(from), holds)
    for (const one of all) change.record(one)
    return yield* write(from, last.position, change)
  })

  /** Gives the next members their tiers by the unfinished ladders. */
  const sort = Effect.fnUntraced(function* (from: Progress) {
    const pending = [...from.ladders].filter(([, { sortedTo }]) => sortedTo !== null)
    if (pending.length === 0) return undefined
    const after = Math.min(...pending.map(([, { sortedTo }]) => sortedTo ?? 0))
    const members = yield* store.membersAfter(after, Bounds.sortedMembers)
    const last = members.at(-1)
    const change = new Change(new Map(), ladderFor(from))
    for (const member of members) change.sort(member)
    const isDone = last === undefined || members.length < Bounds.sortedMembers
    for (const [program, sorted] of pending) {
      const sortedTo = isDone ? null : Math.max(sorted.sortedTo ?? 0, last.account)
      change.ladders.set(program, { ...sorted, sortedTo })
    }
    return yield* write(from, from.position, change)
  })

  const once = Effect.fnUntraced(function* (limit: number) {
    const from = known ?? (yield* store.progress)
    known = from
    const ladders = takeLadders(from)
    if (ladders !== undefined) return yield* write(from, from.position, ladders)
    const counted = yield* count(from, limit)
    if (counted === "replaced") return counted
    const sorted = known === undefined ? undefined : yield* sort(known)
    const step = sorted ?? counted ?? "drained"
    // Another writer may change the rollups now: a rebuild starts again from the first record.
    if (step === "drained") known = undefined
    return step
  })

  const step = (limit: number) => alone.withPermits(1)(once(limit))
  const catchUp = Effect.fnUntraced(function* (limit = Bounds.remakeRecords) {
    while ((yield* step(limit)) === "changed") yield* Effect.yieldNow
  })
  return Rollups.of({ step, catchUp })
})

const measure = Effect.gen(function* () {
  const feed = yield* Feed
  const { position } = yield* (yield* RollupStore).progress
  const oldest = yield* feed.oldestAfter(position)
  const now = yield* serviceNow
  yield* Metric.update(lag, oldest === undefined ? 0 : Math.max(0, now - oldest) / 1000)
}).pipe(
  // The writer of the rollups reports the error.
  Effect.ignore,
  Effect.andThen(Effect.sleep(Bounds.measureMs))
)

const keep = Effect.flatMap(Rollups, ({ step }) =>
  Pace.keep({
    name: "The rollups",
    remedy: "`lotbook journal rebuild` remakes them",
    batch: Effect.map(step(Bounds.batchRecords), (result) => results[result]),
    idle: Effect.sleep(Bounds.idleMs),
    busyPauseMs: () => Bounds.busyMs,
    troubleMs: Bounds.troubleMs
  })
)

const results = { changed: "worked", drained: "idle", replaced: "replaced" } as const
