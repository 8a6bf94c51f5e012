/** Spans and their names at a collector, and the log of a collector that takes nothing. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as Tracing from "../../../src/app/tracing/Tracing.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import { freePort } from "../../faults/Processes.ts"
import * as Receiver from "./Receiver.ts"

const received = Effect.acquireRelease(
  Effect.promise(() => Receiver.start()),
  (receiver) => Effect.sync(() => receiver.close())
)

const span = Effect.withSpan(Effect.void, "POST /proto/v1/accruals", { kind: "server" })

/** Makes one span in a service of this environment; the end of the service sends it. */
const traced = (url: string, environment: Record<string, string>) =>
  Effect.scoped(Effect.flatMap(Layer.build(Tracing.to(url).tracer), (tracer) => Effect.provide(span, tracer))).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  )

describe("traces", () => {
  const names: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["lotbook by default", {}, "lotbook"],
    ["that of OTEL_SERVICE_NAME", { OTEL_SERVICE_NAME: "loyalty" }, "loyalty"],
    [
      "that of OTEL_RESOURCE_ATTRIBUTES",
      { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=points" },
      "points"
    ],
    ["lotbook beside other attributes", { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test" }, "lotbook"]
  ]
  for (const [what, environment, name] of names) {
    it.live(`their service's name is ${what}`, () =>
      Effect.gen(function* () {
        const { resources, spans, url } = yield* received
        yield* traced(url, environment)
        assert.strictEqual(spans.length, 1)
        const [resource] = resources
        assert.strictEqual(resource?.["service.name"], name)
        assert.strictEqual(resource?.["service.version"], softwareVersion)
        const isTest = environment["OTEL_RESOURCE_ATTRIBUTES"]?.includes("deployment") === true
        assert.strictEqual(resource?.["deployment.environment"], isTest ? "test" : undefined)
      }).pipe(Effect.scoped)
    )
  }

  it.live("a collector that is away is told in the log, with its address and the reason", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const gone = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      yield* Effect.provide(traced(gone, {}), Logger.layer([logger]))
      assert.lengthOf(lines, 1)
      assert.include(lines[0], `The trace collector at ${gone}/v1/traces does not accept spans`)
      assert.include(lines[0], "ECONNREFUSED")
    })
  )

  it.effect("a collector that refuses is told once, and so is that it takes spans again", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const statuses = [200, 503, 429, 200, 200]
      const collector = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: statuses.shift() ?? 500 })))
      )
      const client = Tracing.loggingOutages(collector, "http://collector/v1/traces")
      yield* Effect.provide(Effect.repeat(client.get("http://collector"), { times: 4 }), Logger.layer([logger]))
      assert.lengthOf(statuses, 0)
      assert.lengthOf(lines, 2)
      assert.include(lines[0], "http://collector/v1/traces does not accept spans, and they are lost: it answers 503")
      assert.include(lines[1], "accepts spans again")
    })
  )
})
