/** When this process ends although nobody told it to, or although something in it still waits. */

/**
 * Stops this process when its parent, the launcher `lotbook.cjs`, has ended, also
 * by SIGKILL: then their IPC channel closes.
 */
export const stopWithParent = (): void => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // The channel must not keep this process alive.
  process.channel?.unref()
}

/** Longest time from a signal to the end of this process, ms: supervisors kill after 10 s. */
const stopMs = 9_500

/**
 * Ends this process `stopMs` after a signal although something still waits, as for a database that does not answer.
 * Nothing depends on what is left undone: every acknowledged record is committed.
 */
export const boundStop = (): void => {
  const end = () => {
    process.stderr.write("Something did not stop in time; ending without it.\n")
    process.exit()
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => setTimeout(end, stopMs).unref())
}
