/** `journal verify` and `rebuild` over spans. Holds contract/databases.md *Spans*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Scenario from "./Scenario.ts"

const damage = [
  ["UPDATE account_spans SET first_seq = first_seq + 1", "account_spans", /another first record or entry/],
  ["UPDATE account_spans SET first_n = first_n + 1", "account_spans", /another first record or entry/],
  ["DELETE FROM account_spans", "account_spans", /another first record or entry/],
  ["UPDATE accounts SET span = 0", "accounts", /^span is 0; account_spans says another one$/]
] as const

layer(Scenario.layer, { excludeTestServices: true })("over spans", (it) => {
  it.effect("journal verify finds no difference, and journal rebuild repairs where records are said to lie", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(3)
      yield* Scenario.byHand("SELECT prepare_spans()", "SELECT begin_span(true)")
      // Members of before, whose lots, orders and holds lie in the span before, and one who begins in this span.
      yield* enroll("late")
      for (const member of ["late", "m-0", "m-1"]) {
        for (let order = 0; order < 6; order++) yield* earn(member, `${member}-later-${order}`, 1_000 + order)
        yield* credit(member, -25)
      }
      yield* Scenario.countRollups
      const [{ n } = {}] = yield* Scenario.byHand("SELECT count(*)::int AS n FROM journal_1")
      assert.isAbove(Number(n), 10)
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
      for (const [statement, table, message] of damage) {
        yield* Scenario.byHand(statement)
        const { found } = yield* Scenario.verify()
        assert.isNotEmpty(found, statement)
        assert.isTrue(
          found.some((difference) => difference.table === table && message.test(difference.message)),
          statement
        )
        yield* Scenario.rebuild
        assert.deepStrictEqual((yield* Scenario.verify()).found, [], statement)
      }
      yield* Scenario.byHand("UPDATE spans SET transaction = '9000000000' WHERE span = 1")
      assert.isTrue(
        (yield* Scenario.verify()).found.some(({ message }) =>
          /was not written while that was the present one/.test(message)
        )
      )
    })
  )
})
