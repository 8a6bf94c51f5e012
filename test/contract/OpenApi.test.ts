import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, it } from "vitest"
import { openApi } from "../../src/contract/OpenApi.ts"
import { operationIds, operations } from "../../src/contract/protocol/Operations.ts"
import { retryMarker } from "../../src/contract/protocol/Protocol.ts"

interface Described {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: object }>> }
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
  return [operationId.endsWith(".export") ? "text/csv" : "application/json"]
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 with a title, a version and a tag for each operation (§2)", () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ title: "Lotbook", version: "1.0" })
    const tags = document.tags.map(({ name }) => name)
    expect(new Set(tags).size, "each tag is declared once").toBe(tags.length)
    for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining([...operation.tags]))
  })

  it("is a valid OpenAPI document", async () => {
    const { errors, valid } = await new Validator().validate({ ...document })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it("has every operation of the table under its path and id, marked where it is safe to retry (§2)", () => {
    for (const id of operationIds) {
      const { path, safeToRetry, statuses, summary, tag } = operations[id]
      const operation = document.paths[path]?.["post"]
      expect(operation).toMatchObject({ operationId: id, summary, tags: [tag], security: [{ bearer: [] }] })
      expect(operation && retryMarker in operation).toBe(safeToRetry)
      for (const status of statuses) expect(operation?.responses).toHaveProperty(String(status))
      expect(Object.keys(operation?.responses ?? {}).filter((status) => status < "300")).toHaveLength(statuses.length)
    }
  })

  it("marks reads and discovery alone as safe to retry (service.md, common rule 3)", () => {
    const marked = described.filter(({ operation }) => retryMarker in operation)
    expect(marked.map(({ operation }) => operation.operationId).sort()).toEqual(
      [
        ...operationIds.filter((id) => operations[id].safeToRetry),
        "discovery.show",
        "capabilities.show",
        "health.show",
        "readiness.show",
        "standby.show",
        "platform.show",
        "customer_profile.list",
        "customer_profile.export",
        "analytics.show",
        "event.list",
        "campaign.list",
        "campaign.set_status",
        "campaign.run",
        "campaign_run.list",
        "campaign_report.show",
        "connector.list",
        "segment.list",
        "segment.preview",
        "import.list",
        "import_error.list",
        "session.show",
        "token.list",
        "audit.list",
        "audit.export",
        "overview.show",
        "member.list",
        "maintenance.show",
        "clock.show",
        "member.show",
        "member_ledger.list",
        "member_ledger.export",
        "member_balance.show",
        "program.list",
        "program.evaluate",
        "program.validate",
        "program.show",
        "program_version.list",
        "program_version.show"
      ].sort()
    )
    for (const { operation } of marked) expect(operation).toHaveProperty([retryMarker], true)
  })

  it("leaves discovery, health and signing in public, all else with a key (service.md Authentication)", () => {
    const open = ["discovery.show", "health.show", "readiness.show", "standby.show", "session.create"]
    const ofSession = ["session.show", "session.end"]
    for (const { operation, path } of described) {
      const { operationId, security } = operation
      const surface = path.startsWith("/admin/")
        ? [{ admin_key: [] }, { session: [] }]
        : path.startsWith("/platform/")
          ? [{ bearer: [] }, { session: [] }]
          : [{ bearer: [] }]
      const wanted = ofSession.includes(operationId) ? [{ session: [] }] : surface
      expect([operationId, security]).toEqual([operationId, open.includes(operationId) ? [] : wanted])
    }
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(["admin_key", "bearer", "session"])
  })

  it("names each operation once, by resource and verb, save the one that service.md names", () => {
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

  it("describes every error as a problem document that names its codes (§1)", () => {
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

  it("describes on every route the refusal of an unknown query parameter (§1)", () => {
    for (const { operation, path } of described) {
      if (/^\/(platform|admin)\//.test(path)) expect(operation.responses, operation.operationId).toHaveProperty("422")
    }
  })

  it("resolves every reference, and uses every component", () => {
    const used = new Set<string>()
    for (const [, value] of objectsIn(document)) {
      const ref = value["$ref"]
      if (typeof ref !== "string") continue
      expect(ref).toMatch(/^#\/components\/schemas\/[A-Za-z]+$/)
      const name = ref.slice("#/components/schemas/".length)
      expect(document.components.schemas).toHaveProperty(name)
      used.add(name)
    }
    expect(Object.keys(document.components.schemas).sort()).toEqual([...used].sort())
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

  it("closes every object of known properties (§1: payloads are strict)", () => {
    for (const [place, value] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      if (value["type"] === "object" && "properties" in value) {
        expect([place, value["additionalProperties"]]).toEqual([place, false])
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
})
