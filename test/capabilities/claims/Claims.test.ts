/**
 * contract/orders.md *Orders without a guest*, *Claiming an order*, *Adjusting a kept order*, *Claim codes*: kept once, claimed once, whatever
 * tills and other guests do meanwhile.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bounds from "../../../src/capabilities/claims/Bounds.ts"
import type { Order } from "../../../src/contract/protocol/Order.ts"
import { SoldOrders } from "../../../src/core/protocol/SoldOrders.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "./World.ts"

const { accrue, guest, kept, ledger, order, points, refund, said, state } = World

it.layer(TestDatabase.layer, { excludeTestServices: true })("orders without a guest", (it) => {
  it.effect(
    "are kept once: the same order again has the same code, other amounts take their place while nobody has it",
    () =>
      Effect.gen(function* () {
        const a = yield* World.node()
        yield* guest(a, "keeps")
        const first = yield* a.keep(order("kept-1", 1_000))
        assert.isTrue(first.created)
        assert.deepStrictEqual(first.body, {
          order_id: "kept-1",
          claim_code: first.body.claim_code ?? "",
          claim_url: `https://example.com/points#${first.body.claim_code}`,
          expires_at: "2026-07-28T12:00:00.000Z"
        })
        // Compared without metadata, names, order_number, member_id and tenders.
        const same = order("kept-1", 1_000, {
          metadata: { table: 4 },
          order_number: "17",
          member_id: "keeps",
          tenders: [{ tender_id: "t", type: "cash", amount: { amount: 1_000, currency: "USD" } }]
        })
        assert.deepStrictEqual(yield* a.keep(same), { created: false, body: first.body })
        assert.deepStrictEqual(yield* a.keep(order("kept-1", 2_000)), { created: false, body: first.body })
        const claim = { claim_code: first.body.claim_code, member_id: "keeps" }
        assert.strictEqual((yield* a.claim(claim)).body.entry.amount, 200)
        assert.strictEqual(yield* said(a.keep(order("kept-1", 2_000))), "same")
        assert.strictEqual(yield* said(a.keep(order("kept-1", 1_000))), "conflict")
        assert.strictEqual(yield* said(a.keep(order("kept-1", 2_000, { status: "voided" }))), "invalid_state")
      })
  )

  it.effect("earn by the tenders that came last, whose change is no other order", () =>
    Effect.gen(function* () {
      const { eligibility, ...program } = World.programBy()
      const a = yield* World.node({
        program: { ...program, eligibility: { ...eligibility, excludedTenders: new Set(["gift_card"]) } }
      })
      yield* guest(a, "pays")
      const paid = (id: string, amount: number) =>
        a.keep(
          order(id, 1_000, {
            tenders: [{ tender_id: "t", type: "gift_card", amount: { amount, currency: "USD" } }]
          })
        )
      const first = yield* a.keep(order("paid-1", 1_000))
      assert.deepStrictEqual(yield* paid("paid-1", 400), { created: false, body: first.body })
      const claim = { claim_code: first.body.claim_code, member_id: "pays" }
      assert.strictEqual((yield* a.claim(claim)).body.entry.amount, 60)
      // Adjustments are reckoned from what was kept before them.
      const second = yield* a.keep(order("paid-2", 1_000))
      yield* a.adjust(refund("paid-2-r", "paid-2", 100))
      assert.deepStrictEqual(yield* paid("paid-2", 400), { created: false, body: second.body })
      yield* a.claim({ claim_code: second.body.claim_code, member_id: "pays" })
      assert.strictEqual(yield* points(a, "pays"), 150)
    })
  )

  it.effect("are told as sold once each, with the names of what was sold", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const note = ({ lines, order_id }: Order) => void told.push([order_id, lines.map(({ name }) => name)])
      const a = yield* Effect.provideService(World.node(), SoldOrders, note)
      const sent = order("sold-1", 1_000)
      const named = { ...sent, lines: sent.lines.map((line) => ({ ...line, name: "Bowl" })) }
      yield* a.keep(named)
      yield* a.keep(named)
      yield* a.keep(order("sold-2", 1_000, { status: "open" })).pipe(Effect.exit)
      assert.deepStrictEqual(told, [["sold-1", ["Bowl"]]])
    })
  )

  it.effect("hold nothing of a person", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const named = order("private", 1_000, { metadata: { name: "Zoe" }, order_number: "Zoe", member_id: "zoe-1" })
      yield* a.keep({ ...named, lines: named.lines.map((line) => ({ ...line, name: "Zoe", metadata: { of: "Zoe" } })) })
      const [row] = yield* TestDatabase.query("SELECT k::text AS text FROM kept_orders k WHERE order_id = 'private'")
      assert.notMatch(String(row?.["text"]), /zoe/i)
    })
  )

  it.effect("are taken away by a void and by a full refund, and come back with the till's next word", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "voids")
      const code = yield* kept(a, "void-1")
      const claim = a.claim({ claim_code: code, member_id: "voids" })
      assert.deepStrictEqual((yield* a.keep(order("void-1", 1_000, { status: "voided" }))).body, { order_id: "void-1" })
      assert.strictEqual(yield* said(claim), "not_found")
      assert.strictEqual(yield* kept(a, "void-1"), code)
      const full = refund("void-1-a", "void-1", 1_000, "full_refund")
      assert.deepStrictEqual((yield* a.adjust(full)).body.status, "kept")
      assert.strictEqual(yield* said(claim), "not_found")
      assert.strictEqual(yield* said(a.adjust(full)), "same")
      assert.strictEqual(yield* said(a.keep(order("void-1", 1_000))), "invalid_state")
      assert.strictEqual((yield* a.keep(order("never", 1_000, { status: "refunded" }))).created, false)
      assert.isUndefined(yield* state("never"))
    })
  )

  it.effect("are claimed by one of two guests on two nodes at once, and once by the same guest", () =>
    Effect.gen(function* () {
      const nodes = [yield* World.node(), yield* World.node()] as const
      yield* guest(nodes[0], "race-a")
      yield* guest(nodes[0], "race-b")
      for (let turn = 0; turn < 5; turn++) {
        const id = `race-${turn}`
        const claim_code = yield* kept(nodes[0], id)
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, (_, n) =>
            said(nodes[n % 2]!.claim({ claim_code, member_id: n < 4 ? "race-a" : "race-b" }))
          ),
          { concurrency: 8 }
        )
        const counts = (what: string) => answers.filter((one) => one === what).length
        // The other guest's claim may finish the one that came first, which then is answered 200.
        assert.isAtMost(counts("created"), 1)
        assert.deepStrictEqual([counts("created") + counts("same"), counts("conflict")], [4, 4], answers.join())
      }
      const all = (yield* points(nodes[1], "race-a")) + (yield* points(nodes[1], "race-b"))
      assert.strictEqual(all, 500)
    })
  )

  it.effect("are nobody's business: another guest hears of no name, and no code of one that is over", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "first-guest")
      yield* guest(a, "second-guest")
      const claim_code = yield* kept(a, "mine")
      yield* a.claim({ claim_code, member_id: "first-guest" })
      const refused = yield* Effect.flip(a.claim({ claim_code, member_id: "second-guest" }))
      assert.deepStrictEqual([refused.code, refused.detail], ["conflict", "The order was claimed before."])
      assert.strictEqual(yield* said(a.claim({ claim_code, member_id: "first-guest" })), "same")
    })
  )

  it.effect("are claimed until their last millisecond, and by the same guest also afterwards", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "late")
      const early = yield* kept(a, "last-1")
      const late = yield* kept(a, "last-2")
      World.time.set(World.start + 14 * World.dayMs - 1)
      assert.strictEqual(yield* said(a.claim({ claim_code: early, member_id: "late" })), "created")
      World.time.set(World.start + 14 * World.dayMs)
      assert.strictEqual(yield* said(a.claim({ claim_code: late, member_id: "late" })), "not_found")
      assert.strictEqual(yield* said(a.claim({ claim_code: early, member_id: "late" })), "same")
      World.time.set(World.start)
    })
  )

  it.effect("give what is left of them after refunds before the claim, and are refunded after it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "refunded")
      const claim_code = yield* kept(a, "refund-1")
      assert.strictEqual((yield* a.adjust(refund("r-1", "refund-1", 300))).body.status, "kept")
      assert.strictEqual(yield* said(a.adjust(refund("r-1", "refund-1", 300))), "same")
      assert.strictEqual(yield* said(a.adjust(refund("r-1", "refund-1", 200))), "conflict")
      assert.strictEqual(yield* said(a.keep(order("refund-1", 700))), "invalid_state")
      const { body } = yield* a.claim({ claim_code, member_id: "refunded" })
      assert.deepStrictEqual([body.entry.amount, body.balances[0]?.amount], [100, 70])
      assert.strictEqual((yield* a.adjust(refund("r-2", "refund-1", 200))).body.status, "posted")
      assert.strictEqual(yield* said(a.adjust(refund("r-2", "refund-1", 200))), "same")
      assert.strictEqual(yield* said(a.adjust(refund("r-1", "refund-1", 300))), "same")
      assert.strictEqual(yield* points(a, "refunded"), 50)
      assert.strictEqual(yield* said(a.adjust(refund("r-3", "unknown", 200))), "not_found")
    })
  )

  it.effect(
    "that a till posts for somebody else are hers: the claim is refused, and refunds that were kept reach her",
    () =>
      Effect.gen(function* () {
        const a = yield* World.node()
        yield* guest(a, "posted")
        yield* guest(a, "claims")
        yield* a.goOn
        const claim_code = yield* kept(a, "till-1")
        yield* a.adjust(refund("till-1-r", "till-1", 400))
        assert.strictEqual(yield* accrue(a, "posted", order("till-1", 1_000)), "created")
        assert.strictEqual(yield* points(a, "posted"), 100)
        assert.strictEqual(yield* said(a.claim({ claim_code, member_id: "claims" })), "conflict")
        assert.deepStrictEqual([yield* points(a, "posted"), yield* points(a, "claims")], [60, 0])
        // Without a claim the worker hears of it.
        yield* kept(a, "till-2")
        yield* a.adjust(refund("till-2-r", "till-2", 400))
        yield* accrue(a, "posted", order("till-2", 1_000))
        yield* a.goOn
        assert.deepStrictEqual([yield* points(a, "posted"), yield* state("till-2")], [120, "claimed"])
      })
  )

  it.effect("that a till posts for the guest are answered to her as claimed", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "both")
      const claim_code = yield* kept(a, "both-1")
      assert.strictEqual(yield* accrue(a, "both", order("both-1", 1_000, { metadata: { till: 4 } })), "created")
      const done = yield* a.claim({ claim_code, member_id: "both" })
      assert.deepStrictEqual([done.created, done.body.entry.amount], [false, 100])
      assert.lengthOf(yield* ledger(a, "both"), 1)
    })
  )

  it.effect("that were claimed accept the offline till's accrual two days later, for her alone", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "offline")
      yield* guest(a, "stranger")
      const claim_code = yield* kept(a, "offline-1")
      yield* a.claim({ claim_code, member_id: "offline" })
      const sent = order("offline-1", 1_000, {
        metadata: { till: "offline" },
        order_number: "9",
        tenders: [{ tender_id: "t", type: "card", amount: { amount: 1_000, currency: "USD" } }]
      })
      World.time.set(World.start + 2 * World.dayMs)
      const b = yield* World.node()
      assert.strictEqual(yield* accrue(b, "offline", { ...sent, member_id: "offline" }), "same")
      assert.strictEqual(yield* accrue(b, "stranger", sent), "conflict")
      assert.strictEqual(yield* accrue(b, "offline", order("offline-1", 1_100)), "conflict")
      assert.strictEqual(yield* points(b, "offline"), 100)
      World.time.set(World.start)
    })
  )

  it.effect("of a guest who was merged are the other's, before and after", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "merged-from")
      yield* guest(a, "merged-into")
      const claim_code = yield* kept(a, "merged-1")
      const claim = (member_id: string) => said(a.claim({ claim_code, member_id }))
      assert.strictEqual(yield* claim("merged-from"), "created")
      yield* a.on(a.accounts.merge(World.programBy().id, { from: "merged-from", into: "merged-into" }))
      assert.deepStrictEqual([yield* claim("merged-into"), yield* claim("merged-from")], ["same", "same"])
      const next = yield* kept(a, "merged-2")
      assert.strictEqual(yield* said(a.claim({ claim_code: next, member_id: "merged-from" })), "created")
      assert.strictEqual(yield* points(a, "merged-into"), 200)
    })
  )

  it.effect("of a guest who may earn nothing are open for others", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* guest(a, "suspended")
      yield* guest(a, "allowed")
      const claim_code = yield* kept(a, "free-again")
      const action = { type: "set_status", status: "suspended", reason: "test" } as const
      yield* a.on(a.accounts.execute(World.programBy().id, "suspended", { action, guards: {} }))
      assert.strictEqual(yield* said(a.claim({ claim_code, member_id: "suspended" })), "member_not_active")
      assert.strictEqual(yield* state("free-again"), "open")
      assert.strictEqual(yield* said(a.claim({ claim_code, member_id: "allowed" })), "created")
    })
  )

  it.effect("are limited by day: a guest who claims two at once gets as many as the programme allows", () =>
    Effect.gen(function* () {
      const nodes = [yield* World.node({ perDay: 2 }), yield* World.node({ perDay: 2 })] as const
      yield* guest(nodes[0], "collector")
      const codes = yield* Effect.forEach([1, 2, 3, 4], (n) => kept(nodes[0], `many-${n}`))
      const answers = yield* Effect.all(
        codes.map((claim_code, n) => said(nodes[n % 2]!.claim({ claim_code, member_id: "collector" }))),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(answers.toSorted(), ["created", "created", "invalid_state", "invalid_state"])
      World.time.set(World.start + World.dayMs)
      const left = codes[answers.indexOf("invalid_state")]
      assert.strictEqual(yield* said(nodes[0].claim({ claim_code: left, member_id: "collector" })), "created")
      World.time.set(World.start)
    })
  )

  it.effect("use none of a guest's claims of a day if they earn nothing", () =>
    Effect.gen(function* () {
      const node = yield* World.node({ perDay: 1 })
      yield* guest(node, "unlucky")
      for (const [id, amount] of [
        ["worthless-1", 0],
        ["worthless-2", 0],
        ["worth-1", 1_000]
      ] as const) {
        const claim_code = yield* kept(node, id, amount)
        assert.strictEqual(yield* said(node.claim({ claim_code, member_id: "unlucky" })), "created", id)
      }
      const claim_code = yield* kept(node, "worthless-3", 0)
      assert.strictEqual(yield* said(node.claim({ claim_code, member_id: "unlucky" })), "invalid_state")
    })
  )

  it.effect("are not to be guessed: wrong codes count by guest on all nodes, mistyped ones do not", () =>
    Effect.gen(function* () {
      const nodes = [yield* World.node(), yield* World.node()] as const
      yield* guest(nodes[0], "guesser")
      yield* guest(nodes[0], "neighbour")
      const claim_code = yield* kept(nodes[0], "guessed")
      const wrong = yield* Effect.forEach([...Array(Bounds.mostWrong).keys()], (n) => kept(nodes[0], `gone-${n}`))
      yield* TestDatabase.query("DELETE FROM kept_orders WHERE order_id LIKE 'gone-%'")
      const guess = (n: number, code: string, member_id = "guesser") =>
        said(nodes[n % 2]!.claim({ claim_code: code, member_id }))
      assert.strictEqual(yield* guess(0, claim_code.slice(1)), "validation_failed")
      for (const [n, code] of wrong.entries()) assert.strictEqual(yield* guess(n, code), "not_found")
      assert.deepStrictEqual(
        [yield* guess(0, claim_code), yield* guess(1, claim_code)],
        ["rate_limited", "rate_limited"]
      )
      assert.strictEqual(yield* guess(1, claim_code, "neighbour"), "created")
      yield* TestDatabase.query(`UPDATE wrong_claims SET began = began - ${Bounds.wrongMs}`)
      assert.strictEqual(yield* guess(0, claim_code), "conflict")
    })
  )
})
