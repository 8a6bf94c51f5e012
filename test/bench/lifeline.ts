/** Loaded before a server that knows nothing of the benchmark: ends it when the benchmark is gone. */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
// Listening alone must not keep a server alive that has ended.
process.channel?.unref()
