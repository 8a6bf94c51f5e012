/**
 * The HttpApi of the contract, made from the operations table: typed clients
 * and the OpenAPI document come from it.
 */
import { Schema } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import type { Operation, OperationId } from "./Operations.ts"
import { operations } from "./Operations.ts"
import type { ProblemCode } from "./Problem.ts"
import { bodyProblems, guardProblems, problemStatus, storageProblems, writeProblems } from "./Problem.ts"
import { basePath, discoveryPath, protocolVersion, retryMarker } from "./Protocol.ts"
import { Capabilities, Discovery, Health, Maintenance, Problem } from "./Resources.ts"
import { maxFreeFormDepth } from "../Values.ts"

/** Bearer authentication, for clients and for the description; the transport does it for all routes at once. */
export class Bearer extends HttpApiMiddleware.Service<Bearer>()("lotbook/contract/Bearer", {
  security: { bearer: HttpApiSecurity.bearer }
}) {}

/** The admin key, sent as a bearer token. */
export class AdminKey extends HttpApiMiddleware.Service<AdminKey>()("lotbook/contract/AdminKey", {
  security: { admin_key: HttpApiSecurity.bearer }
}) {}

const problem = (status: number) =>
  Problem.pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: "application/problem+json" }))

const problems = (codes: ReadonlyArray<ProblemCode>) =>
  [...new Set(codes.map((code) => problemStatus[code]))].sort((a, b) => a - b).map(problem)

// biome-ignore lint/suspicious/noExplicitAny: the generated document is plain JSON without a type of its own
type Json = Record<string, any>

const problemHeaders: { readonly [status: string]: Json } = {
  401: { "WWW-Authenticate": { schema: { type: "string" }, description: "`Bearer`" } },
  429: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } },
  503: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } }
}

/** Tells at each error status which codes it may carry, and marks what a client may repeat. */
const described =
  (codes: ReadonlyArray<ProblemCode>, safeToRetry: boolean) =>
  (operation: Json): Json => {
    const responses: Json = { ...operation["responses"] }
    for (const status of Object.keys(responses)) {
      const told = codes.filter((code) => problemStatus[code] === Number(status))
      if (told.length === 0) continue
      const headers = problemHeaders[status]
      responses[status] = {
        ...responses[status],
        description: told.map((code) => `\`${code}\``).join(", "),
        ...(headers === undefined ? {} : { headers })
      }
    }
    return { ...operation, responses, ...(safeToRetry ? { [retryMarker]: true } : {}) }
  }

const endpoint = <Id extends OperationId>(id: Id) => {
  const { path, request, response } = operations[id] as (typeof operations)[Id]
  const { description, refusals, safeToRetry, scope, statuses, summary, write }: Operation = operations[id]
  const codes = [...bodyProblems, ...guardProblems, ...refusals, ...storageProblems, ...(write ? writeProblems : [])]
  return HttpApiEndpoint.post(id, path, {
    payload: request,
    success: statuses.map((status) => response.pipe(HttpApiSchema.status(status))),
    error: problems(codes)
  }).annotateMerge(
    OpenApi.annotations({
      identifier: id,
      summary,
      description: `${description}\n\nScope: \`${scope}\`.`,
      transform: described(codes, safeToRetry)
    })
  )
}

const tagged = (title: string, description: string) => OpenApi.annotations({ title, description })

export class Members extends HttpApiGroup.make("members")
  .add(endpoint("member.lookup"), endpoint("member.enroll"), endpoint("account.get"), endpoint("program.get"))
  .middleware(Bearer)
  .annotateMerge(tagged("Members", "Members, their accounts, and the programmes they belong to.")) {}

export class Ledger extends HttpApiGroup.make("ledger")
  .add(endpoint("ledger.list"), endpoint("ledger.manual_adjustment"))
  .middleware(Bearer)
  .annotateMerge(tagged("Ledger", "Append-only entries and manual adjustments.")) {}

export class Orders extends HttpApiGroup.make("orders")
  .add(endpoint("order.evaluate"), endpoint("accrual.post"), endpoint("order.adjust"))
  .middleware(Bearer)
  .annotateMerge(tagged("Orders", "What orders earn, and what their refunds take back.")) {}

export class Redemptions extends HttpApiGroup.make("redemptions")
  .add(endpoint("redemption.reserve"), endpoint("redemption.capture"), endpoint("redemption.reverse"))
  .middleware(Bearer)
  .annotateMerge(tagged("Redemptions", "A reward held for an order, then spent or given back.")) {}

export class IssuedRewards extends HttpApiGroup.make("issued-rewards")
  .add(endpoint("issued_reward.issue"), endpoint("issued_reward.list"), endpoint("issued_reward.cancel"))
  .middleware(Bearer)
  .annotateMerge(tagged("Issued rewards", "Rewards and coupons in a member's wallet.")) {}

const read = (identifier: string, summary: string, codes: ReadonlyArray<ProblemCode> = ["internal_error"]) =>
  OpenApi.annotations({ identifier, summary, transform: described(codes, true) })

export class Discoveries extends HttpApiGroup.make("discovery")
  .add(
    HttpApiEndpoint.get("discover", discoveryPath, {
      success: Discovery,
      error: problems(["internal_error"])
    }).annotateMerge(read("discover", "Where the protocol is served, and how to authenticate")),
    HttpApiEndpoint.get("capabilities", `${basePath}/capabilities`, {
      success: Capabilities,
      error: problems(guardProblems)
    })
      .middleware(Bearer)
      .annotateMerge(read("capabilities", "Operations, reward effects, event types and limits", guardProblems)),
    HttpApiEndpoint.get("health", "/health", { success: Health, error: problems(["internal_error"]) }).annotateMerge(
      read("health", "Whether the service runs, and whether writes are frozen")
    ),
    HttpApiEndpoint.get("ready", "/health/ready", {
      success: Schema.Struct({ status: Schema.Literal("ok") }),
      error: problems(["storage_unavailable"])
    }).annotateMerge(read("ready", "Whether the journal answers", ["storage_unavailable"]))
  )
  .annotateMerge(tagged("Discovery and health", "Public, save the capabilities.")) {}

const freezeProblems: ReadonlyArray<ProblemCode> = [...bodyProblems, ...guardProblems, ...storageProblems]

/** Operators' convenience, no part of the protocol. */
export class Administration extends HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("maintenance", "/admin/api/v1/maintenance", {
      success: Maintenance,
      error: problems(guardProblems)
    }).annotateMerge(read("maintenance", "Whether writes are frozen", guardProblems)),
    HttpApiEndpoint.post("freeze", "/admin/api/v1/maintenance", {
      payload: Maintenance,
      success: Maintenance,
      error: problems(freezeProblems)
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "freeze",
        summary: "Freeze writes, or let them go on",
        description: "Freezing answers once every earlier write has been committed.",
        transform: described(freezeProblems, false)
      })
    )
  )
  .middleware(AdminKey)
  .annotateMerge(tagged("Administration", "For operators, with the admin key; no part of the protocol.")) {}

const reference = "#/components/schemas/"

const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((part) => renamed(part, names))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      key === "$ref" && typeof part === "string" && part.startsWith(reference)
        ? [key, reference + (names.get(part.slice(reference.length)) ?? part.slice(reference.length))]
        : [key, renamed(part, names)]
    )
  )
}

/** What the generator knows no JSON Schema for. */
const freeComponents: Json = {
  AnyJson: { title: "Any JSON", description: "Any JSON value, under the rules of a free-form object." },
  FreeForm: {
    type: "object",
    additionalProperties: true,
    title: "Free-form object",
    description:
      `A JSON object of the caller's own making, at most ${maxFreeFormDepth} levels deep. ` +
      "The keys `__proto__`, `constructor` and `prototype` are refused."
  }
}

/**
 * The generator numbers the copies of a component that differ in annotations
 * alone (`Problem_3`) and marks the JSON side of what is any JSON
 * (`FreeFormEncoded`): here each goes by one name, as long as it is one thing.
 */
const plainComponents = (document: Json): Json => {
  const components = Object.entries(document["components"].schemas as Json)
  const names = new Map<string, string>()
  const schemas = new Map<string, unknown>()
  for (const [name, schema] of components.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const plain = name.replace(/_\d+$/, "").replace(/Encoded$/, "")
    const held = schemas.get(plain)
    const same = held === undefined || JSON.stringify(held) === JSON.stringify(schema)
    names.set(name, same ? plain : name)
    if (held === undefined || !same) schemas.set(same ? plain : name, schema)
  }
  for (const [name, schema] of Object.entries(freeComponents)) schemas.set(name, schema)
  const named = { ...document, components: { ...document["components"], schemas: Object.fromEntries(schemas) } }
  return renamed(named, names) as Json
}

export class Api extends HttpApi.make("lotbook")
  .add(Members, Ledger, Orders, Redemptions, IssuedRewards, Discoveries, Administration)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lotbook",
      version: protocolVersion,
      description:
        "A loyalty points engine for food-service businesses: the portable transaction contract. " +
        "Amounts of money are whole minor units, points are whole numbers. Every error is a problem document (RFC 9457).",
      license: { name: "MIT", identifier: "MIT" },
      transform: plainComponents
    })
  ) {}

/** The OpenAPI 3.1 document. */
export const openApi = (): object => OpenApi.fromApi(Api)
