/**
 * Rewrites the schemas of the generated OpenAPI document: integers get a format,
 * unions a discriminator, and responses stay open, so that later versions can add
 * properties (contract/transport.md *Bodies*: only requests are strict).
 */
import type { Json } from "./Description.ts"

const reference = "#/components/schemas/"

/** A copy of a JSON value with every object rewritten, the innermost first. Examples stay as they are. */
export const rewritten = (value: unknown, rewrite: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => rewritten(part, rewrite))
  if (typeof value !== "object" || value === null) return value
  return rewrite(
    Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, key === "examples" ? part : rewritten(part, rewrite)])
    )
  )
}

/** The component that a schema refers to. */
export const componentOf = ({ $ref }: Json): string | undefined =>
  typeof $ref === "string" && $ref.startsWith(reference) ? $ref.slice(reference.length) : undefined

/** A value with its references to components renamed, those in the mapping of a discriminator too. */
export const renamed = (value: unknown, nameOf: (name: string) => string): unknown => {
  const renamedRef = ($ref: string): string => {
    const name = componentOf({ $ref })
    return name === undefined ? $ref : reference + nameOf(name)
  }
  return rewritten(value, (object) => {
    const { $ref, discriminator } = object
    const { mapping } = discriminator ?? {}
    return {
      ...object,
      ...(typeof $ref === "string" ? { $ref: renamedRef($ref) } : {}),
      ...(mapping === undefined ? {} : { discriminator: { ...discriminator, mapping: mappedTo(mapping, renamedRef) } })
    }
  })
}

const mappedTo = (mapping: Readonly<Record<string, string>>, renamedRef: ($ref: string) => string): Json =>
  Object.fromEntries(Object.entries(mapping).map(([literal, $ref]) => [literal, renamedRef($ref)]))

const maxInt32 = 2 ** 31 - 1

/** Gives each integer the smallest format that holds it. */
export const formatted = (schema: Json): Json => {
  if (schema["type"] !== "integer") return schema
  const { maximum, minimum } = schema
  return { ...schema, format: minimum >= -maxInt32 - 1 && maximum <= maxInt32 ? "int32" : "int64" }
}

/** The literal of a member of a union, by which it is known. */
const literalOf = (schema: Json | undefined): string | undefined => {
  const values = schema?.["properties"]?.["type"]?.["enum"]
  return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
}

/** A union of components that `type` tells apart says so. */
export const discriminated =
  (schemas: ReadonlyMap<string, Json>) =>
  (schema: Json): Json => {
    const { anyOf, ...rest } = schema
    if (!Array.isArray(anyOf)) return schema
    const members = anyOf.map((member: Json) => {
      const name = componentOf(member)
      const literal = name === undefined ? undefined : literalOf(schemas.get(name))
      return literal === undefined ? undefined : ([literal, member["$ref"]] as const)
    })
    if (!members.every((member) => member !== undefined)) return schema
    return { ...rest, oneOf: anyOf, discriminator: { propertyName: "type", mapping: Object.fromEntries(members) } }
  }

const opened = (schema: Json): Json => {
  const { additionalProperties, ...open } = schema
  return additionalProperties === false ? open : schema
}

/** Calls `visit` for each object in a JSON value. */
const walk = (value: unknown, visit: (object: Json) => void): void => {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) visit(value as Json)
  for (const [key, part] of Object.entries(value)) if (key !== "examples") walk(part, visit)
}

/** The components that a value refers to, directly or through others. */
const reachedFrom = (value: unknown, schemas: Json): ReadonlySet<string> => {
  const reached = new Set<string>()
  const visit = (object: Json): void => {
    const name = componentOf(object)
    if (name === undefined || reached.has(name)) return
    reached.add(name)
    walk(schemas[name], visit)
  }
  walk(value, visit)
  return reached
}

const isClosed = (value: unknown): boolean => {
  let found = false
  walk(value, (object) => {
    found ||= object["additionalProperties"] === false
  })
  return found
}

/** The part of each operation with this name. */
const partsOf = (paths: Json, part: string): ReadonlyArray<unknown> =>
  Object.values(paths).flatMap((methods: Json) => Object.values(methods).map((operation: Json) => operation[part]))

/**
 * Opens the schemas of responses. A component of both sides that closes an object
 * becomes two: `Money` in responses, and the strict `MoneyInput` in requests.
 */
export const openResponses = (document: Json): Json => {
  const { paths } = document
  const schemas: Json = document["components"].schemas
  const sent = reachedFrom([partsOf(paths, "requestBody"), partsOf(paths, "parameters")], schemas)
  const answered = reachedFrom(partsOf(paths, "responses"), schemas)
  const isSplit = (name: string) =>
    answered.has(name) && [name, ...reachedFrom(schemas[name], schemas)].some((part) => isClosed(schemas[part]))
  const split = new Set([...sent].filter(isSplit))
  const strict = (value: unknown) => renamed(value, (name) => (split.has(name) ? `${name}Input` : name))
  const operations = (methods: Json): Json =>
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]: [string, Json]) => {
        const { requestBody, responses, ...rest } = operation
        return [
          method,
          {
            ...(strict(rest) as Json),
            ...(requestBody === undefined ? {} : { requestBody: strict(requestBody) }),
            responses: rewritten(responses, opened)
          }
        ]
      })
    )
  const components = Object.entries(schemas).flatMap(([name, schema]) => [
    ...(answered.has(name) ? [[name, rewritten(schema, opened)] as const] : []),
    ...(split.has(name) ? [[`${name}Input`, strict(schema)] as const] : []),
    ...(sent.has(name) && !answered.has(name) ? [[name, strict(schema)] as const] : [])
  ])
  return {
    ...document,
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, operations(methods as Json)])),
    components: { ...document["components"], schemas: Object.fromEntries(components) }
  }
}
