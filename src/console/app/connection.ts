/** Whether the service answers. It is asked every second while somebody is at the page, and at once when a call fails. */
import type { QueryClient } from "@tanstack/react-query"
import { focusManager, useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { Failure } from "./client.ts"
import { readAccessAgain } from "./session.tsx"

/** Pause between two questions, ms. What is lost is told within it. */
const everyMs = 1_000
/** Time after which a question counts as unanswered, ms: a slow network is no lost one. */
const patienceMs = 5_000

let isLost = false
const listeners = new Set<() => void>()

const tell = (next: boolean): void => {
  isLost = next
  for (const listener of listeners) listener()
}

const answers = async (): Promise<boolean> => {
  try {
    const answer = await fetch("/health", { cache: "no-store", signal: AbortSignal.timeout(patienceMs) })
    // A request whose answer is not read stays open.
    await answer.arrayBuffer()
    return answer.status < 500
  } catch {
    return false
  }
}

/** Reads again what the page shows. The session is left alone, unless it is what failed. */
const readAgain = (queries: QueryClient): void =>
  void queries.invalidateQueries({
    predicate: ({ queryKey, state }) => queryKey[0] !== "session" || state.error !== null
  })

const watch = (queries: QueryClient): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isOver = false
  const ask = async (): Promise<void> => {
    if (isAsking || isOver) return
    isAsking = true
    clearTimeout(timer)
    const wasLost = isLost
    // Nobody looks at a resting page.
    if (focusManager.isFocused() || wasLost) {
      const isAnswered = await answers()
      if (isAnswered === isLost) tell(!isAnswered)
      if (wasLost && isAnswered) readAgain(queries)
    }
    isAsking = false
    if (!isOver) timer = setTimeout(() => void ask(), everyMs)
  }
  const askNow = (): void => void ask()
  const hear = (event: { readonly action?: { readonly type: string; readonly error?: unknown } }): void => {
    const error = event.action?.error
    if (!(error instanceof Failure)) return
    if (error.unanswered !== undefined) askNow()
    // The session is known to be there or not by other calls.
    if (error.code === "forbidden") readAccessAgain(queries).catch(() => undefined)
  }
  const ends = [
    queries.getQueryCache().subscribe((event) => hear(event as Parameters<typeof hear>[0])),
    queries.getMutationCache().subscribe((event) => hear(event as Parameters<typeof hear>[0])),
    focusManager.subscribe(askNow)
  ]
  for (const name of ["online", "offline"]) addEventListener(name, askNow)
  askNow()
  return () => {
    isOver = true
    clearTimeout(timer)
    for (const end of ends) end()
    for (const name of ["online", "offline"]) removeEventListener(name, askNow)
  }
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True while the service does not answer. */
export const useIsLost = (): boolean => useSyncExternalStore(subscribe, () => isLost)

/** Watches the connection while the page is open. */
export const useConnection = (): void => {
  const queries = useQueryClient()
  useEffect(() => watch(queries), [queries])
}
