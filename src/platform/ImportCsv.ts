/**
 * Members in CSV, as rows of an import. A bad header refuses the file; everything
 * else that is wrong is a row's own error. No message quotes a cell.
 */
import { Effect, Result, Stream } from "effect"
import { Csv } from "effect/encoding"
import { refuseFaults } from "../admin/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { BodyFault } from "../contract/Decode.ts"
import { strictDecoder } from "../contract/Decode.ts"
import type { ImportColumn } from "../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../contract/platform/Imports.ts"
import { FreeForm } from "../contract/Values.ts"

/** A row with its faults, or as JSON has it, yet to be checked. */
export type RawRow = Result.Result<unknown, ReadonlyArray<BodyFault>>

export interface CsvFile {
  readonly rows: ReadonlyArray<RawRow>
  /** What was sent, header included: two files are the same if these are. */
  readonly cells: ReadonlyArray<ReadonlyArray<string>>
}

const isColumn = (name: string): name is ImportColumn => (importColumns as ReadonlyArray<string>).includes(name)

/** Columns by which a member is found. */
const finding: ReadonlyArray<string> = ["member_id", "external_id", "identity_value"]

const headerFaults = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const faults = header.flatMap((name, index) => {
    if (!isColumn(name)) return [`has an unknown name in column ${index + 1} of its header`]
    const first = header.indexOf(name)
    return first < index ? [`repeats in column ${index + 1} of its header the name of column ${first + 1}`] : []
  })
  const findsNobody = faults.length === 0 && !finding.some((name) => header.includes(name))
  return findsNobody ? [`must have one of the columns ${finding.join(", ")}`] : faults
}

/** What an export puts before a text that a spreadsheet would run. */
const guard = /^'(?=[=+\-@\t\r])/

type Cells = Readonly<Partial<Record<ImportColumn, string>>>

/** The filled cells of a row by their columns. */
const filled = (header: ReadonlyArray<ImportColumn>, cells: ReadonlyArray<string>): Cells =>
  Object.fromEntries(
    header.flatMap((name, index) => {
      const cell = cells[index]
      return cell === undefined || cell === "" ? [] : [[name, cell.replace(guard, "")]]
    })
  )

/** Properties that are there, or undefined where there are none. */
const some = (properties: Readonly<Record<string, unknown>>): object | undefined => {
  const present = Object.entries(properties).filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/** Text that is no such value stays text, which the check of the row refuses. */
const booleanOr = (text: string | undefined): unknown => {
  const lower = text?.toLowerCase()
  return lower === "true" ? true : lower === "false" ? false : text
}

const numberOr = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text

const isFreeForm = strictDecoder(FreeForm)

const attributesOf = (text: string): Result.Result<unknown, ReadonlyArray<BodyFault>> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail([{ path: "/attributes_json", message: "must be JSON" }])
  }
  return Result.mapError(isFreeForm(json), (faults) => faults.map((one) => ({ ...one, path: "/attributes_json" })))
}

const rowOf = (header: ReadonlyArray<ImportColumn>, cells: ReadonlyArray<string>): RawRow => {
  if (cells.length !== header.length)
    return Result.fail([{ path: "", message: `must have ${header.length} cells; it has ${cells.length}` }])
  const {
    attributes_json,
    consent_source: source,
    identity_issuer: issuer,
    identity_type: type,
    identity_value: value,
    marketing_consent,
    opening_balance,
    ...profile
  } = filled(header, cells)
  const attributes = attributes_json === undefined ? Result.succeed(undefined) : attributesOf(attributes_json)
  return Result.map(
    attributes,
    (known) =>
      some({
        ...profile,
        consent: some({ marketing: booleanOr(marketing_consent), source }),
        attributes: known,
        identity: some({ type, value, issuer }),
        opening_balance: numberOr(opening_balance)
      }) ?? {}
  )
}

/** The column that a fault of a row is about. */
const columns: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\/consent\/source$/, "/consent_source"],
  [/^\/consent(\/.*)?$/, "/marketing_consent"],
  [/^\/attributes(\/.*)?$/, "/attributes_json"],
  [/^\/identity\/(type|value|issuer)$/, "/identity_$1"],
  [/^\/identity$/, "/identity_value"]
]

export const columnOf = (path: string): string => {
  const found = columns.find(([pattern]) => pattern.test(path))
  return found === undefined ? path : path.replace(found[0], found[1])
}

const refuseFile = (...messages: ReadonlyArray<string>): Effect.Effect<never, Refused> =>
  refuseFaults(messages.map((message) => ({ path: "/csv", message })))

/** Reads a file; lines without a character do not count. */
export const read = (text: string): Effect.Effect<CsvFile, Refused> =>
  Effect.gen(function* () {
    const cells = yield* Stream.make(text).pipe(
      Stream.pipeThroughChannel(Csv.decodeString({ ignoreEmptyLines: true })),
      Stream.runCollect,
      Effect.catchTag("CsvError", ({ line, message }) => refuseFile(`is no CSV at line ${line}: ${message}`))
    )
    const [names = [], ...others] = cells
    const faults = headerFaults(names)
    if (faults.length > 0) return yield* refuseFile(...faults)
    if (others.length === 0) return yield* refuseFile("must have at least 1 row")
    if (others.length > maxRows) return yield* refuseFile(`must have at most ${maxRows} rows; it has ${others.length}`)
    const header = names.filter(isColumn)
    return { cells, rows: others.map((row) => rowOf(header, row)) }
  })
