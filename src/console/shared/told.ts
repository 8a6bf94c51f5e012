/** Notice of a change that was made: the newest one, for some seconds. */
import { useSyncExternalStore } from "react"

/** So long it is shown, ms: enough to look up from the form and to read a line. */
const shownMs = 6_000

let newest = ""
let hiding: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

const show = (text: string): void => {
  newest = text
  for (const listener of listeners) listener()
}

export const tell = (text: string): void => {
  clearTimeout(hiding)
  hiding = setTimeout(() => show(""), shownMs)
  show(text)
}

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Empty: nothing is told. */
export const useTold = (): string => useSyncExternalStore(listen, () => newest)
