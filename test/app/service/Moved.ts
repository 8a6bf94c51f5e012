/** The service in a process of its own on the test's database, with a clock that the test moves. */

import type { Scope } from "effect"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { demoProgram } from "../../../src/app/service/Settings.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Built from "../../Built.ts"
import { freePort } from "../../faults/Processes.ts"
import { urlOf } from "../cli/Lotbook.ts"

const root = path.join(import.meta.dirname, "..", "..", "..")

interface Answer {
  readonly status: number
  /** Of an answer in JSON. */
  readonly body: Record<string, unknown>
}

interface Answered extends Answer {
  readonly text: string
}

export interface Moved {
  readonly port: number
  /** Sets how far the clock is ahead of this machine's, ms. */
  readonly moveTo: (aheadMs: number) => Effect.Effect<void>
  readonly get: (address: string) => Effect.Effect<Answered>
  readonly post: (address: string, body: unknown, headers?: Readonly<Record<string, string>>) => Effect.Effect<Answer>
  readonly put: (address: string, body: unknown) => Effect.Effect<Answer>
  /** Asks until the answer has this status. */
  readonly until: (address: string, status: number) => Effect.Effect<Answer>
  /** Waits until the log has so many lines with this text: a line may come after the answer. */
  readonly untilLogged: (text: string, lines: number) => Effect.Effect<void>
  readonly log: () => string
  /** Stops it, and waits until it has ended. */
  readonly stop: Effect.Effect<void>
}

/** Starts it `aheadMs` ahead; it ends with the scope. */
export const start = Effect.fnUntraced(function* (
  aheadMs: number,
  flags: ReadonlyArray<string> = []
): Effect.fn.Return<Moved, never, Database | Scope.Scope> {
  const url = urlOf(yield* Database)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-moved-"))
  const file = path.join(folder, "ahead")
  fs.writeFileSync(file, String(aheadMs))
  const port = yield* Effect.promise(freePort)
  const child = spawn(
    process.execPath,
    [
      "--import",
      path.join(root, "test", "faults", "MovedClock.ts"),
      Built.main,
      ...["serve", "--port", String(port), "--programs", demoProgram, "--log-format", "json", ...flags]
    ],
    { env: { ...process.env, DATABASE_URL: url, MOVED_CLOCK: file }, stdio: ["ignore", "pipe", "pipe"] }
  )
  let log = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      log += String(chunk)
    })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = Effect.promise(() => {
    child.kill("SIGTERM")
    return ended
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      stop,
      Effect.sync(() => fs.rmSync(folder, { recursive: true }))
    )
  )
  const ask = (address: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Answered> => {
      const response = await fetch(`http://127.0.0.1:${port}${address}`, {
        ...init,
        headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json", ...init.headers }
      }).catch((error: unknown) => {
        if (child.exitCode !== null) throw new Error(`the service has ended:\n${log}`, { cause: error })
        return undefined
      })
      const text = (await response?.text()) ?? ""
      const isJson = response?.headers.get("content-type")?.includes("json") === true
      return { status: response?.status ?? 0, body: isJson ? JSON.parse(text) : {}, text }
    })
  const get = (address: string) => ask(address)
  return {
    port,
    moveTo: (ms) =>
      Effect.sync(() => {
        fs.writeFileSync(file, String(ms))
        child.kill("SIGUSR2")
      }),
    get,
    post: (address, body, headers = {}) => ask(address, { method: "POST", body: JSON.stringify(body), headers }),
    put: (address, body) => ask(address, { method: "PUT", body: JSON.stringify(body) }),
    until: (address, status) =>
      Effect.repeat(
        Effect.tap(get(address), () => Effect.sleep(20)),
        { until: (answer) => answer.status === status }
      ),
    untilLogged: (text, lines) => Effect.repeat(Effect.sleep(20), { until: () => log.split(text).length > lines }),
    log: () => log,
    stop
  }
})
