/**
 * Makes the journal's record of a decision, with everything that is written with
 * it.
 */
import type { AuditEntry } from "../journal/Audit.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import type { AccountNumber, Claim, JournalRecord, MemberRow, NewAccount, ProfileChange } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import { chain } from "./Chain.ts"
import { EVENT_VERSION } from "./domain/AccountEvent.ts"
import type { Decided } from "./domain/Decision.ts"
import { nextDueAt } from "./domain/Due.ts"
import type { State } from "./domain/State.ts"
import { unitOf } from "./domain/State.ts"
import * as Rows from "./Rows.ts"

export interface RecordFacts {
  readonly account: AccountNumber
  /** The state before the decision, and the hash of its last record ("" before the first). */
  readonly before: State
  readonly previous: string
  readonly program: Program | undefined
  /** The revision of all programmes. */
  readonly revision: number
  readonly claims: ReadonlyArray<Claim>
  readonly actor: string | undefined
  readonly origin: string | undefined
  readonly audit?: AuditEntry | undefined
  /** Written with the first record only. */
  readonly opens: NewAccount | undefined
  /** The member's data, if it changes. */
  readonly member: MemberRow | undefined
  readonly profile?: ProfileChange | undefined
}

export const make = (
  claimKey: ClaimKey,
  decision: Omit<Decided, "_tag" | "cards">,
  { account, actor, audit, before, claims, member, opens, origin, previous, profile, program, revision }: RecordFacts
): JournalRecord => {
  const { at, events, reply, state } = decision
  const unhashed = {
    account,
    seq: state.seq,
    at,
    version: EVENT_VERSION,
    events: JSON.stringify(events),
    reply: JSON.stringify(reply),
    programVersion: program?.version ?? 0,
    actor,
    origin,
    balances: Rows.balances(state)
  }
  return {
    ...unhashed,
    announced: state.announced,
    revision,
    hash: chain(claimKey, previous, unhashed, claims),
    claims,
    entries: Rows.entries(events),
    issuedRewards: Rows.issuedRewards(events, before),
    identities: Rows.identities(events),
    totals: {
      nextDue: nextDueAt(state, program),
      balance: program === undefined ? 0 : unitOf(state, program.primaryUnit).posted,
      status: state.status
    },
    opens: state.seq === 1 ? opens : undefined,
    member,
    profile,
    audit
  }
}
