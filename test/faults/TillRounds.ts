/**
 * A till that sells through a network that loses requests and answers, while the service and the till itself are killed and
 * the network goes away: what it accepted is in the ledgers once, and no hold stays open. Holds docs/retries.md.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { FaultProxy } from "../../src/app/testing/FaultProxy.ts"
import { faults } from "../../src/app/testing/FaultProxy.ts"
import type { ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"
import * as RandomOf from "../model/Random.ts"
import { enrolment, post, send } from "./Post.ts"
import { until } from "./Processes.ts"
import { Service } from "./Service.ts"
import type { TillLives } from "./TillLives.ts"
import { TillPage } from "./TillPage.ts"
import { TillProcess } from "./TillProcess.ts"
import { cardOf, cards, orderIdOf, programId, refundEvery, regulars } from "./TillSales.ts"

/** Share of the requests that are lost, and of the answers to the others. */
const requestShare = 0.2
const answerShare = 0.33
/** The service stays away for so long at most after a kill, and the network when it goes, ms. */
const awayMs = 2_000
const wallet = 100_000

export interface Outcome {
  readonly sales: number
  readonly lostRequests: number
  readonly lostAnswers: number
  readonly posted: number
  readonly pauses: number
  readonly captured: number
  /** Times that a browser has asked whether the page may call the service. */
  readonly preflights: number
  readonly faults: ReadonlyArray<string>
}

type Incident = "service" | "till" | "network"

interface Plan {
  readonly folder: string
  /** Where the service has its database. */
  readonly flags: ReadonlyArray<string>
  readonly sales: number
  readonly serviceKills: number
  readonly tillKills: number
  /** A page of another origin in Chromium; absent: a process with a folder. */
  readonly isPage?: boolean
  readonly seed: number
  readonly told?: (line: string) => void
}

let reads = 0

const read = async <Id extends "member.lookup" | "ledger.list" | "account.get">(
  port: number,
  operation: Id,
  payload: object
): Promise<ResponseOf<Id>> => {
  const id = `till-read-${++reads}`
  const context = {
    protocol_version: protocolVersion,
    profile,
    request_id: id,
    idempotency_key: id,
    occurred_at: new Date().toISOString(),
    source: { system: "faults" }
  }
  return (await send(port, "POST", operations[operation].path, { context, ...payload })) as never
}

const ledgerOf = async (port: number, member_id: string) => {
  const entries: Array<ResponseOf<"ledger.list">["entries"][number]> = []
  for (let cursor: string | undefined; ; ) {
    const more = cursor === undefined ? undefined : { cursor }
    const page = await read(port, "ledger.list", { member_id, program_id: programId, limit: 100, ...more })
    entries.push(...page.entries)
    cursor = page.next_cursor
    if (cursor === undefined) return entries
  }
}

/** Entries of the ledgers that must not be there, and those that are missing. */
const faultsOf = async (port: number, till: TillLives, sales: number) => {
  const found: Array<string> = []
  const posted = new Map<string, number>()
  const refunded = new Map<string, number>()
  const count = (counts: Map<string, number>, id = "") => void counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const identity of cards) {
    const { member } = await read(port, "member.lookup", { program_id: programId, identity })
    if (member === null) {
      found.push(`lost: nobody has ${identity.value}`)
      continue
    }
    const mine: Array<number> = []
    for (const { operation, order_id = "" } of (await ledgerOf(port, member.member_id)).toReversed()) {
      if (operation === "adjustment") count(refunded, order_id)
      if (operation !== "accrual") continue
      count(posted, order_id)
      mine.push(Number(order_id.slice(5)))
      if (cardOf(mine.at(-1)!).value !== identity.value) found.push(`wrong: ${identity.value} has ${order_id}`)
    }
    if (mine.some((sale, at) => sale < (mine[at - 1] ?? -1)))
      found.push(`wrong: ${identity.value} has its sales in the order ${mine.join(" ")}`)
  }
  const hold = (what: string, counts: Map<string, number>, id: string, wanted: number) => {
    const times = counts.get(id) ?? 0
    if (times !== wanted) found.push(`${times < wanted ? "lost" : "doubled"}: ${what} of ${id} is there ${times} times`)
  }
  for (let sale = 0; sale < sales; sale++) {
    hold("the sale", posted, orderIdOf(sale), 1)
    hold("the refund", refunded, orderIdOf(sale), sale % refundEvery === 0 ? 1 : 0)
  }
  const redeemed = new Map<string, number>()
  for (const member_id of regulars) {
    const { balances } = await read(port, "account.get", { member_id, program_id: programId })
    const held = balances.reduce((sum, { reserved }) => sum + reserved, 0)
    if (held !== 0) found.push(`open: ${member_id} has ${held} points held`)
    for (const { operation, reservation_id } of await ledgerOf(port, member_id))
      if (operation === "redemption") count(redeemed, reservation_id)
      else if (operation === "reversal") found.push(`wrong: ${reservation_id} was captured and then reversed`)
  }
  const captured = [...till.said("capture_captured"), ...till.said("capture_queued")]
  for (const id of captured) hold("the capture", redeemed, id, 1)
  for (const id of [...till.said("left"), ...till.said("reversed")]) hold("a capture", redeemed, id, 0)
  for (const word of ["event refused", "event damaged", "event store_failed", "event full", "capture_late"])
    for (const id of till.said(word)) found.push(`wrong: ${word} ${id}`)
  return { found, posted: posted.size, captured: redeemed.size }
}

/** The incidents, spread over the sales. */
const incidentsOf = ({ sales, seed, serviceKills, tillKills }: Plan) => {
  const random = RandomOf.make(seed, "till incidents")
  const all: Array<Incident> = ["network"]
  for (let n = 0; n < serviceKills; n++) all.push("service")
  for (let n = 0; n < tillKills; n++) all.push("till")
  const mixed = all.map((incident) => ({ incident, by: random.next() })).toSorted((a, b) => a.by - b.by)
  return mixed.map(({ incident }, n) => ({ incident, after: Math.floor((sales * (n + 0.5)) / all.length), random }))
}

const strike = async (incident: Incident, service: Service, proxy: FaultProxy, till: TillLives, ms: number) => {
  if (incident === "network") {
    proxy.cut()
    await sleep(ms)
    return proxy.mend()
  }
  if (incident === "till") {
    await till.kill()
    return till.begin(proxy.url)
  }
  await service.kill()
  await sleep(ms)
  service.spawn()
  await service.ready()
}

const sellUnderFaults = async (plan: Plan, service: Service, till: TillLives): Promise<Outcome> => {
  const { sales, seed, told = () => undefined } = plan
  const { port } = service
  const proxy = await faults({ target: `http://127.0.0.1:${port}`, seed })
  const strikeAll = async () => {
    for (const { after, incident, random } of incidentsOf(plan)) {
      await until(`${after} sales`, () => till.next > after || till.isDone || till.isGone)
      await strike(incident, service, proxy, till, random.whole(200, awayMs))
      told(`${incident} after ${after} sales, ${till.said("event posted").length} posted`)
    }
  }
  try {
    for (const member_id of regulars) {
      await post(port, operations["member.enroll"].path, enrolment(member_id))
      await post(port, operations["ledger.manual_adjustment"].path, {
        member_id,
        program_id: programId,
        adjustment_id: `till-wallet-${member_id}`,
        amount: wallet,
        classification: "gift",
        reason: "for rewards",
        qualifies_for_tier: false
      })
    }
    proxy.drop("requests", { rate: requestShare })
    proxy.drop("answers", { rate: answerShare })
    till.begin(proxy.url)
    await strikeAll()
    await till.finish()
    const lost = (fault: string) => proxy.seen.filter((one) => one.fault === fault).length
    const [lostRequests, lostAnswers] = [lost("drop_request"), lost("drop_answer")]
    // The next start reverses the holds that were left.
    proxy.clear()
    till.begin(proxy.url)
    await till.finish()
    const { found, ...counts } = await faultsOf(port, till, sales)
    const left = await till.left()
    if (left.length > 0) found.push(`stuck: ${left.join(" ")}`)
    const pauses = till.said("event paused").length
    const preflights = proxy.seen.filter(({ method }) => method === "OPTIONS").length
    return { sales, lostRequests, lostAnswers, pauses, preflights, ...counts, faults: [...found, ...service.errors] }
  } finally {
    await till.kill()
    await proxy.stop()
  }
}

export const run = async (plan: Plan): Promise<Outcome> => {
  const { flags, folder, isPage = false, sales } = plan
  const till: TillLives = isPage ? await TillPage.make(sales) : new TillProcess(folder, sales)
  try {
    const service = await Service.start(folder, [...flags, ...till.serviceFlags])
    try {
      return await sellUnderFaults(plan, service, till)
    } finally {
      await service.stop()
    }
  } finally {
    await till.close()
  }
}
