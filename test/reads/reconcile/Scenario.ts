/** Members with a full history on PostgreSQL, and what audits say of their tables. */
import { PgConnection } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { body, credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as ProgramStore from "../../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import type { Difference } from "../../../src/reads/reconcile/Difference.ts"
import * as Rebuild from "../../../src/reads/reconcile/Rebuild.ts"
import type { VerifyOptions } from "../../../src/reads/reconcile/Verification.ts"
import * as Verify from "../../../src/reads/reconcile/Verify.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = "demo-foodservice"
const farAhead = "2099-01-01T00:00:00.000Z"

/** Once in a database, however often its layers are built. */
const published = Layer.effectDiscard(
  Effect.flatMap(ProgramStore.inForce, ({ programs }) =>
    programs.size > 0
      ? Effect.void
      : Connect.apart((connection) =>
          ProgramWrites.write(connection, Testing.demoProgram, { by: "test", source: "file" }, 0, 0)
        )
  )
)
const programs = Programs.layer.pipe(Layer.provide(published))
/** The service's accounts over a database. */
export const service = HandlersOf.layer.pipe(
  Layer.provideMerge(Accounts.layer()),
  Layer.provideMerge(PgJournal.layer),
  Layer.provideMerge(Rollups.layer),
  Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
  Layer.provideMerge(programs)
)
export const layer = service.pipe(Layer.provideMerge(TestDatabase.layer))

/** Counts every record: transactions of other tests may hold some back for a moment. */
export const countRollups = Effect.gen(function* () {
  const [feed, rollups, store] = [yield* Feed, yield* Rollups, yield* RollupStore.RollupStore]
  do yield* rollups.catchUp()
  while ((yield* feed.oldestAfter((yield* store.progress).position)) !== undefined)
})

const reserve = (member_id: string, redemption_id: string, issued_reward_id?: string) =>
  Effect.map(
    body<{ readonly reservation: { readonly reservation_id: string } }>(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id,
          member_id,
          reward_id: "one-off",
          order: Testing.order(`meal-${redemption_id}`, 500, { status: "open", ...Testing.placedAt(now) }),
          ...(issued_reward_id === undefined ? undefined : { issued_reward_id })
        })
      )
    ),
    ({ reservation }) => reservation.reservation_id
  )
const capture = (reservation_id: string, redemption: string) =>
  body(
    Testing.call("redemption.capture", { context: Testing.context(), reservation_id, order_id: `meal-${redemption}` })
  )
const reverse = (reservation_id: string) =>
  body(Testing.call("redemption.reverse", { context: Testing.context(), reservation_id, reason: "changed mind" }))
const issue = (member_id: string, issued_reward_id: string) =>
  body(
    Testing.call("issued_reward.issue", {
      context: Testing.context(),
      issued_reward_id,
      member_id,
      program_id,
      reward_id: "one-off",
      expires_at: farAhead
    })
  )
const refund = (member_id: string, order: string) =>
  body(
    Testing.call("order.adjust", {
      context: Testing.context(),
      member_id,
      program_id,
      adjustment: {
        adjustment_id: `refund-${order}`,
        original_order_id: order,
        type: "partial_refund",
        reason: "returned",
        occurred_at: "2026-07-14T10:00:00Z",
        order_total_delta: { amount: -300, currency: "USD" },
        eligible_spend_delta: { amount: -300, currency: "USD" }
      }
    })
  )

/** One of everything, in more than twenty records, so that a snapshot is worth it. */
const live = Effect.fnUntraced(function* (member: string) {
  yield* enroll(member)
  for (let order = 0; order < 12; order++) yield* earn(member, `${member}-${order}`, 1_000 + order)
  yield* refund(member, `${member}-3`)
  yield* credit(member, 75, farAhead)
  yield* credit(member, -5)
  const first = yield* reserve(member, `${member}-red-1`)
  yield* capture(first, `${member}-red-1`)
  yield* reverse(first)
  yield* capture(yield* reserve(member, `${member}-red-2`), `${member}-red-2`)
  yield* reverse(yield* reserve(member, `${member}-red-3`))
  yield* issue(member, `${member}-wallet-1`)
  yield* issue(member, `${member}-wallet-2`)
  yield* capture(yield* reserve(member, `${member}-red-4`, `${member}-wallet-1`), `${member}-red-4`)
  yield* reserve(member, `${member}-red-5`)
})

/** Members `m-0` to `m-N`, each with one of everything, snapshots of all of them, and rollups that count them. */
export const lives = (count: number) =>
  Effect.andThen(
    Effect.forEach(
      Array.from({ length: count }, (_, index) => `m-${index}`),
      live,
      { concurrency: 32, discard: true }
    ),
    Effect.andThen(countRollups, rebuild)
  )

export const verify = (share = 100, options: Pick<VerifyOptions, "isFull" | "program" | "rangeRows"> = {}) =>
  Effect.gen(function* () {
    const differences: Array<Difference> = []
    const counted = yield* Verify.run({
      share,
      ...options,
      onDifference: (difference) => Effect.sync(() => void differences.push(difference)),
      onProgress: () => Effect.void
    })
    return { ...counted, found: differences }
  })

export const rebuild = Effect.gen(function* () {
  const unrepaired: Array<Difference> = []
  const counted = yield* Rebuild.run({
    onUnrepaired: (difference) => Effect.sync(() => void unrepaired.push(difference)),
    onProgress: () => Effect.void
  })
  return { ...counted, found: unrepaired }
})

/** Runs statements as somebody who knows how to get past the triggers. */
export const byHand = (...statements: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make(clientConfig)
      yield* connection.query("SET session_replication_role = replica", [], false)
      const rows: Array<PgConnection.Row> = []
      for (const statement of statements) rows.push(...(yield* connection.query(statement, [], false)).rows)
      return rows
    })
  )
