/** contract/members.md *Merging*: merging members, over HTTP on PostgreSQL. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { balanceOf, credit, earn, enroll, reserve } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { AuditList } from "../../../src/contract/admin/Audit.ts"
import { auditPath } from "../../../src/contract/admin/Audit.ts"
import * as Members from "../../../src/contract/admin/Members.ts"
import * as Contract from "../../../src/contract/admin/Merge.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { rebuild, verify } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const root = { authorization: "Bearer proto-dev-admin-key" }
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, undefined, Pools.layer),
  TestDatabase.layer
)

const merge = (from: string, into: string, program = program_id) =>
  TestServer.send(Contract.pathOf(program), { from, into, reason: "two cards" }, { headers: root })
const show = (member: string) =>
  Effect.map(
    TestServer.send(Members.pathOf(program_id, member), undefined, { method: "GET", headers: root }),
    ({ body }) => body as unknown as typeof Members.MemberShown.Type
  )
const post = (member: string, rest: string, payload: unknown) =>
  TestServer.send(`${Members.pathOf(program_id, member)}${rest}`, payload, { headers: root })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)

/** Runs statements on one connection, and what runs more of them on it. */
const alone = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    const run = (all: ReadonlyArray<string>) =>
      Effect.forEach(all, (statement) => connection.query(statement, [], false), { discard: true })
    yield* run(statements)
    return run
  })

/** Every table tells the same as the journal. */
const isSound = Effect.gen(function* () {
  assert.deepStrictEqual((yield* verify()).found, [])
})

it.layer(layer, { excludeTestServices: true })("the route of merge", (it) => {
  it.effect("answers the member that stays; the other points at it for ever", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* earn("ben", "ben-1", 3_000)
      yield* credit("ben", 50)
      yield* earn("ada", "ada-1", 1_000)
      yield* post("ben", "/rewards", { issued_reward_id: "ben-gift", reward_id: "free-bowl" })
      const answered = yield* merge("ben", "ada")
      assert.strictEqual(answered.status, 200)
      assert.deepStrictEqual(Object.keys(answered.body), ["member"])
      const member = answered.body["member"] as unknown as typeof Members.AdminMember.Type
      assert.deepStrictEqual(
        [member.member_id, member.status, member.identities.map(({ value }) => value)],
        ["ada", "active", ["card-ada", "card-ben"]]
      )
      const ada = yield* show("ada")
      assert.deepInclude(ada.balances[0], { amount: 450, available: 450 })
      assert.deepStrictEqual(
        ada.lots.map(({ amount, remaining }) => [amount, remaining]),
        [
          [300, 300],
          [50, 50],
          [100, 100]
        ]
      )
      assert.deepStrictEqual(
        ada.issued_rewards.map(({ issued_reward_id, member_id }) => [issued_reward_id, member_id]),
        [["ben-gift", "ada"]]
      )
      const ben = yield* show("ben")
      assert.deepInclude(ben.member, { member_id: "ben", status: "closed", merged_into: "ada", identities: [] })
      assert.deepInclude(ben.balances[0], { amount: 0 })
      assert.deepStrictEqual([ben.lots, ben.issued_rewards], [[], []])
      assert.strictEqual((yield* balanceOf("ben")).amount, 450)
      // Operators' requests about the member itself are refused; the rest is done on the other.
      const status = yield* said(post("ben", "/status", { status: "active", reason: "test" }))
      const identities = yield* said(
        post("ben", "/identities", { add: [{ type: "loyalty_id", value: "new", issuer: "x" }] })
      )
      assert.deepStrictEqual(
        [status, identities],
        [
          [409, "invalid_state"],
          [409, "invalid_state"]
        ]
      )
      // Changes of the other are told of the other.
      yield* post("ben", "/adjustments", {
        adjustment_id: "by-ben",
        amount: 1,
        classification: "gift",
        reason: "test",
        qualifies_for_tier: false
      })
      yield* post("ben", "/rewards", { issued_reward_id: "by-ben", reward_id: "one-off" })
      const told = yield* TestDatabase.query("SELECT subject_id FROM audit WHERE changes LIKE '%by-ben%'")
      assert.deepStrictEqual(
        told.map(({ subject_id }) => subject_id),
        ["ada", "ada"]
      )
      yield* isSound
      yield* rebuild
      yield* isSound
    })
  )

  it.effect("tells the audit of both members in the transaction of the merge, and nothing where it is refused", () =>
    Effect.gen(function* () {
      for (const member of ["cem", "dee"]) yield* enroll(member)
      const trailOf = (member: string) =>
        Effect.map(
          TestServer.send(`${auditPath}?subject=${member}`, undefined, { method: "GET", headers: root }),
          ({ body }) =>
            (body as unknown as typeof AuditList.Type).entries.filter(({ action }) => action === "member.merge")
        )
      assert.deepStrictEqual(yield* said(merge("cem", "nobody")), [404, "not_found"])
      assert.deepStrictEqual(yield* trailOf("cem"), [])
      yield* merge("cem", "dee")
      assert.deepStrictEqual(yield* said(merge("dee", "cem")), [409, "invalid_state"])
      const told = { program_id, reason: "two cards" }
      const [away, ...moreAway] = yield* trailOf("cem")
      const [taken, ...moreTaken] = yield* trailOf("dee")
      assert.deepStrictEqual([moreAway, moreTaken], [[], []])
      const ofCem = { before: { merged_into: null }, after: { merged_into: "dee" } }
      const ofDee = { before: { merged_from: null }, after: { merged_from: "cem" } }
      assert.deepInclude(away, { ...told, subject: { type: "member", id: "cem" }, changes: ofCem })
      assert.deepInclude(taken, { ...told, subject: { type: "member", id: "dee" }, changes: ofDee })
      assert.notInclude(JSON.stringify([away, taken]), "card-")
      yield* isSound
    })
  )

  it.effect("foretells that everything is erased because one of both has asked to leave", () =>
    Effect.gen(function* () {
      for (const member of ["leaver", "stayer"]) yield* enroll(member)
      const ask = (from: string, into: string) =>
        Effect.map(
          TestServer.send(
            Contract.pathOf(program_id),
            { from, into, reason: "two cards", dry_run: true },
            { headers: root }
          ),
          ({ body }) => (body as unknown as typeof Contract.Merged.Type).preview?.leaves_at
        )
      assert.isUndefined(yield* ask("leaver", "stayer"))
      yield* TestDatabase.query(
        "INSERT INTO guest_settings (account, leaves_at) SELECT number, 86400000 FROM accounts WHERE member_id = 'leaver'"
      )
      for (const [from, into] of [
        ["leaver", "stayer"],
        ["stayer", "leaver"]
      ] as const)
        assert.strictEqual(yield* ask(from, into), "1970-01-02T00:00:00.000Z")
      const leavesAt = (member: string) => Effect.map(show(member), ({ leaves_at }) => leaves_at)
      assert.deepStrictEqual(
        [yield* leavesAt("leaver"), yield* leavesAt("stayer")],
        ["1970-01-02T00:00:00.000Z", undefined]
      )
      yield* merge("leaver", "stayer")
      assert.strictEqual(yield* leavesAt("stayer"), "1970-01-02T00:00:00.000Z")
    })
  )

  it.effect("foretells by dry_run exactly what the merge does, and changes nothing", () =>
    Effect.gen(function* () {
      for (const member of ["lea", "max"]) yield* enroll(member)
      yield* earn("lea", "lea-1", 3_000)
      yield* credit("lea", 50)
      yield* earn("max", "max-1", 1_000)
      yield* post("lea", "/rewards", { issued_reward_id: "lea-gift", reward_id: "free-bowl" })
      const profile = (member_id: string, fields: object) =>
        Effect.map(
          TestServer.send(
            "/platform/v1/members",
            { program_id, member_id, ...fields },
            { method: "PUT", headers: { authorization: "Bearer proto-dev-token" } }
          ),
          ({ body, status }) => assert.strictEqual(status, 200, JSON.stringify(body))
        )
      const consent = (purpose: string, channel: string, granted: boolean) => ({ purpose, channel, granted })
      yield* profile("lea", {
        display_name: "Lea Secret",
        birth_date: "1990-02-03",
        attributes: { shoe: 40, drink: "tea" },
        consent: [
          consent("marketing", "email", false),
          consent("marketing", "sms", true),
          consent("news", "push", true)
        ]
      })
      yield* profile("max", {
        display_name: "Max Other",
        attributes: { drink: "mate" },
        consent: [consent("marketing", "email", true), consent("news", "push", true)]
      })
      const before = [yield* show("lea"), yield* show("max")]
      const ask = (dry_run: boolean) =>
        TestServer.send(
          Contract.pathOf(program_id),
          { from: "lea", into: "max", reason: "two cards", dry_run },
          { headers: root }
        )
      const foretold = yield* ask(true)
      assert.strictEqual(foretold.status, 200)
      const { member, preview } = foretold.body as unknown as typeof Contract.Merged.Type
      assert.deepStrictEqual(
        [before[0]!.balances[0]!.amount, before[1]!.balances[0]!.amount],
        [(yield* show("lea")).balances[0]!.amount, (yield* show("max")).balances[0]!.amount]
      )
      assert.deepStrictEqual(
        (yield* TestDatabase.query(
          "SELECT action FROM audit WHERE action = 'member.merge' AND subject_id IN ('lea', 'max')"
        )).length,
        0
      )
      const shown = JSON.stringify(preview)
      for (const secret of ["Secret", "1990", "mate", "card-lea"]) assert.notInclude(shown, secret)

      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      assert.deepStrictEqual(yield* said(ask(true)), [200, undefined])
      assert.deepStrictEqual(yield* said(ask(false)), [503, "write_frozen"])
      yield* freeze.set(false)

      const done = yield* ask(false)
      assert.deepStrictEqual(done.body, { member })
      const after = yield* show("max")
      assert.deepStrictEqual(after.member, member)
      assert.deepStrictEqual(
        preview!.balances.map(({ as_of: _, ...one }) => one),
        after.balances.map(({ as_of: _, ...one }) => one)
      )
      assert.deepStrictEqual(
        preview!.metrics.map(({ as_of: _, ...one }) => one),
        after.metrics.map(({ as_of: _, ...one }) => one)
      )
      assert.deepStrictEqual(
        preview!.moved.balances.filter(({ unit }) => unit === "points"),
        [{ unit: "points", amount: 350, lots: 2 }]
      )
      assert.deepStrictEqual(
        preview!.moved.issued_rewards.map(({ issued_reward_id }) => issued_reward_id),
        after.issued_rewards.map(({ issued_reward_id }) => issued_reward_id)
      )
      assert.deepStrictEqual(preview!.moved.identities, [{ type: "loyalty_id", count: 1 }])
      assert.deepStrictEqual(preview!.copied.profile, ["birth_date"])
      assert.deepInclude(after.profile, { birth_date: "1990-02-03", display_name: "Max Other" })
      assert.deepStrictEqual([preview!.copied.attributes, preview!.dropped.attributes], [["shoe"], ["drink"]])
      assert.deepStrictEqual(preview!.dropped.profile, ["display_name"])
      const consents = (all: typeof after.consent) =>
        (all ?? []).map(({ channel, granted, purpose }) => ({ purpose, channel, granted }))
      const unchanged = consents(before[1]!.consent).filter(({ purpose }) => purpose === "news")
      assert.deepStrictEqual([...preview!.copied.consents, ...unchanged], consents(after.consent))
      assert.deepStrictEqual(yield* said(ask(true)), [409, "invalid_state"])
      yield* isSound
    })
  )

  it.effect("answers a key again, also where only the journal knows it", () =>
    Effect.gen(function* () {
      for (const member of ["hal", "ida"]) yield* enroll(member)
      yield* credit("hal", 20)
      const send = (into: string) =>
        TestServer.send(
          Contract.pathOf(program_id),
          { from: "hal", into, reason: "two cards" },
          { headers: { ...root, "idempotency-key": "merge-hal-1" } }
        )
      const first = yield* send("ida")
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual((yield* send("ida")).body, first.body)
      assert.deepStrictEqual(yield* said(send("gus")), [409, "idempotency_conflict"])
      // As after a kill between the merge and the key's own row.
      yield* TestDatabase.query("DELETE FROM keyed_requests")
      assert.deepStrictEqual((yield* send("ida")).body, first.body)
      yield* TestDatabase.query("DELETE FROM keyed_requests")
      assert.deepStrictEqual(yield* said(send("gus")), [409, "idempotency_conflict"])
      yield* isSound
    })
  )

  it.effect("journal verify finds a merge of which one half is gone", () =>
    Effect.gen(function* () {
      for (const member of ["jan", "kim"]) yield* enroll(member)
      yield* credit("jan", 20)
      yield* merge("jan", "kim")
      yield* isSound
      const [row] = yield* TestDatabase.query(
        "SELECT number::text AS number, seq::text AS seq FROM accounts WHERE member_id = 'jan'"
      )
      const { number, seq } = row as { readonly number: string; readonly seq: string }
      yield* alone([
        "BEGIN",
        "SET LOCAL session_replication_role = replica",
        `CREATE TEMP TABLE gone ON COMMIT PRESERVE ROWS AS SELECT * FROM journal WHERE account = ${number} AND seq = ${seq}`,
        `DELETE FROM journal WHERE account = ${number} AND seq = ${seq}`,
        "COMMIT"
      ]).pipe(
        Effect.flatMap((restore) =>
          Effect.gen(function* () {
            const messages = (yield* verify()).found.map(({ message }) => message)
            assert.isTrue(messages.some((message) => message.includes("the other account does not")))
            yield* restore(["INSERT INTO journal SELECT * FROM gone"])
          })
        ),
        Effect.scoped
      )
      yield* isSound
    })
  )

  it.effect("refuses what cannot be merged", () =>
    Effect.gen(function* () {
      for (const member of ["eve", "fay"]) yield* enroll(member)
      yield* credit("eve", 200)
      yield* reserve("eve", "eve-1")
      assert.deepStrictEqual(yield* said(merge("eve", "fay")), [409, "invalid_state"])
      assert.deepStrictEqual(yield* said(merge("fay", "eve")), [409, "invalid_state"])
      const itself = yield* merge("fay", "fay")
      assert.deepStrictEqual([itself.status, itself.body["detail"]], [422, "/into must be another member than `from`."])
      assert.deepStrictEqual(yield* said(merge("nobody", "fay")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(merge("fay", "eve", "no-such-programme")), [404, "not_found"])
      yield* post("fay", "/status", { status: "closed", reason: "test" })
      yield* enroll("gus")
      assert.deepStrictEqual(yield* said(merge("gus", "fay")), [409, "invalid_state"])
      assert.deepStrictEqual(yield* said(merge("fay", "gus")), [409, "invalid_state"])
      yield* isSound
    })
  )
})
