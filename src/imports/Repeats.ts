/** Finds the rows of an import that name a member twice, or give it two opening balances. Pure. */
import type { ImportRow, RepeatedRows } from "../contract/platform/Imports.ts"
import { groupedRows } from "../contract/platform/Imports.ts"
import type { CsvRow } from "./ImportCsv.ts"
import { namesOf } from "./ImportRows.ts"

export interface NamedRow extends Pick<CsvRow, "shown"> {
  readonly value: ImportRow
}

/** The names of a row's member, each with the property that has it. */
const namedBy = ({ shown, value: { external_id, identity, member_id, opening_balance = 0 } }: NamedRow) =>
  [
    ["/member_id", namesOf({ member_id })] as const,
    ["/external_id", namesOf({ external_id })] as const,
    ["/identity", namesOf({ identity })] as const
  ].flatMap(([path, names]) => names.map((name) => ({ path, name, row: shown, hasOpening: opening_balance > 0 })))

/** Rows that share a name, in the order of their first rows. Rows that share two names are told once. */
export const repeatsOf = (rows: ReadonlyArray<NamedRow>): ReadonlyArray<RepeatedRows> => {
  const told = new Set<string>()
  const repeat = (path: string, rows: ReadonlyArray<number>): ReadonlyArray<RepeatedRows> => {
    const key = JSON.stringify([path === "/opening_balance", rows])
    if (rows.length < 2 || told.has(key)) return []
    told.add(key)
    return [{ path, count: rows.length, rows: rows.slice(0, groupedRows) }]
  }
  const alike = Map.groupBy(rows.flatMap(namedBy), ({ name }) => name)
  return [...alike.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const balances = group.filter(({ hasOpening }) => hasOpening)
    return [
      ...repeat(
        first.path,
        group.map(({ row }) => row)
      ),
      ...repeat(
        "/opening_balance",
        balances.map(({ row }) => row)
      )
    ]
  })
}
