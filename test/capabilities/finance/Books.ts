/** A programme with a value of points, guests of it, and what finance says of them. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import type { RollForward, Row } from "../../../src/contract/admin/Finance.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../../src/reads/finance/FinanceStore.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { adjust, manual, reserve } from "../../core/account/domain/Scenario.ts"
import type { Member, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const { limits: _l, ...file } = Testing.demoProgram.file
const worth = (amount: number) => ({ points: 1, worth: { amount, currency: "USD" } })
const small = { ...file.rewards[0]!, reward_id: "small", cost: { unit: "points", amount: 60 } }

/** The demo's programme, where each order earns 20 points more, and a point is worth so many cents. */
export const books = (cents: number): Program =>
  Testing.programOf({
    ...file,
    point_value: worth(cents),
    rewards: [...file.rewards, small],
    promotions: [{ promotion_id: "extra", name: "Extra", effect: { add: 20 } }]
  })

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    ProgramWrites.write(connection, books(4), { by: "test", source: "file" }, 0, Date.UTC(2026, 0, 1))
  )
)

/** Publishes another version. */
export const publish = (program: Program, last: number, at: number) =>
  Connect.apart((connection) => ProgramWrites.write(connection, program, { by: "test", source: "file" }, last, at))

/** The service over a database, whose sums a test counts. */
export const layer = (tokens: ReadonlyArray<TokenGrant> = []) =>
  Layer.merge(
    Finance.layer,
    TestServer.layerFor(
      PgJournal.layer,
      Programs.layer.pipe(Layer.provide(published)),
      Pools.layer,
      tokens,
      undefined,
      RollupReads.layer.pipe(Layer.provide(PgFeed.layer)),
      EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
    )
  ).pipe(
    Layer.provideMerge(FinanceStore.layer),
    Layer.provideMerge(PgFeed.layer),
    Layer.provideMerge(TestDatabase.layer),
    Layer.orDie
  )

/** Counts every record: transactions of other tests may hold some back for a moment. */
export const counted = Effect.gen(function* () {
  const finance = yield* Finance
  do yield* finance.catchUp()
  while ((yield* finance.asOf) !== undefined)
})

export const admin = { authorization: "Bearer proto-dev-admin-key" }

export const get = (path: string, headers: Record<string, string> = admin) =>
  TestServer.send(`/admin/api/v1/finance/${path}`, undefined, { method: "GET", headers })

export const close = (program_id: string, period: string) =>
  TestServer.send("/admin/api/v1/finance/close", { program_id, period }, { headers: admin })

/** The roll-forward of days, which must be answered. */
export const rollForward = (from: string, until: string, by = "unit") =>
  Effect.map(get(`roll-forward?program_id=${books(4).id}&from=${from}&until=${until}&by=${by}`), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as RollForward
  })

/** The points of a row: opening, lines, closing. */
export const pointsOf = ({ closing, lines, opening }: Row): Readonly<Record<string, number>> => ({
  opening: opening.points,
  ...Object.fromEntries(lines.map(({ line, points }) => [line, points])),
  closing: closing.points
})

/** The same in money, minor units. */
export const worthOf = ({ closing, lines, opening }: Row): Readonly<Record<string, number | undefined>> => ({
  opening: opening.worth?.amount,
  ...Object.fromEntries(lines.map(({ line, worth }) => [line, worth?.amount])),
  closing: closing.worth?.amount
})

export const order = (traffic: Traffic, id: string, place: string, amount: number) =>
  Testing.order(id, amount, {
    ...Testing.placedAt(traffic.now),
    scope: { program_id: books(4).id, brand_id: "brand", merchant_id: "merchant", location_id: place }
  })

const day = 86_400_000

/**
 * Base 100 and a promotion's 20 at `west`, a refund of 30, gifts of 50, a correction of 10, 60 redeemed at `east` and given back,
 * and 20 of the gifts expire: 110 are left. It takes 20 days.
 */
export const example = Effect.fnUntraced(function* (traffic: Traffic, name: string) {
  const member: Member = yield* traffic.enroll(name, books(4))
  const act = (action: Parameters<Traffic["act"]>[1]) => traffic.act(member, action)
  yield* act({ type: "accrue", order: order(traffic, `order-${name}`, "west", 1_000) })
  yield* act(adjust(`order-${name}`, "partial_refund", -300))
  yield* act(manual(30, { adjustment: `gift-${name}` }))
  yield* act(manual(20, { adjustment: `short-${name}`, expires: traffic.now + 10 * day }))
  yield* act(manual(-10, { adjustment: `wrong-${name}`, classification: "correction" }))
  const meal = { ...order(traffic, `meal-${name}`, "east", 500), status: "open" as const }
  yield* act(reserve(1, { reward: "small", redemption: `meal-${name}`, order: meal }))
  const { order: held, reservation } = member.state.reservations.at(-1)!
  yield* act({ type: "capture", reservation, order: held })
  yield* act({ type: "reverse", reservation, reason: "test" })
  traffic.now += 20 * day
  yield* act({ type: "expire" })
  return member
})
