/** Whether a value is what a schema of the contract describes: what the service would refuse is found here first. */
import { OrderError } from "./OrderError.ts"

/** A schema of the OpenAPI document, without references and descriptions. */
export interface WireSchema {
  readonly type: "object" | "array" | "string" | "number" | "integer" | "boolean"
  readonly properties?: Readonly<Record<string, WireSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: WireSchema
  readonly enum?: ReadonlyArray<string>
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  /** A free-form object. */
  readonly additionalProperties?: boolean
}

export interface WireFault {
  /** JSON Pointer within the value. */
  readonly path: string
  readonly message: string
}

/** Deepest nesting of a free-form object, and keys that it may not have (contract/resources.md *Values*). */
const maxDepth = 32
const forbiddenKeys = ["__proto__", "constructor", "prototype"]

/** Texts are Unicode without NUL and without halves of a character. */
const isText = (value: string): boolean => !value.includes("\0") && !/\p{Surrogate}/u.test(value)

/** A part of a JSON Pointer. */
const part = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

const textFault = (
  value: string,
  { enum: values, maxLength, minLength = 0, pattern }: WireSchema
): string | undefined => {
  if (values !== undefined) return values.includes(value) ? undefined : `must be one of ${values.join(", ")}`
  if (!isText(value)) return "must be Unicode text without NUL"
  const { length } = Array.from(value)
  if (length < minLength || length > (maxLength ?? length))
    return `must have ${minLength} to ${maxLength} characters, and has ${length}`
  if (pattern === undefined || new RegExp(pattern, "u").test(value)) return undefined
  return pattern === "\\S" ? "must not be blank" : `must match ${pattern}`
}

/** True for a value that JSON cannot carry as it is. */
const isNoJson = (value: unknown): boolean =>
  ["bigint", "function", "symbol"].includes(typeof value) || (typeof value === "number" && !Number.isFinite(value))

const freeFault = (value: unknown, path: string, depth: number): WireFault | undefined => {
  if (isNoJson(value)) return { path, message: `is ${String(value)}, which JSON does not have; give it as text` }
  if (typeof value === "string")
    return isText(value) ? undefined : { path, message: "must be Unicode text without NUL" }
  if (typeof value !== "object" || value === null) return undefined
  if (depth >= maxDepth) return { path, message: `must not be nested deeper than ${maxDepth} levels` }
  for (const [key, one] of Object.entries(value)) {
    const at = `${path}/${part(key)}`
    const isKey = Array.isArray(value) || (isText(key) && !forbiddenKeys.includes(key))
    const fault = isKey ? freeFault(one, at, depth + 1) : { path: at, message: "is not allowed as a key" }
    if (fault !== undefined) return fault
  }
  return undefined
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

const numberFault = (
  value: number,
  { maximum = Infinity, minimum = -Infinity, type }: WireSchema
): string | undefined => {
  const isRight = value >= minimum && value <= maximum && (type === "number" || Number.isInteger(value))
  return isRight ? undefined : `must be ${type === "integer" ? "a whole" : "a"} number within its bounds`
}

const listFault = (
  { items, maxItems = Infinity, minItems = 0 }: WireSchema,
  value: ReadonlyArray<unknown>,
  path: string
): WireFault | undefined => {
  if (value.length < minItems || value.length > maxItems)
    return { path, message: `must have ${minItems} to ${maxItems} items, and has ${value.length}` }
  return first(value.map((one, place) => () => faultOf(items!, one, `${path}/${place}`)))
}

const recordFault = (
  { properties = {}, required = [] }: WireSchema,
  value: Readonly<Record<string, unknown>>,
  path: string
): WireFault | undefined => {
  const unknown = unknownIn(value, Object.keys(properties), path)
  if (unknown !== undefined) return unknown
  const checked = Object.entries(properties).filter(([name]) => value[name] !== undefined || required.includes(name))
  return first(
    checked.map(
      ([name, property]) =>
        () =>
          faultOf(property, value[name], `${path}/${part(name)}`)
    )
  )
}

/** The first fault of a value; undefined: it is as the schema says. */
const faultOf = (schema: WireSchema, value: unknown, path: string): WireFault | undefined => {
  const { type } = schema
  const fault = (message: string | undefined): WireFault | undefined =>
    message === undefined ? undefined : { path, message }
  if (value === undefined) return fault("is missing")
  if (typeOf(value) !== (type === "integer" ? "number" : type))
    return fault(`must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type === "string" ? "text" : type}`)
  if (typeof value === "string") return fault(textFault(value, schema))
  if (typeof value === "number") return fault(numberFault(value, schema))
  if (Array.isArray(value)) return listFault(schema, value, path)
  if (schema.additionalProperties === true) return freeFault(value, path, 0)
  return recordFault(schema, value as Readonly<Record<string, unknown>>, path)
}

/** The first property that has a value and none of the names. */
const unknownIn = (
  given: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  path: string
): WireFault | undefined => {
  const name = Object.keys(given).find((one) => given[one] !== undefined && !names.includes(one))
  if (name === undefined) return undefined
  return { path: `${path}/${part(name)}`, message: `is unknown; the properties here are ${names.join(", ")}` }
}

const first = (checks: ReadonlyArray<() => WireFault | undefined>): WireFault | undefined => {
  for (const check of checks) {
    const fault = check()
    if (fault !== undefined) return fault
  }
  return undefined
}

const refuse = (fault: WireFault | undefined): void => {
  if (fault !== undefined) throw new OrderError(fault.path, fault.message)
}

/** Throws an `OrderError` where a value is not as the schema says. */
export const check = (schema: WireSchema, value: unknown, path: string): void => refuse(faultOf(schema, value, path))

/** Tills in plain JavaScript have no types to tell them. `names`: of all properties that there may be. */
export const checkObject = (value: unknown, path: string, names?: Readonly<Record<string, true>>): void => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new OrderError(path, `must be an object, and is ${Array.isArray(value) ? "an array" : String(value)}`)
  if (names !== undefined) refuse(unknownIn(value as Readonly<Record<string, unknown>>, Object.keys(names), path))
}

export const checkObjects = (value: unknown, path: string, names?: Readonly<Record<string, true>>): void => {
  if (!Array.isArray(value)) throw new OrderError(path, "must be an array")
  value.forEach((one, place) => checkObject(one, `${path}/${place}`, names))
}
