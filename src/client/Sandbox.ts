/** The clock of a sandbox, for tests of what time brings (contract/databases.md *Sandbox clock*). */
import type { CallOptions } from "./Calls.ts"
import type { Admin } from "./generated/Surfaces.ts"

/** Everything that becomes due on the way is posted before the answer, ms. */
const timeoutMs = 120_000
const totalMs = 300_000

export interface Sandbox {
  /** The sandbox's time. A live service has none: `not_found`. */
  readonly now: (options?: CallOptions) => Promise<Date>
  /** Moves the time forward by an ISO 8601 duration, such as `P1Y`. */
  readonly advance: (duration: string, options?: CallOptions) => Promise<Date>
  /** Moves the time forward to an instant. */
  readonly set: (to: Date | string, options?: CallOptions) => Promise<Date>
  /** Deletes members, balances and all that happened, and begins at the first time again. Programmes and tokens stay. */
  readonly reset: (options?: CallOptions) => Promise<Date>
}

export const sandboxOf = ({ clock }: Pick<Admin, "clock">): Sandbox => {
  const move = async (input: Parameters<typeof clock.move>[0], options?: CallOptions): Promise<Date> => {
    const { now } = await clock.move(input, { timeoutMs, totalMs, ...options })
    return new Date(now)
  }
  return {
    now: async (options) => new Date((await clock.show({}, options)).now),
    advance: (advance, options) => move({ advance }, options),
    set: (to, options) => move({ set: typeof to === "string" ? to : to.toISOString() }, options),
    reset: (options) => move({ reset: true }, options)
  }
}
