/**
 * Guests who all look at their page at the same instant, beside tills at half of the saturation:
 *
 *     node test/bench/guests.ts [--guests 2000] [--rounds 5] [--seconds 10] [--connections 64]
 *
 * Each guest reads `/me`, then `/history`, and comes again after `Retry-After` where the service is busy. Rounds without and
 * with guests take turns. Prints of each pair the tills' p99, their share, and how long the guests took; at the end the medians.
 * The tills' p99 beside guests may be 1.2 of that without.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Fiber } from "effect"
import * as http from "node:http"
import { parseArgs } from "node:util"
import { programId } from "./Bodies.ts"
import * as Processes from "./Processes.ts"
import { digits, spread } from "./Spread.ts"
import * as Turns from "./Turns.ts"

const { values } = parseArgs({
  options: {
    guests: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string" }
  }
})
const count = Number(values.guests ?? 2_000)
const rounds = Number(values.rounds ?? 5)
const seconds = Number(values.seconds ?? 10)
const connections = Number(values.connections ?? 64)

/** Orders of each guest, so that a page of the history has as many. */
const ordersEach = 10
/** Guests who sign in at once. */
const signingIn = 8
/** How long the tills run before the guests look, ms. */
const beforeMs = 1_500

const base = `/my/api/v1/${programId}`
/** Guests of one address: fewer than the connections that it may have. */
const perAddress = 500
/** A guest's telephone has a connection of its own. */
const agents = Array.from({ length: Math.ceil(count / perAddress) }, (_, place) => {
  return new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, localAddress: `127.0.1.${place + 1}` })
})
const agentOf = (guest: number) => agents[guest % agents.length]!

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

interface Asked {
  /** The place of the guest who asks. */
  readonly guest: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

const send = (port: number, asked: Asked): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const { body, guest, headers = {}, method = "GET", path } = asked
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const type = sent === undefined ? {} : { "content-type": "application/json" }
    const request = http.request(
      { agent: agentOf(guest), host: "127.0.0.1", port, method, path, headers: { ...type, ...headers } },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text }))
        )
      }
    )
    // The service may close a connection that has rested while it is used again: the request has not begun.
    request.on("error", (error) => resume(request.reusedSocket ? send(port, asked) : Effect.die(error)))
    request.end(sent)
  })

/** Signs a member in by a link. Returns the cookie. */
const signIn = Effect.fnUntraced(function* (port: number, member_id: string, guest: number) {
  const made = yield* send(port, {
    guest,
    method: "POST",
    path: "/platform/v1/members/sign-in-link",
    headers: { authorization: `Bearer ${Processes.token}` },
    body: { program_id: programId, member_id }
  })
  if (made.status !== 201) throw new Error(`no link: ${made.status} ${made.text}`)
  const token = (JSON.parse(made.text) as { readonly sign_in_url: string }).sign_in_url.split("#link=")[1]
  const opened = yield* send(port, { guest, method: "POST", path: `${base}/sign-in/link`, body: { token } })
  const cookie = opened.headers["set-cookie"]?.[0]?.split(";")[0]
  if (cookie === undefined) throw new Error(`no session: ${opened.status} ${opened.text}`)
  return cookie
})

/** Reads a route, and comes again where the service is busy. Returns how often it was. */
const read = Effect.fnUntraced(function* (port: number, guest: number, cookie: string, path: string) {
  for (let busy = 0; ; busy++) {
    const { headers, status, text } = yield* send(port, { guest, path: `${base}${path}`, headers: { cookie } })
    if (status === 200) return busy
    if (status !== 503) throw new Error(`${path}: ${status} ${text}`)
    yield* Effect.sleep(Number(headers["retry-after"] ?? 1) * 1_000)
  }
})

/** All guests look at once. Returns how long it took until the last had both answers, ms, and how many were busy. */
const look = Effect.fnUntraced(function* (port: number, cookies: ReadonlyArray<string>) {
  const began = performance.now()
  const busy = yield* Effect.forEach(
    cookies,
    (cookie, guest) =>
      Effect.gen(function* () {
        return (yield* read(port, guest, cookie, "/me")) + (yield* read(port, guest, cookie, "/history"))
      }),
    { concurrency: "unbounded" }
  )
  return { tookMs: performance.now() - began, busy: busy.reduce((sum, one) => sum + one, 0) }
})

const program = Effect.gen(function* () {
  const { folder } = yield* Turns.temporaryFolder
  const load = yield* Processes.load()
  const server = yield* Processes.service(Processes.thisCheckout, { DATA_DIR: folder })
  const side: Turns.Side = { name: "service", load, server, members: Turns.members(count) }
  yield* Turns.enrol(side)
  const accruals = { type: "accruals", members: side.members } as const
  yield* Turns.carryOut(side, { ...accruals, each: ordersEach })
  const names = Array.from({ length: count }, (_, index) => `m-${index + 1}`)
  const cookies = yield* Effect.forEach(names, (name, guest) => signIn(server.port, name, guest), {
    concurrency: signingIn
  })
  const options = { connections, seconds }
  for (let warm = 0; warm < Turns.warmRounds; warm++) {
    yield* Turns.saturated(side, accruals, options)
    yield* look(server.port, cookies)
  }
  const before = Processes.cpuSeconds(server.pid)
  const { busy, tookMs } = yield* look(server.port, cookies)
  const cpuMs = ((Processes.cpuSeconds(server.pid) - before) * 1_000) / (2 * count)
  yield* Console.log(
    `guests alone: the last had both answers after ${digits(tookMs / 1_000)} s, ${busy} were 503; ` +
      `CPU of the service ${digits(cpuMs)} ms an answer`
  )
  const peak = (yield* Turns.saturated(side, accruals, options)).rate
  yield* Console.log(`saturation ${digits(peak)} accruals a second; ${count} guests`)
  const pairs: Array<{ readonly alone: number; readonly beside: number }> = []
  for (let round = 0; round < rounds; round++) {
    const alone = yield* Turns.offered(side, accruals, peak / 2, options)
    const beside = yield* Effect.forkChild(Turns.offered(side, accruals, peak / 2, options))
    yield* Effect.sleep(beforeMs)
    const looked = yield* look(server.port, cookies)
    const together = yield* Fiber.join(beside)
    pairs.push({ alone: alone.p99, beside: together.p99 })
    yield* Console.log(
      `p99 ${digits(alone.p99)} ms alone, ${digits(together.p99)} ms beside guests: ${digits(together.p99 / alone.p99)}; ` +
        `the last guest had both answers after ${digits(looked.tookMs / 1_000)} s, ${looked.busy} were 503`
    )
  }
  const shown = (figures: ReadonlyArray<number>) => {
    const { max = 0, median = 0, min = 0 } = spread(figures) ?? {}
    return `${digits(median)} (${digits(min)} to ${digits(max)})`
  }
  yield* Console.log(
    `medians of ${rounds} turns each: p99 ${shown(pairs.map(({ alone }) => alone))} ms alone, ` +
      `${shown(pairs.map(({ beside }) => beside))} ms beside guests; ` +
      `share ${shown(pairs.map(({ alone, beside }) => beside / alone))}, which may be 1.2`
  )
  for (const agent of agents) agent.destroy()
})

program.pipe(Effect.scoped, NodeRuntime.runMain)
