/**
 * The parts that execute requests. Absent until the service is the active one of
 * its database. A service that is replaced ends.
 */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { KnownSessions } from "../admin/Sessions.ts"
import { Sessions } from "../admin/Sessions.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import { Handlers } from "../protocol/Handler.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import * as Readiness from "./Readiness.ts"
import * as Surfaces from "./Surfaces.ts"

export interface Running {
  readonly handlers: Handlers["Service"]
  readonly freeze: WriteFreeze["Service"]
  readonly programs: Programs["Service"]
  /** True if the journal answers. */
  readonly isReady: Effect.Effect<boolean>
  readonly surfaces: Surfaces.Handle
  readonly sessions: KnownSessions
}

/** Builds the parts. Call it once, in the scope of the active service. */
export const running: Effect.Effect<Running, never, Handlers | Surfaces.Needs | Scope.Scope> = Effect.gen(function* () {
  const { ping } = yield* Journal
  return {
    handlers: yield* Handlers,
    freeze: yield* WriteFreeze,
    programs: yield* Programs,
    isReady: Readiness.make(ping, Effect.runForkWith(yield* Effect.context<never>())),
    surfaces: yield* Surfaces.make,
    sessions: yield* Sessions
  }
})

export class Backend extends Context.Service<Backend, { readonly current: () => Running | undefined }>()(
  "lotbook/http/Backend"
) {
  /** A backend that is present from the start, for a service that is always active. */
  static readonly layer: Layer.Layer<Backend, never, Handlers | Surfaces.Needs> = Layer.effect(
    Backend,
    Effect.map(running, (all) => Backend.of({ current: () => all }))
  )
}

/** A backend that is set once the service is active. */
export class BackendSlot {
  private held: Running | undefined
  readonly backend: Backend["Service"] = Backend.of({ current: () => this.held })

  put(running: Running): void {
    this.held = running
  }
}
