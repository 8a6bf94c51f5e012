/**
 * Foresees the outcomes of rows that depend on earlier rows of their import: a second row of a new guest finds the
 * first one's member. Pure: what the rows would do to the members that are there is an argument.
 */
import type { ErrorGroup, ForeseenImport, ImportRow, RowError } from "../../contract/platform/Imports.ts"
import { groupedRows } from "../../contract/platform/Imports.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { attributesAfter } from "../members/ProfileChange.ts"
import type { Changed } from "../segments/Reached.ts"
import type { CsvRow } from "./ImportCsv.ts"
import type { Foreseen, RowErrors } from "./ImportRows.ts"
import { conflicts, errorsOf, furtherIdentity, namesOf, RowRefused } from "./ImportRows.ts"
import type { DoneRow } from "./ImportStore.ts"
import { errorShown, statusOf } from "./ImportStore.ts"

export interface KnownRow extends Pick<CsvRow, "row" | "shown"> {
  readonly value: ImportRow
  readonly foreseen: Foreseen
}

/** A member that is there, by its account, or one that a row enrols, by the row. */
type Owner = `account ${number}` | `row ${number}`

interface Settled {
  readonly outcome: DoneRow["outcome"]
  readonly errors: RowErrors
  readonly credits: number
}

const failed = (errors: RowErrors): Settled => ({ outcome: "failed", errors, credits: 0 })

const conflict = (path: keyof typeof conflicts): Settled =>
  failed([{ path, code: "conflict", detail: conflicts[path] }])

/** The owners of names and opening balances after the rows so far. */
class Owners {
  private readonly names = new Map<string, Owner>()
  private readonly openings = new Map<Owner, number>()
  /** The types of identities of members that rows enrol. */
  private readonly types = new Map<Owner, Set<string>>()
  /** The members whose profiles rows set, as all of their rows change them. */
  readonly guests = new Map<Owner, Changed>()
  private readonly onlyEnrols: boolean

  constructor(onlyEnrols: boolean) {
    this.onlyEnrols = onlyEnrols
  }

  /** Settles a row after those before it. The steps are those of `ImportRows.run`. */
  next({ foreseen, row, value }: KnownRow): Settled {
    const { refused } = foreseen
    if (refused?.path === "") return failed(errorsOf(refused))
    const { external_id, identity, member_id, opening_balance = 0 } = value
    const names = namesOf({ member_id, external_id })
    const enrolled =
      names.length === 0 ? undefined : nameOf({ type: "external", value: external_id ?? member_id ?? "" })
    const found = this.find(foreseen, value, enrolled)
    const owner = found ?? (`row ${row}` as const)
    const taken = found === undefined && enrolled !== undefined ? [...names, enrolled] : names
    if (this.areOthers(taken, owner)) return conflict("")
    for (const name of taken) this.names.set(name, owner)
    this.change(owner, foreseen, value)
    // From here on a row that fails has enrolled its member.
    const inPart = (one: Settled): Settled => (found === undefined ? { ...one, outcome: "created" } : one)
    if (refused?.path === "/identity") return inPart(failed(errorsOf(refused)))
    const unadded = identity && this.add(identity, owner, enrolled)
    if (unadded !== undefined) return inPart(unadded)
    if (refused !== undefined) return inPart(failed(errorsOf(refused)))
    return inPart(this.open(owner, opening_balance, foreseen.credits))
  }

  /** Adds an identity to its owner, or refuses it. */
  private add(
    identity: NonNullable<ImportRow["identity"]>,
    owner: Owner,
    enrolled: string | undefined
  ): Settled | undefined {
    const added = nameOf(identity)
    if (this.areOthers([added], owner)) return conflict("/identity")
    if (this.isFurther(identity, added, owner, enrolled))
      return failed(errorsOf(new RowRefused({ refused: furtherIdentity, path: "/identity" })))
    this.names.set(added, owner)
    return undefined
  }

  /** Credits an opening balance, once for each owner. */
  private open(owner: Owner, amount: number, credits: number): Settled {
    const outcome = "updated"
    if (amount === 0) return { outcome, errors: [], credits: 0 }
    const before = this.openings.get(owner)
    if (before !== undefined && before !== amount) return conflict("/opening_balance")
    this.openings.set(owner, amount)
    return { outcome, errors: [], credits: before === undefined ? credits : 0 }
  }

  /** Notes how a row changes a member's attributes and its tier. `there`: the attributes that are stored. */
  private change(
    owner: Owner,
    { account, attributes: there = {}, contained, isRaised, states }: Foreseen,
    row: ImportRow
  ): void {
    const known = this.guests.get(owner)
    const { after, before } = known ?? { before: there, after: there }
    const isImported = owner.startsWith("row")
    const accounts = account === undefined ? [] : [account, ...contained]
    const raised = isRaised || known?.isRaised === true
    this.guests.set(owner, {
      ...{ accounts, before, after: attributesAfter(row, after), isImported, isRaised: raised },
      states: states ?? known?.states
    })
  }

  /** The member that is there, or that of earlier rows that a row names. */
  private find(
    { account }: Foreseen,
    { external_id, identity: added, member_id }: ImportRow,
    enrolled: string | undefined
  ): Owner | undefined {
    if (account !== undefined) return `account ${account}`
    const identity = enrolled ?? (added && nameOf(added))
    const [name] = namesOf(member_id === undefined ? { external_id } : { member_id })
    const named = name === undefined ? undefined : this.names.get(name)
    return named ?? (member_id === undefined && identity !== undefined ? this.names.get(identity) : undefined)
  }

  /** True of a further identity of a type, of a member that a row enrols, unless the caller may change members. */
  private isFurther(
    { type }: NonNullable<ImportRow["identity"]>,
    name: string,
    owner: Owner,
    enrolled: string | undefined
  ): boolean {
    if (!this.onlyEnrols || owner.startsWith("account") || this.names.has(name)) return false
    const types = this.types.get(owner) ?? new Set(enrolled === undefined ? [] : ["external"])
    this.types.set(owner, types)
    if (types.has(type)) return true
    types.add(type)
    return false
  }

  private areOthers(names: ReadonlyArray<string>, owner: Owner): boolean {
    return names.some((name) => (this.names.get(name) ?? owner) !== owner)
  }
}

const nameOf = (identity: NonNullable<ImportRow["identity"]>): string => namesOf({ identity })[0] ?? ""

/** The outcomes of rows in their order, the points that they would credit, and their members. `onlyEnrols`: by a caller who changes nobody. */
export const settle = (rows: ReadonlyArray<KnownRow>, onlyEnrols = false) => {
  const owners = new Owners(onlyEnrols)
  let creditsTotal = 0
  const outcomes = rows.map((one): DoneRow => {
    const { credits, errors, outcome } = owners.next(one)
    creditsTotal += credits
    return { row: one.row, shown: one.shown, outcome, errors }
  })
  return { creditsTotal, guests: [...owners.guests.values()], outcomes }
}

/** Errors that differ in nothing but their rows, in the order of their first rows. */
const grouped = (errors: ReadonlyArray<RowError>): ReadonlyArray<ErrorGroup> => {
  const groups = Map.groupBy(errors, ({ code, detail, path }) => JSON.stringify([path, code, detail]))
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const { row: _, ...shared } = first
    return [{ ...shared, count: alike.length, rows: alike.slice(0, groupedRows).map(({ row }) => row) }]
  })
}

/** Counts outcomes, and lists their errors in the order of the rows. */
export const summary = (
  rows: ReadonlyArray<DoneRow>,
  opening_total: number
): Omit<ForeseenImport, "program_id" | "file_name" | "repeated" | "warnings"> => {
  const count = (outcome: DoneRow["outcome"]): number => rows.filter((one) => one.outcome === outcome).length
  const failed = rows.filter((one) => one.errors.length > 0).length
  const created = count("created")
  const errors = rows
    .toSorted((a, b) => a.row - b.row)
    .flatMap(({ errors, shown }) => errors.map((error) => ({ row: shown, ...errorShown(error) })))
  return {
    status: statusOf({ created, failed, submitted: rows.length }),
    submitted: rows.length,
    created,
    updated: count("updated"),
    failed,
    opening_total,
    errors,
    error_groups: grouped(errors)
  }
}

/** Opening balances of the rows in all: in stamps, also the cards that each fills. */
export const openings = (rows: ReadonlyArray<ImportRow>, { primaryUnit, stampCard }: Program): Amounts => {
  const threshold = stampCard?.unit === primaryUnit ? stampCard.threshold : Infinity
  return {
    ...nothing,
    points: rows.reduce((sum, { opening_balance = 0 }) => sum + opening_balance, 0),
    rewards: rows.reduce((sum, { opening_balance = 0 }) => sum + Math.floor(opening_balance / threshold), 0)
  }
}
