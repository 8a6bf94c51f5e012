/** The real HTTP server on a port of its own, over PostgreSQL or memory. */
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { SqlError } from "effect/sql"
import { published } from "../../../src/app/service/Published.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { DatabaseStartError } from "../../../src/base/database/Database.ts"
import type { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as KeptPlaces from "../../../src/capabilities/claims/KeptPlaces.ts"
import { SandboxFaults } from "../../../src/capabilities/operators/Faults.ts"
import { RecentRequests } from "../../../src/capabilities/operators/RecentRequests.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Node } from "../../../src/core/cluster/Node.ts"
import { Expiry } from "../../../src/core/expiry/Expiry.ts"
import * as Sandbox from "../../../src/core/expiry/Sandbox.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as Handlers from "../../../src/core/protocol/Handlers.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import { Keys } from "../../../src/desk/access/Keys.ts"
import { Sessions } from "../../../src/desk/access/Sessions.ts"
import { Backend } from "../../../src/edge/http/Backend.ts"
import * as Server from "../../../src/edge/http/Server.ts"
import type { EventFeed } from "../../../src/reads/feed/EventFeed.ts"
import type { RollupReads } from "../../../src/reads/rollups/RollupReads.ts"
import * as Absent from "../../desk/surface/Absent.ts"
import * as Leaks from "../../Leaks.ts"
import * as Model from "../../reads/rollups/Model.ts"

const accounts = Layer.unwrap(
  Effect.map(WriteFreeze, (freeze) => Accounts.layer({ mayWrite: () => !freeze.isFrozen() }))
)
/** Schedules are looked at so often, ms: rarely, because tests let hours pass. */
const lookMs = 60_000

/** Goes on with campaigns as soon as there is something to do, without rests, so that it needs no clock. */
const driven = Layer.effectDiscard(
  Effect.flatMap(CampaignRuns, ({ drain, wait }) =>
    Effect.forkScoped(Effect.forever(Effect.andThen(wait(lookMs), Effect.ignore(drain))))
  )
)

const timed = driven.pipe(
  Layer.provideMerge(CampaignRuns.layer),
  Layer.provideMerge(Handlers.layer.pipe(Layer.provide(KeptPlaces.layer))),
  Layer.provideMerge(Expiry.layer),
  Layer.provideMerge(accounts)
)

const developmentKeys = {
  token: Redacted.make("proto-dev-token"),
  adminKey: Redacted.make("proto-dev-admin-key")
}

/** The server for programmes that may change, over PostgreSQL or memory. */
export const layerFor = <E, R, F, S>(
  journal: Layer.Layer<Journal, E, R>,
  programs: Layer.Layer<Programs, F, S>,
  database: Layer.Layer<PeoplePool | WorkPool, SqlError.SqlError, R>,
  tokens: ReadonlyArray<TokenGrant> = [],
  sandboxClock?: number,
  reads: Layer.Layer<RollupReads, DatabaseStartError, Programs | R> = Model.layer,
  events: Layer.Layer<EventFeed, DatabaseStartError, Programs | R> = Absent.events
) =>
  Server.layer({
    host: "127.0.0.1",
    port: 0,
    published
  }).pipe(
    Layer.provide(Backend.layer),
    Layer.provideMerge(RecentRequests.layer),
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(Keys.layer({ ...developmentKeys, tokens })),
    Layer.provide(Node.layer(sandboxClock === undefined ? "live" : "sandbox")),
    Layer.provideMerge(
      sandboxClock === undefined ? timed : Layer.merge(Sandbox.layer(sandboxClock, timed), SandboxFaults.layer)
    ),
    Layer.provideMerge(database),
    Layer.provideMerge(WriteFreeze.layer(false)),
    Layer.provideMerge(reads),
    Layer.provide(events),
    Layer.provide(Absent.finance),
    Layer.provideMerge(programs),
    Layer.provideMerge(journal),
    Layer.provide(Leaks.logShowsNone)
  )

/** The same for these programmes. */
export const layer = <E, R>(
  journal: Layer.Layer<Journal, E, R>,
  tokens: ReadonlyArray<TokenGrant> = [],
  sandboxClock?: number,
  programs: ReadonlyArray<Program> = [Testing.demoProgram],
  database: Layer.Layer<PeoplePool | WorkPool, SqlError.SqlError, R> = Absent.layer
) => layerFor(journal, Programs.layerFrom(programs), database, tokens, sandboxClock)

export const port = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

export interface Response {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** A request as a client would send it; a header of no text is left out. */
export const send = (
  path: string,
  body: unknown,
  init: { readonly method?: string; readonly headers?: Record<string, string> } = {}
): Effect.Effect<Response, never, HttpServer.HttpServer> =>
  Effect.flatMap(port, (at) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${at}${path}`, {
        method: init.method ?? "POST",
        headers: Object.entries({
          authorization: "Bearer proto-dev-token",
          "content-type": "application/json",
          ...init.headers
        }).filter(([, value]) => value !== ""),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = Leaks.shownTo(response.status, await response.text())
      return {
        status: response.status,
        headers: response.headers,
        body: text.startsWith("{") ? JSON.parse(text) : { text }
      }
    })
  )
