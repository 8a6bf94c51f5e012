/**
 * The contract's transactions over HTTP in memory, for tests in plain JavaScript: promises alone. The service itself is
 * `MemoryService`, which is read when the first one is started, because it needs half of the product.
 */

import { checkOptions } from "./Arguments.ts"
import type { ServedService } from "./MemoryService.ts"

export type { ServedService }

export interface ServeOptions {
  /** The JSON of programme files. Absent: the demo programme. */
  readonly programs?: ReadonlyArray<object>
  /** Where the clock stands at first: RFC 3339, a date, or ms since 1970. Absent: the present time of the machine. */
  readonly now?: string | number | Date
  /** The port on 127.0.0.1; absent or 0: a free one. */
  readonly port?: number
}

const instantOf = (now: NonNullable<ServeOptions["now"]>): number => {
  const at = new Date(now).getTime()
  if (Number.isNaN(at)) throw new Error(`now must be an instant such as 2026-07-14T10:00:00Z, not ${String(now)}`)
  return at
}

/** Starts a service in memory. Rejects if a programme has a fault or the port is taken. */
export const serve = async (options: ServeOptions = {}): Promise<ServedService> => {
  checkOptions("serve", options, ["programs", "now", "port"])
  const { now, port = 0, programs } = options
  if (programs !== undefined && !(Array.isArray(programs) && programs.length > 0))
    throw new TypeError("programs of serve must be a list of programme files' JSON, such as [program]")
  const startsAt = now === undefined ? undefined : instantOf(now)
  const { start } = await import("./MemoryService.ts")
  return start({ startsAt, port, programs })
}
