/** Waits that a signal ends. */

/** A signal that is never aborted. */
export const never = new AbortController().signal

/** Waits for so long; rejects as soon as the signal is aborted. */
export const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", aborted)
      resolve()
    }, ms)
    signal.addEventListener("abort", aborted, { once: true })
  })
