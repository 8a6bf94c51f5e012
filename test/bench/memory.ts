/**
 * Memory of accounts that are resident and idle, in a process of its own: a
 * second directory of accounts over the benchmark's database reads them in.
 *
 * Kept replies and claims are no part of the figure, as nothing is written
 * here: what grows is what an account that was read in holds, with its place
 * in the directory and its member's name. Weighed step by step, so that
 * what else the process takes or lets go of meanwhile shows as a step unlike the
 * others; the median counts, which leaves out the steps in which maps grow.
 */
import { Effect, Layer, Redacted, References } from "effect"
import * as Testing from "../../src/app/testing/Testing.ts"
import { Database } from "../../src/base/database/Database.ts"
import * as Accounts from "../../src/core/account/Accounts.ts"
import * as Lots from "../../src/core/account/domain/Lots.ts"
import * as PgJournal from "../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import { programId } from "./Bodies.ts"

/** Accounts that are read in before the first weighing, so that code and caches do not count. */
const warm = 1_000
/** Accounts between two weighings. */
const step = 1_000
/** Reads at once. */
const concurrency = 8

const collected = Effect.gen(function* () {
  const { gc } = globalThis
  if (gc === undefined) return yield* Effect.die(new Error("needs --expose-gc"))
  // More than once, with turns of the event loop between: what finalizers and sockets let go of is collected later.
  for (let turn = 0; turn < 4; turn++) {
    gc()
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
  }
  const { external, heapUsed } = process.memoryUsage()
  // External memory includes the buffers.
  return heapUsed + external
})

const database = Layer.succeed(Database, {
  clientConfig: { url: Redacted.make(process.env["DATABASE_URL"] ?? "") },
  describe: "the benchmark's PostgreSQL"
})

const prefix = process.env["MEMBER_PREFIX"] ?? ""
const count = Number(process.env["MEMBER_COUNT"])

const program = Effect.gen(function* () {
  const accounts = yield* Accounts.Accounts
  let lots = 0
  const readIn = (from: number, until: number) =>
    Effect.forEach(
      Array.from({ length: until - from }, (_, index) => `${prefix}${from + index}`),
      (member) =>
        Effect.map(accounts.read(programId, member), (found) => {
          if (found?._tag !== "Resident") throw new Error(`there is no ${member}`)
          for (const { lots: held } of found.state.units) lots += Lots.toArray(held).length
        }),
      { concurrency, discard: true }
    )
  yield* readIn(1, warm + 1)
  lots = 0
  const bytesEach: Array<number> = []
  let before = yield* collected
  for (let from = warm + 1; from + step <= count + 1; from += step) {
    yield* readIn(from, from + step)
    const after = yield* collected
    bytesEach.push((after - before) / step)
    before = after
  }
  const weighed = bytesEach.length * step
  return { accounts: weighed, lotsEach: lots / weighed, bytesEach }
})

process.stdout.write(
  JSON.stringify(
    await Effect.runPromise(
      program.pipe(
        Effect.provide(
          Accounts.layer({ mayWrite: () => false }).pipe(
            Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
            Layer.provideMerge(PgJournal.layer),
            Layer.provide(database),
            // Standard output is for the figures.
            Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
          )
        )
      )
    )
  )
)
process.disconnect?.()
