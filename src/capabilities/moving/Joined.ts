/** The second pass: joins the rows of each guest, and checks the guest against the contract and the programme. Pure. */
import { Result } from "effect"
import { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import { isObject, strictDecoder } from "../../contract/Decode.ts"
import type { Unit } from "../../contract/Values.ts"
import type { FaultName, Report } from "./Faults.ts"
import { keepsRow } from "./Faults.ts"
import type { Leave } from "./LeftOut.ts"
import { pointsOf } from "./LeftOut.ts"
import type { FileKind } from "./Mapping.ts"
import type { Piece } from "./Parts.ts"
import { faultOf } from "./Reading.ts"
import type { MoveFile } from "./Rows.ts"

/** A guest of the files with the place of its row. */
export interface Joined {
  readonly guest: MovedGuest
  readonly place: { readonly file: string; readonly row: number }
  /** The balances as the files have them; absent: they have none. */
  readonly balances: Readonly<Partial<Record<Unit, number>>>
  /** The place of each lot and reward. */
  readonly lots: ReadonlyArray<Pick<Piece, "file" | "row">>
  readonly rewards: ReadonlyArray<Pick<Piece, "file" | "row">>
}

const decode = strictDecoder(MovedGuest)

type Value = Readonly<Record<string, unknown>>

const listOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

const present = (value: Value): Value | undefined => {
  const told = Object.entries(value).filter(([, one]) => one !== undefined)
  return told.length === 0 ? undefined : Object.fromEntries(told)
}

const displayName = ({ display_name, first_name, last_name }: Value): unknown => {
  const parts = [first_name, last_name].filter((part) => typeof part === "string" && part !== "")
  return display_name ?? (parts.length === 0 ? undefined : parts.join(" "))
}

const attributesOf = ({ attribute, attributes }: Value): unknown =>
  attribute === undefined ? attributes : { ...(isObject(attributes) ? attributes : {}), ...(attribute as object) }

/** The consents of a guest's own row: a list, or the one to marketing, dated when the guest joined. */
const consentsOf = ({ consent_source, consents, joined_at, marketing_consent }: Value): ReadonlyArray<unknown> => [
  ...listOf(consents),
  ...(marketing_consent === undefined
    ? []
    : [present({ purpose: "marketing", granted: marketing_consent, source: consent_source, recorded_at: joined_at })])
]

const withoutId = ({ external_id: _external, member_id: _member, ...rest }: Value): Value => rest

/** Something of a guest with the row that has it. */
interface Part {
  readonly at: Pick<Piece, "file" | "row">
  readonly value: unknown
}

const partsOf = (
  own: Piece,
  pieces: ReadonlyArray<Piece>,
  kind: Exclude<FileKind, "guests" | "orders">
): ReadonlyArray<Part> => [
  ...(kind === "consents" ? consentsOf(own.value) : listOf(own.value[kind])).map((value) => ({ at: own, value })),
  ...pieces.flatMap((piece) => (piece.kind === kind ? [{ at: piece, value: withoutId(piece.value) }] : []))
]

/** A balance without lots is one, of no date. */
const lotsOf = (own: Piece, pieces: ReadonlyArray<Piece>, hasLots: boolean, primary: Unit): ReadonlyArray<Part> => {
  if (hasLots)
    return partsOf(own, pieces, "lots").map(({ at, value }) => ({
      at,
      value: isObject(value) && value["unit"] === undefined ? { ...value, unit: primary } : value
    }))
  return Object.entries((own.value["balance"] ?? {}) as Value).flatMap(([unit, amount]) =>
    amount === 0 ? [] : [{ at: own, value: { unit, amount } }]
  )
}

/** The column of a value, by the path of a fault. */
const columnOf = (path: string, file: MoveFile | undefined): string => {
  const names = path.split("/").filter((part) => part !== "" && !/^\d+$/.test(part))
  const further = { identities: ["card", "identity_value"], consents: ["marketing_consent"], lots: ["balance"] }
  const fields = [
    ...names.toReversed(),
    ...Object.entries(further).flatMap(([list, all]) => (list === names[0] ? all : []))
  ]
  for (const field of fields)
    for (const [column, target] of file?.form.targets ?? []) if (target.field === field) return column
  return names.at(-1) ?? ""
}

const lists = ["lots", "rewards", "consents"] as const

export interface JoinContext {
  readonly files: ReadonlyArray<MoveFile>
  readonly hasLots: boolean
  /** True if a row of lots was left out, and nobody knows whose it is. */
  readonly hasLostLots: boolean
  readonly primary: Unit
  readonly report: Report
  readonly leave: Leave
}

type Parts = Readonly<Record<(typeof lists)[number], ReadonlyArray<Part>>> & { readonly isLotLeftOut: boolean }

const decoded = (value: Value, parts: Parts) => {
  const { last_earned_at, lifetime, orders, period_sum, tier_id, tier_until } = value
  const { birth_date, email, external_id, identities, joined_at, member_id, phone } = value
  return decode(
    present({
      ...{ member_id, external_id, display_name: displayName(value), email, phone, birth_date, joined_at },
      attributes: attributesOf(value),
      identities,
      standing: present({ lifetime, period_sum, orders, last_earned_at, tier_id, tier_until }),
      lots: parts.lots.map((part) => part.value),
      lots_left_out: parts.isLotLeftOut || undefined,
      rewards: parts.rewards.map((part) => part.value),
      consents: parts.consents.map((part) => part.value)
    })
  )
}

/** Notes a part that is left out: its row, unless it is in that of the guest. */
const leavePart = (own: Piece, { at, value }: Part, name: FaultName, { leave, primary }: JoinContext): void => {
  const isOwnRow = at.file === own.file && at.row === own.row
  leave(name, { rows: isOwnRow ? 0 : 1, points: isObject(value) ? pointsOf([value], primary) : {} })
}

/** Notes a guest that is left out with all its parts. */
const leaveGuest = (own: Piece, parts: Parts, name: FaultName, context: JoinContext): void => {
  context.leave(name, { rows: 1, guests: 1 })
  for (const list of lists) for (const part of parts[list]) leavePart(own, part, name, context)
}

/** Fields of a row that make a property of the guest. */
const sources: Readonly<Record<string, ReadonlyArray<string>>> = {
  display_name: ["display_name", "first_name", "last_name"],
  attributes: ["attributes", "attribute"]
}

/** A value that cannot be read. */
interface Faulty {
  readonly name: FaultName
  readonly path: string
  /** The lot, reward or consent; undefined: the guest's own. */
  readonly part: Part | undefined
}

/** Joins the rows of one guest; undefined: its own row does not make one. */
const join = (own: Piece, parts: Parts, context: JoinContext): Joined | undefined => {
  const { files, report } = context
  const made = decoded(own.value, parts)
  if (Result.isSuccess(made))
    return {
      guest: made.success,
      place: { file: files[own.file]!.name, row: own.row },
      balances: (own.value["balance"] ?? {}) as Joined["balances"],
      lots: parts.lots.map(({ at }) => at),
      rewards: parts.rewards.map(({ at }) => at)
    }
  const faulty = made.failure.map(({ message, path }): Faulty => {
    const [, list = "", index = ""] = path.split("/")
    const kind = lists.find((one) => one === list)
    const part = kind === undefined ? undefined : parts[kind][Number(index)]
    const { file, row } = part?.at ?? own
    const name = part === undefined ? nameOf(path) : kind === "consents" ? "invalid_consent" : "invalid"
    const column = columnOf(path, files[file])
    const isUndated = path.endsWith("/recorded_at") && own.value["marketing_consent"] !== undefined
    const detail = isUndated ? "The consent has no date: it is that of joined_at." : `It ${message}.`
    report({ file: files[file]!.name, row, name, column, detail })
    return { name, path, part }
  })
  if (faulty.some(({ name, part }) => part === undefined && !keepsRow(name, "guests"))) {
    leaveGuest(own, parts, "invalid", context)
    return undefined
  }
  const gone = new Map(faulty.map(({ name, part }) => [part, name]))
  for (const [part, name] of gone) if (part !== undefined) leavePart(own, part, name, context)
  const lost = context.hasLots
    ? []
    : parts.lots.flatMap((part) => (gone.has(part) && isObject(part.value) ? String(part.value["unit"]) : []))
  const rest = (kind: (typeof lists)[number]) => parts[kind].filter((part) => !gone.has(part))
  const isLotLeftOut = parts.isLotLeftOut || rest("lots").length < parts.lots.length
  const kept = { lots: rest("lots"), rewards: rest("rewards"), consents: rest("consents"), isLotLeftOut }
  const paths = faulty.flatMap(({ part, path }) => (part === undefined ? path : []))
  return join({ ...own, value: withoutBalances(without(own.value, paths), lost) }, kept, context)
}

/** The fault of a value by its path in the guest. */
const nameOf = (path: string): FaultName => {
  const [, field = "", within = ""] = path.split("/")
  // The list as a whole: too long, or no card of a guest without an id.
  if (within === "" && (field === "identities" || lists.some((list) => list === field))) return "invalid"
  return faultOf("guests", field === "standing" ? within : field)
}

/** The row without the values at these paths, so that the guest moves without them. */
const without = (value: Value, paths: ReadonlyArray<string>): Value => {
  const gone = paths.map((path) => path.split("/").slice(1))
  const cards = new Set(gone.flatMap(([field, place]) => (field === "identities" ? Number(place) : [])))
  const fields = new Set(
    gone.flatMap(([field = "", within = ""]) =>
      field === "identities" ? [] : field === "standing" ? within : (sources[field] ?? field)
    )
  )
  const kept = Object.entries(value).filter(([field]) => !fields.has(field))
  const { identities, ...rest } = Object.fromEntries(kept)
  return { ...rest, identities: listOf(identities).filter((_, place) => !cards.has(place)) }
}

/** The row without balances that make no lot: they are told, and compared with no lots. */
const withoutBalances = ({ balance, ...value }: Value, units: ReadonlyArray<string>): Value => {
  const rest = Object.entries((balance ?? {}) as Value).filter(([unit]) => !units.includes(unit))
  return rest.length === 0 ? value : { ...value, balance: Object.fromEntries(rest) }
}

/** The guests of a part, in the order of their rows. */
export const guestsOf = (pieces: ReadonlyArray<Piece>, context: JoinContext): ReadonlyArray<Joined> => {
  const byKey = Map.groupBy(pieces, ({ key }) => key)
  return [...byKey.values()].flatMap((found) => {
    const own = found.find(({ kind }) => kind === "guests")
    const all = found.filter(({ value }) => value["faulty"] === undefined)
    const leave = (name: FaultName, { kind, value }: Piece): void =>
      context.leave(name, { rows: 1, points: kind === "lots" ? pointsOf([value], context.primary) : {} })
    const fault = own?.value["faulty"]
    if (fault !== undefined) {
      for (const piece of all) leave(fault as FaultName, piece)
      return []
    }
    if (own !== undefined)
      return (
        join(
          own,
          {
            lots: lotsOf(own, all, context.hasLots, context.primary),
            rewards: partsOf(own, all, "rewards"),
            consents: partsOf(own, all, "consents"),
            isLotLeftOut: context.hasLostLots || all.length < found.length
          },
          context
        ) ?? []
      )
    for (const piece of all) {
      const { file, row } = piece
      leave("unknown_guest", piece)
      context.report({
        ...{ file: context.files[file]!.name, row, name: "unknown_guest", column: "" },
        detail: "No row of a guest has this id."
      })
    }
    return []
  })
}
