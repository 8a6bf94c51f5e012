/**
 * Decodes request bodies, once and synchronously, and names every offending
 * property by its JSON Pointer (RFC 6901; decisions.md §1).
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Result, Schema, SchemaIssue } from "effect"
import type { OperationId, RequestOf } from "./Operations.ts"
import { operations } from "./Operations.ts"

/** Faults told at once; a body with more is told the first of them. */
export const maxFaults = 100

export interface BodyFault {
  readonly path: string
  readonly message: string
}

/** A JSON Pointer to a place in the body. */
export const pointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

const leafMessage = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "is required"
  if (issue._tag === "UnexpectedKey") return "is not a known property"
  return SchemaIssue.defaultLeafHook(issue).replace(/^Expected /, "must be ").replaceAll('"', "'")
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: leafMessage,
  checkHook: SchemaIssue.defaultCheckHook
})

/** The faults of an issue, each place and message once, in the order of the schema. */
export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<BodyFault> => {
  const faults = new Map<string, BodyFault>()
  for (const { message, path = [] } of format(issue).issues) {
    const place = pointer(path.map((part) => typeof part === "object" ? part.key : part))
    const plain = message.replace(/^Expected (.* \| )/, "must be one of $1").replace(/^Expected /, "must be ")
    faults.set(`${place} ${plain}`, { path: place, message: plain })
    if (faults.size >= maxFaults) break
  }
  return [...faults.values()]
}

const strict = { errors: "all", onExcessProperty: "error" } as const

/** A decoder that refuses unknown properties and lists every fault. */
export const strictDecoder = <A>(
  schema: Schema.ConstraintDecoder<A>
): (input: unknown) => Result.Result<A, ReadonlyArray<BodyFault>> => {
  const decode = Schema.decodeUnknownResult(schema, strict)
  return (input) => Result.mapError(decode(input), (error) => faultsOf(error.issue))
}

const decoders = Object.fromEntries(
  Object.entries(operations).map(([id, operation]) => [id, strictDecoder(operation.request as Schema.ConstraintDecoder<unknown>)])
)

/** Decodes the body of an operation. */
export const decodeRequest = <Id extends OperationId>(
  id: Id,
  body: unknown
): Result.Result<RequestOf<Id>, ReadonlyArray<BodyFault>> =>
  // The table pairs each id with its own schema's decoder, which TypeScript cannot follow through Object.entries.
  (decoders[id] as (input: unknown) => Result.Result<RequestOf<Id>, ReadonlyArray<BodyFault>>)(body)

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
      : part)

/**
 * JSON text of a decoded value that does not depend on the order in which
 * properties came. Decoding has put all of them into the schema's order, save
 * those of free-form objects, which only the rare request has.
 */
export const canonical = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.includes('"metadata":') || text.includes('"attributes":') ? sorted(value) : text
}
