/**
 * The first pass over the files of a move: reads every row once, tells doubled guests, cards and codes in the order of the
 * files, and divides the rows into parts by guest.
 */
import { Effect } from "effect"
import { isObject } from "../../contract/Decode.ts"
import type { Unit } from "../../contract/Values.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Fault, FaultName, Report } from "./Faults.ts"
import { keepsRow } from "./Faults.ts"
import type { Row } from "./FileRows.ts"
import type { Leave } from "./LeftOut.ts"
import { pointsOf } from "./LeftOut.ts"
import type { FileKind, Mapping, SaidMapping } from "./Mapping.ts"
import { targetOf } from "./Mapping.ts"
import { Names } from "./Names.ts"
import { eachRow, openFile } from "./OpenFiles.ts"
import type { Parts, Piece } from "./Parts.ts"
import type { Form } from "./Reading.ts"
import { formOf, said } from "./Reading.ts"

/** A file of a move. */
export interface MoveFile {
  /** Its name without folders, as faults and mappings have it. */
  readonly name: string
  readonly form: Form
}

/** The property that names a guest in all files. `any`: there are files of guests alone. */
type KeyField = "member_id" | "external_id" | "any"

/** Kinds of files whose rows are moved. */
type MovedKind = Exclude<FileKind, "orders">

export interface Divided {
  readonly files: ReadonlyArray<MoveFile>
  /** Rows by kind of file. */
  readonly rows: Readonly<Record<MovedKind, number>>
  /** True if some file has lots: then no balance stands for a lot. */
  readonly hasLots: boolean
  /** True if a row of lots was left out, and nobody knows whose it is. */
  readonly hasLostLots: boolean
}

/** Rows of one file are fewer: a place is the file's number times this, and the row. */
const rowsOfFile = 2 ** 40

interface Pass {
  readonly parts: Parts<Piece>
  readonly report: Report
  readonly leave: Leave
  readonly names: Names
  readonly key: KeyField
  readonly files: ReadonlyArray<string>
  readonly counts: Record<MovedKind, number>
  readonly hasLots: boolean
  readonly primary: Unit
  hasLostLots: boolean
}

const isFilled = (value: unknown): value is string => typeof value === "string" && value !== ""

const nameOf = (card: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([card["type"], card["issuer"], card["value"]])

/** The cards of a row as identities, each once. */
const cardsIn = (value: Piece["value"]): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const { cards, identities, identity_issuer: issuer, identity_type: type, identity_value } = value
  const own = identity_value === undefined ? [] : [{ type: type ?? "loyalty_id", value: identity_value, issuer }]
  const all = [...(Array.isArray(cards) ? cards : []), ...own, ...(Array.isArray(identities) ? identities : [])]
  const known = all.filter(isObject).map((card) => [nameOf(card), card] as const)
  return [...new Map(known).values()]
}

const keyOf = (value: Piece["value"], key: KeyField): string | undefined => {
  const [card] = key === "any" ? cardsIn(value) : []
  const ids = key === "any" ? [value["external_id"], value["member_id"], card && nameOf(card)] : [value[key]]
  return ids.find(isFilled)
}

/** Where a name was seen first. */
const elsewhere = ({ files }: Pass, place: number): string =>
  `Row ${place % rowsOfFile} of ${files[Math.floor(place / rowsOfFile) - 1]} has it, too.`

/** The column of the file that has a field, or the field's own name. */
const columnOf = ({ targets }: Form, ...fields: ReadonlyArray<string>): string =>
  [...targets].find(([, { field, identity }]) => fields.includes(identity === undefined ? field : "card"))?.[0] ??
  fields[0] ??
  ""

/** The row of a guest, without the cards that an earlier guest has; undefined: an earlier row is the same guest's. */
const once = (
  pass: Pass,
  piece: Piece,
  form: Form,
  tell: (fault: Pick<Fault, "name" | "column" | "detail">) => void
): Piece | undefined => {
  const place = (piece.file + 1) * rowsOfFile + piece.row
  for (const field of ["member_id", "external_id"] as const) {
    const id = piece.value[field]
    const before = isFilled(id) ? pass.names.note(`${field} ${id}`, place) : undefined
    if (before === undefined) continue
    tell({ name: "doubled_guest", column: columnOf(form, field), detail: elsewhere(pass, before) })
    return undefined
  }
  const own = cardsIn(piece.value).filter((card) => {
    const before = pass.names.note(`card ${nameOf(card)}`, place)
    if (before !== undefined)
      tell({
        name: "shared_card",
        column: columnOf(form, "card", "identity_value", "identities"),
        detail: elsewhere(pass, before)
      })
    return before === undefined
  })
  const {
    cards: _,
    identities: _all,
    identity_issuer: _issuer,
    identity_type: _type,
    identity_value: _value,
    ...rest
  } = piece.value
  return { ...piece, value: { ...rest, identities: own } }
}

/** A reward, unless an earlier one has its code. */
const onceCoded = (pass: Pass, piece: Piece, form: Form, tell: Parameters<typeof once>[3]): Piece | undefined => {
  const { code } = piece.value
  const place = (piece.file + 1) * rowsOfFile + piece.row
  const before = isFilled(code) ? pass.names.note(`code ${code}`, place) : undefined
  if (before === undefined) return piece
  tell({ name: "doubled_code", column: columnOf(form, "code"), detail: elsewhere(pass, before) })
  return undefined
}

/** The points that a row tells: its lot, or those of a guest's own row. */
const pointsIn = ({ hasLots, primary }: Pass, kind: MovedKind, value: Piece["value"]) => {
  if (kind === "lots") return pointsOf([value], primary)
  const { balance = {}, lots } = value
  if (hasLots) return pointsOf((Array.isArray(lots) ? lots : []).filter(isObject), primary)
  return Object.fromEntries(Object.entries(balance as object).filter(([, amount]) => Number.isSafeInteger(amount)))
}

/** A row that is left out. */
interface Lost {
  readonly name: FaultName
  readonly kind: MovedKind
  readonly at: Pick<Piece, "file" | "row">
  readonly value: Piece["value"]
  /** The guest's id, if the row has it. */
  readonly key?: string | undefined
}

/** Remembers a row that is left out: lots of such a guest are not those of nobody, and such a lot is not gone. */
const leaveOut = (pass: Pass, { at, key, kind, name, value }: Lost): void => {
  const guests = kind === "guests" ? 1 : 0
  pass.leave(name, { rows: 1, guests, points: pointsIn(pass, kind, value) })
  if (key === undefined) pass.hasLostLots ||= kind === "lots"
  else if (kind === "guests" || kind === "lots") pass.parts.add({ kind, ...at, key, value: { faulty: name } })
}

const take = (pass: Pass, file: number, form: Form, one: Row): void => {
  const { row } = one
  const { kind } = form
  if (kind === "orders") return
  pass.counts[kind]++
  const at = { file: pass.files[file]!, row }
  const { faults, value } = one.fault === undefined ? said(one, form) : { faults: [], value: {} }
  const lost = (fault: Pick<Fault, "name" | "detail">): void => {
    leaveOut(pass, { name: fault.name, kind, at: { file, row }, value })
    pass.report({ ...at, column: "", ...fault })
  }
  if (one.fault !== undefined) return lost({ name: "uneven", detail: one.fault })
  for (const fault of faults) pass.report({ ...at, ...fault })
  const key = keyOf(value, pass.key)
  const grave = faults.find(({ name }) => !keepsRow(name, kind))
  if (grave !== undefined) return leaveOut(pass, { name: grave.name, kind, at: { file, row }, value, key })
  if (key === undefined)
    return lost({
      name: "without_id",
      detail: pass.key === "any" ? "It has no id and no card." : `It has no ${pass.key}.`
    })
  const tell = (fault: Pick<Fault, "name" | "column" | "detail">) => pass.report({ ...at, ...fault })
  const piece: Piece = { kind, file, row, key, value }
  const onceOf = kind === "guests" ? once : kind === "rewards" ? onceCoded : undefined
  const kept = onceOf === undefined ? piece : onceOf(pass, piece, form, tell)
  if (kept !== undefined) return pass.parts.add(kept)
  if (kind === "guests") pass.leave("doubled_guest", { rows: 1, points: pointsIn(pass, kind, value) })
  else pass.leave("doubled_code", { rows: 1 })
}

/** The id of guests that every file has. */
const keyFieldOf = (mappings: ReadonlyArray<SaidMapping>): KeyField | undefined => {
  const has = (mapping: SaidMapping, field: string): boolean =>
    Object.values(mapping.columns).some((one) => one !== null && targetOf(mapping.holds, one)?.field === field)
  if (mappings.every(({ holds }) => holds === "guests")) return "any"
  return (["external_id", "member_id"] as const).find((field) => mappings.every((one) => has(one, field)))
}

/** Reads files into parts. `mapping` undefined: the columns have the names of fields. */
export const divide = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  mapping: Mapping | undefined,
  context: { readonly parts: Parts<Piece>; readonly program: Program; readonly report: Report; readonly leave: Leave }
) {
  const { leave, parts, program, report } = context
  const opened = yield* Effect.forEach(paths, (file) => openFile(file, mapping, report))
  const files = opened.filter((file) => file !== undefined)
  const key = keyFieldOf(files.map((file) => file.mapping))
  const counts = { guests: 0, lots: 0, rewards: 0, consents: 0 }
  const names = files.map((file) => file.name)
  const forms = files.map((file) => formOf(file.mapping, program))
  for (const { mapping, name } of files)
    if (mapping.holds === "orders")
      report({ file: name, row: 0, column: "", name: "unmapped", detail: "Orders are compared, not moved." })
  const [first] = names
  if (key === undefined && first !== undefined)
    report({ file: first, row: 0, column: "", name: "unmapped", detail: "The files share no id of a guest." })
  const hasLots = forms.some(
    ({ kind, targets }) => kind === "lots" || [...targets.values()].some(({ field }) => field === "lots")
  )
  const pass: Pass = {
    ...{ parts, report, leave, names: new Names(), key: key ?? "any", files: names, counts, hasLots },
    ...{ primary: program.primaryUnit, hasLostLots: false }
  }
  for (const [index, file] of files.entries())
    if (key !== undefined && files.length === paths.length)
      yield* eachRow(file, report, (row) => take(pass, index, forms[index]!, row))
  const divided: Divided = {
    files: files.map(({ name }, index) => ({ name, form: forms[index]! })),
    rows: counts,
    hasLostLots: pass.hasLostLots,
    hasLots
  }
  return divided
})
