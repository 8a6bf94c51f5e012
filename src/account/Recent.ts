/**
 * What was used or committed lately, so that the common questions and retries
 * are answered from memory. The tables are the authority; nothing here ever
 * changes once it is committed, so nothing has to be invalidated, and what is
 * forgotten is read again.
 */
import type { ClaimHolder, Hash128 } from "../journal/Journal.ts"
import * as Bounds from "./Bounds.ts"
import type { RecordText } from "./Codec.ts"

/**
 * A map that forgets what was not used lately: at least the last `limit` / 2
 * keys stay, at most `limit`. Two generations, as evicting the first key of one
 * Map again and again makes V8 skip all evicted before it each time.
 */
export class Recent<K, V> {
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  private readonly generation: number

  constructor(limit: number) {
    this.generation = Math.ceil(limit / 2)
  }

  get(key: K): V | undefined {
    const value = this.young.get(key)
    if (value !== undefined) return value
    const older = this.old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: K, value: V): void {
    if (this.young.size >= this.generation && !this.young.has(key)) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(key, value)
  }
}

/** Claims with their holders, and records with their replies. */
export class RecentWork {
  private readonly claims = new Recent<Hash128, ClaimHolder>(Bounds.keptClaims)
  private readonly records = new Recent<string, RecordText>(Bounds.keptRecords)

  holder(key: Hash128): ClaimHolder | undefined {
    return this.claims.get(key)
  }

  holds(holder: ClaimHolder): void {
    this.claims.set(holder.key, holder)
  }

  record(account: number, seq: number): RecordText | undefined {
    return this.records.get(`${account}/${seq}`)
  }

  /** Keeps the text alone: of a large record, nothing. */
  keep({ account, at, events, reply, seq, version }: RecordText): void {
    if (events.length + reply.length > Bounds.keptRecordChars) return
    this.records.set(`${account}/${seq}`, { account, seq, at, version, events, reply })
  }
}
