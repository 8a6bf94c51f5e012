/** Columns that may be null, as values of rows and as parameters. */
import { PgTypes } from "@effect/sql-pg"

export const numberOf = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

export const textOf = (value: unknown): string | undefined => (value === null ? undefined : String(value))

/** A parameter of type `float8`; undefined: null. */
export const orNull = (value: number | undefined): PgTypes.Parameter => PgTypes.float8(value ?? null)
