/** A service that goes on with campaigns, over PostgreSQL; a test comes between it and the rewards. */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as SandboxRuns from "../../../src/capabilities/campaigns/SandboxRuns.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Expiry } from "../../../src/core/expiry/Expiry.ts"
import * as Sandbox from "../../../src/core/expiry/Sandbox.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Handling } from "../../../src/core/protocol/Handler.ts"
import { Handlers } from "../../../src/core/protocol/Handler.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { RequestCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"

type Issuing = Handling<"issued_reward.issue">

/** Fate of each reward that a campaign issues; a test sets it. */
export const between: { issue: (issue: Issuing, member: string) => Issuing } = {
  issue: (issue) => issue
}

const hooked = Layer.effect(
  Handlers,
  Effect.map(Handlers, (handlers) =>
    Handlers.of({
      ...handlers,
      "issued_reward.issue": (request, caller) =>
        between.issue(handlers["issued_reward.issue"](request, caller), request.member_id)
    })
  )
).pipe(Layer.provide(HandlersOf.layer))

const accounts = Layer.unwrap(
  Effect.map(WriteFreeze, (freeze) => Accounts.layer({ mayWrite: () => !freeze.isFrozen() }))
)

const caller: RequestCaller = {
  kind: "token",
  keyId: "t",
  name: "marketing",
  scopes: new Set(["platform:write"]),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
}

/** The services' clock stands at this instant, ms, until a test moves it. */
export const start = Date.UTC(2026, 2, 26, 12)

/** Parts that a service has of its own. */
const timed = CampaignRuns.layer.pipe(
  Layer.provideMerge(hooked),
  Layer.provideMerge(Expiry.layer),
  Layer.provideMerge(accounts)
)

/** Parts that a service has of its own. Campaigns go on only when a test says so: a move of the clock is downtime. */
export const service = Sandbox.layer(start, timed)

/** The same, whose campaigns go on while the clock moves, as those of a sandbox do. */
const moving = (mostStops?: number) =>
  Sandbox.layer(start, SandboxRuns.layer.pipe(Layer.provideMerge(timed)), mostStops)

export const retiredProgram: Program = { ...Testing.demoProgram, id: "retired", isRetired: true }

/** A service on a database, and the caller whose requests it answers. */
export const layerOver = <E>(
  database: Layer.Layer<Database, E>,
  programs: Layer.Layer<Programs> = Programs.layerFrom([Testing.demoProgram, retiredProgram])
) => over(service, database, programs)

/** A sandbox on a database, and the caller whose requests it answers. */
export const sandboxOver = <E>(database: Layer.Layer<Database, E>, mostStops?: number) =>
  over(moving(mostStops), database, Programs.layerFrom([Testing.demoProgram, retiredProgram]))

const over = <A, E, F, R, G>(
  own: Layer.Layer<A, F, R>,
  database: Layer.Layer<Database, E>,
  programs: Layer.Layer<Programs, G>
) =>
  own.pipe(
    Layer.provideMerge(Rollups.layer),
    Layer.provideMerge(WriteFreeze.layer(false)),
    Layer.provideMerge(EventFeed.layer),
    Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer, Pools.layer)),
    Layer.provideMerge(programs),
    Layer.provideMerge(Layer.succeed(CurrentCaller, caller)),
    Layer.provideMerge(database)
  )
