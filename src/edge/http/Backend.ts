/**
 * The parts that execute requests. Absent until the service is a node of its
 * database.
 */
import type { Scope } from "effect"
import { Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import { serviceTime } from "../../base/time/Times.ts"
import * as Unsubscribing from "../../capabilities/mailings/Unsubscribing.ts"
import * as Business from "../../capabilities/operators/Business.ts"
import { SandboxFaults } from "../../capabilities/operators/Faults.ts"
import * as Logos from "../../capabilities/programs/Logos.ts"
import * as TillsOf from "../../capabilities/tills/Tills.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Switches } from "../../core/journal/Switches.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import type { KnownSessions } from "../../desk/access/Sessions.ts"
import { Sessions } from "../../desk/access/Sessions.ts"
import type { ServedPicture } from "../../desk/surface/Picture.ts"
import * as Bounds from "./Bounds.ts"
import { Load } from "./Load.ts"
import type { Handle } from "./Route.ts"
import * as Surfaces from "./Surfaces.ts"

export interface Running {
  readonly handlers: Handlers["Service"]
  /** The service's time, ms. */
  readonly now: () => number
  readonly freeze: WriteFreeze["Service"]
  readonly programs: Programs["Service"]
  /** True if the journal answers. */
  readonly isReady: Effect.Effect<boolean>
  readonly surfaces: Handle
  /** Undefined: a service in memory has no connections of tills. */
  readonly tills: TillsOf.Tills | undefined
  readonly sessions: KnownSessions
  /** The logo of a programme's page for guests. */
  readonly logo: (programId: string) => Effect.Effect<ServedPicture | undefined>
  /** Ends campaigns' mails to the guest of a link. */
  readonly unsubscribe: Effect.Success<typeof Unsubscribing.make>
  /** The logo of the business. */
  readonly ownLogo: Effect.Effect<ServedPicture | undefined>
  /** Undefined: this is no sandbox. */
  readonly faults: SandboxFaults["Service"] | undefined
}

/** Checks that the journal answers. Concurrent probes share one check. */
export const readiness = (
  ping: Switches["ping"],
  fork: (effect: Effect.Effect<boolean>) => Fiber.Fiber<boolean>
): Effect.Effect<boolean> => {
  const ask = ping.pipe(
    Effect.timeout(Duration.millis(Bounds.readinessMs)),
    Effect.match({ onSuccess: () => true, onFailure: () => false })
  )
  let asking: Fiber.Fiber<boolean> | undefined
  return Effect.suspend(() => {
    if (asking !== undefined) return Fiber.join(asking)
    const fiber = fork(ask)
    asking = fiber
    // Already complete if the journal answered synchronously.
    fiber.addObserver(() => {
      asking = undefined
    })
    return Fiber.join(fiber)
  })
}

/** Builds the parts. Call it once, in the scope of the node. */
export const running: Effect.Effect<Running, never, Handlers | Surfaces.Needs | Scope.Scope> = Effect.gen(function* () {
  const { ping } = yield* Journal
  return {
    handlers: yield* Handlers,
    now: (yield* serviceTime).now,
    freeze: yield* WriteFreeze,
    programs: yield* Programs,
    isReady: readiness(ping, Effect.runForkWith(yield* Effect.context<never>())),
    surfaces: yield* Surfaces.make,
    tills: yield* TillsOf.make,
    sessions: yield* Sessions,
    logo: yield* Logos.reader,
    unsubscribe: yield* Unsubscribing.make,
    ownLogo: yield* Business.logo,
    faults: Option.getOrUndefined(yield* Effect.serviceOption(SandboxFaults))
  }
})

export class Backend extends Context.Service<
  Backend,
  {
    readonly current: () => Running | undefined
    /** The requests that the parts execute now. */
    readonly requests: Load
  }
>()("lotbook/edge/http/Backend") {
  /** A backend that is present from the start, for a service that is always a node. */
  static readonly layer: Layer.Layer<Backend, never, Handlers | Surfaces.Needs> = Layer.effect(
    Backend,
    Effect.map(running, (all) => Backend.of({ current: () => all, requests: new Load(Infinity) }))
  )
}

/** A backend that is set once the service is a node, and taken away while a sandbox is started over. */
export class BackendSlot {
  private held: Running | undefined
  readonly requests = new Load(Infinity)
  readonly backend: Backend["Service"] = Backend.of({ current: () => this.held, requests: this.requests })

  put(running: Running): void {
    this.held = running
  }

  /** From now on no request begins, until the next `put` or until the returned function is called. */
  hold(): () => void {
    const { held } = this
    this.held = undefined
    return () => {
      this.held = held
    }
  }
}
