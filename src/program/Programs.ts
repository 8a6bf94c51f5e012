/**
 * The programmes in force. Live: a version that is published counts for what is
 * decided next, so keep a `Program` for one decision and ask again.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { Database } from "../database/Database.ts"
import type { Program } from "./Program.ts"
import type { ProgramsInvalid } from "./ProgramFiles.ts"
import * as ProgramStore from "./ProgramStore.ts"

export class Programs extends Context.Service<
  Programs,
  {
    /** The version in force now. */
    readonly get: (programId: string) => Program | undefined
    /** In the order of their ids, or, for tests, as they were given. */
    readonly all: () => ReadonlyArray<Program>
    /** Reads again what is in force: after a publication by whichever service. */
    readonly refresh: Effect.Effect<void, SqlError.SqlError | ProgramsInvalid>
  }
>()("lotbook/program/Programs") {
  /** For tests: these programmes, which never change. */
  static layerOf(programs: ReadonlyArray<Program>): Layer.Layer<Programs> {
    const byId = new Map(programs.map((program) => [program.id, program]))
    return Layer.succeed(Programs, {
      get: (programId) => byId.get(programId),
      all: () => programs,
      refresh: Effect.void
    })
  }

  /** The newest versions in the database. */
  static readonly layer: Layer.Layer<Programs, SqlError.SqlError | ProgramsInvalid, Database> = Layer.effect(
    Programs,
    Effect.gen(function* () {
      const database = yield* Database
      const read = Effect.provideService(ProgramStore.inForce, Database, database)
      let programs = yield* read
      return Programs.of({
        get: (programId) => programs.get(programId),
        all: () => [...programs.values()],
        refresh: Effect.map(read, (found) => {
          programs = found
        })
      })
    })
  )
}
