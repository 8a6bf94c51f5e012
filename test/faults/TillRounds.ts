/**
 * A till that sells through a network that loses requests and answers, while the service and the till itself are killed and
 * the network goes away: what it accepted is in the ledgers once, and no hold stays open. Holds docs/retries.md.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"
import type { FaultProxy } from "../../src/testing/FaultProxy.ts"
import { faults } from "../../src/testing/FaultProxy.ts"
import * as RandomOf from "../model/Random.ts"
import { enrolment, post, send } from "./Post.ts"
import { until } from "./Processes.ts"
import { Service } from "./Service.ts"
import { cardOf, cards, orderIdOf, programId, refundEvery, regulars } from "./TillSales.ts"

const program = path.join(import.meta.dirname, "TillProgram.ts")

/** Share of the requests that are lost, and of the answers to the others. */
const requestShare = 0.2
const answerShare = 0.33
/** The service stays away for so long at most after a kill, and the network when it goes, ms. */
const awayMs = 2_000
/** Longest time until all is sent after the last sale, ms. */
const drainMs = 300_000
const wallet = 100_000

export interface Outcome {
  readonly sales: number
  readonly lostRequests: number
  readonly lostAnswers: number
  readonly posted: number
  readonly pauses: number
  readonly captured: number
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
  readonly seed: number
  readonly told?: (line: string) => void
}

/** The process of the till, and what it has said in all its lives. */
class TillProcess {
  readonly lines: Array<string> = []
  private readonly args: ReadonlyArray<string>
  private readonly end: number
  private readonly placedAt: number
  private child: ChildProcess | undefined
  private ended: Promise<unknown> = Promise.resolve()

  constructor(args: ReadonlyArray<string>, end: number, placedAt: number) {
    this.args = args
    this.end = end
    this.placedAt = placedAt
  }

  /** The number after the last sale that was accepted. */
  get next(): number {
    const sold = this.lines.findLast((line) => line.startsWith("sold "))
    return sold === undefined ? 0 : Number(sold.slice(5)) + 1
  }

  said(word: string): ReadonlyArray<string> {
    return this.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  }

  get isDone(): boolean {
    return this.lines.at(-1) === "done"
  }

  /** Goes on after the last sale that was accepted. */
  spawn(): void {
    const args = [program, ...this.args, String(this.next), String(this.end), String(this.placedAt)]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    this.child = child
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ""
      stream.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString("utf8")).split("\n")
        rest = lines.pop() ?? ""
        this.lines.push(...lines)
      })
    }
    this.ended = new Promise((resolve) => child.once("close", resolve))
  }

  get isGone(): boolean {
    return this.child?.exitCode !== null || this.child.signalCode !== null
  }

  async kill(): Promise<void> {
    this.child?.kill("SIGKILL")
    await this.ended
  }

  async finish(): Promise<void> {
    const tail = () => this.lines.slice(-20).join("\n")
    await until("all is sent", () => this.isDone || this.isGone, drainMs).catch((error: unknown) => {
      throw new Error(`stuck: ${String(error)}\n${tail()}`)
    })
    await this.ended
    if (!this.isDone) throw new Error(`the till ended:\n${tail()}`)
  }
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

/** What the ledgers show that they must not, and what they do not show. */
const faultsOf = async (port: number, till: TillProcess, sales: number) => {
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

const strike = async (incident: Incident, service: Service, proxy: FaultProxy, till: TillProcess, ms: number) => {
  if (incident === "network") {
    proxy.cut()
    await sleep(ms)
    return proxy.mend()
  }
  if (incident === "till") {
    await till.kill()
    return till.spawn()
  }
  await service.kill()
  await sleep(ms)
  service.spawn()
  await service.ready()
}

export const run = async (plan: Plan): Promise<Outcome> => {
  const { flags, folder, sales, seed, told = () => undefined } = plan
  const service = await Service.start(folder, flags)
  const { port } = service
  const proxy = await faults({ target: `http://127.0.0.1:${port}`, seed })
  const queue = path.join(folder, "queue")
  const till = new TillProcess([proxy.url, queue], sales, Date.now())
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
    till.spawn()
    for (const { after, incident, random } of incidentsOf(plan)) {
      await until(`${after} sales`, () => till.next > after || till.isDone || till.isGone)
      await strike(incident, service, proxy, till, random.whole(200, awayMs))
      told(`${incident} after ${after} sales, ${till.said("event posted").length} posted`)
    }
    await till.finish()
    const lost = (fault: string) => proxy.seen.filter((one) => one.fault === fault).length
    const [lostRequests, lostAnswers] = [lost("drop_request"), lost("drop_answer")]
    // The next start reverses the holds that were left.
    proxy.clear()
    till.spawn()
    await until("the till has started", () => !till.isDone || till.isGone)
    await till.finish()
    const { found, ...counts } = await faultsOf(port, till, sales)
    const left = fs.readdirSync(queue)
    if (left.length > 0) found.push(`stuck: ${left.join(" ")}`)
    const pauses = till.said("event paused").length
    return { sales, lostRequests, lostAnswers, pauses, ...counts, faults: [...found, ...service.errors] }
  } finally {
    await till.kill()
    await proxy.stop()
    await service.stop()
  }
}
