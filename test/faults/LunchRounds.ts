/**
 * Three nodes are killed one after the other, while emulated tills of Toast play lunches at all of them, with lost answers,
 * repeats and disorder. No guest differs, no transaction stays begun, no reservation stays open. Holds contract/tills.md *Once only*.
 */
import { Effect, Exit } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Bounds from "../../src/capabilities/tills/connections/Bounds.ts"
import * as Emulator from "../../src/capabilities/tills/toast/emulator/Emulator.ts"
import { overHttp, type Send } from "../../src/capabilities/tills/toast/emulator/Till.ts"
import * as RandomOf from "../model/Random.ts"
import { until } from "./Processes.ts"
import { nodeFaults } from "./Verbs.ts"
import { openWorld, servicesOf, type World } from "./World.ts"

const program = "demo-foodservice"
const restaurant = "TOAST-FAULTS"
const token = "proto-dev-token"
const adminKey = "proto-dev-admin-key"
/** Restaurants that play at once. */
const tables = 8
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
  /** All in all. */
  readonly checks: number
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

/** Sends each request to the next node, as a load balancer that knows nothing of their health. */
const toAny = (world: World): Send => {
  let place = 0
  return (post) => {
    const all = servicesOf(world)
    const { port } = all[place++ % all.length] ?? world.service
    const url = new URL(post.url)
    url.port = String(port)
    return overHttp({ ...post, url: url.href })
  }
}

const lunchesAt = async (world: World, { checks, seed }: Plan) => {
  const { key, path } = await connect(world)
  const url = `http://127.0.0.1:${world.service.port}${path}`
  const send = toAny(world)
  const lunch = (table: number) =>
    Emulator.emulate(
      {
        url,
        key,
        restaurant,
        token,
        program,
        checks: Math.ceil(checks / tables),
        seed: seed * tables + table,
        chaos: true
      },
      send
    )
  return Promise.all(Array.from({ length: tables }, (_, table) => Effect.runPromiseExit(lunch(table))))
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
    const playing = lunchesAt(world, plan).finally(() => {
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
