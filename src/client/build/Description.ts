/** Parts of the OpenAPI document that the client needs: operations, each with the schemas of input and output. */
import { adminPath } from "../../contract/admin/Endpoint.ts"
import type { Json } from "../../contract/Description.ts"
import { guestsPath } from "../../contract/guest/Endpoint.ts"
import { componentOf } from "../../contract/OpenApiSchemas.ts"
import { platformPath } from "../../contract/platform/Platform.ts"
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
  readonly pathParameters: ReadonlyArray<string>
  readonly queryParameters: ReadonlyArray<string>
  /** It takes the header `Idempotency-Key`. */
  readonly takesKey: boolean
  /** Its body has a `context`, with a key if it is a write. */
  readonly context: "ReadContext" | "WriteContext" | undefined
  /** It has a body. */
  readonly hasBody: boolean
  /** The media type of its answer; undefined: no body. */
  readonly answers: string | undefined
  /** The property that has the rows of a page, and their type; undefined: no pages. */
  readonly rows: { readonly name: string; readonly schema: Json } | undefined
  /** Input: path, query and body in one object, without `context`. */
  readonly input: Json
  /** Output, one for each schema of a success. */
  readonly outputs: ReadonlyArray<Json>
}

const json = "application/json"

const distinct = (schemas: ReadonlyArray<Json>): ReadonlyArray<Json> => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
]

/** The one array among the properties of a page. */
const rowsOf = (id: string, pages: ReadonlyArray<Json>): Operation["rows"] => {
  const paged = pages.filter((page) => "next_cursor" in (page["properties"] ?? {}))
  const found = paged.flatMap((page) =>
    Object.entries(page["properties"] as Json).flatMap(([name, { items, type }]) =>
      type === "array" ? [{ name, schema: items as Json }] : []
    )
  )
  if (paged.length > 0 && found.length !== 1) throw new Error(`${id}: ${found.length} arrays may have the rows`)
  return found[0]
}

/** Path, query and body as the properties of one object. */
const inputOf = (parameters: ReadonlyArray<Json>, body: Json | undefined): Json => {
  // A body of any properties is passed as it is.
  if (body !== undefined && body["properties"] === undefined) return body
  const { context: _, ...properties } = (body?.["properties"] ?? {}) as Json
  const own = parameters.map((one) => [one["name"], { ...one["schema"], description: one["description"] }])
  const required = [
    ...parameters.filter((one) => one["required"] === true).map(({ name }) => name),
    ...((body?.["required"] ?? []) as ReadonlyArray<string>).filter((name) => name !== "context")
  ]
  return {
    type: "object",
    description: body?.["description"],
    properties: { ...Object.fromEntries(own), ...properties },
    required
  }
}

/** The operations of the document, in its order, without those of the guests' page: their caller is one guest. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const schemas: Json = document["components"].schemas
  const resolved = (schema: Json): Json => {
    const component = componentOf(schema)
    return component === undefined ? schema : resolved(schemas[component])
  }
  const choices = (schema: Json): ReadonlyArray<Json> => {
    const { anyOf } = resolved(schema)
    return anyOf === undefined ? [resolved(schema)] : (anyOf as ReadonlyArray<Json>).flatMap(choices)
  }
  const operationOf = (path: string, method: string, described: Json): Operation => {
    const id: string = described["operationId"]
    const parameters: ReadonlyArray<Json> = described["parameters"] ?? []
    const inPath = parameters.filter((one) => one["in"] === "path")
    const contents: Json = described["requestBody"]?.content ?? {}
    const body = contents[json] === undefined ? undefined : resolved(contents[json].schema)
    // A property that a JSON body has, too, is of the query for bodies of other media types.
    const inQuery = parameters.filter((one) => one["in"] === "query" && !(one["name"] in (body?.["properties"] ?? {})))
    const successes = Object.entries(described["responses"] as Json).filter(([status]) => status < "300")
    const outputs = distinct(successes.flatMap(([, { content }]) => (content?.[json] ? [content[json].schema] : [])))
    const [answers] = successes.flatMap(([, { content }]) => Object.keys(content ?? {}))
    const context = componentOf(body?.["properties"]?.context?.allOf?.[0] ?? {}) as Operation["context"]
    return {
      id,
      summary: described["summary"],
      description: described["description"],
      method: method.toUpperCase(),
      path,
      isSafe: described[retryMarker] === true,
      pathParameters: inPath.map(({ name }) => name),
      queryParameters: inQuery.map(({ name }) => name),
      takesKey: parameters.some((one) => one["in"] === "header" && one["name"] === "Idempotency-Key"),
      context,
      hasBody: body !== undefined,
      answers,
      rows: rowsOf(id, outputs.flatMap(choices)),
      input: inputOf([...inPath, ...inQuery], body),
      outputs
    }
  }
  return Object.entries(document["paths"] as Json).flatMap(([path, methods]) =>
    path.startsWith(guestsPath)
      ? []
      : Object.entries(methods as Json).map(([method, described]) => operationOf(path, method, described))
  )
}

/** `issued_reward` → `issuedReward` */
const camel = (text: string): string => text.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The names below a surface by which the client has an operation: `issued_reward.list` → `issuedReward`, `list`. */
export const namesOf = ({ id }: Operation): ReadonlyArray<string> => id.split(".").map(camel)

/** The surfaces, by the beginning of their paths. The last one has what is public. */
const surfaces = [
  ["admin", adminPath],
  ["platform", platformPath],
  ["proto", "/"]
] as const
export const surfaceNames = ["proto", "platform", "admin"] as const
export type Surface = (typeof surfaceNames)[number]

export const surfaceOf = ({ path }: Operation): Surface => surfaces.find(([, base]) => path.startsWith(base))![0]

export const inputName = ({ id }: Operation): string => `${pascal(id)}Input`
export const outputName = ({ id }: Operation): string => `${pascal(id)}Output`
