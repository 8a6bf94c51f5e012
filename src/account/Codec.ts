/**
 * Records as text: what the journal and the snapshots hold, and back.
 */
import type { JournalRecord, StoredRecord } from "../journal/Journal.ts"
import type { Event } from "./Event.ts"
import { EVENT_VERSION } from "./Event.ts"
import * as Lots from "./Lots.ts"
import type { Reply } from "./Reply.ts"
import type { State } from "./State.ts"

/** Format of snapshots; one of another version is passed over and made anew. */
export const SNAPSHOT_VERSION = 1

/** A record as it was decided. */
export interface Recorded {
  readonly account: number
  readonly seq: number
  readonly at: number
  readonly events: ReadonlyArray<Event>
  readonly reply: Reply
}

/** Reads a record of this version; an unknown one stops the account rather than be guessed at. */
export const decodeRecord = (stored: StoredRecord): Recorded => {
  if (stored.version !== EVENT_VERSION) {
    throw new Error(
      `record ${stored.account}/${stored.seq} has format ${stored.version}; this version reads ${EVENT_VERSION}`
    )
  }
  return {
    account: stored.account,
    seq: stored.seq,
    at: stored.at,
    events: JSON.parse(stored.events) as ReadonlyArray<Event>,
    reply: JSON.parse(stored.reply) as Reply
  }
}

/** What the chain's hash covers, after the hash of the record before. */
export const hashedParts = (
  previous: string,
  record: Pick<JournalRecord, "account" | "at" | "claims" | "events" | "reply" | "seq" | "version">
): ReadonlyArray<string> => [
  "record",
  previous,
  String(record.account),
  String(record.seq),
  String(record.at),
  String(record.version),
  record.events,
  record.reply,
  record.claims.map((claim) => claim.key + claim.fingerprint).join()
]

interface SnapshotText extends Omit<State, "units" | "period"> {
  readonly hash: string
  readonly period: number | null
  readonly units: ReadonlyArray<Omit<State["units"][number], "lots"> & { readonly lots: ReadonlyArray<Lots.Lot> }>
}

export const encodeSnapshot = (state: State, hash: string): string => {
  const units = state.units.map((account) => ({ ...account, lots: Lots.toArray(account.lots) }))
  const text: SnapshotText = { ...state, period: state.period ?? null, units, hash }
  return JSON.stringify(text)
}

/** The state and chain hash of a snapshot, undefined where it cannot be read: then the journal tells. */
export const decodeSnapshot = (
  version: number,
  text: string
): { readonly state: State; readonly hash: string } | undefined => {
  if (version !== SNAPSHOT_VERSION) return undefined
  try {
    const { hash, ...rest } = JSON.parse(text) as SnapshotText
    const units = rest.units.map((account) => ({ ...account, lots: Lots.fromArray(account.lots) }))
    return { state: { ...rest, period: rest.period ?? undefined, units }, hash }
  } catch {
    // A damaged snapshot is never the truth: the journal is read from its start instead.
    return undefined
  }
}
