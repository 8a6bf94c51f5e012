/** Connections of tills, over HTTP on PostgreSQL. Holds contract/tills.md *Connections*, *Transactions*. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import * as Pools from "../../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../../src/base/database/Pools.ts"
import type { Connection } from "../../../../src/contract/admin/Connections.ts"
import { defaultSettings } from "../../../../src/contract/admin/Connections.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../../app/service/TestServer.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { root } from "../../operators/Operators.ts"

const owner = ["developer:read", "developer:write", "protocol:read", "protocol:write", "members:read"] as const
const tokens = [
  { token_sha256: hash("sha256", "owner"), scopes: owner },
  { token_sha256: hash("sha256", "developer"), scopes: ["developer:read", "developer:write"] as const },
  { token_sha256: hash("sha256", "reader"), scopes: ["developer:read"] as const },
  { token_sha256: hash("sha256", "other-alone"), scopes: owner, programs: ["other"] }
]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "other" }]
const program_id = Testing.demoProgram.id

const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer),
  TestDatabase.layer
)

const path = "/admin/api/v1/connections"
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const send = (method: string, place: string, body?: object, headers: Record<string, string> = root) =>
  TestServer.send(`${path}${place}`, body, { method, headers })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const asked = { vendor: "toast", program_id, name: "Corner Bowl" }
const create = (more: object = {}, headers: Record<string, string> = root) =>
  Effect.map(send("POST", "", { ...asked, ...more }, headers), (answer) => ({
    ...answer,
    secret: answer.body["secret"] as string,
    connection: answer.body["connection"] as Connection
  }))

it.layer(layer, { excludeTestServices: true })("connections", (it) => {
  it.effect(
    "are made with an address of 128 random bits and a key that one answer shows, changed, rotated, deleted",
    () =>
      Effect.gen(function* () {
        const restaurants = [{ external_id: "T-1", location_id: "east", channel: "drive_thru" }]
        const made = yield* create({ restaurants, settings: { country: "DE" } })
        assert.strictEqual(made.status, 201)
        const { connection_id: id, created_at, key_hint, path: address, updated_at, ...facts } = made.connection
        assert.match(id, /^cnx_[0-9a-f]{32}$/)
        assert.match(made.secret, /^tll_[\w-]{43}$/)
        assert.deepStrictEqual(facts, {
          ...asked,
          vendor: "toast",
          status: "active",
          restaurants: restaurants as Connection["restaurants"],
          unknown_restaurant: "refuse",
          settings: { ...defaultSettings, country: "DE" },
          health: { transactions: 0, refused: 0, differing: 0, unfinished: 0 },
          version: 1
        })
        assert.deepStrictEqual(
          [key_hint, address, created_at],
          [made.secret.slice(-4), `/connect/toast/${id}`, updated_at]
        )
        const changed = yield* send("PATCH", `/${id}`, { name: "Bowl", status: "paused", settings: { channel: "web" } })
        assert.deepInclude(changed.body, { name: "Bowl", status: "paused", version: 2, restaurants })
        assert.deepInclude(changed.body["settings"] as object, { channel: "web", country: "DE" })
        assert.strictEqual((yield* send("PATCH", `/${id}`, { status: "active" })).status, 200)
        const stale = { name: "Other", expected_version: 1 }
        assert.deepStrictEqual(yield* said(send("PATCH", `/${id}`, stale)), [409, "conflict"])
        const rotated = yield* send("POST", `/${id}/rotate`, { overlap_minutes: 5 })
        assert.notStrictEqual(rotated.body["secret"], made.secret)
        assert.property(rotated.body["connection"], "rotating_until")
        assert.deepStrictEqual((yield* send("GET", `/${id}/transactions`)).body, { transactions: [] })
        assert.deepStrictEqual((yield* send("DELETE", `/${id}`)).body, { connection_id: id, deleted: true })
        assert.deepStrictEqual(yield* said(send("GET", `/${id}`)), [404, "not_found"])
        assert.deepStrictEqual(yield* said(send("DELETE", `/${id}`)), [404, "not_found"])
      })
  )

  it.effect("let only an owner let a till see or do more; a developer pauses and maps, a reader reads", () =>
    Effect.gen(function* () {
      const refused = [403, "forbidden"] as const
      const developer = as("developer")
      assert.deepStrictEqual(yield* said(send("POST", "", asked, developer)), refused)
      const { connection } = yield* create({}, as("owner"))
      const one = `/${connection.connection_id}`
      const change = (body: object, headers = developer) => send("PATCH", one, body, headers)
      assert.strictEqual((yield* change({ status: "paused" })).status, 200)
      const restaurants = [{ external_id: "T-1", location_id: "east" }]
      assert.strictEqual((yield* change({ restaurants, settings: { tells: "none", channel: "kiosk" } })).status, 200)
      for (const more of [
        { status: "active" },
        { unknown_restaurant: "accept" },
        { settings: { tells: "masked" } },
        { settings: { search_by_name: true } }
      ]) {
        assert.deepStrictEqual(yield* said(change(more)), refused, JSON.stringify(more))
        assert.strictEqual((yield* change(more, as("owner"))).status, 200, JSON.stringify(more))
      }
      assert.deepStrictEqual(yield* said(send("POST", `${one}/rotate`, {}, developer)), refused)
      assert.deepStrictEqual(yield* said(send("DELETE", one, undefined, developer)), refused)
      assert.deepStrictEqual(yield* said(change({ name: "x" }, as("reader"))), refused)
      assert.strictEqual((yield* send("GET", one, undefined, as("reader"))).status, 200)
      assert.strictEqual((yield* send("DELETE", one, undefined, as("owner"))).status, 200)
    })
  )

  it.effect("of other programmes are neither seen nor touched by a caller that is limited to one", () =>
    Effect.gen(function* () {
      const limited = as("other-alone")
      const { connection } = yield* create()
      const own = yield* create({ program_id: "other" }, limited)
      assert.strictEqual(own.status, 201)
      const { body } = yield* send("GET", "", undefined, limited)
      const ids = (body["connections"] as ReadonlyArray<Connection>).map((one) => one.connection_id)
      assert.deepStrictEqual(ids, [own.connection.connection_id])
      const refused = [403, "forbidden"] as const
      assert.deepStrictEqual(yield* said(send("POST", "", asked, limited)), refused)
      const one = `/${connection.connection_id}`
      for (const [method, place, sent] of [
        ["GET", one],
        ["GET", `${one}/transactions`],
        ["PATCH", one, { name: "x" }],
        ["POST", `${one}/rotate`, {}],
        ["DELETE", one]
      ] as const)
        assert.deepStrictEqual(yield* said(send(method, place, sent, limited)), refused, `${method} ${place}`)
      for (const id of [connection.connection_id, own.connection.connection_id]) yield* send("DELETE", `/${id}`)
    })
  )

  it.effect("are refused with every fault at its place", () =>
    Effect.gen(function* () {
      const twice = [1, 2].map(() => ({ external_id: "T-1", location_id: "east" }))
      for (const [more, place] of [
        [{ vendor: "other" }, "/vendor"],
        [{ restaurants: twice }, "/restaurants/1/external_id"],
        [{ settings: { time_zone: "Nowhere/Here" } }, "/settings/time_zone"],
        [{ settings: { country: "XX" } }, "/settings/country"],
        [{ settings: { tells: "all" } }, "/settings/tells"],
        [{ name: "a\nb" }, "/name"]
      ] as const) {
        const answer = yield* create(more)
        const places = (answer.body["errors"] as ReadonlyArray<{ path: string }>).map((one) => one.path)
        assert.deepStrictEqual([answer.status, places], [422, [place]])
      }
      assert.deepStrictEqual(yield* said(create({ program_id: "nowhere" })), [404, "not_found"])
    })
  )

  it.effect("keep their key out of the database, the audit and kept results", () =>
    Effect.gen(function* () {
      const keyed = { ...root, "idempotency-key": "connect-the-tills" }
      const { connection, secret } = yield* create({}, keyed)
      const again = yield* create({}, keyed)
      assert.deepStrictEqual([again.secret, again.body["secret_withheld"]], [undefined, true])
      const { query } = yield* PeoplePool
      const tables = ["connections", "audit", "keyed_requests"]
      for (const table of tables) {
        const [row] = yield* query(`SELECT string_agg(t::text, ' ') AS text FROM ${table} t`)
        const clear = Buffer.from(secret.slice(4), "base64url").toString("hex")
        for (const spelling of [secret, Buffer.from(secret).toString("hex"), clear])
          assert.notInclude(String(row?.["text"]), spelling, table)
      }
      yield* send("DELETE", `/${connection.connection_id}`)
    })
  )

  it.effect("change and are deleted once for a key of the header", () =>
    Effect.gen(function* () {
      const { connection } = yield* create()
      const one = `/${connection.connection_id}`
      const replayed = ({ body, headers, status }: TestServer.Response) => [
        status,
        body["version"] ?? body["deleted"],
        headers.get("idempotent-replayed")
      ]
      const change = send("PATCH", one, { status: "paused" }, { ...root, "idempotency-key": "pause-them" })
      assert.deepStrictEqual(replayed(yield* change), [200, 2, null])
      assert.deepStrictEqual(replayed(yield* change), [200, 2, "true"])
      const remove = send("DELETE", one, undefined, { ...root, "idempotency-key": "delete-them" })
      assert.deepStrictEqual(replayed(yield* remove), [200, true, null])
      assert.deepStrictEqual(replayed(yield* remove), [200, true, "true"])
    })
  )
})
