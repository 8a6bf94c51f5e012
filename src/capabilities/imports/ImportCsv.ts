/**
 * Reads the rows of an import from CSV. A bad header refuses the file; any other fault
 * is an error of its row. No message contains the text of a cell.
 */
import { Effect, Result, Stream } from "effect"
import { Csv } from "effect/encoding"
import type { BodyFault } from "../../contract/Decode.ts"
import { isObject, strictDecoder } from "../../contract/Decode.ts"
import type { ImportColumn } from "../../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../../contract/platform/Imports.ts"
import type { Refused } from "../../contract/Refused.ts"
import { hasRepeatedName, namesIn } from "../../contract/RepeatedNames.ts"
import { told } from "../../contract/Said.ts"
import { FreeForm } from "../../contract/Values.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"

/** A row in the form of JSON, not yet checked against the contract, or its faults. */
type RawRow = Result.Result<unknown, ReadonlyArray<BodyFault>>

export interface CsvRow {
  /** Number of the row without the header and lines without characters. It names the row's claim. */
  readonly row: number
  /** Number of the row in a spreadsheet: the header is row 1. */
  readonly shown: number
  readonly value: RawRow
}

interface CsvFile {
  readonly rows: ReadonlyArray<CsvRow>
  /** The cells of all lines with characters, with the header: the fingerprint of the file. */
  readonly cells: ReadonlyArray<ReadonlyArray<string>>
}

const isColumn = (name: string): name is ImportColumn => (importColumns as ReadonlyArray<string>).includes(name)

/** Columns that identify a member. */
const identifying: ReadonlyArray<string> = ["member_id", "external_id", "identity_value"]

const headerFaults = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const faults = header.flatMap((name, index) => {
    if (!isColumn(name)) return [`has an unknown name in column ${index + 1} of its header`]
    const first = header.indexOf(name)
    return first < index ? [`repeats in column ${index + 1} of its header the name of column ${first + 1}`] : []
  })
  const last = faults.at(-1)
  // The columns there are once, not with each of many unknown ones.
  if (last !== undefined) return [...faults.slice(0, -1), `${last}; the columns are ${importColumns.join(", ")}`]
  return identifying.some((name) => header.includes(name))
    ? []
    : [`must have one of the columns ${identifying.join(", ")}`]
}

/** The apostrophe that an export puts before a text which a spreadsheet would take for a formula. */
const formulaGuard = /^'(?=[=+\-@\t\r])/

type Cells = Readonly<Partial<Record<ImportColumn, string>>>

/** The cells of a row that are not empty, by column. */
const filled = (header: ReadonlyArray<ImportColumn>, cells: ReadonlyArray<string>): Cells =>
  Object.fromEntries(
    header.flatMap((name, index) => {
      const cell = cells[index]
      return cell === undefined || cell === "" ? [] : [[name, cell.replace(formulaGuard, "")]]
    })
  )

/** The object without undefined properties; undefined if nothing is left. */
const presentOrUndefined = (properties: Readonly<Record<string, unknown>>): object | undefined => {
  const present = Object.entries(properties).filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/** Converts `true` and `false`. Any other text stays a text, which the contract then refuses. */
const booleanOr = (text: string | undefined): unknown => {
  const lower = text?.toLowerCase()
  return lower === "true" ? true : lower === "false" ? false : text
}

/**
 * Converts a number. One with a point is none that the contract takes, not even `1.000`, which is a thousand to some and
 * one to others. Any other text stays a text, which the contract then refuses too.
 */
const numberOr = (text: string | undefined): unknown => {
  if (text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text)) return text
  return text.includes(".") ? Number.NaN : Number(text)
}

const isFreeForm = strictDecoder(FreeForm)

const attributesOf = (text: string): Result.Result<unknown, ReadonlyArray<BodyFault>> => {
  const names = namesIn(Buffer.from(text))
  if (typeof names !== "number")
    return Result.fail([{ path: "/attributes_json", message: "must not nest so deep, nor have so many names" }])
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail([{ path: "/attributes_json", message: "must be JSON" }])
  }
  if (isObject(json) && hasRepeatedName(names, json))
    return Result.fail([{ path: "/attributes_json", message: "must not have a name twice in one object" }])
  return Result.mapError(isFreeForm(json), (faults) => faults.map((one) => ({ ...one, path: "/attributes_json" })))
}

const rowOf = (header: ReadonlyArray<ImportColumn>, cells: ReadonlyArray<string>): RawRow => {
  if (cells.length !== header.length)
    return Result.fail([{ path: "", message: told`must have ${header.length} cells, as the header has` }])
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
      presentOrUndefined({
        ...profile,
        consent: presentOrUndefined({ marketing: booleanOr(marketing_consent), source }),
        attributes: known,
        identity: presentOrUndefined({ type, value, issuer }),
        opening_balance: numberOr(opening_balance)
      }) ?? {}
  )
}

/** The column for a path in a row, where their names differ. */
const columns: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\/consent\/source$/, "/consent_source"],
  [/^\/consent(\/.*)?$/, "/marketing_consent"],
  [/^\/attributes(\/.*)?$/, "/attributes_json"],
  [/^\/identity\/(type|value|issuer)$/, "/identity_$1"],
  [/^\/identity$/, "/identity_value"]
]

/** The path of a fault, with the name of the column. */
export const columnOf = (path: string): string => {
  const found = columns.find(([pattern]) => pattern.test(path))
  return found === undefined ? path : path.replace(found[0], found[1])
}

const refuseFile = (...messages: ReadonlyArray<string>): Effect.Effect<never, Refused> =>
  refuseFaults(messages.map((message) => ({ path: "/csv", message })))

/** True if a row has no text. */
const isBlank = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell.trim() === "")

/** Reads a file. Passes over blank rows. */
export const read = (text: string): Effect.Effect<CsvFile, Refused> =>
  Effect.gen(function* () {
    const all = yield* Stream.make(text).pipe(
      Stream.pipeThroughChannel(Csv.decodeString()),
      Stream.runCollect,
      Effect.catchTag("CsvError", ({ line, message }) => refuseFile(`is no CSV at line ${line}: ${message}`))
    )
    const lines = all.flatMap((cells, index) =>
      cells.length === 1 && cells[0] === "" ? [] : [{ cells, shown: index + 1 }]
    )
    const cells = lines.map((line) => line.cells)
    const [names = []] = cells
    const others = lines.slice(1).flatMap((line, index) => (isBlank(line.cells) ? [] : [{ ...line, row: index + 1 }]))
    const faults = headerFaults(names)
    if (faults.length > 0) return yield* refuseFile(...faults)
    if (others.length === 0) return yield* refuseFile("must have at least 1 row")
    if (others.length > maxRows) return yield* refuseFile(`must have at most ${maxRows} rows; it has ${others.length}`)
    const header = names.filter(isColumn)
    return { cells, rows: others.map(({ row, shown, cells }) => ({ row, shown, value: rowOf(header, cells) })) }
  })

/** True if an `Accept` header ranks `text/csv` at least as high as `application/json`. */
export const prefersCsv = (accept: string | undefined): boolean => {
  const weights = new Map(
    (accept ?? "").split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return [type, weight === undefined ? 1 : Number(weight.slice(2))] as const
    })
  )
  const csv = weights.get("text/csv") ?? 0
  return csv > 0 && csv >= (weights.get("application/json") ?? 0)
}
