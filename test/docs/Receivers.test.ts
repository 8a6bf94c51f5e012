/** The receivers of the guide *Receiving events* take what is signed, once, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { headersOf } from "../../src/connectors/Signature.ts"
import * as Signature from "../../src/connectors/Signature.ts"
import { PrivateWebhooks } from "../../src/connectors/WebhookUrl.ts"
import * as Sender from "../../src/webhooks/Sender.ts"
import { freePort } from "../faults/Processes.ts"
import * as Folders from "../Folders.ts"

const guide = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "src", "docs", "receiving-events.md"), "utf8")

const languages = [
  { language: "ts", command: process.execPath, file: "receiver.ts" },
  { language: "python", command: "python3", file: "receiver.py" }
]

const event = (id: string) =>
  JSON.stringify({ specversion: "1.0", id, type: "proto.member.enrolled.v1", subject: "ada", sequence: "1", data: {} })

/** A connection that says nothing; undefined if nobody listens yet. */
const connect = (port: number) =>
  Effect.callback<net.Socket | undefined>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", () => resume(Effect.succeed(undefined)))
  })

for (const { command, file, language } of languages) {
  const [, code = ""] = new RegExp(`^\`\`\`${language} receiver\\n(.*?)^\`\`\`$`, "ms").exec(guide) ?? []
  const isThere = spawnSync(command, ["--version"]).status === 0

  it.live.skipIf(!isThere)(`the receiver in ${language} takes each signed event once`, () =>
    Effect.gen(function* () {
      const cwd = Folders.make("receivers-")
      fs.writeFileSync(path.join(cwd, file), code)
      const secret = Signature.newSecret()
      const port = yield* Effect.promise(freePort)
      const env = { ...process.env, LOTBOOK_SECRET: secret, PORT: String(port) }
      yield* Effect.acquireRelease(
        Effect.sync(() => spawn(command, [file], { cwd, env, stdio: "ignore" })),
        (child) =>
          Effect.callback<void>((resume) => {
            child.once("close", () => resume(Effect.void))
            child.kill("SIGKILL")
          })
      )
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
      const received = new DatabaseSync(path.join(cwd, "received.db"))
      const ids = received.prepare("SELECT id FROM events ORDER BY rowid").all()
      received.close()
      assert.deepStrictEqual(
        ids.map((row) => row["id"]),
        ["e1", "e2"]
      )
      fs.rmSync(cwd, { recursive: true })
    }).pipe(Effect.scoped, Effect.provideService(PrivateWebhooks, true))
  )
}
