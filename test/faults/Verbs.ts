/**
 * The faults by name: what each does to a world under load, and the moment
 * from which on service is owed again.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { signal, until } from "./Processes.ts"
import type { CutPoint } from "./Proxy.ts"
import type { Random } from "../model/Random.ts"
import { enrolment, post } from "./Post.ts"
import type { World, WorldName } from "./World.ts"

/** A pause that the service's own limits outlast, and one that they do not (a statement's answer: 7 s), ms. */
const shortPauseMs = 1_000
const longPauseMs = 9_000

export interface Verb {
  readonly name: string
  readonly world: WorldName
  /** Does it; the moment when what was broken is back, ms. */
  readonly run: (world: World, random: Random) => Promise<number>
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

/** The active service and its standby. */
const rolesOf = async ({ second, service }: World) => {
  if (second === undefined) throw new Error("this world has one service")
  return await until("one service is the active one", async () => {
    if ((await service.status("/health/ready")) === 200) return { active: service, standby: second }
    if ((await second.status("/health/ready")) === 200) return { active: second, standby: service }
    return undefined
  })
}

/** Kills the active service; another process of it is the standby afterwards. */
const takeOver: Verb = {
  name: "kill the active service",
  world: "pair",
  run: async (world) => {
    const { active, standby } = await rolesOf(world)
    const killedAt = Date.now()
    await active.kill()
    await standby.ready()
    active.spawn()
    await active.warm()
    return killedAt
  }
}

/** Requests that wait in the stopped service's sockets until it continues. */
const waitingRequests = 20

/** Stops the active service until the other has taken over, and continues it: it must answer nothing and end. */
const freeze: Verb = {
  name: "stop the active service, continue it",
  world: "pair",
  run: async (world, random) => {
    const { active, standby } = await rolesOf(world)
    const member = `frozen-${random.whole(0, 1_000_000_000)}`
    if ((await post(active.port, "/proto/v1/members/enroll", enrolment(member))) !== 201)
      throw new Error("the active service did not enrol a member")
    const stoppedAt = Date.now()
    active.signal("SIGSTOP")
    const read = { ...enrolment(member), identity: undefined }
    const asked = Array.from({ length: waitingRequests }, () => post(active.port, "/proto/v1/accounts/get", read))
    try {
      await standby.ready()
      await sleep(random.whole(0, shortPauseMs))
    } finally {
      active.signal("SIGCONT")
    }
    const answers = await Promise.all(asked)
    const stale = answers.filter((status) => status !== undefined && status !== 503)
    if (stale.length > 0) throw new Error(`the stopped service, continued, answered ${stale.join(", ")} from memory`)
    const code = await active.end()
    if (code !== 1) throw new Error(`the replaced service ended with ${code}, not 1`)
    active.spawn()
    await active.warm()
    return stoppedAt
  }
}

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
  takeovers: takeOver,
  freezes: freeze,
  "disk-fulls": fillDisk
} as const satisfies Record<string, Verb>

export type VerbName = keyof typeof verbs
export const verbNames = Object.keys(verbs) as ReadonlyArray<VerbName>
