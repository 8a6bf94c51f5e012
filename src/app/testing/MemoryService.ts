/**
 * The product's gate, handlers, rules and sandbox over the journal in memory. What needs SQL answers 404. A service
 * keeps nothing else, so that it starts in milliseconds.
 */
import { Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime, Redacted, References, Schema, Semaphore } from "effect"
import { HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Pool } from "../../base/database/Pools.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import * as FaultRoutes from "../../capabilities/operators/Faults.ts"
import { SandboxFaults } from "../../capabilities/operators/Faults.ts"
import { RecentRequests } from "../../capabilities/operators/RecentRequests.ts"
import * as ClockRoutes from "../../capabilities/operators/SandboxClock.ts"
import * as SandboxReset from "../../capabilities/operators/SandboxReset.ts"
import { SandboxClock } from "../../contract/admin/Clock.ts"
import { adminPath } from "../../contract/admin/Endpoint.ts"
import { SandboxFaults as FaultsGroup } from "../../contract/admin/Faults.ts"
import { after, IsoDuration } from "../../contract/IsoDuration.ts"
import { platformPath } from "../../contract/platform/Platform.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import { Node } from "../../core/cluster/Node.ts"
import { Expiry } from "../../core/expiry/Expiry.ts"
import * as Sandbox from "../../core/expiry/Sandbox.ts"
import type { AuditEntry } from "../../core/journal/Audit.ts"
import * as MemoryJournal from "../../core/journal/MemoryJournal.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import * as HandlersOf from "../../core/protocol/Handlers.ts"
import type { Program } from "../../core/rules/Program.ts"
import { developmentAdminKey, developmentToken, Keys } from "../../desk/access/Keys.ts"
import { Sessions } from "../../desk/access/Sessions.ts"
import type * as Idempotency from "../../desk/surface/Idempotency.ts"
import { Backend, BackendSlot } from "../../edge/http/Backend.ts"
import { consolePath } from "../../edge/http/Console.ts"
import * as KeyedRequests from "../../edge/http/KeyedRequests.ts"
import { problem } from "../../edge/http/Reply.ts"
import type { Route } from "../../edge/http/Route.ts"
import * as Server from "../../edge/http/Server.ts"
import * as Surfaces from "../../edge/http/Surfaces.ts"
import { path as mcpPath } from "../../edge/mcp/Server.ts"
import { published } from "../service/Published.ts"
import { demoProgram, programOf } from "./TestPrograms.ts"

/** A service in memory. Its clock stands still, and moves on request. */
export interface ServedService {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** The token for `/proto/v1`. */
  readonly token: string
  /** The key for `/admin/api/v1`. */
  readonly adminKey: string
  /** The clock's time, RFC 3339. */
  readonly now: () => string
  /** Moves the clock on by an ISO 8601 duration such as `P1Y`. All that is due by then is posted. Returns the new time. */
  readonly advance: (duration: string) => Promise<string>
  /** Deletes members, orders and keys, and sets the clock back to where it stood at first. Returns that time. */
  readonly reset: () => Promise<string>
  /** Ends the service, and frees the port. */
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

interface StartOptions {
  /** Where the clock stands at first, ms; undefined: at the machine's time. */
  readonly startsAt: number | undefined
  readonly port: number
  readonly programs: ReadonlyArray<unknown> | undefined
}

/** The operators' routes that need no SQL. */
const groups = HttpApiBuilder.layer(HttpApi.make("memory").add(SandboxClock, FaultsGroup)).pipe(
  Layer.provide([ClockRoutes.layer, FaultRoutes.layer])
)
const servedOperations: ReadonlySet<string> = new Set(
  [SandboxClock, FaultsGroup].flatMap(({ endpoints }) => Object.keys(endpoints))
)

const isServed = ({ operation, path }: Route): boolean =>
  servedOperations.has(operation) ||
  ![adminPath, platformPath, consolePath, mcpPath].some((base) => path.startsWith(base))

const notHere: Route["run"] = ({ exchange: { path } }) =>
  problem("not_found", {
    detail:
      "This service runs in memory and has only the contract's transactions (/proto/v1), discovery and the sandbox's " +
      "clock. A service with PostgreSQL serves this path too: npm start, or npx lotbook serve.",
    instance: path
  })

/** A route that needs SQL tells everybody that it is not here. */
const served = (route: Route): Route => {
  const { method, operation, path } = route
  return isServed(route) ? route : { method, operation, path, auth: "none", isForEveryRole: true, run: notHere }
}

/** Takes what the served routes write for other services and for the audit. No handler here reads a row. */
const nowhere: Pool = {
  query: () => Effect.succeed([]),
  transaction: (work) => work,
  longTransaction: (work) => work,
  connection: { query: () => Effect.die(new Error("there is no database")) },
  apart: () => Effect.die(new Error("there is no database")),
  holder: undefined,
  onCommit: (effect) => effect
}

/** First results of the requests with an `Idempotency-Key` (contract/idempotency.md *Keys in a header*). */
const firstResults = (): Idempotency.Store => {
  const stored = new Map<string, Idempotency.Kept & { readonly fingerprint: string }>()
  const turn = Semaphore.makeUnsafe(1)
  return {
    once: <A>({ handle, keep, keyed }: Idempotency.Once<A>) =>
      Effect.suspend((): Effect.Effect<Idempotency.KeyedOutcome<A>> => {
        const first = stored.get(keyed.key)
        if (first !== undefined)
          return Effect.succeed(
            first.fingerprint === keyed.fingerprint ? { _tag: "Replayed", kept: first } : { _tag: "Conflict" }
          )
        return Effect.map(handle, (answer) => {
          const kept = keep(answer)
          if (kept !== undefined) stored.set(keyed.key, { ...kept, fingerprint: keyed.fingerprint })
          return { _tag: "Answered", answer }
        })
      }).pipe(turn.withPermits(1))
  }
}

/** All that keeps something in memory, on the sandbox's clock and on empty tables. */
const partsOn = (startsAt: number, programs: ReadonlyArray<Program>) => {
  const tables = Layer.sync(MemoryJournal.MemoryStorage, () =>
    MemoryJournal.MemoryStorage.over(new MemoryJournal.MemoryTables())
  )
  const accounts = Layer.unwrap(Effect.map(WriteFreeze, ({ mayWrite }) => Accounts.layer({ mayWrite })))
  const timed = HandlersOf.layer.pipe(
    Layer.provideMerge(Expiry.layer),
    Layer.provideMerge(accounts),
    Layer.provideMerge(Programs.layerFrom(programs))
  )
  return Layer.merge(Sandbox.layer(startsAt, timed), SandboxFaults.layer).pipe(
    Layer.provideMerge(WriteFreeze.layer(false)),
    Layer.provideMerge(Layer.fresh(MemoryJournal.layer)),
    Layer.provideMerge(Layer.fresh(tables)),
    Layer.provideMerge(Layer.succeed(PeoplePool, nowhere))
  )
}

const running = Effect.gen(function* () {
  const keyed = yield* KeyedRequests.over(firstResults().once)
  const handle = yield* Surfaces.over<Accounts.Accounts | PeoplePool | WriteFreeze>(groups)
  return {
    handlers: yield* Handlers,
    now: (yield* serviceTime).now,
    freeze: yield* WriteFreeze,
    programs: yield* Programs,
    isReady: Effect.succeed(true),
    surfaces: keyed(handle),
    tills: undefined,
    sessions: yield* Sessions,
    logo: () => Effect.undefined,
    ownLogo: Effect.undefined,
    unsubscribe: () => Effect.succeed(false),
    faults: yield* SandboxFaults
  }
})

/** Parts that outlive a reset. */
interface Parts {
  readonly slot: BackendSlot
  readonly resets: SandboxReset.Resets
  readonly started: Deferred.Deferred<void>
  /** Of the parts that run now. */
  sandbox: Sandbox.Sandbox["Service"] | undefined
}

/** Builds the parts, and builds them again at each reset. `started` is done once they run for the first time. */
const keepRunning = Effect.fnUntraced(function* (parts: Parts, startsAt: number, programs: ReadonlyArray<Program>) {
  const { resets, slot, started } = parts
  const reset = Layer.succeed(SandboxReset.SandboxReset, resets.service)
  let answer: SandboxReset.ResetRequest["answer"] | undefined
  for (;;) {
    const before = answer
    const asked = yield* Effect.scoped(
      Effect.gen(function* () {
        const built = yield* Layer.build(Layer.merge(partsOn(startsAt, programs), reset))
        slot.put(yield* Effect.provide(running, built))
        parts.sandbox = yield* Effect.provide(Sandbox.Sandbox, built)
        yield* Deferred.done(started, Exit.void)
        if (before !== undefined) yield* Deferred.done(before, Exit.succeed(startsAt))
        return yield* resets.next
      })
    )
    answer = asked.answer
  }
})

const partsOf = (): Parts => {
  const slot = new BackendSlot()
  const requests = { hold: () => slot.hold(), running: () => slot.requests.size }
  return {
    slot,
    // No other service has these tables.
    resets: new SandboxReset.Resets(requests, Effect.void),
    started: Deferred.makeUnsafe(),
    sandbox: undefined
  }
}

/** There is no audit that a reset would begin. */
const entry: AuditEntry = {
  at: 0,
  actor: { kind: "system", name: "test" },
  action: "clock.reset",
  subject: { type: "installation", id: "clock" }
}

/** The request that resets counts as one in flight, also where it is a call. */
const resetBy = ({ resets, slot }: Parts) =>
  Effect.sync(() => slot.requests.begin()).pipe(
    Effect.andThen(resets.service.run(entry)),
    Effect.ensuring(Effect.sync(() => slot.requests.end())),
    Effect.provideService(PeoplePool, nowhere)
  )

const isDuration = Schema.is(IsoDuration)

/** Moves the clock; the new time, ms. */
const advanceBy = Effect.fnUntraced(function* ({ sandbox }: Parts, duration: string) {
  if (!isDuration(duration)) throw new Error(`${duration} is no ISO 8601 duration such as P30D, P1Y or PT12H`)
  if (sandbox === undefined) throw new Error("the service has started")
  const { _tag, now } = yield* sandbox.move(
    (from) => after(from, duration),
    () => Effect.void
  )
  if (_tag !== "Moved") throw new Error(`The clock cannot move by ${duration} from ${fromMillis(now)}`)
  return now
})

/** Starts a service; the promise rejects if it cannot listen. */
export const start = async ({ port, programs, startsAt: given }: StartOptions): Promise<ServedService> => {
  const decoded = programs?.map(programOf) ?? [demoProgram]
  const startsAt = given ?? Effect.runSync(machineNow)
  const parts = partsOf()
  const { slot, started } = parts
  const kept = Layer.effectDiscard(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkScoped(keepRunning(parts, startsAt, decoded))
      yield* Effect.raceFirst(Deferred.await(started), Fiber.join(fiber))
    })
  )
  const server = Server.layer({ host: "127.0.0.1", port, published, decorate: served })
  const whole = server.pipe(
    Layer.provideMerge(kept),
    Layer.provide(Layer.succeed(Backend, slot.backend)),
    Layer.provide(Sessions.layer),
    Layer.provide(
      Keys.layer({
        token: Redacted.make(developmentToken),
        tokens: [],
        adminKey: Redacted.make(developmentAdminKey)
      })
    ),
    Layer.provide(Node.layer("sandbox")),
    Layer.provide(RecentRequests.layer),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )
  const runtime = ManagedRuntime.make(whole)
  const stop = () => runtime.dispose()
  const { address } = await runtime.runPromise(HttpServer.HttpServer).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  if (!("port" in address)) throw new Error("the server listens on a port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    token: developmentToken,
    adminKey: developmentAdminKey,
    now: () => fromMillis(parts.sandbox?.now() ?? startsAt),
    advance: async (duration) => fromMillis(await runtime.runPromise(advanceBy(parts, duration))),
    reset: async () => fromMillis(await runtime.runPromise(resetBy(parts))),
    stop,
    [Symbol.asyncDispose]: stop
  }
}
