/** Keys of changes, so that one whose answer was lost is not made twice. */
import { useState } from "react"

export interface Once {
  /** The key of a change: the same for the same content, whether or not its dialog was closed meanwhile. */
  readonly keyOf: (content: unknown) => string
  /** Call it when the change is done: the same content is another change from now on. */
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
