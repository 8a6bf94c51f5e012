/** contract/operators.md *Taking rewards back*: the unused rewards of one cause, over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import { find } from "../../../src/capabilities/campaigns/UnusedRewards.ts"
import type { TakeBack, TakenBack } from "../../../src/contract/admin/TakeBack.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import { countRollups } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"
import { hire, page } from "../staff/Clerks.ts"
import { coffee } from "../staff/Coffee.ts"

/** A card that each stamp fills, and a challenge that two orders complete, with the same reward. */
const program = coffee(1, [
  { challenge_id: "two", name: "Two orders", count: { orders: 2 }, repeat: true, gives: { reward_id: "coffee" } }
])
const { id: program_id } = program

const reads = RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
const events = EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
const layer = Rollups.layer.pipe(
  Layer.provideMerge(RollupStore.layer),
  Layer.provideMerge(PgFeed.layer),
  Layer.provideMerge(
    TestServer.layerFor(PgJournal.layer, Programs.layerFrom([program]), Pools.layer, [], undefined, reads, events)
  ),
  Layer.provideMerge(TestDatabase.layer)
)

const send = (body: Partial<typeof TakeBack.Type>, headers?: Record<string, string>) =>
  Operators.post(`/programs/${program_id}/rewards/take-back`, { reason: "a mistake", ...body }, headers)
const takeBack = (body: Partial<typeof TakeBack.Type>) =>
  Effect.map(send(body), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as TakenBack
  })

const context = () => Testing.context()
const enroll = (member_id: string) =>
  Guests.body(
    Testing.call("member.enroll", {
      context: context(),
      program_id,
      member_id,
      identity: { type: "external", value: member_id }
    })
  )
const order = (id: string, status: "open" | "paid") =>
  Effect.map(serviceNow, (now) => Testing.order(id, 500, { status, ...Testing.placedAt(now) }, program_id))
const earn = (member_id: string, id: string) =>
  Effect.flatMap(order(id, "paid"), (paid) =>
    Guests.body(Testing.call("accrual.post", { context: context(), member_id, order: paid }))
  )
/** Fills so many cards at once. */
const fill = (member_id: string, amount: number) =>
  Guests.body(
    Testing.call("ledger.manual_adjustment", {
      context: context(),
      member_id,
      program_id,
      adjustment_id: `fills-${member_id}`,
      amount,
      classification: "gift",
      reason: "test",
      qualifies_for_tier: false
    })
  )

/** How many rewards of a wallet have each status, as sorted text such as `cancelled 2`. */
const wallet = (member_id: string) =>
  Effect.map(
    Guests.body<ResponseOf<"issued_reward.list">>(
      Testing.call("issued_reward.list", { context: context(), program_id, member_id })
    ),
    ({ issued_rewards }) => issued_rewards
  )
const counts = (member_id: string) =>
  Effect.map(wallet(member_id), (rewards) => {
    const statuses = [...new Set(rewards.map(({ status }) => status))].toSorted()
    return statuses.map((status) => `${status} ${rewards.filter((one) => one.status === status).length}`)
  })
/** Holds the member's oldest usable reward. */
const hold = Effect.fnUntraced(function* (member_id: string, id: string) {
  const open = yield* order(id, "open")
  const reward = (yield* wallet(member_id)).findLast(({ status }) => status === "issued")
  const { reservation } = yield* Guests.body<ResponseOf<"redemption.reserve">>(
    Testing.call("redemption.reserve", {
      context: context(),
      redemption_id: id,
      member_id,
      reward_id: "coffee",
      issued_reward_id: reward?.issued_reward_id ?? "",
      order: open
    })
  )
  return reservation.reservation_id
})
const redeem = Effect.fnUntraced(function* (member_id: string, id: string) {
  const reservation_id = yield* hold(member_id, id)
  yield* Guests.body(Testing.call("redemption.capture", { context: context(), reservation_id, order_id: id }))
})

const engagement = (path: string, body: object, method = "POST") =>
  Effect.map(TestServer.send(`/platform/v1${path}`, body, { method }), ({ body, status }) => {
    assert.isBelow(status, 300, JSON.stringify(body))
    return body
  })
/** Runs a campaign that issues the reward to these members; the id of the run. */
const run = Effect.fnUntraced(function* (id: string, member_ids: ReadonlyArray<string>) {
  yield* engagement("/segments", { segment_id: id, name: id, program_id, member_ids }, "PUT")
  const campaign = { campaign_id: id, name: id, program_id, segment_id: id, reward_id: "coffee" }
  yield* engagement("/campaigns", campaign, "PUT")
  yield* engagement("/campaigns/status", { campaign_id: id, status: "active" })
  const answer = yield* engagement("/campaigns/run", { campaign_id: id })
  return (answer as unknown as { readonly run: { readonly run_id: string } }).run.run_id
})
const audited = (action: string) =>
  Effect.map(
    TestDatabase.query(`SELECT subject_id, changes, reason FROM audit WHERE action = '${action}' ORDER BY audit_id`),
    (rows) => rows.map(({ changes, reason, subject_id }) => [subject_id, JSON.parse(String(changes)), reason])
  )

it.layer(layer, { excludeTestServices: true })("taking back the rewards of one cause", (it) => {
  it.effect("cancels those of stamp cards, of a challenge, of a run, each without the others", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben"]) yield* enroll(member)
      // Two cards and a challenge each, and a reward of a campaign.
      for (const member of ["ada", "ben"]) for (const place of [1, 2]) yield* earn(member, `${member}-${place}`)
      const run_id = yield* run("all", ["ada", "ben"])
      yield* run("others", ["ada"])
      assert.deepStrictEqual([yield* counts("ada"), yield* counts("ben")], [["issued 5"], ["issued 4"]])
      const card = { stamp_card: true } as const
      assert.deepStrictEqual(yield* takeBack({ cause: card, dry_run: true }), {
        dry_run: true,
        found: 4,
        cancelled: 0,
        left: 0
      })
      assert.deepStrictEqual(yield* counts("ada"), ["issued 5"])
      assert.deepStrictEqual(yield* takeBack({ cause: { run_id } }), { found: 2, cancelled: 2, left: 0 })
      assert.deepStrictEqual(
        [yield* counts("ada"), yield* counts("ben")],
        [
          ["cancelled 1", "issued 4"],
          ["cancelled 1", "issued 3"]
        ]
      )
      const challenge = { challenge_id: "two" }
      assert.deepStrictEqual(yield* takeBack({ cause: challenge }), { found: 2, cancelled: 2, left: 0 })
      assert.deepStrictEqual(yield* takeBack({ cause: card }), { found: 4, cancelled: 4, left: 0 })
      for (const cause of [card, challenge, { run_id }])
        assert.deepStrictEqual(yield* takeBack({ cause }), { found: 0, cancelled: 0, left: 0 })
      // That of the other campaign.
      assert.deepStrictEqual(
        [yield* counts("ada"), yield* counts("ben")],
        [["cancelled 4", "issued 1"], ["cancelled 4"]]
      )
      assert.deepStrictEqual(yield* audited("reward.take_back"), [
        [program_id, { after: { cause: { run_id }, cancelled: 2, left: 0 } }, "a mistake"],
        [program_id, { after: { cause: challenge, cancelled: 2, left: 0 } }, "a mistake"],
        [program_id, { after: { cause: card, cancelled: 4, left: 0 } }, "a mistake"]
      ])
      assert.lengthOf(yield* audited("member.reward.cancel"), 8)
    })
  )

  it.effect("takes those of suspended guests, leaves what was redeemed, and counts what is held", () =>
    Effect.gen(function* () {
      for (const member of ["cem", "dee"]) yield* enroll(member)
      yield* fill("cem", 4)
      yield* fill("dee", 1)
      yield* redeem("cem", "cem-redeems")
      yield* hold("cem", "cem-holds")
      yield* Operators.post(`/members/${program_id}/dee/status`, { status: "suspended", reason: "r" })
      const cause = { stamp_card: true } as const
      assert.deepStrictEqual(yield* takeBack({ cause }), { found: 4, cancelled: 3, left: 1 })
      assert.deepStrictEqual(yield* counts("cem"), ["cancelled 2", "issued 1", "redeemed 1"])
      assert.deepStrictEqual(yield* counts("dee"), ["cancelled 1"])
      assert.deepStrictEqual(yield* takeBack({ cause }), { found: 1, cancelled: 0, left: 1 })
    })
  )

  it.effect("takes those of a time alone, wherever a merge has moved them", () =>
    Effect.gen(function* () {
      for (const member of ["eve", "fay"]) yield* enroll(member)
      const run_id = yield* run("merged", ["eve"])
      yield* earn("eve", "eve-1")
      yield* earn("eve", "eve-2")
      const [second, challenge, first] = (yield* wallet("eve")).map(({ issued_at }) => issued_at)
      assert.isTrue(second === challenge && first !== undefined && second !== undefined && first < second)
      yield* Operators.post(`/members/${program_id}/merge`, { from: "eve", into: "fay", reason: "r" })
      yield* countRollups
      const range = { from: first ?? "", until: second ?? "" }
      const cause = { stamp_card: true } as const
      assert.deepStrictEqual(yield* takeBack({ cause, ...range }), { found: 1, cancelled: 1, left: 0 })
      const since = { from: second ?? "" }
      for (const cause of [{ stamp_card: true } as const, { challenge_id: "two" }])
        assert.deepStrictEqual(yield* takeBack({ cause, ...since }), { found: 1, cancelled: 1, left: 0 })
      assert.deepStrictEqual(yield* takeBack({ cause: { run_id } }), { found: 1, cancelled: 1, left: 0 })
      assert.deepStrictEqual(yield* counts("fay"), ["cancelled 4"])
    })
  )

  it.effect("goes on after a stop in the middle: each reward is cancelled once, at most 200 by a request", () =>
    Effect.gen(function* () {
      yield* enroll("gil")
      yield* fill("gil", 405)
      const from = (yield* wallet("gil"))[0]?.issued_at ?? ""
      const body = { cause: { stamp_card: true } as const, from }
      const asked = yield* Effect.forkChild(send(body))
      const cancelled = Effect.map(audited("member.reward.cancel"), (all) => all.filter(([whose]) => whose === "gil"))
      while ((yield* cancelled).length < 3) yield* Effect.yieldNow
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      const { body: stopped, status } = yield* Fiber.join(asked)
      const { body: refused } = yield* send(body)
      const { found } = yield* takeBack({ ...body, dry_run: true })
      yield* freeze.set(false)
      assert.isTrue(found > 205 && found < 405, String(found))
      const first = { cancelled: 405 - found, left: 0 }
      assert.deepStrictEqual([status, stopped, refused["code"]], [200, { found: 405, ...first }, "write_frozen"])
      const cause = body.cause
      assert.deepStrictEqual((yield* audited("reward.take_back")).at(-1)?.[1], { after: { cause, from, ...first } })
      assert.deepStrictEqual(yield* takeBack(body), { found, cancelled: 200, left: 0 })
      for (let rest = found - 200; rest > 0; rest -= 200)
        assert.deepStrictEqual(yield* takeBack(body), { found: rest, cancelled: Math.min(rest, 200), left: 0 })
      assert.deepStrictEqual(yield* counts("gil"), ["cancelled 405"])
      assert.lengthOf(yield* cancelled, 405)
    })
  )

  it.effect("counts for the limit of a person, and is refused as a whole beyond it", () =>
    Effect.gen(function* () {
      yield* enroll("hal")
      yield* fill("hal", 11)
      const from = (yield* wallet("hal"))[0]?.issued_at ?? ""
      const body = { cause: { stamp_card: true } as const, from }
      yield* hire("ina", "support")
      const ina = yield* page("ina")
      for (const more of [{ dry_run: true }, {}]) {
        const { body: refused, status } = yield* send({ ...body, ...more }, ina)
        assert.deepStrictEqual([status, refused["code"]], [403, "limit_exceeded"])
      }
      assert.deepStrictEqual(yield* counts("hal"), ["issued 11"])
      yield* redeem("hal", "hal-redeems")
      assert.strictEqual((yield* send(body, ina)).body["cancelled"], 10)
      const [day] = yield* TestDatabase.query(
        "SELECT sum(rewards)::int AS rewards FROM given_days WHERE user_id = 'ina'"
      )
      assert.strictEqual(day?.["rewards"], 10)
    })
  )

  it.effect("by requests at once: each is told of those that it cancelled itself, and so is the audit", () =>
    Effect.gen(function* () {
      for (const member of ["kai", "kim", "kit"]) yield* enroll(member)
      const oldest = (member: string) => Effect.map(wallet(member), (rewards) => rewards.at(-1)?.issued_at ?? "")
      yield* fill("kai", 12)
      const from = yield* oldest("kai")
      const cause = { stamp_card: true } as const
      const audits = Effect.map(audited("reward.take_back"), (all) =>
        all.map(([, { after }]) => (after as { readonly cancelled: number }).cancelled)
      )
      const before = (yield* audits).length
      const sum = (all: ReadonlyArray<number>) => all.reduce((total, one) => total + one, 0)
      const both = yield* Effect.all([takeBack({ cause, from }), takeBack({ cause, from })], { concurrency: 2 })
      assert.deepStrictEqual(
        both.map(({ cancelled, left }) => cancelled + left),
        both.map(({ found }) => found)
      )
      assert.strictEqual(sum(both.map(({ cancelled }) => cancelled)), 12)
      assert.strictEqual(sum((yield* audits).slice(before)), 12)
      // Each fits into what is left of the day, both do not.
      yield* fill("kim", 8)
      yield* fill("kit", 8)
      const [first, second] = [yield* oldest("kim"), yield* oldest("kit")]
      assert.isTrue(first < second)
      yield* hire("lia", "support")
      const lia = yield* page("lia")
      const told = yield* Effect.all(
        [send({ cause, from: first, until: second }, lia), send({ cause, from: second }, lia)],
        { concurrency: 2 }
      )
      const cancelled = told.map(({ body }) => Number(body["cancelled"] ?? 0))
      // One that begins once the other has counted is refused as a whole; else it is stopped where the day's limit ends.
      const isRefused = told.some(({ status }) => status === 403)
      assert.deepStrictEqual(
        [sum(cancelled), sum((yield* audits).slice(before))],
        isRefused ? [8, 20] : [10, 22],
        JSON.stringify(told.map(({ body }) => body))
      )
    })
  )

  it.effect("asks for points:give, for one cause, and for a run of the programme", () =>
    Effect.gen(function* () {
      const body = { cause: { stamp_card: true } as const }
      for (const scopes of [["members:write"], ["programs:publish"], ["audience:write"]]) {
        const { secret } = yield* Operators.issue({ scopes })
        assert.strictEqual((yield* send(body, Operators.bearer(secret))).status, 403)
      }
      const { secret } = yield* Operators.issue({ scopes: ["points:give"] })
      assert.strictEqual((yield* send(body, Operators.bearer(secret))).status, 200)
      const elsewhere = yield* Operators.issue({ scopes: ["points:give"], programs: ["another"] })
      assert.strictEqual((yield* send(body, Operators.bearer(elsewhere.secret))).status, 403)
      for (const cause of [{}, { stamp_card: true, challenge_id: "two" } as const])
        assert.strictEqual((yield* send({ cause })).status, 422)
      assert.strictEqual((yield* send({ cause: { run_id: "run_of_nobody" } })).status, 404)
    })
  )

  it.effect("finds those that were earned in an archived month, out of its file, or the month is away", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      const from = yield* serviceNow
      for (const member of ["max", "mia", "moe"]) yield* enroll(member)
      for (const member of ["max", "mia"]) for (const place of [1, 2]) yield* earn(member, `${member}-${place}`)
      yield* Operators.post(`/members/${program_id}/merge`, { from: "max", into: "mia", reason: "r" })
      yield* Effect.forEach([0, 1, 2], (span) => Effect.andThen(Archiving.begin, earn("moe", `moe-${span}`)))
      yield* countRollups
      const { claimKey } = yield* Journal
      const pool = yield* Pools.WorkPool
      const found = Effect.gen(function* () {
        const files = yield* ArchiveFiles.ArchiveFiles
        const of = (cause: { stamp_card: true } | { challenge_id: string }) =>
          find({ files, pool }, claimKey, program_id, cause, { from, until: from + 600_000 }, from)
        return [yield* of({ stamp_card: true }), yield* of({ challenge_id: "two" })]
      })
      const through = (folder: string) => Effect.provide(found, ArchiveFiles.layer(folder))
      /** With other reads of the same files. */
      const reading = (rows: (rows: ArchiveFiles.FileReads["rows"]) => ArchiveFiles.FileReads["rows"]) =>
        Effect.flatMap(ArchiveFiles.ArchiveFiles, (known) => {
          const { folder, keyAt, keysAfter, rows: own } = known!
          const files = { folder, keyAt, keysAfter, rows: rows(own) }
          return Effect.provideService(found, ArchiveFiles.ArchiveFiles, files)
        }).pipe(Effect.provide(ArchiveFiles.layer(to)))
      const expected = yield* found
      assert.deepStrictEqual(
        expected.map((rewards) => rewards.map(({ member }) => member)),
        [
          ["mia", "mia", "mia", "mia", "moe", "moe", "moe"],
          ["mia", "mia", "moe"]
        ]
      )
      yield* Effect.all([Archiving.seal, Archiving.seal, Archiving.seal])
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      const reads: Array<string> = []
      const counting = reading((rows) => (known, section, range) => {
        reads.push(`${known.file} ${range.account}`)
        return rows(known, section, range)
      })
      assert.deepStrictEqual(yield* counting, expected)
      // The cards and the challenge each read the accounts max, mia and moe once, however many rewards they earned.
      assert.deepStrictEqual([reads.length, new Set(reads).size], [6, 3], reads.join())
      // The database can be reached, and a retry would take as long: the refusal tells neither.
      const tooLong = yield* Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const asked = yield* Effect.forkChild(
          reading(() => () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        yield* Deferred.await(begun)
        yield* TestClock.adjust(60_000)
        return yield* Effect.flip(Fiber.join(asked))
      }).pipe(Effect.provide(TestClock.layer()))
      assert.strictEqual(tooLong.code, "validation_failed")
      assert.deepStrictEqual(
        tooLong.errors?.map(({ path }) => path),
        ["/from"]
      )
      assert.strictEqual((yield* Effect.flip(found)).code, "archived")
      // A folder without the file is none.
      assert.strictEqual((yield* Effect.flip(through(yield* Archiving.folder))).code, "archived")
    }).pipe(Effect.scoped)
  )
})
