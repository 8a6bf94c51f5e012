/** Arrays as parameters of a statement. */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const column = (values: ReadonlyArray<unknown>, oid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))
export const numbers = (values: ReadonlyArray<number>) => column(values, PgTypes.OID.float8)
export const texts = (values: ReadonlyArray<string>) => column(values, PgTypes.OID.text)
export const hashes = (values: ReadonlyArray<string>) => column(values, PgTypes.OID.uuid)
