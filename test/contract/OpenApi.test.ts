import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, it } from "vitest"
import { guestsPath } from "../../src/contract/guest/Endpoint.ts"
import { openApi } from "../../src/contract/OpenApi.ts"
import { operationIds, operations } from "../../src/contract/protocol/Operations.ts"
import { problemStatus } from "../../src/contract/protocol/Problem.ts"
import { retryMarker } from "../../src/contract/protocol/Protocol.ts"

interface Described {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: object }>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers?: object
        readonly content: Readonly<Record<string, { readonly schema: object }>>
      }
    >
  >
}

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly headers: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

const document = JSON.parse(JSON.stringify(openApi())) as Document
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
)

/** Every object within a JSON value, with its place. */
function* objectsIn(value: unknown, place = ""): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [key, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${key.replaceAll("/", "~1")}`)
}

/** The media types of an operation's success. */
const typesOf = (operationId: string): ReadonlyArray<string> => {
  if (operationId === "import_error.list") return ["application/json", "text/csv"]
  if (operationId === "feed.stream") return ["text/event-stream"]
  if (operationId === "finance.closing_file") return ["application/zip"]
  if (["member_page.show", "guest.data_page"].includes(operationId)) return ["text/html"]
  return [operationId.endsWith(".export") ? "text/csv" : "application/json"]
}

/** Tills alone keep and claim orders without a guest; all else of the platform is for people too. */
const platformOrTill = (path: string) =>
  /^\/platform\/v1\/(?!orders)/.test(path) || path === "/platform/v1"
    ? [{ bearer: [] }, { session: [] }]
    : [{ bearer: [] }]

const bySurface = (path: string) => {
  if (path.startsWith(guestsPath)) return /\/(page|sign-in(\/\w+)?)$/.test(path) ? [] : [{ guest: [] }]
  return path.startsWith("/admin/") ? [{ admin_key: [] }, { session: [] }] : platformOrTill(path)
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 with a title, a version and a tag for each operation", () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ title: "Lotbook", version: "1.0" })
    const tags = document.tags.map(({ name }) => name)
    expect(new Set(tags).size, "each tag is declared once").toBe(tags.length)
    for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining([...operation.tags]))
  })

  it("groups the tags by surface, each tag in one group", () => {
    const groups = (
      document as unknown as { "x-tagGroups": ReadonlyArray<{ name: string; tags: ReadonlyArray<string> }> }
    )["x-tagGroups"]
    expect(groups.map(({ name }) => name)).toEqual([
      "Transactions: /proto/v1",
      "Customer engagement: /platform/v1",
      "Operators: /admin/api/v1",
      "One guest: /my/api/v1"
    ])
    expect(groups.flatMap(({ tags }) => tags).sort()).toEqual(document.tags.map(({ name }) => name).sort())
  })

  it("is a valid OpenAPI document", async () => {
    const { errors, valid } = await new Validator().validate({ ...document })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it("has every operation of the table under its path and id, marked where it is safe to retry", () => {
    for (const id of operationIds) {
      const { path, safeToRetry, statuses, summary, tag } = operations[id]
      const operation = document.paths[path]?.["post"]
      expect(operation).toMatchObject({ operationId: id, summary, tags: [tag], security: [{ bearer: [] }] })
      expect(operation && retryMarker in operation).toBe(safeToRetry)
      for (const status of statuses) expect(operation?.responses).toHaveProperty(String(status))
      expect(Object.keys(operation?.responses ?? {}).filter((status) => status < "300")).toHaveLength(statuses.length)
    }
  })

  it("marks reads and discovery alone as safe to retry (contract/transport.md *Versions*)", () => {
    const all = described.filter(({ operation }) => retryMarker in operation)
    const marked = all.filter(({ path }) => !path.startsWith(guestsPath))
    for (const { method, path } of all) if (path.startsWith(guestsPath)) expect([path, method]).toEqual([path, "get"])
    expect(marked.map(({ operation }) => operation.operationId).sort()).toEqual(
      [
        ...operationIds.filter((id) => operations[id].safeToRetry),
        "discovery.show",
        "capabilities.show",
        "health.show",
        "readiness.show",
        "platform.show",
        "customer_profile.list",
        "customer_profile.export",
        "consent.list",
        "feed.read",
        "feed.stream",
        "analytics.show",
        "ask.list",
        "event.list",
        "campaign.list",
        "segment.archive",
        "campaign.set_status",
        "campaign_audience.confirm",
        "campaign_audience.preview",
        "campaign.run",
        "campaign_run.list",
        "campaign_run.preview",
        "campaign_report.show",
        "campaign.list_given",
        "promotion.list",
        "challenge.list",
        "connector.list",
        "delivery.list",
        "segment.list",
        "segment.preview",
        "import.list",
        "import_error.list",
        "session.show",
        "business.show",
        "session.ways",
        "staff.list",
        "staff_limit.list",
        "staff.own",
        "staff.own_sessions",
        "token.list",
        "audit.list",
        "audit.export",
        "overview.show",
        "finance.roll_forward",
        "finance.cohorts",
        "finance.list_closings",
        "finance.show_closing",
        "handover.list",
        "handover.show",
        "finance.closing_file",
        "member.list",
        "maintenance.show",
        "node.list",
        "location.list",
        "product.list",
        "category.list",
        "moved_guest.list",
        "move_run.list",
        "move_run.show",
        "connection.list",
        "connection.show",
        "connection.transactions",
        "attention.show",
        "request.list",
        "restaurants.figures",
        "restaurant_order.list",
        "restaurant_order.export",
        "restaurant_redemption.list",
        "restaurant_redemption.export",
        "restaurants.guest",
        "clock.show",
        "faults.show",
        "member.show",
        "member_ledger.list",
        "member_reward.show",
        "member_ledger.export",
        "member_file.show",
        "member_page.show",
        "member_balance.show",
        "program.list",
        "program.evaluate",
        "program.validate",
        "program_logo.show",
        "program.preview",
        "program.show",
        "program_version.list",
        "program_version.show",
        "promotion_figures.show",
        "promotion.preview"
      ].sort()
    )
    for (const { operation } of marked) expect(operation).toHaveProperty([retryMarker], true)
  })

  it("leaves discovery, health and signing in public, all else with a key", () => {
    const open = [
      "discovery.show",
      "health.show",
      "readiness.show",
      "session.create",
      "business.show",
      "session.ways",
      "session.provider",
      "session.provider_finish",
      "session.passkey_options",
      "session.passkey",
      "invitation.show",
      "invitation.accept"
    ]
    const ofSession = [
      "session.show",
      "session.end",
      "staff.own",
      "staff.own_sessions",
      "staff.end_own_sessions",
      "staff.language",
      "passkey.options",
      "passkey.add",
      "passkey.rename",
      "passkey.remove"
    ]
    const wantedOf = (path: string, operationId: string) => {
      if (open.includes(operationId)) return []
      if (ofSession.includes(operationId)) return [{ session: [] }]
      return bySurface(path)
    }
    for (const { operation, path } of described) {
      const { operationId, security } = operation
      expect([operationId, security]).toEqual([operationId, wantedOf(path, operationId)])
    }
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(["admin_key", "bearer", "guest", "session"])
  })

  it("names each operation once, by resource and verb, save `enroll`", () => {
    const ids = described.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const others = ids.filter((id) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(id))
    expect(others).toEqual(["upsertCustomerProfile"])
    expect(document.paths["/platform/v1/members"]?.["put"]?.operationId).toBe("upsertCustomerProfile")
  })

  it("has a description for each response", () => {
    for (const { operation } of described) {
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0)
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe("")
    }
  })

  it("describes every error as a problem document that names its codes", () => {
    for (const { operation } of described) {
      for (const [status, { content, description }] of Object.entries(operation.responses)) {
        if (status === "204") expect(content).toBeUndefined()
        else if (status < "400") expect(Object.keys(content)).toEqual(typesOf(operation.operationId))
        else {
          expect(content).toEqual({ "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } })
          expect(description).toMatch(/^`[a-z_]+`(, `[a-z_]+`)*$/)
          const codes = description.split(", ")
          expect(codes, operation.operationId).toEqual([...new Set(codes)])
        }
      }
    }
  })

  it("describes on every route the refusal of an unknown query parameter", () => {
    for (const { operation, path } of described) {
      if (/^\/(platform|admin)\//.test(path)) expect(operation.responses, operation.operationId).toHaveProperty("422")
    }
  })

  it("resolves every reference, and uses every component", () => {
    const used = new Set<string>()
    for (const [, value] of objectsIn(document)) {
      const ref = value["$ref"]
      if (typeof ref !== "string") continue
      expect(ref).toMatch(/^#\/components\/(schemas|headers)\/[A-Za-z-]+$/)
      const [, , kind = "", name = ""] = ref.split("/")
      expect(document.components).toHaveProperty([kind, name])
      used.add(`${kind}/${name}`)
    }
    const { headers, schemas } = document.components
    const all = [
      ...Object.keys(headers).map((name) => `headers/${name}`),
      ...Object.keys(schemas).map((name) => `schemas/${name}`)
    ]
    expect(all.sort()).toEqual([...used].sort())
  })

  it("describes every property of its own, each in a sentence", () => {
    const undescribed: Array<string> = []
    for (const [place, value] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      if (value["type"] !== "object" || !("properties" in value)) continue
      for (const [name, property] of Object.entries(value["properties"] as Record<string, Record<string, unknown>>)) {
        const { description } = property
        if (typeof description !== "string" || !/^[A-Z`].{8,}\.$/s.test(description))
          undescribed.push(`${place} ${name}`)
      }
    }
    expect(undescribed).toEqual([])
  })

  it("says where the service is", () => {
    expect(document.servers.map(({ url }) => url)).toEqual(["/", "http://127.0.0.1:3210"])
  })

  /** The components that a value refers to, directly or through others. */
  const reachedFrom = (value: unknown, reached = new Set<string>()): ReadonlySet<string> => {
    for (const [, { $ref }] of objectsIn(value)) {
      const name = typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : ""
      if (name === "" || reached.has(name)) continue
      reached.add(name)
      reachedFrom(document.components.schemas[name], reached)
    }
    return reached
  }
  const componentsOf = (values: ReadonlyArray<unknown>) =>
    [...reachedFrom(values)].map((name) => [name, document.components.schemas[name]] as const)
  const isClosed = (value: unknown) =>
    [...objectsIn(value)].flatMap(([place, object]) =>
      object["type"] === "object" && "properties" in object ? [[place, object["additionalProperties"]] as const] : []
    )

  it("closes every object of known properties in requests (contract/transport.md *Bodies*)", () => {
    const bodies = described.map(({ operation }) => operation.requestBody)
    const objects = isClosed([bodies, componentsOf(bodies)])
    expect(objects.length).toBeGreaterThan(50)
    for (const [place, closed] of objects) expect([place, closed]).toEqual([place, false])
  })

  it("closes no object in responses: later versions add properties", () => {
    const responses = described.map(({ operation }) => operation.responses)
    const objects = isClosed([responses, componentsOf(responses)])
    expect(objects.length).toBeGreaterThan(100)
    for (const [place, closed] of objects) expect([place, closed]).toEqual([place, undefined])
  })

  it("gives every array its items, and every integer a format", () => {
    for (const [place, value] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      if (value["type"] === "array") expect([place, "items" in value]).toEqual([place, true])
      if (value["type"] === "integer")
        expect([place, value["format"]]).toEqual([place, expect.stringMatching(/^int(32|64)$/)])
    }
    expect(document.components.schemas["Money"]).toHaveProperty(["properties", "amount", "format"], "int64")
    const items = { $ref: "#/components/schemas/EventFacts" }
    expect(JSON.stringify(document.paths["/platform/v1/events/batch"]?.["post"]?.requestBody)).toContain(
      JSON.stringify({ type: "array", items }).slice(0, -1)
    )
    expect(document.components.schemas["ImportRequest"]).toHaveProperty(["properties", "rows", "items"], {
      $ref: "#/components/schemas/ImportRow"
    })
  })

  it("keeps the type of nested rules, and of numbers in queries", () => {
    for (const name of ["Rules", "RulesInput"]) {
      const $ref = `#/components/schemas/${name}`
      expect(document.components.schemas[name]).toMatchObject({
        properties: { all: { items: { $ref } }, any: { items: { $ref } }, not: { allOf: [{ $ref }] } }
      })
    }
    const limits = described.flatMap(({ operation: { operationId, parameters = [] } }) =>
      parameters.filter(({ name }) => name === "limit" && operationId !== "feed.read")
    )
    expect(limits.length).toBeGreaterThan(5)
    for (const { schema } of limits) expect(schema).toMatchObject({ type: "integer", minimum: 1, maximum: 200 })
  })

  it("gives parameters no examples of a schema that others share", () => {
    for (const { operation } of described) {
      for (const { schema, ...parameter } of operation.parameters ?? []) {
        expect([operation.operationId, schema]).not.toHaveProperty(["1", "examples"])
        if (parameter.in === "path") expect(parameter, operation.operationId).toHaveProperty("examples.demo.value")
      }
    }
  })

  it("lists the values of codes and reasons", () => {
    const { schemas } = document.components
    expect(schemas["Problem"]).toHaveProperty(["properties", "code", "enum"], Object.keys(problemStatus))
    expect(schemas["EvaluatedReward"]).toHaveProperty(
      ["properties", "unavailable_reasons", "items", "enum"],
      expect.arrayContaining(["insufficient_balance", "no_matching_item"])
    )
  })

  it("names each union, and says what tells its members apart", () => {
    const unnamed: Array<string> = []
    for (const [place, value] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      const members = (value["anyOf"] ?? value["oneOf"]) as ReadonlyArray<Record<string, unknown>> | undefined
      if (members === undefined || /^\/schemas\/[A-Za-z]+$/.test(place)) continue
      if (members.filter(({ type }) => type !== "null").length > 1) unnamed.push(place)
    }
    expect(unnamed).toEqual([])
    expect(document.components.schemas["RewardEffect"]).toMatchObject({
      discriminator: {
        propertyName: "type",
        mapping: { discount: "#/components/schemas/DiscountEffect", free_item: "#/components/schemas/FreeItemEffect" }
      }
    })
  })

  it("describes the headers of responses", () => {
    const accrual = document.paths["/proto/v1/accruals"]?.["post"]?.responses
    const headersOf = (status: string) => Object.keys(accrual?.[status]?.headers ?? {}).sort()
    expect(headersOf("201")).toEqual(["Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "X-Request-Id"])
    expect(headersOf("401")).toEqual(["WWW-Authenticate", "X-Request-Id"])
    expect(headersOf("429")).toEqual(["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"])
    expect(headersOf("503")).toEqual(["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"])
    for (const { operation } of described) {
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        expect([operation.operationId, status, Object.keys(headers)]).toEqual([
          operation.operationId,
          status,
          expect.arrayContaining(["X-Request-Id"])
        ])
      }
    }
  })

  it("holds integers, identifiers and free-form objects to their rules", () => {
    expect(document.components.schemas["Money"]).toMatchObject({
      properties: { amount: { type: "integer" }, currency: { type: "string", pattern: "^[A-Z]{3}$" } },
      required: ["amount", "currency"]
    })
    const { properties } = document.components.schemas["LedgerEntry"] as { properties: Record<string, object> }
    expect(JSON.stringify(properties["member_id"])).toContain("A-Za-z0-9")
    expect(properties["occurred_at"]).toMatchObject({ format: "date-time" })
    expect(document.components.schemas["FreeForm"]).toMatchObject({ type: "object", additionalProperties: true })
  })

  it("has the bounds of a definition's numbers", () => {
    const bounds = new Map<string, readonly [unknown, unknown]>()
    for (const [place, object] of objectsIn(document.components.schemas))
      if (object["type"] === "integer") bounds.set(place, [object["minimum"], object["maximum"]])
    const at = (place: string) => bounds.get(place.replaceAll(".", "/properties/"))
    expect([
      at("/Promotion.effect.multiply_bps"),
      at("/Promotion.limits.per_member.count"),
      at("/Challenge.count.weeks_in_a_row"),
      at("/ProgramFile.limits.late_order_hours"),
      at("/ProgramFile.stamp_card.threshold")
    ]).toEqual([
      [10_001, 100_000],
      [1, 1_000_000],
      [1, 26],
      [0, 744],
      [1, Number.MAX_SAFE_INTEGER]
    ])
  })
})
