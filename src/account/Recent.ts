/**
 * What was committed lately: claims and records, so that the common retries are
 * answered from memory. The tables are the authority; nothing here ever changes
 * once it is committed, so nothing has to be invalidated.
 */
import type { ClaimHolder, Hash128 } from "../journal/Journal.ts"
import * as Bounds from "./Bounds.ts"
import type { Recorded } from "./Codec.ts"

/** A map that forgets the least recently used beyond `limit`. */
export class Recent<K, V> {
  private readonly entries = new Map<K, V>()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key)
    if (value !== undefined) {
      this.entries.delete(key)
      this.entries.set(key, value)
    }
    return value
  }

  set(key: K, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > this.limit) {
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest)
        return
      }
    }
  }
}

export class RecentWork {
  private readonly claims = new Recent<Hash128, ClaimHolder>(Bounds.keptClaims)
  private readonly records = new Recent<string, Recorded>(Bounds.keptReplies)

  holder(key: Hash128): ClaimHolder | undefined {
    return this.claims.get(key)
  }

  holds(holder: ClaimHolder): void {
    this.claims.set(holder.key, holder)
  }

  record(account: number, seq: number): Recorded | undefined {
    return this.records.get(`${account}/${seq}`)
  }

  keep(record: Recorded): void {
    this.records.set(`${record.account}/${record.seq}`, record)
  }
}
