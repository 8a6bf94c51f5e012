/**
 * Lines for standard output. The lines of a few turns of the event loop are written together: a system call for each, on
 * top of a fiber for each, would cost a write request a quarter of its time.
 */
import type { Writable } from "node:stream"

/** Longest wait of a line, ms: nobody who reads a log notices it, and it holds the lines of some dozen requests. */
const waitMs = 10

/** A function that writes a line after `waitMs`, at the latest when the process ends. */
export const make = (out: Writable): ((line: string) => void) => {
  let pending = ""
  const flush = () => {
    const text = pending
    pending = ""
    if (text !== "") out.write(text)
  }
  process.once("exit", flush)
  return (line) => {
    if (pending === "") setTimeout(flush, waitMs)
    pending += `${line}\n`
  }
}
