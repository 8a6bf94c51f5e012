/** The parts of one account's actor. `Account` serves its requests, `Deciding` decides them, `Submitting` records them. */
import type { AccountDeps } from "./AccountDeps.ts"
import type { Committed } from "./Committed.ts"
import type { InFlight } from "./InFlight.ts"
import type { Mailbox } from "./Mailbox.ts"
import type { Request } from "./Request.ts"

export interface AccountParts {
  readonly number: number
  readonly programId: string
  readonly deps: AccountDeps
  readonly committed: Committed
  readonly inFlight: InFlight
  readonly mailbox: Mailbox<Request>
  /** A revision of the programmes that is not in force any more. The next decision must use a newer one. */
  outdated: number | undefined
}
