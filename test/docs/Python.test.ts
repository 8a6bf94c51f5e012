/** The code of the guide *Integrating in Python*, run against a service whose requests and answers get lost. */
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import * as Demo from "../../src/app/demo/Demo.ts"
import * as Signature from "../../src/capabilities/webhooks/Signature.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as GuidePrograms from "./GuidePrograms.ts"

const python = GuidePrograms.languages[1]
const page = path.join(import.meta.dirname, "..", "..", "src", "docs", "integrating-in-python.md")
const text = fs.readFileSync(page, "utf8")

const blocks = (fence: string): string =>
  [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code).join("\n")

/** Program that the test runs with the page's code. Waits are short: how long they are is another matter. */
const driver = `
import json, sys
import lotbook, sale
lotbook.FIRST_WAIT, lotbook.LONGEST_WAIT = 0.002, 0.02

def sell():
    for n in range(40):
        sale.sell(f"card-{n % 8}", f"sale-{n:02}")
        if n % 10 == 9:
            sale.refund(f"card-{n % 8}", f"sale-{n:02}")
    wrong = sale.bowl("wrong")
    wrong["totals"]["total"] = sale.usd(1)
    identity = {"type": "loyalty_id", "value": "card-1", "issuer": "corner-bowl"}
    lotbook.accept("card-1", "accruals", {"identity": identity, "order": wrong}, "accrual-wrong")
    sale.sell("card-1", "after-wrong")
    lotbook.send_forever()

def post():
    order_id = sys.argv[2]
    body = {"member_id": "member-003", "order": sale.bowl(order_id)}
    print(json.dumps(lotbook.post("accruals", body, f"accrual-{order_id}", attempts=20)))

def once():
    for n in range(6):
        sale.sell(f"card-{n % 3}", f"sale-{n}")
    print(json.dumps([lotbook.send_waiting(), [json.loads(file.read_text())["guest"] for file in lotbook.waiting()]]))

def full():
    lotbook.MOST = 2
    for n in range(3):
        try:
            sale.sell("card", f"sale-{n}")
        except lotbook.QueueFull:
            print(json.dumps([n, len(lotbook.waiting())]))

def feed():
    def on_events(events):
        with open("events.txt", "a") as file:
            file.writelines(event["id"] + "\\n" for event in events)
    lotbook.read_feed(on_events)

def verify():
    cases = json.load(sys.stdin)
    print(json.dumps([lotbook.verified(one["secrets"], one["headers"], one["body"].encode()) for one in cases]))

{"sell": sell, "send": lotbook.send_forever, "post": post, "once": once, "full": full, "feed": feed, "verify": verify}[sys.argv[1]]()
`

const folder = Effect.map(GuidePrograms.folder, (cwd) => {
  for (const [file, code] of [
    ["lotbook.py", blocks("python")],
    ["sale.py", blocks("python sale")],
    ["receipt.py", blocks("python receipt")],
    ["driver.py", driver]
  ] as const)
    fs.writeFileSync(path.join(cwd, file), code)
  return cwd
})

type Fate = "passes" | "request is lost" | "answer is lost" | { readonly status: number }

interface Lossy {
  readonly url: string
  /** Requests so far. */
  readonly seen: () => number
}

/** The body of a request; undefined: the caller was killed amid it. */
const bodyOf = async (request: http.IncomingMessage): Promise<string | undefined> => {
  const parts: Array<Buffer> = []
  try {
    for await (const part of request) parts.push(part as Buffer)
  } catch (error) {
    if (request.complete) throw error
    return undefined
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Stands before the service, and decides on each request by its number, from 0, and its body. */
const lossy = (target: number, fateOf: (seen: number, body: string) => Fate) =>
  Effect.acquireRelease(
    Effect.callback<Lossy & { readonly server: http.Server }>((resume) => {
      let seen = 0
      const server = http.createServer(async (request, response) => {
        const body = await bodyOf(request)
        if (body === undefined) return
        const fate = fateOf(seen++, body)
        if (fate === "request is lost") return void request.socket.destroy()
        if (typeof fate === "object") return void response.writeHead(fate.status, { "retry-after": "0" }).end("no JSON")
        const { headers, method, url: path } = request
        const forwarded = http.request({ host: "127.0.0.1", port: target, method, path, headers }, (answer) => {
          if (fate === "answer is lost") answer.resume().once("end", () => request.socket.destroy())
          else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
        })
        response.once("close", () => forwarded.destroy())
        forwarded.once("error", () => request.socket.destroy())
        forwarded.end(body)
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url, seen: () => seen, server }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const environment = (url: string) => ({ ...process.env, LOTBOOK_URL: url, no_proxy: "127.0.0.1" })

/** The JSON that a task of the driver prints. */
const output = (cwd: string, task: string, url: string, { argument = "", input = "" } = {}) =>
  Effect.callback<unknown>((resume) => {
    const child = execFile(
      python.command,
      ["driver.py", task, argument],
      { cwd, env: environment(url) },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(JSON.parse(stdout)) : Effect.die(new Error(stderr)))
    )
    child.stdin?.end(input)
  })

/** A task of the driver that does not end by itself; it is killed with the scope. */
const running = (cwd: string, task: string, url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(python.command, ["driver.py", task], { cwd, env: environment(url), stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        child.once("close", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

const until = (isDone: () => boolean) =>
  Effect.repeat(Effect.sync(isDone), { until: (done) => done, schedule: Schedule.spaced("20 millis") })

const filesIn = (cwd: string, name: string): ReadonlyArray<string> => {
  const at = path.join(cwd, name)
  return fs.existsSync(at) ? fs.readdirSync(at).filter((file) => file.endsWith(".json")) : []
}

interface Event {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly data: { readonly order_id?: string; readonly entries?: ReadonlyArray<{ readonly amount: number }> }
}

/** All events, once none is held back. */
const events = Effect.repeat(TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" }), {
  until: ({ body }) => body["lag_seconds"] === 0
}).pipe(Effect.map(({ body }) => body["events"] as ReadonlyArray<Event>))

const ordersOf = (all: ReadonlyArray<Event>, type: string) =>
  all.flatMap((event) => (event.type === type ? [event.data.order_id ?? ""] : []))

it.live.skipIf(!python.isThere)(
  "the queue in Python posts each sale once, in each guest's order, over losses and a kill",
  () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      let isHeld = true
      const proxy = yield* lossy(yield* TestServer.port, (seen) => {
        if (isHeld && seen > 60) return "request is lost"
        if (seen >= 20 && seen < 23) return { status: 401 }
        if (seen % 11 === 5) return { status: 503 }
        return seen % 4 === 1 ? "request is lost" : seen % 5 === 2 ? "answer is lost" : "passes"
      })
      yield* Effect.scoped(
        Effect.andThen(
          running(cwd, "sell", proxy.url),
          until(() => proxy.seen() > 60)
        )
      )
      isHeld = false
      assert.isAbove(filesIn(cwd, "queue").length, 10)
      yield* Effect.scoped(
        Effect.andThen(
          running(cwd, "send", proxy.url),
          until(() => filesIn(cwd, "queue").length === 0)
        )
      )
      const all = yield* events
      const sales = Array.from({ length: 40 }, (_, n) => `sale-${String(n).padStart(2, "0")}`)
      const refunds = ["sale-09", "sale-19", "sale-29", "sale-39"]
      const posted = ordersOf(all, "proto.order.accrued.v1")
      assert.deepStrictEqual(posted.toSorted(), ["after-wrong", ...sales])
      assert.deepStrictEqual(ordersOf(all, "proto.order.adjusted.v1").toSorted(), refunds)
      const guests = Map.groupBy(all, ({ subject }) => subject)
      for (const ofGuest of guests.values()) {
        const mine = ordersOf(ofGuest, "proto.order.accrued.v1").filter((order_id) => order_id.startsWith("sale"))
        assert.deepStrictEqual(mine, mine.toSorted())
      }

      const [refused = "", ...others] = filesIn(cwd, "refused")
      assert.deepStrictEqual(others, [])
      const file = path.join(cwd, "refused", refused)
      const entry = JSON.parse(fs.readFileSync(file, "utf8"))
      assert.strictEqual(entry.status, 422)
      assert.strictEqual(entry.answer.code, "invalid_order")
      entry.body.order.totals.total.amount = 1188
      fs.writeFileSync(file, JSON.stringify(entry))
      fs.renameSync(file, path.join(cwd, "queue", refused))
      yield* Effect.scoped(
        Effect.andThen(
          running(cwd, "send", proxy.url),
          until(() => filesIn(cwd, "queue").length === 0)
        )
      )
      assert.deepStrictEqual(filesIn(cwd, "refused"), [])
      assert.include(ordersOf(yield* events, "proto.order.accrued.v1"), "wrong")
    }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live.skipIf(!python.isThere)("a defect at one guest holds that guest alone; without a network nothing leaves", () =>
  Effect.gen(function* () {
    const port = yield* TestServer.port
    const broken = yield* lossy(port, (_, body) => (body.includes('"card-1"') ? { status: 500 } : "passes"))
    assert.deepStrictEqual(yield* output(yield* folder, "once", broken.url), [
      [4, 0],
      ["card-1", "card-1"]
    ])
    const dead = yield* lossy(port, () => "request is lost")
    const cards = ["card-0", "card-1", "card-2"]
    assert.deepStrictEqual(yield* output(yield* folder, "once", dead.url), [
      [0, 0],
      [...cards, ...cards]
    ])
    assert.strictEqual(dead.seen(), 1)
    assert.deepStrictEqual(yield* output(yield* folder, "full", dead.url), [2, 2])
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live.skipIf(!python.isThere)("a call that is repeated in Python counts once", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const cwd = yield* folder
    const fates: ReadonlyArray<Fate> = ["request is lost", "answer is lost", { status: 503 }, "answer is lost"]
    const proxy = yield* lossy(yield* TestServer.port, (seen) => fates[seen] ?? "passes")
    const [status, answer] = (yield* output(cwd, "post", proxy.url, { argument: "posted" })) as [
      number,
      { entry: { amount: number } }
    ]
    assert.strictEqual(status, 201)
    assert.strictEqual(answer.entry.amount, 165)
    assert.strictEqual(proxy.seen(), 5)
    const posted = ordersOf(yield* events, "proto.order.accrued.v1").filter((order_id) => order_id === "posted")
    assert.deepStrictEqual(posted, ["posted"])
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live.skipIf(!python.isThere)("the feed reader in Python has every event, also after kills and losses", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const cwd = yield* folder
    const proxy = yield* lossy(yield* TestServer.port, (seen) => (seen % 3 === 0 ? "answer is lost" : "passes"))
    const file = path.join(cwd, "events.txt")
    const read = () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1) : [])
    for (const order_id of ["one", "two"]) {
      yield* output(cwd, "post", proxy.url, { argument: order_id })
      const all = (yield* events).map(({ id }) => id)
      const reading = running(cwd, "feed", proxy.url)
      yield* Effect.scoped(
        Effect.andThen(
          reading,
          until(() => new Set(read()).size >= all.length)
        )
      )
      assert.deepStrictEqual([...new Set(read())], all, order_id)
    }
    fs.writeFileSync(path.join(cwd, "feed", "position.json"), '"pzzzzz.zz.zz.zz.0"')
    const refused = yield* Effect.exit(output(cwd, "feed", proxy.url))
    assert.match(String(refused), /the feed refused pzzzzz.*validation_failed/)
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live.skipIf(!python.isThere)("webhooks are verified in Python (contract/events.md *Signatures*)", () =>
  Effect.gen(function* () {
    const [first, second] = [Signature.newSecret(), Signature.newSecret()]
    const event = { specversion: "1.0", id: "e1", type: "proto.member.enrolled.v1", subject: "ädä" }
    const body = JSON.stringify(event)
    const signed = (secrets: ReadonlyArray<string>, ageMs = 0) =>
      Signature.headersOf(secrets, { id: "e1", now: Date.now() - ageMs, body })
    const upper = Object.fromEntries(
      Object.entries(signed([first])).map(([name, value]) => [name.toUpperCase(), value])
    )
    const cases = [
      { secrets: [first], headers: signed([first]), body },
      { secrets: [first], headers: upper, body },
      { secrets: [second, first], headers: signed([first]), body },
      { secrets: [second], headers: signed([first, second]), body },
      { secrets: [second], headers: signed([first]), body },
      { secrets: [first], headers: signed([first]), body: `${body} ` },
      { secrets: [first], headers: signed([first], 600_000), body },
      { secrets: [first], headers: signed([first], -600_000), body },
      { secrets: [first], headers: {}, body },
      { secrets: [first], headers: { ...signed([first]), "webhook-signature": "v1,ß" }, body }
    ]
    const found = yield* output(yield* folder, "verify", "", { input: JSON.stringify(cases) })
    assert.deepStrictEqual(found, [event, event, event, event, null, null, null, null, null, null])
  }).pipe(Effect.scoped)
)

/** Output of a program of the page on a demo. */
const printed = Effect.fnUntraced(function* (file: string) {
  yield* Demo.seed
  const cwd = yield* folder
  const url = `http://127.0.0.1:${yield* TestServer.port}`
  return yield* Effect.callback<string>((resume) => {
    execFile(python.command, [file], { cwd, env: environment(url) }, (_, stdout, stderr) =>
      resume(Effect.succeed(stdout + stderr))
    )
  })
})

it.live.skipIf(!python.isThere)("the page's till sells and refunds on a demo", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* printed("sale.py"), "sent; 0 refused\n")
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live.skipIf(!python.isThere)("the page's receipt is claimed once, by its code", () =>
  Effect.gen(function* () {
    assert.match(yield* printed("receipt.py"), /^201 \d+ 200 409\n$/)
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)
