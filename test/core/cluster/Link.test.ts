import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import * as net from "node:net"
import * as tls from "node:tls"
import * as Bounds from "../../../src/core/cluster/Bounds.ts"
import * as Link from "../../../src/core/cluster/Link.ts"
import * as LinkServer from "../../../src/core/cluster/LinkServer.ts"

const key = Link.keyOf(Buffer.from("the secret of an installation"))
const loopback = { host: "127.0.0.1", port: 0 }

const echo = (payload: string) => Effect.succeed(`<${payload}>`)
const serve = (answer: LinkServer.ServeOptions["answer"] = echo, options: Partial<LinkServer.ServeOptions> = {}) =>
  LinkServer.serve({ ...loopback, key, answer, ...options })

/** Turns of the event loop until something holds: sockets need them, and no time passes. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(turn, until(holds))))

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const valueOf = (id: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const state = metrics.find((metric) => metric.id === id)?.state
    return state === undefined ? undefined : "value" in state ? state.value : "count" in state ? state.count : undefined
  })
const untilValue = Effect.fnUntraced(function* (id: string, value: number) {
  while ((yield* valueOf(id)) !== value) yield* turn
})
const inbound = "lotbook_cluster_inbound_connections"
const inFlight = "lotbook_cluster_calls_in_flight"

/** The metrics of one test. */
const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

type Direction = "there" | "back" | "both"

/** Stands between two nodes: it can cut their connections, lose or keep what they send, and refuse new connections. */
const relayTo = (target: Link.Address) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<net.Socket>()
      const lost: Array<Direction> = []
      let isRefusing = false
      const listener = net.createServer((client) => {
        if (isRefusing) return client.destroy()
        const server = net.connect(target.port, target.host)
        for (const [one, other] of [
          [client, server],
          [server, client]
        ] as const) {
          sockets.add(one)
          one.on("error", () => other.destroy())
          one.on("close", () => other.destroy())
          one.on("data", (bytes) => {
            if (!lost.includes(one === client ? "there" : "back")) other.write(bytes)
          })
        }
        return undefined
      })
      listener.listen(loopback)
      await once(listener, "listening")
      const { port } = listener.address() as net.AddressInfo
      const all = (use: (socket: net.Socket) => void) => {
        for (const socket of sockets) use(socket)
      }
      return {
        address: { ...loopback, port },
        cut: () => {
          isRefusing = true
          all((socket) => socket.destroy())
        },
        stall: () => all((socket) => socket.pause()),
        /** From now on bytes of one direction, or of both, go nowhere, on new connections too, and nothing is closed. */
        lose: (direction: Direction) => {
          lost.push(...(direction === "both" ? (["there", "back"] as const) : [direction]))
        },
        mend: () => {
          lost.length = 0
          all((socket) => socket.destroy())
        },
        restore: () => {
          isRefusing = false
        },
        close: () => {
          listener.close()
          all((socket) => socket.destroy())
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

/** Answers that the test gives. */
const held = () => {
  const requests = new Map<string, Deferred.Deferred<string>>()
  const answer = (payload: string) =>
    Effect.suspend(() => {
      const deferred = Deferred.makeUnsafe<string>()
      requests.set(payload, deferred)
      return Deferred.await(deferred)
    })
  const give = (payload: string) => Deferred.succeed(requests.get(payload)!, `<${payload}>`)
  return { requests, answer, give }
}

/** A node with such answers. It waits for them when it stops, so they are given then. */
const serveHeld = Effect.gen(function* () {
  const { answer, give, requests } = held()
  const address = yield* serve(answer)
  yield* Effect.addFinalizer(() => Effect.forEach(requests.keys(), give))
  return { requests, give, address }
})

const failedWith = (sent: boolean, reason?: string | RegExp) => (exit: Exit.Exit<string, unknown>) => {
  const error = Exit.isFailure(exit) ? exit.cause.reasons.find((one) => one._tag === "Fail")?.error : undefined
  assert.instanceOf(error, Link.LinkFailed, String(exit))
  assert.strictEqual(error.sent, sent)
  if (reason !== undefined) assert.match(error.reason, new RegExp(reason))
}

it.effect("a request is answered, whatever its text", () =>
  Effect.gen(function* () {
    const link = yield* Link.connect(yield* serve(), key)
    for (const payload of ["", "one", '{"a":"\\n"}\n', "zwölf €", "x".repeat(300_000), "€".repeat(100_000)])
      assert.strictEqual(yield* link.call(payload), `<${payload}>`)
    assert.strictEqual(yield* valueOf(inbound), 1)
    assert.strictEqual(yield* valueOf(inFlight), 0)
  }).pipe(alone)
)

it.effect("many requests are in flight at once, and answers come in any order", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key)
    const payloads = Array.from({ length: 300 }, (_, n) => `${n}`)
    const done: Array<string> = []
    const calls = yield* Effect.forEach(payloads, (payload) =>
      Effect.forkChild(Effect.tap(link.call(payload), (text) => Effect.sync(() => done.push(text))))
    )
    yield* until(() => requests.size === 300)
    assert.strictEqual(yield* valueOf(inFlight), 300)
    for (const payload of payloads.toReversed()) {
      yield* give(payload)
      yield* until(() => done.includes(`<${payload}>`))
    }
    assert.deepStrictEqual(
      yield* Fiber.joinAll(calls),
      payloads.map((payload) => `<${payload}>`)
    )
  }).pipe(alone)
)

it.effect("a payload over the bound is refused by itself; the connection goes on", () =>
  Effect.gen(function* () {
    const answer = (payload: string) => Effect.succeed(payload === "long" ? "x".repeat(1_001) : payload)
    const address = yield* serve(answer, { maxPayloadBytes: 1_000 })
    const link = yield* Link.connect(address, key, { maxPayloadBytes: 1_000 })
    const largest = "x".repeat(1_000)
    assert.strictEqual(yield* link.call(largest), largest)
    assert.deepInclude(yield* Effect.flip(link.call(`${largest}x`)), {
      _tag: "PayloadTooLarge",
      bytes: 1_001,
      maxBytes: 1_000
    })
    failedWith(true, "1001 bytes, over 1000")(yield* Effect.exit(link.call("long")))
    assert.strictEqual(yield* link.call("after"), "after")
  })
)

it.effect("a peer with another bound is cut off, with a reason", () =>
  Effect.gen(function* () {
    const link = yield* Link.connect(yield* serve(), key, { maxPayloadBytes: 1_000 })
    failedWith(true, "more than 1000 bytes")(yield* Effect.exit(link.call("x".repeat(999))))
    yield* TestClock.adjust(Bounds.reconnectMinMs)
    assert.strictEqual(yield* link.call("after"), "<after>")
  })
)

it.effect("an answer's defect fails its call alone", () =>
  Effect.gen(function* () {
    const answer = (payload: string) => (payload === "bad" ? Effect.die(new Error("broken")) : echo(payload))
    const link = yield* Link.connect(yield* serve(answer), key)
    const bad = yield* Effect.forkChild(Effect.exit(link.call("bad")))
    assert.strictEqual(yield* link.call("good"), "<good>")
    failedWith(true, "broken")(yield* Fiber.join(bad))
  })
)

it.effect("a caller that goes away cancels nothing", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key)
    const call = yield* Effect.forkChild(link.call("left"))
    yield* until(() => requests.has("left"))
    yield* Fiber.interrupt(call)
    assert.strictEqual(yield* valueOf(inFlight), 0)
    yield* give("left")
    yield* untilValue("lotbook_cluster_calls_answered_total", 1)
    const next = yield* Effect.forkChild(link.call("next"))
    yield* until(() => requests.has("next"))
    yield* give("next")
    assert.strictEqual(yield* Fiber.join(next), "<next>")
  }).pipe(alone)
)

it.effect("a node with another key gets nothing, and is told why", () =>
  Effect.gen(function* () {
    let answered = 0
    const address = yield* serve((payload) => Effect.sync(() => `${payload}${answered++}`))
    const link = yield* Link.connect(address, Link.keyOf(Buffer.from("another secret")))
    failedWith(false, "nodes of one database have the same key")(yield* Effect.exit(link.call("one")))
    assert.strictEqual(answered, 0)
    yield* untilValue(inbound, 0)
  }).pipe(alone)
)

it.effect("strangers are refused in the handshake, and leave nothing behind", () =>
  Effect.gen(function* () {
    const address = yield* serve()
    const closed = (socket: net.Socket) => {
      let received = 0
      socket.on("data", (chunk: Buffer) => {
        received += chunk.length
      })
      socket.on("error", () => undefined)
      return Effect.promise(() => new Promise((resolve) => socket.once("close", () => resolve(received))))
    }
    for (const junk of ["GET / HTTP/1.1\r\n\r\n", "\0".repeat(20_000), "\x16\x03\x01\x40\x00junk".padEnd(20_000)]) {
      const socket = net.connect(address)
      socket.write(junk)
      yield* closed(socket)
    }
    for (const options of [{}, { maxVersion: "TLSv1.2" }, { ciphers: "PSK", maxVersion: "TLSv1.2" }] as const) {
      const socket = tls.connect({
        ...address,
        ...options,
        rejectUnauthorized: false,
        pskCallback: () => ({ psk: key, identity: "stranger" })
      })
      socket.on("secureConnect", () => assert.fail("a stranger's handshake ended"))
      yield* closed(socket)
    }
    yield* untilValue(inbound, 0)
    assert.strictEqual(yield* (yield* Link.connect(address, key)).call("one"), "<one>")
  }).pipe(alone)
)

it.effect("a handshake has a time, and unfinished ones a number: the oldest gives way", () =>
  Effect.gen(function* () {
    const address = yield* serve()
    const closed: Array<number> = []
    const strangers = Array.from({ length: Bounds.maxHandshakes }, (_, n) => {
      const socket = net.connect(address)
      socket.on("close", () => closed.push(n))
      return socket
    })
    yield* untilValue(inbound, Bounds.maxHandshakes)
    assert.strictEqual(yield* (yield* Link.connect(address, key)).call("one"), "<one>")
    yield* until(() => closed.length === 1)
    assert.strictEqual(yield* valueOf(inbound), Bounds.maxHandshakes)
    yield* TestClock.adjust(Bounds.handshakeMs)
    yield* until(() => closed.length === strangers.length)
    yield* untilValue(inbound, 1)
  }).pipe(alone)
)

it.effect("a peer's death fails calls in flight as sent, later ones as unsent, until it is back", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const relay = yield* relayTo(address)
    const link = yield* Link.connect(relay.address, key)
    const calls = yield* Effect.forEach(["a", "b"], (payload) => Effect.forkChild(Effect.exit(link.call(payload))))
    yield* until(() => requests.size === 2)
    relay.cut()
    for (const call of calls) failedWith(true)(yield* Fiber.join(call))
    failedWith(false)(yield* Effect.exit(link.call("at once")))
    for (const pauseMs of [50, 100, 200, 400, 800, 1_000, 1_000]) {
      yield* TestClock.adjust(pauseMs - 1)
      failedWith(false)(yield* Effect.exit(link.call("in the pause")))
      yield* TestClock.adjust(1)
      failedWith(false)(yield* Effect.exit(link.call("after it")))
    }
    relay.restore()
    failedWith(false)(yield* Effect.exit(link.call("known to be down")))
    yield* TestClock.adjust(Bounds.reconnectMaxMs)
    const back = yield* Effect.forkChild(link.call("back"))
    yield* until(() => requests.has("back"))
    yield* give("back")
    assert.strictEqual(yield* Fiber.join(back), "<back>")
    assert.deepStrictEqual([...requests.keys()], ["a", "b", "back"])
    assert.strictEqual(yield* valueOf(inFlight), 0)
  }).pipe(alone)
)

it.effect("a peer that does not take part in the handshake costs a bounded time", () =>
  Effect.gen(function* () {
    const relay = yield* relayTo(yield* serve())
    const silent = net.createServer().listen(loopback)
    yield* Effect.addFinalizer(() => Effect.sync(() => silent.close()))
    yield* Effect.promise(() => once(silent, "listening"))
    const { port } = silent.address() as net.AddressInfo
    const link = yield* Link.connect({ ...relay.address, port }, key)
    const call = yield* Effect.forkChild(Effect.exit(link.call("one")))
    const [socket] = (yield* Effect.promise(() => once(silent, "connection"))) as [net.Socket]
    yield* TestClock.adjust(Bounds.connectMs)
    failedWith(false, "no connection within")(yield* Fiber.join(call))
    socket.destroy()
  })
)

/** Moves the clock by heartbeats, with turns between them for the sockets. */
const pass = Effect.fnUntraced(function* (ms: number) {
  for (let at = 0; at < ms; at += Bounds.heartbeatMs) {
    yield* TestClock.adjust(Bounds.heartbeatMs)
    for (let n = 0; n < 20; n++) yield* turn
  }
})

for (const direction of ["there", "back", "both"] as const)
  it.effect(
    `a link that loses packets (${direction}) fails what waits within 2 s, and is down until words come back`,
    () =>
      Effect.gen(function* () {
        const relay = yield* relayTo(yield* serve())
        const link = yield* Link.connect(relay.address, key)
        assert.strictEqual(yield* link.call("one"), "<one>")
        yield* pass(10_000)
        assert.deepStrictEqual([link.downMs(), link.silences()], [0, 0])
        relay.lose(direction)
        const waiting = yield* Effect.forkChild(Effect.exit(link.call("two")))
        yield* pass(Bounds.silenceMs)
        assert.isDefined(waiting.pollUnsafe(), "the call still waits")
        failedWith(true, "nothing has come back for 2000 ms")(yield* Fiber.join(waiting))
        assert.strictEqual(link.silences(), 1)
        assert.isAtLeast(link.downMs(), 1_500)
        // No handshake gets through, so that it stays down, and the time counts from the last word.
        yield* pass(5_000)
        assert.isAtLeast(link.downMs(), 6_500)
        relay.mend()
        yield* pass(Bounds.connectMs + Bounds.reconnectMaxMs + 2 * Bounds.heartbeatMs)
        assert.strictEqual(link.downMs(), 0)
        assert.strictEqual(yield* link.call("three"), "<three>")
      })
  )

it.effect("a link without calls is found to be down as well", () =>
  Effect.gen(function* () {
    const relay = yield* relayTo(yield* serve())
    const link = yield* Link.connect(relay.address, key)
    yield* pass(1_000)
    relay.lose("both")
    yield* pass(Bounds.silenceMs)
    assert.isAtLeast(link.downMs(), 1_500)
    failedWith(false, "nothing has come back")(yield* Effect.exit(link.call("one")))
  })
)

it.effect("a node of an older version, which answers no heartbeats, is not taken for lost", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key, { hasHeartbeats: false })
    const call = yield* Effect.forkChild(link.call("one"))
    yield* until(() => requests.size === 1)
    yield* pass(10_000)
    yield* give("one")
    assert.strictEqual(yield* Fiber.join(call), "<one>")
    assert.deepStrictEqual([link.downMs(), link.silences()], [0, 0])
  })
)

it.effect("a peer that reads no more requests for now is not taken for lost", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key)
    const payloads = Array.from({ length: 2 * Bounds.maxRequestsInFlight }, (_, n) => `${n}`.padStart(600))
    const calls = yield* Effect.forEach(payloads, (payload) => Effect.forkChild(link.call(payload)))
    yield* until(() => requests.size >= Bounds.maxRequestsInFlight)
    yield* pass(2 * Bounds.silenceMs)
    assert.isBelow(requests.size, payloads.length)
    for (const payload of payloads) {
      yield* until(() => requests.has(payload))
      yield* give(payload)
    }
    assert.lengthOf(yield* Fiber.joinAll(calls), payloads.length)
    assert.strictEqual(link.silences(), 0)
  })
)

it.effect("a peer that went without a word leaves no connection behind", () =>
  Effect.gen(function* () {
    const relay = yield* relayTo(yield* serve())
    const link = yield* Link.connect(relay.address, key)
    assert.strictEqual(yield* link.call("one"), "<one>")
    yield* pass(1_000)
    assert.strictEqual(yield* valueOf(inbound), 1)
    relay.lose("there")
    yield* pass(Bounds.silenceMs + Bounds.heartbeatMs)
    // Handshakes that nobody ends may be open; the connection that was served is not.
    yield* pass(Bounds.handshakeMs)
    relay.cut()
    yield* untilValue(inbound, 0)
  }).pipe(alone)
)

it.effect("a peer that was started again on the same port is found", () =>
  Effect.gen(function* () {
    const first = yield* Scope.make()
    const address = yield* Scope.provide(serve(), first)
    const link = yield* Link.connect(address, key)
    assert.strictEqual(yield* link.call("one"), "<one>")
    yield* Scope.close(first, Exit.void)
    failedWith(false, "stopping")(yield* Effect.exit(link.call("two")))
    yield* serve((payload) => Effect.succeed(`second ${payload}`), address)
    yield* TestClock.adjust(Bounds.reconnectMinMs)
    assert.strictEqual(yield* link.call("three"), "second three")
  })
)

it.effect("fail answers for a peer that says nothing", () =>
  Effect.gen(function* () {
    const { address, requests } = yield* serveHeld
    const relay = yield* relayTo(address)
    const link = yield* Link.connect(relay.address, key)
    const call = yield* Effect.forkChild(Effect.exit(link.call("one")))
    yield* until(() => requests.size === 1)
    relay.stall()
    const stalled = yield* Effect.forkChild(Effect.exit(link.call("two")), { startImmediately: true })
    yield* turn
    link.fail("the node was declared dead")
    failedWith(true, "declared dead")(yield* Fiber.join(call))
    failedWith(true, "declared dead")(yield* Fiber.join(stalled))
    failedWith(false, "declared dead")(yield* Effect.exit(link.call("three")))
    assert.strictEqual(requests.size, 1)
  })
)

it.effect("a request that waits for its connection is unsent when the link fails", () =>
  Effect.gen(function* () {
    let answered = 0
    const link = yield* Link.connect(yield* serve(() => Effect.sync(() => `${answered++}`)), key)
    const call = yield* Effect.forkChild(Effect.exit(link.call("one")), { startImmediately: true })
    link.fail("too early")
    failedWith(false, "too early")(yield* Fiber.join(call))
    assert.strictEqual(answered, 0)
  })
)

it.effect("closing a link fails its calls in flight, and all later ones", () =>
  Effect.gen(function* () {
    const { address, requests } = yield* serveHeld
    const scope = yield* Scope.make()
    const link = yield* Scope.provide(Link.connect(address, key), scope)
    const call = yield* Effect.forkChild(Effect.exit(link.call("one")))
    yield* until(() => requests.size === 1)
    yield* Scope.close(scope, Exit.void)
    failedWith(true, "the link is closed")(yield* Fiber.join(call))
    yield* TestClock.adjust(Bounds.reconnectMaxMs)
    failedWith(false, "the link is closed")(yield* Effect.exit(link.call("two")))
    yield* Deferred.succeed(requests.get("one")!, "nobody waits")
    yield* untilValue(inbound, 0)
  }).pipe(alone)
)

it.effect("past the bytes that may wait for a peer, a call is refused; it was not sent", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key, { maxWaitingBytes: 10_000 })
    const first = yield* Effect.forkChild(link.call("1".repeat(9_000)), { startImmediately: true })
    const second = yield* Effect.flip(link.call("2".repeat(2_000)))
    assert.deepStrictEqual(second._tag, "LinkOverloaded")
    yield* until(() => requests.size === 1)
    yield* turn
    const third = yield* Effect.forkChild(link.call("3".repeat(2_000)))
    yield* until(() => requests.size === 2)
    for (const payload of requests.keys()) yield* give(payload)
    assert.strictEqual(yield* Fiber.join(first), `<${"1".repeat(9_000)}>`)
    assert.strictEqual(yield* Fiber.join(third), `<${"3".repeat(2_000)}>`)
  })
)

it.effect("a node reads no more of a peer whose requests it has not answered", () =>
  Effect.gen(function* () {
    const { address, give, requests } = yield* serveHeld
    const link = yield* Link.connect(address, key)
    const payloads = Array.from({ length: 2 * Bounds.maxRequestsInFlight }, (_, n) => `${n}`.padStart(600))
    const calls = yield* Effect.forEach(payloads, (payload) => Effect.forkChild(link.call(payload)))
    yield* until(() => requests.size >= Bounds.maxRequestsInFlight)
    for (let n = 0; n < 100; n++) yield* turn
    // One read has a record of TLS, 16 kB: 27 requests.
    assert.isAtMost(requests.size, Bounds.maxRequestsInFlight + 27)
    for (const payload of payloads) {
      yield* until(() => requests.has(payload))
      yield* give(payload)
    }
    assert.lengthOf(yield* Fiber.joinAll(calls), payloads.length)
  })
)

it.effect("a stop answers what is in flight, and leaves no call in doubt", () =>
  Effect.gen(function* () {
    const { answer, give, requests } = held()
    const scope = yield* Scope.make()
    const link = yield* Link.connect(yield* Scope.provide(serve(answer), scope), key)
    const inFlightCall = yield* Effect.forkChild(link.call("in flight"))
    yield* until(() => requests.size === 1)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    // These leave before the peer's goodbye arrives.
    const late = yield* Effect.forEach(
      ["late 1", "late 2"],
      (payload) => Effect.forkChild(link.call(payload), { startImmediately: true }),
      { concurrency: 1 }
    )
    yield* until(() => requests.size === 3)
    failedWith(false, "stopping")(yield* Effect.exit(link.call("after the goodbye")))
    for (const payload of requests.keys()) yield* give(payload)
    assert.strictEqual(yield* Fiber.join(inFlightCall), "<in flight>")
    assert.deepStrictEqual(yield* Fiber.joinAll(late), ["<late 1>", "<late 2>"])
    yield* Fiber.join(closing)
  })
)

it.effect("a stop waits a bounded time, then interrupts", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    let running = 0
    const answer = () =>
      Effect.onInterrupt(
        Effect.suspend(() => {
          running++
          return Effect.never
        }),
        () => Effect.sync(() => running--)
      )
    const link = yield* Link.connect(yield* Scope.provide(serve(answer), scope), key)
    const call = yield* Effect.forkChild(Effect.exit(link.call("one")))
    yield* until(() => running === 1)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* TestClock.adjust(Bounds.drainMs)
    yield* Fiber.join(closing)
    assert.strictEqual(running, 0)
    failedWith(true)(yield* Fiber.join(call))
  })
)

it.effect("an address that is taken is an error", () =>
  Effect.gen(function* () {
    const { port } = yield* serve()
    assert.match((yield* Effect.flip(serve(echo, { port }))).reason, /EADDRINUSE/)
  })
)
