/**
 * Stops this process when the parent that started it with a channel is gone
 * (the launcher `lotbook.cjs`), also where a SIGKILL ended the parent.
 */
export const stopWithParent = (): void => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // The channel alone must not keep this process alive.
  process.channel?.unref()
}
