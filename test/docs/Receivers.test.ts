/** The receivers of the guide *Receiving events* take what is signed, once, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import * as net from "node:net"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Sender from "../../src/capabilities/webhooks/Sender.ts"
import * as Signature from "../../src/capabilities/webhooks/Signature.ts"
import { headersOf } from "../../src/capabilities/webhooks/Signature.ts"
import { PrivateWebhooks } from "../../src/capabilities/webhooks/WebhookUrl.ts"
import { freePort } from "../faults/Processes.ts"
import * as GuidePrograms from "./GuidePrograms.ts"

const event = (id: string) =>
  JSON.stringify({ specversion: "1.0", id, type: "proto.member.enrolled.v1", subject: "ada", sequence: "1", data: {} })

/** A connection that says nothing; undefined if nobody listens yet. */
const connect = (port: number) =>
  Effect.callback<net.Socket | undefined>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", () => resume(Effect.succeed(undefined)))
  })

/** Whether a connection holds or awaits the right to write. */
const isWriting = (file: string): boolean => {
  const database = new DatabaseSync(file)
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK")
    return false
  } catch {
    return true
  } finally {
    database.close()
  }
}

for (const language of [...GuidePrograms.languages, GuidePrograms.client]) {
  it.live.skipIf(!language.isThere)(`the receiver in ${language.language} takes each signed event once`, () =>
    Effect.gen(function* () {
      const cwd = yield* GuidePrograms.folder
      const secret = Signature.newSecret()
      const port = yield* Effect.promise(freePort)
      yield* GuidePrograms.start("receiver", language, cwd, { LOTBOOK_SECRET: secret, PORT: String(port) })
      // The service keeps connections open: an idle one must not keep others from being answered.
      yield* Effect.acquireRelease(
        Effect.repeat(connect(port), {
          until: (socket) => socket !== undefined,
          schedule: Schedule.spaced("20 millis")
        }),
        (socket) => Effect.sync(() => socket?.destroy())
      )
      const send = (id: string, secrets: ReadonlyArray<string>, ageMs = 0) => {
        const body = event(id)
        const headers = headersOf(secrets, { id, now: Date.now() - ageMs, body })
        return Effect.map(Sender.once(`http://127.0.0.1:${port}/`, headers, body), ({ status }) => status)
      }
      const first = yield* Effect.repeat(send("e1", [secret]), {
        until: (status) => status !== undefined,
        schedule: Schedule.spaced("20 millis")
      })
      assert.strictEqual(first, 204)
      assert.strictEqual(yield* send("e1", [secret]), 204)
      assert.strictEqual(yield* send("e2", [Signature.newSecret(), secret]), 204)
      assert.strictEqual(yield* send("e3", [Signature.newSecret()]), 401)
      assert.strictEqual(yield* send("e4", []), 401)
      assert.strictEqual(yield* send("e5", [secret], 600_000), 401)
      // Somebody reads the table while an event comes: the event waits until the reader is done.
      const file = path.join(cwd, GuidePrograms.databases.receiver)
      const analyst = new DatabaseSync(file)
      analyst.exec("BEGIN; SELECT count(*) FROM events")
      const sent = yield* Effect.forkChild(send("e6", [secret]))
      yield* Effect.repeat(
        Effect.sync(() => isWriting(file) || sent.pollUnsafe() !== undefined),
        { until: (isOver) => isOver, schedule: Schedule.spaced("20 millis") }
      )
      analyst.close()
      assert.strictEqual(yield* Fiber.join(sent), 204)
      const ids = GuidePrograms.query("receiver", cwd, "SELECT id FROM events ORDER BY rowid").map(({ id }) => id)
      assert.deepStrictEqual(ids, ["e1", "e2", "e6"])
    }).pipe(Effect.scoped, Effect.provideService(PrivateWebhooks, true))
  )
}

it.effect("the guide's test of a receiver passes", () =>
  Effect.gen(function* () {
    const { output, status } = GuidePrograms.runTest(yield* GuidePrograms.folder)
    assert.strictEqual(status, 0, output)
    assert.match(output, /pass 1\b/)
  }).pipe(Effect.scoped)
)
