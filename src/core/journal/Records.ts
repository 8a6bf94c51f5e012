/**
 * The journal's vocabulary: records as they are submitted and as they are read
 * back, and their outcomes.
 *
 * One record per decision, `{account, seq, events, reply, claims}`; a record is
 * either committed whole or leaves nothing behind.
 */
import { Schema } from "effect"
import * as Archived from "../../base/database/Archived.ts"
import type { Classification, Unit } from "../../contract/Values.ts"
import type { AuditEntry } from "./Audit.ts"

/** An account's short number, given once at enrolment. */
export type AccountNumber = number

/** The id of an account's entry, as callers know it. */
export const entryId = (account: AccountNumber, n: number): string => `ent_${account.toString(36)}_${n.toString(36)}`

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Millis = number

/** A keyed 128-bit hash in the text form of a UUID: 16 bytes in the tables. */
export type Hash128 = string

/**
 * Something that may happen once in the whole service: an idempotency key, an
 * order's accrual, an adjustment, redemption, issued-reward or artifact value,
 * a member id.
 */
export interface Claim {
  readonly key: Hash128
  /** Hash of the facts claimed with; a holder's other fingerprint is a conflict. */
  readonly fingerprint: Hash128
  /** An idempotency key beside a business id: held for 400 days at least, then that id answers. A record has one at most. */
  readonly hasEnd?: true
}

/** Holder of a claim. */
export interface ClaimHolder {
  readonly key: Hash128
  readonly account: AccountNumber
  readonly seq: number
  readonly fingerprint: Hash128
}

export const LedgerOperation = Schema.Literals([
  "accrual",
  "redemption",
  "reversal",
  "adjustment",
  "expiration",
  "manual"
])
export type LedgerOperation = typeof LedgerOperation.Type

/** One row of `ledger_entries`. `n` counts the account's entries from 1. */
export interface LedgerRow {
  readonly n: number
  readonly operation: LedgerOperation
  readonly unit: Unit
  readonly amount: number
  readonly occurredAt: Millis
  readonly expiresAt?: Millis | undefined
  readonly relatedN?: number | undefined
  readonly orderId?: string | undefined
  readonly locationId?: string | undefined
  readonly adjustmentId?: string | undefined
  readonly reservationId?: string | undefined
  readonly classification?: Classification | undefined
  readonly reason?: string | undefined
  readonly qualifiesForTier?: boolean | undefined
  /** Accruals: when the guest ordered. */
  readonly placedAt?: Millis | undefined
  /** Accruals: the till's business day, YYYY-MM-DD. */
  readonly businessDate?: string | undefined
}

/** One row of `issued_rewards`, written again whenever its status changes. */
export interface IssuedRewardRow {
  readonly issuedRewardId: string
  /** Counts the account's rewards in the order of issuing, from 1. */
  readonly n: number
  readonly rewardId: string
  /** `merged`: another account has it now. */
  readonly status: "issued" | "redeemed" | "cancelled" | "expired" | "merged"
  readonly issuedAt: Millis
  readonly expiresAt?: Millis | undefined
  readonly redeemedAt?: Millis | undefined
  readonly cancelledAt?: Millis | undefined
  readonly cancellationReason?: string | undefined
  readonly artifactType: "code" | "qr_code"
  readonly artifactValue: string
}

export type MemberStatus = "active" | "suspended" | "closed"

export interface Identity {
  readonly type: string
  readonly value: string
  readonly issuer?: string | undefined
}

/** A member's personal data: kept beside the journal, never in it. */
export interface MemberRow {
  readonly identities: ReadonlyArray<Identity>
  /** Free-form; returned as stored. Absent when none were given. */
  readonly attributes?: { readonly [key: string]: Schema.Json } | undefined
}

/** Attributes to set, and with null to take away; null as a whole: all are taken away. */
export type AttributeChange = { readonly [key: string]: Schema.Json } | null

/** A field that is absent stays, null clears it. */
export interface ProfileFields {
  readonly external_id?: string | null | undefined
  readonly display_name?: string | null | undefined
  /** `display_name` and `email` as prefix search compares them. */
  readonly name_key?: string | null | undefined
  readonly email_key?: string | null | undefined
  readonly email?: string | null | undefined
  readonly phone?: string | null | undefined
  /** YYYY-MM-DD. */
  readonly birth_date?: string | null | undefined
}

export interface ConsentGiven {
  readonly purpose: string
  /** Empty: the purpose as a whole. */
  readonly channel: string
  readonly granted: boolean
  readonly source: string | null
  readonly recorded_at: Millis
}

/** A record's change of profile and consents, which are in separate tables (migrations/0008_profiles.sql). */
export type ProfileChange =
  | { readonly type: "set"; readonly fields: ProfileFields; readonly consents: ReadonlyArray<ConsentGiven> }
  /** Takes over profile and consents of another account's member. */
  | { readonly type: "merge"; readonly from: AccountNumber }
  /** Keeps the personal data that the record's answer shows, for its replays. */
  | { readonly type: "shown"; readonly seq: number; readonly member: MemberRow }
  /** Deletes all personal data, also of the accounts that were merged into this one (`merged`). */
  | { readonly type: "erase"; readonly reason: string; readonly merged: ReadonlyArray<AccountNumber> }

/** Written with the first record of an account. */
export interface NewAccount extends MemberRow {
  /** When a guest who was moved in joined the other provider, ms. Absent: with the first record. */
  readonly joined?: number | undefined
  readonly programId: string
  readonly memberId: string
}

/** An identity that is added to a member or removed from it. A removed one can be added to any member. */
export interface IdentityChange {
  /** Keyed hash of programme and identity. */
  readonly key: Hash128
  readonly added: boolean
}

/** The row of `accounts` after a record. */
interface AccountTotals {
  /** When the account has something due next, or null. */
  readonly nextDue: Millis | null
  /** The balance of the primary unit, for the operators' lists. */
  readonly balance: number
  readonly status: MemberStatus
}

export interface JournalRecord {
  readonly account: AccountNumber
  /** From 1, without gaps; the fence against a second owner. */
  readonly seq: number
  readonly at: Millis
  /** Format version of `events` and `reply`. */
  readonly version: number
  /** JSON text. */
  readonly events: string
  /** JSON text. */
  readonly reply: string
  /** The version of the programme that it was decided by. */
  readonly programVersion: number
  /** The revision of all programmes that it was decided under; committed only while they are of this one. */
  readonly revision: number
  /** The name of the caller; undefined for the service itself. */
  readonly actor: string | undefined
  /** The request: request_id, then source.system and source.instance, separated by spaces; undefined for the service itself. */
  readonly origin: string | undefined
  /** JSON text: `[unit, posted, reserved]` of every unit after the record. */
  readonly balances: string
  /** The number of events that the account's records have announced up to this one. */
  readonly announced: number
  /** Hash over the record before and this one. */
  readonly hash: Hash128
  readonly claims: ReadonlyArray<Claim>
  readonly entries: ReadonlyArray<LedgerRow>
  readonly issuedRewards: ReadonlyArray<IssuedRewardRow>
  readonly totals: AccountTotals
  /** Only with `seq` 1. */
  readonly opens?: NewAccount | undefined
  readonly identities?: ReadonlyArray<IdentityChange> | undefined
  /** Replaces the member's personal data. */
  readonly member?: MemberRow | undefined
  /** Changes profile and consent. */
  readonly profile?: ProfileChange | undefined
  /** Commits with the record, or not at all. */
  readonly audit?: AuditEntry | undefined
}

/** A record as it is read back. */
export interface StoredRecord {
  readonly account: AccountNumber
  readonly seq: number
  readonly at: Millis
  readonly version: number
  readonly events: string
  readonly reply: string
  readonly programVersion: number
  readonly actor: string | undefined
  readonly origin: string | undefined
  readonly balances: string
  readonly announced: number
  readonly hash: Hash128
}

/**
 * The outcome of a record.
 *
 * - `committed`: on disk.
 * - `taken`: a claim or an identity is held by somebody else; nothing of the record was written.
 * - `stale`: its `seq` is taken or not the next one: another owner wrote.
 * - `superseded`: rejected because an earlier record of the account was, or the one that it is linked to.
 * - `outdated`: decided under programmes that have changed since; nothing was written.
 * - `frozen`: writes are frozen; nothing was written.
 * - `overloaded`: the queue is full; nothing was written.
 * - `unavailable`: PostgreSQL is out of reach and the record was never sent, or PostgreSQL refused it.
 * - `in_doubt`: the connection died during the commit: the outcome is unknown.
 */
export type AppendOutcome =
  | { readonly _tag: "committed" }
  | { readonly _tag: "taken"; readonly holder: ClaimHolder }
  | { readonly _tag: "stale" }
  | { readonly _tag: "superseded" }
  | { readonly _tag: "outdated" }
  | { readonly _tag: "frozen" }
  | { readonly _tag: "overloaded" }
  | { readonly _tag: "unavailable" }
  | { readonly _tag: "in_doubt" }

/** PostgreSQL is out of reach, and the caller may try again; or the records lie in the file of an archived span. */
export class JournalUnavailable extends Schema.TaggedError<JournalUnavailable>()("JournalUnavailable", {
  cause: Schema.Defect(),
  /** YYYY-MM: no retry helps until this month is restored. */
  archived: Schema.optionalKey(Schema.String)
}) {}

/** The failure of a statement on the journal's tables. */
export const unavailableBy = (cause: unknown): JournalUnavailable => {
  const archived = Archived.monthOf(cause)
  return new JournalUnavailable(archived === undefined ? { cause } : { cause, archived })
}

/** Everything that activates an account. */
export interface StoredAccount {
  readonly number: AccountNumber
  readonly programId: string
  readonly memberId: string
  /** seq of the account's newest record. */
  readonly seq: number
  readonly nextDue: Millis | null
  readonly member: MemberRow
  readonly snapshot?: Snapshot | undefined
}

export interface Snapshot {
  readonly seq: number
  /** Format version of `state`; a reader ignores one it does not know. */
  readonly version: number
  /** JSON text. */
  readonly state: string
}

/** A row of `sealed_accounts`: an account after its last record of a span. */
export interface SealedAccount {
  readonly span: number
  readonly account: number
  readonly seq: number
  /** The hash of that record. */
  readonly chain: Hash128
  readonly version: number
  readonly hash: Hash128
  /** Undefined once the seal of a later span has a state of the account. */
  readonly state?: string | undefined
}

/** An account's newest seq, the programmes' revision and the holders of claims, read in one statement. */
export interface Witness {
  readonly seq: number
  readonly revision: number
  readonly holders: ReadonlyArray<ClaimHolder>
}

/** A page of the ledger, newest first. */
export interface LedgerQuery {
  readonly account: AccountNumber
  /** Only entries with a smaller `n` (the cursor). */
  readonly beforeN?: number | undefined
  readonly unit?: string | undefined
  readonly operations?: ReadonlyArray<string> | undefined
  readonly occurredFrom?: Millis | undefined
  readonly occurredUntil?: Millis | undefined
  readonly limit: number
}

/** An account and the moment something of it falls due. */
export interface DueAccount {
  readonly account: AccountNumber
  readonly at: Millis
}
