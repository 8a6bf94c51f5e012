/** Flags of `lotbook move-in`, and what its steps make of them (contract/moving.md *Mapping*, *Faults*). */
import { Effect, Option, Result } from "effect"
import { Argument, Flag } from "effect/cli"
import * as fs from "node:fs"
import * as fsp from "node:fs/promises"
import * as path from "node:path"
import type { FaultName } from "../../capabilities/moving/Faults.ts"
import { faultNames, kindOf } from "../../capabilities/moving/Faults.ts"
import * as Mappings from "../../capabilities/moving/Mapping.ts"
import { waivable } from "../../capabilities/moving/Reconciliation.ts"
import { faultsDetail } from "../../contract/Decode.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import { targetFlags } from "./AdminTarget.ts"
import { optionalText } from "./Flags.ts"
import { json } from "./MemberCommands.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("files of guests, lots, rewards and consents: CSV, or JSON in lines"),
  Argument.variadic({ min: 1 })
)

/** Flags of every step. */
export const planFlags = {
  files,
  program: Flag.withDescription(Flag.String("program"), "the programme that the guests come to; required"),
  mapping: optionalText("mapping", "the file that says what columns are (columns have the names of fields)"),
  faults: Flag.withDefault(
    Flag.withDescription(Flag.String("faults"), "where the list of faults is written"),
    "move-in-faults.csv"
  ),
  json
}

export const moveFlags = { ...targetFlags, ...planFlags }

const readMapping = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fsp.readFile(file, "utf8"),
    catch: (error) => new CannotRun({ message: `${file}: ${messageOf(error)}` })
  })
  const fault = firstFault(text)
  if (fault !== undefined) return yield* new CannotRun({ message: `${file}: not JSON: ${fault}` })
  const read = Mappings.read(JSON.parse(text))
  if (Result.isFailure(read)) return yield* new CannotRun({ message: `${file}: ${faultsDetail(read.failure)}` })
  return read.success
})

/** The mapping of a move. Refuses files that are not there, and two of one name: faults and mappings know files by name. */
export const mappingOf = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, mapping: Option.Option<string>) {
  for (const [index, file] of paths.entries()) {
    if (!fs.existsSync(file)) return yield* new CannotRun({ message: `There is no file ${file}.` })
    const isTwice = paths.findIndex((other) => path.basename(other) === path.basename(file)) < index
    if (isTwice) return yield* new CannotRun({ message: `Two files are named ${path.basename(file)}.` })
  }
  return Option.isSome(mapping) ? yield* readMapping(mapping.value) : undefined
})

export const number = (n: number | bigint): string => n.toLocaleString("en-US")

export const faultLines = (counts: ReadonlyMap<FaultName, number>, file: string): ReadonlyArray<string> =>
  counts.size === 0
    ? ["no faults"]
    : [`faults, listed in ${file}:`, ...[...counts].map(([name, count]) => `  ${name}: ${number(count)}`)]

export const waive = Flag.withDefault(
  Flag.withDescription(
    Flag.String("waive"),
    "names of faults that keep no guest from being moved, with commas between"
  ),
  ""
)

/** Names of faults that are waived. */
export const waivedBy = Effect.fnUntraced(function* (text: string) {
  const names = text.split(",").filter((name) => name !== "")
  const known: ReadonlyArray<string> = [...waivable, ...faultNames.filter((name) => kindOf(name).waived !== undefined)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    return yield* new CannotRun({ message: `There is no fault ${unknown} that can be waived.` })
  return new Set(names)
})
