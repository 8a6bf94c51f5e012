/** Moves beside tills and before other moments. Holds contract/moving.md *What is posted*, *Once only*, *Moving*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { body, credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import * as History from "../../../src/reads/reconcile/History.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Moves from "./Moves.ts"

const { program_id } = Testing.demoProgram.file

const postgres = HandlersOf.layer.pipe(
  Layer.provideMerge(Moves.service(PgJournal.layer)),
  Layer.provideMerge(TestDatabase.layer)
)

/** A till that enrols a guest by the card and posts an order. */
const atTill = (id: string) =>
  Effect.gen(function* () {
    const { member } = yield* body<ResponseOf<"member.enroll">>(
      Testing.call("member.enroll", {
        context: Testing.context(),
        program_id,
        identity: { type: "loyalty_id", value: `card-${id}` }
      })
    )
    yield* earn(member.member_id, `order-${id}`, 1000)
  })

/** A guest whom the card alone names. */
const ofCard = (id: string) => {
  const { external_id: _, ...guest } = Moves.guest(id)
  return guest
}

layer(postgres, { excludeTestServices: true })("a move", (it) => {
  it.effect("beside tills that enrol and serve the same guests: one member each, with the points of both, once", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 60 }, (_, n) => `beside-${n}`)
      const moves = Effect.repeat(Moves.moveIn(ids.map(ofCard)), { times: 2 })
      const tills = Effect.forEach(ids.toReversed(), atTill, { concurrency: 8, discard: true })
      yield* Effect.all([moves, tills], { concurrency: 2 })
      const last = yield* Moves.moveIn(ids.map(ofCard))
      assert.deepStrictEqual(
        last.filter(({ outcome }) => outcome !== "same"),
        []
      )
      const [row] = yield* TestDatabase.query(
        `WITH own AS (
            SELECT a.number, a.balance FROM accounts a JOIN members m ON m.account = a.number
            WHERE m.identities::text LIKE '%card-beside-%'
          )
          SELECT count(*)::int AS entries, (SELECT count(*)::int FROM own) AS members,
            sum(e.amount) FILTER (WHERE e.classification = 'migration')::int AS moved,
            count(*) FILTER (WHERE e.operation = 'accrual')::int AS orders,
            sum(e.amount) = (SELECT sum(balance) FROM own) AS "isWhole"
          FROM own JOIN ledger_entries e ON e.account = own.number`
      )
      assert.deepStrictEqual(row, { entries: 180, members: 60, moved: 60 * 150, orders: 60, isWhole: true })
      yield* isSound
    })
  )

  it.effect("makes members who were moved in, who are none of the platform's unless it greets", () =>
    Effect.gen(function* () {
      yield* Moves.moveIn([Moves.guest("quiet")])
      yield* Moves.moveIn([Moves.guest("greeted")], { greet: true })
      const ways = yield* Effect.forEach(["quiet", "greeted"], (id) =>
        Effect.map(
          TestDatabase.query(
            `SELECT j.events::jsonb @? '$[*] ? (@.type == "enrolled" && @.via == "move_in")' AS quiet,
                j.events::jsonb @? '$[*] ? (@.type == "enrolled" && @.via == "platform")' AS greeted
              FROM profiles p JOIN journal j ON j.account = p.account AND j.seq = 1 WHERE p.external_id = '${id}'`
          ),
          ([row]) => row
        )
      )
      assert.deepStrictEqual(ways, [
        { quiet: true, greeted: false },
        { quiet: false, greeted: true }
      ])
    })
  )

  it.effect(
    "of a member with an opening balance, its own or of one who was merged into it, is refused unless it is waived",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const own = ["opened", "merged", "remaining", "none"]
        yield* Effect.forEach(own, enroll)
        for (const id of ["opened", "merged"])
          yield* body(
            Testing.call("ledger.manual_adjustment", {
              ...{ context: Testing.context(), program_id, member_id: id, adjustment_id: `opening:${id}`, amount: 9 },
              ...{ classification: "migration", reason: "Opening balance", qualifies_for_tier: false }
            })
          )
        yield* accounts.merge(program_id, { from: "merged", into: "remaining" })
        yield* TestDatabase.query(`INSERT INTO rollup_merges (account, into_account)
        SELECT a.number, b.number FROM accounts a, accounts b WHERE a.member_id = 'merged' AND b.member_id = 'remaining'`)
        const guests = own.map((member_id) => {
          const { external_id: _, ...guest } = Moves.guest(member_id, { member_id, identities: [] })
          return guest
        })
        const told = yield* Moves.moveIn(guests)
        assert.deepStrictEqual(
          told.map(({ faults, outcome }) => [outcome, faults]),
          [
            ["refused", ["opening_balance"]],
            ["refused", ["opening_balance"]],
            ["refused", ["opening_balance"]],
            ["joined", []]
          ]
        )
        const waived = yield* Moves.moveIn([guests[0]!], { waive: ["opening_balance"] })
        assert.deepStrictEqual([waived[0]?.outcome, waived[0]?.posted], ["joined", 2])
        yield* TestDatabase.query("DELETE FROM rollup_merges")
      })
  )

  it.effect("changes no balance of before it, however old its lots are", () =>
    Effect.gen(function* () {
      yield* enroll("past")
      yield* credit("past", 7)
      const before = Date.now()
      yield* Effect.repeat(
        Effect.sync(() => Date.now()),
        { until: (now) => now > before }
      )
      const { external_id: _, ...guest } = Moves.guest("past", { member_id: "past", identities: [] })
      const [moved] = yield* Moves.moveIn([guest])
      assert.deepStrictEqual([moved?.outcome, moved?.posted], ["joined", 2])
      const at = (instant: number) =>
        Effect.map(History.balance("past", program_id, instant), ({ balances }) => balances.map(({ amount }) => amount))
      assert.deepStrictEqual(yield* at(before), [7])
      assert.deepStrictEqual(yield* at(Date.now() + 1000), [157])
    })
  )
})
