/** TypeScript of the schemas in the OpenAPI document: what the wire carries, without a package to import. */
import type { Json } from "../../contract/Description.ts"
import { componentOf } from "../../contract/OpenApiSchemas.ts"

const identifier = /^[A-Za-z_$][\w$]*$/

/** A property's name, quoted if it has to be. */
export const named = (name: string): string => (identifier.test(name) ? name : JSON.stringify(name))

/** `redemption.reserve` → `RedemptionReserve`. */
export const pascal = (id: string): string =>
  id
    .split(/[._]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")

/** A comment above a declaration, nothing without a text. */
export const comment = (text: unknown, indent = ""): string => {
  if (typeof text !== "string" || text.trim() === "") return ""
  const lines = text.trim().replaceAll("*/", "* /").split("\n")
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

const plain: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null"
}

const literals = (values: ReadonlyArray<unknown>): string => values.map((value) => JSON.stringify(value)).join(" | ")

const objectOf = (schema: Json, indent: string): string => {
  const properties = Object.entries((schema["properties"] ?? {}) as Json)
  const more: unknown = schema["additionalProperties"]
  if (properties.length === 0) {
    if (more === true) return "Readonly<Record<string, unknown>>"
    if (typeof more === "object" && more !== null) return `Readonly<Record<string, ${typeOf(more as Json, indent)}>>`
    return "Readonly<Record<string, never>>"
  }
  const required = new Set<string>(schema["required"])
  const inner = `${indent}  `
  const lines = properties.map(([name, property]: [string, Json]) => {
    const mark = required.has(name) ? "" : "?"
    return `${comment(property["description"], inner)}${inner}readonly ${named(name)}${mark}: ${typeOf(property, inner)}\n`
  })
  return `{\n${lines.join("")}${indent}}`
}

const arrayOf = (items: string): string => `ReadonlyArray<${items}>`

/** The type of a schema. Throws for a keyword that it does not know, rather than let a type be too wide. */
export const typeOf = (schema: Json, indent = ""): string => {
  const component = componentOf(schema)
  if (component !== undefined) return component
  const { $ref, allOf, anyOf, const: only, enum: values, items, oneOf, type } = schema
  if ($ref !== undefined) throw new Error(`a reference to ${$ref}`)
  if (only !== undefined) return JSON.stringify(only)
  if (values !== undefined) return literals(values)
  const choices: ReadonlyArray<Json> | undefined = anyOf ?? oneOf
  if (choices !== undefined) return [...new Set(choices.map((one) => typeOf(one, indent)))].join(" | ")
  if (allOf !== undefined) return (allOf as ReadonlyArray<Json>).map((one) => typeOf(one, indent)).join(" & ")
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one })).join(" | ")
  if (type === "array") return arrayOf(typeOf(items, indent))
  if (type === "object") return objectOf(schema, indent)
  if (type === undefined && Object.keys(schema).every((key) => key === "title" || key === "description"))
    return "unknown"
  const found = plain[type]
  if (found === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`)
  return found
}

/** An exported type: an interface if it is an object, so that an editor shows its name. */
export const declared = (name: string, schema: Json): string => {
  const type = typeOf(schema)
  const about = comment(schema["description"])
  return schema["type"] === "object" && type.startsWith("{")
    ? `${about}export interface ${name} ${type}\n`
    : `${about}export type ${name} = ${type}\n`
}
