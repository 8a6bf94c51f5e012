/**
 * The client of a service: a method for each operation, by surface. The names are those of the operations
 * (`issued_reward.list` of `/proto/v1` is `client.proto.issuedReward.list`), and so are the properties of input and answer.
 */
import type { Source } from "./Calls.ts"
import { methodsOf } from "./Calls.ts"
import { operations } from "./generated/Operations.ts"
import type { Admin, Platform, Proto } from "./generated/Surfaces.ts"
import type { ClientOptions, Transport } from "./Http.ts"
import { createTransport } from "./Http.ts"
import type { Sandbox } from "./Sandbox.ts"
import { sandboxOf } from "./Sandbox.ts"

export interface LotbookOptions extends ClientOptions {
  /** The sender of requests to `/proto/v1`; `{ system: "lotbook-client" }` by default. */
  readonly source?: Source
  /** The present, for `occurred_at`. */
  readonly date?: () => Date
}

export interface LotbookClient extends Transport {
  /** Calls of tills: `/proto/v1`, discovery and health. */
  readonly proto: Proto
  /** Calls of marketing systems: `/platform/v1`. */
  readonly platform: Platform
  /** Calls of operators: `/admin/api/v1`. */
  readonly admin: Admin
  readonly sandbox: Sandbox
  /** The source that was given, for `Till`. */
  readonly source: Source | undefined
}

export const createClient = (options: LotbookOptions): LotbookClient => {
  const transport = createTransport(options)
  const { date = () => new Date(), source = { system: "lotbook-client" } } = options
  const surface = (name: keyof typeof operations) => methodsOf(operations[name], transport, { date, source })
  const admin = surface("admin") as unknown as Admin
  return {
    ...transport,
    proto: surface("proto") as unknown as Proto,
    platform: surface("platform") as unknown as Platform,
    admin,
    sandbox: sandboxOf(admin),
    source: options.source
  }
}
