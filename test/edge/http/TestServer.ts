/** The real server on a port of its own, with handlers that a test decides. */

import type { Cause } from "effect"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { hash } from "node:crypto"
import * as http from "node:http"
import * as net from "node:net"
import { published } from "../../../src/app/service/Published.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import { SandboxFaults } from "../../../src/capabilities/operators/Faults.ts"
import { RecentRequests } from "../../../src/capabilities/operators/RecentRequests.ts"
import type { OperationId } from "../../../src/contract/protocol/Operations.ts"
import { operationIds } from "../../../src/contract/protocol/Operations.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import type { Role } from "../../../src/core/cluster/Node.ts"
import { Node } from "../../../src/core/cluster/Node.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Caller, Handled } from "../../../src/core/protocol/Handler.ts"
import { Handlers } from "../../../src/core/protocol/Handler.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import { Keys } from "../../../src/desk/access/Keys.ts"
import { Sessions } from "../../../src/desk/access/Sessions.ts"
import { Backend } from "../../../src/edge/http/Backend.ts"
import * as Server from "../../../src/edge/http/Server.ts"
import * as Absent from "../../desk/surface/Absent.ts"
import * as Model from "../../reads/rollups/Model.ts"

export const token = "test-token"
export const adminKey = "test-admin-key"
export const readToken = "read-only"
export const strangerToken = "other-programme"

const tokens: ReadonlyArray<TokenGrant> = [
  { token_sha256: hash("sha256", readToken), scopes: ["protocol:read"] },
  {
    token_sha256: hash("sha256", strangerToken).toUpperCase(),
    scopes: ["protocol:read", "protocol:write"],
    programs: ["other"]
  }
]

type Handle = (id: OperationId, request: unknown, caller: Caller) => Effect.Effect<Handled>

export const answer = (body: object = {}, created = false): Handled => ({
  _tag: "Answer",
  created,
  processedAt: 0,
  body
})

interface LogLine {
  readonly message: unknown
  readonly cause: Cause.Cause<unknown>
}

export interface TestServer {
  readonly port: number
  readonly logs: Array<LogLine>
  handle: Handle
  /** The journal's answer when it is asked whether it is there. */
  ping: Journal["Service"]["ping"]
  /** Its status at its database, and whether that is confirmed. */
  standing: { readonly role: Role; readonly isCurrent: boolean; readonly isAwaitingStorage?: boolean }
  readonly freeze: WriteFreeze["Service"]
  readonly stop: () => Promise<void>
}

export interface StartOptions extends Pick<Server.ServerOptions, "trustedProxies" | "bounds" | "corsOrigins"> {
  readonly rateLimit?: number
  readonly frozen?: boolean
  /** Requests may meet faults. */
  readonly isSandbox?: boolean
}

export const start = async (options: StartOptions = {}): Promise<TestServer> => {
  const logs: Array<LogLine> = []
  const state: Pick<TestServer, "handle" | "ping" | "standing"> = {
    handle: () => Effect.succeed(answer()),
    ping: Effect.void,
    standing: { role: "node", isCurrent: true }
  }
  const journal = Layer.effect(
    Journal,
    Effect.map(Journal, (memory) => Journal.of({ ...memory, ping: Effect.suspend(() => state.ping) }))
  ).pipe(Layer.provide(MemoryJournal.layer), Layer.provide(MemoryJournal.MemoryStorage.layer))
  const handlers = Object.fromEntries(
    operationIds.map((id) => [id, (request: unknown, caller: Caller) => state.handle(id, request, caller)])
  ) as Handlers["Service"]
  const active = Layer.succeed(Node, {
    environment: "live",
    isAwaitingStorage: () => state.standing.isAwaitingStorage === true,
    clockFault: () => undefined,
    clockAheadMs: () => 0,
    role: () => state.standing.role,
    isCurrent: () => state.standing.isCurrent,
    isAdmitting: () => state.standing.isCurrent,
    placement: () => ({ partitions: 256, nodes: 1, isComplete: true, unreachable: [] })
  })
  const layer = Server.layer({
    host: "127.0.0.1",
    port: 0,
    published,
    trustedProxies: options.trustedProxies,
    bounds: options.bounds,
    corsOrigins: options.corsOrigins
  }).pipe(
    Layer.provide(Backend.layer),
    Layer.provide(options.isSandbox === true ? SandboxFaults.layer : Layer.empty),
    Layer.provide(CampaignRuns.layer),
    Layer.provide([RecentRequests.layer, Sessions.layer, Absent.layer, Absent.events, Absent.finance]),
    Layer.provide(
      Keys.layer({
        token: Redacted.make(token),
        tokens,
        adminKey: Redacted.make(adminKey),
        rateLimit: options.rateLimit
      })
    ),
    Layer.provide(active),
    Layer.provideMerge(WriteFreeze.layer(options.frozen === true)),
    Layer.provide(Layer.succeed(Handlers, handlers)),
    Layer.provide(Accounts.layer()),
    Layer.provide(Model.layer),
    Layer.provide(Programs.layerFrom([Testing.demoProgram])),
    Layer.provide(journal),
    Layer.provideMerge(Logger.layer([Logger.make(({ cause, message }) => void logs.push({ cause, message }))]))
  )
  const runtime = ManagedRuntime.make(layer)
  const { address } = await runtime.runPromise(HttpServer.HttpServer)
  if (!("port" in address)) throw new Error("the server listens on a port")
  return {
    port: address.port,
    logs,
    freeze: await runtime.runPromise(WriteFreeze),
    set handle(handle: Handle) {
      state.handle = handle
    },
    set ping(ping: TestServer["ping"]) {
      state.ping = ping
    },
    set standing(standing: TestServer["standing"]) {
      state.standing = standing
    },
    stop: () => runtime.dispose()
  }
}

export interface Response {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Everything that a connection sent, taken apart into answers; where more is to come, without a head that is cut off. */
export const parse = (text: string, isPartial = false): ReadonlyArray<Response> => {
  const responses: Array<Response> = []
  let rest = text
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0 && isPartial) return responses
    if (end < 0) throw new Error(`no end of headers in ${JSON.stringify(rest.slice(0, 200))}`)
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
    )
    const status = Number(first.split(" ")[1])
    const length = status === 100 ? 0 : Number(headers["content-length"] ?? 0)
    responses.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

/** Writes bytes to a connection of its own, and gives all that comes until the server ends it. */
export const raw = (
  port: number,
  bytes: string | Buffer,
  options: { readonly halfClose?: boolean; readonly host?: string } = {}
): Promise<ReadonlyArray<Response>> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.write(bytes)
      if (options.halfClose === true) socket.end()
    })
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", reject)
    socket.on("end", () => {
      socket.end()
      resolve(parse(Buffer.concat(chunks).toString("latin1")))
    })
  })

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Buffer
  /** Service whose connections it uses; absent, it has one of its own. */
  readonly agent?: http.Agent
}

/** One request by Node's client. */
export const ask = (port: number, { agent, body, headers, method = "GET", path }: Asked): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: "127.0.0.1", method, path, headers: { ...headers }, agent: agent ?? false },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
            body: Buffer.concat(chunks).toString("utf8")
          })
        )
      }
    )
    request.on("error", reject)
    request.end(body)
  })

export const bearer = (of: string) => ({ authorization: `Bearer ${of}` })
export const json = { "content-type": "application/json" }

/** An accrual's body, in the demo programme. */
export const accrual = () => ({
  context: Testing.context(),
  member_id: "member-1",
  order: Testing.order("order-1", 1000, Testing.placedNow)
})
