/** A till's redemption that ends later than the gate answers other operations. Holds contract/tills.md *Rewards*. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Connection } from "../../../src/contract/admin/Connections.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { answerMs } from "../../../src/edge/http/Deadlines.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { root } from "../../capabilities/operators/Operators.ts"
import * as World from "../../capabilities/tills/toast/World.ts"
import * as TestDatabase from "../../TestDatabase.ts"

/** The end of each transaction is written late. */
const pools = World.poolsBy((statement, rows) => (World.isEnd(statement) ? Effect.delay(rows, answerMs + 200) : rows))
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], pools),
  TestDatabase.layer
)

it.layer(layer, { excludeTestServices: true })("a redemption", (it) => {
  it.effect("that was decided in time and whose end is written later is accepted", () =>
    Effect.gen(function* () {
      const made = yield* TestServer.send(
        "/admin/api/v1/connections",
        {
          vendor: "toast",
          program_id: Testing.demoProgram.id,
          name: "Corner Bowl",
          restaurants: [{ external_id: "T-EAST", location_id: "east" }]
        },
        { headers: root }
      )
      yield* Effect.andThen(Guests.enroll("waits"), Guests.credit("waits", 300))
      yield* Effect.sleep(600)
      const check = World.check(World.guid(), [{ guid: World.guid(), price: 11 }])
      const redemptions = [{ identifier: "reward:one-off", appliedDiscountGuid: World.guid() }]
      const answer = yield* TestServer.send(
        (made.body["connection"] as Connection).path,
        {
          toastTransactionType: "LOYALTY_REDEEM",
          checkTransactionInformation: { loyaltyIdentifier: "waits", check, redemptions }
        },
        {
          headers: {
            authorization: String(made.body["secret"]),
            "toast-transaction-type": "LOYALTY_REDEEM",
            "toast-transaction-guid": World.guid(),
            "toast-restaurant-external-id": "T-EAST"
          }
        }
      )
      assert.deepStrictEqual([answer.status, answer.body["transactionStatus"]], [200, "ACCEPT"])
      assert.strictEqual((yield* Guests.balanceOf("waits")).amount, 200)
    })
  )
})
