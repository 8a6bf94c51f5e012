/** contract/operators.md *One member*: the operators' routes of one member, over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import type { Schema } from "effect"
import { Effect, Layer, Result } from "effect"
import { hash } from "node:crypto"
import { body, credit, enroll, ledgerOf, reserve } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { LedgerPage } from "../../../src/contract/admin/MemberLedger.ts"
import * as Contract from "../../../src/contract/admin/Members.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { verify } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"
import { hire, page } from "../staff/Clerks.ts"

type LedgerEntry = ResponseOf<"ledger.list">["entries"][number]

const program_id = Testing.demoProgram.id
const root = { authorization: "Bearer proto-dev-admin-key" }
const otherProgram = {
  token_sha256: hash("sha256", "token-of-another-programme"),
  scopes: ["admin:read", "admin:write"],
  programs: ["other"]
} as const
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [otherProgram], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)

const get = (member: string, rest = "") =>
  TestServer.send(`${Contract.pathOf(program_id, member)}${rest}`, undefined, { method: "GET", headers: root })

const post = (member: string, rest: string, payload: unknown) =>
  TestServer.send(`${Contract.pathOf(program_id, member)}${rest}`, payload, { headers: root })

/** The body, which must be exactly of its schema. */
const exactly = <S extends Schema.Top>(schema: S, body: unknown): S["Type"] =>
  Result.getOrThrowWith(strictDecoder(schema as never)(body), (faults) => new Error(JSON.stringify(faults)))

const shown = (member: string) => Effect.map(get(member), ({ body }) => exactly(Contract.MemberShown, body))

const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)

const card = (value: string) => ({ type: "loyalty_id", value, issuer: "x" }) as const

const adjustment = (adjustment_id: string, amount: number) => ({
  adjustment_id,
  amount,
  classification: "service_recovery",
  reason: "Order came late",
  qualifies_for_tier: false
})

it.layer(layer, { excludeTestServices: true })("the routes of one member", (it) => {
  it.effect("shows the member, balances, metrics, tier, lots, open reservations and open rewards", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", -30)
      yield* credit("ada", 100)
      yield* credit("ada", 200)
      yield* credit("ada", -20)
      yield* reserve("ada", "ada-1")
      yield* reserve("ada", "ada-2").pipe(
        Effect.flatMap(({ reservation }) =>
          body(
            Testing.call("redemption.reverse", {
              context: Testing.context(),
              reservation_id: reservation.reservation_id,
              reason: "left"
            })
          )
        )
      )
      yield* post("ada", "/rewards", { issued_reward_id: "ada-open", reward_id: "free-bowl" })
      yield* post("ada", "/rewards", { issued_reward_id: "ada-gone", reward_id: "free-bowl" })
      yield* body(
        Testing.call("issued_reward.cancel", {
          context: Testing.context(),
          issued_reward_id: "ada-gone",
          reason: "test"
        })
      )
      const ada = yield* shown("ada")
      assert.deepInclude(ada.member, { member_id: "ada", status: "active", identities: [card("card-ada")] })
      assert.deepInclude(ada.balances[0], { amount: 250, reserved: 100, available: 150 })
      assert.sameMembers(
        ada.metrics.map(({ metric_id }) => metric_id),
        Testing.demoProgram.metrics.map(({ metric_id }) => metric_id)
      )
      assert.strictEqual(ada.tier_progress?.current_tier_id, "starter")
      // The first credit filled the hole with 30; then 20 were spent.
      assert.deepStrictEqual(
        ada.lots.map(({ amount, remaining, unit }) => [unit, amount, remaining]),
        [
          ["points", 70, 50],
          ["points", 200, 200]
        ]
      )
      assert.strictEqual(new Set(ada.lots.map(({ lot_id }) => lot_id)).size, 2)
      assert.deepStrictEqual(
        ada.reservations.map(({ redemption_id, status }) => [redemption_id, status]),
        [["ada-1", "reserved"]]
      )
      assert.deepStrictEqual(
        ada.issued_rewards.map(({ issued_reward_id }) => issued_reward_id),
        ["ada-open"]
      )
    })
  )

  it.effect("nothing is found under another programme, another member, or a name that is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(get("nobody")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(get("no%20id")), [404, "not_found"])
      const elsewhere = TestServer.send(Contract.pathOf("other", "ada"), undefined, { method: "GET", headers: root })
      assert.deepStrictEqual(yield* said(elsewhere), [404, "not_found"])
      assert.deepStrictEqual(yield* said(post("nobody", "/adjustments", adjustment("x", 1))), [404, "not_found"])
      assert.deepStrictEqual(yield* said(post("nobody", "/status", { status: "closed", reason: "x" })), [
        404,
        "not_found"
      ])
      const plain = TestServer.send(Contract.pathOf(program_id, "ada"), undefined, { method: "GET" })
      assert.deepStrictEqual(yield* said(plain), [403, "forbidden"])
    })
  )

  it.effect("lists the ledger by the filters of ledger/list, page by page, with the dates of orders", () =>
    Effect.gen(function* () {
      yield* enroll("ben")
      for (let n = 1; n <= 5; n++) yield* credit("ben", n)
      const placed = Testing.placedAt(Date.now() - 3_600_000)
      const order = Testing.order("ben-1", 1_000, placed)
      yield* Testing.call("accrual.post", { context: Testing.context(), member_id: "ben", order })
      // Absent and undefined are the same on the wire.
      const asListed: ReadonlyArray<LedgerEntry> = JSON.parse(JSON.stringify(yield* ledgerOf("ben")))
      const all = asListed.map((entry) => (entry.operation === "accrual" ? { ...entry, ...placed } : entry))
      const listed = (rest: string) => Effect.map(get("ben", `/ledger${rest}`), ({ body }) => exactly(LedgerPage, body))
      const list = (rest: string) =>
        Effect.map(listed(rest), ({ entries, ...next }) => ({
          ...next,
          entries: entries.map(
            ({ actor: _, balance: _b, cause: _c, rate: _r, request: _q, ...entry }): LedgerEntry => entry
          )
        }))
      const posted = (yield* listed("")).entries.map(({ actor, operation, request }) => ({ actor, operation, request }))
      assert.deepInclude(posted[0], { actor: "test", operation: "accrual" })
      assert.deepInclude(posted[0]?.request, { source: { system: "test" } })
      assert.match(String(posted[0]?.request?.request_id), /^req-\d+$/)
      assert.deepStrictEqual((yield* list("")).entries, all)
      const first = yield* list("?limit=4")
      const second = yield* list(`?limit=4&cursor=${first.next_cursor}`)
      assert.deepStrictEqual([...first.entries, ...second.entries], all)
      assert.isUndefined(second.next_cursor)
      assert.deepStrictEqual((yield* list("?operations=accrual")).entries, all.slice(0, 1))
      assert.deepStrictEqual((yield* list("?operations=accrual,manual")).entries, all)
      assert.deepStrictEqual((yield* list("?account_id=stamps:ben")).entries, [])
      assert.deepStrictEqual((yield* list("?account_id=points:ben")).entries, all)
      const from = encodeURIComponent(all[0]!.occurred_at)
      assert.isAtLeast((yield* list(`?occurred_from=${from}`)).entries.length, 1)
      assert.deepStrictEqual((yield* list("?occurred_until=2001-01-01T00:00:00Z")).entries, [])
      const other = get("ben", `/ledger?limit=4&operations=manual&cursor=${first.next_cursor}`)
      assert.deepStrictEqual(yield* said(other), [400, "invalid_cursor"])
      for (const wrong of ["limit=0", "limit=201", "operations=gift", "occurred_from=soon", "unknown=1"])
        assert.deepStrictEqual(yield* said(get("ben", `/ledger?${wrong}`)), [422, "validation_failed"], wrong)
    })
  )

  it.effect("an entry has the balance after it and an order's rate, also where one record has more entries", () =>
    Effect.gen(function* () {
      for (const member of ["una", "vic"]) yield* enroll(member)
      yield* credit("una", 40)
      yield* credit("vic", 5)
      const order = Testing.order("una-1", 1_000)
      yield* body(Testing.call("accrual.post", { context: Testing.context(), member_id: "una", order }))
      yield* credit("una", -15)
      const entriesOf = Effect.fnUntraced(function* (query: string) {
        const answer = yield* get("una", `/ledger${query}`)
        return exactly(LedgerPage, answer.body).entries
      })
      const entries = yield* entriesOf("")
      assert.deepStrictEqual(
        entries.map(({ amount, balance }) => [amount, balance]),
        [
          [-15, 125],
          [100, 140],
          [40, 40]
        ]
      )
      assert.deepStrictEqual(entries[1]?.rate, {
        amount: 10,
        spend: { amount: 100, currency: "USD" },
        multiplier_bps: 10_000,
        eligible_spend: { amount: 1_000, currency: "USD" }
      })
      assert.isUndefined(entries[0]?.rate)
      // A filter leaves entries out, and their amounts count.
      assert.deepStrictEqual(
        (yield* entriesOf("?operations=accrual")).map(({ balance }) => balance),
        [140]
      )
      const merge = { from: "una", into: "vic", reason: "two cards" }
      yield* TestServer.send(`/admin/api/v1/members/${program_id}/merge`, merge, { headers: root })
      const after = exactly(LedgerPage, (yield* get("vic", "/ledger")).body).entries
      const own = (member: string) =>
        after.filter(({ member_id }) => member_id === member).map(({ amount, balance }) => [amount, balance])
      assert.deepStrictEqual(own("vic"), [
        [125, 130],
        [5, 5]
      ])
      assert.deepStrictEqual(own("una"), [
        [-125, 0],
        [-15, 125],
        [100, 140],
        [40, 40]
      ])
    })
  )

  it.effect("exports the ledger as CSV, all pages of it, and no cell that a spreadsheet would run", () =>
    Effect.gen(function* () {
      yield* enroll("cleo")
      yield* Effect.forEach(
        Array.from({ length: 1_100 }, () => credit("cleo", 1)),
        (one) => one,
        { concurrency: 64 }
      )
      const evil = { ...adjustment("cleo-evil", -2), reason: '=HYPERLINK("http://x"),\n1' }
      yield* post("cleo", "/adjustments", evil)
      const { body, headers, status } = yield* get("cleo", "/ledger.csv")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"])
      const text = String(body["text"])
      const [head, ...lines] = text.split("\r\n")
      assert.match(head ?? "", /^entry_id,occurred_at,program_id,member_id,account_id,operation,unit,amount,/)
      assert.lengthOf(lines, 1_102)
      assert.include(lines[0], `,-2,`)
      assert.include(lines[0], `"'=HYPERLINK(""http://x""),\n1"`)
      const ids = new Set(lines.slice(0, -1).map((line) => line.split(",")[0]))
      assert.strictEqual(ids.size, 1_101)
      const none = yield* get("cleo", "/ledger.csv?operations=redemption")
      assert.strictEqual(String(none.body["text"]).split("\r\n").length, 2)
      assert.deepStrictEqual(yield* said(get("nobody", "/ledger.csv")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(get("cleo", "/ledger.csv?limit=5")), [422, "validation_failed"])
      const [exported] = yield* TestDatabase.query(
        "SELECT count(*)::float8 AS entries FROM audit WHERE action = 'member.export' AND subject_id = 'cleo'"
      )
      assert.strictEqual(exported?.["entries"], 2, "each export has its entry, refusals have none")
    })
  )

  it.effect("shows balances of any moment since the member joined", () =>
    Effect.gen(function* () {
      yield* enroll("dan")
      yield* credit("dan", 10)
      yield* credit("dan", 20)
      const at = (moment: string) => get("dan", `/balance?at=${encodeURIComponent(moment)}`)
      const amount = Effect.map(
        ({ body }: TestServer.Response) => (body["balances"] as ReadonlyArray<{ amount: number }>)[0]?.amount
      )
      assert.strictEqual(yield* amount(get("dan", "/balance")), 30)
      assert.strictEqual(yield* amount(at("2999-01-01T00:00:00Z")), 0)
      assert.deepStrictEqual(yield* said(at("2001-01-01T00:00:00Z")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(at("yesterday")), [422, "validation_failed"])
    })
  )

  it.effect(
    "adjusts once for an adjustment_id, whichever surface sends it, and refuses what the contract refuses",
    () =>
      Effect.gen(function* () {
        yield* enroll("eve")
        const adjust = (payload: object) => post("eve", "/adjustments", payload)
        const done = yield* adjust(adjustment("eve-1", 100))
        assert.strictEqual(done.status, 201)
        const first = exactly(Contract.Adjusted, done.body)
        assert.deepInclude(first.entry, { operation: "manual", amount: 100, classification: "service_recovery" })
        yield* credit("eve", 7)
        const repeated = yield* adjust(adjustment("eve-1", 100))
        assert.strictEqual(repeated.status, 200)
        const again = exactly(Contract.Adjusted, repeated.body)
        assert.deepStrictEqual([again.entry, again.balances[0]?.amount], [first.entry, 107])
        yield* post("eve", "/adjustments", { ...adjustment("eve-0", -7), classification: "correction" })
        const till = yield* TestServer.send("/proto/v1/ledger/manual-adjustments", {
          ...adjustment("eve-1", 100),
          context: Testing.context(),
          program_id,
          member_id: "eve"
        })
        assert.deepStrictEqual(till.body["entry"], first.entry)
        assert.deepStrictEqual(yield* said(adjust(adjustment("eve-1", 101))), [409, "conflict"])
        assert.deepStrictEqual(yield* said(adjust(adjustment("eve-2", -101))), [409, "insufficient_balance"])
        assert.deepStrictEqual(yield* said(adjust({ ...adjustment("eve-3", 1), expires_at: "2001-01-01T00:00:00Z" })), [
          409,
          "expired"
        ])
        assert.deepStrictEqual(
          yield* said(adjust({ ...adjustment("eve-4", -1), expires_at: "2999-01-01T00:00:00Z" })),
          [409, "invalid_state"]
        )
        assert.deepStrictEqual(yield* said(adjust(adjustment("eve-5", 0))), [422, "validation_failed"])
        assert.deepStrictEqual(yield* said(adjust({ ...adjustment("eve-6", 1), unit: "stamps" })), [
          422,
          "validation_failed"
        ])
        assert.deepStrictEqual(yield* said(adjust({ ...adjustment("eve-7", 1), member_id: "eve" })), [
          422,
          "validation_failed"
        ])
      })
  )

  it.effect("a dry run tells what would be and does nothing, also while writes are frozen", () =>
    Effect.gen(function* () {
      yield* enroll("fay")
      yield* credit("fay", 50)
      const before = yield* shown("fay")
      const dry = (id: string, amount: number) =>
        post("fay", "/adjustments", { ...adjustment(id, amount), dry_run: true })
      const freeze = yield* WriteFreeze
      for (const frozen of [false, true]) {
        yield* freeze.set(frozen)
        const { body, status } = yield* dry("fay-1", -20)
        assert.strictEqual(status, 200)
        const foreseen = exactly(Contract.Foreseen, body)
        assert.deepInclude(foreseen.entry, { amount: -20, adjustment_id: "fay-1" })
        assert.strictEqual(foreseen.balances[0]?.amount, 30)
        assert.deepStrictEqual(yield* said(dry("fay-2", -51)), [409, "insufficient_balance"])
      }
      assert.deepStrictEqual(yield* said(post("fay", "/adjustments", adjustment("fay-1", -20))), [503, "write_frozen"])
      assert.deepStrictEqual(yield* said(post("fay", "/status", { status: "closed", reason: "x" })), [
        503,
        "write_frozen"
      ])
      yield* freeze.set(false)
      const after = yield* shown("fay")
      assert.deepStrictEqual([after.balances[0]?.amount, after.lots], [before.balances[0]?.amount, before.lots])
      assert.lengthOf(yield* ledgerOf("fay"), 1)
      // The identifier's command of before is answered as it would be.
      yield* post("fay", "/adjustments", adjustment("fay-1", -20))
      assert.deepStrictEqual(yield* said(dry("fay-1", -20)), [200, undefined])
      assert.deepStrictEqual(yield* said(dry("fay-1", -21)), [409, "conflict"])
      assert.deepStrictEqual(yield* said(post("nobody", "/adjustments", { ...adjustment("n", 1), dry_run: true })), [
        404,
        "not_found"
      ])
    })
  )

  it.effect("issues a reward once for an issued_reward_id", () =>
    Effect.gen(function* () {
      yield* enroll("gil")
      const issue = (payload: object) => post("gil", "/rewards", payload)
      const reward = { issued_reward_id: "gil-1", reward_id: "free-bowl" }
      const done = yield* issue(reward)
      assert.strictEqual(done.status, 201)
      assert.deepInclude(exactly(Contract.Issued, done.body).issued_reward, { ...reward, status: "issued" })
      const repeated = yield* issue(reward)
      assert.deepStrictEqual([repeated.status, repeated.body], [200, done.body])
      assert.deepStrictEqual(yield* said(issue({ ...reward, reward_id: "one-off" })), [409, "conflict"])
      assert.deepStrictEqual(yield* said(issue({ issued_reward_id: "gil-2", reward_id: "none" })), [404, "not_found"])
      const past = { issued_reward_id: "gil-3", reward_id: "one-off", expires_at: "2001-01-01T00:00:00Z" }
      assert.deepStrictEqual(yield* said(issue(past)), [409, "expired"])
      assert.deepStrictEqual(yield* said(issue({ reward_id: "one-off" })), [422, "validation_failed"])
    })
  )

  it.effect("asks a person for the reason of a reward, and no key", () =>
    Effect.gen(function* () {
      yield* enroll("renata")
      yield* hire("uma", "support")
      const uma = yield* page("uma")
      const path = `/members/${program_id}/renata/rewards`
      const reward = { issued_reward_id: "renata-1", reward_id: "free-bowl" }
      const asked = yield* Operators.post(path, reward, uma)
      assert.strictEqual(asked.status, 422)
      assert.deepStrictEqual(asked.body["errors"], [{ path: "/reason", message: "is required where a person issues" }])
      assert.deepStrictEqual(yield* said(Operators.post(path, { ...reward, reason: "" }, uma)), [
        422,
        "validation_failed"
      ])
      const done = yield* Operators.post(path, { ...reward, reason: "Slow lunch" }, uma)
      assert.strictEqual(done.status, 201)
      // The reason is no fact of the reward, which is the same without one.
      assert.deepStrictEqual((yield* post("renata", "/rewards", reward)).body, done.body)
      assert.strictEqual((yield* post("renata", "/rewards", { ...reward, issued_reward_id: "renata-2" })).status, 201)
      const { body } = yield* Operators.get("/audit?action=member.reward.issue&subject=renata")
      assert.deepStrictEqual(
        (body["entries"] as ReadonlyArray<{ actor: { name: string }; reason?: string; changes: object }>).map(
          ({ actor, changes, reason }) => [actor.name, reason, changes]
        ),
        [
          ["root", undefined, { after: { ...reward, issued_reward_id: "renata-2" } }],
          ["uma", "Slow lunch", { after: reward }]
        ]
      )
    })
  )

  it.effect("cancels a reward of the member once, with the reason, and refuses what is used or another's", () =>
    Effect.gen(function* () {
      yield* enroll("gus")
      yield* enroll("gus-2")
      const issue = (issued_reward_id: string) => post("gus", "/rewards", { issued_reward_id, reward_id: "free-bowl" })
      const cancel = (member: string, id: string, payload: object = { reason: "Wrong guest" }) =>
        post(member, `/rewards/${id}/cancel`, payload)
      yield* issue("gus-1")
      yield* issue("gus-held")
      const done = yield* cancel("gus", "gus-1")
      assert.strictEqual(done.status, 200)
      assert.deepInclude(exactly(Contract.Issued, done.body).issued_reward, {
        issued_reward_id: "gus-1",
        status: "cancelled",
        cancellation_reason: "Wrong guest"
      })
      assert.deepStrictEqual((yield* cancel("gus", "gus-1", { reason: "Again" })).body, done.body)
      assert.deepStrictEqual(
        (yield* shown("gus")).issued_rewards.map(({ issued_reward_id }) => issued_reward_id),
        ["gus-held"]
      )
      assert.deepStrictEqual(yield* said(cancel("gus-2", "gus-held")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(cancel("gus", "none")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(cancel("gus", "gus-held", {})), [422, "validation_failed"])
      yield* body(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "gus-held-1",
          member_id: "gus",
          reward_id: "free-bowl",
          issued_reward_id: "gus-held",
          order: Testing.order("meal-gus-held", 500, { status: "open", ...Testing.placedAt(Date.now()) })
        })
      )
      assert.deepStrictEqual(yield* said(cancel("gus", "gus-held")), [409, "invalid_state"])
    })
  )

  it.effect(
    "suspends, re-opens and closes: what was begun goes on, a closed member has nothing open and stays closed",
    () =>
      Effect.gen(function* () {
        yield* enroll("hal")
        yield* credit("hal", 300)
        const [one, two] = [yield* reserve("hal", "hal-1"), yield* reserve("hal", "hal-2")]
        yield* post("hal", "/rewards", { issued_reward_id: "hal-w", reward_id: "free-bowl" })
        const set = (status: string) => post("hal", "/status", { status, reason: "lost card" })
        const suspended = yield* set("suspended")
        assert.strictEqual(exactly(Contract.MemberOnly, suspended.body).member.status, "suspended")
        const capture = {
          context: Testing.context(),
          reservation_id: one.reservation.reservation_id,
          order_id: "meal-hal-1"
        }
        assert.strictEqual((yield* Testing.call("redemption.capture", capture))._tag, "Answer")
        assert.deepStrictEqual(yield* said(post("hal", "/adjustments", adjustment("hal-a", 1))), [
          409,
          "member_not_active"
        ])
        assert.deepStrictEqual(
          yield* said(post("hal", "/rewards", { issued_reward_id: "hal-x", reward_id: "one-off" })),
          [409, "member_not_active"]
        )
        assert.deepStrictEqual(yield* said(set("active")), [200, undefined])
        assert.deepStrictEqual(yield* said(set("closed")), [200, undefined])
        const hal = yield* shown("hal")
        assert.deepInclude(hal.balances[0], { amount: 200, reserved: 0 })
        assert.deepStrictEqual([hal.member.status, hal.reservations, hal.issued_rewards], ["closed", [], []])
        assert.deepStrictEqual(yield* said(set("active")), [409, "invalid_state"])
        assert.deepStrictEqual(yield* said(set("closed")), [200, undefined])
        assert.deepStrictEqual(yield* said(set("gone")), [422, "validation_failed"])
        const left = { context: Testing.context(), reservation_id: two.reservation.reservation_id, reason: "left" }
        assert.strictEqual((yield* Testing.call("redemption.reverse", left))._tag, "Answer")
      })
  )

  it.effect("gives identities and takes them, all of it or nothing", () =>
    Effect.gen(function* () {
      yield* enroll("ina")
      yield* enroll("jo")
      const change = (member: string, payload: object) => post(member, "/identities", payload)
      const done = yield* change("ina", { add: [card("secret-card-1")], remove: [card("card-ina")] })
      assert.deepStrictEqual(exactly(Contract.MemberOnly, done.body).member.identities, [card("secret-card-1")])
      assert.deepStrictEqual(yield* said(change("ina", { remove: [card("secret-card-1")] })), [409, "invalid_state"])
      const taken = yield* change("ina", { add: [card("secret-card-2"), card("card-jo")] })
      assert.deepStrictEqual([taken.status, taken.body["code"]], [409, "conflict"])
      assert.notInclude(JSON.stringify(taken.body), "card-jo")
      assert.deepStrictEqual((yield* shown("ina")).member.identities, [card("secret-card-1")])
      // Identities that ina lost are free.
      assert.deepStrictEqual(yield* said(change("jo", { add: [card("card-ina")] })), [200, undefined])
      assert.deepStrictEqual(yield* said(change("jo", {})), [422, "validation_failed"])
      assert.deepStrictEqual(yield* said(change("jo", { add: [] })), [422, "validation_failed"])
      const both = { add: [card("a")], remove: [card("b"), card("a")] }
      const { body } = yield* change("jo", both)
      assert.nestedInclude(body, { code: "validation_failed", "errors[0].path": "/remove/1" })
      yield* post("jo", "/status", { status: "suspended", reason: "x" })
      assert.deepStrictEqual(yield* said(change("jo", { add: [card("a")] })), [409, "member_not_active"])
    })
  )

  it.effect("a token of another programme is refused on every route of a member", () =>
    Effect.gen(function* () {
      yield* enroll("nil")
      const headers = { authorization: "Bearer token-of-another-programme" }
      const send = (method: string, rest: string, payload?: object) =>
        said(TestServer.send(`${Contract.pathOf(program_id, "nil")}${rest}`, payload, { method, headers }))
      for (const rest of ["", "/ledger", "/ledger.csv", "/balance"])
        assert.deepStrictEqual(yield* send("GET", rest), [403, "forbidden"], rest)
      assert.deepStrictEqual(yield* send("POST", "/adjustments", adjustment("nil-1", 1)), [403, "forbidden"])
      const dry = { ...adjustment("nil-1", 1), dry_run: true }
      assert.deepStrictEqual(yield* send("POST", "/adjustments", dry), [403, "forbidden"])
      const reward = { issued_reward_id: "nil-w", reward_id: "one-off" }
      assert.deepStrictEqual(yield* send("POST", "/rewards", reward), [403, "forbidden"])
      assert.deepStrictEqual(yield* send("POST", "/status", { status: "closed", reason: "x" }), [403, "forbidden"])
      assert.deepStrictEqual(yield* send("POST", "/identities", { add: [card("x")] }), [403, "forbidden"])
      const nil = yield* shown("nil")
      assert.deepStrictEqual([nil.member.status, nil.balances[0]?.amount, nil.issued_rewards], ["active", 0, []])
    })
  )

  it.effect("a merged member shows where it went; what names it is done to the other, save status and identities", () =>
    Effect.gen(function* () {
      yield* enroll("lea")
      yield* enroll("mia")
      yield* credit("lea", 100)
      yield* credit("mia", 50)
      yield* credit("lea", -30)
      const [lot] = (yield* shown("lea")).lots
      const merged = yield* (yield* Accounts).merge(program_id, { from: "lea", into: "mia" })
      assert.strictEqual(merged._tag, "Answered")
      const lea = yield* shown("lea")
      assert.deepInclude(lea.member, { member_id: "lea", status: "closed", merged_into: "mia", identities: [] })
      assert.deepStrictEqual([lea.balances[0]?.amount, lea.lots], [0, []])
      const mia = yield* shown("mia")
      assert.deepStrictEqual(mia.lots[0], lot)
      assert.deepStrictEqual(
        mia.lots.map(({ amount, remaining }) => [amount, remaining]),
        [
          [100, 70],
          [50, 50]
        ]
      )
      const foreseen = yield* post("lea", "/adjustments", { ...adjustment("lea-1", 5), dry_run: true })
      assert.strictEqual(exactly(Contract.Foreseen, foreseen.body).balances[0]?.amount, 125)
      const adjusted = exactly(Contract.Adjusted, (yield* post("lea", "/adjustments", adjustment("lea-1", 5))).body)
      assert.deepInclude(adjusted.balances[0], { member_id: "mia", amount: 125 })
      assert.deepStrictEqual(yield* said(post("lea", "/status", { status: "active", reason: "x" })), [
        409,
        "invalid_state"
      ])
      assert.deepStrictEqual(yield* said(post("lea", "/identities", { add: [card("x")] })), [409, "invalid_state"])
    })
  )

  it.effect("every change has its entry of the audit, without identity values, and refusals have none", () =>
    Effect.gen(function* () {
      const told = (member: string) =>
        Effect.map(
          TestDatabase.query(
            `SELECT actor_name, action, program_id, changes, reason FROM audit WHERE subject_id = '${member}' ORDER BY audit_id`
          ),
          (rows) =>
            rows.map(({ action, actor_name, changes, program_id, reason }) => ({
              actor_name,
              action,
              program_id,
              changes: JSON.parse(String(changes)),
              reason
            }))
        )
      yield* enroll("kim")
      const by = { actor_name: "root", program_id }
      yield* post("kim", "/adjustments", adjustment("kim-1", 5))
      yield* post("kim", "/adjustments", adjustment("kim-1", 5))
      yield* post("kim", "/adjustments", adjustment("kim-2", -50))
      yield* post("kim", "/adjustments", { ...adjustment("kim-3", 1), dry_run: true })
      yield* post("kim", "/rewards", { issued_reward_id: "kim-w", reward_id: "one-off" })
      yield* post("kim", "/rewards/kim-w/cancel", { reason: "Wrong guest" })
      yield* post("kim", "/rewards/kim-w/cancel", { reason: "Again" })
      yield* post("kim", "/identities", { add: [card("secret-card-3")], remove: [card("card-kim")] })
      yield* post("kim", "/status", { status: "closed", reason: "moved away" })
      yield* post("kim", "/status", { status: "active", reason: "came back" })
      const { reason, ...facts } = adjustment("kim-1", 5)
      assert.deepStrictEqual(yield* told("kim"), [
        { ...by, action: "member.adjust", changes: { after: facts }, reason },
        {
          ...by,
          action: "member.reward.issue",
          changes: { after: { issued_reward_id: "kim-w", reward_id: "one-off" } },
          reason: null
        },
        {
          ...by,
          action: "member.reward.cancel",
          changes: { after: { issued_reward_id: "kim-w" } },
          reason: "Wrong guest"
        },
        {
          ...by,
          action: "member.identities",
          changes: { before: { identities: 1 }, after: { added: ["loyalty_id"], removed: ["loyalty_id"] } },
          reason: null
        },
        {
          ...by,
          action: "member.status",
          changes: { before: { status: "active" }, after: { status: "closed" } },
          reason: "moved away"
        }
      ])
      const [found] = yield* TestDatabase.query(
        "SELECT count(*)::float8 AS rows FROM audit a WHERE a::text LIKE '%secret-card%'"
      )
      assert.strictEqual(found?.["rows"], 0)
      const [records] = yield* TestDatabase.query(
        "SELECT count(*)::float8 AS rows FROM journal j WHERE j::text LIKE '%secret-card%'"
      )
      assert.strictEqual(records?.["rows"], 0)
    })
  )

  it.effect("leaves tables that verify", () =>
    Effect.gen(function* () {
      // A person of these tests was made past the service.
      assert.deepStrictEqual((yield* verify()).found, [
        { table: "users", row: "uma", message: "the audit has no entry of its creation" }
      ])
    })
  )
})
