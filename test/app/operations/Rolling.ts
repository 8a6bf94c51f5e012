/**
 * A rolling upgrade under load: the callers go where a load balancer would send
 * them, and repeat a request with its key until it is done, as tills do.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { until } from "../../faults/Processes.ts"
import { Service } from "../../faults/Service.ts"

const callers = 4
/** Accruals of each caller before the stop, and after the takeover. */
const before = 30
const after = 30
/** Pause before a repetition, ms. */
const retryMs = 50
/** Visits of a till's order, in cents: the demo programme gives points for them. */
const amount = 1_000

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Answer that a caller met; `refused`: no service listened, so a load balancer asks the other one. */
export type Met = Answer | "refused"

export interface RollOptions {
  readonly folder: string
  readonly url: string
  /** The version that is replaced; absent: this one. */
  readonly formerMain?: string
  readonly flags?: ReadonlyArray<string>
}

export interface Rolled {
  readonly second: Service
  readonly formerExit: number | null
  /** Answers that were neither a success nor 503 with `Retry-After`. */
  readonly failures: ReadonlyArray<Met | string>
  /** Longest time without a success, ms. */
  readonly gapMs: number
  /** Successes of each member. */
  readonly done: ReadonlyMap<string, number>
}

/** Sends a request on a kept connection. */
export const send = (agent: http.Agent, port: number, route: string, body: object): Promise<Met> =>
  new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      host: "127.0.0.1",
      port,
      path: `/proto/v1/${route}`,
      method: "POST",
      headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" }
    })
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const retryAfter = response.headers["retry-after"]
        resolve({ status: response.statusCode ?? 0, retryAfter, body: Buffer.concat(chunks).toString("utf8") })
      })
    })
    request.on("error", (error: NodeJS.ErrnoException) => {
      // Node's own rule of when a load balancer may send a request elsewhere: the connection was never of use to it.
      if (error.code === "ECONNREFUSED" || (error.code === "ECONNRESET" && request.reusedSocket)) resolve("refused")
      else reject(error)
    })
    request.end(JSON.stringify(body))
  })

export const isSuccess = (met: Met): met is Answer => met !== "refused" && (met.status === 200 || met.status === 201)
export const isPermitted = (met: Met): boolean =>
  met === "refused" || (met.status === 503 && Number(met.retryAfter) >= 1)

const serviceFolder = (folder: string, name: string): string => {
  const own = path.join(folder, name)
  fs.mkdirSync(own)
  return own
}

/** Starts the former version, then this one as a second node, and stops the former under load. */
export const roll = async ({ flags = [], folder, formerMain, url }: RollOptions): Promise<Rolled> => {
  const common = ["--database-url", url]
  const first = await Service.start(
    serviceFolder(folder, "former"),
    common,
    formerMain === undefined ? {} : { main: formerMain }
  )
  const second = await Service.start(serviceFolder(folder, "next"), [...common, ...flags]).catch(async (error) => {
    await first.stop()
    throw error
  })
  for (const node of [first, second]) node.keepRunning()
  const agent = new http.Agent({ keepAlive: true, maxSockets: callers })
  const failures: Array<Met | string> = []
  const done = new Map<string, number>()
  let target = first
  let lastSuccess = Date.now()
  let gapMs = 0
  let stopped: Promise<number | null> | undefined
  let afterStop = 0

  const attempt = async (route: string, body: object): Promise<void> => {
    for (;;) {
      const met = await send(agent, target.port, route, body).catch((error: unknown) => String(error))
      if (typeof met !== "string" || met === "refused") {
        if (isSuccess(met)) {
          gapMs = Math.max(gapMs, Date.now() - lastSuccess)
          lastSuccess = Date.now()
          return
        }
        if (!isPermitted(met)) failures.push(met)
      } else failures.push(met)
      if (failures.length > 0) return
      // As a load balancer does. One that a busy machine kept from its beats has stopped, and is started again.
      if (stopped !== undefined) target = second
      else if (met === "refused") target = target === first ? second : first
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  const caller = async (member: string): Promise<void> => {
    const body = (more: object) => ({ context: { ...Testing.context() }, member_id: member, ...more })
    const identity = { type: "loyalty_id", value: member }
    await attempt("members/enroll", body({ program_id: "demo-foodservice", identity }))
    for (let count = 1; failures.length === 0; count++) {
      await attempt("accruals", body({ order: Testing.order(`${member}-${count}`, amount, Testing.placedNow) }))
      done.set(member, count)
      if (stopped !== undefined && target === second) afterStop++
      if (afterStop >= after * callers) return
    }
  }

  const load = Promise.all(Array.from({ length: callers }, (_, index) => caller(`guest-${index}`)))
  await until("the load is on", () =>
    failures.length > 0 || [...done.values()].filter((count) => count >= before).length === callers ? true : undefined
  )
  await first.ready()
  stopped = first.stop()
  await load
  const formerExit = await stopped
  agent.destroy()
  return { second, formerExit, failures, gapMs, done }
}
