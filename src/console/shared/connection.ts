/**
 * Whether the service answers, and whether its writes are frozen. It is asked every second while somebody is at the page, and
 * at once when a call fails. What could not be read is read again until it can be.
 */
import type { QueryClient } from "@tanstack/react-query"
import { focusManager, useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { Failure, mayPass } from "./client.ts"
import { readAccessAgain } from "./session.tsx"

/** Pause between two questions, ms. What is lost is told within it. */
const everyMs = 1_000
/** Time after which a question counts as unanswered, ms: a slow network is no lost one. */
const patienceMs = 5_000
/** Pause before what could not be read is read again, ms. */
const againMs = 30_000
/** For so long after it has come back, ms, the service may answer before it can read: no pause then. */
const backMs = 60_000

type Connection = "lost" | "frozen" | "fine"

let connection: Connection = "fine"
let foundAt = 0
const listeners = new Set<() => void>()

const tell = (next: Connection): void => {
  connection = next
  for (const listener of listeners) listener()
}

const look = async (): Promise<Connection> => {
  try {
    const answer = await fetch("/health", { cache: "no-store", signal: AbortSignal.timeout(patienceMs) })
    // A request whose answer is not read stays open.
    const health = await answer.text()
    return answer.status < 500 ? (health.includes('"write_frozen":true') ? "frozen" : "fine") : "lost"
  } catch {
    return "lost"
  }
}

/** Reads again what the page shows. The session is left alone, unless it is what failed. */
const readAgain = (queries: QueryClient): void =>
  void queries.invalidateQueries({
    predicate: ({ queryKey, state }) => queryKey[0] !== "session" || state.error !== null
  })

/** Reads again what could not be read, if that is due. */
const readFailedAgain = (queries: QueryClient): void => {
  const pauseMs = Date.now() - foundAt < backMs ? 0 : againMs
  void queries.refetchQueries({
    type: "active",
    predicate: ({ state: { error, errorUpdatedAt, fetchStatus } }) =>
      error !== null && fetchStatus === "idle" && mayPass(error) && Date.now() - errorUpdatedAt >= pauseMs
  })
}

const watch = (queries: QueryClient): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isOver = false
  const ask = async (): Promise<void> => {
    if (isAsking || isOver) return
    isAsking = true
    clearTimeout(timer)
    const before = connection
    // Nobody looks at a resting page.
    if (focusManager.isFocused() || before === "lost") {
      const now = await look()
      if (now !== before) tell(now)
      if (now !== "lost") {
        if (before === "lost") {
          foundAt = Date.now()
          readAgain(queries)
        } else readFailedAgain(queries)
      }
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
export const useIsLost = (): boolean => useSyncExternalStore(subscribe, () => connection === "lost")

/** True while the service refuses writes. */
export const useIsFrozen = (): boolean => useSyncExternalStore(subscribe, () => connection === "frozen")

/** Watches the connection while the page is open. */
export const useConnection = (): void => {
  const queries = useQueryClient()
  useEffect(() => watch(queries), [queries])
}
