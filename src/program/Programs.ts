/**
 * The programmes that the service runs, loaded whole at start.
 */
import { Context, Effect, FileSystem, Layer, Path, Result, Schema } from "effect"
import type { Program } from "./Program.ts"
import * as ProgramFile from "./ProgramFile.ts"

/** A programme file that cannot be used, or none at all; the message lists every fault with its place. */
export class ProgramsInvalid extends Schema.TaggedError<ProgramsInvalid>()("ProgramsInvalid", {
  message: Schema.String
}) {}

const fileName = /^program.*\.json$/

const readable = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>, path: string) =>
  Effect.mapError(effect, (error) => new ProgramsInvalid({ message: `${path}: ${error.message}` }))

/** The file itself, or the `program*.json` files of a folder in the order of their names. */
const filesAt = Effect.fnUntraced(function*(at: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const info = yield* readable(fs.stat(at), at)
  if (info.type !== "Directory") return [at]
  const names = (yield* readable(fs.readDirectory(at), at)).filter((name) => fileName.test(name)).sort()
  if (names.length === 0) return yield* new ProgramsInvalid({ message: `${at}: no program*.json in this folder` })
  return names.map((name) => path.join(at, name))
})

const parse = (text: string, file: string): Result.Result<Program, string> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return Result.fail(`${file}: not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return Result.mapError(
    ProgramFile.validate(json),
    (faults) => faults.map((fault) => `${file}: ${fault.path === "" ? "/" : fault.path}: ${fault.message}`).join("\n")
  )
}

export class Programs extends Context.Service<Programs, {
  readonly get: (programId: string) => Program | undefined
  readonly all: ReadonlyArray<Program>
}>()("lotbook/program/Programs") {
  static from(programs: ReadonlyArray<Program>): Programs["Service"] {
    const byId = new Map(programs.map((program) => [program.id, program]))
    return { get: (programId) => byId.get(programId), all: programs }
  }

  /** For tests: these programmes. */
  static layerOf(programs: ReadonlyArray<Program>): Layer.Layer<Programs> {
    return Layer.succeed(Programs, Programs.from(programs))
  }

  /** Loads a file, or a folder's `program*.json`. */
  static layer(at: string): Layer.Layer<Programs, ProgramsInvalid, FileSystem.FileSystem | Path.Path> {
    return Layer.effect(
      Programs,
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const programs: Array<Program> = []
        const faults: Array<string> = []
        for (const file of yield* filesAt(at)) {
          const parsed = parse(yield* readable(fs.readFileString(file), file), file)
          if (Result.isFailure(parsed)) faults.push(parsed.failure)
          else if (programs.some((program) => program.id === parsed.success.id)) {
            faults.push(`${file}: /program_id: ${parsed.success.id} is in another file already`)
          } else programs.push(parsed.success)
        }
        if (faults.length > 0) return yield* new ProgramsInvalid({ message: faults.join("\n") })
        return Programs.from(programs)
      })
    )
  }
}
