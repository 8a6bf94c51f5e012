/** Moves of orders between members of different nodes: contract/operators.md *Moving an order*, contract/databases.md *Nodes*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import type { Command } from "../../../src/core/account/Command.ts"
import type { Outcome } from "../../../src/core/account/Outcome.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import { type AccountsNode, two } from "./AccountsOfNodes.ts"

const program_id = Testing.demoProgram.id
const claimKey = makeClaimKey("in-memory")
const start = Date.UTC(2026, 6, 14, 10)
const key = (name: string) => ({ key: claimKey("key", name), fingerprint: claimKey("facts", name) })
const usd = (amount: number) => ({ amount, currency: "USD" })

const accrual = (name: string): Command => ({
  action: { type: "accrue", order: Testing.order("meal", 2_000, Testing.placedAt(start)) },
  guards: {
    key: key(name),
    business: { key: ClaimKeys.order(claimKey, program_id, "meal"), fingerprint: claimKey("facts", "meal") },
    named: []
  }
})

const refund = (name: string): Command => ({
  action: {
    type: "adjust_order",
    adjustment: {
      adjustment_id: name,
      original_order_id: "meal",
      type: "partial_refund",
      reason: "test",
      occurred_at: "2026-07-14T10:00:00.000Z",
      order_total_delta: usd(-500),
      eligible_spend_delta: usd(-500)
    }
  },
  guards: {
    key: key(name),
    business: { key: ClaimKeys.adjustment(claimKey, program_id, name), fingerprint: claimKey("facts", name) },
    named: []
  }
})

/** Member `even` belongs to a, `odd` to b. */
const guests = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const world = yield* two
  for (const [node, member] of [
    [world.a, "even"],
    [world.b, "odd"]
  ] as const)
    yield* node.accounts.enroll({ program: program_id, member, identity: { type: "external", value: member } })
  return world
})

const points = ({ accounts }: AccountsNode, ...members: ReadonlyArray<string>) =>
  Effect.forEach(members, (member) =>
    Effect.map(accounts.read(program_id, member), (found) =>
      found?._tag === "Resident" ? found.state.units.reduce((sum, { posted }) => sum + posted, 0) : found?._tag
    )
  )

const accountOf = (outcome: Outcome) => (outcome._tag === "Answered" ? outcome.record.account % 2 : outcome)

describe("an order that moves across nodes", () => {
  for (const [from, into] of [
    ["odd", "even"],
    ["even", "odd"]
  ] as const)
    for (const asked of ["a", "b"] as const)
      it.effect(`from ${from} to ${into}, asked of ${asked}, is found by both nodes, by either name`, () =>
        Effect.gen(function* () {
          const world = yield* guests
          const nodes = [world.a, world.b]
          yield* world.a.accounts.execute(program_id, from, accrual("first"))
          // Both nodes have both in memory, as far as they own them.
          for (const node of nodes) assert.deepStrictEqual(yield* points(node, from, into), [200, 0])
          const request = { order: "meal", from, into, reason: "test", key: key("move") }
          const done = yield* world[asked].accounts.moveOrder(program_id, request)
          assert.strictEqual(done._tag, "Answered")
          const other = asked === "a" ? world.b : world.a
          assert.deepInclude(yield* other.accounts.moveOrder(program_id, request), { _tag: "Answered", isReplay: true })
          for (const node of nodes) assert.deepStrictEqual(yield* points(node, from, into), [0, 200])
          const its = accountOf(done)
          let left = 200
          for (const [at, node] of nodes.entries())
            for (const member of [from, into]) {
              const repeated = yield* node.accounts.execute(program_id, member, accrual(`again ${at} ${member}`))
              assert.strictEqual(accountOf(repeated), its)
              left -= 50
              const name = `refund ${at} ${member}`
              assert.strictEqual(accountOf(yield* node.accounts.execute(program_id, member, refund(name))), its)
              const again = yield* other.accounts.execute(program_id, from, refund(name))
              assert.deepInclude(again, { _tag: "Answered", isReplay: true })
              for (const one of nodes) assert.deepStrictEqual(yield* points(one, from, into), [0, left])
            }
        })
      )
})
