/** A service that is walked: a process of its own, from the sources of a checkout, with what `inspected.ts` tells of it. */
import { type ChildProcess, fork } from "node:child_process"
import { hash } from "node:crypto"
import * as path from "node:path"
import { setTimeout as timer } from "node:timers"
import { setTimeout } from "node:timers/promises"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import type { FunctionAt, ToInspected } from "./Messages.ts"

const token = "walk-token-of-lotbook"
const grant = {
  token_sha256: hash("sha256", token),
  name: "walk",
  scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write"]
}
const adminKey = "walk-admin-key-of-lotbook"
/** Longest wait for the service to listen, ms. */
const startMs = 180_000
/** Pause before a request is sent again, ms. */
const againMs = 200
/** The end of its output, for an error, characters. */
const keptOutput = 4_000

interface Sending {
  readonly post: (path: string, body: object) => Promise<void>
  readonly put: (path: string, body: object) => Promise<void>
}

export interface Served extends Sending {
  /** With a session's cookie. */
  readonly signedIn: () => Promise<Sending>
  /** Nodes that it sees, once it owns partitions; else 0. */
  readonly nodes: () => Promise<number>
  /** The functions that run while something is done, in the order of their first calls. */
  readonly during: (done: () => Promise<void>) => Promise<ReadonlyArray<FunctionAt>>
  readonly stop: () => Promise<void>
}

const listening = (child: ChildProcess, output: () => string): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(late)
      child.kill()
      reject(new Error(`the service ${why}:\n${output()}`))
    }
    const late = timer(() => fail(`did not listen within ${startMs} ms`), startMs)
    child.once("exit", () => fail("ended"))
    child.stdout?.on("data", () => {
      const port = /Listening on http:\/\/[^:\s]+:(\d+)/.exec(output())?.[1]
      if (port === undefined) return
      clearTimeout(late)
      resolve(Number(port))
    })
  })

/** A service that does not answer for a moment, such as while it is asked what has run, is sent the request again. */
const sending = (port: number, headersOf: (path: string) => Readonly<Record<string, string>>): Sending => {
  const sent =
    (method: string) =>
    async (path: string, body: object): Promise<void> => {
      const headers = { "content-type": "application/json", ...headersOf(path) }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) })
      const text = await response.text()
      if (response.status === 503) return setTimeout(againMs).then(() => sent(method)(path, body))
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`)
    }
  return { post: sent("POST"), put: sent("PUT") }
}

/** Starts the service of a checkout on a database. */
export const start = async (checkout: string, url: string, programs: string): Promise<Served> => {
  const { HOME, PATH } = process.env
  const child = fork(path.join(checkout, "src", "main.ts"), ["serve", "--port", "0"], {
    cwd: checkout,
    execArgv: ["--disable-warning=ExperimentalWarning", "--import", path.join(import.meta.dirname, "inspected.ts")],
    env: {
      HOME,
      PATH,
      DATABASE_URL: url,
      PROGRAMS: programs,
      [environmentName("TOKENS")]: JSON.stringify([grant]),
      [environmentName("ADMIN_KEY")]: adminKey,
      [environmentName("SEED_DEMO")]: "false",
      [environmentName("WEBHOOK_PRIVATE")]: "true",
      LOG_FORMAT: "json"
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  let output = ""
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput)
  }
  child.stdout?.on("data", keep)
  child.stderr?.on("data", keep)
  const port = await listening(child, () => output)

  const taken = (): Promise<ReadonlyArray<FunctionAt>> =>
    new Promise((resolve) => {
      child.once("message", (functions) => resolve(functions as ReadonlyArray<FunctionAt>))
      child.send("taken" satisfies ToInspected)
    })
  return {
    ...sending(port, (path) => ({
      authorization: `Bearer ${path.startsWith("/admin/") ? adminKey : token}`
    })),
    signedIn: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/admin/api/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key: adminKey })
      })
      const { csrf_token } = (await response.json()) as { readonly csrf_token: string }
      const cookie = response.headers
        .getSetCookie()
        .map((one) => one.split(";")[0] ?? "")
        .join("; ")
      return sending(port, () => ({ cookie, "x-csrf-token": csrf_token }))
    },
    nodes: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
      const { nodes = 0, partitions = 0 } = (await response.json()) as {
        readonly nodes?: number
        readonly partitions?: number
      }
      return partitions > 0 ? nodes : 0
    },
    during: async (done) => {
      await taken()
      await done()
      return taken()
    },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve())
        child.kill("SIGTERM")
      })
  }
}
