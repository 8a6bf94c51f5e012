/**
 * Maps and sets for what comes and goes with every request.
 *
 * V8 gives a Map whose entries are deleted as fast as they are added a new
 * table every few dozen deletions, and the old table keeps a pointer to the new
 * one. Once one of them has grown old, it and every table after it, with all
 * they ever held, outlive each collection of young objects until the next full
 * one. Under load that was a third of what outlived a request here. A map that
 * is put into a fresh one now and then leaves no such chain behind.
 */

/** Deletions after which the entries move: well under the time that objects take to grow old, far above what moving them costs. */
const renewAfter = 1_024

export class RenewedMap<K, V> {
  private entries = new Map<K, V>()
  private deletions = 0

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  set(key: K, value: V): void {
    this.entries.set(key, value)
  }

  delete(key: K): void {
    if (!this.entries.delete(key) || ++this.deletions < renewAfter) return
    this.deletions = 0
    this.entries = new Map(this.entries)
  }

  /** In the order in which the keys came. */
  values(): MapIterator<V> {
    return this.entries.values()
  }
}

export class RenewedSet<A> {
  private items = new Set<A>()
  private deletions = 0

  get size(): number {
    return this.items.size
  }

  has(item: A): boolean {
    return this.items.has(item)
  }

  add(item: A): void {
    this.items.add(item)
  }

  delete(item: A): void {
    if (!this.items.delete(item) || ++this.deletions < renewAfter) return
    this.deletions = 0
    this.items = new Set(this.items)
  }

  /** In the order in which they came; what is deleted meanwhile may still come up once. */
  values(): SetIterator<A> {
    return this.items.values()
  }
}
