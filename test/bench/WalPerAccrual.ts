/**
 * Bytes of write-ahead log an accrual, between two checkpoints. Claims have
 * random keys, so that just after a checkpoint nearly every accrual touches
 * pages that are not yet in the log and have to be written there whole; later
 * fewer and fewer do. Hence the figure right after, and the one for all of it.
 */
import { Effect } from "effect"
import type { Members } from "./Job.ts"
import { jobOf } from "./Measure.ts"
import type { Load, Server } from "./Processes.ts"

/** Accruals that count as "just after" a checkpoint. */
export const justAfter = 20_000

export interface WalPerAccrual {
  readonly entriesBefore: number
  readonly accruals: number
  /** Bytes an accrual. */
  readonly first: number
  readonly rest: number
  readonly all: number
  /** Checkpoints that came in between; with one, the figure is none. */
  readonly checkpoints: number
}

export const take = Effect.fnUntraced(function* (load: Load, server: Server, who: Members, accruals: number) {
  const { postgres } = server
  if (postgres === undefined) throw new Error(`${server.name} keeps nothing`)
  const send = Effect.fnUntraced(function* (requests: number) {
    const measuring = {
      workload: { type: "accruals", members: who },
      pace: { type: "closed" },
      connections: 64,
      warmupMs: 0,
      measureMs: 600_000,
      requests
    } as const
    return yield* load.run(jobOf(server.port, measuring))
  })
  const entriesBefore = yield* postgres.entryCount
  yield* postgres.checkpoint
  const before = yield* postgres.counters
  const first = yield* send(justAfter)
  const between = yield* postgres.counters
  const rest = yield* send(accruals - justAfter)
  const after = yield* postgres.counters
  return {
    entriesBefore,
    accruals: first.entries + rest.entries,
    first: (between.wal - before.wal) / first.entries,
    rest: (after.wal - between.wal) / rest.entries,
    all: (after.wal - before.wal) / (first.entries + rest.entries),
    checkpoints: after.checkpoints - before.checkpoints
  } satisfies WalPerAccrual
})
