/** One thread of `Parallel`: waits for its task, verifies its part and reports to the one that started it. */
import { Cause, Effect, Exit, Layer } from "effect"
import { parentPort } from "node:worker_threads"
import { Database } from "../database/Database.ts"
import { Programs } from "../program/Programs.ts"
import * as Parallel from "./Parallel.ts"
import * as Verify from "./Verify.ts"

const say = (said: Parallel.Report) => parentPort?.postMessage(said)
const report = (said: Parallel.Report) => Effect.sync(() => say(said))

const work = ({ choice, config, moment, part, programs }: Parallel.Task) =>
  Verify.runPart(moment, part, {
    ...choice,
    onDifference: (difference, name) => report({ type: "difference", difference, name }),
    onProgress: (progress) => report({ type: "progress", progress })
  }).pipe(
    Effect.provide(
      Layer.merge(
        Layer.succeed(Database, { clientConfig: Parallel.configOf(config), describe: "the database" }),
        Programs.layerOf(programs)
      )
    )
  )

parentPort?.once("message", async (task: Parallel.Task) => {
  const exit = await Effect.runPromiseExit(work(task))
  say(
    Exit.isSuccess(exit)
      ? { type: "verified", verified: exit.value }
      : { type: "failed", message: Cause.pretty(exit.cause) }
  )
})
