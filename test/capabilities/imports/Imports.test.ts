/**
 * contract/engagement.md *Imports*: imports of members, over HTTP on PostgreSQL. Holds
 * contract/engagement.md *Opening balances*.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { account, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { Import, RowError } from "../../../src/contract/platform/Imports.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const scopes = ["platform:read", "platform:write"] as const
const tokens = [{ token_sha256: hash("sha256", "other-alone"), scopes, programs: ["other"] }]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "other" }]
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer),
  TestDatabase.layer
)

const path = "/platform/v1/imports"
const other = { authorization: "Bearer other-alone" }

const send = (body: object, headers: Record<string, string> = {}) =>
  TestServer.send(`${path}/members`, body, { headers })
const sendRows = (idempotency_key: string, rows: ReadonlyArray<unknown>) => send({ idempotency_key, program_id, rows })
const sendCsv = (key: string, text: string | Buffer, query = `?program_id=${program_id}`) =>
  Effect.flatMap(TestServer.port, (port) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}/members${query}`, {
        method: "POST",
        headers: {
          authorization: "Bearer proto-dev-token",
          "content-type": "text/csv; charset=utf-8",
          ...(key === "" ? {} : { "idempotency-key": key })
        },
        body: typeof text === "string" ? text : new Uint8Array(text)
      })
      const body = (await response.json()) as Record<string, unknown>
      return { status: response.status, headers: response.headers, body }
    })
  )
const get = (query: string, headers: Record<string, string> = {}) =>
  TestServer.send(`${path}${query}`, undefined, { method: "GET", headers })

const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const done = ({ body, status }: TestServer.Response) => {
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body["import"] as Import
}
const countsOf = ({ created, failed, status, submitted, updated }: Import) => [
  status,
  submitted,
  created,
  updated,
  failed
]
const errorsOf = ({ errors = [] }: Import) => errors.map(({ code, path: place, row }) => [row, place, code])

const count = (from: string) =>
  Effect.map(TestDatabase.query(`SELECT count(*)::int AS n FROM ${from}`), ([row]) => row?.["n"])
const profile = (member: string) =>
  Effect.map(TestDatabase.query(`SELECT * FROM profiles WHERE member_id = '${member}'`), ([row]) => row)
const amountOf = (member: string) =>
  Effect.map(account(member), ({ balances }) => balances.find(({ unit }) => unit === "points")?.amount)

it.layer(layer, { excludeTestServices: true })("imports", (it) => {
  it.effect("enrol members and change them, whole rows, and answer the same key with the first result", () =>
    Effect.gen(function* () {
      yield* enroll("there")
      const rows = [
        { member_id: "there", email: "there@example.com", attributes: { size: 4 } },
        { external_id: "new-1", display_name: "New", opening_balance: 70, consent: { marketing: true } },
        { member_id: "new-2", identity: { type: "loyalty_id", value: "card-new-2", issuer: "x" } },
        { identity: { type: "loyalty_id", value: "card-new-3", issuer: "x" }, phone: "+493012345678" },
        { external_id: "new-1", display_name: "Newer" }
      ]
      const first = yield* sendRows("whole-rows-1", rows)
      assert.deepStrictEqual(countsOf(done(first)), ["completed", 5, 3, 2, 0])
      assert.deepInclude(yield* profile("there"), { email: "there@example.com" })
      const [named] = yield* TestDatabase.query("SELECT * FROM profiles WHERE external_id = 'new-1'")
      assert.deepInclude(named, { display_name: "Newer" })
      assert.strictEqual(yield* amountOf(String(named?.["member_id"])), 70)
      for (const [value, found] of [
        ["card-new-2", "new-2"],
        ["card-new-3", undefined]
      ] as const) {
        const looked = yield* TestServer.send("/proto/v1/members/lookup", {
          context: Testing.context(),
          program_id,
          identity: { type: "loyalty_id", value, issuer: "x" }
        })
        assert.strictEqual(looked.status, 200, value)
        const { member_id } = looked.body["member"] as { readonly member_id: string }
        if (found !== undefined) assert.strictEqual(member_id, found)
        else assert.deepInclude(yield* profile(member_id), { phone: "+493012345678" })
      }

      const again = yield* sendRows("whole-rows-1", rows)
      assert.deepStrictEqual(again.body, first.body)
      assert.deepStrictEqual(
        [first, again].map(({ headers }) => headers.get("idempotent-replayed")),
        [null, "true"]
      )
      assert.deepStrictEqual(yield* said(sendRows("whole-rows-1", rows.slice(1))), [409, "idempotency_conflict"])
      const reordered = yield* sendRows(
        "whole-rows-1",
        rows.map((row) => Object.fromEntries(Object.entries(row).toReversed()))
      )
      assert.strictEqual(reordered.status, 201)
    })
  )

  it.effect("report each bad row with its number, and take the others", () =>
    Effect.gen(function* () {
      for (const member of ["holder", "shut"]) yield* enroll(member)
      yield* sendRows("bad-rows-before", [{ member_id: "holder", external_id: "ext-7" }])
      yield* TestServer.send(
        `/admin/api/v1/members/${program_id}/shut/status`,
        { status: "closed", reason: "t" },
        { headers: { authorization: "Bearer proto-dev-admin-key" } }
      )
      const rows = [
        { member_id: "good-1" },
        { member_id: "bad-1", email: "secret" },
        { member_id: "bad-2", secret: 1, phone: "secret" },
        "secret",
        {},
        { member_id: "shut", display_name: "secret" },
        { member_id: "good-2", external_id: "ext-7" },
        { member_id: "good-3", identity: { type: "loyalty_id", value: "card-holder", issuer: "x" } },
        { member_id: "bad-3", opening_balance: -1 },
        { member_id: "good-4" }
      ]
      const found = done(yield* sendRows("bad-rows-1", rows))
      assert.deepStrictEqual(countsOf(found), ["partial", 10, 3, 0, 8])
      assert.deepStrictEqual(errorsOf(found), [
        [2, "/email", "validation_failed"],
        [3, "/phone", "validation_failed"],
        [3, "/secret", "validation_failed"],
        [4, "", "validation_failed"],
        [5, "/member_id", "validation_failed"],
        [6, "", "member_not_active"],
        [7, "", "conflict"],
        [8, "/identity", "conflict"],
        [9, "/opening_balance", "validation_failed"]
      ])
      for (const { detail } of found.errors ?? []) assert.notMatch(detail, /secret|shut|ext-7|holder|good/)
      assert.deepStrictEqual(countsOf(done(yield* sendRows("bad-rows-2", [{}]))), ["failed", 1, 0, 0, 1])
    })
  )

  it.effect("fail a row alone whose keys no text can be: with NUL, half a character, or cut in one", () =>
    Effect.gen(function* () {
      const rows = ["\u0000", "\ud800", `k${"😀".repeat(100)}`].map((name) => ({ member_id: "odd-key", [name]: 1 }))
      const { failed, updated, created } = done(yield* sendRows("odd-keys", [...rows, { member_id: "odd-key" }]))
      assert.deepStrictEqual([failed, created + updated], [3, 1])
    })
  )

  it.effect("post the opening balance of a member with the longest id under an identifier", () =>
    Effect.gen(function* () {
      const member_id = "o".repeat(128)
      for (const key of ["opening-long-1", "opening-long-2"])
        done(yield* sendRows(key, [{ member_id, opening_balance: 5 }]))
      assert.strictEqual(yield* amountOf(member_id), 5)
      const ids = yield* TestDatabase.query(
        "SELECT adjustment_id AS id FROM ledger_entries WHERE adjustment_id LIKE 'opening::%'"
      )
      assert.lengthOf(ids, 1)
      assert.match(String(ids[0]?.["id"]), /^opening::\w+$/)
    })
  )

  it.effect("post an opening balance once for everybody whom a member contains", () =>
    Effect.gen(function* () {
      const rows = (...all: ReadonlyArray<readonly [string, number]>) =>
        all.map(([member_id, opening_balance]) => ({ member_id, opening_balance }))
      const sent = (key: string, ...all: ReadonlyArray<readonly [string, number]>) =>
        Effect.map(sendRows(key, rows(...all)), (answer) => errorsOf(done(answer)))
      const postings = (member: string) =>
        count(`ledger_entries WHERE adjustment_id LIKE 'opening:%' AND account IN
          (SELECT number FROM accounts WHERE member_id = '${member}')`)
      const merge = (from: string, into: string) =>
        TestServer.send(
          `/admin/api/v1/members/${program_id}/merge`,
          { from, into, reason: "two cards" },
          { headers: { authorization: "Bearer proto-dev-admin-key" } }
        )
      // One with an opening balance is merged into one without.
      yield* sent("contain-1", ["open-x", 100], ["open-y", 0])
      assert.strictEqual((yield* merge("open-x", "open-y")).status, 200)
      assert.deepStrictEqual(yield* sent("contain-2", ["open-x", 100]), [])
      assert.deepStrictEqual(yield* sent("contain-3", ["open-y", 100]), [])
      assert.deepStrictEqual(yield* sent("contain-4", ["open-y", 200]), [[1, "/opening_balance", "conflict"]])
      assert.strictEqual(yield* postings("open-y"), 0)
      // Both have one.
      yield* sent("contain-5", ["open-a", 100], ["open-b", 200])
      assert.strictEqual((yield* merge("open-a", "open-b")).status, 200)
      assert.deepStrictEqual(yield* sent("contain-6", ["open-a", 100], ["open-b", 200]), [])
      assert.strictEqual(yield* postings("open-b"), 1)
      // And into one more, which has none.
      yield* sent("contain-7", ["open-c", 0])
      assert.strictEqual((yield* merge("open-b", "open-c")).status, 200)
      assert.deepStrictEqual(yield* sent("contain-8", ["open-a", 100], ["open-b", 200]), [])
      assert.deepStrictEqual(yield* sent("contain-9", ["open-c", 300]), [[1, "/opening_balance", "conflict"]])
      assert.strictEqual(yield* postings("open-c"), 0)
    })
  )

  it.effect("post an opening balance once ever, whatever key or file it comes with", () =>
    Effect.gen(function* () {
      const rows = [{ member_id: "opens", opening_balance: 500 }]
      yield* sendRows("opening-json", rows)
      assert.strictEqual(yield* amountOf("opens"), 500)
      for (const [key, text] of [
        ["opening-csv-1", "member_id,opening_balance\nopens,500\n"],
        ["opening-csv-2", "opening_balance,member_id\n500,opens"]
      ] as const)
        assert.deepStrictEqual(countsOf(done(yield* sendCsv(key, text))), ["completed", 1, 0, 1, 0])
      const more = done(yield* sendCsv("opening-csv-3", "member_id,opening_balance,display_name\nopens,501,Opal\n"))
      assert.deepStrictEqual(errorsOf(more), [[2, "/opening_balance", "conflict"]])
      assert.strictEqual(yield* amountOf("opens"), 500)
      assert.deepInclude(yield* profile("opens"), { display_name: "Opal" })
      const [entry, ...others] = yield* TestDatabase.query(
        "SELECT classification, adjustment_id FROM ledger_entries WHERE adjustment_id LIKE 'opening:%opens'"
      )
      assert.deepStrictEqual(others, [])
      assert.deepInclude(entry, { classification: "migration", adjustment_id: "opening:opens" })
      assert.deepStrictEqual(
        countsOf(done(yield* sendRows("opening-none", [{ member_id: "zero", opening_balance: 0 }]))),
        ["completed", 1, 1, 0, 0]
      )
      assert.strictEqual(yield* amountOf("zero"), 0)
    })
  )

  it.effect("take CSV as a body or in JSON, and refuse what is no such file", () =>
    Effect.gen(function* () {
      const text = '\uFEFFmember_id,display_name\r\ncsv-1,"Ann, ""A""\r\nLee"\r\ncsv-2,\'=1+1'
      assert.deepStrictEqual(countsOf(done(yield* sendCsv("csv-body-1", text))), ["completed", 2, 2, 0, 0])
      assert.deepInclude(yield* profile("csv-1"), { display_name: 'Ann, "A"\r\nLee' })
      assert.deepInclude(yield* profile("csv-2"), { display_name: "=1+1" })
      const inJson = done(yield* send({ idempotency_key: "csv-json-1", program_id, csv: text }))
      assert.deepStrictEqual(countsOf(inJson), ["completed", 2, 0, 2, 0])
      // The body's key wins over the header's, which does where there is none.
      const header = { "idempotency-key": "csv-json-1" }
      assert.strictEqual((yield* send({ program_id, csv: text }, header)).headers.get("idempotent-replayed"), "true")
      const own = yield* send({ idempotency_key: "csv-json-2", program_id, csv: text }, header)
      assert.isNull(own.headers.get("idempotent-replayed"))

      const refused = (answer: TestServer.Response) => {
        const errors = answer.body["errors"] as ReadonlyArray<{ readonly path: string }> | undefined
        return [answer.status, answer.body["code"], errors?.map((one) => one.path).join()]
      }
      const fault = (place: string) => [422, "validation_failed", place]
      const latin1 = Buffer.from("member_id,display_name\nm,Andr\u00e9\n", "latin1")
      assert.deepStrictEqual(refused(yield* sendCsv("csv-refused", latin1)), fault(""))
      assert.deepStrictEqual(refused(yield* sendCsv("csv-refused", "member_id,secret\nm,1")), fault("/csv"))
      assert.deepStrictEqual(refused(yield* sendCsv("", text)), fault("/idempotency_key"))
      assert.deepStrictEqual(refused(yield* sendCsv("short", text)), fault("/idempotency_key"))
      assert.deepStrictEqual(refused(yield* sendCsv("csv-refused", text, "")), fault("/program_id"))
      assert.strictEqual((yield* sendCsv("csv-refused", `member_id\n${"m".repeat(1_048_576)}`)).status, 413)
      const rows = [{ member_id: "m" }]
      assert.deepStrictEqual(
        refused(yield* send({ idempotency_key: "csv-refused", program_id, rows, csv: text })),
        fault("")
      )
      assert.deepStrictEqual(refused(yield* send({ idempotency_key: "csv-refused", program_id })), fault(""))
      const many = Array.from({ length: 1_001 }, () => ({ member_id: "m" }))
      assert.deepStrictEqual(refused(yield* sendRows("csv-refused", many)), fault("/rows"))
      assert.deepStrictEqual(refused(yield* sendRows("csv-refused", [])), fault("/rows"))
      const plain = { "content-type": "text/plain" }
      assert.deepStrictEqual(yield* said(send({ program_id, rows }, plain)), [415, "unsupported_media_type"])
      assert.strictEqual(yield* count("imports WHERE submitted > 1000 OR created + updated + failed < submitted"), 0)
      // A refused request took no key.
      assert.strictEqual((yield* sendRows("csv-refused", rows)).status, 201)
    })
  )

  it.effect("number the rows of a file as spreadsheets do, pass over blank ones, and tell the file's name", () =>
    Effect.gen(function* () {
      const text = 'member_id,email,display_name\r\n\r\nblank-1,,"two\r\nlines"\r\n,,\r\nblank-2,secret,\r\n , ,\r\n'
      const query = `?program_id=${program_id}&file_name=${encodeURIComponent("Gäste 2026.csv")}`
      const first = done(yield* sendCsv("blank-rows-1", text, query))
      assert.deepStrictEqual(countsOf(first), ["partial", 2, 1, 0, 1])
      assert.deepStrictEqual(errorsOf(first), [[5, "/email", "validation_failed"]])
      assert.strictEqual(first.file_name, "Gäste 2026.csv")
      const listed = (yield* get(`?program_id=${program_id}&limit=1`)).body["imports"] as ReadonlyArray<Import>
      assert.deepStrictEqual(
        listed.map(({ created_by, file_name }) => [created_by, file_name]),
        [[first.created_by, "Gäste 2026.csv"]]
      )
      assert.isUndefined(done(yield* sendRows("no-file-name", [{ member_id: "blank-1" }])).file_name)
      assert.strictEqual((yield* sendCsv("blank-rows-2", text, `${query}${"x".repeat(2_000)}`)).status, 422)
    })
  )

  it.effect("are listed newest first, with their errors page by page and as safe CSV", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (const key of ["listed-key-1", "listed-key-2"]) {
        const rows = [{ member_id: "listed" }, { email: "x" }, { phone: "y", email: "x", "=cmd": 1 }]
        ids.push(done(yield* sendRows(key, rows)).import_id)
      }
      const [first = "", last = ""] = ids
      const page = yield* get(`?program_id=${program_id}&limit=1`)
      const only = (page.body["imports"] as ReadonlyArray<Import>).map(({ errors, import_id }) => [import_id, errors])
      assert.deepStrictEqual(only, [[last, undefined]])
      const next = yield* get(`?program_id=${program_id}&limit=1&cursor=${page.body["next_cursor"]}`)
      assert.strictEqual((next.body["imports"] as ReadonlyArray<Import>)[0]?.import_id, first)
      const one = (yield* get(`?import_id=${first}`)).body["import"] as Import
      assert.deepStrictEqual(countsOf(one), ["partial", 3, 1, 0, 2])

      const wanted = [
        [2, "/email"],
        [3, "/email"],
        [3, "/phone"],
        [3, "/=cmd"]
      ]
      const seen: Array<RowError> = []
      let cursor: string | undefined
      do {
        const { body } = yield* get(
          `/errors?import_id=${first}&limit=1${cursor === undefined ? "" : `&cursor=${cursor}`}`
        )
        seen.push(...(body["errors"] as ReadonlyArray<RowError>))
        cursor = body["next_cursor"] as string | undefined
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        seen.map(({ path: place, row }) => [row, place]),
        wanted
      )
      assert.deepStrictEqual(seen, one.errors)
      const accept = (value: string) => get(`/errors?import_id=${first}`, { accept: value })
      for (const value of ["text/csv", "text/html;q=0.9, text/csv;q=0.8, application/json;q=0.5"]) {
        const csv = yield* accept(value)
        assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
        const lines = String(csv.body["text"]).split("\r\n")
        assert.strictEqual(lines[0], "row,path,code,detail")
        assert.strictEqual(lines.length, wanted.length + 2)
      }
      for (const value of ["*/*", "application/json, text/csv;q=0.9", "text/csv;q=0"])
        assert.match(String((yield* accept(value)).headers.get("content-type")), /^application\/json/, value)

      assert.deepStrictEqual(yield* said(get("?import_id=nothing")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(get("/errors?import_id=nothing")), [404, "not_found"])
      assert.strictEqual((yield* get("/errors")).status, 422)
      for (const query of [`?import_id=${first}`, `/errors?import_id=${first}`, `?program_id=${program_id}`])
        assert.deepStrictEqual(yield* said(get(query, other)), [403, "forbidden"])
    })
  )

  it.effect("belong to a programme, whose keys they are", () =>
    Effect.gen(function* () {
      const rows = [{ member_id: "theirs", external_id: "theirs" }]
      const theirs = { idempotency_key: "the-same-key", rows }
      assert.strictEqual((yield* send(theirs, other)).status, 201)
      assert.strictEqual((yield* sendRows("the-same-key", [{ member_id: "ours" }, { email: "x" }])).status, 201)
      assert.deepStrictEqual(yield* said(send({ ...theirs, program_id }, other)), [403, "forbidden"])
    })
  )

  it.effect("of one key at the same instant run once", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 20 }, (_, n) => ({ member_id: `twice-${n}`, opening_balance: 5 }))
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => sendRows("sent-four-times", rows)),
        { concurrency: 4 }
      )
      for (const answer of answers) assert.deepStrictEqual(countsOf(done(answer)), ["completed", 20, 20, 0, 0])
      assert.strictEqual(answers.filter(({ headers }) => headers.has("idempotent-replayed")).length, 3)
      assert.strictEqual(yield* count("ledger_entries WHERE adjustment_id LIKE 'opening:twice-%'"), 20)
    })
  )

  it.effect("are refused while writes are frozen, and can be read", () =>
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      assert.deepStrictEqual(yield* said(sendRows("while-frozen", [{ member_id: "cold" }])), [503, "write_frozen"])
      assert.strictEqual((yield* get(`?program_id=${program_id}`)).status, 200)
      yield* freeze.set(false)
    })
  )
})
