/** contract/configuration.md *Secrets in files*: a connection takes the first password that PostgreSQL accepts. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as net from "node:net"
import { Credentials } from "../../../src/base/database/Credentials.ts"

const refusal = (): Buffer => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0")
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A server that refuses the sign-ins with these places, from 0, and answers nothing to the others. */
const refusing = (...places: ReadonlyArray<number>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets: Array<net.Socket> = []
      const server = net.createServer((socket) => {
        const place = sockets.push(socket) - 1
        socket.on("error", () => undefined)
        socket.once("data", () => {
          if (places.includes(place)) socket.end(refusal())
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { port: (server.address() as net.AddressInfo).port, server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )

const credentialsOf = (port: number) =>
  new Credentials(
    { host: "127.0.0.1", port, database: "d", username: "u" },
    ["one", "two"].map((password) => Redacted.make(`postgres://u:${password}@127.0.0.1:${port}/d`))
  )

it.live("a sign-in without an answer is no acceptance: the next connection begins with the same password", () =>
  Effect.gen(function* () {
    const { port } = yield* refusing(0)
    const credentials = credentialsOf(port)
    assert.strictEqual(Redacted.value(yield* credentials.password), "two")
    assert.strictEqual(Redacted.value(yield* credentials.password), "one")
  }).pipe(Effect.scoped)
)

it.live("connections that are opened at the same time share a trial of the passwords", () =>
  Effect.gen(function* () {
    const { port, sockets } = yield* refusing(0, 1)
    const credentials = credentialsOf(port)
    const found = yield* Effect.all(
      Array.from({ length: 20 }, () => credentials.password),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(sockets, 2)
    assert.deepStrictEqual([...new Set(found.map(Redacted.value))], ["one"])
  }).pipe(Effect.scoped)
)
