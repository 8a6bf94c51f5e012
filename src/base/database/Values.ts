/**
 * Values in PostgreSQL's binary format and in the service: one codec for each type, for every connection of the process.
 *
 * `bigint` is a number, exact to 2^53. `timestamptz` is a number of ms since 1970. `xid8` is a bigint. `json` and `jsonb`
 * are their value.
 * A row is decoded by a Schema of its columns.
 */

import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema, SchemaGetter } from "effect"

const { OID } = PgTypes

/** 2000-01-01, PostgreSQL's first instant, ms since 1970. */
const firstMs = 946_684_800_000

const highWord = 4_294_967_296

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

/** Eight bytes as a number. Without a DataView: one for each value would take most of a read's time. */
const integer = (bytes: Uint8Array, at: number): number => word(bytes, at) * highWord + (word(bytes, at + 4) >>> 0)

/** 2^32 µs are these ms and µs. */
const highMs = 4_294_967
const highMicros = 296

/** Eight bytes of µs since 2000 as ms since 1970. In words, because µs are beyond 2^53 from the year 2285 on. */
const msAt = (bytes: Uint8Array, at: number): number => {
  const high = word(bytes, at)
  const low = word(bytes, at + 4) >>> 0
  return high * highMs + Math.floor((high * highMicros + low) / 1000) + firstMs
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  view(bytes).setBigInt64(0, value)
  return bytes
}

/** A codec of 8 bytes. */
const eightBytes = <A>(
  valueAt: (bytes: Uint8Array, at: number) => A,
  stored: (value: A) => bigint
): PgTypes.Codec<A> => ({
  decode: (bytes) => Result.succeed(valueAt(bytes, 0)),
  encode: (value) => Result.succeed(bytesOf(stored(value))),
  read: (bytes, offset) => Result.succeed(valueAt(bytes, offset)),
  write: (sink, value) => Result.succeed(sink.bigInt64(stored(value)))
})

/** The type of transaction ids, which `PgTypes` does not name. */
const xid8Oid = 5069

/** Registers the codecs; a connection with types of its own does not have those of the process. */
export const register = (registry: PgTypes.Registry): void => {
  registry.register<number>(OID.int8, eightBytes(integer, BigInt))
  registry.register<number>(
    OID.timestamptz,
    eightBytes(msAt, (ms) => (BigInt(ms) - BigInt(firstMs)) * 1000n)
  )
  registry.register<bigint>(
    xid8Oid,
    eightBytes(
      (bytes, at) => BigInt.asUintN(64, view(bytes).getBigInt64(at)),
      (id) => id
    )
  )
}

register(PgTypes)

type Parameter = PgTypes.Parameter

const parameter =
  (oid: number) =>
  (value: unknown): Parameter => ({ ...PgTypes.text(null), oid, value })

/** A parameter of type `bigint`. */
export const int8: (value: number | null) => Parameter = parameter(OID.int8)

/** A parameter of type `bigint[]`. */
export const int8s: (values: ReadonlyArray<number | null>) => Parameter = parameter(OID.int8Array)

/** A parameter of type `int[]`. */
export const int4s: (values: ReadonlyArray<number> | null) => Parameter = parameter(OID.int4Array)

/** A parameter of type `xid8`. */
export const xid8: (id: bigint) => Parameter = parameter(xid8Oid)

/** A parameter of type `text[]`. */
export const texts: (values: ReadonlyArray<string | null>) => Parameter = parameter(OID.textArray)

/** A parameter of type `bytea[]`. */
export const byteas: (values: ReadonlyArray<Uint8Array | null>) => Parameter = parameter(OID.byteaArray)

/** A parameter of type `boolean[]`. */
export const bools: (values: ReadonlyArray<boolean>) => Parameter = parameter(OID.boolArray)

/** A parameter of type `uuid[]`. */
export const uuids: (values: ReadonlyArray<string>) => Parameter = parameter(OID.uuidArray)

/** A parameter of type `timestamptz`, ms. */
export const instant: (ms: number | null) => Parameter = parameter(OID.timestamptz)

/** A parameter of type `jsonb`; null: SQL's NULL. */
export const jsonb: (value: unknown) => Parameter = parameter(OID.jsonb)

/** A parameter of type `jsonb[]`; null and undefined: SQL's NULL. */
export const jsonbs = (values: ReadonlyArray<unknown>): Parameter =>
  parameter(OID.jsonbArray)(values.map((value) => value ?? null))

/** A column that may be NULL, which is `undefined`. */
export const optional = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.decodeTo(Schema.UndefinedOr(Schema.toType(schema)), {
      decode: SchemaGetter.transform((value) => value ?? undefined),
      encode: SchemaGetter.transform((value) => value ?? null)
    })
  )

/** Result of a statement of a pool or a connection. */
type StatementResult = ReadonlyArray<PgConnection.Row> | { readonly rows: ReadonlyArray<PgConnection.Row> }

const decoderOf =
  <A>(decode: (rows: ReadonlyArray<PgConnection.Row>) => A) =>
  <E, R>(answer: Effect.Effect<StatementResult, E, R>): Effect.Effect<A, E, R> =>
    Effect.map(answer, (given) => decode("rows" in given ? given.rows : given))

/** Decodes rows. A row that is not as the schema says is a defect: the statement and its schema do not agree. */
export const rowsOf = <A>(schema: Schema.Codec<A, unknown>) => decoderOf(Schema.decodeUnknownSync(Schema.Array(schema)))

/** Decodes the first row; undefined if there is none. */
export const firstOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownSync(schema)
  return decoderOf(([row]) => (row === undefined ? undefined : decode(row)))
}

/** Decodes the row of a statement that always gives one; none is a defect as well. */
export const oneOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownSync(schema)
  return decoderOf(([row]) => decode(row))
}
