/** Finds rows of an import that look like mistakes: of one member twice, of two members with one address, without a name. Pure. */
import type { ImportRow, ImportWarning, RepeatedRows } from "../../contract/platform/Imports.ts"
import { groupedRows } from "../../contract/platform/Imports.ts"
import type { Sentence } from "../../contract/Said.ts"
import { detailOf, said } from "../../contract/Said.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import type { CsvRow } from "./ImportCsv.ts"
import { namesOf } from "./ImportRows.ts"
import type { DoneRow } from "./ImportStore.ts"

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

const warning = (path: string, sentence: Sentence, rows: ReadonlyArray<number>): ImportWarning => ({
  path,
  ...detailOf(sentence),
  count: rows.length,
  rows: rows.slice(0, groupedRows)
})

/** How many members rows have: those that share a name have one. */
const membersOf = (rows: ReadonlyArray<NamedRow>): number => {
  const groups: Array<Set<string>> = []
  for (const { value } of rows) {
    const names = new Set(namesOf(value))
    const [first, ...others] = groups.filter((group) => [...names].some((name) => group.has(name)))
    for (const name of others.flatMap((group) => [...group])) names.add(name)
    for (const other of others) groups.splice(groups.indexOf(other), 1)
    if (first === undefined) groups.push(names)
    else for (const name of names) first.add(name)
  }
  return groups.length
}

/** A row, with the account of the member that it changes; undefined: it enrols one. */
export interface PlacedRow extends NamedRow {
  readonly foreseen: { readonly account?: number | undefined; readonly hasOpening?: boolean }
}

/** The accounts that have an e-mail address now, by the address in lower case. */
export type AddressOwners = ReadonlyMap<string, ReadonlyArray<number>>

/** Warnings about rows that can be imported: probable mistakes, and gifts. `done`: their outcomes. */
export const warningsOf = (
  done: ReadonlyArray<Pick<DoneRow, "outcome" | "shown">>,
  rows: ReadonlyArray<PlacedRow>,
  caused: Pick<Amounts, "points" | "rewards">,
  owners: AddressOwners
): ReadonlyArray<ImportWarning> => [
  ...sharedAddresses(rows),
  ...takenAddresses(rows, owners),
  ...nameless(done, rows),
  ...opened(rows),
  ...giving(rows, caused)
]

/** The warning that campaigns give because of an import. */
const giving = (
  rows: ReadonlyArray<NamedRow>,
  { points, rewards }: Pick<Amounts, "points" | "rewards">
): ReadonlyArray<ImportWarning> =>
  points + rewards === 0
    ? []
    : [
        warning(
          "",
          said`Because of them campaigns may give ${points} points and ${rewards} rewards, which count for you.`,
          rows.map(({ shown }) => shown)
        )
      ]

/** Rows with an opening balance that their member has got before, also one that was taken back. */
const opened = (rows: ReadonlyArray<PlacedRow>): ReadonlyArray<ImportWarning> => {
  const found = rows.flatMap(({ foreseen, shown }) => (foreseen.hasOpening === true ? [shown] : []))
  const told = "The member has got the opening balance before, also if it was taken back. It is not given again."
  return found.length === 0 ? [] : [warning("/opening_balance", told, found)]
}

/** Rows whose e-mail address another member has already. */
const takenAddresses = (rows: ReadonlyArray<PlacedRow>, owners: AddressOwners): ReadonlyArray<ImportWarning> => {
  const taken = rows.flatMap(({ foreseen: { account }, shown, value: { email } }) => {
    const accounts = typeof email === "string" ? (owners.get(email.toLowerCase()) ?? []) : []
    return accounts.some((one) => one !== account) ? [shown] : []
  })
  return taken.length === 0 ? [] : [warning("/email", "Another member has this e-mail address already.", taken)]
}

/** Rows of different members with one e-mail address, whatever its case. */
const sharedAddresses = (rows: ReadonlyArray<NamedRow>): ReadonlyArray<ImportWarning> => {
  const withAddress = rows.filter(({ value }) => typeof value.email === "string")
  const alike = Map.groupBy(withAddress, ({ value }) => value.email?.toLowerCase())
  return [...alike.values()].flatMap((group) =>
    membersOf(group) < 2
      ? []
      : [
          warning(
            "/email",
            "Several members have this e-mail address.",
            group.map(({ shown }) => shown)
          )
        ]
  )
}

/** Rows that enrol a member without a name. */
const nameless = (
  done: ReadonlyArray<Pick<DoneRow, "outcome" | "shown">>,
  rows: ReadonlyArray<NamedRow>
): ReadonlyArray<ImportWarning> => {
  const created = new Set(done.flatMap(({ outcome, shown }) => (outcome === "created" ? [shown] : [])))
  const found = rows.flatMap(({ shown, value }) =>
    created.has(shown) && typeof value.display_name !== "string" ? [shown] : []
  )
  return found.length === 0 ? [] : [warning("/display_name", "The member has no name.", found)]
}
