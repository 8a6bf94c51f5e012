/**
 * Verifies in several threads, all in one exported snapshot: folding a journal is
 * CPU work, and the database needs a CPU as well.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import { Database } from "../database/Database.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import type { Difference } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import * as Material from "./Material.ts"
import type { Choice, Progress, VerifiedPart, VerifyOptions, WholeVerified } from "./Verify.ts"
import * as Verify from "./Verify.ts"

/** A thread failed. */
class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", { message: Schema.String }) {}

/** The message to a thread: plain data, the password included. */
export interface Task {
  readonly config: Readonly<Record<string, unknown>>
  readonly programs: ReadonlyArray<Program>
  readonly exported: Material.ExportedSnapshot
  readonly choice: Choice
  readonly part: Verify.Part
}

/** Messages from a thread. */
export type Report =
  | { readonly type: "difference"; readonly difference: Difference; readonly name: string | undefined }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "verified"; readonly verified: VerifiedPart }
  | { readonly type: "failed"; readonly message: string }

const secrets = ["url", "password"] as const

/** A client's configuration as plain data; `configOf` is the inverse. */
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

/** A thread that is starting: it gets its task once the snapshot is exported. */
const begin = Effect.acquireRelease(
  Effect.sync(() => {
    const thread = new Worker(new URL("./VerifyThread.ts", import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: Bounds.threadYoungMb }
    })
    const failed = new Promise<string>((resolve) => {
      thread.on("error", (error) => resolve(error.message))
      thread.on("exit", (code) => resolve(`A thread ended with exit code ${code}.`))
    })
    return { thread, failed }
  }),
  ({ thread }) => Effect.promise(() => thread.terminate())
)

const inThread = (
  { failed, thread }: Effect.Success<typeof begin>,
  task: Task,
  onReport: (report: Report) => void
): Effect.Effect<VerifiedPart, PartFailed> =>
  Effect.callback((resume) => {
    thread.on("message", (report: Report) => {
      if (report.type === "verified") resume(Effect.succeed(report.verified))
      else if (report.type === "failed") resume(Effect.fail(new PartFailed({ message: report.message })))
      else onReport(report)
    })
    void failed.then((message) => resume(Effect.fail(new PartFailed({ message }))))
    thread.postMessage(task)
  })

const sumOf = (all: ReadonlyArray<Omit<Progress, "done">>) => ({
  accounts: all.reduce((sum, one) => sum + one.accounts, 0),
  records: all.reduce((sum, one) => sum + one.records, 0),
  entries: all.reduce((sum, one) => sum + one.entries, 0)
})

/** Verifies with one thread a processor, this one included, at most `Bounds.maxThreads`. */
export const run = Effect.fnUntraced(function* (options: VerifyOptions) {
  const database = yield* Database
  const count = Math.min(os.availableParallelism(), Bounds.maxThreads)
  const threads = yield* Effect.forEach(Array.from({ length: count - 1 }), () => begin)
  const exported = yield* Material.exportSnapshot(database, { rangeRows: options.rangeRows })
  const runFork = Effect.runForkWith(yield* Effect.context())
  const latest: Array<Progress> = Array.from({ length: count }, () => ({
    accounts: 0,
    records: 0,
    entries: 0,
    done: 0
  }))
  const onProgress = (index: number, progress: Progress) => {
    latest[index] = progress
    const done = latest.reduce((sum, one) => sum + one.done, 0) / count
    return options.onProgress({ ...sumOf(latest), done })
  }
  const listen = (index: number) => (report: Report) => {
    if (report.type === "difference") runFork(options.onDifference(report.difference, report.name))
    else if (report.type === "progress") runFork(onProgress(index, report.progress))
  }
  const programs = (yield* Programs).all()
  const config = plainConfig(database.clientConfig)
  const choice = { share: options.share, program: options.program }
  const parts = yield* Effect.all(
    [
      Verify.runPart(exported, { index: 0, count }, { ...options, onProgress: (progress) => onProgress(0, progress) }),
      ...threads.map((thread, place) => {
        const index = place + 1
        return inThread(thread, { config, programs, exported, choice, part: { index, count } }, listen(index))
      })
    ],
    { concurrency: "unbounded" }
  )
  return {
    ...sumOf(parts),
    foreignSnapshots: parts.reduce((sum, one) => sum + one.foreignSnapshots, 0),
    differences:
      parts.reduce((sum, one) => sum + one.differences, 0) + (yield* Verify.conclude(exported, parts, options)),
    figuresTo: Verify.figuresTo(exported)
  } satisfies WholeVerified
}, Effect.scoped)
