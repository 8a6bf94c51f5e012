/**
 * Older revisions of MCP, without sessions. A client of 2025 begins with `initialize`, may be given a session, and sends
 * its requests in it. No session is given here: any node answers any request, also after a restart. So `initialize` is
 * answered here, and each other request becomes one of 2026-07-28, which says everything in itself.
 */
import { isObject } from "../../contract/Decode.ts"

/** The revision that the server speaks. */
const revision = "2026-07-28"

/** Older ones, newest first. */
const older = ["2025-11-25", "2025-06-18", "2025-03-26"] as const

/** JSON-RPC's code for parameters that are wrong. */
const invalidParams = -32602

const versionKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

type Message = Readonly<Record<string, unknown>>

export interface Posted {
  readonly message: Message
  readonly headers: Readonly<Record<string, string>>
}

/** The way of a message: it is answered at once, or passed on. */
export type Step =
  /** Status 200 with this message, or 202 without. */
  | { readonly _tag: "Answered"; readonly message: Message | undefined }
  | {
      readonly _tag: "Passed"
      readonly posted: Posted
      /** Makes the answer one of the revision of the client. */
      readonly answered: (status: number, message: unknown) => { readonly status: number; readonly message: unknown }
    }

const objectOr = (value: unknown): Message => (isObject(value) ? (value as Message) : {})

/** True if the client speaks the server's own revision, or one that the server must refuse. */
const isOwn = ({ headers, message }: Posted): boolean => {
  const version = headers["mcp-protocol-version"]
  if (claimed(message) !== undefined) return true
  return version !== undefined && !older.some((one) => one === version)
}

/** A name in a header, which has ASCII alone. */
const headerText = (name: string): string =>
  /^[\x21-\x7e]+$/.test(name) && !name.startsWith("=?") ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`

/** The methods that name something, and the parameter that has the name. */
const naming: ReadonlyMap<unknown, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"]
] as const)

const namedIn = ({ method, params }: Message): unknown => {
  const parameter = naming.get(method)
  return parameter === undefined ? undefined : objectOr(params)[parameter]
}

/** The headers by which a revision from 2026 on names a request. */
const routingHeaders = (message: Message, version: string): Readonly<Record<string, string>> => {
  const { method } = message
  const named = namedIn(message)
  return {
    "mcp-protocol-version": version,
    "mcp-method": String(method),
    ...(typeof named === "string" ? { "mcp-name": headerText(named) } : undefined)
  }
}

const claimed = (message: Message): unknown => objectOr(objectOr(message["params"])["_meta"])[versionKey]

/** The headers with which a message is posted. One of an older revision needs none. */
export const headersFor = (message: Message): Readonly<Record<string, string>> => {
  const version = claimed(message)
  return typeof version === "string" && /^[\x21-\x7e]+$/.test(version) ? routingHeaders(message, version) : {}
}

/** The same request in the server's revision. */
const renewed = ({ headers, message }: Posted): Posted => {
  const params = objectOr(message["params"])
  const meta = { ...objectOr(params["_meta"]), [versionKey]: revision, [capabilitiesKey]: {} }
  return {
    message: { ...message, params: { ...params, _meta: meta } },
    headers: { ...headers, ...routingHeaders(message, revision) }
  }
}

/** An answer without what older revisions do not know. They take a refusal with status 200. */
const older2025 = (status: number, answer: unknown) => {
  if (!isObject(answer)) return { status, message: answer }
  const { result, ...others } = answer as Message
  if (!isObject(result)) return { status: 200, message: answer }
  const { cacheScope: _1, resultType: _2, ttlMs: _3, ...rest } = result as Message
  return { status: 200, message: { ...others, result: rest } }
}

export interface Greeting {
  readonly serverInfo: Message
  readonly capabilities: Message
  readonly instructions: string
}

const without = (headers: Posted["headers"], ...names: ReadonlyArray<string>): Posted["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

export const step = (posted: Posted, greeting: Greeting): Step => {
  const { headers, message } = posted
  const { id, jsonrpc, method, params } = message
  const unchanged = (status: number, answer: unknown) => ({ status, message: answer })
  if (isOwn(posted)) return { _tag: "Passed", posted, answered: unchanged }
  const isRequest =
    jsonrpc === "2.0" && typeof method === "string" && (typeof id === "string" || typeof id === "number")
  if (!isRequest) {
    const isNotified = jsonrpc === "2.0" && typeof method === "string" && !("id" in message)
    if (isNotified) return { _tag: "Answered", message: undefined }
    return {
      _tag: "Passed",
      posted: { message, headers: without(headers, "mcp-protocol-version") },
      answered: unchanged
    }
  }
  const result = (value: Message): Step => ({ _tag: "Answered", message: { jsonrpc, id, result: value } })
  if (method === "ping") return result({})
  if (method === "initialize") {
    const offered = objectOr(params)["protocolVersion"]
    const protocolVersion = older.find((one) => one === offered) ?? older[0]
    return result({ protocolVersion, ...greeting })
  }
  const parameter = naming.get(method)
  if (parameter !== undefined && typeof namedIn(message) !== "string") {
    const error = { code: invalidParams, message: `${method} needs the parameter ${parameter}.` }
    return { _tag: "Answered", message: { jsonrpc, id, error } }
  }
  return { _tag: "Passed", posted: renewed(posted), answered: older2025 }
}
