/**
 * Acknowledged points when PostgreSQL is replaced under the service: a standby without the newest
 * records is promoted, the only synchronous standby is lost, an older copy of the files is restored.
 *
 * Each round returns what is wrong; nothing is, if acknowledged means there or refused, and nothing is doubled.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { order } from "../../src/app/testing/Testing.ts"
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"
import { runFolder, until } from "./Processes.ts"
import { Proxy } from "./Proxy.ts"
import * as Runbook from "./Runbook.ts"
import { Server } from "./Server.ts"
import { Service } from "./Service.ts"

const program_id = "demo-foodservice"

/** Members of the rounds: accruals go to all of them in turn. */
const members = Array.from({ length: 20 }, (_, index) => `failover-${index + 1}`)

/** Requests in flight at once. */
const concurrency = 16

/** Pause before a request that got 503 is sent again, ms. */
const retryMs = 100

/** Longest time until every request has its definite answer, ms: nothing may stay behind. A busy machine starts slowly. */
export const definiteMs = 90_000

/** How long callers try while the synchronous standby is away, ms: longer than two limits of a statement (7 s). */
const awayMs = 17_000

/** How often somebody cancels the waits for the standby: PostgreSQL then reports commits as done that it does not have. */
const cancelMs = 700
const cancelWaits = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

/** Longest time in which requests are still acknowledged on a primary whose address has moved, ms. */
const splitMs = 6_000

export interface Answer {
  readonly status: number
  readonly isReplay: boolean
  /** Of the answered entry. */
  readonly entry: string | undefined
}

export interface Accrual {
  readonly member: string
  readonly order: string
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

let requests = 0

const post = async (service: Service, path: string, key: string, payload: object): Promise<Answer | undefined> => {
  const now = new Date().toISOString()
  const context = {
    protocol_version: protocolVersion,
    profile,
    request_id: `failover-${++requests}`,
    idempotency_key: key,
    occurred_at: now,
    source: { system: "failover" }
  }
  try {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
      body: JSON.stringify({ context, ...payload })
    })
    const body = (await response.json()) as { readonly entry?: { readonly entry_id: string } }
    const isReplay = response.headers.get("idempotent-replayed") === "true"
    return { status: response.status, isReplay, entry: body.entry?.entry_id }
  } catch {
    // Every way in which a connection ends is the same to a caller.
    return undefined
  }
}

const enrol = (service: Service, member_id: string) =>
  post(service, "/proto/v1/members/enroll", `enrol-${member_id}`, {
    program_id,
    member_id,
    identity: { type: "loyalty_id", value: member_id, issuer: "failover" }
  })

const accrue = (service: Service, accrual: Accrual): Promise<Answer | undefined> => {
  const placed_at = new Date(Date.now() - 60_000).toISOString()
  return post(service, "/proto/v1/accruals", `key-${accrual.order}`, {
    member_id: accrual.member,
    order:
      known.get(accrual.order) ??
      remember(order(accrual.order, 1000, { placed_at, business_date: placed_at.slice(0, 10) }))
  })
}

/** A request is sent again as it was. */
const known = new Map<string, ReturnType<typeof order>>()
const remember = (made: ReturnType<typeof order>) => {
  known.set(made.order_id, made)
  return made
}

const isDefinite = (answer: Answer | undefined): answer is Answer => answer !== undefined && answer.status !== 503

/** Sends all of them, to the services in turn, until each has its definite answer or the time is over. */
export const sendAll = async (services: ReadonlyArray<Service>, accruals: ReadonlyArray<Accrual>, limitMs: number) => {
  const answers = new Map<string, Answer>()
  const deadline = Date.now() + limitMs
  const waiting = [...accruals]
  let sent = 0
  const workers = Array.from({ length: concurrency }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const answer = await accrue(services[sent++ % services.length]!, next)
      if (isDefinite(answer)) answers.set(next.order, answer)
      else if (Date.now() < deadline) {
        waiting.push(next)
        await sleep(retryMs)
      }
    }
  })
  await Promise.all(workers)
  return answers
}

export interface Replicated {
  primary: Server
  standby: Server
  readonly service: Service
  /** All nodes; the service is the first. */
  readonly nodes: ReadonlyArray<Service>
  /** Of the service, and of others on the same database. */
  readonly flags: ReadonlyArray<string>
  /** The address that the service knows; it moves from server to server. */
  readonly address: Proxy
  /** Between the servers. */
  readonly replication: Proxy
  /** Servers made so far, for the names of folders. */
  servers: number
  readonly folder: string
  readonly close: () => Promise<void>
}

/** `count`: nodes on the database. */
export const open = async (count = 1): Promise<Replicated> => {
  const { folder, remove } = runFolder()
  const primary = await Server.create(path.join(folder, "server-1"))
  const replication = await Proxy.start(primary.port)
  const standby = await primary.makeStandby(path.join(folder, "server-2"), replication.port)
  const address = await Proxy.start(primary.port)
  const flags = ["--database-url", primary.urlAt(address.port)]
  const service = await Service.start(folder, flags, { hasMovedClock: true })
  const nodes = [service]
  for (let index = 2; index <= count; index++) {
    const own = path.join(folder, `node-${index}`)
    fs.mkdirSync(own)
    nodes.push(await Service.start(own, flags))
  }
  for (const node of nodes) node.keepRunning()
  const world: Replicated = {
    primary,
    standby,
    service,
    nodes,
    flags,
    address,
    replication,
    servers: 2,
    folder,
    close: async () => {
      for (const node of nodes) await node.stop()
      await address.close()
      await replication.close()
      for (const server of [world.standby, world.primary]) await server.stopIfRunning()
      remove()
    }
  }
  for (const member of members)
    await until(`${member} is enrolled`, async () => isDefinite(await enrol(service, member)))
  return world
}

/** The standby becomes the primary, and gets a standby of its own. */
const replaceStandby = async (world: Replicated) => {
  const former = world.primary
  await former.stopIfRunning()
  world.primary = world.standby
  world.replication.cutAll()
  world.replication.moveTo(world.primary.port)
  world.standby = await world.primary.makeStandby(
    path.join(world.folder, `server-${++world.servers}`),
    world.replication.port
  )
  former.remove()
}

export const accrualsOf = (name: string, count: number): ReadonlyArray<Accrual> =>
  Array.from({ length: count }, (_, index) => ({
    member: members[index % members.length]!,
    order: `${name}-${index + 1}`
  }))

/** The entries of these orders in the primary's ledger: their ids by order. */
const entriesOf = async (primary: Server, name: string) => {
  const rows = await primary.query(
    `SELECT account::float8 AS account, n::float8 AS n, order_id FROM ledger_entries
      WHERE operation = 'accrual' AND unit = 'points' AND order_id LIKE '${name}-%'`
  )
  const found = new Map<string, Array<string>>()
  for (const row of rows) {
    const ids = found.get(String(row["order_id"])) ?? []
    ids.push(`ent_${Number(row["account"]).toString(36)}_${Number(row["n"]).toString(36)}`)
    found.set(String(row["order_id"]), ids)
  }
  return found
}

/** Acknowledged means there, once, under the id of the answer. */
export const check = async (
  world: Replicated,
  name: string,
  answers: ReadonlyMap<string, Answer>,
  accruals: ReadonlyArray<Accrual>
) => {
  const faults: Array<string> = []
  const entries = await entriesOf(world.primary, name)
  for (const { order } of accruals) {
    const [answer, ids] = [answers.get(order), entries.get(order) ?? []]
    if (answer === undefined) faults.push(`${order} has no definite answer`)
    else if (answer.status !== 201) faults.push(`${order} was answered ${answer.status}`)
    else if (ids.length === 0) faults.push(`${order} was acknowledged and is not there`)
    else if (ids.length > 1) faults.push(`${order} is there ${ids.length} times`)
    else if (ids[0] !== answer.entry) faults.push(`${order} was answered with ${answer.entry}, its entry is ${ids[0]}`)
  }
  return faults
}

/** Accruals that must all be acknowledged at once. */
export const acknowledged = async (world: Replicated, accruals: ReadonlyArray<Accrual>) => {
  const answers = await sendAll(world.nodes, accruals, definiteMs)
  const missing = accruals.filter(({ order }) => answers.get(order)?.status !== 201)
  if (missing.length > 0) throw new Error(`${missing.length} accruals were not acknowledged\n${world.service.log}`)
  return answers
}

/** The entries that a node's log has named as lost. */
const namedBy = (node: Service): ReadonlyArray<string> =>
  node
    .logged("records_lost")
    .flatMap(({ records }) => records as ReadonlyArray<{ readonly entries: ReadonlyArray<string> }>)
    .flatMap(({ entries }) => entries)

/**
 * Watches the nodes from now on. The faults afterwards: an entry that is lost and that no log names, and what a log or an
 * alert lacks of a node that names some.
 */
const watchLosses = (nodes: ReadonlyArray<Service>) => {
  const watched = nodes.map((node) => ({ node, before: namedBy(node).length, said: Runbook.listen(node) }))
  return async (lost: ReadonlyMap<string, Answer>): Promise<ReadonlyArray<string>> => {
    const telling = watched.flatMap(({ before, node, said }) => {
      const entries = namedBy(node).slice(before)
      return entries.length === 0 ? [] : [{ entries, node, said }]
    })
    const named = new Set(telling.flatMap(({ entries }) => entries))
    const unnamed = [...lost.values()].filter(({ entry }) => entry !== undefined && !named.has(entry))
    const faults = unnamed.length === 0 ? [] : [`the log does not name ${unnamed.length} of ${lost.size} lost entries`]
    for (const { node, said } of telling)
      faults.push(
        ...(await Runbook.firing(node, "LotbookRecordsLost")),
        ...said.faults("LotbookRecordsLost", ["records_lost", "history_changed"])
      )
    return faults
  }
}

/** Sends the lost requests again: nothing is answered from what was lost, all of them are posted, soon. */
const sendAgain = async (world: Replicated, name: string, accruals: ReadonlyArray<Accrual>) => {
  const answers = await sendAll(world.nodes, accruals, definiteMs)
  return await check(world, name, answers, accruals)
}

/** A standby that lacks the newest records is promoted after the primary was lost, and the address moves to it. */
export const promotion = async (world: Replicated, name: string, count: number): Promise<ReadonlyArray<string>> => {
  const { address, primary, replication, standby } = world
  const accruals = accrualsOf(name, count)
  const losses = watchLosses(world.nodes)
  await primary.caughtUp(standby)
  replication.moveTo(undefined)
  replication.cutAll()
  const lost = await acknowledged(world, accruals)
  await primary.kill()
  await standby.promote()
  address.moveTo(standby.port)
  address.cutAll()
  await replaceStandby(world)
  return [...(await sendAgain(world, name, accruals)), ...(await losses(lost))]
}

/** The address moves to the promoted standby, and the former primary still answers on the connections that are open. */
export const split = async (world: Replicated, name: string, count: number): Promise<ReadonlyArray<string>> => {
  const { address, primary, replication, service, standby } = world
  const losses = watchLosses(world.nodes)
  const restarts = service.restarts
  await primary.caughtUp(standby)
  replication.moveTo(undefined)
  replication.cutAll()
  const accruals = accrualsOf(name, count)
  const lost = await acknowledged(world, accruals)
  await standby.promote()
  address.moveTo(standby.port)
  const movedAt = Date.now()
  const faults: Array<string> = []
  await until("the service has noticed", () => service.restarts > restarts, splitMs).catch(() =>
    faults.push(`the service still uses the former primary after ${Date.now() - movedAt} ms`)
  )
  await replaceStandby(world)
  return [...faults, ...(await sendAgain(world, name, accruals)), ...(await losses(lost))]
}

/**
 * The primary is shut down in order while orders come, and the standby, which has everything, takes its place: no node
 * ends, nothing is lost or doubled, and what was acknowledged before is known.
 */
export const switchover = async (world: Replicated, name: string, count: number): Promise<ReadonlyArray<string>> => {
  const { address, nodes, primary, standby } = world
  const restarts = nodes.map((node) => node.restarts)
  const before = accrualsOf(`${name}-before`, count)
  const first = await acknowledged(world, before)
  const during = accrualsOf(`${name}-during`, 10 * count)
  const sending = sendAll(nodes, during, definiteMs)
  await primary.stop()
  await standby.promote()
  address.moveTo(standby.port)
  address.cutAll()
  const answers = await sending
  await replaceStandby(world)
  const again = await sendAll(nodes, before, definiteMs)
  const faults = nodes.flatMap((node, index) => {
    const told = node.logged("history_changed").map(({ ends, lost_records }) => ({ ends, lost_records }))
    const seen = JSON.stringify({ restarts: node.restarts - restarts[index]!, told })
    const wanted = JSON.stringify({ restarts: 0, told: [{ ends: false, lost_records: 0 }] })
    return seen === wanted ? [] : [`node ${index + 1}: ${seen}\n${node.log}`]
  })
  for (const node of nodes) faults.push(...(await leftBehind(node, nodes.length)))
  for (const [order, { entry, isReplay }] of again)
    if (!isReplay || entry !== first.get(order)?.entry) faults.push(`${order} was not known any more`)
  return [...faults, ...(await check(world, name, new Map([...first, ...answers]), [...before, ...during]))]
}

/** Ends of troubles by their beginnings. */
const ends = {
  storage_lost: "storage_back",
  writes_failing: "writes_back",
  pool_failing: "pool_back",
  durability_waiting: "durability_back"
} as const

/** Traces of the former history on a node: links to former ids, troubles without an end, and words that it stops. */
const leftBehind = async (node: Service, nodes: number): Promise<ReadonlyArray<string>> => {
  const metrics = (await node.get("/metrics"))?.text ?? ""
  const links = metrics.match(/^lotbook_cluster_link_down_seconds\{.*$/gm) ?? []
  const open = Object.entries(ends).filter(
    ([began, ended]) => node.eventNames.lastIndexOf(began) > node.eventNames.lastIndexOf(ended)
  )
  return [
    ...(links.length === nodes - 1 ? [] : [`links of former nodes: ${links.join("; ")}`]),
    ...open.map(([began]) => `${began} has no end in the log\n${node.log}`),
    ...(node.log.includes("its supervisor restarts it") ? ["the log says that the service stops"] : [])
  ]
}

/** An older copy of the files replaces the database under the running service. */
export const restore = async (world: Replicated, name: string, count: number): Promise<ReadonlyArray<string>> => {
  const { primary, service } = world
  const losses = watchLosses(world.nodes)
  const restarts = service.restarts
  await primary.stop()
  primary.keepCopy()
  await primary.start()
  const accruals = accrualsOf(name, count)
  const lost = await acknowledged(world, accruals)
  const faults = service.restarts > restarts ? ["the service ended although nothing was lost"] : []
  await primary.kill()
  primary.swapIn()
  await primary.start()
  return [...faults, ...(await sendAgain(world, name, accruals)), ...(await losses(lost))]
}

/**
 * The only synchronous standby is away: nothing may be acknowledged. Afterwards it comes back; or the primary is lost and
 * the standby promoted, which must have everything that was acknowledged.
 */
export const lostStandby = async (
  world: Replicated,
  name: string,
  count: number,
  isPromoted: boolean
): Promise<ReadonlyArray<string>> => {
  const { address, primary, service, standby } = world
  await primary.configure("synchronous_standby_names", "standby")
  const safe = accrualsOf(`${name}-safe`, count)
  const answers = new Map(await acknowledged(world, safe))
  const said = Runbook.listen(service)
  await standby.stop("immediate")
  const unsafe = accrualsOf(`${name}-unsafe`, count)
  const cancelling = setInterval(() => void primary.query(cancelWaits).catch(() => undefined), cancelMs)
  const early = await sendAll([service], unsafe, awayMs).finally(() => clearInterval(cancelling))
  const faults = [...early.values()].map(({ entry, isReplay, status }) => {
    const how = isReplay ? "by a replay" : "at first"
    return `${entry} was acknowledged ${how} with ${status} while the standby was away`
  })
  faults.push(...(await Runbook.firing(service, "LotbookDurabilityWaiting")))
  if (isPromoted) {
    await primary.kill()
    await standby.start()
    await standby.promote()
    address.moveTo(standby.port)
    address.cutAll()
    await replaceStandby(world)
  } else {
    await standby.start()
  }
  for (const [order, answer] of await sendAll([service], unsafe, definiteMs)) answers.set(order, answer)
  faults.push(...(await check(world, name, answers, [...safe, ...unsafe])))
  await world.primary.configure("synchronous_standby_names", "")
  faults.push(...said.faults("LotbookDurabilityWaiting", ["durability_waiting", "durability_back"]))
  return faults
}
