/** The addresses of connections, over HTTP on PostgreSQL. Holds contract/tills.md *Addresses*, *Guests*. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { randomUUID } from "node:crypto"
import * as net from "node:net"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import type { Connection } from "../../../src/contract/admin/Connections.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { root } from "../../capabilities/operators/Operators.ts"
import * as World from "../../capabilities/tills/toast/World.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Edge from "./TestServer.ts"

/** All that is logged, whatever its level. */
const logged: Array<string> = []
const logs = Layer.merge(
  Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]),
  Layer.succeed(References.MinimumLogLevel, "All")
)
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
).pipe(Layer.provideMerge(logs))

const path = "/admin/api/v1/connections"
const program_id = Testing.demoProgram.id
const admin = (method: string, place: string, body?: object) =>
  TestServer.send(`${path}${place}`, body, { method, headers: root })

interface Till {
  readonly id: string
  readonly key: string
}

const connect = (settings: object = {}) =>
  Effect.map(
    admin("POST", "", {
      vendor: "toast",
      program_id,
      name: "Corner Bowl",
      restaurants: [{ external_id: "T-EAST", location_id: "east" }],
      settings
    }),
    ({ body }): Till => ({
      id: (body["connection"] as Connection).connection_id,
      key: String(body["secret"])
    })
  )

/** Sends a transaction as a till does. */
const send = ({ id, key }: Till, type: string, body: object, more: Record<string, string> = {}) =>
  TestServer.send(
    `/connect/toast/${id}`,
    { toastTransactionType: `LOYALTY_${type}`, ...body },
    {
      headers: {
        authorization: key,
        "toast-transaction-type": `LOYALTY_${type}`,
        "toast-transaction-guid": randomUUID(),
        "toast-restaurant-external-id": "T-EAST",
        ...more
      }
    }
  )
const search = (till: Till, searchCriteria: object, more?: Record<string, string>) =>
  send(till, "SEARCH", { searchTransactionInformation: { searchCriteria } }, more)
const accrue = (till: Till, loyaltyIdentifier: string, check: object) =>
  send(till, "ACCRUE", { checkTransactionInformation: { loyaltyIdentifier, check } })

const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["transactionStatus"]] as const)
const found = ({ body }: TestServer.Response) =>
  (body["searchResponse"] as { readonly accounts: ReadonlyArray<Record<string, string>> } | undefined)?.accounts

const unknown = [400, "ERROR_INVALID_TOKEN"] as const
const profile = (member_id: string, display_name: string, phone: string) =>
  TestServer.send(
    "/platform/v1/members",
    { member_id, program_id, display_name, phone, email: `${member_id}@example.com` },
    { method: "PUT" }
  )

/** Time passes until what nodes know of connections is read again. */
const knownAnew = Effect.sleep(600)

it.layer(layer, { excludeTestServices: true })("a till at the address of its connection", (it) => {
  it.effect(
    "needs its key, with or without Bearer; a paused, deleted or unknown connection answers as a wrong key",
    () =>
      Effect.gen(function* () {
        const till = yield* connect()
        yield* knownAnew
        const nobody = { phone: "2025550100" }
        assert.deepStrictEqual(yield* said(search(till, nobody)), [404, "ERROR_ACCOUNT_INVALID"])
        const bearer = { authorization: `Bearer ${till.key}` }
        assert.deepStrictEqual(yield* said(search(till, nobody, bearer)), [404, "ERROR_ACCOUNT_INVALID"])
        const wrong = yield* search({ ...till, key: "tll_wrong" }, nobody)
        const strange = yield* search({ ...till, id: `cnx_${"0".repeat(32)}` }, nobody)
        assert.deepStrictEqual([wrong.status, wrong.body["transactionStatus"]], [...unknown])
        assert.deepStrictEqual(strange.body, wrong.body)
        const rotated = yield* admin("POST", `/${till.id}/rotate`, { overlap_minutes: 60 })
        yield* knownAnew
        for (const key of [till.key, String(rotated.body["secret"])])
          assert.deepStrictEqual(yield* said(search({ ...till, key }, nobody)), [404, "ERROR_ACCOUNT_INVALID"])
        yield* admin("POST", `/${till.id}/rotate`, { overlap_minutes: 0 })
        yield* knownAnew
        assert.deepStrictEqual(yield* said(search({ ...till, key: String(rotated.body["secret"]) }, nobody)), unknown)
        const other = yield* connect()
        yield* knownAnew
        yield* admin("PATCH", `/${other.id}`, { status: "paused" })
        yield* knownAnew
        assert.deepStrictEqual(yield* said(search(other, nobody)), unknown)
        // A redemption that comes again is looked up, and one that never came is refused for good.
        assert.deepStrictEqual(yield* said(send(other, "REDEEM", {})), unknown)
        const { body } = yield* admin("GET", `/${other.id}/transactions`)
        assert.deepInclude((body["transactions"] as ReadonlyArray<object>)[0], {
          type: "LOYALTY_REDEEM",
          status: "refused",
          reason: "The connection was paused, or its key had ended."
        })
        yield* admin("PATCH", `/${other.id}`, { status: "active" })
        yield* knownAnew
        assert.deepStrictEqual(yield* said(search(other, nobody)), [404, "ERROR_ACCOUNT_INVALID"])
        yield* admin("DELETE", `/${other.id}`)
        yield* knownAnew
        assert.deepStrictEqual(yield* said(search(other, nobody)), unknown)
      })
  )

  it.effect("that guesses keys is blocked, and one that has sent the right key from there is not", () =>
    Effect.gen(function* () {
      const [guessed, other] = [yield* connect(), yield* connect()]
      yield* knownAnew
      const nobody = { phone: "2025550100" }
      const right = [404, "ERROR_ACCOUNT_INVALID"] as const
      assert.deepStrictEqual(yield* said(search(other, nobody)), right)
      for (let n = 0; n < 30; n++)
        for (const till of [guessed, other])
          assert.deepStrictEqual(yield* said(search({ ...till, key: `tll_guessed-${n}` }, nobody)), unknown)
      assert.deepStrictEqual(yield* said(search(guessed, nobody)), unknown)
      assert.deepStrictEqual(yield* said(search(other, nobody)), right)
      const { query } = yield* PeoplePool
      const [rows] = yield* query(
        "SELECT (SELECT string_agg(t::text, ' ') FROM connection_transactions t) || (SELECT string_agg(a::text, ' ') FROM audit a) AS text"
      )
      const metrics = yield* TestServer.send("/metrics", undefined, { method: "GET" })
      const list = yield* admin("GET", `/${guessed.id}/transactions`)
      const places = { rows: rows?.["text"] ?? "", logs: logged.join(), metrics: metrics.body["text"], list: list.body }
      for (const [place, text] of Object.entries(places)) assert.notInclude(JSON.stringify(text), "guessed-", place)
      // They cost no list and no series: nothing of them is told but that requests were refused.
      assert.deepStrictEqual(list.body, { transactions: [] })
    })
  )

  it.effect("gets no body read without a key: of 1 MiB to an unknown connection the answer comes before it", () =>
    Effect.gen(function* () {
      const port = yield* TestServer.port
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve, reject) => {
            const socket = net.connect(port, "127.0.0.1", () =>
              socket.write(
                `POST /connect/toast/cnx_${"1".repeat(32)} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
                  `Authorization: guess\r\nContent-Length: ${1024 * 1024}\r\n\r\n{`
              )
            )
            let text = ""
            socket.on("data", (chunk) => (text += String(chunk))).on("end", () => resolve(text))
            socket.on("error", reject)
          })
      )
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /connection: close/i)
      assert.include(answer, "ERROR_INVALID_TOKEN")
    })
  )

  it.effect(
    "earns and asks while it may, is told to ask again while writes are frozen, and has its place in log and metrics",
    () =>
      Effect.gen(function* () {
        const till = yield* connect()
        yield* knownAnew
        yield* Guests.enroll("served")
        const check = World.check(World.guid(), [{ guid: World.guid(), price: 11 }])
        assert.deepStrictEqual(yield* said(accrue(till, "served", check)), [200, "ACCEPT"])
        assert.strictEqual((yield* Guests.balanceOf("served")).amount, 110)
        const freeze = yield* WriteFreeze
        yield* freeze.set(true)
        const other = World.check(World.guid(), [{ guid: World.guid(), price: 11 }])
        assert.deepStrictEqual(yield* said(accrue(till, "served", other)), [500, "ERROR"])
        const inquiry = { checkTransactionInformation: { loyaltyIdentifier: "served", check: other } }
        assert.deepStrictEqual(yield* said(send(till, "INQUIRE", inquiry)), [200, "ACCEPT"])
        yield* freeze.set(false)
        assert.deepStrictEqual(yield* said(accrue(till, "served", other)), [200, "ACCEPT"])
        const transfer = {
          transferTransactionInformation: { fromLoyaltyIdentifier: "served", toLoyaltyIdentifier: "x" }
        }
        assert.deepStrictEqual(yield* said(send(till, "TRANSFER", transfer)), [400, "ERROR_INVALID_TRANSFER"])
        const place = { "toast-restaurant-external-id": "T-WEST" }
        assert.deepStrictEqual(yield* said(search(till, { phone: "2025550100" }, place)), [
          400,
          "ERROR_INVALID_RESTAURANT"
        ])
        const broken = yield* TestServer.send(`/connect/toast/${till.id}`, "{", {
          headers: {
            authorization: till.key,
            "toast-transaction-type": "LOYALTY_SEARCH",
            "toast-restaurant-external-id": "T-EAST"
          }
        })
        assert.deepStrictEqual(
          [broken.status, broken.body],
          [400, { transactionStatus: "ERROR_INVALID_INPUT_PROPERTIES" }]
        )
        const { body } = yield* admin("GET", `/${till.id}/transactions`)
        const rows = body["transactions"] as ReadonlyArray<{
          readonly type: string
          readonly status: string
          readonly reason?: string
          readonly restaurant?: string
        }>
        assert.deepStrictEqual(
          rows.map(({ status, type }) => `${type} ${status}`),
          ["LOYALTY_SEARCH refused", "LOYALTY_TRANSFER refused", "LOYALTY_ACCRUE done", "LOYALTY_ACCRUE done"]
        )
        assert.match(rows[0]?.reason ?? "", /restaurant/)
        yield* search(till, { phone: "2025550100" }, { "toast-restaurant-external-id": "W".repeat(2_000) })
        const [long] = (yield* admin("GET", `/${till.id}/transactions?limit=1`)).body["transactions"] as typeof rows
        assert.deepInclude(long, { restaurant: "W".repeat(128), status: "refused" })
        const { query } = yield* PeoplePool
        const [row] = yield* query(`SELECT actor FROM journal WHERE actor LIKE 'connection:%' LIMIT 1`)
        assert.strictEqual(row?.["actor"], "connection:Corner Bowl")
        const metrics = yield* TestServer.send("/metrics", undefined, { method: "GET" })
        assert.match(
          String(metrics.body["text"]),
          /^lotbook_connection_requests_total\{(?=.*outcome="accepted")(?=.*type="LOYALTY_ACCRUE").*vendor="toast".*\} 2$/m
        )
      })
  )

  it.effect(
    "finds guests by number, address and name, tells no more than its setting, and nothing of them is logged",
    () =>
      Effect.gen(function* () {
        yield* profile("ada", "Ada Lovelace", "+12025550142")
        yield* profile("alan", "Alan Turing", "+12025550143")
        const masked = yield* connect()
        const named = yield* connect({ tells: "names", search_by_name: true })
        const silent = yield* connect({ tells: "none", search_by_name: true })
        yield* knownAnew
        const ofPhone = { phone: "2025550142" }
        const account = { identifier: "ada", pointsBalance: "0" }
        assert.deepStrictEqual(found(yield* search(masked, ofPhone)), [
          { ...account, firstName: "Ada", lastName: "L.", phone: "**********42" }
        ])
        const whole = {
          ...account,
          firstName: "Ada",
          lastName: "Lovelace",
          phone: "+12025550142",
          email: "ada@example.com"
        }
        assert.deepStrictEqual(found(yield* search(named, { email: " ADA@Example.com " })), [whole])
        assert.deepStrictEqual(found(yield* search(silent, ofPhone)), [account])
        assert.deepStrictEqual(found(yield* search(named, { firstName: "Ada", lastName: "Love" })), [whole])
        const none = [404, "ERROR_ACCOUNT_INVALID"] as const
        assert.deepStrictEqual(yield* said(search(masked, { firstName: "Ada" })), none)
        assert.deepStrictEqual(yield* said(search(named, { firstName: "Ad" })), none)
        const signUp = (contact: object, id: string) =>
          send(masked, "SIGNUP", { signupTransactionInformation: contact }, { "toast-transaction-guid": id })
        const id = randomUUID()
        const first = yield* signUp({ phone: "2025550199" }, id)
        assert.deepStrictEqual([first.status, first.body["transactionStatus"]], [200, "ACCEPT"])
        assert.deepStrictEqual((yield* signUp({ phone: "2025550199" }, id)).body, first.body)
        const known = [400, "ERROR_ALREADY_REGISTERED"] as const
        assert.deepStrictEqual(yield* said(signUp({ phone: "(202) 555-0199" }, randomUUID())), known)
        assert.deepStrictEqual(yield* said(signUp(ofPhone, randomUUID())), known)
        const { loyaltyIdentifier } = first.body["signupResponse"] as { readonly loyaltyIdentifier: string }
        assert.strictEqual(
          found(yield* search(masked, { phone: "2025550199" }))?.[0]?.["identifier"],
          loyaltyIdentifier
        )
        const { query } = yield* PeoplePool
        const [rows] = yield* query("SELECT string_agg(t::text, ' ') AS text FROM connection_transactions t")
        const metrics = yield* TestServer.send("/metrics", undefined, { method: "GET" })
        const lists = yield* admin("GET", `/${masked.id}/transactions`)
        const places = {
          rows: rows?.["text"],
          logs: logged.join("\n"),
          metrics: metrics.body["text"],
          list: lists.body
        }
        for (const [place, text] of Object.entries(places))
          for (const personal of ["Lovelace", "2025550142", "2025550199", "ada@example", masked.key])
            assert.notInclude(JSON.stringify(text), personal, place)
      })
  )
})

it("a redemption that the gate refuses for a while gets no answer, so that the till asks again; other transactions get 500", async () => {
  const server = await Edge.start()
  server.standing = { role: "node", isCurrent: false }
  const sent = (type: string) =>
    Edge.ask(server.port, {
      method: "POST",
      path: `/connect/toast/cnx_${"1".repeat(32)}`,
      headers: { ...Edge.json, "toast-transaction-type": type },
      body: "{}"
    })
  assert.strictEqual((await sent("LOYALTY_ACCRUE")).status, 500)
  const failure = await sent("LOYALTY_REDEEM").catch(({ code }: { readonly code: string }) => code)
  assert.strictEqual(failure, "ECONNRESET")
  await server.stop()
})
