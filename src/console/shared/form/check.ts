/** Checks a payload by the contract before it is sent. */
import type { Schema } from "effect"
import { Result } from "effect"
import type { BodyFault } from "../../../contract/Decode.ts"
import { isMissing, strictDecoder } from "../../../contract/Decode.ts"

/** The contract's schema of a payload. */
export type PayloadSchema<P> = Schema.Top & Schema.ConstraintDecoder<P>

type Check<P> = (payload: unknown) => Result.Result<P, ReadonlyArray<BodyFault>>

const checks = new WeakMap<Schema.Top, Check<unknown>>()

export const checkOf = <P>(schema: PayloadSchema<P>): Check<P> => {
  const check = (checks.get(schema) as Check<P> | undefined) ?? strictDecoder(schema)
  checks.set(schema, check)
  return check
}

/** True unless something is left out that must be there. */
export const isWhole = (schema: PayloadSchema<unknown>, payload: unknown): boolean => {
  const checked = checkOf(schema)(payload)
  return Result.isSuccess(checked) || !checked.failure.some(isMissing)
}
