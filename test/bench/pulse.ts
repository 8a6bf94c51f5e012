/** A thread that sleeps and wakes up, and notes where it was late. */
import * as os from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { Late } from "./Pauses.ts"

export interface Task {
  /** Not 0 any longer when the thread is to end. */
  readonly over: Int32Array<SharedArrayBuffer>
  readonly sleepMs: number
  /** It was late from here on, ms. */
  readonly leastMs: number
}

const { leastMs, over, sleepMs }: Task = workerData

try {
  os.setPriority(os.constants.priority.PRIORITY_HIGHEST)
} catch {
  // Root alone may: with the priority of all others it waits for a few ms more where both cores are busy.
}
const late: Array<Late> = []
parentPort?.postMessage("awake")
let last = performance.now()
while (Atomics.wait(over, 0, 0, sleepMs) === "timed-out") {
  const now = performance.now()
  const due = last + sleepMs
  if (now - due >= leastMs) late.push({ from: performance.timeOrigin + due, until: performance.timeOrigin + now })
  last = now
}
parentPort?.postMessage(late)
