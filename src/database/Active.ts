/**
 * Says whether this service is the active one of its database, and how surely
 * (decisions.md §5a).
 *
 * Invariant: an answer made from memory may leave only while `isCurrent()`. A
 * process that was stopped finds its confirmation too old when it continues,
 * before it has run anything else.
 */
import { Context, Layer } from "effect"

/** What the database was made for; it stays so. */
export type Environment = "live" | "sandbox"
export type Role = "active" | "standby"

export class Active extends Context.Service<
  Active,
  {
    readonly environment: Environment
    readonly role: () => Role
    /** True while it could take over at once: the database is checked, and the lease has its session. */
    readonly isWarm: () => boolean
    /** True while active with a confirmation not older than 2 s (monotonic time since the sending of the last confirmation that came back); cheap enough for every request. */
    readonly isCurrent: () => boolean
  }
>()("lotbook/database/Active") {
  /** The only service on its storage, for tests and the journal in memory. */
  static layerAlways(environment: Environment): Layer.Layer<Active> {
    return Layer.succeed(Active, { environment, role: () => "active", isWarm: () => true, isCurrent: () => true })
  }
}
