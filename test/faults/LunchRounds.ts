/**
 * Three nodes are killed one after the other, while emulated tills of Toast play lunches at all of them, with lost answers,
 * repeats and disorder. No guest differs, no transaction stays begun, no reservation stays open. Holds contract/tills.md *Once only*.
 */
import { Effect, Exit } from "effect"
import * as http from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import * as Bounds from "../../src/capabilities/tills/connections/Bounds.ts"
import * as Emulator from "../../src/capabilities/tills/toast/emulator/Emulator.ts"
import type { NoAnswer, Send } from "../../src/capabilities/tills/toast/emulator/Till.ts"
import * as RandomOf from "../model/Random.ts"
import { until } from "./Processes.ts"
import { nodeFaults } from "./Verbs.ts"
import { openWorld, servicesOf, type World } from "./World.ts"

const program = "demo-foodservice"
const restaurant = "TOAST-FAULTS"
const token = "proto-dev-token"
const adminKey = "proto-dev-admin-key"
/** Restaurants that play at once, each one check after the other: eight, and more in a long run, up to so many. */
const mostTables = 128
const tablesFor = (checks: number): number => Math.min(mostTables, Math.max(8, Math.floor(checks / 25)))
/** Checks of a lunch at most; after each lunch its guests are compared. */
const lunchChecks = 20
/** A kill comes within so long after all nodes are back, ms. */
const momentMs = 2_000
/** Longest time until nothing is begun any more, ms: a round of the worker finds it after `abandonedMs`. */
const settledMs = 2 * (Bounds.abandonedMs + Bounds.roundMs)

export interface Outcome {
  readonly kills: number
  readonly checks: number
  readonly guests: number
  readonly rewards: number
  readonly requests: number
  readonly repeats: number
  readonly seconds: number
  readonly faults: ReadonlyArray<string>
}

interface Plan {
  /** All in all; fewer if the minutes are over. */
  readonly checks: number
  readonly minutes?: number | undefined
  readonly seed: number
  readonly told?: (kill: number) => void
}

/** A connection's address at one node, and its key. */
const connect = async ({ service: { port } }: World) => {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/api/v1/connections`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      vendor: "toast",
      program_id: program,
      name: "Lunches",
      restaurants: [{ external_id: restaurant, location_id: "location-42" }],
      settings: { time_zone: "UTC" }
    })
  })
  if (!answer.ok) throw new Error(`no connection: ${answer.status} ${await answer.text()}`)
  const made = (await answer.json()) as { readonly connection: { readonly path: string }; readonly secret: string }
  return { path: made.connection.path, key: made.secret }
}

const agent = new http.Agent({ keepAlive: true })

/** Sends over HTTP, with a third of the CPU of `fetch`, which the nodes need here. */
const overSockets: Send = ({ body, headers, url, waitMs }) =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        const text = JSON.stringify(body)
        const length = Buffer.byteLength(text)
        const all = { "content-type": "application/json", "content-length": length, ...headers }
        const request = http.request(url, { agent, method: "POST", headers: all }, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", () => resolve(undefined))
          response.on("end", () => {
            clearTimeout(late)
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
          })
        })
        const late = setTimeout(() => request.destroy(), waitMs)
        request.on("error", () => {
          clearTimeout(late)
          resolve(undefined)
        })
        request.end(text)
      })
  )

/** Sends each request to the next node, as a load balancer that knows nothing of their health. */
const toAny = (world: World): Send => {
  let place = 0
  return (post) => {
    const all = servicesOf(world)
    const { port } = all[place++ % all.length] ?? world.service
    const url = new URL(post.url)
    url.port = String(port)
    return overSockets({ ...post, url: url.href })
  }
}

/** Restaurants that play lunches at once, one after the other, until all checks have been played or the time is over. */
const lunchesAt = async (
  world: World,
  { key, path }: Awaited<ReturnType<typeof connect>>,
  { checks, minutes = Infinity, seed }: Plan
) => {
  const url = `http://127.0.0.1:${world.service.port}${path}`
  const send = toAny(world)
  const tables = tablesFor(checks)
  const each = Math.min(lunchChecks, Math.ceil(checks / tables))
  const endsAt = Date.now() + minutes * 60_000
  const reports: Array<Exit.Exit<Emulator.Report, NoAnswer>> = []
  let begun = 0
  const table = async () => {
    while (begun < checks && Date.now() < endsAt) {
      const part = Math.min(each, checks - begun)
      const own = { checks: part, seed: seed * 1_000_000 + begun }
      begun += part
      const lunch = Emulator.emulate({ url, key, restaurant, token, program, chaos: true, ...own }, send)
      reports.push(await Effect.runPromiseExit(lunch))
    }
  }
  await Promise.all(Array.from({ length: tables }, table))
  return reports
}

/** Transactions that have begun and not ended, and guests with points that a reservation holds. */
const openIn = async ({ postgres }: World): Promise<{ readonly begun: number; readonly held: number }> => {
  const [row] = await postgres.query(`SELECT
    (SELECT count(*) FROM connection_transactions WHERE state = 'begun') AS begun,
    (SELECT count(*) FROM (SELECT DISTINCT ON (account) balances FROM journal ORDER BY account, seq DESC) AS last
      WHERE EXISTS (SELECT FROM jsonb_array_elements(balances::jsonb) AS unit WHERE (unit ->> 2)::bigint <> 0)) AS held`)
  return { begun: Number(row?.["begun"]), held: Number(row?.["held"]) }
}

/** Plays so many checks, and kills nodes all the while. */
export const run = async (plan: Plan): Promise<Outcome> => {
  const { seed, told = () => undefined } = plan
  const random = RandomOf.make(seed, "lunches")
  const world = await openWorld.nodes()
  const startedAt = Date.now()
  let kills = 0
  try {
    let isOver = false
    // No node is killed before: this request has no repeats.
    const connection = await connect(world)
    const playing = lunchesAt(world, connection, plan).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await nodeFaults.kill(world, random.pick(servicesOf(world)), random, () => sleep(random.whole(0, momentMs)))
      told(++kills)
    }
    const reports = await playing
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const isSettled = async () => {
      const { begun, held } = await openIn(world)
      return begun + held === 0
    }
    await until("nothing is open", isSettled, settledMs).catch(() => undefined)
    const { begun, held } = await openIn(world)
    const played = reports.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
    const sum = (of: (report: Emulator.Report) => number) => played.reduce((total, one) => total + of(one), 0)
    return {
      kills,
      seconds,
      checks: sum((one) => one.checks),
      guests: sum((one) => one.guests),
      rewards: sum((one) => one.rewards),
      requests: sum((one) => one.requests),
      repeats: sum((one) => one.repeats),
      faults: [
        ...reports.flatMap((exit) => (Exit.isFailure(exit) ? [`ended: ${String(exit.cause)}`] : [])),
        ...played.flatMap(({ differences }) => differences),
        ...(begun > 0 ? [`stuck: ${begun} transactions have begun and do not end`] : []),
        ...(held > 0 ? [`stuck: ${held} guests have points that a reservation holds`] : []),
        ...servicesOf(world).flatMap((one) => one.errors)
      ]
    }
  } finally {
    await world.close()
  }
}
