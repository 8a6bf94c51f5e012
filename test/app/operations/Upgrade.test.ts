/**
 * Two nodes as an operator runs them: the newest release, then this version beside it; the former is told to stop under
 * load, and the other sends its traces to a collector. Holds contract/databases.md *Joining and leaving*, *Versions*.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import type { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import { runFolder } from "../../faults/Processes.ts"
import { Service } from "../../faults/Service.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { urlOf } from "../cli/Lotbook.ts"
import * as Receiver from "../tracing/Receiver.ts"
import { newestRelease, unpack } from "./Released.ts"
import type { Rolled } from "./Rolling.ts"
import { roll } from "./Rolling.ts"

const token = { authorization: "Bearer proto-dev-token", "content-type": "application/json" }
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const callerSpan = "00f067aa0ba902b7"

/** The release that is replaced. */
const release = newestRelease()
/** Goes into the name of what is skipped, so that a report shows it. */
const reason = release === undefined ? " (skipped: the tree has no history)" : ""

let rolled: Rolled
let empty: string
let databaseUrl: string
let receiver: Awaited<ReturnType<typeof Receiver.start>>
let world: ReturnType<typeof runFolder>
const scope = Scope.makeUnsafe()

const post = (route: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`http://127.0.0.1:${rolled.second.port}/proto/v1/${route}`, {
    method: "POST",
    headers: { ...token, ...headers },
    body: JSON.stringify({ context: { ...Testing.context() }, ...body })
  })

beforeAll(async () => {
  world = runFolder()
  receiver = await Receiver.start()
  const built = await Effect.runPromise(Scope.provide(Layer.build(TestDatabase.layer), scope))
  // The newest release makes its own tables, which this version then takes over.
  const test = await Effect.runPromise(Effect.provide(Database, built))
  empty = `${test.clientConfig.database}_former`
  await Effect.runPromise(TestDatabase.administer(`CREATE DATABASE ${empty} TEMPLATE template0`))
  databaseUrl = urlOf({ ...test, clientConfig: { ...test.clientConfig, database: empty } })
  const flags = ["--otlp-endpoint", receiver.url]
  const former = release === undefined ? {} : { formerMain: unpack(release, path.join(world.folder, "tree")) }
  rolled = await roll({ folder: world.folder, url: databaseUrl, flags, ...former })
})
afterAll(async () => {
  await rolled?.second.stop()
  receiver?.close()
  await Effect.runPromise(TestDatabase.administer(`DROP DATABASE IF EXISTS ${empty} WITH (FORCE)`))
  await Effect.runPromise(Scope.close(scope, Effect.runSync(Effect.exit(Effect.void))))
  world?.remove()
})

describe(`a rolling upgrade from ${release ?? "this version: the tree has no history"} under load`, () => {
  it("fails no request: each is done, or gets 503 with Retry-After until the next service does it", () => {
    assert.deepStrictEqual(rolled.failures, [])
    assert.strictEqual(rolled.formerExit, 0)
  })

  it("posts each request once", async () => {
    for (const [member, count] of rolled.done) {
      const ledger = await post("ledger/list", { program_id: "demo-foodservice", member_id: member, limit: 100 })
      const { entries } = (await ledger.json()) as { readonly entries: ReadonlyArray<{ readonly order_id?: string }> }
      assert.isAbove(count, 30)
      assert.strictEqual(new Set(entries.map(({ order_id }) => order_id)).size, entries.length)
      assert.strictEqual(entries.length, Math.min(count, 100))
    }
  })
})

describe("the former version", () => {
  it.skipIf(release === undefined)(`refuses to start again, once this one owned the accounts${reason}`, async () => {
    const folder = path.join(world.folder, "again")
    fs.mkdirSync(folder)
    const main = path.join(world.folder, "tree", "src", "main.ts")
    const failed = await Service.start(folder, ["--database-url", databaseUrl], { main }).then(
      () => "it started",
      (error: unknown) => String(error)
    )
    assert.match(failed, new RegExp(`needs ${softwareVersion} or later`.replaceAll(".", "\\.")))
  })
})

describe("the feed of the new version", () => {
  it("has the events that the former version made, beside this one and before it, numbered without a gap", async () => {
    for (const member of rolled.done.keys()) {
      const numbers: Array<string> = []
      const types: Array<string> = []
      for (let after = "0", found = 1; found > 0; ) {
        const query = new URLSearchParams({ after, member_id: member, limit: "1000" })
        const answer = await fetch(`http://127.0.0.1:${rolled.second.port}/platform/v1/feed?${query}`, {
          headers: token
        })
        const page = (await answer.json()) as { readonly events: ReadonlyArray<FeedEvent>; readonly next: string }
        numbers.push(...page.events.map(({ sequence }) => sequence))
        types.push(...page.events.map(({ type }) => type))
        ;[after, found] = [page.next, page.events.length]
      }
      assert.deepStrictEqual(
        numbers,
        numbers.map((_, index) => String(index + 1).padStart(16, "0"))
      )
      // A guest reaches a new tier under whichever node posts the order.
      const told = types.filter((type) => type !== "proto.tier.changed.v1")
      assert.strictEqual(told.length, 1 + (rolled.done.get(member) ?? 0))
      assert.isAtMost(types.length - told.length, 2)
    }
  })
})

describe("traces", () => {
  it("lead from the caller's span over the account to the group and its statement", async () => {
    const traceparent = `00-${traceId}-${callerSpan}-01`
    const order = Testing.order("traced-1", 1_000, Testing.placedNow)
    const posted = await post("accruals", { member_id: "guest-0", order }, { traceparent })
    assert.strictEqual(posted.status, 201)
    assert.match(posted.headers.get("traceparent") ?? "", new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    const unsampled = `00-${traceId.replace("4", "5")}-${callerSpan}-00`
    await post(
      "accruals",
      { member_id: "guest-1", order: Testing.order("traced-2", 1_000, Testing.placedNow) },
      { traceparent: unsampled }
    )
    await post("ledger/list", { program_id: "demo-foodservice", member_id: "guest-0" }, { traceparent })
    const members = await fetch(`http://127.0.0.1:${rolled.second.port}/admin/api/v1/members?search=SEARCHED-CARD`, {
      headers: { authorization: "Bearer proto-dev-admin-key", traceparent }
    })
    assert.strictEqual(members.status, 200)
    // A stop sends what is left.
    assert.strictEqual(await rolled.second.stop(), 0)
    const spans = receiver.spans.filter((span) => span.traceId === traceId)
    const parentOf = (name: string) => {
      const { parentSpanId } = spans.find((span) => span.name === name) ?? {}
      return spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId
    }
    assert.deepStrictEqual([...receiver.paths], ["/v1/traces"])
    assert.strictEqual(parentOf("POST /proto/v1/accruals"), callerSpan)
    assert.strictEqual(parentOf("account.execute"), "POST /proto/v1/accruals")
    assert.strictEqual(parentOf("journal.submit"), "account.execute")
    assert.strictEqual(parentOf("journal.group"), "account.execute")
    const statements = spans.filter(({ attributes }) => attributes.some(({ key }) => key === "db.query.text"))
    assert.deepStrictEqual(
      new Set(statements.map(({ parentSpanId }) => spans.find(({ spanId }) => spanId === parentSpanId)?.name)),
      new Set(["POST /proto/v1/ledger/list", "GET /admin/api/v1/members"])
    )
    // The guide has this name.
    const { pathname } = new URL(databaseUrl)
    for (const { name } of statements) assert.strictEqual(`/${name}`, pathname)
    assert.isFalse(receiver.spans.some((span) => span.traceId === unsampled.split("-")[1]))
    const text = JSON.stringify(receiver.spans)
    for (const secret of ["proto-dev-token", "guest-", "traced-", "SEARCHED-CARD"]) assert.notInclude(text, secret)
  })

  it("have no span of what the service does by itself", () => {
    const roots = receiver.spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "")
    for (const { name } of roots) assert.match(name, /^(GET|POST|PUT|PATCH|DELETE) \//)
  })
})
