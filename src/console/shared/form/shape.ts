/**
 * The shape of a value, derived from the contract's schema, with its descriptions. Forms
 * are generated from it. Pure.
 */
import { Schema } from "effect"
// Not by `Schema`: the build leaves the writer of JSON Schemas out of what the first page loads (`vite.config.ts`).
import * as SchemaRepresentation from "effect/SchemaRepresentation"

export type Shape = (
  | { readonly kind: "text"; readonly options?: ReadonlyArray<string> }
  /** `time`: an instant. */
  | { readonly kind: "number" | "flag" | "money" | "time" }
  /** Free-form values by name. `of`: one of these shapes. */
  | { readonly kind: "pairs"; readonly of?: ReadonlyArray<Shape> }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "record"; readonly fields: ReadonlyArray<Field> }
  /** One of several records, which differ in their `type`. */
  | { readonly kind: "choice"; readonly of: ReadonlyArray<Variant> }
) & { readonly description?: string }

export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
}

interface Variant {
  readonly type: string
  readonly shape: Shape
}

/** The parts of JSON Schema that `shapeOf` reads. */
interface Json {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string>
  readonly const?: string
  readonly allOf?: ReadonlyArray<Json>
  readonly anyOf?: ReadonlyArray<Json>
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: ReadonlyArray<string>
}

type Definitions = Readonly<Record<string, Json>>

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** A schema with its `$ref` and `allOf` merged. A later part's description wins. */
const resolved = (json: Json, definitions: Definitions): Json => {
  const own = json.$ref === undefined ? json : resolved(definitions[nameOf(json.$ref)] ?? {}, definitions)
  return Object.assign({}, own, ...(json.allOf ?? []).map((part) => resolved(part, definitions)))
}

const isMoney = ({ properties }: Json): boolean =>
  properties !== undefined && Object.keys(properties).sort().join() === "amount,currency"

const typeOf = (json: Json, definitions: Definitions): string => {
  const type = resolved(json.properties?.["type"] ?? {}, definitions)
  return type.const ?? type.enum?.[0] ?? ""
}

const shaped = (json: Json, definitions: Definitions): Shape => {
  const whole = resolved(json, definitions)
  const description = whole.description === undefined ? {} : { description: whole.description }
  if (whole.anyOf !== undefined) {
    const of = whole.anyOf.map((one) => resolved(one, definitions)).filter(({ type }) => type !== "null")
    const [only, ...others] = of
    if (only !== undefined && others.length === 0) return shaped({ ...only, ...description }, definitions)
    if (of.every(({ properties }) => properties?.["type"] !== undefined)) {
      return {
        kind: "choice",
        of: of.map((one) => ({ type: typeOf(one, definitions), shape: shaped(one, definitions) })),
        ...description
      }
    }
    return { kind: "pairs", of: of.map((one) => shaped(one, definitions)), ...description }
  }
  switch (whole.type) {
    case "string": {
      if (whole.format === "date-time") return { kind: "time", ...description }
      const options = whole.enum ?? (whole.const === undefined ? undefined : [whole.const])
      return { kind: "text", ...(options === undefined ? {} : { options }), ...description }
    }
    case "integer":
    case "number":
      return { kind: "number", ...description }
    case "boolean":
      return { kind: "flag", ...description }
    case "array":
      return { kind: "list", of: shaped(whole.items ?? {}, definitions), ...description }
    case "object": {
      if (isMoney(whole)) return { kind: "money", ...description }
      const required = new Set(whole.required)
      const fields = Object.entries(whole.properties ?? {}).map(([name, one]) => ({
        name,
        shape: shaped(one, definitions),
        isRequired: required.has(name)
      }))
      return fields.length === 0 ? { kind: "pairs", ...description } : { kind: "record", fields, ...description }
    }
    default:
      return { kind: "pairs", ...description }
  }
}

const makeShape = (schema: Schema.Top): Shape => {
  const document = SchemaRepresentation.toRepresentation(Schema.toCodecJson(schema).ast)
  const { definitions, schema: json } = SchemaRepresentation.toJsonSchemaDocument(document)
  // The document is JSON Schema. Parts that are not in `Json` are ignored.
  return shaped(json as Json, definitions as Definitions)
}

const shapes = new WeakMap<Schema.Top, Shape>()

/** The shape of a schema's values. */
export const shapeOf = (schema: Schema.Top): Shape => {
  const made = shapes.get(schema) ?? makeShape(schema)
  shapes.set(schema, made)
  return made
}

const innerOf = (shape: Shape, name: string): Field | undefined => {
  switch (shape.kind) {
    case "list":
      return { name, shape: shape.of, isRequired: true }
    case "record":
      return shape.fields.find((one) => one.name === name)
    case "choice":
    case "pairs":
      return (shape.of ?? [])
        .map((one) => innerOf("shape" in one ? one.shape : one, name))
        .find((one) => one !== undefined)
    default:
      return undefined
  }
}

/** The field at a place of a value. `path`: its JSON Pointer. */
export const fieldAt = (shape: Shape, path: string): Field =>
  path
    .split("/")
    .slice(1)
    .reduce<Field>(
      (at, name) => {
        const inner = innerOf(at.shape, name)
        if (inner === undefined) throw new Error(`the contract has nothing at ${path}`)
        return inner
      },
      { name: "", shape, isRequired: true }
    )

/** An initial value for a form. */
export const blank = (shape: Shape, currency: string): unknown => {
  switch (shape.kind) {
    case "time":
      return ""
    case "text":
      return shape.options?.[0] ?? ""
    case "number":
      return 0
    case "flag":
      return false
    case "money":
      return { amount: 0, currency }
    case "pairs":
      return {}
    case "list":
      return []
    case "choice":
      return shape.of[0] === undefined ? {} : blank(shape.of[0].shape, currency)
    case "record":
      return Object.fromEntries(
        shape.fields.filter(({ isRequired }) => isRequired).map((one) => [one.name, blank(one.shape, currency)])
      )
  }
}
