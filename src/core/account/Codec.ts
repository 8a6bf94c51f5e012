/**
 * Encodes and decodes the text of records and snapshots.
 */
import type { ClaimKey } from "../journal/Hashing.ts"
import type { StoredRecord } from "../journal/Records.ts"
import type { AccountEvent, PromisedTier } from "./domain/AccountEvent.ts"
import { EVENT_VERSION } from "./domain/AccountEvent.ts"
import * as Lots from "./domain/Lots.ts"
import type { BalanceFigures, Reply } from "./domain/Reply.ts"
import type { MergedInto, State } from "./domain/State.ts"
import { plain } from "./domain/State.ts"

/** Format of snapshots; a snapshot of another version is ignored and replaced. */
export const SNAPSHOT_VERSION = 8

/** Additions to the first reply for a command with a repeated business identifier: balances of its own time. */
export interface Repeat {
  readonly account: number
  readonly at: number
  readonly balances: ReadonlyArray<BalanceFigures>
}

/** A record as it was decided. */
export interface Recorded {
  readonly account: number
  readonly seq: number
  readonly at: number
  readonly events: ReadonlyArray<AccountEvent>
  readonly reply: Reply
  /** The record that repeated this one under another key, if that is what is answered. */
  readonly repeat?: Repeat | undefined
}

/** The stored fields that an answer is made from. */
export type RecordText = Pick<StoredRecord, "account" | "seq" | "at" | "version" | "events" | "reply">

/** Throws on a record of an unknown format, so that the account stops and no state is guessed. */
const requireFormat = ({ account, seq, version }: Pick<RecordText, "account" | "seq" | "version">): void => {
  if (version !== EVENT_VERSION)
    throw new Error(`record ${account}/${seq} has format ${version}; this version reads ${EVENT_VERSION}`)
}

/** Decodes only a record's events: parsing its reply would be most of the work. */
export const decodeEvents = (stored: Omit<RecordText, "at" | "reply">): ReadonlyArray<AccountEvent> => {
  requireFormat(stored)
  // This service wrote it, and the chain's hash covers it.
  return JSON.parse(stored.events) as ReadonlyArray<AccountEvent>
}

export const decodeRecord = (stored: RecordText): Recorded => {
  const { account, at, reply, seq } = stored
  return { account, seq, at, events: decodeEvents(stored), reply: JSON.parse(reply) as Reply }
}

/** A state as JSON. */
export interface StateText
  extends Omit<
    ReturnType<typeof plain>,
    "external" | "mergedInto" | "period" | "lastPeriod" | "card" | "idle" | "tier" | "promised"
  > {
  /** Absent in snapshots of older versions. */
  readonly promised?: PromisedTier | null
  readonly external: string | null
  readonly mergedInto: MergedInto | null
  readonly period: number | null
  readonly lastPeriod: number | null
  readonly card: number | null
  readonly idle: number | null
  readonly tier: string | null
}

interface SnapshotText extends StateText {
  readonly hash: string
}

export const toText = (state: State): StateText => {
  const {
    external = null,
    mergedInto = null,
    period = null,
    lastPeriod = null,
    card = null,
    idle = null,
    tier = null,
    promised = null
  } = state
  return { ...plain(state), external, mergedInto, period, lastPeriod, card, idle, tier, promised }
}

export const fromText = (text: StateText): State => ({
  ...text,
  external: text.external ?? undefined,
  mergedInto: text.mergedInto ?? undefined,
  period: text.period ?? undefined,
  tier: text.tier ?? undefined,
  promised: text.promised ?? undefined,
  lastPeriod: text.lastPeriod ?? undefined,
  card: text.card ?? undefined,
  idle: text.idle ?? undefined,
  // A node of an older version sends no `last`.
  units: text.units.map((balance) => ({ ...balance, last: balance.last ?? 0, lots: Lots.fromArray(balance.lots) }))
})

/** Length of a checksum: a hash in the text form of a UUID. */
const checksumLength = 36

/** A snapshot's text: a keyed checksum, then the state with the chain's hash as JSON. */
export const encodeSnapshot = (claimKey: ClaimKey, state: State, hash: string): string => {
  const text: SnapshotText = { ...toText(state), hash }
  const json = JSON.stringify(text)
  return claimKey("snapshot", json) + json
}

/** The state and chain hash of a snapshot. Undefined if it has another format or is damaged: then replay the journal. */
export const decodeSnapshot = (
  claimKey: ClaimKey,
  version: number,
  text: string
): { readonly state: State; readonly hash: string } | undefined => {
  if (version !== SNAPSHOT_VERSION) return undefined
  const json = text.slice(checksumLength)
  if (text.slice(0, checksumLength) !== claimKey("snapshot", json)) return undefined
  const { hash, ...rest } = JSON.parse(json) as SnapshotText
  return { state: fromText(rest), hash }
}
