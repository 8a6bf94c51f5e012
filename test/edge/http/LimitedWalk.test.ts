/**
 * A franchisee among three walks over every route that is open to limited callers, and sees nothing of the other two
 * (contract/people.md *Limited to restaurants*).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import { isForLimited } from "../../../src/contract/LimitedRoutes.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../../src/reads/finance/FinanceStore.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"
import * as People from "../../capabilities/staff/People.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Client from "../mcp/Client.ts"
import { callerRoutes } from "./CallerRoutes.ts"
import { type Call, callsOf, ofSelf } from "./LimitedCalls.ts"
import { leaks, program_id, type World, world } from "./LimitedWorld.ts"

const published = Layer.effectDiscard(
  Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
)
const service = Layer.merge(Rollups.layer, Finance.layer).pipe(
  Layer.provideMerge(Layer.merge(RollupStore.layer, FinanceStore.layer)),
  Layer.provideMerge(PgFeed.layer),
  Layer.provideMerge(
    TestServer.layerFor(
      PgJournal.layer,
      Programs.layer.pipe(Layer.provide(published)),
      Pools.layer,
      [],
      undefined,
      RollupReads.layer.pipe(Layer.provide(PgFeed.layer)),
      EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
    )
  ),
  Layer.provideMerge(TestDatabase.layer),
  Layer.orDie
)

/** Counts every record: transactions of other tests may hold some back for a moment. */
const counted = Effect.gen(function* () {
  const [rollups, finance] = [yield* Rollups, yield* Finance]
  do yield* Effect.andThen(rollups.catchUp(), finance.catchUp())
  while ((yield* finance.asOf) !== undefined)
})

const limits = { franchisee_ids: ["nora"] }
const scopes = [
  ...[
    "protocol:read",
    "protocol:write",
    "figures:read",
    "finance:read",
    "members:read",
    "members:write",
    "points:give"
  ],
  ...["programs:read", "developer:read", "developer:write", "audit:read", "service:write"]
]

const open = callerRoutes.filter(({ operation }) => isForLimited(operation) && !ofSelf.includes(operation))

const pathOf = (path: string, { params = {}, query }: Call): string => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? name))
  return query === undefined ? filled : `${filled}?${new URLSearchParams(query)}`
}

const textOf = ({ body, headers }: TestServer.Response): string =>
  JSON.stringify([body, [...headers.entries()].filter(([name]) => name !== "date")])

/** Sends all requests. Returns what was told that is not the caller's, and whose status is not as it should be. */
const walked = Effect.fnUntraced(function* (
  calls: ReturnType<typeof callsOf>,
  headers: Record<string, string>,
  mayDo: boolean
) {
  const found: Array<string> = []
  for (const { method, operation, path } of open)
    for (const call of calls[operation] ?? []) {
      const target = pathOf(path, call)
      const answer = yield* TestServer.send(target, call.body, { method, headers: { ...headers, ...call.headers } })
      const request = `${target} ${JSON.stringify(call.body)} ${decodeURIComponent(target)}`
      const told = leaks(textOf(answer), request)
      if (told.length > 0) found.push(`${operation} ${request}: tells ${told.join(" ")}`)
      const isAnswered = answer.status < 300
      const isWrong = call.is === "other" ? isAnswered : call.is !== "any" && mayDo && !isAnswered
      if (isWrong) found.push(`${operation} ${request}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  return found
})

let there: World

layer(service, { excludeTestServices: true, timeout: 120_000 })("a limited caller", (it) => {
  it.effect("finds nothing of the neighbours on any route, as a token, as its token, and as a person", () =>
    Effect.gen(function* () {
      there = yield* world
      yield* counted
      const token = yield* Operators.issue({ name: "Nora", scopes, ...limits })
      const headers = Operators.bearer(token.secret)
      const made = yield* Operators.issue({ name: "Made by Nora", scopes: ["members:read"] }, headers)
      const calls = callsOf(there, made.token_id)
      assert.deepStrictEqual(
        open.filter(({ operation }) => calls[operation] === undefined).map(({ operation }) => operation),
        []
      )
      assert.deepStrictEqual(yield* walked(calls, headers, true), [])
      yield* counted
      assert.deepStrictEqual(yield* walked(calls, headers, false), [])
      const wide = yield* Operators.issue({ name: "Of Nora's token", scopes }, headers)
      assert.deepStrictEqual(yield* walked(calls, Operators.bearer(wide.secret), false), [])
      const { page } = yield* People.person("franchisee", limits)
      assert.deepStrictEqual(yield* walked(calls, page, false), [])
      const manager = yield* People.person("manager", limits)
      assert.deepStrictEqual(yield* walked(calls, manager.page, false), [])
    })
  )

  it.effect("is refused on every other route in the same words", () =>
    Effect.gen(function* () {
      const { secret } = yield* Operators.issue({ name: "Refused", scopes, ...limits })
      const headers = Operators.bearer(secret)
      for (const { auth, method, operation, path } of callerRoutes) {
        if (isForLimited(operation) || auth === "none") continue
        const body = method === "GET" ? undefined : {}
        const { body: told, status } = yield* TestServer.send(pathOf(path, { is: "other" }), body, { method, headers })
        assert.strictEqual(status, 403, `${operation} ${JSON.stringify(told)}`)
      }
    })
  )

  it.effect("whose limit matches nothing sees nothing", () =>
    Effect.gen(function* () {
      const token = yield* Operators.issue({ name: "None", scopes, brand_ids: ["none"] })
      const headers = Operators.bearer(token.secret)
      const get = (path: string) => TestServer.send(path, undefined, { method: "GET", headers })
      const lists = [
        [`/platform/v1/restaurants/figures?program_id=${program_id}`, "restaurants"],
        [`/platform/v1/restaurants/orders?program_id=${program_id}`, "orders"],
        [`/platform/v1/restaurants/redemptions?program_id=${program_id}`, "redemptions"],
        ["/platform/v1/feed?after=0", "events"],
        [`${Operators.api}/audit`, "entries"],
        [`${Operators.api}/locations`, "locations"],
        [`${Operators.api}/finance/roll-forward?program_id=${program_id}&from=2026-01-01&until=2026-02-01`, "rows"]
      ] as const
      for (const [path, name] of lists) assert.deepStrictEqual((yield* get(path)).body[name], [], path)
      for (const member of ["guest-n", "guest-all", "zzqzzq-guest-w"])
        assert.strictEqual(
          (yield* get(`/platform/v1/restaurants/guest?program_id=${program_id}&member_id=${member}`)).status,
          404
        )
    })
  )

  it.effect("streams own events alone, and gets from tools what the routes tell", () =>
    Effect.gen(function* () {
      const { secret } = yield* Operators.issue({ name: "Streams", scopes, ...limits })
      const port = yield* TestServer.port
      const text = yield* Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/platform/v1/feed/stream?after=0`, {
          headers: Operators.bearer(secret)
        })
        const reader = response.body!.getReader()
        let text = JSON.stringify([...response.headers])
        while (!text.includes("o-after")) text += new TextDecoder().decode((await reader.read()).value)
        await reader.cancel()
        return text
      })
      assert.deepStrictEqual(leaks(text, ""), [])
      const client = yield* Client.connected(secret)
      for (const [name, args, isRefused] of [
        ["list_programs", {}, false],
        ["restaurant_figures", { program_id }, false],
        ["restaurant_orders", { program_id }, false],
        ["restaurant_redemptions", { program_id }, false],
        ["restaurant_guest", { program_id, member_id: "guest-all" }, false],
        ["restaurant_guest", { program_id, member_id: "zzqzzq-guest-w" }, true],
        ["list_audit", {}, false],
        ["find_guest", { search: "guest" }, true],
        ["explain_balance", { program_id, member_id: "guest-all" }, true],
        ["explain_order", { program_id, order_id: "zzqzzq-o-west" }, true],
        ["program_figures", { program_id }, true],
        ["list_audiences", { program_id }, true]
      ] as const) {
        const told = yield* Client.call(client, name, args)
        assert.strictEqual(told.isError, isRefused, `${name}: ${told.text}`)
        assert.deepStrictEqual(leaks(JSON.stringify(told), JSON.stringify(args)), [], name)
      }
    })
  )

  // At last, because it gives points to the neighbours' guests here.
  it.effect("would be found out: a caller without the limit is told of them by the same requests", () =>
    Effect.gen(function* () {
      const { secret } = yield* Operators.issue({ name: "Chain", scopes })
      const all = yield* walked(callsOf(there, "none"), Operators.bearer(secret), false)
      const telling = new Set(all.flatMap((one) => (one.includes(": tells ") ? [one.split(" ")[0]] : [])))
      assert.isAtLeast(telling.size, 12, [...telling].join(" "))
    })
  )
})
