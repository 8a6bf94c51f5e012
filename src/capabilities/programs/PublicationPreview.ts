/** Effects that a publication would have, for operators (contract/operators.md *Preview of a publication*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { storageUnavailable, WorkPool } from "../../base/database/Pools.ts"
import { optional, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Completed, PublicationPreview } from "../../contract/admin/PublicationPreview.ts"
import { maxCountedMembers, triedDays } from "../../contract/admin/PublicationPreview.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { present } from "../../core/protocol/Render.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import { isSame } from "../../core/rules/Changes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { challengesAfter } from "../../core/rules/Program.ts"
import * as TierPolicies from "../../core/rules/TierPolicies.ts"
import type { Standing, TierKey } from "../../reads/rollups/Ladder.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"
import type { Kind } from "../../reads/rollups/RollupReads.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import * as Completions from "./Completions.ts"
import { programOf } from "./ManagedPrograms.ts"
import { Trial } from "./PromotionTrial.ts"
import type { Recorded } from "./RecordedOrders.ts"
import * as RecordedOrders from "./RecordedOrders.ts"

const { text } = PgTypes

/** Most rows that a sample reads, of all programmes of the database: some tenths of a second. */
const maxSampledRows = 200_000
/** Members after which other work gets the thread: about a millisecond. */
const membersAtOnce = 200
/** Orders after which other work gets the thread: about a millisecond with 100 promotions. */
const ordersAtOnce = 20

const standingRows = rowsOf(
  Schema.Struct({ account: Schema.Number, period: optional(Schema.Number), units: Schema.String })
)
const standings = (from: string) =>
  `SELECT m.account, m.period, m.units FROM member_rollups m ${from} WHERE m.program_id = $1 AND m.status <> 'closed'`
const allStatement = standings("")
/** Pages at random, the same ones each time, so that two previews compare. */
const sampleStatement = standings("TABLESAMPLE SYSTEM ($2) REPEATABLE (0)")

const countOf = (kinds: ReadonlyArray<Kind>, isCounted: (kind: Kind) => boolean): number =>
  kinds.reduce((sum, kind) => (isCounted(kind) ? sum + kind.members : sum), 0)

/** The members whose tiers are counted. */
const membersOf = Effect.fnUntraced(function* (query: Query, kinds: ReadonlyArray<Kind>, program: string) {
  const total = countOf(kinds, (kind) => kind.program === program && kind.status !== "closed")
  const all = countOf(kinds, () => true)
  const share = Math.min(1, maxCountedMembers / total, maxSampledRows / all)
  const found = yield* total <= maxCountedMembers
    ? standingRows(query(allStatement, [text(program)]))
    : standingRows(query(sampleStatement, [text(program), PgTypes.float8(100 * share)]))
  return {
    total,
    accounts: found.map(({ account }) => account),
    standings: found.map(({ period, units }) => RecordedOrders.standingOf(period, units))
  }
})

/** The tier that a programme gives to a standing now; undefined: it has none. */
const tierBy = (program: Program | undefined, now: number): ((standing: Standing) => string | undefined) => {
  if (program === undefined) return () => undefined
  const ladder = Ladder.ladderOf(program)
  return (standing) => Ladder.tierAt(program, now, Ladder.keyOf(ladder, standing))
}

const counted = Effect.fnUntraced(function* (
  standings: ReadonlyArray<Standing>,
  program: Program | undefined,
  now: number
) {
  const counts = new Map((program?.tiers ?? []).map(({ tier_id }) => [tier_id, 0]))
  const tierOf = tierBy(program, now)
  for (const [place, standing] of standings.entries()) {
    const tier = tierOf(standing)
    if (tier !== undefined) counts.set(tier, (counts.get(tier) ?? 0) + 1)
    if (place % membersAtOnce === 0) yield* Effect.yieldNow
  }
  return counts
})

const tiersOf = Effect.fnUntraced(function* (
  standings: ReadonlyArray<Standing>,
  before: Program | undefined,
  after: Program,
  now: number
) {
  const [was, is] = [yield* counted(standings, before, now), yield* counted(standings, after, now)]
  const removed = (before?.tiers ?? []).filter(({ tier_id }) => !is.has(tier_id))
  return [...after.tiers, ...removed].map(({ name, tier_id }) =>
    present<PublicationPreview["members"]["tiers"][number]>({
      tier_id,
      name,
      before: was.get(tier_id),
      after: is.get(tier_id)
    })
  )
})

const keyBy = (program: Program): ((standing: Standing) => TierKey) => {
  const ladder = Ladder.ladderOf(program)
  return (standing) => Ladder.keyOf(ladder, standing)
}

/** Earnings of orders, oldest first. */
const tried = Effect.fnUntraced(function* (orders: ReadonlyArray<Recorded>, program: Program, now: number) {
  const trial = new Trial(program, now)
  const keyOf = keyBy(program)
  for (const [place, order] of orders.entries()) {
    trial.order({ ...order, tier: keyOf(order.standing) })
    if (place % ordersAtOnce === 0) yield* Effect.yieldNow
  }
  return { earned: trial.earned, cards: trial.cards, untried: trial.result.untried }
})

const ordersOf = Effect.fnUntraced(function* (
  query: Query,
  before: Program | undefined,
  after: Program,
  now: number,
  members: number
): Effect.fn.Return<PublicationPreview["orders"], Refused> {
  if (before === undefined) return { total: 0, count: 0, before: [], after: [], untried: [] }
  const range = { from: now - triedDays * dayMs, until: now + 1 }
  const { orders, total } = yield* RecordedOrders.ofMembers(query, after.id, range, members)
  const [first, last] = [orders[0], orders.at(-1)]
  const [was, is] = [yield* tried(orders, before, now), yield* tried(orders, after, now)]
  return present<PublicationPreview["orders"]>({
    total,
    count: orders.length,
    from: first && fromMillis(first.at),
    until: last && fromMillis(last.at),
    before: was.earned,
    after: is.earned,
    card_before: was.cards,
    card_after: is.cards,
    untried: [...new Set([...was.untried, ...is.untried])]
  })
})

/** Additions, removals and changes between two lists: the later one in its order, then those it no longer has. */
const changesOf = <A extends { readonly name: string }>(
  before: ReadonlyArray<A>,
  after: ReadonlyArray<A>,
  idOf: (one: A) => string
) => {
  const was = new Map(before.map((one) => [idOf(one), one]))
  const is = new Set(after.map(idOf))
  return [
    ...after.flatMap((one) => {
      const former = was.get(idOf(one))
      if (former !== undefined && isSame(former, one)) return []
      return [
        { id: idOf(one), name: one.name, change: former === undefined ? ("added" as const) : ("changed" as const) }
      ]
    }),
    ...before.flatMap((one) =>
      is.has(idOf(one)) ? [] : [{ id: idOf(one), name: one.name, change: "removed" as const }]
    )
  ]
}

const offersOf = (before: Program | undefined, { file }: Program, completed: ReadonlyMap<string, Completed>) => {
  const was = before?.file
  return {
    rewards: changesOf(was?.rewards ?? [], file.rewards, ({ reward_id }) => reward_id).map(({ id, ...one }) => ({
      reward_id: id,
      ...one
    })),
    promotions: changesOf(was?.promotions ?? [], file.promotions ?? [], ({ promotion_id }) => promotion_id).map(
      ({ id, ...one }) => ({ promotion_id: id, ...one })
    ),
    challenges: changesOf(was?.challenges ?? [], file.challenges ?? [], ({ challenge_id }) => challenge_id).map(
      ({ id, ...one }) => {
        const completes = completed.get(id)
        return { challenge_id: id, ...one, ...(completes && { completes }) }
      }
    )
  }
}

/** A definition with the tier policies and challenges that it would have if it were published at `now`. */
const publishedAt = (next: Program, before: Program | undefined, now: number): Program =>
  before === undefined
    ? next
    : {
        ...next,
        tierPolicies: TierPolicies.published(before.tierPolicies, next.file.tier_policy, now),
        challenges: challengesAfter(before, next, now)
      }

export const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const { now } = yield* serviceTime
  const [accounts, programs, rollups] = [yield* Accounts, yield* Programs, yield* RollupReads]

  return Effect.fn("PublicationPreview.show")(function* (json: unknown): Effect.fn.Return<PublicationPreview, Refused> {
    const next = yield* programOf(json)
    const before = programs.get(next.id)
    const at = now()
    const after = publishedAt(next, before, at)
    const kinds = yield* Effect.mapError(rollups.kinds(), () => storageUnavailable)
    const { standings, total, ...members } = yield* membersOf(query, kinds, next.id)
    const completed =
      before === undefined
        ? new Map<string, Completed>()
        : yield* Completions.of(accounts, before, after, members.accounts, total, at)
    return present<PublicationPreview>({
      program_id: next.id,
      version: before?.version,
      members: { total, counted: standings.length, tiers: yield* tiersOf(standings, before, after, at) },
      orders: yield* ordersOf(query, before, after, at, total),
      ...offersOf(before, after, completed)
    })
  })
})
