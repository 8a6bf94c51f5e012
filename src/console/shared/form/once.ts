/** Idempotency keys of changes: a change whose answer was lost can be repeated without a second effect. */
import { useState } from "react"

export interface Once {
  /** The key of a change. Equal content has the same key, even if the dialog was closed in between. */
  readonly keyOf: (content: unknown) => string
  /** Call it when the change is done: after that, equal content is a new change. */
  readonly done: () => void
}

export const useOnce = (): Once => {
  const [keys] = useState(() => new Map<string, string>())
  return {
    keyOf: (content) => {
      const text = JSON.stringify(content)
      const key = keys.get(text) ?? crypto.randomUUID()
      keys.set(text, key)
      return key
    },
    done: () => keys.clear()
  }
}
