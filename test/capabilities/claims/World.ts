/** Nodes of one database that keep orders without a guest, at a time of the test. */
import { Context, Effect, Layer, Result } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Times from "../../../src/base/time/Times.ts"
import * as Adjusting from "../../../src/capabilities/claims/Adjusting.ts"
import * as Claiming from "../../../src/capabilities/claims/Claiming.ts"
import * as ClaimsWorker from "../../../src/capabilities/claims/ClaimsWorker.ts"
import * as Keeping from "../../../src/capabilities/claims/Keeping.ts"
import { needed } from "../../../src/capabilities/claims/Parts.ts"
import type { Order, OrderAdjustment } from "../../../src/contract/protocol/Order.ts"
import type { Refused } from "../../../src/contract/Refused.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Caller } from "../../../src/core/protocol/Handler.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as TestDatabase from "../../TestDatabase.ts"

export const dayMs = 86_400_000
export const start = Date.UTC(2026, 6, 14, 12)
/** The service's time of all nodes. A test moves it on. */
export const time = new Times.StandingTime(start)

/** The demo programme, whose members may claim so many orders that no test reaches the limit, unless it says another. */
export const programBy = (perDay = 1_000) => ({
  ...Testing.demoProgram,
  claims: { keptMs: 14 * dayMs, perDay, pageUrl: "https://example.com/points" }
})

const caller: Caller = { name: "till", scopes: new Set(["protocol:write"]), programs: undefined }
const from = { caller, requestId: "request" }

/** A node on the database. A test may hold its journal or its pools back. */
export const node = Effect.fnUntraced(function* ({
  journal = PgJournal.layer,
  perDay,
  pools = Pools.layer,
  program = programBy(perDay)
}: {
  readonly journal?: typeof PgJournal.layer
  readonly perDay?: number
  readonly pools?: typeof Pools.layer
  readonly program?: Program
} = {}) {
  const service = HandlersOf.layer.pipe(
    Layer.provideMerge(Accounts.layer()),
    Layer.provideMerge(WriteFreeze.layer(false)),
    Layer.provideMerge(EventFeed.layer),
    Layer.provideMerge(Layer.mergeAll(PgFeed.layer, journal, pools)),
    Layer.provideMerge(Programs.layerFrom([program])),
    Layer.provide(Layer.merge(Layer.succeed(Database, yield* Database), Times.layer(time)))
  )
  const context = yield* Layer.build(Layer.fresh(service))
  const on = <A, E, R>(effect: Effect.Effect<A, E, R>) => Times.at(time)(Effect.provide(effect, context))
  const parts = yield* on(needed)
  const round = yield* on(ClaimsWorker.rounds)
  return {
    program,
    on,
    keep: (order: Order) => on(Keeping.keep(parts, program, order)),
    adjust: (adjustment: OrderAdjustment) => on(Adjusting.adjust(parts, program, adjustment, from)),
    claim: (asked: Claiming.Asked) => on(Claiming.claim(parts, program, asked, from)),
    /** Rounds of the worker until there is nothing to do. */
    goOn: on(
      Effect.gen(function* () {
        while ((yield* round) === "worked") yield* Effect.yieldNow
      })
    ),
    accounts: Context.get(context, Accounts.Accounts)
  }
})
export type Node = Effect.Success<ReturnType<typeof node>>

/** An order of so many minor units, placed at the service's present time. */
export const order = (id: string, amount: number, more: Partial<Order> = {}): Order =>
  Testing.order(id, amount, { ...Testing.placedAt(time.now()), ...more }) as Order

const usd = (amount: number) => ({ amount, currency: "USD" })

export const refund = (
  id: string,
  original_order_id: string,
  amount: number,
  type: OrderAdjustment["type"] = "partial_refund"
): OrderAdjustment => ({
  adjustment_id: id,
  original_order_id,
  type,
  reason: "test",
  occurred_at: "2026-07-14T12:30:00.000Z",
  order_total_delta: usd(-amount),
  eligible_spend_delta: usd(-amount)
})

/** Keeps an order and returns its code. */
export const kept = (at: Node, id: string, amount = 1_000) =>
  Effect.map(at.keep(order(id, amount)), ({ body }) => body.claim_code ?? "")

/** The code of a refusal, or whether something was made. */
export const said = <A>(done: Effect.Effect<Keeping.Done<A>, Refused>) =>
  Effect.map(Effect.result(done), (result) =>
    Result.isFailure(result) ? result.failure.code : result.success.created ? "created" : "same"
  )

export const guest = ({ on }: Node, member: string) => on(Guests.enroll(member))
export const points = ({ on }: Node, member: string) => on(Effect.map(Guests.balanceOf(member), ({ amount }) => amount))
export const ledger = ({ on }: Node, member: string) =>
  on(
    Effect.map(Guests.ledgerOf(member), (entries) =>
      entries.map(({ amount, operation, order_id }) => [operation, order_id, amount] as const)
    )
  )

/** A till posts the accrual of an order for a guest. */
export const accrue = ({ on }: Node, member_id: string, sent: Order) =>
  on(
    Effect.map(Testing.call("accrual.post", { context: Testing.context(), member_id, order: sent }), (outcome) => {
      if (outcome._tag === "Answer") return outcome.created ? "created" : "same"
      return outcome._tag === "Refusal" ? outcome.code : outcome._tag
    })
  )

export const state = (id: string) =>
  Effect.map(
    TestDatabase.query(`SELECT state FROM kept_orders WHERE order_id = '${id}'`),
    ([row]) => row?.["state"] as string | undefined
  )
