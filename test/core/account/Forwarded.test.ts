/** Which node takes a request makes no difference to the answer: contract/databases.md *Nodes*, *Forwarding*. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import type { Command } from "../../../src/core/account/Command.ts"
import type { Resident, Trouble } from "../../../src/core/account/Outcome.ts"
import { partitionOf } from "../../../src/core/cluster/Placement.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import { type Handled, Handlers } from "../../../src/core/protocol/Handler.ts"
import { Caller } from "../../model/Caller.ts"
import type { Exchange, Played } from "../../model/History.ts"
import * as Random from "../../model/Random.ts"
import { type AccountsNode, front, two } from "./AccountsOfNodes.ts"

const program_id = Testing.demoProgram.id
const start = Date.UTC(2026, 6, 14, 10)
const claimKey = makeClaimKey("in-memory")

/** Random parts of an answer: generated codes and ids. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null)
      .replace(/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}-[0-9A-Z*~$=]/g, "code")
      .replace(/\b(irw|evl|eval|mem)_[0-9A-Z]{16}\b/g, "$1")
  )

/** An outcome as the callers of accounts use it: they are shown no lots, holds and rewards beside a record. */
const shown = (outcome: unknown): unknown => {
  const one = outcome as { readonly _tag: string; readonly resident?: { readonly state: object } } | undefined
  if (one?._tag !== "Answered" || one.resident === undefined) return plain(one)
  const { reservations: _, rewards: __, units: ___, ...state } = one.resident.state as Record<string, unknown>
  return plain({ ...one, resident: { ...one.resident, _tag: undefined, state } })
}

/** The demo programme on a node alone, and on two nodes where one forwards everything. */
const worlds = Effect.gen(function* () {
  const [local, forwarded] = [yield* front, yield* front]
  return { local, forwarded }
})

const enroll = (node: AccountsNode, member: string) =>
  node.accounts.enroll({ program: program_id, member, identity: { type: "external", value: `card of ${member}` } })

describe("a request that a node forwards", () => {
  it.effect("is answered as by the owner, whatever callers of the protocol draw", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 4; seed++) {
        yield* TestClock.setTime(start)
        const { forwarded, local } = yield* worlds
        const clock = yield* Clock.Clock
        const now = () => clock.currentTimeMillisUnsafe()
        const random = Random.make(seed, "forwarded")
        const caller = new Caller("c", Random.make(seed, "caller"), { now, exchangesPerGuest: 25 })
        const kinds = new Set<Played>()
        for (let n = 0; n < 150; n++) {
          const { command, history } = caller.next()
          const { key, operation, payload } = command
          const request = { context: { ...Testing.context(key), request_id: "req" }, ...payload }
          const ask = ({ services }: AccountsNode) => {
            const handler = Context.get(services, Handlers)[operation] as (
              request: unknown,
              caller: typeof Testing.caller
            ) => Effect.Effect<Handled>
            return handler(request, Testing.caller)
          }
          const answer = yield* ask(local.b)
          // An account's number tells the node that made it.
          const isNew = operation === "member.enroll" && history.exchanges.length === 0
          const other = yield* ask(isNew ? forwarded.b : forwarded.a)
          assert.deepStrictEqual(plain(other), plain(answer), `seed ${seed}, ${n}: ${JSON.stringify(command)}`)
          kinds.add(operation)
          const told =
            answer._tag === "Answer"
              ? { status: 200, body: JSON.parse(JSON.stringify(answer.body)) }
              : { status: 409, code: "code" in answer ? answer.code : answer._tag }
          const exchange = { operation, payload, key, attempts: 1, sentAt: now(), answeredAt: now(), answer: told }
          caller.note(history, exchange as unknown as Exchange)
          yield* TestClock.adjust(random.next() < 0.05 ? 40 * 86_400_000 : random.whole(0, 60_000))
        }
        assert.strictEqual(kinds.size, 9, "every operation of the callers")
        assert.deepStrictEqual(
          forwarded.tables.log.map(({ reply }) => plain(reply)),
          local.tables.log.map(({ reply }) => plain(reply)),
          `seed ${seed}`
        )
      }
    })
  )

  it.effect("has the outcome of every other kind of command, refusals too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { forwarded, local } = yield* worlds
      for (const member of ["ada", "ben"]) for (const { b } of [local, forwarded]) yield* enroll(b, member)
      const card = { type: "loyalty_id", value: "card", issuer: "test" } as const
      const key = (name: string) => ({ key: claimKey("key", name), fingerprint: claimKey("facts", name) })
      const hash = ClaimKeys.identity(claimKey, program_id, card)
      const audit = { actor: "op", action: "test", target: "ada" } as unknown as Command["audit"]
      const profile = { type: "set", fields: { given_name: "Ada", family_name: null } } as unknown as Command["profile"]
      const code = { type: "code", value: "gift-code" } as const
      const commands: ReadonlyArray<Command> = [
        { action: { type: "expire" }, guards: {} },
        { action: { type: "find_member" }, guards: { key: key("found") } },
        {
          action: { type: "change_identities", add: [hash], remove: [] },
          guards: {},
          identities: [card],
          actor: "op",
          origin: "req-1"
        },
        { action: { type: "change_identities", add: [hash], remove: [] }, guards: {}, identities: [card] },
        { action: { type: "change_profile", onlyWithdraws: false }, guards: { key: key("profile") }, profile },
        {
          action: { type: "change_profile", external: "e1", onlyWithdraws: false },
          guards: {},
          attributes: { colour: "blue", size: null },
          audit
        } as Command,
        { action: { type: "change_profile", external: null, onlyWithdraws: true }, guards: {} },
        {
          action: { type: "issue_reward", issued: "gift", reward: "one-off", artifact: code },
          guards: { business: key("gift"), further: [key("gift code")], named: [] }
        } as Command,
        {
          action: { type: "issue_reward", issued: "gift", reward: "one-off", artifact: code },
          guards: { business: key("gift"), further: [key("gift code")] }
        } as Command,
        { action: { type: "issue_reward", issued: "no", reward: "none", artifact: code }, guards: {} } as Command,
        { action: { type: "cancel_reward", issued: "gift", reason: "test" }, guards: { key: key("cancel") } },
        { action: { type: "cancel_reward", issued: "gift", reason: "test" }, guards: { key: key("cancel") } },
        { action: { type: "cancel_reward", issued: "none", reason: "test" }, guards: {} },
        {
          action: { type: "restore_expired", found: { lots: [], rewards: [], seq: 1, records: 0 }, reason: "test" },
          guards: {}
        },
        { action: { type: "set_status", status: "suspended", reason: "test" }, guards: {} },
        {
          action: {
            type: "adjust_manually",
            adjustment: "gift",
            amount: 5,
            unit: undefined,
            classification: "gift",
            reason: "test",
            qualifies: false
          },
          guards: {}
        },
        { action: { type: "set_status", status: "active", reason: "test" }, guards: {} },
        {
          action: {
            type: "adjust_manually",
            adjustment: "gift",
            amount: 5,
            classification: "gift",
            reason: "test",
            qualifies: false
          },
          guards: { once: [{ account: 257, ...key("once") }], further: [key("once")] }
        },
        { action: { type: "capture", reservation: "rsv_none", order: "o" }, guards: {} },
        { action: { type: "erase", reason: "test" }, guards: {} }
      ]
      const same = Effect.fnUntraced(function* (what: string, ask: (node: AccountsNode) => Effect.Effect<unknown>) {
        assert.deepStrictEqual(shown(yield* ask(forwarded.a)), shown(yield* ask(local.b)), what)
      })
      const reads = Effect.fnUntraced(function* (what: string) {
        for (const isOfItself of [false, true])
          yield* same(`read after ${what}`, ({ accounts }) => accounts.read(program_id, "ada", isOfItself))
        yield* same(`read after ${what}`, ({ accounts }) => accounts.readOn(257))
      })
      for (const [place, command] of commands.entries()) {
        const what = `${place} ${command.action.type}`
        if (command.action.type === "adjust_manually" || command.action.type === "issue_reward")
          yield* same(`preview ${what}`, ({ accounts }) => accounts.preview(program_id, "ada", command))
        yield* same(what, ({ accounts }) => accounts.execute(program_id, "ada", command))
        yield* reads(what)
        yield* TestClock.adjust("1 minute")
      }
      yield* same("unknown", ({ accounts }) => accounts.execute(program_id, "eve", commands[0]!))
      yield* same("unknown", ({ accounts }) => accounts.read(program_id, "eve"))
      yield* same("by number", ({ accounts }) => accounts.executeOn(514, () => commands[0]!))
      yield* same("by number", ({ accounts }) => accounts.executeOn(514, () => commands[0]!, new Set(["other"])))
      yield* same("wake", ({ accounts }) => accounts.wake(514))
      for (const member of ["cleo", "dora"]) for (const { b } of [local, forwarded]) yield* enroll(b, member)
      yield* same("foreseen", ({ accounts }) => accounts.foreseeMerge(program_id, "dora", "cleo"))
      for (const merge of [
        { from: "dora", into: "cleo", key: key("merge") },
        { from: "dora", into: "cleo", key: key("merge") },
        { from: "dora", into: "cleo" },
        { from: "eve", into: "cleo" },
        { from: "ben", into: "ada" }
      ])
        yield* same(`merge ${JSON.stringify(merge)}`, ({ accounts }) => accounts.merge(program_id, merge))
      yield* same("of the merged member", ({ accounts }) => accounts.execute(program_id, "dora", commands[0]!))
      yield* same("of the merged member", ({ accounts }) => accounts.read(program_id, "dora", true))
      forwarded.tables.frozen = local.tables.frozen = true
      yield* same("frozen", ({ accounts }) => accounts.execute(program_id, "cleo", commands[4]!))
    })
  )

  it.effect("enrols a guest with all that it gives, and a second time finds the member", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { a, b, linked } = yield* front
      const given = {
        program: program_id,
        member: "ada",
        identity: { type: "external", value: "card" },
        attributes: { colour: "blue" },
        key: { key: claimKey("key", "1"), fingerprint: claimKey("facts", "1") },
        actor: "till",
        origin: "req-1"
      } as const
      const first = yield* a.accounts.enroll(given)
      assert.include(linked.sent[0]?.payload, '"type":"enroll"')
      const again = yield* a.accounts.enroll(given)
      const read = (yield* b.accounts.read(program_id, "ada")) as Resident
      assert.deepStrictEqual(read.member.attributes, { colour: "blue" })
      assert.strictEqual(first._tag === "Answered" ? first.record.account : 0, read.account)
      assert.deepInclude(again, { _tag: "Answered", isReplay: true })
      const other = yield* a.accounts.enroll({ ...given, key: undefined, identity: { type: "external", value: "x" } })
      assert.deepInclude(other, { _tag: "Refusal", code: "conflict" })
    })
  )
})

describe("partitions that move", () => {
  it.effect("lose no request: each is answered once, by the owner of the account at that time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { a, b, linked, nodes, tables } = yield* two
      for (let n = 0; n < 6; n++) yield* enroll(n % 2 === 0 ? a : b, `m${n}`)
      // Each group takes a while, so that requests wait when their account moves.
      const { write } = nodes.storage
      nodes.storage = { tables, write: (group, isLinked) => Effect.andThen(Effect.sleep(20), write(group, isLinked)) }
      const credit = (node: AccountsNode, member: string, id: string) =>
        node.accounts.execute(program_id, member, {
          action: {
            type: "adjust_manually",
            adjustment: id,
            amount: 1,
            classification: "gift",
            reason: "test",
            qualifies: false
          },
          guards: { business: { key: claimKey("adjustment", id), fingerprint: claimKey("facts") } }
        })
      const random = Random.make(1, "moves")
      const outcomes: Array<string> = []
      const balances: Array<string> = []
      const load = Effect.forEach(
        Array.from({ length: 300 }, (_, n) => n),
        (n) =>
          Effect.gen(function* () {
            yield* Effect.sleep(random.whole(0, 3_000))
            const member = `m${n % 6}`
            const { _tag } = yield* credit(random.pick([a, b]), member, `${n}`)
            outcomes.push(_tag)
            // Records that were acknowledged on one node show at once on any.
            const read = (yield* random.pick([a, b]).accounts.read(program_id, member)) as Resident | Trouble
            const seen = read._tag === "Resident" && read.state.units.some(({ posted }) => posted > 0)
            balances.push(seen ? "shown" : read._tag)
          }),
        { concurrency: "unbounded", discard: true }
      )
      const moves = Effect.gen(function* () {
        for (let n = 0; n < 60; n++) {
          yield* Effect.sleep(50)
          const moved = [...tables.accounts.keys()].map(partitionOf).filter(() => random.next() < 0.5)
          for (const [from, to] of [
            ["a", "b"],
            ["b", "a"]
          ] as const) {
            const own = moved.filter((partition) => linked.owners[partition] === from)
            if (own.length > 0) yield* linked.move(from, to, ...own)
          }
        }
      })
      const whole = yield* Effect.forkChild(Effect.all([load, moves], { concurrency: 2 }))
      for (let n = 0; n < 1_000 && whole.pollUnsafe() === undefined; n++) yield* TestClock.adjust(10)
      assert.isDefined(whole.pollUnsafe())
      assert.deepStrictEqual(new Set(outcomes), new Set(["Answered"]))
      assert.deepStrictEqual(new Set(balances), new Set(["shown"]))
      const entries = [...tables.accounts.values()].map((account) => account.entries.length)
      assert.deepStrictEqual(
        entries,
        entries.map(() => 50)
      )
    })
  )

  it.effect("leave nothing of their accounts in memory, and reads show what the other has written", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { a, b, linked } = yield* front
      yield* enroll(b, "ada")
      assert.strictEqual(b.accounts.resident(), 1)
      yield* linked.move("b", "a", 1)
      assert.strictEqual(b.accounts.resident(), 0)
      yield* a.accounts.execute(program_id, "ada", {
        action: { type: "set_status", status: "suspended", reason: "test" },
        guards: {}
      })
      yield* linked.move("a", "b", 1)
      const read = (yield* b.accounts.read(program_id, "ada")) as Resident
      assert.strictEqual(read.state.status, "suspended")
    })
  )
})
