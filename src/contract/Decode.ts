/**
 * Decodes request bodies, once and synchronously, and names every offending
 * property by its JSON Pointer (RFC 6901; contract/transport.md *Problems*).
 *
 * A valid body takes the fast path: the compiled decoder puts properties into the
 * schema's order and drops unknown ones, then one comparison checks that nothing
 * was dropped. Only an invalid body is inspected to name its faults. The
 * inspection stops after `maxFaults`: a megabyte of faults must not cost seconds
 * or memory.
 */
import type { Fault } from "./Said.ts"
import { faultAt, sentenceOf, told } from "./Said.ts"
import "effect/schema/SchemaJITCompiler/enable"
import type { SchemaAST } from "effect"
import { Exit, Result, Schema, SchemaIssue } from "effect"

/** Most faults reported for one body. */
export const maxFaults = 100
/** Most characters of a caller's key in a fault. */
const maxDisplayedKey = 128

export type BodyFault = Fault

/** A sentence for people about the first fault. */
export const faultsDetail = (faults: ReadonlyArray<BodyFault>): string => {
  const [first] = faults
  if (first === undefined) return "The request does not match its schema."
  const more = faults.length > 1 ? `; errors lists all ${faults.length} faults` : ""
  return `${first.path === "" ? "The request" : first.path} ${first.message}${more}.`
}

/** A caller's key as text that can be stored: well-formed, without NUL, not long. */
const shown = (key: string): string => {
  const text = key.length > maxDisplayedKey ? `${key.slice(0, maxDisplayedKey)}…` : key
  return text.toWellFormed().replaceAll("\u0000", "\ufffd")
}

/** A JSON Pointer to a place in the body. */
export const pointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((part) => `/${shown(String(part)).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** True unless a fault is at a place, around it or within it. `path`: a JSON Pointer. */
export const isReadable = (faults: ReadonlyArray<BodyFault>, path: string): boolean =>
  !faults.some((fault) => `${path}/`.startsWith(`${fault.path}/`) || fault.path.startsWith(`${path}/`))

const required = "is required"

/** True of a property that must be there and is not. */
export const isMissing = ({ message }: BodyFault): boolean => message === required

type Path = ReadonlyArray<PropertyKey>

/** True for a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const quoted = (values: ReadonlyArray<unknown>): string => values.map((value) => JSON.stringify(value)).join(", ")

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<unknown> | undefined => {
  if (ast._tag === "Literal") return [ast.literal]
  if (ast._tag === "Null") return [null]
  if (ast._tag !== "Union") return undefined
  const literals = ast.types.map(literalsOf)
  return literals.every((some) => some !== undefined) ? literals.flat() : undefined
}

/** The message for a value of the wrong type. */
const wanted = (ast: SchemaAST.AST): string => {
  const literals = literalsOf(ast)
  if (literals !== undefined)
    return literals.length === 1 ? told`must be ${quoted(literals)}` : told`must be one of ${quoted(literals)}`
  switch (ast._tag) {
    case "Objects":
      return "must be an object"
    case "Arrays":
      return "must be an array"
    case "String":
      return "must be a string"
    case "Number":
      return "must be a number"
    case "Boolean":
      return "must be true or false"
    case "Null":
      return "must be null"
    case "Union":
      return ast.types.map((type, index) => wanted(type).slice(index === 0 ? 0 : "must be ".length)).join(" or ")
    default:
      return "must be another kind of value"
  }
}

/** True if a value has the schema's JSON type. Its content may still be invalid. */
const isOfKind = ({ _tag }: SchemaAST.AST, value: unknown): boolean => {
  switch (_tag) {
    case "Objects":
      return isObject(value)
    case "Arrays":
      return Array.isArray(value)
    case "String":
      return typeof value === "string"
    // Any JSON and free-form objects: their own filters find the faults.
    case "Declaration":
      return value !== null
    default:
      return false
  }
}

const AnyArray = Schema.Array(Schema.Unknown)
const leafDecoders = new WeakMap<SchemaAST.AST, (input: unknown) => Exit.Exit<unknown, Schema.SchemaError>>()

/** Decodes a leaf. For an array, runs only the array's own checks, without its items. */
const decodeLeaf = (ast: SchemaAST.AST, value: unknown): Exit.Exit<unknown, Schema.SchemaError> => {
  let decode = leafDecoders.get(ast)
  if (decode === undefined) {
    const [first, ...others] = ast.checks ?? []
    decode = Schema.decodeUnknownExit(
      ast._tag !== "Arrays"
        ? Schema.make<Schema.Codec<unknown>>(ast)
        : first === undefined
          ? AnyArray
          : AnyArray.check(first, ...others)
    )
    leafDecoders.set(ast, decode)
  }
  return decode(value)
}

const issueOf = (exit: Exit.Exit<unknown, Schema.SchemaError>): SchemaIssue.Issue | undefined => {
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? error.value.issue : undefined
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

class Faults {
  readonly list: Array<BodyFault> = []

  /** True if properties that the schema does not know are faults. */
  readonly isStrict: boolean

  constructor(isStrict: boolean) {
    this.isStrict = isStrict
  }

  get full(): boolean {
    return this.list.length >= maxFaults
  }

  /** True if there is a fault at a place or within it. */
  isAt(path: Path): boolean {
    const place = pointer(path)
    return this.list.some((fault) => fault.path === place || fault.path.startsWith(`${place}/`))
  }

  add(path: Path, message: string): void {
    if (!this.full) this.list.push(faultAt(pointer(path), sentenceOf(message)))
  }
}

/** The union member that matches the value's discriminator (such as `type`), or the allowed literals. */
const unionMemberOf = (
  union: SchemaAST.Union,
  value: Readonly<Record<string, unknown>>
):
  | {
      readonly key: string
      /** True if the value has a discriminator. */
      readonly isThere: boolean
      readonly member: SchemaAST.AST | undefined
      readonly literals: ReadonlyArray<unknown>
    }
  | undefined => {
  for (const candidate of union.types) {
    if (candidate._tag !== "Objects") return undefined
    for (const { name, type } of candidate.propertySignatures) {
      if (type._tag !== "Literal") continue
      const literals = union.types.map((member) =>
        member._tag === "Objects"
          ? member.propertySignatures.find((property) => property.name === name)?.type
          : undefined
      )
      if (!literals.every((literal) => literal?._tag === "Literal")) continue
      return {
        key: String(name),
        isThere: Object.hasOwn(value, name),
        member: union.types[literals.findIndex((literal) => literal.literal === value[String(name)])],
        literals: literals.map((literal) => literal.literal)
      }
    }
  }
  return undefined
}

/** Adds a value's faults, in the schema's order, unknown properties last. */
const inspect = (ast: SchemaAST.AST, value: unknown, path: Path, faults: Faults): void => {
  if (faults.full) return
  if (ast._tag === "Objects" && ast.indexSignatures.length === 0 && isObject(value))
    inspectProperties(ast, value, path, faults)
  else if (ast._tag === "Arrays" && ast.elements.length === 0 && Array.isArray(value))
    inspectItems(ast, value, path, faults)
  else if (ast._tag === "Union") inspectUnion(ast, value, path, faults)
  else if (ast._tag === "Suspend") inspect(ast.thunk(), value, path, faults)
  else inspectLeaf(ast, value, path, faults)
}

const inspectProperties = (
  ast: SchemaAST.Objects,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  faults: Faults
): void => {
  const known = new Set<PropertyKey>()
  for (const { name, type } of ast.propertySignatures) {
    known.add(name)
    const here = [...path, name]
    if (Object.hasOwn(value, name)) inspect(type, value[String(name)], here, faults)
    else if (type.context?.isOptional !== true) faults.add(here, required)
  }
  for (const key of faults.isStrict ? Object.keys(value) : []) {
    if (faults.full) return
    if (!known.has(key)) faults.add([...path, key], "is not a known property")
  }
  inspectTogether(ast, value, path, faults)
}

const inspectItems = (ast: SchemaAST.Arrays, value: ReadonlyArray<unknown>, path: Path, faults: Faults): void => {
  // The length first: the items of an array that is too long are not inspected.
  const issue = issueOf(decodeLeaf(ast, value))
  if (issue !== undefined) return addIssue(issue, path, faults)
  const [item] = ast.rest
  if (item === undefined) return
  for (const [index, element] of value.entries()) inspect(item, element, [...path, index], faults)
}

const inspectUnion = (ast: SchemaAST.Union, value: unknown, path: Path, faults: Faults): void => {
  const found = isObject(value) ? unionMemberOf(ast, value) : undefined
  if (found?.member !== undefined) return inspect(found.member, value, path, faults)
  if (found !== undefined)
    return faults.add([...path, found.key], found.isThere ? told`must be one of ${quoted(found.literals)}` : required)
  const [alike, ...others] = ast.types.filter((type) => isOfKind(type, value))
  if (alike !== undefined && others.length === 0) return inspect(alike, value, path, faults)
  inspectLeaf(ast, value, path, faults)
}

const inspectLeaf = (ast: SchemaAST.AST, value: unknown, path: Path, faults: Faults): void => {
  const issue = issueOf(decodeLeaf(ast, value))
  if (issue === undefined) return
  if (issue._tag === "InvalidType" || issue._tag === "AnyOf") faults.add(path, wanted(ast))
  else addIssue(issue, path, faults)
}

const together = new WeakMap<SchemaAST.Check<unknown>, (input: unknown) => Exit.Exit<unknown, Schema.SchemaError>>()

const decodeCheck = (check: SchemaAST.Check<unknown>, value: unknown) => {
  const decode = together.get(check) ?? Schema.decodeUnknownExit(Schema.Unknown.check(check))
  together.set(check, decode)
  return decode(value)
}

/**
 * Adds what is wrong between the properties of an object. A condition that reads a property with a fault of its own tells
 * nothing: it takes it for valid.
 */
const inspectTogether = (
  ast: SchemaAST.AST,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  faults: Faults
): void => {
  for (const check of ast.checks ?? []) {
    const read = new Set<string>()
    const watched = new Proxy(value, {
      get: (target, key, receiver) => {
        if (typeof key === "string") read.add(key)
        return Reflect.get(target, key, receiver)
      }
    })
    const issue = issueOf(decodeCheck(check, watched))
    if (issue !== undefined && ![...read].some((key) => faults.isAt([...path, key]))) addIssue(issue, path, faults)
  }
}

/** Adds the faults of an issue, at most one for each place. */
const addIssue = (issue: SchemaIssue.Issue, path: Path, faults: Faults): void => {
  const places = new Set<string>()
  for (const { message, path: inner = [] } of formatIssue(issue).issues) {
    const here = [...path, ...inner.map((part) => (typeof part === "object" ? part.key : part))]
    const place = pointer(here)
    if (!places.has(place)) faults.add(here, message)
    places.add(place)
  }
}

/** True if the decoder dropped a property. It copies objects, except free-form values, which keep their identity. */
const isAnyDropped = (input: unknown, output: unknown): boolean => {
  if (input === output || typeof output !== "object" || output === null) return false
  if (Array.isArray(output)) {
    const items = input as ReadonlyArray<unknown>
    for (let index = 0; index < output.length; index++) if (isAnyDropped(items[index], output[index])) return true
    return false
  }
  const from = input as Readonly<Record<string, unknown>>
  const to = output as Readonly<Record<string, unknown>>
  let known = 0
  for (const key in to) {
    known++
    const value = to[key]
    if (typeof value === "object" && isAnyDropped(from[key], value)) return true
  }
  for (const _ in from) known--
  return known !== 0
}

const faultsOf = (
  ast: SchemaAST.AST,
  input: unknown,
  exit: Exit.Exit<unknown, Schema.SchemaError>,
  faults: Faults
): ReadonlyArray<BodyFault> => {
  inspect(ast, input, [], faults)
  const issue = issueOf(exit)
  if (faults.list.length === 0 && issue !== undefined) addIssue(issue, [], faults)
  return faults.list
}

/**
 * Makes a decoder that rejects unknown properties and lists every fault. The
 * schema must not transform. It may use objects, arrays, unions of literals or of
 * objects, and leaves.
 */
export const strictDecoder = <A>(
  schema: Schema.ConstraintDecoder<A>
): ((input: unknown) => Result.Result<A, ReadonlyArray<BodyFault>>) => {
  const decode = Schema.decodeUnknownExit(schema)
  return (input) => {
    const exit = decode(input)
    if (Exit.isSuccess(exit) && !isAnyDropped(input, exit.value)) return Result.succeed(exit.value)
    return Result.fail(faultsOf(schema.ast, input, exit, new Faults(true)))
  }
}

/** As `strictDecoder`, for bodies of other systems' contracts: properties that the schema does not know are left out. */
export const lenientDecoder = <A>(
  schema: Schema.ConstraintDecoder<A>
): ((input: unknown) => Result.Result<A, ReadonlyArray<BodyFault>>) => {
  const decode = Schema.decodeUnknownExit(schema)
  return (input) => {
    const exit = decode(input)
    if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
    return Result.fail(faultsOf(schema.ast, input, exit, new Faults(false)))
  }
}

/** True for properties whose values have keys of the caller's choice. */
const isFreeForm = (key: string): boolean => key === "metadata" || key === "attributes"

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(byKey)
      .map(([key, part]) => [key, sorted(part)])
  )
}

const hasFreeForm = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasFreeForm)
  if (!isObject(value)) return false
  for (const key in value) if (isFreeForm(key) || hasFreeForm(value[key])) return true
  return false
}

const withFreeFormSorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withFreeFormSorted)
  if (!isObject(value)) return value
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    result[key] = isFreeForm(key) ? sorted(value[key]) : withFreeFormSorted(value[key])
  }
  return result
}

/**
 * JSON text of a decoded value, independent of the order of its properties.
 * Decoding has already sorted all properties except those of free-form objects,
 * which few requests have.
 */
export const canonical = (value: unknown): string =>
  JSON.stringify(hasFreeForm(value) ? withFreeFormSorted(value) : value)
