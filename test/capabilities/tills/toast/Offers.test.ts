/** Offers of catalogue and wallet on checks that change, at one till or two. Holds contract/tills.md *Rewards*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { ProgramDefinition } from "../../../../src/contract/protocol/Program.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { accrue, check, guid, inquire, program_id, redeem, reverse } = World

const demo: ProgramDefinition = JSON.parse(
  fs.readFileSync(new URL("../../../../src/app/demo/program.demo.json", import.meta.url), "utf8")
)
const [oneOff] = demo.rewards
/** The demo's, with two rewards of one name, and two rewards an order at most. */
const program = Testing.programOf({
  ...demo,
  rewards: [...demo.rewards, { ...oneOff, reward_id: "other-one-off", cost: { unit: "points", amount: 150 } }],
  limits: { ...(demo as { limits?: object }).limits, rewards_per_order: 2 }
})

const offer = (identifier: string) => ({ identifier, appliedDiscountGuid: guid() })

interface Answered {
  readonly status: number
  readonly body: {
    readonly checkResponse?: {
      readonly offers?: ReadonlyArray<{
        readonly identifier: string
        readonly name: string
        readonly applicable: boolean
        readonly description?: string
        readonly itemApplication?: ReadonlyArray<{ readonly selectionIdentifier: string; readonly amount: number }>
      }>
      readonly appliedRedemptions?: ReadonlyArray<{ readonly identifier: string }>
      readonly rejectedRedemptions?: ReadonlyArray<{
        readonly redemption: { readonly identifier: string }
        readonly message: string
      }>
      readonly redemptionLimit?: { readonly maxRedemptions: number }
    }
  }
}
const responseOf = ({ body }: Answered) => body.checkResponse ?? {}
const applied = (answer: Answered) => responseOf(answer).appliedRedemptions?.map(({ identifier }) => identifier)
const messages = (answer: Answered) => responseOf(answer).rejectedRedemptions?.map(({ message }) => message)
const offersOf = (answer: Answered) =>
  new Map((responseOf(answer).offers ?? []).map((one) => [one.identifier, one] as const))

const guest = (node: World.Node, member: string, points: number) =>
  Effect.provide(Effect.andThen(Guests.enroll(member), Guests.credit(member, points)), node.context)
const pointsOf = (node: World.Node, member: string) =>
  Effect.map(Effect.provide(Guests.balanceOf(member), node.context), ({ amount }) => amount)
const issue = ({ context }: World.Node, member_id: string, issued_reward_id: string) =>
  Effect.provide(
    Guests.body(
      Testing.call("issued_reward.issue", {
        context: Testing.context(),
        issued_reward_id,
        member_id,
        program_id,
        reward_id: "one-off"
      })
    ),
    context
  )
const bowl = (price = 11) => ({ guid: guid(), price })

it.layer(TestDatabase.layer, { excludeTestServices: true })("offers", (it) => {
  it.effect("of the same name have identifiers of their own, and each costs what is its own", () =>
    Effect.gen(function* () {
      const a = yield* World.node({ program })
      const connection = yield* World.connect(a)
      yield* guest(a, "names", 400)
      const one = check(guid(), [bowl()])
      const offers = offersOf(yield* inquire(a, connection, "names", one))
      const same = [...offers.values()].filter(({ name }) => name === oneOff?.name)
      assert.deepStrictEqual(
        same.map(({ applicable, identifier }) => [identifier, applicable]),
        [
          ["reward:one-off", true],
          ["reward:other-one-off", true]
        ]
      )
      yield* redeem(a, connection, "names", one, guid(), [offer("reward:other-one-off")])
      assert.strictEqual(yield* pointsOf(a, "names"), 250)
      yield* redeem(a, connection, "names", one, guid(), [offer("reward:one-off")])
      assert.strictEqual(yield* pointsOf(a, "names"), 150)
    })
  )

  it.effect("are as many on a check as the programme allows, those that are used already among them", () =>
    Effect.gen(function* () {
      const a = yield* World.node({ program })
      const connection = yield* World.connect(a)
      yield* guest(a, "limited", 900)
      const one = check(guid(), [bowl()])
      const [first, second, third] = [offer("reward:one-off"), offer("reward:one-off"), offer("reward:one-off")]
      const asked: Answered = yield* inquire(a, connection, "limited", one, guid(), [first, second, third])
      assert.deepStrictEqual(responseOf(asked).redemptionLimit, { maxRedemptions: 2 })
      assert.deepStrictEqual([applied(asked)?.length, messages(asked)?.length], [2, 1])
      const three = yield* redeem(a, connection, "limited", one, guid(), [first, second, third])
      assert.deepStrictEqual([applied(three)?.length, messages(three)?.length], [0, 3])
      yield* redeem(a, connection, "limited", one, guid(), [first])
      const left: Answered = yield* inquire(a, connection, "limited", one, guid(), [first, second, third])
      assert.deepStrictEqual([applied(left)?.length, messages(left)], [2, ["No more rewards fit on this check."]])
      yield* redeem(a, connection, "limited", one, guid(), [first, second])
      assert.strictEqual(yield* pointsOf(a, "limited"), 700)
      const full = offersOf(yield* inquire(a, connection, "limited", one, guid(), [first, second]))
      assert.deepInclude(full.get("reward:one-off"), { applicable: false })
      const other = yield* redeem(a, connection, "limited", one, guid(), [third])
      assert.deepStrictEqual([applied(other)?.length, messages(other)?.length], [0, 1])
    })
  )

  it.effect("of the wallet cost nothing; the last one that goes at another till in between is rejected", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node({ program }), yield* World.node({ program })]
      const connection = yield* World.connect(a)
      yield* guest(a, "wallet", 0)
      yield* issue(a, "wallet", "gift-1")
      const [one, two] = [check(guid(), [bowl()]), check(guid(), [bowl()])]
      const offers = offersOf(yield* inquire(a, connection, "wallet", one))
      assert.deepInclude(offers.get("wallet:gift-1"), { applicable: true, name: "$1 off" })
      assert.deepInclude(offers.get("reward:one-off"), { applicable: false })
      const [id, gift] = [guid(), offer("wallet:gift-1")]
      // Twice on one check it is one reward, and two of it are not there.
      const twice: Answered = yield* inquire(a, connection, "wallet", one, guid(), [gift, offer("wallet:gift-1")])
      assert.deepStrictEqual([applied(twice)?.length, messages(twice)], [1, ["It is on another check."]])
      assert.deepStrictEqual(applied(yield* redeem(b, connection, "wallet", two, id, [offer("wallet:gift-1")])), [
        "wallet:gift-1"
      ])
      const late = yield* redeem(a, connection, "wallet", one, guid(), [gift])
      assert.deepStrictEqual([late.status, applied(late), messages(late)?.length], [200, [], 1])
      yield* reverse(b, connection, id)
      assert.deepStrictEqual(applied(yield* redeem(b, connection, "wallet", one, guid(), [gift])), ["wallet:gift-1"])
      assert.strictEqual(yield* pointsOf(b, "wallet"), 0)
    })
  )

  it.effect("on an item that is voided come back when the till takes them off, and the rest of the check earns", () =>
    Effect.gen(function* () {
      const a = yield* World.node({ program })
      const connection = yield* World.connect(a)
      yield* guest(a, "voids", 1_000)
      const [item, rest, id, transaction] = [bowl(), { ...bowl(5), group: "drinks" }, guid(), guid()]
      const free = { ...offer("reward:free-bowl"), selectionGuid: item.guid }
      const offers = offersOf(yield* inquire(a, connection, "voids", check(id, [item, rest], 1)))
      assert.deepStrictEqual(offers.get("reward:free-bowl")?.itemApplication, [
        { selectionIdentifier: item.guid, amount: 11 }
      ])
      yield* redeem(a, connection, "voids", check(id, [item, rest], 1), transaction, [free])
      assert.strictEqual(yield* pointsOf(a, "voids"), 0)
      const voided = check(id, [{ ...item, voided: true }, rest], 2)
      // It stays used until the till takes it off; a second one has nothing that it is for.
      const asked: Answered = yield* inquire(a, connection, "voids", voided, guid(), [free, offer("reward:free-bowl")])
      assert.deepStrictEqual([applied(asked), messages(asked)], [["reward:free-bowl"], ["Add an item that it is for."]])
      yield* reverse(a, connection, transaction, guid(), [free])
      assert.strictEqual(yield* pointsOf(a, "voids"), 1_000)
      yield* accrue(a, connection, "voids", voided)
      assert.strictEqual(yield* pointsOf(a, "voids"), 1_050)
    })
  )

  it.effect(
    "stay where they were used when the check is split, and can be taken off there and used on the other part",
    () =>
      Effect.gen(function* () {
        const a = yield* World.node({ program })
        const connection = yield* World.connect(a)
        yield* guest(a, "splits", 100)
        const [first, second] = [bowl(11), bowl(7)]
        const [whole, part, transaction, reward] = [guid(), guid(), guid(), offer("reward:one-off")]
        yield* redeem(a, connection, "splits", check(whole, [first, second], 1), transaction, [reward])
        assert.strictEqual(yield* pointsOf(a, "splits"), 0)
        // The reward lowers the part where it stays: 11 to 10.
        const paid = { ...first, price: 10 }
        yield* accrue(a, connection, "splits", check(whole, [paid], 2))
        yield* accrue(a, connection, "splits", check(part, [second], 2))
        assert.strictEqual(yield* pointsOf(a, "splits"), 170)
        // Moved to the other part: the till takes it off the first one, and asks for it on the second.
        yield* reverse(a, connection, transaction)
        assert.strictEqual(yield* pointsOf(a, "splits"), 270)
        const moved = yield* redeem(a, connection, "splits", check(part, [second], 2), guid(), [reward])
        assert.deepStrictEqual(applied(moved), ["reward:one-off"])
        yield* accrue(a, connection, "splits", check(whole, [first], 3))
        yield* accrue(a, connection, "splits", check(part, [{ ...second, price: 6 }], 3))
        assert.strictEqual(yield* pointsOf(a, "splits"), 170)
      })
  )

  it.effect("asked for by two tills at once on one check are used once", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node({ program }), yield* World.node({ program })]
      const connection = yield* World.connect(a)
      yield* guest(a, "at-once", 400)
      const [one, reward] = [check(guid(), [bowl()]), offer("reward:one-off")]
      const answers = yield* Effect.all(
        [a, b, a].map((node) => redeem(node, connection, "at-once", one, guid(), [reward])),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assert.deepStrictEqual(applied(answer), ["reward:one-off"])
      assert.strictEqual(yield* pointsOf(yield* World.node({ program }), "at-once"), 300)
    })
  )
})
