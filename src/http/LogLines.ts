/**
 * Lines for standard output. The lines of one turn of the event loop are written together: a system call for each, on top
 * of a fiber for each, would cost a write request a quarter of its time.
 */
import type { Writable } from "node:stream"

/** A function that writes a line, at the latest when the process ends. */
export const make = (out: Writable): ((line: string) => void) => {
  let pending = ""
  const flush = () => {
    const text = pending
    pending = ""
    if (text !== "") out.write(text)
  }
  process.once("exit", flush)
  return (line) => {
    if (pending === "") setImmediate(flush)
    pending += `${line}\n`
  }
}
