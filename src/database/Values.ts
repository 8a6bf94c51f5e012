/**
 * Values in PostgreSQL's binary format and in the service: one codec for each type, for every connection of the process.
 *
 * `bigint` is a number, exact to 2^53. `timestamptz` is a number of ms since 1970. `json` and `jsonb` are their value.
 * A row is decoded by a Schema of its columns.
 */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Result, Schema, SchemaGetter } from "effect"

const { OID } = PgTypes

/** 2000-01-01, PostgreSQL's first instant, ms since 1970. */
const firstMs = 946_684_800_000

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  view(bytes).setBigInt64(0, value)
  return bytes
}

/** A codec of 8 bytes. `valueOf` gets the offset of the value within `view`. */
const eightBytes = (
  valueOf: (view: DataView, offset: number) => number,
  stored: (value: number | bigint) => bigint
): PgTypes.Codec<number> => ({
  decode: (bytes) => Result.succeed(valueOf(view(bytes), 0)),
  encode: (value) => Result.succeed(bytesOf(stored(value))),
  read: (bytes, offset) => Result.succeed(valueOf(view(bytes), offset)),
  write: (sink, value) => Result.succeed(sink.bigInt64(stored(value)))
})

const highWord = 4_294_967_296

PgTypes.register(
  OID.int8,
  eightBytes((bytes, offset) => bytes.getInt32(offset) * highWord + bytes.getUint32(offset + 4), BigInt)
)

PgTypes.register(
  OID.timestamptz,
  eightBytes(
    (bytes, offset) => Math.floor((bytes.getInt32(offset) * highWord + bytes.getUint32(offset + 4)) / 1000) + firstMs,
    (ms) => (BigInt(ms) - BigInt(firstMs)) * 1000n
  )
)

type Parameter = PgTypes.Parameter

const parameter =
  (oid: number) =>
  (value: unknown): Parameter => ({ ...PgTypes.text(null), oid, value })

/** A parameter of type `bigint`. */
export const int8: (value: number | null) => Parameter = parameter(OID.int8)

/** A parameter of type `bigint[]`. */
export const int8s: (values: ReadonlyArray<number | null>) => Parameter = parameter(OID.int8Array)

/** A parameter of type `timestamptz`, ms. */
export const instant: (ms: number | null) => Parameter = parameter(OID.timestamptz)

/** A parameter of type `jsonb`; null: SQL's NULL. */
export const jsonb: (value: unknown) => Parameter = parameter(OID.jsonb)

/** A column that may be NULL, which is `undefined`. */
export const optional = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.decodeTo(Schema.UndefinedOr(Schema.toType(schema)), {
      decode: SchemaGetter.transform((value) => value ?? undefined),
      encode: SchemaGetter.transform((value) => value ?? null)
    })
  )

/** Decodes rows. A row that is not as the schema says is a defect: the statement and its schema do not agree. */
export const rowsOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(schema))
  return <E, R>(rows: Effect.Effect<ReadonlyArray<PgConnection.Row>, E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
    Effect.map(rows, decode)
}

/** Decodes the first row; undefined if there is none. */
export const firstOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownSync(schema)
  return <E, R>(rows: Effect.Effect<ReadonlyArray<PgConnection.Row>, E, R>): Effect.Effect<A | undefined, E, R> =>
    Effect.map(rows, ([row]) => (row === undefined ? undefined : decode(row)))
}
