/**
 * contract/events.md *Webhook addresses*, *Delivery*: no connection goes to an address that is not public, whatever its name
 * says, and each lasts as long as its receiver may take to answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as net from "node:net"
import { setTimeout as later } from "node:timers/promises"
import * as Bounds from "../../../src/capabilities/webhooks/Bounds.ts"
import { handOver, type Resolve, Resolver } from "../../../src/capabilities/webhooks/Connection.ts"
import * as Sender from "../../../src/capabilities/webhooks/Sender.ts"
import { PrivateWebhooks } from "../../../src/capabilities/webhooks/WebhookUrl.ts"
import * as Receiver from "./Receiver.ts"

const send = (url: string, isPrivate = false) =>
  Sender.once(url, {}, "{}").pipe(
    Effect.provideService(PrivateWebhooks, isPrivate),
    Effect.map(({ error, status }) => error ?? status)
  )

const resolving =
  (...addresses: ReadonlyArray<string>): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: net.isIP(address) })))

describe("a connection to a receiver", () => {
  it.effect("goes to no literal address that is not public", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const { port } = receiver
      const hosts = [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fd00::1]",
        "[fe80::1]"
      ]
      for (const host of hosts) {
        assert.strictEqual(yield* send(`http://${host}:${port}/`), "address_not_public", host)
        assert.strictEqual(yield* send(`https://${host}:${port}/`), "address_not_public", host)
      }
      assert.strictEqual(receiver.connections, 0)
      assert.strictEqual(yield* send(receiver.url, true), 204)
    }).pipe(Effect.scoped)
  )

  it.effect("goes to no name with an address that is not public, also if it was public before", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const url = `http://hooks.example.com:${receiver.port}/`
      for (const addresses of [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]]) {
        const answer = send(url).pipe(Effect.provideService(Resolver, resolving(...addresses)))
        assert.strictEqual(yield* answer, "address_not_public", addresses.join())
      }
      assert.strictEqual(yield* send(url).pipe(Effect.provideService(Resolver, resolving())), "ENOTFOUND")
      // Each connection asks once, and what was checked is what is connected to.
      let asked = 0
      const changing: Resolve = () => {
        asked++
        return resolving(asked === 1 ? "127.0.0.1" : "93.184.216.34")("")
      }
      assert.strictEqual(yield* send(url).pipe(Effect.provideService(Resolver, changing)), "address_not_public")
      assert.strictEqual(asked, 1)
      assert.strictEqual(receiver.connections, 0)
      const allowed = send(url, true).pipe(Effect.provideService(Resolver, resolving("127.0.0.1")))
      assert.strictEqual(yield* allowed, 204)
    }).pipe(Effect.scoped)
  )

  it.effect("is closed before anything is written if its own address is not public", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const code = yield* Effect.callback<string>((resume) => {
        const socket = net.connect(receiver.port, "127.0.0.1", () =>
          handOver(socket, false, (error) =>
            resume(Effect.succeed(error !== null && "code" in error ? String(error.code) : "open"))
          )
        )
      })
      assert.strictEqual(code, "address_not_public")
      assert.lengthOf(receiver.heard, 0)
    }).pipe(Effect.scoped)
  )

  /** Posts over the connections of one sender. */
  const posting = Effect.fnUntraced(function* (url: string) {
    const { post } = yield* Effect.flatMap(Sender.Senders, (senders) => senders(url, 1))
    return Effect.map(post({}, "{}"), ({ error, status }) => error ?? status)
  })
  const isPrivate = Effect.provideService(PrivateWebhooks, true)

  it.live("waits for a slow answer although it carried an event before, and sends the event once", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const post = yield* posting(receiver.url)
      assert.strictEqual(yield* post, 204)
      receiver.answering = (_, answer) => {
        void later(Bounds.idleSocketMs + 500).then(() => answer.writeHead(200).end())
        return "answered"
      }
      assert.strictEqual(yield* post, 200)
      assert.lengthOf(receiver.heard, 2)
      assert.strictEqual(receiver.connections, 1)
    }).pipe(isPrivate, Effect.scoped)
  )

  it.effect("that the receiver cuts is a failed attempt, also if it carried an event before", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const post = yield* posting(receiver.url)
      assert.strictEqual(yield* post, 204)
      receiver.answering = (_, __, request) => {
        request.socket.destroy()
        return "answered"
      }
      assert.strictEqual(yield* post, "ECONNRESET")
      assert.lengthOf(receiver.heard, 2)
    }).pipe(isPrivate, Effect.scoped)
  )
})
