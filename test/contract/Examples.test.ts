/** The examples of the document, sent over HTTP to a fresh demo. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Demo from "../../src/cli/Demo.ts"
import { openApi } from "../../src/contract/OpenApi.ts"
import * as MemoryJournal from "../../src/journal/MemoryJournal.ts"
import * as TestServer from "../service/TestServer.ts"

interface Exemplified {
  readonly examples?: { readonly demo: { readonly value: unknown } }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly examples?: ReadonlyArray<string> }
}

interface Described {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: { readonly "application/json": Exemplified } }
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Exemplified>> }>>
}

const document = JSON.parse(JSON.stringify(openApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/** Method, path and operation, in the document's order. */
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
)

/** The status of a first success: 201 where there is one, and 200 for what was there already. */
const successOf = (responses: Described["responses"]): string =>
  Object.keys(responses)
    .filter((status) => status < "300")
    .at(-1) ?? ""

const start = Date.UTC(2026, 6, 14, 10, 5)

const layer = (sandboxClock?: number) =>
  TestServer.layer(MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer)), [], sandboxClock)

/** The one media type of a success: JSON, or what the operation exports. */
const exampleOf = ({ content }: Described["responses"][string]): unknown =>
  (content["application/json"] ?? Object.values(content)[0])?.examples?.demo.value

/** The path with the examples of its parameters. */
const filled = (path: string, { parameters = [] }: Described): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name)
    return parameter?.schema.examples?.[0] ?? ""
  })

/** What the service makes at random. */
const withoutChance = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/"started_at":"[^"]+"/, '"started_at":"2026-07-14T09:00:00.000Z"')
      .replace(/"evl_[0-9A-Z]{16}"/g, '"evl_7Q2MXK4T0ZB9HD3W"')
      .replace(/"([0-9A-Z]{4}-){4}[0-9A-Z*~$=]"/g, '"7Q2M-XK4T-0ZB9-HD3W-5"')
  )

const send = ({ method, operation, path }: (typeof described)[number]) => {
  const admin = path.startsWith("/admin/")
  return TestServer.send(
    filled(path, operation),
    operation.requestBody?.content["application/json"].examples?.demo.value,
    {
      method,
      ...(admin ? { headers: { authorization: "Bearer proto-dev-admin-key" } } : {})
    }
  )
}

describe("the examples of the OpenAPI document, sent in its order to a fresh demo", () => {
  it("are there for every operation: a request where it takes one, and a response", () => {
    assert.isAtLeast(described.length, 23)
    for (const { operation } of described) {
      const { requestBody, responses } = operation
      if (requestBody !== undefined)
        assert.property(requestBody.content["application/json"], "examples", operation.operationId)
      const success = successOf(responses)
      assert.isDefined(exampleOf(responses[success]!), operation.operationId)
    }
  })

  it.effect("are answered as the document says, with the responses that it shows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Effect.gen(function* () {
        yield* Demo.seed
        const got: Record<string, unknown> = {}
        for (const operation of described) {
          const { operationId, responses } = operation.operation
          const success = successOf(responses)
          const { body, status } = yield* send(operation)
          assert.strictEqual(String(status), success, `${operationId}: ${JSON.stringify(body)}`)
          got[operationId] = withoutChance("text" in body ? body["text"] : body)
        }
        for (const { operation } of described) {
          const success = operation.responses[successOf(operation.responses)]!
          assert.deepStrictEqual(got[operation.operationId], exampleOf(success), operation.operationId)
        }
      }).pipe(Effect.provide(layer(start)))
    })
  )

  it.effect("succeed again, whatever was sent before, and in any order", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* Demo.seed
        for (const operation of [...described.toReversed(), ...described]) {
          const { body, status } = yield* send(operation)
          assert.isBelow(status, 300, `${operation.operation.operationId}: ${JSON.stringify(body)}`)
        }
      }).pipe(Effect.provide(layer(start)))
    })
  )
})
