/**
 * Stops this process when its parent, the launcher `lotbook.cjs`, has ended, also
 * by SIGKILL: then their IPC channel closes.
 */
export const stopWithParent = (): void => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // The channel must not keep this process alive.
  process.channel?.unref()
}
