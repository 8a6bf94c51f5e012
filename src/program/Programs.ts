/**
 * The programmes in force. A new version applies to the next decision, so keep a
 * `Program` only for one decision.
 */
import { Cause, Context, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { Database } from "../database/Database.ts"
import { Journal } from "../journal/Journal.ts"
import type { Program } from "./Program.ts"
import type { ProgramsInvalid } from "./ProgramFiles.ts"
import type { InForce } from "./ProgramStore.ts"
import * as ProgramStore from "./ProgramStore.ts"

/** Time between two looks for publications of other processes, ms: reads show such a one so much later at the most. */
const followMs = 500

export type ReadError = SqlError.SqlError | ProgramsInvalid

export class Programs extends Context.Service<
  Programs,
  {
    /** The version in force now. */
    readonly get: (programId: string) => Program | undefined
    /** In the order of their ids, or, for tests, as they were given. */
    readonly all: () => ReadonlyArray<Program>
    /** The revision that `get` and `all` answer from: it changes with every publication, retirement and restoration. */
    readonly revision: () => number
    /** Reads again what is in force: after a publication. */
    readonly refresh: Effect.Effect<void, ReadError>
    /** The same, unless another revision than this one has been read meanwhile. */
    readonly leave: (revision: number) => Effect.Effect<void, ReadError>
  }
>()("lotbook/program/Programs") {
  /** For tests: these programmes, which never change. */
  static layerOf(programs: ReadonlyArray<Program>): Layer.Layer<Programs> {
    const byId = new Map(programs.map((program) => [program.id, program]))
    return Layer.orDie(Programs.layerFrom(Effect.succeed({ revision: 0, programs: byId })))
  }

  /** What `read` finds in force, which it is asked again after changes. */
  static layerFrom<R>(read: Effect.Effect<InForce, ReadError, R>): Layer.Layer<Programs, ReadError, R> {
    return Layer.effect(
      Programs,
      Effect.gen(function* () {
        const again = Effect.provideContext(read, yield* Effect.context<R>())
        let inForce = yield* again
        // One at a time: accounts that all find their programmes changed are served by the same read.
        const reading = yield* Semaphore.make(1)
        const refresh = Effect.map(again, (found) => {
          inForce = found
        })
        return Programs.of({
          get: (programId) => inForce.programs.get(programId),
          all: () => [...inForce.programs.values()],
          revision: () => inForce.revision,
          refresh: reading.withPermit(refresh),
          leave: (revision) =>
            reading.withPermit(Effect.suspend(() => (inForce.revision === revision ? refresh : Effect.void)))
        })
      })
    )
  }

  /** The newest versions in the database. */
  static readonly layer: Layer.Layer<Programs, ReadError, Database> = Programs.layerFrom(ProgramStore.inForce)

  /** Reads again what commands or other services publish. Decisions do not depend on it: the journal rejects outdated ones. */
  static readonly following: Layer.Layer<never, never, Programs | Journal> = Layer.effectDiscard(
    Effect.gen(function* () {
      const journal = yield* Journal
      const programs = yield* Programs
      const look = Effect.gen(function* () {
        if ((yield* journal.revision) !== programs.revision()) yield* programs.refresh
      })
      yield* Effect.sleep(followMs).pipe(
        Effect.andThen(look),
        Effect.catchTag("JournalUnavailable", () => Effect.void),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.logWarning("The programmes could not be read again", cause)
        ),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
}
