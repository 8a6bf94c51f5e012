/** The fault proxy: what reaches the service, and what the caller gets. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { text } from "node:stream/consumers"
import type { FaultProxy } from "../../../src/app/testing/FaultProxy.ts"
import { faults } from "../../../src/app/testing/FaultProxy.ts"
import { serve } from "../../../src/app/testing/Serve.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"

interface Target {
  readonly url: string
  /** Method, path and body of each request, in the order in which they came. */
  readonly requests: Array<string>
  /** Settles with the next request. */
  readonly next: () => Promise<string>
}

/** A proxy before a server that answers with the number of the request and its headers. */
const proxied =
  (use: (proxy: FaultProxy, target: Target) => Promise<void>, seed = 7) =>
  async () => {
    const requests: Array<string> = []
    const server = http.createServer((incoming, outgoing) => {
      void text(incoming).then((body) => {
        requests.push(`${incoming.method} ${incoming.url} ${body}`)
        server.emit("met", requests.at(-1))
        outgoing.writeHead(201, { "x-number": requests.length, "set-cookie": ["a=1", "b=2"] })
        outgoing.end(JSON.stringify(incoming.headers))
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const proxy = await faults({ target: url, seed })
    const next = () => once(server, "met").then(([met]) => String(met))
    try {
      await use(proxy, { url, requests, next })
    } finally {
      await proxy.stop()
      server.closeAllConnections()
      server.close()
    }
  }

/** The number of the request that was answered, or why there is no answer. */
const post = (proxy: FaultProxy, path = "/a", body = "x", method = "POST"): Promise<string> =>
  fetch(proxy.url + path, { method, ...(method === "GET" ? undefined : { body }) }).then(
    (response) => response.headers.get("x-number") ?? String(response.status),
    () => "lost"
  )

const inTurn = async (count: number, one: (at: number) => Promise<string>): Promise<ReadonlyArray<string>> => {
  const all: Array<string> = []
  for (let at = 0; at < count; at++) all.push(await one(at))
  return all
}

describe("the fault proxy", () => {
  it(
    "passes requests and answers through",
    proxied(async (proxy, { requests }) => {
      const body = "é".repeat(300_000)
      const response = await fetch(`${proxy.url}/a?b=c`, { method: "PUT", body, headers: { "x-own": "1" } })
      assert.strictEqual(response.status, 201)
      assert.deepStrictEqual(response.headers.getSetCookie(), ["a=1", "b=2"])
      const headers = (await response.json()) as Record<string, string>
      assert.deepInclude(headers, { "x-own": "1", "content-length": "600000" })
      assert.strictEqual(requests[0], `PUT /a?b=c ${body}`)
      assert.strictEqual(await post(proxy, "/get", "", "GET"), "2")
      assert.deepStrictEqual(
        proxy.seen.map(({ fault, method, path, status }) => [method, path, fault, status]),
        [
          ["PUT", "/a?b=c", undefined, 201],
          ["GET", "/get", undefined, 201]
        ]
      )
    })
  )

  it(
    "drops the next requests before they arrive",
    proxied(async (proxy, { requests }) => {
      proxy.drop("requests", { next: 2 })
      assert.deepStrictEqual(await inTurn(3, () => post(proxy)), ["lost", "lost", "1"])
      assert.lengthOf(requests, 1)
    })
  )

  it(
    "drops an answer after the work was done",
    proxied(async (proxy, { requests }) => {
      proxy.drop("answers")
      assert.deepStrictEqual(await inTurn(2, () => post(proxy)), ["lost", "2"])
      assert.lengthOf(requests, 2)
      assert.deepInclude(proxy.seen[0], { fault: "drop_answer", status: 201 })
    })
  )

  it(
    "answers 503 in the target's place, with Retry-After",
    proxied(async (proxy, { requests }) => {
      proxy.answer503({ retryAfterSeconds: 7 })
      const response = await fetch(proxy.url, { method: "POST", body: "x" })
      assert.strictEqual(response.status, 503)
      assert.strictEqual(response.headers.get("retry-after"), "7")
      assert.lengthOf(requests, 0)
    })
  )

  it(
    "delivers a request twice, and gives the second answer",
    proxied(async (proxy, { requests }) => {
      proxy.duplicate({ path: "/b" })
      assert.deepStrictEqual(await inTurn(2, () => post(proxy, "/b", "body")), ["2", "3"])
      assert.deepStrictEqual(requests, ["POST /b body", "POST /b body", "POST /b body"])
    })
  )

  it(
    "delivers late, also for a caller that has given up",
    proxied(async (proxy, target) => {
      proxy.delay(1, { next: 2 })
      assert.strictEqual(await post(proxy), "1")
      const arrived = target.next()
      const socket = net.connect(Number(new URL(proxy.url).port), "127.0.0.1")
      socket.on("error", () => undefined)
      socket.end("POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
      assert.strictEqual(await arrived, "POST /late body")
    })
  )

  it(
    "loses what it holds back when the network goes, and all until it is back",
    proxied(async (proxy, { requests }) => {
      proxy.delay(3_600_000)
      const held = post(proxy)
      while (proxy.seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
      proxy.cut()
      assert.strictEqual(await held, "lost")
      assert.strictEqual(await post(proxy), "lost")
      proxy.mend()
      assert.strictEqual(await post(proxy), "1")
      assert.lengthOf(requests, 1)
    })
  )

  it(
    "keeps to method and path, and takes rules in their order",
    proxied(async (proxy) => {
      proxy.drop("requests", { path: "/b", method: "POST" })
      proxy.answer503({ next: 2 })
      assert.deepStrictEqual(await inTurn(2, () => post(proxy, "/b?x=1", "", "GET")), ["503", "503"])
      assert.strictEqual(await post(proxy, "/a"), "1")
      assert.strictEqual(await post(proxy, "/b?x=1"), "lost")
      proxy.drop("requests", { next: 5 })
      proxy.clear()
      assert.strictEqual(await post(proxy), "2")
    })
  )

  it("hits the same requests with the same seed, about as many as the rate says", async () => {
    const runs: Array<string> = []
    for (const seed of [1, 1, 2])
      await proxied(async (proxy) => {
        proxy.answer503({ rate: 0.3 })
        runs.push((await inTurn(100, () => post(proxy))).map((one) => (one === "503" ? "-" : "+")).join(""))
      }, seed)()
    assert.strictEqual(runs[0], runs[1])
    assert.notStrictEqual(runs[0], runs[2])
    for (const run of runs) assert.approximately(run.replaceAll("+", "").length, 30, 15, run)
  })

  it("is a lost connection for its callers if there is no target", async () => {
    const server = net.createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    server.on("connection", (socket) => socket.destroy())
    const proxy = await faults({ target: `http://127.0.0.1:${port}` })
    assert.strictEqual(await post(proxy), "lost")
    await proxy[Symbol.asyncDispose]()
    server.close()
  })

  it("shows a till's retries: an order whose answers are lost counts once", async () => {
    const service = await Testing.serve({ now: "2026-07-14T10:00:00Z" })
    const proxy = await faults({ target: service.url })
    const send = (path: string, body: object) =>
      fetch(`${proxy.url}/proto/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const enroll = {
      program_id: "demo-foodservice",
      identity: { type: "loyalty_id", value: "card-1" },
      member_id: "ada"
    }
    await send("members/enroll", { context: Testing.context(), ...enroll })
    const accrual = { context: Testing.context("till-7-1"), member_id: "ada", order: Testing.order("order-1", 6000) }
    proxy.drop("requests")
    proxy.drop("answers", { next: 2 })
    proxy.answer503()
    proxy.duplicate()
    const outcomes = await inTurn(5, () =>
      send("accruals", accrual).then(
        ({ status }) => String(status),
        () => "lost"
      )
    )
    assert.deepStrictEqual(outcomes, ["lost", "lost", "lost", "503", "201"])
    const account = { context: Testing.context(), member_id: "ada", program_id: "demo-foodservice" }
    const { balances } = (await (await send("accounts/get", account)).json()) as { balances: [{ amount: number }] }
    assert.strictEqual(balances[0].amount, 600)
    await proxy.stop()
    await service.stop()
  })
})

describe("what a test gives", () => {
  it("is refused where it is misspelt, so that no test passes without its fault", async () => {
    const refused = async (make: () => unknown): Promise<string> => {
      try {
        await make()
      } catch (error) {
        assert.instanceOf(error, TypeError)
        return (error as TypeError).message
      }
      return assert.fail("must be refused")
    }
    const given = <A>(value: unknown) => value as A
    await using proxy = await faults({ target: "http://127.0.0.1:9" })
    const messages = [
      await refused(() => faults(given({ target: "http://127.0.0.1:9", sed: 1 }))),
      await refused(() => serve(given({ tokn: "x" }))),
      await refused(() => serve(given({ programs: {} }))),
      await refused(() => proxy.drop(given("nonsense"))),
      await refused(() => proxy.drop("answers", given({ nxt: 1 }))),
      await refused(() => proxy.drop("answers", { rate: 7 })),
      await refused(() => proxy.drop("answers", { next: 0 })),
      await refused(() => proxy.delay(given("x"))),
      await refused(() => proxy.duplicate({ path: "proto/v1" })),
      await refused(() => proxy.answer503({ method: "post" }))
    ]
    assert.deepStrictEqual(messages, [
      "faults has no option sed; it has target, port, seed",
      "serve has no option tokn; it has programs, now, port",
      "programs of serve must be a list of programme files' JSON, such as [program]",
      'drop takes "requests" or "answers", not "nonsense"',
      "drop has no option nxt; it has next, rate, method, path",
      "rate of drop must be a number from 0 to 1, not 7",
      "next of drop must be a whole number from 1 on, not 0",
      'ms of delay must be a number from 0 to 2147483647, not "x"',
      'path of duplicate must be a whole path without its query, not "proto/v1"',
      'method of answer503 must be a method such as POST, not "post"'
    ])
  })
})
