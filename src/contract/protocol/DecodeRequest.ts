/** Decodes the bodies of the protocol's operations. */
import type { Result, Schema } from "effect"
import type { BodyFault } from "../Decode.ts"
import { strictDecoder } from "../Decode.ts"
import type { OperationId, RequestOf } from "./Operations.ts"
import { operations } from "./Operations.ts"

const decoders = Object.fromEntries(
  Object.entries(operations).map(([id, operation]) => [
    id,
    strictDecoder(operation.request as Schema.ConstraintDecoder<unknown>)
  ])
)

/** Decodes the body of an operation. */
export const decodeRequest = <Id extends OperationId>(
  id: Id,
  body: unknown
): Result.Result<RequestOf<Id>, ReadonlyArray<BodyFault>> =>
  // The table pairs each id with its own schema's decoder, which TypeScript cannot follow through Object.entries.
  (decoders[id] as (input: unknown) => Result.Result<RequestOf<Id>, ReadonlyArray<BodyFault>>)(body)
