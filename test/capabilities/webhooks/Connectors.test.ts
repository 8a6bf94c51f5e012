/** contract/events.md *Connectors*: connectors, over HTTP on PostgreSQL. Holds contract/events.md *Event types*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Store from "../../../src/capabilities/webhooks/ConnectorStore.ts"
import type { Connector } from "../../../src/contract/platform/Connectors.ts"
import { maxEnabled } from "../../../src/contract/platform/Connectors.ts"
import { crossedType } from "../../../src/contract/platform/EventTypes.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as Sealed from "../../../src/desk/surface/Sealed.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const scopes = ["platform:read", "platform:write"] as const
const tokens = [
  { token_sha256: hash("sha256", "other-alone"), scopes, programs: ["other"] },
  { token_sha256: hash("sha256", "developer"), scopes: ["developer:read", "developer:write"] as const },
  { token_sha256: hash("sha256", "owner"), scopes: ["developer:write", "staff:write"] as const },
  { token_sha256: hash("sha256", "reads-alone"), scopes: ["platform:read"] as const }
]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "other" }]

/** All that is logged, whatever its level. */
const logged: Array<string> = []
const logs = Layer.merge(
  Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer),
  TestDatabase.layer
).pipe(Layer.provideMerge(logs))

const path = "/platform/v1/connectors"
const other = { authorization: "Bearer other-alone" }
const secret = `whsec_${Buffer.from("this secret is nowhere to be seen").toString("base64")}`
const configuration = { url: "https://hooks.example.com/in/T0K3N", event_types: ["proto.member.enrolled.v1"] }
const connector = (connector_id: string | undefined, more: object = {}, config: object = {}) => ({
  ...(connector_id === undefined ? {} : { connector_id }),
  name: "Newsletter",
  type: "webhook",
  configuration: { ...configuration, ...config },
  ...more
})

const put = (body: object, headers: Record<string, string> = {}) =>
  TestServer.send(path, body, { method: "PUT", headers })
const remove = (connector_id: string, headers: Record<string, string> = {}) =>
  TestServer.send(`${path}/delete`, { connector_id }, { headers })
const list = (query = "", headers: Record<string, string> = {}) =>
  TestServer.send(`${path}${query}`, undefined, { method: "GET", headers })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const shown = ({ body }: TestServer.Response) => body["connector"] as Connector
const ids = ({ body }: TestServer.Response) =>
  (body["connectors"] as ReadonlyArray<Connector>).map(({ connector_id }) => connector_id)
const placesOf = ({ body }: TestServer.Response) =>
  (body["errors"] as ReadonlyArray<{ readonly path: string }>).map((one) => one.path)

/** Every row of every table, as text. */
const everything = Effect.scoped(
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    const { rows: tables } = yield* connection.query(
      "SELECT format('%I', table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
    )
    const lines = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(connection.query(`SELECT t::text AS line FROM ${name} t`), ({ rows }) =>
        rows.map(({ line }) => `${name}: ${line}`)
      )
    )
    return lines.flat().join("\n")
  })
)

it.layer(layer, { excludeTestServices: true })("connectors", (it) => {
  it.effect(
    "sends codes of rewards only for who may see them: include_artifacts needs members:read and points:give",
    () =>
      Effect.gen(function* () {
        const developer = { authorization: "Bearer developer" }
        const connector = (include_artifacts: boolean, host: string) => ({
          connector_id: "codes",
          name: "Codes",
          type: "webhook",
          configuration: { url: `https://${host}/`, event_types: ["*"], include_artifacts }
        })
        const refused = [403, "forbidden"] as const
        assert.deepStrictEqual(yield* said(put(connector(true, "her.example.com"), developer)), refused)
        assert.strictEqual((yield* put(connector(true, "crm.example.com"))).status, 200)
        // Another address would get them.
        assert.deepStrictEqual(yield* said(put(connector(true, "her.example.com"), developer)), refused)
        assert.strictEqual((yield* put(connector(false, "her.example.com"), developer)).status, 200)
        yield* remove("codes")
      })
  )

  it.effect("send codes to telephones if an owner has set it, and one does for each programme", () =>
    Effect.gen(function* () {
      const sending = (id: string, program_ids?: ReadonlyArray<string>) =>
        connector(id, {}, { guest_codes: true, ...(program_ids === undefined ? {} : { program_ids }) })
      const refused = [403, "forbidden"] as const
      assert.deepStrictEqual(yield* said(put(sending("sms"), { authorization: "Bearer developer" })), refused)
      const owner = { authorization: "Bearer owner" }
      // A node of 0.3.0 would let developers change its address.
      const { query } = yield* PeoplePool
      yield* query("INSERT INTO nodes (id, address, protocol, version) VALUES ('old', 'x', 1, '0.3.0')")
      assert.deepStrictEqual(yield* said(put(sending("sms", ["other"]), owner)), [409, "invalid_state"])
      yield* query("DELETE FROM nodes WHERE id = 'old'")
      const made = yield* put(sending("sms", ["other"]), owner)
      assert.lengthOf(yield* query("SELECT FROM migrations WHERE name = 'restaurant limits'"), 1)
      assert.strictEqual(made.status, 200, JSON.stringify(made.body))
      assert.deepInclude(shown(made).configuration, { guest_codes: true })
      assert.deepStrictEqual(yield* said(put(sending("second", ["other"]), owner)), [409, "invalid_state"])
      assert.deepStrictEqual(yield* said(put(sending("third"), owner)), [409, "invalid_state"])
      assert.strictEqual((yield* put(sending("fourth", [Testing.demoProgram.id]), owner)).status, 200)
      // It needs no events; a connector that sends no codes does.
      const alone = { event_types: [] }
      assert.strictEqual(
        (yield* put(connector("sms", {}, { ...alone, guest_codes: true, program_ids: ["other"] }), owner)).status,
        200
      )
      assert.deepInclude((yield* put(connector("none", {}, alone), owner)).body, {
        code: "validation_failed",
        errors: [{ path: "/configuration/event_types", message: "must have at least 1 item" }]
      })
      // A developer may take it away: it sends less.
      const without = yield* put(connector("sms"), { authorization: "Bearer developer" })
      assert.notProperty(shown(without).configuration, "guest_codes")
      for (const id of ["sms", "fourth"]) yield* remove(id)
    })
  )

  it.effect("are made, changed in place with the secret kept, listed newest first, and deleted", () =>
    Effect.gen(function* () {
      const first = yield* put(connector("first", { enabled: false }, { secret }))
      assert.strictEqual(first.status, 200)
      const { created_at, updated_at, ...facts } = shown(first)
      assert.deepStrictEqual(facts, {
        connector_id: "first",
        name: "Newsletter",
        type: "webhook",
        configuration: {
          ...configuration,
          event_types: ["proto.member.enrolled.v1"],
          include_artifacts: false,
          max_in_flight: 8,
          secret: { configured: true, last4: secret.slice(-4) }
        },
        enabled: false,
        health: { waiting: 0 },
        version: 1
      })
      assert.strictEqual(created_at, updated_at)
      const thresholds = [{ unit: "points", amount: 500 } as const]
      const told = shown(yield* put(connector("first", {}, { event_types: [crossedType], thresholds })))
      assert.deepInclude(told.configuration, { event_types: [crossedType], thresholds })
      const changed = shown(yield* put(connector("first", { name: "Till" }, { event_types: ["*"], max_in_flight: 64 })))
      assert.notProperty(changed.configuration, "thresholds")
      assert.deepInclude(changed, { name: "Till", enabled: false, created_at })
      assert.deepInclude(changed.configuration, { event_types: ["*"], max_in_flight: 64 })
      assert.deepStrictEqual(changed.configuration.secret, { configured: true, last4: secret.slice(-4) })
      assert.isTrue(shown(yield* put(connector("first", { active: true }))).enabled)
      const made = shown(yield* put(connector(undefined)))
      assert.match(made.connector_id, /^con_/)
      assert.isTrue(made.enabled)
      assert.isTrue(made.configuration.secret.configured)
      const page = yield* list("?limit=1")
      assert.deepStrictEqual(ids(page), [made.connector_id])
      assert.deepStrictEqual(ids(yield* list(`?limit=1&cursor=${page.body["next_cursor"]}`)), ["first"])
      for (const id of ["first", made.connector_id]) assert.strictEqual((yield* remove(id)).status, 200)
      assert.deepStrictEqual(yield* said(remove("first")), [404, "not_found"])
      assert.deepStrictEqual(ids(yield* list()), [])
    })
  )

  it.effect("are refused with every fault at its place", () =>
    Effect.gen(function* () {
      const faults: ReadonlyArray<readonly [object, string]> = [
        [connector("c", {}, { url: "http://hooks.example.com" }), "/configuration/url"],
        [connector("c", {}, { url: "https://127.0.0.1/x" }), "/configuration/url"],
        [connector("c", {}, { event_types: [] }), "/configuration/event_types"],
        [connector("c", {}, { event_types: ["proto.member.unknown.v1"] }), "/configuration/event_types/0"],
        [connector("c", {}, { event_types: ["*", "*"] }), "/configuration/event_types"],
        [connector("c", {}, { program_ids: ["nowhere"] }), "/configuration/program_ids/0"],
        [connector("c", {}, { max_in_flight: 65 }), "/configuration/max_in_flight"],
        [connector("c", {}, { event_types: [crossedType] }), "/configuration/event_types/0"],
        [
          connector("c", {}, { thresholds: Array(11).fill({ unit: "points", amount: 1 }) }),
          "/configuration/thresholds"
        ],
        [connector("c", {}, { thresholds: Array(2).fill({ unit: "points", amount: 1 }) }), "/configuration/thresholds"],
        [connector("c", {}, { thresholds: [{ unit: "miles", amount: 1 }] }), "/configuration/thresholds/0/unit"],
        [connector("c", {}, { thresholds: [{ unit: "points", amount: 0.5 }] }), "/configuration/thresholds/0/amount"],
        [connector("c", {}, { other: 1 }), "/configuration/other"],
        [connector("c", { enabled: true, active: false }), "/active"],
        [connector("c", { type: "queue" }), "/type"],
        [connector("c/d"), "/connector_id"]
      ]
      for (const [body, place] of faults) {
        const answer = yield* put(body)
        assert.deepStrictEqual([answer.status, placesOf(answer)], [422, [place]], JSON.stringify(body))
      }
      const short = "whsec_c2hvcnQ="
      for (const wrong of [short, "a plain text that is long enough for a secret", `whsec_${"A".repeat(200)}`]) {
        const answer = yield* put(connector("c", {}, { secret: wrong }))
        assert.deepStrictEqual([answer.status, placesOf(answer)], [422, ["/configuration/secret"]])
        assert.notInclude(JSON.stringify(answer.body), wrong)
      }
      assert.deepStrictEqual(ids(yield* list()), [])
    })
  )

  it.effect("of other programmes are neither seen nor touched by a token that is limited to one", () =>
    Effect.gen(function* () {
      yield* put(connector("all"))
      yield* put(connector("both", {}, { program_ids: ["other", Testing.demoProgram.id] }))
      assert.strictEqual((yield* put(connector("own", {}, { program_ids: ["other"] }), other)).status, 200)
      assert.deepStrictEqual(ids(yield* list("", other)), ["own"])
      assert.deepStrictEqual(ids(yield* list()), ["own", "both", "all"])
      const refused = [403, "forbidden"] as const
      assert.deepStrictEqual(yield* said(put(connector("new"), other)), refused)
      assert.deepStrictEqual(yield* said(put(connector("all", {}, { program_ids: ["other"] }), other)), refused)
      assert.deepStrictEqual(yield* said(remove("both", other)), refused)
      const reader = { authorization: "Bearer reads-alone" }
      assert.deepStrictEqual(yield* said(put(connector("new"), reader)), refused)
      assert.strictEqual((yield* list("", reader)).status, 200)
      for (const id of ["all", "both", "own"]) assert.strictEqual((yield* remove(id)).status, 200)
    })
  )

  it.effect("keep their secret out of answers, errors, logs, audit and kept results, and can sign with it", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": "secret-of-a-connector" }
      const body = connector("quiet", {}, { secret })
      const answers = [
        yield* put(body, key),
        yield* put(body, key),
        yield* put(connector("quiet", { name: "Other" }, { secret }), key),
        yield* put(connector("quiet", {}, { secret, url: "https://10.0.0.1" })),
        yield* put(connector("quiet", {}, { secret, unknown: true })),
        yield* put(connector("quiet", {}, { secret }), other),
        yield* list()
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 409, 422, 422, 403, 200]
      )
      assert.strictEqual(answers[1]?.headers.get("idempotent-replayed"), "true")
      const rows = yield* everything
      assert.include(rows, "connector.create")
      assert.isAbove(logged.length, 0)
      const found = { answers: JSON.stringify(answers), rows, logged: logged.join("\n") }
      const [, encoded = ""] = secret.split("_")
      const clear = Buffer.from(encoded, "base64")
      const spellings = [secret, encoded, clear.toString(), clear.toString("hex"), Buffer.from(secret).toString("hex")]
      for (const [place, text] of Object.entries(found))
        for (const spelling of spellings) assert.notInclude(text, spelling, place)
      // Nor does the audit tell the path of the URL, which is often a secret.
      assert.strictEqual(rows.split("T0K3N").length, 3, "the connector and the kept result have the URL")

      const { query } = yield* PeoplePool
      const { claimKey } = yield* Journal
      const [sealed] = yield* Store.secretsOf(query, "quiet", 0)
      assert.strictEqual(Sealed.open(claimKey, "quiet", sealed!), secret)
      assert.throws(() => Sealed.open(claimKey, "loud", sealed!))
      assert.strictEqual((yield* remove("quiet")).status, 200)
      assert.deepStrictEqual(yield* Store.secretsOf(query, "quiet", 0), [])
    })
  )

  it.effect("get a secret that only the answer to their creation shows", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": "made-a-secret-1" }
      const made = yield* put(connector("made"), key)
      assert.match(String(made.body["secret"]), /^whsec_[\w+/]{43}=$/)
      assert.strictEqual(shown(made).configuration.secret.last4, String(made.body["secret"]).slice(-4))
      const repeated = yield* put(connector("made"), key)
      assert.notProperty(repeated.body, "secret")
      assert.isTrue(repeated.body["secret_withheld"])
      assert.notProperty((yield* put(connector("made", { name: "Other" }))).body, "secret")
      assert.notProperty((yield* put(connector("given", {}, { secret }))).body, "secret")
      for (const id of ["made", "given"]) yield* remove(id)
    })
  )

  it.effect("are enabled up to 50, and more may be there that are not", () =>
    Effect.gen(function* () {
      for (let n = 1; n <= maxEnabled; n++) assert.strictEqual((yield* put(connector(`many-${n}`))).status, 200)
      assert.deepStrictEqual(yield* said(put(connector("one-more"))), [409, "invalid_state"])
      assert.strictEqual((yield* put(connector("one-more", { enabled: false }))).status, 200)
      const enable = TestServer.send(`${path}/status`, { connector_id: "one-more", enabled: true })
      assert.deepStrictEqual(yield* said(enable), [409, "invalid_state"])
      assert.strictEqual((yield* put(connector("many-1", { enabled: false }))).status, 200)
      assert.strictEqual((yield* enable).status, 200)
      for (const id of ["one-more", ...Array.from({ length: maxEnabled }, (_, n) => `many-${n + 1}`)]) yield* remove(id)
    })
  )

  it.effect("are refused while writes are frozen, and can be read", () =>
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      assert.deepStrictEqual(yield* said(put(connector("cold"))), [503, "write_frozen"])
      assert.deepStrictEqual(yield* said(remove("cold")), [503, "write_frozen"])
      assert.strictEqual((yield* list()).status, 200)
      yield* freeze.set(false)
    })
  )
})
