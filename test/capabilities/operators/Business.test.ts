/** Holds contract/operators.md *The business's look*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "./Operators.ts"

const path = `${Operators.api}/business`

/** One pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

const change = (
  method: "PUT" | "DELETE",
  at: string,
  body?: object,
  headers: Record<string, string> = Operators.root
) => TestServer.send(`${path}${at}`, body, { method, headers })

/** As somebody who has not signed in. */
const shown = TestServer.send(path, undefined, { method: "GET", headers: {} })
const picture = (url: string) =>
  Effect.flatMap(TestServer.port, (port) => Effect.promise(() => fetch(`http://127.0.0.1:${port}${url}`)))

describe("the look of the business", () => {
  it.effect("is seen before the sign-in, set by parts, and in the audit once for each change", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* shown).body, {})
      const named = yield* change("PUT", "", { name: "Green Bowl", colour: "#1a7f5a" })
      assert.deepStrictEqual([named.status, named.body], [200, { name: "Green Bowl", colour: "#1a7f5a" }])
      const drawn = yield* change("PUT", "/logo", { png: pixel })
      assert.deepInclude(drawn.body, { name: "Green Bowl", colour: "#1a7f5a" })
      assert.deepStrictEqual((yield* shown).body, drawn.body)
      const { url } = drawn.body["logo"] as unknown as { readonly url: string }
      assert.match(url, /^\/console\/logo\.png\?v=[0-9a-f]{12}$/)
      const served = yield* picture(url)
      assert.strictEqual(served.headers.get("content-type"), "image/png")
      assert.strictEqual(Buffer.from(yield* Effect.promise(() => served.arrayBuffer())).toString("base64"), pixel)
      // The same again changes nothing. The name leaves the logo as it is.
      yield* change("PUT", "/logo", { png: pixel })
      assert.deepStrictEqual((yield* change("PUT", "", {})).body, { logo: drawn.body["logo"]! })
      assert.deepStrictEqual((yield* change("DELETE", "/logo")).body, {})
      assert.strictEqual((yield* change("DELETE", "/logo")).status, 200)
      const { query } = yield* PeoplePool
      const entries = yield* query("SELECT action FROM audit WHERE action = 'business.look'", [])
      assert.strictEqual(entries.length, 4)
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("has a name of a line, a colour and a picture, and says what is wrong", () =>
    Effect.gen(function* () {
      for (const [at, body, field] of [
        ["", { name: "" }, "/name"],
        ["", { name: " " }, "/name"],
        ["", { name: "Green\nBowl" }, "/name"],
        ["", { name: "x".repeat(61) }, "/name"],
        ["", { colour: "green" }, "/colour"],
        ["/logo", { png: "aGVsbG8=" }, "/png"]
      ] as const) {
        const { body: told, status } = yield* change("PUT", at, body)
        assert.strictEqual(status, 422)
        assert.strictEqual((told["errors"] as ReadonlyArray<{ path: string }>)[0]?.path, field)
      }
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("is changed by those alone who change people, of all programmes", () =>
    Effect.gen(function* () {
      const publisher = yield* Operators.issue({ scopes: ["programs:publish"] })
      assert.strictEqual((yield* change("PUT", "", {}, Operators.bearer(publisher.secret))).status, 403)
      const limited = yield* Operators.issue({ scopes: ["staff:write"], programs: ["demo-foodservice"] })
      assert.strictEqual((yield* change("PUT", "", {}, Operators.bearer(limited.secret))).status, 403)
      const owner = yield* Operators.issue({ scopes: ["staff:write"] })
      assert.strictEqual((yield* change("PUT", "", {}, Operators.bearer(owner.secret))).status, 200)
    }).pipe(Effect.provide(Operators.following()))
  )

  it.effect("is on the guests' page of programmes that have no logo of their own", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* change("PUT", "/logo", { png: pixel })
      const facts = () => TestServer.send("/my/api/v1/demo-foodservice/page", undefined, { method: "GET", headers: {} })
      assert.match(String((yield* facts()).body["logo_url"]), /^\/my\/demo-foodservice\/logo\.png\?v=/)
      const [row] = yield* query("SELECT count(*)::int AS n FROM program_logos", [])
      assert.deepInclude(row, { n: 0 })
    }).pipe(Effect.provide(Operators.layer()))
  )
})
