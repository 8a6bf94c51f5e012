/**
 * contract/engagement.md *Changes of an active audience*: an import by somebody who may not give brings nobody into the
 * audience of a campaign that gives, by whichever field.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { givingRoles } from "../../../src/capabilities/imports/Audiences.ts"
import { valueStrings } from "../../../src/console/shared/words/valueStrings.ts"
import type * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { hire, page } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

const statusOf = Effect.map(({ status }: TestServer.Response) => status)
const segment = (headers: Headers, segment_id: string, definition: object) =>
  statusOf(ask("PUT", "/segments", headers, { segment_id, program_id, name: segment_id, ...definition }))
const become = (headers: Headers, campaign_id: string, status: string) =>
  statusOf(ask("POST", "/campaigns/status", headers, { campaign_id, status }))

let imports = 0
/** Imports a new guest with these fields. */
const guest = (headers: Headers, fields: object = {}) =>
  Effect.suspend(() => {
    const n = ++imports
    const rows = [{ external_id: `new-${n}`, ...fields }]
    return statusOf(ask("POST", "/imports/members", headers, { program_id, idempotency_key: `import-${n}`, rows }))
  })

const world = Effect.gen(function* () {
  for (const member of ["ada", "eve"]) yield* enroll(member)
  yield* Effect.forEach(["owner", "marketer"] as const, (role) => hire(role, role))
  return { owner: yield* page("owner"), marketer: yield* page("marketer") }
})

/** An active campaign for the members that rules choose. */
const activate = (headers: Headers, id: string, rules: object, more: object = {}) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* segment(headers, id, { rules }), 200)
    const facts = { campaign_id: id, program_id, name: id, segment_id: id, reward_id: "free-bowl", ...more }
    assert.strictEqual(yield* statusOf(ask("PUT", "/campaigns", headers, facts)), 200)
    assert.strictEqual(yield* become(headers, id, "active"), 200)
  })

const marketing = { consent: { purpose: "marketing" } }

it.layer(layer)("an import by somebody who may not give", (it) => {
  it.effect("sets no field that the audience of a campaign reads, while that may give", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      const cases: ReadonlyArray<readonly [rules: object, refused: object, imported: object]> = [
        [{ birthday_within_days: 7 }, { birth_date: "1990-01-03" }, { email: "a@example.com" }],
        [{ has: "birth_date" }, { birth_date: "1990-07-03" }, {}],
        [{ has: "email" }, { email: "b@example.com" }, { phone: "+12125550101" }],
        [{ profile: { has_phone: true } }, { phone: "+12125550102" }, { email: "c@example.com" }],
        [marketing, { consent: { marketing: true } }, { consent: { marketing: false } }],
        [marketing, { consent: [{ purpose: "marketing", channel: "sms", granted: true }] }, {}],
        [{ attribute: { name: "vip", equals: true } }, { attributes: { vip: true } }, { attributes: { shoe: 42 } }]
      ]
      for (const [n, [rules, refused, imported]] of cases.entries()) {
        const told = JSON.stringify(rules)
        yield* activate(owner, `field-${n}`, { all: [rules, { order: {} }] })
        assert.strictEqual(yield* guest(marketer, refused), 403, told)
        assert.strictEqual(yield* guest(marketer, imported), 201, told)
        assert.strictEqual(yield* guest(owner, refused), 201, told)
        // Nor while it rests, which she can bring about.
        assert.strictEqual(yield* become(marketer, `field-${n}`, "paused"), 200)
        assert.strictEqual(yield* guest(marketer, refused), 403, told)
        assert.strictEqual(yield* become(owner, `field-${n}`, "archived"), 200)
      }
    })
  )

  it.effect("is refused by a dry run too, which names the campaign and the roles that may", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* activate(owner, "told", { all: [marketing, { order: {} }] }, { name: "Dollar off" })
      const rows = [{ external_id: "told-1", consent: { marketing: true } }]
      const tried = (headers: Headers, more: object = {}) =>
        ask("POST", "/imports/members", headers, { program_id, rows, dry_run: true, ...more })
      const { body, status } = yield* tried(marketer)
      assert.strictEqual(status, 403)
      assert.deepStrictEqual(body["template"], {
        text: "The campaign {1} gives points or rewards by {2}, which the import sets. These roles may import it: {3}.",
        values: ["Dollar off", "the consent", "owner, manager"]
      })
      for (const value of ["the consent", givingRoles]) assert.property(valueStrings, value)
      assert.strictEqual((yield* tried(marketer, { rows: [{ external_id: "told-1" }] })).status, 200)
      assert.strictEqual((yield* tried(owner)).status, 200)
      yield* become(owner, "told", "archived")
    })
  )

  it.effect("enrols nobody whom a campaign's rules choose as a new guest", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      assert.strictEqual(yield* segment(owner, "listed", { member_ids: ["ada"] }), 200)
      const reached: ReadonlyArray<object> = [
        { joined_within_days: 30 },
        { inactive_days: 30 },
        { status: ["active", "suspended"] },
        { balance: { at_most: 100 } },
        { not: { order: {} } },
        { not: { has: "email" } },
        { not: { in_segment: "listed" } },
        { any: [{ order: {} }, { all: [{ joined_within_days: 3 }, { not: { attribute: { name: "x", equals: 1 } } }] }] }
      ]
      const others: ReadonlyArray<object> = [
        { order: {} },
        { status: ["suspended"] },
        { balance: { at_least: 1 } },
        { not: { status: ["active"] } },
        { all: [{ joined_within_days: 30 }, { order: { minimum_count: 2 } }] },
        { in_segment: "listed" },
        { expiring: { amount: 1, within_days: 9 } }
      ]
      for (const [n, rules] of [...reached, ...others].entries()) {
        yield* activate(owner, `new-${n}`, rules)
        assert.strictEqual(yield* guest(marketer), n < reached.length ? 403 : 201, JSON.stringify(rules))
        assert.strictEqual(yield* become(owner, `new-${n}`, "archived"), 200)
      }
      // An automation answers what a guest does, and its members who come by imports only with `include_imports`.
      for (const [include_imports, status] of [
        [undefined, 201],
        [true, 403]
      ] as const) {
        const trigger = { on: "member.enrolled", ...(include_imports && { include_imports }) }
        yield* activate(owner, `hello-${status}`, { status: ["active"] }, { trigger })
        assert.strictEqual(yield* guest(marketer), status)
        yield* become(owner, `hello-${status}`, "archived")
      }
    })
  )

  it.effect("is free once the campaigns have ended or are used up", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      const hello = { trigger: { on: "member.enrolled", include_imports: true }, limit: { rewards: 1 } }
      yield* activate(owner, "ends", { joined_within_days: 30 })
      yield* activate(owner, "limited", { attribute: { name: "vip", equals: true } }, { limit: { rewards: 1 } })
      yield* activate(owner, "hello", { status: ["active"] }, hello)
      assert.strictEqual(yield* guest(marketer), 403)
      yield* TestDatabase.query("UPDATE campaigns SET ends_at = 0 WHERE campaign_id = 'ends'")
      assert.strictEqual(yield* guest(marketer), 403)
      yield* TestDatabase.query("UPDATE campaigns SET triggered_grants = 1 WHERE campaign_id = 'hello'")
      assert.strictEqual(yield* guest(marketer), 201)
      assert.strictEqual(yield* guest(marketer, { attributes: { vip: true } }), 403)
      yield* TestDatabase.query("UPDATE campaigns SET triggered_grants = 1 WHERE campaign_id = 'limited'")
      assert.strictEqual(yield* guest(marketer, { attributes: { vip: true } }), 201)
    })
  )

  it.effect("sets no field that a change of the audience reads while that waits", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* activate(owner, "waits", { attribute: { name: "vip", equals: true } })
      yield* segment(marketer, "waits", { rules: { attribute: { name: "friend", equals: true } } })
      for (const attributes of [{ vip: true }, { friend: true }])
        assert.strictEqual(yield* guest(marketer, { attributes }), 403)

      // Anybody's import since the preview makes it out of date.
      const preview = () => ask("POST", "/campaigns/audience/preview", owner, { campaign_id: "waits" })
      const seenIn = ({ body }: TestServer.Response) => (body["audience"] as { readonly seen: string }).seen
      const seen = seenIn(yield* preview())
      assert.strictEqual(yield* guest(owner, { attributes: { friend: true } }), 201)
      const confirm = (seen: string) =>
        statusOf(ask("POST", "/campaigns/audience/confirm", owner, { campaign_id: "waits", seen }))
      assert.strictEqual(yield* confirm(seen), 409)
      const again = yield* preview()
      assert.strictEqual((again.body["audience"] as { readonly comes: number }).comes, 1)
      assert.strictEqual(yield* confirm(seenIn(again)), 200)
      yield* become(owner, "waits", "archived")
    })
  )

  it.effect("is refused by what was activated while it waited for its turn", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      const rows = Array.from({ length: 400 }, (_, n) => ({ external_id: `long-${n}` }))
      const long = ask("POST", "/imports/members", owner, { program_id, idempotency_key: "import-long", rows })
      const [running, waiting] = yield* Effect.all([
        Effect.forkChild(statusOf(long)),
        Effect.forkChild(guest(marketer, { attributes: { late: true } }))
      ])
      // Hers has come to its turn's queue by then.
      for (let n = 0; n < 5; n++) yield* ask("GET", `/imports?program_id=${program_id}`, owner)
      yield* activate(owner, "late", { attribute: { name: "late", equals: true } })
      assert.deepStrictEqual(yield* Effect.all([Fiber.join(running), Fiber.join(waiting)]), [201, 403])
      yield* become(owner, "late", "archived")
    })
  )
})
