/**
 * The programmes in force. A new version applies to the next decision, so keep a
 * `Program` only for one decision.
 */
import { Cause, Context, Effect, Layer, type Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { Database } from "../../base/database/Database.ts"
import { Journal } from "../journal/Journal.ts"
import type { Program } from "../rules/Program.ts"
import type { InForce, ProgramsInvalid } from "./ProgramStore.ts"
import * as ProgramStore from "./ProgramStore.ts"

/** Interval of checks for publications by other processes, ms: the longest delay until reads show one. */
const followMs = 500

type ReadError = SqlError.SqlError | ProgramsInvalid

export class Programs extends Context.Service<
  Programs,
  {
    /** The version in force now. */
    readonly get: (programId: string) => Program | undefined
    /** Sorted by id; in tests in the given order. */
    readonly all: () => ReadonlyArray<Program>
    /** The revision of `get` and `all`. It changes with every publication, retirement and restoration. */
    readonly revision: () => number
    /** Reads the programmes again, after a publication. */
    readonly refresh: Effect.Effect<void, ReadError>
    /** Reads the programmes again, unless another revision than `revision` has been read meanwhile. */
    readonly refreshFrom: (revision: number) => Effect.Effect<void, ReadError>
    /** Calls a listener after the revision has changed, until the scope closes. */
    readonly onChange: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("lotbook/core/programs/Programs") {
  /** For tests: these programmes, which never change. */
  static layerFrom(programs: ReadonlyArray<Program>): Layer.Layer<Programs> {
    const byId = new Map(programs.map((program) => [program.id, program]))
    return Layer.orDie(Programs.layerFromRead(Effect.succeed({ revision: 0, programs: byId })))
  }

  /** Programmes that `read` returns. It is called again after changes. */
  static layerFromRead<R>(read: Effect.Effect<InForce, ReadError, R>): Layer.Layer<Programs, ReadError, R> {
    return Layer.effect(
      Programs,
      Effect.gen(function* () {
        const readNow = Effect.provideContext(read, yield* Effect.context<R>())
        let inForce = yield* readNow
        // One read at a time: accounts that find their programmes changed at the same time share it.
        const reading = yield* Semaphore.make(1)
        const listeners = new Set<() => void>()
        const refresh = Effect.map(readNow, (found) => {
          const isChanged = found.revision !== inForce.revision
          inForce = found
          if (isChanged) for (const listener of listeners) listener()
        })
        return Programs.of({
          get: (programId) => inForce.programs.get(programId),
          all: () => [...inForce.programs.values()],
          revision: () => inForce.revision,
          onChange: (listener) =>
            Effect.acquireRelease(
              Effect.sync(() => void listeners.add(listener)),
              () => Effect.sync(() => listeners.delete(listener))
            ),
          refresh: reading.withPermit(refresh),
          refreshFrom: (revision) =>
            reading.withPermit(Effect.suspend(() => (inForce.revision === revision ? refresh : Effect.void)))
        })
      })
    )
  }

  /** The newest versions in the database. */
  static readonly layer: Layer.Layer<Programs, ReadError, Database> = Programs.layerFromRead(ProgramStore.inForce)

  /**
   * Follows publications by commands and other services. Only reads need this: the journal rejects outdated decisions.
   */
  static readonly layerFollowing: Layer.Layer<never, never, Programs | Journal> = Layer.effectDiscard(
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
            : Effect.logWarning("Refreshing the programmes failed", cause)
        ),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
}
