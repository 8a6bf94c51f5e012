/** The services and settings that all accounts share. */
import type * as Effect from "effect/Effect"
import type { AccountReads } from "../journal/AccountReads.ts"
import type { Append } from "../journal/Append.ts"
import type { DueReads } from "../journal/DueReads.ts"
import type { Program } from "../rules/Program.ts"
import type { CardReward } from "./domain/Action.ts"
import type { MergedInto } from "./domain/State.ts"
import type { Waiting } from "./Mailbox.ts"
import type { RecentWork } from "./Recent.ts"
import type { Request } from "./Request.ts"

export interface AccountDeps {
  readonly journal: Append & AccountReads & Pick<DueReads, "saveDue">
  readonly recent: RecentWork
  readonly now: () => number
  /** Mailboxes with waiting requests. */
  readonly busy: Set<Waiting>
  /** Called after an account's state was loaded. */
  readonly activated: () => void
  /** Runs an effect in a fiber of its own. */
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly programOf: (programId: string) => Program | undefined
  /** The revision of the programmes that `programOf` returns. */
  readonly revision: () => number
  /** Reads the programmes again if they still have this revision. False if reading failed. */
  readonly leaveRevision: (revision: number) => Effect.Effect<boolean>
  readonly makeCards: (count: number) => ReadonlyArray<CardReward>
  /** Called after every commit with the time at which the account is next due. */
  readonly due: (account: number, at: number | null) => void
  /** Hands a request on to the account's present owner: it went to another node. */
  readonly reroute: (account: number, programId: string, request: Request) => void
  /** Hands a request on to the account that the member was merged into, or that its order was moved to. */
  readonly forward: (to: Pick<MergedInto, "account" | "seq">, programId: string, request: Request) => void
  /**
   * False while writes are frozen, or while the time of `now` is not trusted: commands get `Frozen`, and no
   * snapshot is written. Asked after `now`: a clock may jump between the two.
   */
  readonly mayWrite: () => boolean
}
