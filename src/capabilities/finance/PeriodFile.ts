/**
 * A closed month as one file: a zip of tables, made of the kept statement and the values of a point, which versions of a
 * programme keep for good (contract/finance.md *The file of a month*). Pure.
 */
import type { Balance, ClosedMonth, PointValueSince, Row } from "../../contract/admin/Finance.ts"
import { digitsOf } from "../../core/rules/Money.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import * as Zip from "./Zip.ts"

type Table = ReadonlyArray<ReadonlyArray<Csv.Cell>>

/** With every decimal of the currency: `12.40`. */
const decimals = ({ amount, currency }: NonNullable<Balance["worth"]>): string => {
  const digits = digitsOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

const worthOf = (worth: Balance["worth"]): ReadonlyArray<Csv.Cell> =>
  worth === undefined ? [undefined, undefined] : [decimals(worth), worth.currency]

/** The lines of a row, each with what comes before all of them. */
const linesOf = (row: Row, first: ReadonlyArray<Csv.Cell>): Table => [
  [...first, "opening", row.opening.points, ...worthOf(row.opening.worth)],
  ...row.lines.map(({ line, points, worth }) => [...first, line, points, ...worthOf(worth)]),
  [...first, "closing", row.closing.points, ...worthOf(row.closing.worth)],
  ...(row.late ?? []).map(({ line, points }) => [...first, `late: ${line}`, points, undefined, undefined]),
  [...first, "below_zero", row.below_zero, ...worthOf(row.below_zero_worth)],
  ...(["redeemed_here", "given_back_here"] as const).map((name) => [...first, name, row[name], undefined, undefined])
]

const amounts = ["line", "points", "worth", "currency"]

const places = (rows: ReadonlyArray<Row>, name: "franchisee_id" | "location_id"): Table => [
  ["unit", name, ...amounts],
  ...rows.flatMap((row) => linesOf(row, [row.unit, row[name]]))
]

/** `point_value since 2026-09-03`, `100 points = 0.85 USD`. */
const valueLine = ({ since, value }: PointValueSince): ReadonlyArray<Csv.Cell> => [
  since === undefined ? "point_value" : `point_value since ${since}`,
  value === undefined ? "none" : `${value.points} points = ${decimals(value.worth)} ${value.worth.currency}`
]

type Values = ReadonlyArray<PointValueSince>

const aboutOf = ({ closed_at, closed_by, period, sha256, statement }: ClosedMonth, values: Values): Table => {
  const { format, head, position, program_id, program_version, time_zone } = statement
  return [
    ["name", "value"],
    ["program_id", program_id],
    ["period", period],
    ["time_zone", time_zone],
    ["closed_at", closed_at],
    ["closed_by", closed_by],
    ["sha256", sha256],
    ["format", format],
    ["program_version", program_version],
    ...values.map(valueLine),
    ["position_epoch", position.epoch],
    ["position_transaction", position.transaction],
    ["position_account", position.account],
    ["position_seq", position.seq],
    ["head", head]
  ]
}

const tablesOf = (month: ClosedMonth, values: Values): Readonly<Record<string, Table>> => {
  const { cohorts, franchisees, places: locations, rewards, rows } = month.statement
  return {
    "about.csv": aboutOf(month, values),
    "statement.csv": [["unit", ...amounts], ...rows.flatMap((row) => linesOf(row, [row.unit]))],
    "restaurants.csv": places(locations, "location_id"),
    "franchisees.csv": places(franchisees, "franchisee_id"),
    "rewards.csv": [
      ["reward_id", "in_wallets", "given", "used", "value", "currency"],
      ...rewards.map(({ given, in_wallets, reward_id, used, value }) => [
        ...[reward_id, in_wallets, given, used],
        ...worthOf(value)
      ])
    ],
    "cohorts.csv": [
      ["unit", "earned", "issued", "redeemed", "expired", "other", "open"],
      ...cohorts.map(({ earned, expired, issued, open, other, redeemed, unit }) => [
        ...[unit, earned, issued, redeemed, expired, other, open]
      ])
    ]
  }
}

export const periodFileName = ({ period, statement }: ClosedMonth): string =>
  `lotbook-${statement.program_id}-${period}.zip`

/** Spreadsheets take a table without a byte order mark for one in the encoding of the machine. */
export const periodFile = (month: ClosedMonth, values: Values): Uint8Array<ArrayBuffer> =>
  Zip.stored(
    Object.fromEntries(
      Object.entries(tablesOf(month, values)).map(([name, table]) => [name, `\uFEFF${table.map(Csv.line).join("")}`])
    )
  )
