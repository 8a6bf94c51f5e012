/** contract/engagement.md *Routes*: what the platform says of itself, and who may ask. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as Surfaces from "../../../src/edge/http/Surfaces.ts"
import * as TestServer from "../../app/service/TestServer.ts"

const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const layer = TestServer.layer(memory, [{ token_sha256: hash("sha256", "writes-alone"), scopes: ["platform:write"] }])

const get = (path: string, headers: Record<string, string> = {}) =>
  TestServer.send(path, undefined, { method: "GET", headers })

it.layer(layer)("the platform's discovery", (it) => {
  it.effect("names every route of the platform, with the slash and without", () =>
    Effect.gen(function* () {
      const { body, status } = yield* get("/platform/v1")
      assert.strictEqual(status, 200)
      assert.deepInclude(body, {
        version: "0.3.0-beta",
        transaction_contract: { base_path: "/proto/v1", protocol_version: "1.0", profile: "foodservice/1.0" }
      })
      const offered = (body["resources"] as ReadonlyArray<{ methods: ReadonlyArray<string>; path: string }>).flatMap(
        ({ methods, path }) => methods.map((method) => `${method} ${path}`)
      )
      const served = Surfaces.routes(
        () => () => Effect.die("not called"),
        () => undefined,
        { programs: () => assert.fail("not called"), publicUrl: undefined }
      )
        .filter(({ path }) => path.startsWith("/platform/v1") && path !== "/platform/v1/")
        .map(({ method, path }) => `${method} ${path}`)
      assert.deepStrictEqual(offered.toSorted(), served.toSorted())
      assert.deepStrictEqual((yield* get("/platform/v1/")).body, body)
    })
  )

  it.effect("takes a token with platform:read; the admin key is none of them", () =>
    Effect.gen(function* () {
      const asked = (authorization: string) =>
        Effect.map(get("/platform/v1", { authorization }), ({ body, status }) => [status, body["code"]])
      assert.deepStrictEqual(yield* asked("Bearer writes-alone"), [403, "forbidden"])
      assert.deepStrictEqual(yield* asked("Bearer proto-dev-admin-key"), [401, "unauthorized"])
      assert.deepStrictEqual(yield* asked(""), [401, "unauthorized"])
    })
  )

  it.effect("refuses a query, another method and another path", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* get("/platform/v1?limit=1")).status, 422)
      assert.strictEqual((yield* TestServer.send("/platform/v1", {})).status, 405)
      assert.strictEqual((yield* get("/platform/v1//")).status, 404)
    })
  )
})
