/**
 * The faults by name: what each does to a world under load, and the moment
 * from which on service is owed again.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Random } from "../model/Random.ts"
import { enrolment, post } from "./Post.ts"
import { signal, until } from "./Processes.ts"
import type { CutPoint } from "./Proxy.ts"
import type { Service } from "./Service.ts"
import * as SpanVerbs from "./SpanVerbs.ts"
import type { Lost } from "./Wires.ts"
import { servicesOf, type World, type WorldName } from "./World.ts"

/** A pause that the service's own limits outlast, and one that they do not (a statement's answer: 7 s), ms. */
const shortPauseMs = 1_000
const longPauseMs = 9_000

export interface Verb {
  readonly name: string
  readonly world: WorldName
  /** Does it; the moment when what was broken is back, ms. */
  readonly run: (world: World, random: Random) => Promise<number>
  /** Keys beside a business id may end in it. */
  readonly endsKeys?: true
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const killService: Verb = {
  name: "kill the service",
  world: "embedded",
  run: async ({ service }) => {
    await service.kill()
    const startedAt = Date.now()
    service.spawn()
    await service.ready()
    return startedAt
  }
}

const killPostgres: Verb = {
  name: "kill PostgreSQL",
  world: "embedded",
  run: async ({ postgres }) => {
    postgres.kill()
    return await postgres.returned()
  }
}

const killBoth: Verb = {
  name: "kill both at once",
  world: "embedded",
  run: async ({ postgres, service }) => {
    service.signal("SIGKILL")
    postgres.kill()
    await service.kill()
    const startedAt = Date.now()
    service.spawn()
    await service.ready()
    return startedAt
  }
}

const terminateWriter: Verb = {
  name: "end the writer's backend",
  world: "embedded",
  run: async ({ postgres }) => {
    await postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lotbook journal%'"
    )
    return Date.now()
  }
}

const killWriter: Verb = {
  name: "kill the writer's backend",
  world: "embedded",
  run: async ({ postgres }, random) => {
    const writers = await until("a writer's session", async () => {
      const found = await postgres.writers()
      return found.length > 0 ? found : undefined
    })
    signal([random.pick(writers)], "SIGKILL")
    return await postgres.returned()
  }
}

const stopService: Verb = {
  name: "stop and continue the service",
  world: "embedded",
  run: async ({ service }) => {
    service.signal("SIGSTOP")
    await sleep(shortPauseMs)
    service.signal("SIGCONT")
    return Date.now()
  }
}

const stopPostgres = (name: string, pauseMs: number): Verb => ({
  name,
  world: "embedded",
  run: async ({ postgres }) => {
    const processes = postgres.processes()
    signal(processes, "SIGSTOP")
    try {
      await sleep(pauseMs)
    } finally {
      signal(processes, "SIGCONT")
    }
    return await postgres.returned()
  }
})

const proxyOf = ({ proxy }: World) => {
  if (proxy === undefined) throw new Error("this world has no proxy")
  return proxy
}

const cutAppend = (point: CutPoint): Verb => ({
  name: `cut ${point} COMMIT`,
  world: "proxied",
  run: (world) => proxyOf(world).cutAppend(point)
})

const cutAll: Verb = {
  name: "cut every connection",
  world: "proxied",
  run: async (world) => {
    proxyOf(world).cutAll()
    return Date.now()
  }
}

const stall = (name: string, pauseMs: number): Verb => ({
  name,
  world: "proxied",
  run: async (world) => {
    proxyOf(world).stall()
    await sleep(pauseMs)
    proxyOf(world).resume()
    return Date.now()
  }
})

/** Written at once when the disk is filled, bytes. */
const ballastBytes = 1024 * 1024

/** Takes what is left of the disk. */
const fill = (file: string): void => {
  const ballast = Buffer.alloc(ballastBytes)
  const descriptor = fs.openSync(file, "w")
  try {
    for (let bytes = ballastBytes; bytes >= 512; ) {
      try {
        fs.writeSync(descriptor, ballast, 0, bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
        bytes /= 2
      }
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

const fillDisk: Verb = {
  name: "fill the disk",
  world: "small disk",
  run: async ({ disk, postgres, service }) => {
    if (disk === undefined) throw new Error("this world has no disk of its own")
    const ballast = path.join(disk, "ballast")
    fill(ballast)
    await until("the full disk shows", async () => {
      // PostgreSQL writes on in the files of its log that it has; a new one finds no room.
      await postgres.query("SELECT pg_switch_wal()").catch(() => undefined)
      const response = await fetch(`http://127.0.0.1:${service.port}/health/ready`)
      await response.arrayBuffer()
      return response.status === 503
    })
    await sleep(shortPauseMs)
    fs.rmSync(ballast)
    const freedAt = Date.now()
    await postgres.returned()
    return freedAt
  }
}

/** Longest time until every partition has a node again, ms: four seconds are promised, on a machine that has time. */
const placedMs = 60_000

/** Pause between two looks at the partitions, ms: each look is a session of its own at PostgreSQL. */
const placedPauseMs = 250

/** Waits until every partition is owned by a node that is alive and another `gone` is not. */
const placed = ({ postgres }: World, gone?: string): Promise<unknown> =>
  until(
    "every partition has a node",
    async () => {
      const [row] = await postgres.query(
        `SELECT count(*) AS n FROM partitions p WHERE NOT EXISTS
          (SELECT FROM nodes n WHERE n.id = p.owner AND NOT n.dead AND n.id <> '${gone ?? ""}')`
      )
      return Number(row?.["n"]) === 0
    },
    placedMs,
    placedPauseMs
  )

/** The id of a service's node. */
const idOf = async ({ postgres }: World, service: Service): Promise<string> => {
  const [row] = await postgres.query(`SELECT id FROM nodes WHERE process = ${service.pid}`)
  return String(row?.["id"] ?? "")
}

const anyOf = (world: World, random: Random): Service => random.pick(servicesOf(world))

/** A fault of one node, once `moment` has come; the moment from which on service is owed, ms. */
type NodeFault = (world: World, service: Service, random: Random, moment?: () => Promise<unknown>) => Promise<number>

/** The fault, of any node. */
const ofAnyNode = (name: string, fault: NodeFault): Verb => ({
  name,
  world: "nodes",
  run: (world, random) => fault(world, anyOf(world, random), random)
})

const allReady = async (world: World): Promise<void> => {
  for (const service of servicesOf(world)) await service.returned()
}

/** `kill -9`; a supervisor starts another one. */
const killNode: NodeFault = async (world, service, _, moment) => {
  const id = await idOf(world, service)
  await moment?.()
  const killedAt = Date.now()
  service.signal("SIGKILL")
  await placed(world, id)
  await allReady(world)
  return killedAt
}

/** Requests that wait in the stopped node's sockets until it continues. */
const waitingRequests = 20

/** Stops a node for longer than others wait for its beat, and continues it: it must answer nothing from memory, and end. */
const stopNode: NodeFault = async (world, service, random, moment) => {
  const id = await idOf(world, service)
  const { restarts } = service
  const member = `stopped-${random.whole(0, 1_000_000_000)}`
  if ((await post(service.port, "/proto/v1/members/enroll", enrolment(member))) !== 201)
    throw new Error("a node did not enrol a member")
  await moment?.()
  const stoppedAt = Date.now()
  service.signal("SIGSTOP")
  const read = { ...enrolment(member), identity: undefined }
  const asked = Array.from({ length: waitingRequests }, () => post(service.port, "/proto/v1/accounts/get", read))
  try {
    await placed(world, id)
    await sleep(random.whole(0, shortPauseMs))
  } finally {
    service.signal("SIGCONT")
  }
  const stale = (await Promise.all(asked)).filter((status) => status !== undefined && status !== 503)
  if (stale.length > 0) throw new Error(`the stopped node, continued, answered ${stale.join(", ")} from memory`)
  await until("the stopped node ends", () => service.restarts > restarts)
  await allReady(world)
  return stoppedAt
}

/** Stops a node for a moment that its beats survive. */
const pauseNode: Verb = {
  name: "pause a node",
  world: "nodes",
  run: async (world, random) => {
    const service = anyOf(world, random)
    service.signal("SIGSTOP")
    await sleep(shortPauseMs)
    service.signal("SIGCONT")
    await placed(world)
    return Date.now()
  }
}

/** A node's thread does nothing else for 3 s: the others declare it dead. */
const busyNode: Verb = {
  name: "keep a node's thread busy",
  world: "nodes",
  run: async (world, random) => {
    const service = anyOf(world, random)
    const id = await idOf(world, service)
    const { restarts } = service
    const busyAt = Date.now()
    service.keepBusy()
    await placed(world, id)
    await until("the busy node ends", () => service.restarts > restarts)
    await allReady(world)
    return busyAt
  }
}

/** Ends the sessions of a node's beats or of its claims. */
const endSession = (name: string, purpose: string): Verb => ({
  name,
  world: "nodes",
  run: async (world) => {
    await world.postgres.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lotbook ${purpose} %'`
    )
    await placed(world)
    return Date.now()
  }
})

/** Kills PostgreSQL under all nodes. */
const killPostgresOfNodes: Verb = {
  name: "kill the nodes' PostgreSQL",
  world: "nodes",
  run: async (world) => {
    world.postgres.kill()
    await world.postgres.returned()
    await placed(world)
    await allReady(world)
    return Date.now()
  }
}

/** Longest wait of a request for its answer, whatever the links between nodes do, ms: above the hold of calls. */
const answerMs = 5_500

/** Loses what goes to a node of the others, what comes back, or both; PostgreSQL is reached by all. */
const loseLink = (name: string, lost: Lost): Verb => ({
  name,
  world: "nodes",
  run: async (world, random) => {
    if (world.wires === undefined) throw new Error("this world has no wires")
    const cut = world.wires.cut((ids) => random.pick(ids), longPauseMs, lost)
    await answersInTime(world, cut)
    await allReady(world)
    return Date.now()
  }
})

/** Reads accounts of all nodes at every node until something is over: each answer comes in time. */
const answersInTime = async (world: World, over: Promise<void>): Promise<void> => {
  const services = servicesOf(world)
  const members = services.map(({ port }) => `link-${port}-${Date.now()}`)
  for (const [index, { port }] of services.entries())
    await post(port, "/proto/v1/members/enroll", enrolment(members[index] ?? ""))
  let isOver = false
  void over.finally(() => {
    isOver = true
  })
  const reading = services.flatMap(({ port }) =>
    members.map(async (member_id) => {
      while (!isOver) {
        const startedAt = Date.now()
        const status = await post(port, "/proto/v1/accounts/get", { ...enrolment(member_id), identity: undefined })
        const ms = Date.now() - startedAt
        if (status === undefined || ms > answerMs)
          throw new Error(`a read at port ${port} had ${status ?? "no answer"} after ${ms} ms`)
      }
    })
  )
  await Promise.all([...reading, over])
}

/** A node leaves in order, and another one joins. */
const leaveAndJoin: NodeFault = async (world, service, _, moment) => {
  await moment?.()
  const leftAt = Date.now()
  const code = await service.stop()
  if (code !== 0) throw new Error(`a node that was told to stop ended with ${code}, not 0`)
  await placed(world)
  service.resume()
  await allReady(world)
  await placed(world)
  return leftAt
}

/** Faults of a node that the caller names. */
export const nodeFaults = { kill: killNode, stop: stopNode, leave: leaveAndJoin } as const

export const verbs = {
  "service-kills": killService,
  "postgres-kills": killPostgres,
  "double-kills": killBoth,
  "writer-ends": terminateWriter,
  "writer-kills": killWriter,
  "service-stops": stopService,
  "postgres-stops": stopPostgres("stop and continue PostgreSQL", shortPauseMs),
  "long-postgres-stops": stopPostgres("stop PostgreSQL for long", longPauseMs),
  "cuts-before": cutAppend("before"),
  "cuts-under": cutAppend("under"),
  "cuts-after": cutAppend("after"),
  "cuts-all": cutAll,
  stalls: stall("stall the wire", shortPauseMs),
  "long-stalls": stall("stall the wire for long", longPauseMs),
  "node-kills": ofAnyNode("kill a node", killNode),
  "node-stops": ofAnyNode("stop a node, continue it", stopNode),
  "node-pauses": pauseNode,
  "busy-loops": busyNode,
  "beat-ends": endSession("end the sessions of beats", "node"),
  "placement-ends": endSession("end the sessions of claims", "placement"),
  "nodes-postgres-kills": killPostgresOfNodes,
  "node-cuts": loseLink("lose the links to a node", "both"),
  "calls-lost": loseLink("lose the calls to a node", "to"),
  "answers-lost": loseLink("lose the answers of a node", "from"),
  "leaves-and-joins": ofAnyNode("a node leaves, another joins", leaveAndJoin),
  "span-begins": { name: "kill the service as a span begins", world: "archive", run: SpanVerbs.beginSpan },
  "seal-kills": { name: "kill a seal", world: "archive", run: SpanVerbs.killSeal },
  "archive-kills": { name: "kill an archive", world: "archive", run: SpanVerbs.killArchive },
  "restore-kills": { name: "kill a restore", world: "archive", run: SpanVerbs.killRestore },
  "keys-end": { name: "end the keys of a span", world: "archive", run: SpanVerbs.endKeys, endsKeys: true },
  "disk-fulls": fillDisk
} as const satisfies Record<string, Verb>

export type VerbName = keyof typeof verbs
export const verbNames = Object.keys(verbs) as ReadonlyArray<VerbName>

/**
 * Of the nodes' faults one of each kind. A busy thread is as a stopped process, and a pause is a shorter one. Claims
 * end as beats do. Lost answers leave done what nobody is told, which lost calls and links do not.
 */
export const oneOfEachKind: ReadonlySet<VerbName> = new Set([
  "node-kills",
  "node-stops",
  "beat-ends",
  "nodes-postgres-kills",
  "answers-lost",
  "leaves-and-joins"
])
