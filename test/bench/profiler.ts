/**
 * Loaded before the service where it is to be profiled: keeps a CPU profile from
 * one message of the benchmark's to the next, so that neither its start nor the
 * warming up is in it.
 */
import * as fs from "node:fs"
import { Session } from "node:inspector/promises"
import type { ProfilerAnswer, ProfilerOrder } from "./Profile.ts"

const session = new Session()
session.connect()

const answer = (message: ProfilerAnswer) => process.send?.(message)

process.on("message", async ({ profile }: ProfilerOrder) => {
  if (profile === "start") {
    await session.post("Profiler.enable")
    await session.post("Profiler.start")
  } else {
    const { profile: taken } = await session.post("Profiler.stop")
    fs.writeFileSync(profile, JSON.stringify(taken))
  }
  answer({ profiled: profile })
})
// Listening alone must not keep the service alive.
process.channel?.unref()
