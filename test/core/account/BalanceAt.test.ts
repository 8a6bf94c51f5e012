/** contract/operators.md *One member*: balances as of a moment are those that replaying the journal up to it shows. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { balancesAt } from "../../../src/core/account/BalanceAt.ts"
import { decodeRecord } from "../../../src/core/account/Codec.ts"
import { replay } from "../../../src/core/account/Committed.ts"
import { balances } from "../../../src/core/account/domain/Decision.ts"
import { initialState } from "../../../src/core/account/domain/State.ts"
import { view } from "../../../src/core/account/domain/View.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import * as Random from "../../model/Random.ts"

const program = Testing.demoProgram
const start = Date.UTC(2026, 6, 14, 10)
const minute = 60_000
const day = 86_400_000

const reserve = (n: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Testing.call("redemption.reserve", {
      context: Testing.context(),
      redemption_id: `red-${n}`,
      member_id: "ada",
      reward_id: "one-off",
      order: Testing.order(`meal-${n}`, 500, { status: "open", ...Testing.placedAt(now) })
    })
  )

/** Without a scheduler: what falls due is posted late, by the next command. */
const layer = HandlersOf.layer.pipe(
  Layer.provideMerge(Accounts.layer()),
  Layer.provide(Programs.layerFrom([program])),
  Layer.provideMerge(MemoryJournal.layer),
  Layer.provide(MemoryJournal.MemoryStorage.layer)
)

/** Something happens, and time passes. */
const live = Effect.fnUntraced(function* (random: Random.Random, n: number) {
  const now = yield* Clock.currentTimeMillis
  const chance = random.next()
  if (chance < 0.3) yield* earn("ada", `order-${n}`, random.whole(200, 2_000))
  else if (chance < 0.5)
    yield* credit("ada", random.whole(1, 200), fromMillis(now + random.pick([minute, 3 * minute, 400 * day])))
  else if (chance < 0.8) yield* reserve(n)
  else yield* credit("ada", -random.whole(1, 300))

  yield* TestClock.adjust(random.pick([0, 1, 1_000, minute, 3 * minute, day, 200 * day]))
})

describe("balances as of a moment", () => {
  it.effect("are those of the records up to it with what was due by it, at every instant of random histories", () =>
    Effect.gen(function* () {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const random = Random.make(seed, "balance at")
        yield* Effect.gen(function* () {
          yield* TestClock.setTime(start)
          yield* enroll("ada")
          for (let n = 1; n <= 25; n++) yield* live(random, n)
          const journal = yield* Journal
          const resident = yield* (yield* Accounts.Accounts).read(program.id, "ada")
          if (resident?._tag !== "Resident") return assert.fail("there is a member")
          const records = (yield* journal.records(resident.account, 1, 1_000)).map(decodeRecord)
          const instants = records.flatMap((record) => [record.at, ...record.events.map(({ at }) => at)])
          for (const at of instants.flatMap((one) => [one - 1, one, one + 1])) {
            let state = initialState
            for (const record of records) if (record.at <= at) state = replay(state, record)
            const wanted = state.seq === 0 ? undefined : balances(view(state, program, at), program)
            assert.deepStrictEqual(yield* balancesAt(journal, resident, program, at), wanted, `seed ${seed} at ${at}`)
          }
        }).pipe(Effect.provide(layer, { local: true }), Effect.provide(TestClock.layer(), { local: true }))
      }
    })
  )
})
