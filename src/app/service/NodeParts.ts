/** Everything between the database and HTTP of a node: the only place where its live layers are put together. */
import { Effect, Layer, type Scope } from "effect"
import { Database } from "../../base/database/Database.ts"
import { CampaignRuns } from "../../capabilities/campaigns/CampaignRuns.ts"
import * as Runs from "../../capabilities/campaigns/RunStore.ts"
import * as SandboxRuns from "../../capabilities/campaigns/SandboxRuns.ts"
import * as ClaimsWorker from "../../capabilities/claims/ClaimsWorker.ts"
import * as KeptPlaces from "../../capabilities/claims/KeptPlaces.ts"
import * as KeptOrders from "../../capabilities/claims/KeptStore.ts"
import * as Events from "../../capabilities/events/EventStore.ts"
import * as LeavingWorker from "../../capabilities/guests/LeavingWorker.ts"
import * as PhoneSender from "../../capabilities/guests/PhoneSender.ts"
import * as Imports from "../../capabilities/imports/ImportStore.ts"
import { CurrentMail } from "../../capabilities/mail/Mail.ts"
import * as MailSender from "../../capabilities/mail/Sender.ts"
import * as Mailings from "../../capabilities/mailings/Mailings.ts"
import * as DatabaseMetrics from "../../capabilities/operators/DatabaseMetrics.ts"
import { SandboxFaults } from "../../capabilities/operators/Faults.ts"
import * as Noting from "../../capabilities/products/Noting.ts"
import type * as ProgramFiles from "../../capabilities/programs/ProgramFiles.ts"
import * as Publishing from "../../capabilities/programs/Publishing.ts"
import * as Tills from "../../capabilities/tills/Tills.ts"
import * as Deliveries from "../../capabilities/webhooks/DeliveryStore.ts"
import { Webhooks } from "../../capabilities/webhooks/Webhooks.ts"
import { PrivateWebhooks } from "../../capabilities/webhooks/WebhookUrl.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import { alone, Partitions } from "../../core/cluster/Partitions.ts"
import { Expiry } from "../../core/expiry/Expiry.ts"
import * as Sandbox from "../../core/expiry/Sandbox.ts"
import * as ArchiveFiles from "../../core/journal/archive/ArchiveFiles.ts"
import * as PgJournal from "../../core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Handlers from "../../core/protocol/Handlers.ts"
import * as IdempotencyKeys from "../../core/retention/IdempotencyKeys.ts"
import { KeptTimes } from "../../core/retention/Kept.ts"
import * as Retention from "../../core/retention/Retention.ts"
import * as EventFeed from "../../reads/feed/EventFeed.ts"
import * as PgFeed from "../../reads/feed/PgFeed.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import * as FinanceStore from "../../reads/finance/FinanceStore.ts"
import * as ClaimsIndexWorker from "../../reads/reconcile/ClaimsIndexWorker.ts"
import * as SealWorker from "../../reads/reconcile/SealWorker.ts"
import * as OlderOrders from "../../reads/rollups/OlderOrders.ts"
import * as Owed from "../../reads/rollups/Owed.ts"
import * as RollupReads from "../../reads/rollups/RollupReads.ts"
import * as RollupStore from "../../reads/rollups/RollupStore.ts"
import { Rollups } from "../../reads/rollups/Rollups.ts"
import * as Demo from "../demo/Demo.ts"
import * as DemoHistory from "../demo/DemoHistory.ts"
import type * as Tracing from "../tracing/Tracing.ts"
import type { Settings } from "./Settings.ts"

/**
 * Runs layers on the real clock or on the sandbox's. The sandbox's clock goes on where it stood (`stoppedAt`, ms).
 */
const onClock = <A, E, R>(settings: Settings, stoppedAt: number | undefined, timed: Layer.Layer<A | Expiry, E, R>) =>
  settings.sandboxClock === undefined
    ? timed
    : Layer.merge(Sandbox.layer(stoppedAt ?? settings.sandboxClock, timed), SandboxFaults.layer)

interface NodeOptions {
  readonly tracing: Tracing.Tracing
  readonly files: ReadonlyArray<ProgramFiles.LoadedFile>
  /** The last time of the sandbox's clock, ms. */
  readonly stoppedAt: number | undefined
  readonly isTimeBelieved: () => boolean
  /** False while this is the only node. */
  readonly hasOthers: () => boolean
  readonly which: Publishing.Which
  /** True if no other node was there when this one joined. */
  readonly isFirst: boolean
  /** Claims partitions until the scope closes. Runs once the accounts can be answered for. */
  readonly claim: Effect.Effect<void, never, Scope.Scope>
}

/** Rules of everything that is deleted with time. */
const rules = [
  Deliveries.retention,
  Imports.retention,
  Events.retention,
  OlderOrders.retention,
  Runs.retention,
  KeptOrders.retention,
  IdempotencyKeys.retention
]

/** Senders of mails, of codes for telephones, and of campaigns' mails. */
const senders = ({ mail, webhookPrivate }: Settings) =>
  Layer.effectDiscard(Effect.all([MailSender.layer, PhoneSender.layer, Mailings.layerWorker], { discard: true })).pipe(
    Layer.provide(Layer.succeed(CurrentMail, mail)),
    Layer.provide(Layer.succeed(PrivateWebhooks, webhookPrivate))
  )
/** The sums of finance, and their writer. */
const finance = Finance.layerWorker.pipe(Layer.provideMerge(Finance.layer), Layer.provideMerge(FinanceStore.layer))

const handlers = Handlers.layer.pipe(Layer.provide(KeptPlaces.layer))

const parts = (settings: Settings, options: NodeOptions) => {
  const { claim, files, hasOthers, isFirst, isTimeBelieved, stoppedAt, tracing, which } = options
  // Another node has seeded, or does so now.
  const seeds = settings.seedDemo && isFirst
  const store = tracing.journal(PgJournal.layer)
  const published = Layer.effectDiscard(Publishing.publishFiles(files, which))
  const programs = Programs.layer.pipe(Layer.provide(published))
  const freeze = WriteFreeze.layer(settings.writeFreeze, isTimeBelieved, hasOthers)
  const accounts = tracing.accounts(
    Layer.unwrap(
      Effect.map(WriteFreeze, (switchOf) =>
        Accounts.layer({ residentLimit: settings.residentAccounts, mayWrite: switchOf.mayWrite })
      )
    )
  )
  const rollups = Owed.layerWorker.pipe(
    Layer.provideMerge(Layer.mergeAll(RollupReads.layer, Rollups.layerWorker)),
    Layer.provideMerge(Rollups.layer),
    Layer.provideMerge(RollupStore.layer),
    Layer.provideMerge(finance),
    Layer.provideMerge(EventFeed.layer),
    Layer.provideMerge(PgFeed.layer)
  )
  const webhooks = Webhooks.layerWorker.pipe(
    Layer.provide(Webhooks.layer),
    Layer.provide(Deliveries.DeliveryStore.layer),
    Layer.provide(Layer.succeed(PrivateWebhooks, settings.webhookPrivate)),
    Layer.provideMerge(rollups)
  )
  const remembered = Layer.effectDiscard(
    Effect.gen(function* () {
      const { lineage } = yield* Database
      lineage?.holds((yield* Accounts.Accounts).seqs)
      yield* claim
    })
  ).pipe(Layer.provideMerge(accounts))
  // Runs before this node claims partitions, because it makes accounts of its own: an account must have one owner at a time.
  const history = Layer.effectDiscard(
    Effect.gen(function* () {
      if (seeds && !(yield* WriteFreeze).isFrozen()) yield* Effect.provideService(DemoHistory.seed, Partitions, alone)
    })
  )
  const retention = Layer.effectDiscard(Retention.worker(rules)).pipe(
    Layer.provide(Layer.succeed(KeptTimes, settings.keptDays))
  )
  const timed = Layer.mergeAll(
    CampaignRuns.layerWorker,
    SandboxRuns.layer,
    Tills.layerWorker,
    ClaimsWorker.layerWorker,
    LeavingWorker.layerWorker,
    SealWorker.layer,
    ClaimsIndexWorker.layer,
    senders(settings),
    retention
  ).pipe(
    Layer.provideMerge(CampaignRuns.layer),
    Layer.provideMerge(Noting.layer.pipe(Layer.provide(handlers))),
    Layer.provideMerge(Expiry.layer),
    Layer.provideMerge(remembered),
    Layer.provideMerge(webhooks),
    Layer.provide(history),
    // A programme version has the time of the service's clock, also in a sandbox.
    Layer.provideMerge(programs)
  )
  const whole = onClock(settings, stoppedAt, timed).pipe(Layer.provideMerge(freeze), Layer.provideMerge(store))
  const seeded = Layer.effectDiscard(
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      if (seeds && !freeze.isFrozen())
        yield* Effect.all([Demo.seed, Demo.seedTokens, Demo.seedSegment, Demo.seedCampaign, Demo.seedPerson])
    })
  )
  return Layer.mergeAll(seeded, Programs.layerFollowing, DatabaseMetrics.layer).pipe(Layer.provideMerge(whole))
}

const archiveOf = ({ archive }: Settings) => (archive === undefined ? Layer.empty : ArchiveFiles.layer(archive))

/** Everything that a node has. Built anew when a sandbox is started over. */
export const layer = (settings: Settings, options: NodeOptions) =>
  Layer.provide(parts(settings, options), archiveOf(settings))
