/**
 * Random histories through the database: what callers are told is what the model says, also of months that are closed while
 * others are posted late (contract/finance.md *Roll-forward*, *Cohorts*, *Closing a month*, *Verification*).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Closing from "../../../src/capabilities/finance/Closing.ts"
import * as Recount from "../../../src/capabilities/finance/Recount.ts"
import * as RollForward from "../../../src/capabilities/finance/RollForward.ts"
import * as Statement from "../../../src/capabilities/finance/Statement.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as Record from "../../../src/core/account/Record.ts"
import * as ReservationId from "../../../src/core/account/ReservationId.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../../src/reads/finance/FinanceStore.ts"
import * as JournalRecords from "../../core/journal/Records.ts"
import * as Random from "../../model/Random.ts"
import type { Changes, Counted } from "../../reads/finance/Expected.ts"
import * as Expected from "../../reads/finance/Expected.ts"
import { type Committed, History } from "../../reads/finance/History.ts"
import type { HistoryProgram } from "../../reads/finance/HistoryPrograms.ts"
import { factsOf, programs } from "../../reads/finance/HistoryPrograms.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Books from "./Books.ts"
import * as Told from "./Told.ts"

const seed = Number(process.env["SEED"] ?? 20_261_130)
/** Histories that are posted before the first close, and as many after it. */
const histories = 1_200
/** Everything that is due before is posted before a close. */
const settledBy = Date.UTC(2026, 4, 2)
const [first, second] = ["2026-03", "2026-04"]
const day = 86_400_000

const caller = {
  ...Testing.caller,
  ...{ kind: "root" as const, keyId: "root", sourceIp: undefined, requestId: undefined, restaurants: undefined }
}

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    Effect.forEach(programs, ({ published, versions }) =>
      Effect.forEach(versions, (program, last) =>
        ProgramWrites.write(connection, program, { by: "test", source: "file" }, last, published[last]!)
      )
    )
  )
)

/** A history, whose records are posted in their order. */
interface Posting {
  readonly program: HistoryProgram
  readonly history: History
  readonly hashes: Map<number, string>
}

const draw = Effect.fnUntraced(function* (random: Random.Random) {
  const { newAccountNumber } = yield* Journal
  const accounts = [yield* newAccountNumber, yield* newAccountNumber, yield* newAccountNumber]
  const program = random.pick(programs)
  const history = new History(random, program.versions, accounts).play(random.whole(3, 16))
  history.settleBy(settledBy)
  return { program, history, hashes: new Map() } satisfies Posting
})

/** The same with ids of reservations that name a record, as the service makes them: histories count theirs. */
const named = <A>(history: History, value: A): A =>
  JSON.parse(
    JSON.stringify(value).replaceAll(
      /"rsv-(\d+)"/g,
      (_, n: string) => `"${ReservationId.make(history.guests[0]!.account, Number(n))}"`
    )
  )

const recordOf = Effect.fnUntraced(function* ({ hashes, history, program }: Posting, committed: Committed) {
  const { claimKey, revision } = yield* Journal
  const { after, at, before, events, guest, reply, version } = committed
  const { account } = guest
  const merged = history.guests.filter((one) => one.state.mergedInto?.account === account)
  const identities = events.some(({ type }) => type === "merged_away") ? [] : [guest, ...merged].map(cardOf)
  const changes = events.some(({ type }) => type === "merged_away" || type === "merged_in")
  const record = Record.make(
    claimKey,
    {
      at,
      events: named(history, events),
      reply: named(history, reply),
      state: { ...after, reservations: named(history, after.reservations) }
    },
    {
      account,
      before,
      previous: hashes.get(account) ?? "",
      program: program.versions[version],
      revision: yield* revision,
      claims: [],
      actor: "test",
      origin: undefined,
      member: changes ? { identities } : undefined,
      opens: { programId: program.id, memberId: `guest-${account}`, identities: [cardOf(guest)] }
    }
  )
  hashes.set(account, record.hash)
  return record
})

const cardOf = ({ account }: { readonly account: number }) => ({
  type: "loyalty_id",
  value: `card-${account}`,
  issuer: "x"
})

/** Posts the next record of each history, until none has any. */
const post = Effect.fnUntraced(function* (all: ReadonlyArray<Posting>) {
  const journal = yield* Journal
  const longest = Math.max(...all.map(({ history }) => history.records.length))
  for (let place = 0; place < longest; place++) {
    const next = all.flatMap((one) => {
      const committed = one.history.records[place]
      return committed === undefined ? [] : [recordOf(one, committed)]
    })
    const outcomes = yield* JournalRecords.appendAll(journal, yield* Effect.all(next))
    for (const outcome of outcomes)
      if (outcome._tag !== "committed") assert.fail(`seed ${seed}: ${JSON.stringify(outcome)}`)
  }
})

/** All changes of a programme; a record's place is the part, before or after the first close, in which it is posted. */
const changesOf = (parts: ReadonlyArray<ReadonlyArray<Posting>>, id: string): Changes => {
  const all = parts.flatMap((postings, index) =>
    postings.flatMap(({ history, program }) => {
      if (program.id !== id) return []
      const { here, points, wallets } = Expected.changesOf(history, program.zones)
      const placed = <A extends object>(list: ReadonlyArray<A>) => list.map((one) => ({ ...one, index }))
      return [{ here: placed(here), points: placed(points), wallets: placed(wallets) }]
    })
  )
  return {
    here: all.flatMap(({ here }) => here),
    points: all.flatMap(({ points }) => points),
    wallets: all.flatMap(({ wallets }) => wallets)
  }
}

const closes = Effect.fnUntraced(function* (all: ReadonlyMap<string, Changes>, period: string, counted: Counted) {
  const { close } = yield* Closing.make
  for (const program of programs) {
    const { statement } = yield* close({ program_id: program.id, period })
    Told.checkStatement(statement, Statement.daysOf(period), all.get(program.id)!, counted, factsOf(program))
  }
})

const cohorts = (id: string) =>
  Effect.map(
    Scenario.byHand(
      `SELECT unit::text, earned, month, line, points::float8 FROM finance_cohorts WHERE program_id = '${id}'`
    ),
    Told.cohortsOf
  )

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)

const asks = Effect.fnUntraced(function* (random: Random.Random, program: HistoryProgram, changes: Changes) {
  const near = () => random.pick(changes.points).day + random.pick([-40, -1, 0, 1, 40]) * day
  const [one, other] = [near(), near()].toSorted((a, b) => a - b) as [number, number]
  const range = { from: one, until: Math.min(Math.max(other, one + 2 * day), one + 1_100 * day) }
  // It might be a month that is closed, which answers with its statement.
  if (dateOf(range.from).endsWith("-01")) return
  const rollForward = yield* RollForward.make
  for (const by of ["unit", "location", "month"] as const) {
    const asked = { program_id: program.id, from: dateOf(range.from), until: dateOf(range.until), by }
    const { rows } = yield* rollForward(asked)
    Told.checkRows(rows, range, changes, { since: undefined, until: 2 }, factsOf(program))
  }
})

const recounted = Effect.gen(function* () {
  const found: Array<string> = []
  const count = yield* Recount.run(({ faults, period, program }) =>
    Effect.sync(() => void found.push(...faults.map((fault) => `${program} ${period}: ${fault}`)))
  )
  assert.deepStrictEqual([count, found], [2 * programs.length, []])
})

/** Sums but those of 0: a row of 0 depends on what is counted together. */
const tables = Effect.map(
  Effect.all(
    (
      [
        ["finance_days", "points"],
        ["finance_cohorts", "points"],
        ["finance_rewards", "rewards"]
      ] as const
    ).map(([name, amount]) =>
      Scenario.byHand(`SELECT md5(string_agg(t::text, ' ' ORDER BY t)) AS sum FROM ${name} t WHERE ${amount} <> 0`)
    )
  ),
  (all) => all.flat()
)

/** No service runs on the database: it would post what is due. */
const all = Layer.mergeAll(Finance.layer, Programs.layer.pipe(Layer.provide(published)), Pools.layer).pipe(
  Layer.provideMerge(FinanceStore.layer),
  Layer.provideMerge(Layer.merge(PgFeed.layer, PgJournal.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.orDie
)

layer(all, { excludeTestServices: true })("random histories in the database", (it) => {
  it.effect("are told as the model has them, and closed months stay as they were", () =>
    Effect.gen(function* () {
      const random = Random.make(seed, "stored")
      const parts = [
        yield* Effect.replicateEffect(draw(random), histories),
        yield* Effect.replicateEffect(draw(random), histories)
      ] as const
      const all = new Map(programs.map(({ id }) => [id, changesOf(parts, id)]))

      yield* post(parts[0])
      yield* Books.counted
      yield* closes(all, first!, { since: undefined, until: 1 })

      yield* post(parts[1])
      yield* Books.counted
      for (const program of programs) {
        assert.deepStrictEqual(yield* cohorts(program.id), Expected.cohortsOf(all.get(program.id)!))
        for (let asked = 0; asked < 5; asked++) yield* asks(random, program, all.get(program.id)!)
      }
      yield* closes(all, second!, { since: 1, until: 2 })
      yield* closes(all, first!, { since: undefined, until: 1 })
      yield* recounted

      const before = yield* tables
      yield* Scenario.byHand("SELECT reset_rollups()")
      yield* Books.counted
      assert.deepStrictEqual(yield* tables, before)
    }).pipe(Effect.provideService(CurrentCaller, caller))
  )
})
