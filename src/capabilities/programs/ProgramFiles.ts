/**
 * Programme files on disk (contract/programmes.md *Files at the start*). Every fault of every file is
 * reported, with path and reason.
 */
import { Effect, FileSystem, Path, type PlatformError, Result } from "effect"
import { ProgramsInvalid } from "../../core/programs/ProgramStore.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as ProgramFile from "../../core/rules/ProgramFile.ts"

const fileName = /^program.*\.json$/

/** Why a file or folder could not be read. */
const unreadable = (error: PlatformError.PlatformError): string => {
  const { _tag } = error.reason
  if (_tag === "NotFound") return "there is no such file or folder"
  return _tag === "PermissionDenied" ? "this user may not read it" : error.message
}

/** The file itself, or a folder's `program*.json` files, sorted by name. */
const filesAt = Effect.fnUntraced(
  function* (at: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const info = yield* fs.stat(at)
    if (info.type !== "Directory") return [at]
    const names = (yield* fs.readDirectory(at)).filter((name) => fileName.test(name)).sort()
    return names.map((name) => path.join(at, name))
  },
  (effect, at) => Effect.mapError(effect, (error) => new ProgramsInvalid({ message: `${at}: ${unreadable(error)}` }))
)

type Faults = ReadonlyArray<string>

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (bytes: Uint8Array): Result.Result<Program, Faults> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail(["not UTF-8"])
  }
  const fault = firstFault(text)
  if (fault !== undefined) return Result.fail([`not JSON: ${fault}`])
  const json: unknown = JSON.parse(text)
  return Result.mapError(ProgramFile.validate(json), (faults) =>
    faults.map((fault) => `${fault.path === "" ? "/" : fault.path}: ${fault.message}`)
  )
}

/** Loads a file; fails with its faults. */
const loadFile = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const read = yield* Effect.result(fs.readFile(file))
  return Result.isFailure(read) ? Result.fail([unreadable(read.failure)]) : parse(read.success)
})

/** A programme and its file. */
export interface LoadedFile {
  readonly file: string
  readonly program: Program
}

/** Loads a file, or all `program*.json` of a folder. */
export const load = Effect.fn("ProgramFiles.load")(function* (at: string) {
  const files = yield* filesAt(at)
  if (files.length === 0) return yield* new ProgramsInvalid({ message: `${at}: no program*.json in this folder` })
  const fileOf = new Map<string, string>()
  const programs: Array<LoadedFile> = []
  const faults: Array<string> = []
  for (const file of files) {
    const loaded = yield* loadFile(file)
    if (Result.isFailure(loaded)) {
      faults.push(...loaded.failure.map((fault) => `${file}: ${fault}`))
      continue
    }
    const program = loaded.success
    const other = fileOf.get(program.id)
    if (other !== undefined) faults.push(`${file}: /program_id: ${program.id} is already the programme of ${other}`)
    fileOf.set(program.id, file)
    programs.push({ file, program })
  }
  if (faults.length > 0) return yield* new ProgramsInvalid({ message: faults.join("\n") })
  return programs
})
