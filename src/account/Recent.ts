/**
 * What was committed lately: claims and records, so that the common retries are
 * answered from memory. The tables are the authority; nothing here ever changes
 * once it is committed, so nothing has to be invalidated.
 */
import type { ClaimHolder, Hash128 } from "../journal/Journal.ts"
import * as Bounds from "./Bounds.ts"
import type { Recorded } from "./Codec.ts"

/**
 * A map that forgets what was not used lately: at least the last `limit` / 2
 * keys stay, at most `limit`. Two generations, so that forgetting costs nothing.
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
    if (this.young.size >= this.generation) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(key, value)
  }
}

/** A record's name as a number; two that share one forget each other. */
const nameOf = (account: number, seq: number): number => account * 2 ** 21 + (seq % 2 ** 21)

export class RecentWork {
  private readonly claims = new Recent<Hash128, ClaimHolder>(Bounds.keptClaims)
  private readonly records = new Recent<number, Recorded>(Bounds.keptReplies)

  holder(key: Hash128): ClaimHolder | undefined {
    return this.claims.get(key)
  }

  holds(holder: ClaimHolder): void {
    this.claims.set(holder.key, holder)
  }

  record(account: number, seq: number): Recorded | undefined {
    const kept = this.records.get(nameOf(account, seq))
    return kept?.account === account && kept.seq === seq ? kept : undefined
  }

  keep(record: Recorded): void {
    this.records.set(nameOf(record.account, record.seq), record)
  }
}
