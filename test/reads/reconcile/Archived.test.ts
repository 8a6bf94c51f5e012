/** Answers beside archived spans: right ones, or that the records are away. Holds contract/databases.md *Archive*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, earn, enroll, reserve } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { machineNow } from "../../../src/base/time/Times.ts"
import * as Lots from "../../../src/capabilities/members/Lots.ts"
import type { RequestOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import type { Handled } from "../../../src/core/protocol/Handler.ts"
import { refusedBy } from "../../../src/desk/surface/Refusal.ts"
import * as EventFeedOf from "../../../src/reads/feed/EventFeed.ts"
import { EventFeed } from "../../../src/reads/feed/EventFeed.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as Place from "../../../src/reads/feed/Place.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import * as Anchor from "../../../src/reads/reconcile/Anchor.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import * as Seals from "../../../src/reads/reconcile/Seals.ts"
import * as Scenario from "./Scenario.ts"

const program_id = "demo-foodservice"
const options = { pageRows: Bounds.rangeRows, onDifference: () => Effect.void, onPage: Effect.void }

const seal = Effect.gen(function* () {
  while ((yield* Seals.sealNext(options))._tag !== "Sealed") yield* Effect.yieldNow
})
const begin = Scenario.byHand("SELECT prepare_spans()", "SELECT begin_span(true)")

/** Waits until no transaction of another test holds the newest records back: an anchor covers those before the horizon. */
const settled = Effect.repeat(
  Scenario.byHand("SELECT max(transaction) < pg_snapshot_xmin(pg_current_snapshot()) AS shown FROM journal"),
  { until: ([row]) => row?.["shown"] === true }
)

/** The database has everything that some anchors cover, unchanged. */
const agrees = (...anchors: ReadonlyArray<Anchor.Body>) =>
  Effect.forEach(anchors, (anchor) =>
    Effect.all([
      Anchor.compare(anchor, "seals"),
      Anchor.compare(anchor, "records"),
      Anchor.missingRecords(anchor)
    ]).pipe(
      Effect.map(([bySeals, byRecords, missing]) =>
        assert.deepStrictEqual([bySeals.differences, byRecords.differences, missing], [[], [], 0])
      )
    )
  )

/** Archives a span, but for the file. */
const archive = (span: number) =>
  Scenario.byHand(
    `SELECT drop_span(jsonb_populate_record(keep_of_span(${span}::smallint), '{"file": "f", "bytes": 1, "checksum": "\\\\x00"}'))`
  )

/** Runs on a node that has no account in memory, and no snapshot. */
const onFreshNode = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.andThen(Scenario.byHand("DELETE FROM snapshots"), Effect.provide(work, Layer.fresh(Scenario.service)))

const numberOf = (member: string) =>
  Effect.map(Scenario.byHand(`SELECT number FROM accounts WHERE member_id = '${member}'`), ([row]) =>
    Number(row?.["number"])
  )

const month = () => new Date().toISOString().slice(0, 7)

/** The month that a failure of the journal names. */
const awayIn = <A, E extends { readonly archived?: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ archived }) => archived)

/** The refusal, or that there was none. */
const outcomeOf = (handled: Handled) => (handled._tag === "Answer" ? "done" : refusedBy(handled))

const sent = (request: RequestOf<"accrual.post">) => Effect.map(Testing.call("accrual.post", request), outcomeOf)
const refunded = (original_order_id: string) =>
  Effect.map(
    Testing.call("order.adjust", {
      context: Testing.context(),
      member_id: original_order_id.slice(0, 3),
      program_id,
      adjustment: {
        adjustment_id: `refund-${original_order_id}`,
        original_order_id,
        type: "partial_refund",
        reason: "returned",
        occurred_at: "2026-07-14T10:00:00Z",
        order_total_delta: { amount: -300, currency: "USD" },
        eligible_spend_delta: { amount: -300, currency: "USD" }
      }
    }),
    outcomeOf
  )

const page = (member_id: string, more: object = {}) =>
  Effect.map(
    Testing.call("ledger.list", { context: Testing.context(), member_id, program_id, limit: 5, ...more }),
    (handled) => {
      if (handled._tag === "Answer")
        return (handled.body as { readonly entries: ReadonlyArray<unknown> }).entries.length
      return refusedBy(handled)
    }
  )

layer(Scenario.layer, { excludeTestServices: true })("with two archived spans", (it) => {
  it.effect("every read is right or says which month is away", () =>
    Effect.gen(function* () {
      // m-0 goes on, m-1 rests since span 0, m-2 since span 1, m-3 comes later.
      yield* Scenario.lives(3)
      const kept = {
        context: Testing.context(),
        member_id: "m-1",
        order: Testing.order("m-1-kept", 900, Testing.placedAt(yield* machineNow))
      }
      assert.strictEqual(yield* sent(kept), "done")
      const { reservation } = yield* reserve("m-1", "m-1-late")
      const { order_id, reservation_id } = reservation
      const context = Testing.context
      yield* Testing.call("redemption.capture", { context: context(), reservation_id, order_id })
      const early = yield* machineNow
      yield* begin
      for (const member of ["m-0", "m-2"]) yield* earn(member, `${member}-second`, 2_000)
      yield* begin
      yield* Scenario.countRollups
      const between = yield* (yield* EventFeed).now
      // Written within span 2: no seal covers its records of that span alone.
      yield* enroll("m-4")
      yield* settled
      const begun = yield* Anchor.summarize("seals")
      yield* enroll("m-3")
      yield* earn("m-0", "m-0-third", 3_000)
      yield* begin
      for (let order = 0; order < 6; order++) yield* earn("m-0", `m-0-fourth-${order}`, 4_000)
      yield* Scenario.countRollups
      yield* settled
      const unsealed = yield* Anchor.summarize("seals")
      for (let span = 0; span < 3; span++) yield* seal
      const anchor = yield* Anchor.summarize("seals")
      // Of sealed spans the seals have what the records say.
      assert.deepStrictEqual(anchor.parts, unsealed.parts)
      yield* agrees(begun, unsealed)
      // A record of a sealed span that was rewritten is found in the records alone.
      const last = "(account, seq) = (SELECT number, seq FROM accounts WHERE member_id = 'm-1')"
      yield* Scenario.byHand(
        `CREATE TABLE was AS SELECT hash FROM journal WHERE ${last}`,
        `UPDATE journal SET hash = gen_random_uuid() WHERE ${last}`
      )
      const rewritten = [yield* Anchor.compare(anchor, "seals"), yield* Anchor.compare(anchor, "records")] as const
      assert.deepStrictEqual([rewritten[0].sealedTo, rewritten[1].sealedTo], [2, -1])
      assert.deepStrictEqual(rewritten[0].differences, [])
      assert.match(rewritten[1].differences[0]?.message ?? "", /records were changed since/)
      yield* Scenario.byHand(`UPDATE journal SET hash = (SELECT hash FROM was) WHERE ${last}`, "DROP TABLE was")
      const after = (yield* machineNow) + 1
      yield* archive(0)
      yield* archive(1)
      const [m0, m1, m3] = [yield* numberOf("m-0"), yield* numberOf("m-1"), yield* numberOf("m-3")]

      // Guests whose records are away go on, and their entries' numbers too.
      yield* onFreshNode(
        Effect.gen(function* () {
          for (const member of ["m-0", "m-1", "m-2", "m-3"]) yield* earn(member, `${member}-after`, 1_000)
          yield* credit("m-1", -5)
          // The key's record is away, and so is the order's; another payload needs neither.
          assert.include(yield* sent(kept), { code: "archived", month: month() })
          assert.include(yield* sent({ ...kept, context: Testing.context() }), { code: "archived" })
          assert.include(yield* sent({ ...kept, member_id: "m-2" }), { code: "idempotency_conflict" })
          assert.include(yield* refunded("m-1-kept"), { code: "archived" })
          assert.deepStrictEqual(yield* refunded("m-0-third"), "done")
          // One that was captured can be reversed at any time, and figures and feed need what was held.
          const reversed = yield* Testing.call("redemption.reverse", {
            context: context(),
            reservation_id,
            reason: "late"
          })
          assert.strictEqual(reversed._tag, "Answer")
        })
      )
      yield* Scenario.countRollups
      const { found } = yield* Scenario.verify()
      assert.deepStrictEqual(found, [])
      yield* agrees(begun, unsealed, anchor)
      assert.match(String((yield* Effect.flip(Scenario.verify(100, { isFull: true }))).message), /./)

      const journal = yield* Journal
      // Records: of later spans they are read, of archived ones the month is named.
      assert.strictEqual(yield* awayIn(journal.records(m1, 1, 10)), month())
      const newest = Number((yield* Scenario.byHand(`SELECT seq FROM accounts WHERE number = ${m1}`))[0]?.["seq"])
      assert.strictEqual((yield* journal.records(m1, newest - 3, 10)).length, 4)
      assert.strictEqual(yield* awayIn(journal.records(m1, newest - 4, 10)), month())
      assert.strictEqual((yield* journal.records(m1, newest + 1, 10)).length, 0)
      assert.strictEqual((yield* journal.records(m3, 1, 10)).length, 2)

      // A guest is shown with what is left of each lot; the original amounts of archived ones are with their records.
      const shown = yield* (yield* Accounts).readOn(m0)
      if (shown?._tag !== "Resident") throw new Error("m-0 cannot be read")
      const lots = yield* Lots.shown(journal, m0, shown.state, Testing.demoProgram)
      // Of the two later spans: one order, and six.
      const known = lots.filter(({ amount }) => amount !== undefined)
      assert.lengthOf(known, 7)
      assert.deepStrictEqual(
        known.map(({ amount }) => amount),
        known.map(({ remaining }) => remaining)
      )
      assert.isAbove(lots.length, 7)

      // Pages of entries.
      assert.strictEqual(yield* page("m-0"), 5)
      assert.include(yield* page("m-1"), { code: "archived", month: month() })
      assert.strictEqual(yield* page("m-1", { limit: 1 }), 1)
      assert.strictEqual(yield* page("m-1", { occurred_from: new Date(after).toISOString() }), 3)
      assert.include(yield* page("m-1", { occurred_until: new Date(early).toISOString() }), { code: "archived" })

      // Balances of before.
      assert.strictEqual((yield* journal.recordAt(m0, after))?.account, m0)
      assert.strictEqual(yield* awayIn(journal.recordAt(m0, early)), month())
      assert.strictEqual(yield* journal.recordAt(m3, 1_000), undefined)

      // The feed.
      const feed = yield* Feed
      assert.strictEqual(yield* awayIn(feed.read(Position.beginning, 10)), month())
      assert.isNotEmpty(yield* feed.read(between.position, 100))
      const events = yield* EventFeed
      const all = { programs: undefined, accounts: undefined }
      assert.strictEqual(yield* awayIn(events.read(Place.beginning, all, 10)), month())
      assert.strictEqual(yield* awayIn(events.read(Place.beginning, { ...all, accounts: [m1, m3] }, 10)), month())
      assert.isTrue((yield* events.read(Place.beginning, { ...all, accounts: [m3] }, 100)).isLast)
      const later = yield* events.read(between, all, 100)
      assert.isTrue(later.isLast)
      assert.strictEqual(yield* awayIn(events.since(early)), month())
      assert.isNotEmpty((yield* events.read(yield* events.since(after), all, 100)).events)
    }).pipe(Effect.provide(EventFeedOf.layer))
  )
})
