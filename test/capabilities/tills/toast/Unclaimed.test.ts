/** contract/tills.md *Accruals and reversals*, contract/orders.md *Orders without a guest*: checks of Toast without a guest. */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../../src/base/database/Pools.ts"
import * as Claiming from "../../../../src/capabilities/claims/Claiming.ts"
import { needed } from "../../../../src/capabilities/claims/Parts.ts"
import { Accounts } from "../../../../src/core/account/Accounts.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { accrue, check, guid, reverse } = World

const said = ({ body, status }: { readonly status: number; readonly body: { readonly transactionStatus: string } }) =>
  [status, body.transactionStatus] as const
const accepted = [200, "ACCEPT"] as const
const bowl = (price: number) => ({ guid: guid(), price })
const points = ({ context }: World.Node, member: string) =>
  Effect.map(Effect.provide(Guests.balanceOf(member), context), ({ amount }) => amount)
const enroll = ({ context }: World.Node, member: string) => Effect.provide(Guests.enroll(member), context)
const stateOf = ({ context }: World.Node, one: { readonly guid: string }) =>
  Effect.map(
    Context.get(context, PeoplePool).query(`SELECT state FROM kept_orders WHERE order_id = 'toast:${one.guid}'`),
    ([row]) => row?.["state"]
  )

/** The code that the till shows. */
const codeIn = ({ body }: { readonly body: { readonly checkResponse?: { readonly userMessage?: string } } }) =>
  /code ([0-9A-Z-]{14})\.$/.exec(body.checkResponse?.userMessage ?? "")?.[1]

const claim = ({ context }: World.Node, member_id: string, claim_code: string | undefined) =>
  Effect.flatMap(needed, (parts) =>
    Claiming.claim(
      parts,
      Testing.demoProgram,
      { claim_code, member_id },
      { caller: { name: "app", scopes: new Set(), programs: undefined }, requestId: "request" }
    )
  ).pipe(Effect.provide(context))

/** Leaves a claim as a kill does before it has accrued. */
const dying = ({ context }: World.Node, member: string, check: string) =>
  Effect.gen(function* () {
    const guest = yield* Context.get(context, Accounts).read(World.program_id, member)
    if (guest?._tag !== "Resident") throw new Error(`${member} is no member`)
    yield* Context.get(context, PeoplePool).query(
      `UPDATE kept_orders SET state = 'claiming', account = ${guest.account}, actor = 'app', claimed_at = 0, begun_at = 0
        WHERE order_id = 'toast:${check}'`
    )
  })

it.layer(TestDatabase.layer, { excludeTestServices: true })("a check without a guest", (it) => {
  it.effect("is kept, changes while nobody has it, and is claimed by its code", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "claims")
      const [id, first, second] = [guid(), bowl(11), bowl(5)]
      const answer = yield* accrue(a, connection, null, check(id, [first], 1))
      assert.deepStrictEqual(said(answer), accepted)
      const code = codeIn(answer)
      assert.isDefined(code)
      assert.strictEqual(codeIn(yield* accrue(a, connection, null, check(id, [first, second], 3))), code)
      // Older than what was worked off.
      assert.deepStrictEqual(said(yield* accrue(a, connection, null, check(id, [first], 2))), accepted)
      const claimed = yield* claim(a, "claims", code)
      assert.strictEqual(claimed.body.entry.amount, 160)
      // From then on the till's changes are hers.
      assert.deepStrictEqual(said(yield* accrue(a, connection, null, check(id, [second], 4))), accepted)
      assert.strictEqual(yield* points(a, "claims"), 50)
      // Paid, with the same lines.
      assert.deepStrictEqual(said(yield* accrue(a, connection, null, check(id, [second], 5))), accepted)
      assert.strictEqual(yield* points(a, "claims"), 50)
      assert.deepStrictEqual(said(yield* accrue(a, connection, null, check(id, [first, second], 6))), accepted)
      assert.strictEqual(yield* points(a, "claims"), 160)
    })
  )

  it.effect("is taken away by a reversal, also once a guest has it, and brought back by the next accrual", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "reversed")
      const [id, transaction, item] = [guid(), guid(), bowl(11)]
      const code = codeIn(yield* accrue(a, connection, null, check(id, [item], 1), transaction))
      assert.deepStrictEqual(said(yield* reverse(a, connection, transaction)), accepted)
      assert.strictEqual(yield* stateOf(a, { guid: id }), "withdrawn")
      const next = guid()
      assert.strictEqual(codeIn(yield* accrue(a, connection, null, check(id, [item], 2), next)), code)
      yield* claim(a, "reversed", code)
      // The first transaction stands for nothing any more.
      assert.deepStrictEqual(said(yield* reverse(a, connection, transaction)), accepted)
      assert.strictEqual(yield* points(a, "reversed"), 110)
      assert.deepStrictEqual(said(yield* reverse(a, connection, next)), accepted)
      assert.strictEqual(yield* points(a, "reversed"), 0)
      yield* accrue(a, connection, null, check(id, [item], 3))
      assert.strictEqual(yield* points(a, "reversed"), 110)
    })
  )

  it.effect("that gets a guest at the till is hers, with the reversal of every transaction of it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "late")
      yield* enroll(a, "other")
      const [id, transaction, item] = [guid(), guid(), bowl(11)]
      const code = codeIn(yield* accrue(a, connection, null, check(id, [item], 1), transaction))
      assert.deepStrictEqual(said(yield* accrue(a, connection, "late", check(id, [item], 2))), accepted)
      assert.strictEqual(yield* points(a, "late"), 110)
      assert.strictEqual((yield* Effect.flip(claim(a, "other", code))).code, "conflict")
      assert.deepStrictEqual(said(yield* reverse(a, connection, transaction)), accepted)
      assert.strictEqual(yield* points(a, "late"), 0)
    })
  )

  it.effect("that a guest has claimed is not another's at the till, and goes on for her", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "first")
      yield* enroll(a, "second")
      const [id, item, more] = [guid(), bowl(11), bowl(4)]
      const code = codeIn(yield* accrue(a, connection, null, check(id, [item], 1)))
      yield* claim(a, "first", code)
      const refused = yield* accrue(a, connection, "second", check(id, [item], 2))
      assert.deepStrictEqual(said(refused), [400, "ERROR_INVALID_INPUT_PROPERTIES"])
      assert.deepStrictEqual(said(yield* accrue(a, connection, "first", check(id, [item, more], 3))), accepted)
      assert.deepStrictEqual([yield* points(a, "first"), yield* points(a, "second")], [150, 0])
    })
  )

  it.effect("whose claim is on its way is changed and reversed for the guest who claims it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      const [item, more] = [bowl(11), bowl(4)]
      for (const member of ["changes", "reverses"]) {
        yield* enroll(a, member)
        const [id, transaction] = [guid(), guid()]
        yield* accrue(a, connection, null, check(id, [item], 1), transaction)
        yield* dying(a, member, id)
        const answer =
          member === "changes"
            ? yield* accrue(a, connection, null, check(id, [item, more], 2))
            : yield* reverse(a, connection, transaction)
        assert.deepStrictEqual(said(answer), accepted)
        assert.strictEqual(yield* stateOf(a, { guid: id }), "claimed")
        assert.strictEqual(yield* points(a, member), member === "changes" ? 150 : 0)
      }
    })
  )

  it.effect("that is emptied when it gets a guest is nobody's, and is taken from the guest who has claimed it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "emptied")
      yield* enroll(a, "claimer")
      const [id, taken, item] = [guid(), guid(), bowl(11)]
      yield* accrue(a, connection, null, check(id, [item], 1))
      const voided = { ...item, voided: true }
      assert.deepStrictEqual(said(yield* accrue(a, connection, "emptied", check(id, [voided], 2))), accepted)
      assert.strictEqual(yield* stateOf(a, { guid: id }), "withdrawn")
      yield* claim(a, "claimer", codeIn(yield* accrue(a, connection, null, check(taken, [item], 1))))
      assert.strictEqual(yield* points(a, "claimer"), 110)
      const refused = yield* accrue(a, connection, "emptied", check(taken, [voided], 2))
      assert.deepStrictEqual(said(refused), [400, "ERROR_INVALID_INPUT_PROPERTIES"])
      assert.deepStrictEqual([yield* points(a, "claimer"), yield* points(a, "emptied")], [0, 0])
    })
  )

  it.effect("is kept as it is now where the guest that it gets is refused", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "reads")
      const [id, first, second] = [guid(), bowl(11), bowl(5)]
      const code = codeIn(yield* accrue(a, connection, null, check(id, [first, second], 1)))
      const refused = yield* accrue(a, connection, "nobody", check(id, [second], 2))
      assert.deepStrictEqual(said(refused), [404, "ERROR_ACCOUNT_INVALID"])
      assert.strictEqual((yield* claim(a, "reads", code)).body.entry.amount, 50)
    })
  )

  it.effect("that was claimed and reversed is another order for another guest, and the same one for her", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "claimed")
      yield* enroll(a, "next")
      for (const member of ["next", "claimed"]) {
        const [id, transaction, item] = [guid(), guid(), bowl(11)]
        yield* claim(a, "claimed", codeIn(yield* accrue(a, connection, null, check(id, [item], 1), transaction)))
        yield* reverse(a, connection, transaction)
        assert.strictEqual(yield* points(a, "claimed"), 0)
        assert.deepStrictEqual(said(yield* accrue(a, connection, member, check(id, [item], 2))), accepted)
        const last = (yield* World.transactions(a, connection)).at(-1)
        const order_id = member === "next" ? `toast:${id}:2` : `toast:${id}`
        assert.deepStrictEqual(last?.["became"], { order_id, points: 110 })
        assert.strictEqual(yield* points(a, member), 110)
      }
    })
  )

  it.effect("is corrected or taken away where the programme keeps no orders any more", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "before")
      const [taken, open, item, more] = [guid(), guid(), bowl(11), bowl(4)]
      yield* claim(a, "before", codeIn(yield* accrue(a, connection, null, check(taken, [item], 1))))
      yield* accrue(a, connection, null, check(open, [item], 1))
      const b = yield* World.node({ program: { ...Testing.demoProgram, claims: undefined } })
      const there = yield* World.again(b, connection)
      assert.isDefined(there)
      if (there === undefined) return
      assert.deepStrictEqual(said(yield* accrue(b, there, null, check(taken, [item, more], 2))), accepted)
      assert.strictEqual(yield* points(b, "before"), 150)
      const answer = yield* accrue(b, there, null, check(open, [item, more], 2))
      assert.deepStrictEqual(answer.body, { transactionStatus: "ACCEPT" })
      assert.strictEqual(yield* stateOf(a, { guid: open }), "withdrawn")
    })
  )

  it.effect("has a code that no table has, and that a repetition is told too", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      const [one, transaction] = [check(guid(), [bowl(11)]), guid()]
      const first = yield* accrue(a, connection, null, one, transaction)
      const code = codeIn(first) ?? "none"
      const [row] = yield* Context.get(a.context, PeoplePool).query(
        `SELECT answer::text AS answer FROM connection_transactions WHERE transaction_id = '${transaction}'`
      )
      assert.match(code, /^[0-9A-Z-]{14}$/)
      assert.notInclude(String(row?.["answer"]), code)
      assert.deepStrictEqual(yield* accrue(a, connection, null, one, transaction), first)
    })
  )

  it.effect("is accepted and does nothing where the programme keeps no orders", () =>
    Effect.gen(function* () {
      const a = yield* World.node({ program: { ...Testing.demoProgram, claims: undefined } })
      const connection = yield* World.connect(a)
      const one = check(guid(), [bowl(11)])
      assert.deepStrictEqual(yield* accrue(a, connection, null, one), {
        status: 200,
        body: { transactionStatus: "ACCEPT" }
      })
      assert.isUndefined(yield* stateOf(a, one))
    })
  )
})
