/** One thread of `Parallel`: waits for its task, verifies its part and reports to the main thread. */
import { Cause, Effect, Exit, Layer } from "effect"
import { parentPort } from "node:worker_threads"
import { Database } from "../database/Database.ts"
import { Programs } from "../program/Programs.ts"
import * as Parallel from "./Parallel.ts"
import * as Verify from "./Verify.ts"

const post = (report: Parallel.Report) => parentPort?.postMessage(report)
const send = (report: Parallel.Report) => Effect.sync(() => post(report))

const work = ({ choice, config, exported, part, programs }: Parallel.Task) =>
  Verify.runPart(exported, part, {
    ...choice,
    onDifference: (difference, name) => send({ type: "difference", difference, name }),
    onProgress: (progress) => send({ type: "progress", progress })
  }).pipe(
    Effect.provide(
      Layer.merge(
        Layer.succeed(Database, { clientConfig: Parallel.configOf(config), describe: "the database" }),
        Programs.layerFrom(programs)
      )
    )
  )

parentPort?.once("message", async (task: Parallel.Task) => {
  const exit = await Effect.runPromiseExit(work(task))
  post(
    Exit.isSuccess(exit)
      ? { type: "verified", verified: exit.value }
      : { type: "failed", message: Cause.pretty(exit.cause) }
  )
})
