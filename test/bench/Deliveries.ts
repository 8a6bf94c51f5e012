/** Accruals while a connector gets every event: what it costs them, and how many events arrive meanwhile. */
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { Connector } from "../../src/contract/platform/Connectors.ts"
import type { Options } from "./Options.ts"
import * as Processes from "./Processes.ts"
import * as Turns from "./Turns.ts"

const connector_id = "bench"
/** Longest wait until all that happened in a turn is delivered, ms. */
const drainMs = 120_000

const ask = async ({ port }: Processes.Server, method: string, path: string, body?: object): Promise<object> => {
  const answer = await fetch(`http://127.0.0.1:${port}/platform/v1/connectors${path}`, {
    method,
    headers: { authorization: `Bearer ${Processes.token}`, "content-type": "application/json" },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as object
}

const taken = async ({ port }: Processes.Server): Promise<number> =>
  Number(await (await fetch(`http://127.0.0.1:${port}/`)).text())

/** Creates a connector on everything, disabled. */
export const connect = (service: Processes.Server, receiver: Processes.Server) =>
  Effect.promise(() =>
    ask(service, "PUT", "", {
      connector_id,
      name: connector_id,
      type: "webhook",
      enabled: false,
      configuration: { url: `http://127.0.0.1:${receiver.port}/`, event_types: ["*"] }
    })
  )

const drained = async (service: Processes.Server): Promise<void> => {
  for (const end = Date.now() + drainMs; Date.now() < end; await sleep(100)) {
    const { connectors } = (await ask(service, "GET", "")) as { readonly connectors: ReadonlyArray<Connector> }
    const health = connectors.find((one) => one.connector_id === connector_id)?.health
    if (health?.waiting === 0 && health.undelivered_since === undefined) return
  }
  throw new Error(`not all was delivered within ${drainMs} ms`)
}

/** Accruals a second beside which deliveries should keep up. */
export const paced = 2_000

/**
 * One turn, saturated or at `paced` accruals a second: accruals and arrived events a second, and seconds until all that
 * happened has arrived.
 */
export const turn = Effect.fnUntraced(function* (
  side: Turns.Side,
  receiver: Processes.Server,
  pace: "saturated" | "paced",
  options: Options
) {
  const { members, server } = side
  const workload = { type: "accruals", members } as const
  yield* Effect.promise(() => ask(server, "POST", "/status", { connector_id, enabled: true }))
  const [before, at] = [yield* Effect.promise(() => taken(receiver)), performance.now()]
  const { rate } = yield* pace === "saturated"
    ? Turns.saturated(side, workload, options)
    : Turns.offered(side, workload, paced, options)
  const seconds = (performance.now() - at) / 1_000
  const arrived = ((yield* Effect.promise(() => taken(receiver))) - before) / seconds
  const over = performance.now()
  yield* Effect.promise(() => drained(server))
  const behind = (performance.now() - over) / 1_000
  yield* Effect.promise(() => ask(server, "POST", "/status", { connector_id, enabled: false }))
  return { rate, arrived, behind }
})
