/** What the client needs of the OpenAPI document: its operations, each with the schemas of what goes in and comes out. */
import type { Json } from "../../contract/Description.ts"
import { componentOf } from "../../contract/OpenApiSchemas.ts"
import { retryMarker } from "../../contract/protocol/Protocol.ts"
import { pascal } from "./Types.ts"

export interface Operation {
  /** `member.lookup` */
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly method: string
  readonly path: string
  readonly isSafe: boolean
  /** It asks for a token. */
  readonly isGuarded: boolean
  readonly pathParameters: ReadonlyArray<string>
  readonly queryParameters: ReadonlyArray<string>
  /** It takes the header `Idempotency-Key`. */
  readonly takesKey: boolean
  /** Its body has a `context`, with a key if it is a write. */
  readonly context: "ReadContext" | "WriteContext" | undefined
  /** It has a body. */
  readonly hasBody: boolean
  /** It takes a table of this media type instead of a JSON body. */
  readonly takesCsv: boolean
  /** The media type of its answer; undefined: no body. */
  readonly answers: string | undefined
  /** The property that has the rows of a page; undefined: no pages. */
  readonly rows: string | undefined
  /** What goes in: path, query and body in one object, without `context`. */
  readonly input: Json
  /** What comes out, one for each schema of a success. */
  readonly outputs: ReadonlyArray<Json>
}

const json = "application/json"
const csv = "text/csv"

const distinct = (schemas: ReadonlyArray<Json>): ReadonlyArray<Json> => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
]

/** The one array among the properties of a page. */
const rowsOf = (id: string, pages: ReadonlyArray<Json>): string | undefined => {
  const paged = pages.filter((page) => "next_cursor" in (page["properties"] ?? {}))
  if (paged.length === 0) return undefined
  const arrays = paged.flatMap((page) =>
    Object.entries(page["properties"] as Json).flatMap(([name, { type }]) => (type === "array" ? [name] : []))
  )
  const [rows, ...others] = new Set(arrays)
  if (rows === undefined || others.length > 0) throw new Error(`${id}: which array of ${arrays} has the rows?`)
  return rows
}

/** Path, query and body as the properties of one object. A parameter that the body has too is sent in the query. */
const inputOf = (parameters: ReadonlyArray<Json>, body: Json | undefined, takesCsv: boolean): Json => {
  // A body of any properties is passed as it is.
  if (body !== undefined && body["properties"] === undefined) return body
  const { context: _, ...properties } = (body?.["properties"] ?? {}) as Json
  const own = parameters.map((one) => [one["name"], { ...one["schema"], description: one["description"] }])
  const required = [
    ...parameters.filter((one) => one["required"] === true).map(({ name }) => name),
    ...((body?.["required"] ?? []) as ReadonlyArray<string>).filter((name) => name !== "context")
  ]
  const facts = {
    type: "object",
    description: body?.["description"],
    properties: { ...Object.fromEntries(own), ...properties },
    required
  }
  if (!takesCsv) return facts
  const table = { type: "string", description: "The rows as a table instead, in the format of CSV with a header." }
  const asTable = { ...facts, properties: { ...Object.fromEntries(own), csv: table }, required: ["csv"] }
  return { anyOf: [facts, asTable] }
}

/** The operations of the document, in its order. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const schemas: Json = document["components"].schemas
  const resolved = (schema: Json): Json => {
    const component = componentOf(schema)
    return component === undefined ? schema : resolved(schemas[component])
  }
  const operationOf = (path: string, method: string, described: Json): Operation => {
    const id: string = described["operationId"]
    const parameters: ReadonlyArray<Json> = described["parameters"] ?? []
    const inPath = parameters.filter((one) => one["in"] === "path")
    const inQuery = parameters.filter((one) => one["in"] === "query")
    const contents: Json = described["requestBody"]?.content ?? {}
    const body = contents[json] === undefined ? undefined : resolved(contents[json].schema)
    const successes = Object.entries(described["responses"] as Json).filter(([status]) => status < "300")
    const outputs = distinct(successes.flatMap(([, { content }]) => (content?.[json] ? [content[json].schema] : [])))
    const [answers] = successes.flatMap(([, { content }]) => Object.keys(content ?? {}))
    const takesCsv = csv in contents
    const context = componentOf(body?.["properties"]?.context?.allOf?.[0] ?? {}) as Operation["context"]
    return {
      id,
      summary: described["summary"],
      description: described["description"],
      method: method.toUpperCase(),
      path,
      isSafe: described[retryMarker] === true,
      isGuarded: (described["security"] ?? []).length > 0,
      pathParameters: inPath.map(({ name }) => name),
      queryParameters: inQuery.map(({ name }) => name),
      takesKey: parameters.some((one) => one["in"] === "header" && one["name"] === "Idempotency-Key"),
      context,
      hasBody: body !== undefined,
      takesCsv,
      answers,
      rows: rowsOf(id, outputs.map(resolved)),
      input: inputOf([...inPath, ...inQuery], body, takesCsv),
      outputs
    }
  }
  return Object.entries(document["paths"] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, described]) => operationOf(path, method, described))
  )
}

export const inputName = ({ id }: Operation): string => `${pascal(id)}Input`
export const outputName = ({ id }: Operation): string => `${pascal(id)}Output`
