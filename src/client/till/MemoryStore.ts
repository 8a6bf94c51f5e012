/** Keeps nothing beyond its page or process: for tests. */
import type { TillStore } from "./Store.ts"
import { StoreError } from "./Store.ts"

/** Entries are kept in `kept`: another store over the same map finds them, as after a restart. */
export const memoryStore = (kept: Map<string, string> = new Map()): TillStore => {
  let isOpen = false
  const check = (): void => {
    if (!isOpen) throw new StoreError("failed", "the store is not open")
  }
  return {
    open: async () => {
      if (isOpen) throw new StoreError("owned", "the store is open already")
      isOpen = true
      return { entries: Array.from(kept, ([id, text]) => ({ id, text })), damaged: [] }
    },
    put: async (id, text) => {
      check()
      kept.set(id, text)
    },
    remove: async (id) => {
      check()
      kept.delete(id)
    },
    close: async () => {
      isOpen = false
    }
  }
}
