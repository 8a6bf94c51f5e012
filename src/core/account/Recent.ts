/**
 * Caches of recently used or committed data, so that common look-ups and retries
 * need no read. The tables are the authority. Committed data never changes, so
 * nothing has to be invalidated, and evicted data is read again.
 */
import type { ClaimHolder, Hash128 } from "../journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import type { RecordText } from "./Codec.ts"

/**
 * A map that evicts keys that were not used recently. It keeps at least the last
 * `limit` / 2 keys, and at most `limit`. It has two generations, because deleting
 * the first key of one Map again and again makes V8 skip all deleted keys each time.
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

  /** Keeps a record's text; does not keep large records. */
  keep({ account, at, events, reply, seq, version }: RecordText): void {
    if (events.length + reply.length > Bounds.keptRecordChars) return
    this.records.set(`${account}/${seq}`, { account, seq, at, version, events, reply })
  }
}
