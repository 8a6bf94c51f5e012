/**
 * The role of this service: the active one of its database, or a standby
 * (contract/databases.md *One active service*).
 *
 * Invariant: an answer from memory may be sent only while `isCurrent()`. When a
 * stopped process continues, its confirmation is already too old.
 */
import { Context, Layer } from "effect"
import type { ClockFault } from "./ClockCheck.ts"

/** Fixed when the database is created. */
export type Environment = "live" | "sandbox"
export type Role = "active" | "standby"

export class Active extends Context.Service<
  Active,
  {
    readonly environment: Environment
    readonly role: () => Role
    /** True if it could take over at once: the database is checked, and the lease has a session. */
    readonly isWarm: () => boolean
    /** True while active and confirmed within 2 s, measured from the sending of the last successful heartbeat (monotonic). Cheap enough for every request. */
    readonly isCurrent: () => boolean
    /** True while a start or a takeover waits for PostgreSQL to confirm that commits are durable: nobody is active meanwhile. */
    readonly isAwaitingStorage: () => boolean
    /** Why the time is not believed, so that the role is refused; undefined: it is believed. */
    readonly clockFault: () => ClockFault | undefined
    /** How far the machine's clock is ahead of PostgreSQL's, ms; negative: behind. */
    readonly clockAheadMs: () => number
  }
>()("lotbook/database/Active") {
  /** Always active: the only service on its storage, for tests and the in-memory journal. */
  static layer(environment: Environment): Layer.Layer<Active> {
    return Layer.succeed(Active, {
      environment,
      role: () => "active",
      isWarm: () => true,
      isCurrent: () => true,
      isAwaitingStorage: () => false,
      clockFault: () => undefined,
      clockAheadMs: () => 0
    })
  }
}
