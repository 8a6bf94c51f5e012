/** One thread of `Parallel`: verifies its part and reports to the one that started it. */
import { NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { Database } from "../database/Database.ts"
import { Programs } from "../program/Programs.ts"
import * as Parallel from "./Parallel.ts"
import * as Verify from "./Verify.ts"

const { config, moment, part, programs, share } = workerData as Parallel.Task

const report = (said: Parallel.Report) => Effect.sync(() => parentPort?.postMessage(said))

const work = Verify.runPart(moment, part, {
  share,
  onDifference: (difference, name) => report({ type: "difference", difference, name }),
  onProgress: (progress) => report({ type: "progress", progress })
}).pipe(
  Effect.provide(
    Layer.merge(
      Layer.succeed(Database, { clientConfig: Parallel.configOf(config), describe: "the database" }),
      Layer.provide(Programs.layer(programs), NodeServices.layer)
    )
  )
)

const exit = await Effect.runPromiseExit(work)
parentPort?.postMessage(
  Exit.isSuccess(exit)
    ? { type: "verified", verified: exit.value }
    : { type: "failed", message: Cause.pretty(exit.cause) }
)
