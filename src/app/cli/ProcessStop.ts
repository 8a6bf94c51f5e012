/** Ends this process if its launcher is gone, or if a stop takes too long. */

/**
 * Stops this process when its parent, the launcher `lotbook.cjs`, ends, also by
 * SIGKILL: then the IPC channel closes. Without this, the service would keep running
 * and hold its port and data folder.
 */
export const stopWithParent = (): void => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // The channel must not keep this process alive.
  process.channel?.unref()
}

/**
 * Longest time from a signal to the end of this process, ms: supervisors kill after 10 s, and the embedded PostgreSQL has a
 * second to end.
 */
const stopMs = 9_000

/** Says that the limit ends the process. */
let lastWord = (reason: string): void => void process.stderr.write(`${reason}\n`)

/** A service says it in its log. */
export const sayAtLimit = (say: (reason: string) => void): void => {
  lastWord = say
}

/**
 * Ends this process `stopMs` after a signal even if something still waits, such as for a database that does not answer.
 * Nothing is lost: every acknowledged record is committed.
 */
export const limitStopTime = (): void => {
  const end = () => {
    lastWord("The service did not stop in time. Ending the process; every acknowledged record is committed.")
    process.exit()
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => setTimeout(end, stopMs).unref())
}

/**
 * Longest time for the end of a node that is dead, ms: with the 2 s in which it asks PostgreSQL a last time, and what the
 * word of its death took, below 5 s.
 */
const endMs = 1_500

/**
 * Ends this process, which may not reach PostgreSQL, even if something still waits for it. No answer leaves any more. `last`
 * runs before.
 */
export const limitEnd = (last: () => void): void => {
  const end = () => {
    process.stderr.write("This node was declared dead, and what it waits for does not end. Ending the process.\n")
    last()
    process.exit(1)
  }
  setTimeout(end, endMs).unref()
}
