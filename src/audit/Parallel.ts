/**
 * A verification over several threads, all of them as of one moment: folding a
 * journal is work for a processor, and the database is one more.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import { Database } from "../database/Database.ts"
import type { Difference } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import * as Material from "./Material.ts"
import type { Progress, Verified, VerifyOptions } from "./Verify.ts"

/** A thread could not do its part. */
export class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", { message: Schema.String }) {}

/** What a thread is given; plain data, the password too. */
export interface Task {
  readonly config: Readonly<Record<string, unknown>>
  /** Programme file or folder. */
  readonly programs: string
  readonly moment: Material.Moment
  readonly share: number
  readonly part: Material.Part
}

/** What a thread says. */
export type Report =
  | { readonly type: "difference"; readonly difference: Difference; readonly name: string | undefined }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "verified"; readonly verified: Verified }
  | { readonly type: "failed"; readonly message: string }

const secrets = ["url", "password"] as const

/** A client's configuration as plain data, for a thread to read back with `configOf`. */
const plainConfig = (config: PgClient.PgClientConfig): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

export const configOf = (plain: Task["config"]): PgClient.PgClientConfig =>
  Object.fromEntries(
    Object.entries(plain).map(([name, value]) => [
      name,
      typeof value === "string" && secrets.some((secret) => secret === name) ? Redacted.make(value) : value
    ])
  ) as PgClient.PgClientConfig

const inThread = (task: Task, onReport: (report: Report) => void): Effect.Effect<Verified, PartFailed> =>
  Effect.callback((resume) => {
    const thread = new Worker(new URL("./VerifyThread.ts", import.meta.url), { workerData: task })
    thread.on("message", (report: Report) => {
      if (report.type === "verified") resume(Effect.succeed(report.verified))
      else if (report.type === "failed") resume(Effect.fail(new PartFailed({ message: report.message })))
      else onReport(report)
    })
    thread.on("error", (error) => resume(Effect.fail(new PartFailed({ message: error.message }))))
    thread.on("exit", (code) => resume(Effect.fail(new PartFailed({ message: `A thread ended with ${code}.` }))))
    return Effect.promise(() => thread.terminate())
  })

const sumOf = (all: ReadonlyArray<Omit<Progress, "done">>) => ({
  accounts: all.reduce((sum, one) => sum + one.accounts, 0),
  records: all.reduce((sum, one) => sum + one.records, 0),
  entries: all.reduce((sum, one) => sum + one.entries, 0)
})

/** Verifies with as many threads as there are processors, a few at the most. */
export const run = Effect.fnUntraced(function* (programs: string, options: VerifyOptions) {
  const database = yield* Database
  const moment = yield* Material.hold(database)
  const of = Math.min(os.availableParallelism(), Bounds.maxThreads)
  const runFork = Effect.runForkWith(yield* Effect.context())
  const latest: Array<Progress> = Array.from({ length: of }, () => ({ accounts: 0, records: 0, entries: 0, done: 0 }))
  const listen = (index: number) => (report: Report) => {
    if (report.type === "difference") runFork(options.onDifference(report.difference, report.name))
    else if (report.type === "progress") {
      latest[index] = report.progress
      const done = latest.reduce((sum, one) => sum + one.done, 0) / of
      runFork(options.onProgress({ ...sumOf(latest), done }))
    }
  }
  const config = plainConfig(database.clientConfig)
  const parts = yield* Effect.forEach(
    latest,
    (_, index) => inThread({ config, programs, moment, share: options.share, part: { index, of } }, listen(index)),
    { concurrency: "unbounded" }
  )
  return { ...sumOf(parts), differences: parts.reduce((sum, one) => sum + one.differences, 0) } satisfies Verified
}, Effect.scoped)
