/** Holds contract/operators.md *Logos*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { maxLogoBytes } from "../../../src/contract/admin/Logos.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../operators/Operators.ts"

const path = `${Operators.api}/programs/demo-foodservice/logo`

/** The beginning of a PNG, of any size and length. */
const png = (width: number, height: number, bytes = 64): Buffer => {
  const file = Buffer.alloc(bytes)
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(file)
  file.write("IHDR", 12, "latin1")
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  return file
}

const put = (file: Buffer | string, headers: Record<string, string> = Operators.root) =>
  TestServer.send(path, { png: typeof file === "string" ? file : file.toString("base64") }, { method: "PUT", headers })
const shown = Operators.get("/programs/demo-foodservice/logo")
const removed = TestServer.send(path, undefined, { method: "DELETE", headers: Operators.root })

describe("the logo of a programme", () => {
  it.effect("is set, shown, replaced and removed, each change once in the audit", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* shown).status, 404)
      const first = yield* put(png(640, 320))
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      assert.deepInclude(first.body, { program_id: "demo-foodservice", width: 640, height: 320 })
      assert.match(String(first.body["logo_url"]), /^\/my\/demo-foodservice\/logo\.png\?v=[0-9a-f]{12}$/)
      assert.deepStrictEqual((yield* put(png(640, 320))).body, first.body)
      const second = yield* put(png(512, 512))
      assert.notStrictEqual(second.body["logo_url"], first.body["logo_url"])
      assert.deepStrictEqual((yield* shown).body, { ...second.body, png: png(512, 512).toString("base64") })
      assert.strictEqual((yield* removed).status, 204)
      assert.strictEqual((yield* removed).status, 204)
      assert.strictEqual((yield* shown).status, 404)
      const { query } = yield* PeoplePool
      const entries = yield* query("SELECT action FROM audit WHERE action = 'program.logo'", [])
      assert.strictEqual(entries.length, 3)
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("is a PNG by its content, of few bytes and pixels", () =>
    Effect.gen(function* () {
      const refused = [
        Buffer.from("<svg onload=alert(1)>".padEnd(64)),
        png(0, 10),
        png(2_049, 10),
        png(10, 0xffffffff),
        png(10, 10).subarray(0, 20),
        png(10, 10, maxLogoBytes + 1)
      ]
      for (const file of refused) {
        const { body, status } = yield* put(file)
        assert.strictEqual(status, 422)
        assert.strictEqual((body["errors"] as ReadonlyArray<{ path: string }>)[0]?.path, "/png")
      }
      for (const text of ["a b", "é", "%00", "A".repeat(300_000)]) assert.strictEqual((yield* put(text)).status, 422)
      assert.strictEqual((yield* put(png(10, 10, maxLogoBytes))).status, 200)
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("is changed by those who may publish alone", () =>
    Effect.gen(function* () {
      const reader = yield* Operators.issue({ scopes: ["programs:read"] })
      assert.strictEqual((yield* put(png(1, 1), Operators.bearer(reader.secret))).status, 403)
      const publisher = yield* Operators.issue({ scopes: ["programs:publish"] })
      assert.strictEqual((yield* put(png(1, 1), Operators.bearer(publisher.secret))).status, 200)
    }).pipe(Effect.provide(Operators.following()))
  )
})
