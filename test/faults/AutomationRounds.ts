/**
 * Three nodes; the worker of campaigns runs on one of them. It is killed, stopped for longer than the others wait, or told to leave,
 * while orders of fresh members trigger campaigns. Each order gives exactly once. Holds contract/engagement.md *Triggers*.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Testing from "../../src/app/testing/Testing.ts"
import { singletons } from "../../src/core/cluster/Placement.ts"
import type { Fault } from "../model/History.ts"
import * as RandomOf from "../model/Random.ts"
import type { Credit, Guest, Report } from "./Automations.ts"
import { campaigns, eventsOf, expected, faultsOf } from "./Automations.ts"
import { Client } from "./Client.ts"
import { send } from "./Post.ts"
import { until } from "./Processes.ts"
import type { Service } from "./Service.ts"
import { nodeFaults } from "./Verbs.ts"
import { openWorld, servicesOf, type World } from "./World.ts"

const program_id = "demo-foodservice"
const callers = 16
const checkers = 16
/** Pause of a caller between two commands, ms: 30 orders a second and more, which two cores can do. */
const thinkMs = 150
/** Friends of a referrer: more than its frequency. One more member has no referrer, and one is its own. */
const friends = 4
const ordersEach = 3
const spends = [500, 1_000, 1_500]
/** Of the faults so many hit the worker, and of those so many come while it gives; the others come within `momentMs`. */
const workerShare = 0.85
const amidShare = 0.75
const amidMs = 40
const momentMs = 1_000
/** A stop or a leave comes after so many kills. */
const killsPerOther = 5
/** No kill begins after so long, ms. */
const runMs = 600_000
/** Longest time until a batch begins, ms. */
const batchMs = 5_000
/** Time until a killed node's statements have ended, while no other node has taken over, ms. */
const deadMs = 150
/** Nothing more may be given in this time after all was given, ms: three rounds of the worker. */
const quietMs = 3_000
/** Longest time until all is given after the last fault, ms. */
const givenMs = 60_000

export interface Outcome {
  readonly kills: number
  readonly others: number
  /** Changes of the process that works on campaigns. */
  readonly takeovers: number
  /** Kills that left events begun, and what of those had been given without being recorded. */
  readonly amid: number
  readonly unrecorded: number
  readonly orders: number
  readonly given: number
  readonly skipped: number
  readonly faults: ReadonlyArray<string>
}

/** The node that works on campaigns. */
const workerOf = (world: World): Promise<Service> =>
  until("a node works on campaigns", async () => {
    const [row] = await world.postgres.query(
      `SELECT n.process FROM partitions p JOIN nodes n ON n.id = p.owner WHERE p.partition = ${singletons.campaigns}`
    )
    return servicesOf(world).find(({ pid }) => pid === Number(row?.["process"]))
  })

/** Waits until events of a campaign are begun, as closely as PostgreSQL can tell. */
const untilBegun = ({ postgres }: World, campaign: string) =>
  postgres.query(`DO $$ BEGIN
      FOR looks IN 1..${batchMs} LOOP
        EXIT WHEN EXISTS (SELECT FROM campaign_events WHERE campaign_id = '${campaign}' AND outcome IS NULL AND begun);
        PERFORM pg_sleep(0.001);
      END LOOP;
    END $$`)

interface Left {
  /** Events that are begun. */
  readonly begun: number
  /** Grants that are in the journal and have no outcome. */
  readonly unrecorded: number
}

const leftBy = async ({ postgres }: World): Promise<Left> => {
  const [row] = await postgres.query(
    `SELECT (SELECT count(*) FROM campaign_events WHERE outcome IS NULL AND begun) AS begun,
      (SELECT count(*) FROM journal WHERE events::text LIKE '%"bonus"%')
        - (SELECT count(*) FROM campaign_events WHERE outcome = 'issued') AS unrecorded`
  )
  return { begun: Number(row?.["begun"]), unrecorded: Number(row?.["unrecorded"]) }
}

/** Orders of fresh members, to any of the nodes, until it is over. */
class Orders {
  readonly guests: Array<Guest> = []
  readonly faults: Array<string> = []
  readonly client: () => Client
  isOver = false
  private readonly clients: Array<Client> = []

  constructor(ports: ReadonlyArray<number>, seed: number) {
    const fault = ({ detail, kind, member }: Fault) => void this.faults.push(`${kind} ${member} ${detail}`)
    const counters = { acknowledged: 0, refused: 0, unavailable: 0, broken: 0 }
    this.client = () => {
      const random = RandomOf.make(seed, `automations pauses ${this.clients.length}`)
      const client = new Client(ports, random, { counters, fault, written: () => undefined })
      this.clients.push(client)
      return client
    }
  }

  /** One referrer with its friends after the other. */
  async call(caller: number, random: RandomOf.Random): Promise<void> {
    const client = this.client()
    for (let n = 0; !this.isOver; n++) {
      const name = `auto-${caller}-${n}`
      await this.enrol(client, name, undefined)
      for (let friend = 0; friend < friends + 2 && !this.isOver; friend++) {
        const member = `${name}-${friend}`
        const referredBy = friend < friends ? name : friend === friends ? member : undefined
        const guest = await this.enrol(client, member, referredBy)
        for (let order = 0; order < ordersEach && !this.isOver; order++) {
          await sleep(random.whole(0, thinkMs))
          await this.order(client, guest, `${member}-${order}`, random.pick(spends))
        }
      }
    }
  }

  private async enrol(client: Client, member: string, referredBy: string | undefined): Promise<Guest> {
    const identity = { type: "loyalty_id", value: member, issuer: "faults" } as const
    const attributes = referredBy === undefined ? undefined : { attributes: { referred_by: referredBy } }
    const payload = { program_id, member_id: member, identity, ...attributes }
    const exchange = await client.call("member.enroll", payload, `enrol-${member}`, member)
    if (exchange === undefined || "code" in exchange.answer) this.faults.push(`lost: ${member} was not enrolled`)
    const guest = { member, referredBy, orders: [] }
    this.guests.push(guest)
    return guest
  }

  private async order(client: Client, { member, orders }: Guest, id: string, spend: number): Promise<void> {
    const order = Testing.order(id, spend, Testing.placedAt(Date.now()))
    const exchange = await client.call("accrual.post", { member_id: member, order }, id, member)
    if (exchange === undefined || "code" in exchange.answer) this.faults.push(`lost: ${id} was not accrued`)
    else orders.push(spend)
  }

  /** Gifts of campaigns, by the ledgers of all members. */
  async credits(): Promise<ReadonlyArray<Credit>> {
    const due = [...this.guests]
    const credits: Array<Credit> = []
    const read = async () => {
      const client = this.client()
      for (let guest = due.pop(); guest !== undefined; guest = due.pop()) {
        const { member } = guest
        const payload = { member_id: member, program_id, limit: 100 }
        const exchange = await client.call("ledger.list", payload, `read-${member}`, member)
        if (exchange === undefined || "code" in exchange.answer || exchange.answer.body.next_cursor !== undefined) {
          this.faults.push(`lost: the ledger of ${member} cannot be read in one page`)
          continue
        }
        for (const { adjustment_id: adjustment = "", amount, operation, reason = "" } of exchange.answer.body.entries) {
          if (operation === "accrual") continue
          if (amount !== 1) this.faults.push(`wrong: ${member} got ${amount}: ${operation} ${reason}`)
          credits.push({ member, campaign: reason, adjustment })
        }
      }
    }
    await Promise.all(Array.from({ length: checkers }, read))
    return credits
  }

  close(): void {
    for (const client of this.clients) client.close()
  }
}

const reportsOf = async (port: number): Promise<ReadonlyMap<string, Report>> => {
  const reports = new Map<string, Report>()
  for (const { campaign_id = "" } of campaigns) {
    const { triggered } = await send(port, "GET", `/platform/v1/campaigns/report?campaign_id=${campaign_id}`)
    const { outcomes: _, ...report } = triggered as Report & { readonly outcomes: unknown }
    reports.set(campaign_id, report)
  }
  return reports
}

/** Waits until as many events as there must be have an outcome, then for what would come too much. */
const given = async (port: number, guests: ReadonlyArray<Guest>): Promise<void> => {
  const wanted = expected(guests)
  const areGiven = async () =>
    [...(await reportsOf(port))].every(([id, report]) => {
      const { report: owed } = wanted.get(id) ?? { report }
      return report.waiting === 0 && eventsOf(report) >= eventsOf(owed)
    })
  // The reports tell what is missing after this time.
  await until("all is given", areGiven, givenMs).catch(() => undefined)
  await sleep(quietMs)
}

type Kind = keyof typeof nodeFaults

/** One fault; what it left where it was a kill. */
const strike = async (world: World, kind: Kind, random: RandomOf.Random) => {
  const worker = await workerOf(world)
  const { pid } = worker
  const hitsWorker = random.next() < workerShare
  const victim = hitsWorker ? worker : random.pick(servicesOf(world))
  const isAmid = hitsWorker && random.next() < amidShare
  let left: Promise<Left> | undefined
  const moment = async () => {
    if (isAmid) await untilBegun(world, random.pick(campaigns).campaign_id ?? "")
    await sleep(random.whole(0, isAmid ? amidMs : momentMs))
    if (kind === "kill" && victim === worker) left = sleep(deadMs).then(() => leftBy(world))
  }
  await nodeFaults[kind](world, victim, random, moment)
  return { left: (await left) ?? { begun: 0, unrecorded: 0 }, isTakenOver: (await workerOf(world)).pid !== pid }
}

interface Plan {
  readonly kills: number
  readonly seed: number
  readonly told?: (kill: number) => void
}

/** So many kills, at most as many as there is time for, and now and then a stop or a leave. */
export const run = async ({ kills, seed, told = () => undefined }: Plan): Promise<Outcome> => {
  const random = RandomOf.make(seed, "automations")
  const world = await openWorld.nodes()
  const { port } = world.service
  const orders = new Orders(
    servicesOf(world).map((one) => one.port),
    seed
  )
  const found = { kills: 0, others: 0, takeovers: 0, amid: 0, unrecorded: 0 }
  const hit = async (kind: Kind) => {
    const { isTakenOver, left } = await strike(world, kind, random)
    found[kind === "kill" ? "kills" : "others"]++
    if (isTakenOver) found.takeovers++
    if (left.begun > 0) found.amid++
    found.unrecorded += left.begun > 0 ? left.unrecorded : 0
  }
  try {
    for (const campaign of campaigns) {
      await send(port, "PUT", "/platform/v1/campaigns", campaign)
      await send(port, "POST", "/platform/v1/campaigns/status", { campaign_id: campaign.campaign_id, status: "active" })
    }
    const calling = Promise.all(
      Array.from({ length: callers }, (_, caller) => orders.call(caller, RandomOf.make(seed, `automations ${caller}`)))
    )
    try {
      const endsAt = Date.now() + runMs
      while (found.kills < kills && Date.now() < endsAt && orders.faults.length === 0) {
        await hit("kill")
        told(found.kills)
        if (found.kills % killsPerOther === 0) await hit(random.pick(["stop", "leave"]))
      }
    } finally {
      orders.isOver = true
      await calling
    }
    await given(port, orders.guests)
    const credits = await orders.credits()
    const reports = await reportsOf(port)
    const errors = servicesOf(world).flatMap((one) => one.errors)
    return {
      ...found,
      orders: orders.guests.reduce((count, guest) => count + guest.orders.length, 0),
      given: credits.length,
      skipped: [...reports.values()].flatMap(({ skipped }) => skipped).reduce((total, { count }) => total + count, 0),
      faults: [...orders.faults, ...errors, ...faultsOf(orders.guests, reports, credits)]
    }
  } finally {
    orders.close()
    await world.close()
  }
}
