/** The OpenAPI 3.1 document of all surfaces: what `/openapi.json` serves and `/docs` renders. */
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { type Auth, AuthOf, guestCookie, sessionCookie } from "./Access.ts"
import { AdminApi } from "./admin/Api.ts"
import { adminPath } from "./admin/Endpoint.ts"
import type { Json } from "./Description.ts"
import { headers } from "./Description.ts"
import { GuestApi } from "./guest/Api.ts"
import { guestsPath } from "./guest/Endpoint.ts"
import { componentOf, discriminated, formatted, openResponses, renamed, rewritten } from "./OpenApiSchemas.ts"
import { PlatformApi } from "./platform/Api.ts"
import { ImportRow } from "./platform/Imports.ts"
import { platformPath } from "./platform/Platform.ts"
import { Api } from "./protocol/Api.ts"
import { basePath, protocolVersion } from "./protocol/Protocol.ts"
import { askedFor, scopesFor } from "./Scopes.ts"
import { maxFreeFormDepth } from "./Values.ts"

/** A schema of text or numbers, which a property can repeat without becoming unreadable. */
const isPlain = (schema: Json | undefined): schema is Json =>
  schema !== undefined && (schema["type"] === "string" || schema["type"] === "integer")

/**
 * The generator puts a property's own description into an `allOf`. It moves to
 * the property; a plain component is written out there, since many readers show
 * the description of a component instead of the one beside its `$ref`.
 */
const described =
  (components: ReadonlyMap<string, Json>) =>
  (object: Json): Json => {
    const { $ref: _, allOf, ...rest } = object
    const component = components.get(componentOf(object) ?? "")
    if (isPlain(component)) return { ...component, ...rest }
    if (!Array.isArray(allOf)) return object
    const parts: ReadonlyArray<Json> = allOf
    const [first] = parts
    // A number in a query or a path: decoding keeps the text, the description has the type.
    if (parts.length === 1 && first?.["type"] === "integer" && rest["type"] === "string") return { ...rest, ...first }
    const own = parts.find((part) => Object.keys(part).join() === "description")
    if (own === undefined) return object
    const others = parts.filter((part) => part !== own)
    const [only] = others
    if (only === undefined) return { ...rest, ...own }
    return others.length > 1 || "$ref" in only ? { ...rest, allOf: others, ...own } : { ...rest, ...only, ...own }
  }

/** Schemas that the generator cannot derive. */
const freeComponents: Json = {
  AnyJson: { title: "Any JSON", description: "Any JSON value, under the rules of a free-form object." },
  FreeForm: {
    type: "object",
    additionalProperties: true,
    title: "Free-form object",
    description:
      `A free-form JSON object of the caller, at most ${maxFreeFormDepth} levels deep. ` +
      "The keys `__proto__`, `constructor` and `prototype` are rejected."
  }
}

/** Names of schemas that decoding checks on its own, and the components that describe them. */
const describedBy: Readonly<Record<string, string>> = {
  EventItem: "EventFacts",
  ImportItem: "ImportRow",
  NestedRules: "Rules"
}

/**
 * The generator numbers copies of a component that differ only in annotations
 * (`Problem_3`), and marks the encoded side of any JSON (`FreeFormEncoded`). Equal
 * components get one name here.
 */
const plainComponents = (document: Json): Json => {
  const components = Object.entries(document["components"].schemas as Json)
  const names = new Map<string, string>()
  const schemas = new Map<string, Json>()
  for (const [name, schema] of components.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const plain = name.replace(/_\d+$/, "").replace(/Encoded$/, "")
    if (describedBy[plain] !== undefined) {
      names.set(name, describedBy[plain])
      continue
    }
    const held = schemas.get(plain)
    const same = held === undefined || JSON.stringify(held) === JSON.stringify(schema)
    names.set(name, same ? plain : name)
    if (held === undefined || !same) schemas.set(same ? plain : name, schema)
  }
  for (const [name, schema] of Object.entries(freeComponents)) schemas.set(name, schema)
  const named = { ...document, components: { ...document["components"], schemas: Object.fromEntries(schemas) } }
  const plain = rewritten(
    renamed(named, (name) => names.get(name) ?? name),
    (object) => formatted(described(schemas)(object))
  )
  return rewritten(plain, discriminated(schemas)) as Json
}

/**
 * A parameter's example is its own: a page that sends the example would fill in
 * those of a schema that many parameters share. It has the name of the body's
 * example, by which `/docs` chooses. The description, which the generator leaves at
 * the schema, is the parameter's, too.
 */
const ownParameter = ({ example: given, ...parameter }: Json): Json => {
  const { description, examples, ...schema }: Json = parameter["schema"]
  const own = { description, ...parameter, schema }
  const example = given ?? (parameter["in"] === "path" ? examples?.[0] : undefined)
  if (example === undefined) return own
  return { ...own, examples: { demo: { value: schema["type"] === "integer" ? Number(example) : example } } }
}

const withOwnParameters = (document: Json): Json =>
  rewritten(document, (object) => {
    const { parameters } = object
    return Array.isArray(parameters) ? { ...object, parameters: parameters.map(ownParameter) } : object
  }) as Json

/** The ways to authenticate, in the order of the document. */
const securitySchemes: Readonly<Record<string, Json>> = {
  bearer: { type: "http", scheme: "bearer" },
  session: { type: "apiKey", name: sessionCookie, in: "cookie" },
  admin_key: { type: "http", scheme: "bearer" },
  guest: { type: "apiKey", name: guestCookie, in: "cookie" }
}

const alternatives: Readonly<Record<Auth, ReadonlyArray<string>>> = {
  none: [],
  bearer: ["bearer"],
  admin: ["admin_key", "session"],
  platform: ["bearer", "session"],
  session: ["session"],
  guest: ["guest"]
}

/** Writes at each operation how its caller authenticates, and which scopes it takes. */
const withSecurity = (document: Json): Json => {
  const auths = new Map<string, Auth>()
  const scopes = new Map<string, string>()
  HttpApi.reflect(Surfaces, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const id = Context.getUnsafe(mergedAnnotations, OpenApi.Identifier)
      auths.set(id, Context.getUnsafe(mergedAnnotations, AuthOf))
      const asked = askedFor(endpoint.identifier)
      if (asked !== undefined)
        scopes.set(
          id,
          ` Scope: ${scopesFor(asked)
            .map((one) => `\`${one}\``)
            .join(", or ")}.`
        )
    }
  })
  const secured = (operation: Json): Json => {
    const auth = auths.get(operation["operationId"])
    if (auth === undefined) return operation
    const description = `${String(operation["description"]).trimEnd()}${scopes.get(operation["operationId"]) ?? ""}`
    return { ...operation, description, security: alternatives[auth].map((scheme) => ({ [scheme]: [] })) }
  }
  return { ...(rewritten(document, secured) as Json), components: { ...document["components"], securitySchemes } }
}

/** The whole document, from the generated one. */
const transformed = (document: Json): Json => {
  const whole = withOwnParameters(openResponses(plainComponents(withSecurity(document))))
  const used = Object.entries(whole["components"].schemas as Json).filter(([, schema]) => !isPlain(schema))
  const components = { ...whole["components"], headers, schemas: Object.fromEntries(used) }
  return { ...whole, components, "x-tagGroups": grouped(whole["paths"] as Json) }
}

/** The surfaces, by the beginning of their paths. The last one has what is public. */
const surfaces = [
  [`One guest: ${guestsPath}`, guestsPath],
  ["Operators: /admin/api/v1", adminPath],
  ["Customer engagement: /platform/v1", platformPath],
  [`Transactions: ${basePath}`, "/"]
] as const

/** Groups the tags by surface, the transactions first (`x-tagGroups`). */
const grouped = (paths: Json): ReadonlyArray<Json> => {
  const tags = new Map<string, Set<string>>(surfaces.toReversed().map(([name]) => [name, new Set()]))
  for (const [path, methods] of Object.entries(paths) as Array<[string, Json]>) {
    const surface = surfaces.find(([, base]) => path.startsWith(base))?.[0] ?? ""
    for (const { tags: own } of Object.values(methods)) for (const tag of own) tags.get(surface)?.add(tag)
  }
  return [...tags].map(([name, own]) => ({ name, tags: [...own] }))
}

/** The guides with a sentence for each: headings of the description are in the page's sidebar and its search. */
const guides = [
  [
    "Integrating a till",
    "/docs/integrating-a-till",
    "The whole journey of a guest, call by call, and a reward from basket to points."
  ],
  ["Retries and offline tills", "/docs/retries", "What to retry and when, a durable queue, and expired captures."],
  ["Integrating in Python", "/docs/integrating-in-python", "A till's calls, queue and webhooks with urllib alone."],
  ["Connecting Toast", "/docs/connecting-toast", "From the vendor's form to the first receipt."],
  ["Refunds", "/docs/refunds", "Partial and full refunds, voids and corrections."],
  ["Problems", "/problems", "Every error code, with its cause and remedy."],
  ["Customer engagement", "/docs/customer-engagement", "Profiles, consent and events for marketing systems."],
  ["Receiving events", "/docs/receiving-events", "Every change of a member, for a warehouse or another system."],
  ["Segments", "/docs/segments", "Groups of members, by list or by rules."],
  ["Campaigns", "/docs/campaigns", "Rewards and credits for a segment, and their report."],
  ["Analytics", "/docs/analytics", "Figures of a programme."],
  ["Writing a programme", "/docs/writing-a-programme", "Earning, tiers, rewards, and how to publish them."],
  ["The console", "/docs/console", "The owner's guide to the console, page by page."],
  ["Run a programme", "/docs/run-a-programme", "Recipes for owners: stamps, happy hours, streaks and more."],
  ["Owners with franchisees", "/docs/franchisees", "Each franchisee sees and touches her own restaurants alone."],
  ["Guests", "/docs/guests", "A page for guests: how to turn it on, its logo, cards for the tables."],
  [
    "Closing the month",
    "/docs/closing-the-month",
    "For bookkeepers: read a statement, close it, prove it a year later."
  ],
  ["Moving in", "/docs/moving-in", "A chain leaves its provider: rehearsal, cut-over and the way back."],
  ["Moving out", "/docs/moving-out", "A programme with all its guests as one file, and its proof."],
  ["Operating", "/docs/operating", "Health, nodes, the write freeze, tokens, programmes."],
  ["Backups and upgrades", "/docs/backups", "Back up, restore, verify, roll."],
  ["Assistants", "/docs/assistants", "Let one look, by the Model Context Protocol."],
  ["Runbook", "/docs/runbook", "What to do about each alarm and each 5xx code."],
  ["Contract", "/docs/contract", "What the service promises, rule by rule."],
  ["How it works", "/docs/how-it-works", "One accrual, from the request to the journal."],
  ["Glossary", "/docs/glossary", "The terms of this field, and of this service."],
  ["What stays compatible", "/docs/compatibility", "What later versions change, and what they do not."],
  ["Changelog", "/docs/changelog", "What callers and operators notice, newest first."]
] as const

/** Every surface, only for the description. */
export class Surfaces extends HttpApi.make("lotbook")
  .addHttpApi(Api)
  .addHttpApi(PlatformApi)
  .addHttpApi(AdminApi)
  .addHttpApi(GuestApi)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lotbook",
      version: protocolVersion,
      description: [
        "A loyalty points engine for food-service businesses.",
        "Each example works unchanged on a demo (`npm start`): the operators' with the key `proto-dev-admin-key`, all " +
          "others with the token `proto-dev-token`. Only *Sandbox clock* needs a sandbox. Showing or ending a session needs " +
          "its cookie, and so does each route of one guest. What deletes or erases, the list of consents, the errors of an " +
          "import and claims of orders need what the examples before them make: send those first. *Deliveries* name a " +
          "connector `crm`: make one of that name. " +
          "*Connections* name one by its id: make one, and put its id there.",
        "Money is whole minor units, points are whole numbers, and every error is a problem document (RFC 9457).",
        "# Guides",
        ...guides.map(([title, path, about]) => `## ${title}\n\n${about} Read [${title}](${path}).`)
      ].join("\n\n"),
      servers: [
        { url: "/", description: "The service that serves this document." },
        { url: "http://127.0.0.1:3210", description: "A service started with `npm start`." }
      ],
      license: { name: "MIT", identifier: "MIT" },
      transform: transformed
    })
  )
  // The rows of an import are decoded one by one, so that no operation names their schema.
  .annotate(HttpApi.AdditionalSchemas, [ImportRow]) {}

/** The OpenAPI 3.1 document. */
export const openApi = (): object => OpenApi.fromApi(Surfaces)
