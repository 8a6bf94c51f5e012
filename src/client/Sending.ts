/** One attempt of a request: its answer in time, or why there is none. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

interface Sending {
  readonly fetch: Fetch
  readonly url: string
  readonly init: RequestInit
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

interface Answered {
  readonly response: Response
  readonly text: string
}
interface Unanswered {
  readonly kind: "network" | "timeout" | "aborted"
  readonly cause: unknown
}

export const send = async ({ fetch, init, signal, timeoutMs, url }: Sending): Promise<Answered | Unanswered> => {
  const controller = new AbortController()
  let ended: "timeout" | "aborted" | undefined
  const end = (how: "timeout" | "aborted") => () => {
    ended ??= how
    controller.abort()
  }
  const abort = end("aborted")
  signal?.addEventListener("abort", abort, { once: true })
  const timer = setTimeout(end("timeout"), timeoutMs)
  try {
    const response = await fetch(url, { ...init, signal: controller.signal })
    // The time limit holds for the body, too.
    return { response, text: await response.text() }
  } catch (cause) {
    return { kind: ended ?? "network", cause: ended === "aborted" ? signal?.reason : cause }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}
