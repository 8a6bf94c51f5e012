/** A service starts, or takes partitions over, while the only synchronous standby is away: it waits, and says so to callers. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Replicated } from "./Failover.ts"
import { accrualsOf, acknowledged, check, definiteMs, sendAll } from "./Failover.ts"
import { until } from "./Processes.ts"
import * as Runbook from "./Runbook.ts"
import { Service } from "./Service.ts"

/** How long callers try while the service waits, ms: more than one limit of a commit (7 s). */
const awayMs = 8_000

interface Problem {
  readonly code?: string
  readonly detail?: string
}

const problemIn = (text: string): Problem => JSON.parse(text) as Problem

/** Answer of the service until the standby is back: 503 storage_unavailable, nothing else. */
const waits = async (service: Service): Promise<ReadonlyArray<string>> => {
  await until(
    `/health/ready says storage_unavailable\n${service.log}`,
    async () => {
      const answer = await service.get("/health/ready")
      return answer !== undefined && problemIn(answer.text).code === "storage_unavailable"
    },
    definiteMs
  )
  const others = new Set<string>()
  const deadline = Date.now() + awayMs
  while (Date.now() < deadline) {
    const answer = await service.get("/health/ready")
    const { code, detail } = answer === undefined ? { code: "no answer" } : problemIn(answer.text)
    if (code !== "storage_unavailable") others.add(`${code ?? answer?.status}: ${detail}`)
  }
  return [...others].map((code) => `it answered ${code} while the standby was away`)
}

/** Accruals get 503 while the standby is away, and are posted once it is back. */
const held = async (world: Replicated, service: Service, name: string, count: number) => {
  const said = Runbook.listen(service)
  const accruals = accrualsOf(name, count)
  const [faults, early] = await Promise.all([waits(service), sendAll([service], accruals, awayMs)])
  const wrong = [...early.values()].map(({ status }) => `a write was answered ${status} while the standby was away`)
  const alert = "LotbookDurabilityWaiting"
  const fires = await Runbook.firing(service, alert)
  await world.standby.start()
  await service.ready()
  const answers = await sendAll([service], accruals, definiteMs)
  return [
    ...faults,
    ...wrong,
    ...fires,
    ...(await check(world, name, answers, accruals)),
    ...said.faults(alert, ["durability_waiting", "durability_back"])
  ]
}

/** A round. A takeover: there is another node, and this one is killed. */
export const round = async (world: Replicated, name: string, count: number, isTakeover: boolean) => {
  const { flags, primary, service, standby } = world
  await primary.configure("synchronous_standby_names", "standby")
  await acknowledged(world, accrualsOf(`${name}-safe`, count))
  const folder = path.join(world.folder, `${name}-second`)
  fs.mkdirSync(folder)
  const second = isTakeover ? await Service.start(folder, flags) : undefined
  await standby.stop("immediate")
  await service.pause()
  if (second === undefined) service.resume()
  const faults = await held(world, second ?? service, name, count)
  await primary.configure("synchronous_standby_names", "")
  if (second !== undefined) {
    await second.stop()
    service.resume()
    await service.ready()
  }
  return faults
}
