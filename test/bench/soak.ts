/**
 * A soak: one service under a steady load of orders, each refunded in full a
 * moment later, and its memory once a minute. Without the refunds open lots, which
 * are kept in memory, would grow without end. Flat memory is a slope near nothing
 * after the first quarter.
 *
 *     node test/bench/soak.ts [minutes] [requests a second]
 *
 * An hour at half of what `npm run bench` shows is the proof; five minutes show
 * that it runs.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import * as http from "node:http"
import * as Testing from "../../src/app/testing/Testing.ts"
import { programId } from "./Bodies.ts"
import * as Postgres from "./Postgres.ts"
import * as Processes from "./Processes.ts"
import * as Turns from "./Turns.ts"

const minutes = Number(process.argv[2] ?? 60)
const perSecond = Number(process.argv[3] ?? 1_000)
if (!(minutes >= 1 && perSecond >= 1)) throw new Error("usage: node test/bench/soak.ts [minutes] [requests a second]")

const members = 1_000
/** Between two groups of requests, ms. */
const tickMs = 20
/** Between two looks at the memory, s; the least of a minute counts, as garbage comes and goes. */
const sampleSeconds = 5
/** Requests waiting for an answer at the most: past it the service is not at half load. */
const maxWaiting = 2_000

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
const headers = { authorization: `Bearer ${Processes.token}`, "content-type": "application/json" }

const post = (port: number, route: string, body: object) =>
  new Promise<number>((resolve) => {
    const context = { ...Testing.context(), idempotency_key: crypto.randomUUID() }
    const request = http.request({ agent, port, path: `/proto/v1/${route}`, method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0))
    })
    request.on("error", () => resolve(0))
    request.end(JSON.stringify({ context, ...body }))
  })

interface Memory {
  readonly heapMb: number
  readonly rssMb: number
}

const memoryOf = async (port: number): Promise<Memory> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  const text = await response.text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]) / 1_048_576
  return { heapMb: value("lotbook_process_heap_bytes"), rssMb: value("lotbook_process_resident_memory_bytes") }
}

/** Least-squares slope a minute of values that are a minute apart. */
const slope = (values: ReadonlyArray<number>): number => {
  const mean = (values.length - 1) / 2
  const sum = values.reduce((all, value) => all + value, 0) / values.length
  const over = values.reduce((all, value, index) => all + (index - mean) * (value - sum), 0)
  return over / values.reduce((all, _, index) => all + (index - mean) ** 2, 0)
}

const enrol = async (port: number) => {
  for (let from = 0; from < members; from += 50) {
    const some = Array.from({ length: 50 }, (_, index) => `soak-${from + index}`)
    const enrolments = some.map((member_id) =>
      post(port, "members/enroll", {
        program_id: programId,
        member_id,
        identity: { type: "loyalty_id", value: member_id }
      })
    )
    await Promise.all(enrolments)
  }
}

const soak = async (port: number) => {
  await enrol(port)
  const statuses = new Map<number, number>()
  let waiting = 0
  let sent = 0
  const accrue = async () => {
    waiting += 2
    const member_id = `soak-${++sent % members}`
    const order = Testing.order(`soak-${process.pid}-${sent}`, 1_000, Testing.placedNow)
    const delta = { amount: -1_000, currency: "USD" }
    const accrued = await post(port, "accruals", { member_id, order })
    const refunded = await post(port, "orders/adjust", {
      member_id,
      program_id: programId,
      adjustment: {
        adjustment_id: `refund-${order.order_id}`,
        original_order_id: order.order_id,
        type: "full_refund",
        reason: "Soak",
        occurred_at: Testing.context().occurred_at,
        order_total_delta: delta,
        eligible_spend_delta: delta
      }
    })
    for (const status of [accrued, refunded]) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    waiting -= 2
  }
  let due = 0
  let missed = 0
  const timer = setInterval(() => {
    for (due += (perSecond * tickMs) / 1_000; due >= 2; due -= 2) {
      if (waiting < maxWaiting) void accrue()
      else missed += 2
    }
  }, tickMs)
  const rows: Array<Memory> = []
  for (let minute = 1; minute <= minutes; minute++) {
    const samples: Array<Memory> = []
    for (let second = 0; second < 60; second += sampleSeconds) {
      await new Promise((resolve) => setTimeout(resolve, sampleSeconds * 1_000))
      samples.push(await memoryOf(port))
    }
    const heapMb = Math.min(...samples.map((sample) => sample.heapMb))
    const rssMb = Math.min(...samples.map((sample) => sample.rssMb))
    rows.push({ heapMb, rssMb })
    const answers = [...statuses].map(([status, count]) => `${status}: ${count}`).join(", ")
    process.stdout.write(
      `minute ${minute}: heap ${heapMb.toFixed(1)} MB, rss ${rssMb.toFixed(1)} MB, ${answers}, not sent ${missed}\n`
    )
  }
  clearInterval(timer)
  agent.destroy()
  const settled = rows.slice(Math.floor(rows.length / 4))
  const heapSlope = slope(settled.map(({ heapMb }) => heapMb))
  const rssSlope = slope(settled.map(({ rssMb }) => rssMb))
  process.stdout.write(
    `after the first quarter: heap ${heapSlope.toFixed(2)} MB a minute, rss ${rssSlope.toFixed(2)} MB a minute\n`
  )
}

NodeRuntime.runMain(
  Effect.scoped(
    Effect.gen(function* () {
      const { folder } = yield* Turns.temporaryFolder
      const { url } = yield* Postgres.make(folder)
      const { port } = yield* Processes.service(Processes.thisCheckout, { DATABASE_URL: url })
      yield* Effect.promise(() => soak(port))
    })
  )
)
