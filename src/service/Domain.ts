/** Everything between the database and HTTP of an active service: the only place where its live layers are put together. */
import { Effect, Layer } from "effect"
import * as Accounts from "../account/Accounts.ts"
import * as DatabaseMetrics from "../operators/DatabaseMetrics.ts"
import * as Demo from "../demo/Demo.ts"
import * as DemoHistory from "../demo/DemoHistory.ts"
import type { Settings } from "./Settings.ts"
import { Database } from "../database/Database.ts"
import { Expiry } from "../expiry/Expiry.ts"
import * as Sandbox from "../expiry/Sandbox.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import * as Handlers from "../protocol/Handlers.ts"
import * as PgFeed from "../feed/PgFeed.ts"
import * as PgJournal from "../journal/postgres/PgJournal.ts"
import { CampaignRuns } from "../campaigns/CampaignRuns.ts"
import type * as ProgramFiles from "../program/ProgramFiles.ts"
import { Programs } from "../program/Programs.ts"
import * as Publishing from "../program/Publishing.ts"
import * as RollupReads from "../rollups/RollupReads.ts"
import { Rollups } from "../rollups/Rollups.ts"
import * as RollupStore from "../rollups/RollupStore.ts"
import type * as Tracing from "../tracing/Tracing.ts"

/**
 * Runs layers on the real clock or on the sandbox's. The sandbox's clock goes on where it stood (`stoppedAt`, ms).
 */
const onClock = <A, E, R>(settings: Settings, stoppedAt: number | undefined, timed: Layer.Layer<A | Expiry, E, R>) =>
  settings.sandboxClock === undefined ? timed : Sandbox.layer(stoppedAt ?? settings.sandboxClock, timed)

/** Everything that an active service has. Built anew when a sandbox is started over. */
export const layer = (
  settings: Settings,
  tracing: Tracing.Tracing,
  files: ReadonlyArray<ProgramFiles.LoadedFile>,
  stoppedAt: number | undefined,
  isTimeBelieved: () => boolean,
  which: Publishing.Which
) => {
  const store = tracing.journal(PgJournal.layer)
  const published = Layer.effectDiscard(Publishing.publishFiles(files, which))
  const programs = Programs.layer.pipe(Layer.provide(published))
  const freeze = WriteFreeze.layer(settings.writeFreeze, isTimeBelieved)
  const accounts = tracing.accounts(
    Layer.unwrap(
      Effect.map(WriteFreeze, (switchOf) =>
        Accounts.layer({ residentLimit: settings.residentAccounts, mayWrite: switchOf.mayWrite })
      )
    )
  )
  const rollups = Layer.mergeAll(RollupReads.layer, Rollups.layerWorker).pipe(
    Layer.provideMerge(Rollups.layer),
    Layer.provideMerge(RollupStore.layer),
    Layer.provideMerge(PgFeed.layer)
  )
  const remembered = Layer.effectDiscard(
    Effect.gen(function* () {
      const { lineage } = yield* Database
      lineage?.holds((yield* Accounts.Accounts).seqs)
    })
  ).pipe(Layer.provideMerge(accounts))
  // Runs before `accounts` is built, because it makes accounts of its own: an account must have one owner at a time.
  const history = Layer.effectDiscard(
    Effect.gen(function* () {
      if (settings.seedDemo && !(yield* WriteFreeze).isFrozen()) yield* DemoHistory.seed
    })
  )
  const timed = CampaignRuns.layerWorker.pipe(
    Layer.provideMerge(CampaignRuns.layer),
    Layer.provideMerge(Handlers.layer),
    Layer.provideMerge(Expiry.layer),
    Layer.provideMerge(remembered),
    Layer.provideMerge(rollups),
    Layer.provide(history),
    // A programme version has the time of the service's clock, also in a sandbox.
    Layer.provideMerge(programs)
  )
  const domain = onClock(settings, stoppedAt, timed).pipe(Layer.provideMerge(freeze), Layer.provideMerge(store))
  const seeded = Layer.effectDiscard(
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      if (settings.seedDemo && !freeze.isFrozen())
        yield* Effect.all([Demo.seed, Demo.seedTokens, Demo.seedSegment, Demo.seedCampaign])
    })
  )
  return Layer.mergeAll(seeded, Programs.layerFollowing, DatabaseMetrics.layer).pipe(Layer.provideMerge(domain))
}
