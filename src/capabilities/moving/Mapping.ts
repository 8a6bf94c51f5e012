/** The mapping of files: what each holds, how it is written, and the field of each column (contract/moving.md *Mapping*). */
import { Result, Schema } from "effect"
import type { BodyFault } from "../../contract/Decode.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import { encodings, separators } from "../../contract/TextFiles.ts"
import type { IdentityType, Unit } from "../../contract/Values.ts"
import { IdentityType as IdentityTypes, Unit as Units } from "../../contract/Values.ts"
import { dateOrders } from "../../contract/WrittenDates.ts"
import { thousands } from "../../contract/WrittenPoints.ts"

export const kindsOfFile = ["guests", "lots", "rewards", "consents", "orders"] as const
export type FileKind = (typeof kindsOfFile)[number]

const FileMapping = Schema.Struct({
  /** Its name, without folders. */
  file: Schema.String,
  /** Null: nobody has said. */
  holds: Schema.NullOr(Schema.Literals(kindsOfFile)),
  separator: Schema.optionalKey(Schema.Literals(separators)),
  encoding: Schema.optionalKey(Schema.Literals(encodings)),
  /** The order of dates such as 03/04/2026; null: nobody has said. */
  dates: Schema.optionalKey(Schema.NullOr(Schema.Literals(dateOrders))),
  /** The separator of thousands; null: nobody has said. */
  thousands: Schema.optionalKey(Schema.NullOr(Schema.Literals(thousands))),
  /** The time zone of times without one. Absent: the programme's. */
  zone: Schema.optionalKey(Schema.String),
  /** The calling code of numbers without one, such as +49. Absent: the programme's country's. */
  calling_code: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^\+[1-9][0-9]{0,3}$/, { message: "must be a calling code such as +49" }))
  ),
  /** The field of each column; null: it is left out. */
  columns: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  /** By column: words of its cells, and what they stand for; null: nothing. */
  values: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.NullOr(Schema.String))))
})
export type FileMapping = typeof FileMapping.Type

/** A mapping that says what its file holds. */
export type SaidMapping = FileMapping & { readonly holds: FileKind }

const Mapping = Schema.Struct({ version: Schema.Literal(1), files: Schema.Array(FileMapping) })
export type Mapping = typeof Mapping.Type

const decode = strictDecoder(Mapping)

/** The fields of each kind of file. Those of `withUnit` take one behind a colon, `attribute` and `card` have more there. */
const fields = {
  guests: [
    ...["member_id", "external_id", "first_name", "last_name", "display_name", "email", "phone", "birth_date"],
    ...["joined_at", "attributes", "identity_type", "identity_value", "identity_issuer", "identities", "balance"],
    ...["lots", "lifetime", "period_sum", "orders", "last_earned_at", "tier_id", "tier_until", "rewards", "consents"],
    ...["marketing_consent", "consent_source", "attribute", "card"]
  ],
  lots: ["member_id", "external_id", "unit", "amount", "earned_at", "expires_at"],
  rewards: ["member_id", "external_id", "reward_id", "code", "issued_at", "expires_at"],
  consents: ["member_id", "external_id", "purpose", "channel", "granted", "recorded_at", "source", "version"],
  orders: ["member_id", "external_id", "order_id", "points", "at"]
} as const satisfies Readonly<Record<FileKind, ReadonlyArray<string>>>

const withUnit: ReadonlySet<string> = new Set(["balance", "lifetime", "period_sum"])

/** A column's meaning. */
export interface Target {
  readonly field: string
  /** Of `balance`, `lifetime` and `period_sum`; absent: the primary account. */
  readonly unit?: Unit
  /** Of `attribute`. */
  readonly name?: string
  /** Of `card`. */
  readonly identity?: { readonly type: IdentityType; readonly issuer?: string }
}

const isUnit = Schema.is(Units)
const isIdentityType = Schema.is(IdentityTypes)

/** The meaning that a mapping gives to a column; undefined: there is no such field. */
export const targetOf = (kind: FileKind, written: string): Target | undefined => {
  const [field = "", ...more] = written.split(":")
  const rest = more.join(":")
  if (!(fields[kind] as ReadonlyArray<string>).includes(field)) return undefined
  if (field === "attribute") return rest === "" ? undefined : { field, name: rest }
  if (field === "card") {
    const [type = "", ...issuer] = more
    const known = type === "" ? "loyalty_id" : type
    if (!isIdentityType(known)) return undefined
    return { field, identity: { type: known, ...(issuer.length === 0 ? {} : { issuer: issuer.join(":") }) } }
  }
  if (rest === "") return { field }
  return withUnit.has(field) && isUnit(rest) ? { field, unit: rest } : undefined
}

/** Fields that no column of this kind has. A file without a kind is a fault of the plan. */
const unknownFields = ({ columns, file, holds }: FileMapping): ReadonlyArray<BodyFault> =>
  Object.entries(columns).flatMap(([column, field]) =>
    holds === null || field === null || targetOf(holds, field) !== undefined
      ? []
      : [
          {
            path: "",
            message: `${file}: ${column}: there is no field ${field}; the fields are ${fields[holds].join(", ")}`
          }
        ]
  )

const unknownValues = ({ columns, file, values = {} }: FileMapping): ReadonlyArray<BodyFault> =>
  Object.keys(values).flatMap((column) =>
    Object.hasOwn(columns, column) ? [] : [{ path: "", message: `${file}: values: there is no column ${column}` }]
  )

/** Reads a mapping. */
export const read = (json: unknown): Result.Result<Mapping, ReadonlyArray<BodyFault>> =>
  Result.flatMap(decode(json), (mapping) => {
    const faults = mapping.files.flatMap((file) => [...unknownFields(file), ...unknownValues(file)])
    return faults.length === 0 ? Result.succeed(mapping) : Result.fail(faults)
  })
