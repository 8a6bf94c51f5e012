/** The cause of each entry of the operators' ledger (contract/operators.md *One member*), over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { LedgerPage } from "../../../src/contract/admin/MemberLedger.ts"
import * as Members from "../../../src/contract/admin/Members.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { entry } from "../../../src/edge/mcp/Words.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const { file, id: program_id } = Testing.demoProgram
const root = { authorization: "Bearer proto-dev-admin-key" }
const program = Testing.programOf({
  ...file,
  stamp_card: { unit: file.accounts[0]!.unit, threshold: 1_000, reward_id: file.rewards[0]!.reward_id, resets: true }
})
const layer = Layer.provideMerge(
  TestServer.layerFor(PgJournal.layer, Programs.layerFrom([program]), Pools.layer, []),
  TestDatabase.layer
)

const done = (path: string, payload: unknown, headers?: Readonly<Record<string, string>>) =>
  Effect.tap(TestServer.send(path, payload, headers && { headers }), ({ body, status }) =>
    Effect.sync(() => assert.isBelow(status, 300, JSON.stringify(body)))
  )

const adjust = (member_id: string, order: string, type: string, delta: number) => {
  const money = (amount: number) => ({ amount, currency: "USD" })
  const adjustment = {
    adjustment_id: `${order}-${type}`,
    original_order_id: order,
    type,
    eligible_spend_delta: money(delta),
    order_total_delta: money(delta),
    reason: "test",
    occurred_at: new Date().toISOString()
  }
  return done("/proto/v1/orders/adjust", { context: Testing.context(), member_id, program_id, adjustment })
}

const entriesOf = (member: string) =>
  Effect.map(
    TestServer.send(`${Members.pathOf(program_id, member)}/ledger`, undefined, { method: "GET", headers: root }),
    ({ body }) => (body as typeof LedgerPage.Type).entries
  )

it.layer(layer, { excludeTestServices: true })("the cause of an entry", (it) => {
  it.effect("is named for orders, refunds, corrections, moves, merges and full cards", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben", "cleo"]) yield* enroll(member)
      yield* earn("ada", "o-1", 2_000)
      yield* adjust("ada", "o-1", "partial_refund", -500)
      yield* adjust("ada", "o-1", "correction", 300)
      yield* earn("ada", "o-2", 1_000)
      yield* adjust("ada", "o-2", "void", -1_000)
      yield* done(`${Members.pathOf(program_id, "ada")}/orders/o-1/move`, { to: "ben", reason: "wrong card" }, root)
      yield* credit("ben", 900)
      yield* done(`/admin/api/v1/members/${program_id}/merge`, { from: "ben", into: "cleo", reason: "two cards" }, root)
      const ada = yield* entriesOf("ada")
      assert.deepStrictEqual(
        ada.map(({ cause }) => cause),
        ["order_moved", "void", "order", "correction", "refund", "order"]
      )
      const all = (yield* entriesOf("cleo")).map(({ amount, cause, member_id }) => [member_id, cause, amount])
      assert.deepStrictEqual(all, [
        ["cleo", "merge", 80],
        ["ben", "merge", -80],
        ["ben", "stamp_card", -1_000],
        ["ben", "manual", 900],
        ["ben", "order_moved", 180]
      ])
      const [card] = (yield* entriesOf("cleo")).filter(({ cause }) => cause === "stamp_card")
      assert.strictEqual(card?.reward_id, file.rewards[0]!.reward_id)
      assert.match(entry(ada[0]!), /: -180 points, because an order was moved between members \(ent_\w+\)\.$/)
    })
  )
})
