/** Kills services in the middle of a run, each in a process of its own. */
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"

/** Goes on with all runs in a process that is killed behind so many rewards; how the process ended. */
export const killedAfter = Effect.fnUntraced(function* (rewards: number) {
  const { database, host, password, port, username } = (yield* Database).clientConfig
  const plain = Redacted.isRedacted(password) ? Redacted.value(password) : password
  const DATABASE = JSON.stringify({ database, host, password: plain, port, username })
  const file = path.join(import.meta.dirname, "CampaignVictim.ts")
  return yield* Effect.promise(
    () =>
      new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
        const victim = spawn(process.execPath, [file, String(rewards)], {
          env: { ...process.env, DATABASE },
          stdio: ["ignore", "ignore", "inherit"]
        })
        victim.once("error", reject)
        victim.once("exit", (code, signal) => resolve(signal ?? code))
      })
  )
})
