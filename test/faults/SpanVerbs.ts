/**
 * Spans that begin, are sealed, go into files and come back, with the command or the service killed in the midst of it
 * (contract/databases.md *Spans*, *Seals*, *Archive*). What was cut off is repeated, and everything must be there.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as Locks from "../../src/base/database/Locks.ts"
import * as Built from "../Built.ts"
import type { Random } from "../model/Random.ts"
import { until } from "./Processes.ts"
import type { World } from "./World.ts"

/** A kill comes within this time after the command has its lock, or the service the statement, ms. */
const amidMs = 400

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const archiveOf = ({ archive }: World) => {
  if (archive === undefined) throw new Error("this world has no archive")
  return archive
}

interface Command {
  readonly child: ChildProcess
  /** Its exit code, null if it was killed, and what it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>
}

const start = (world: World, ...args: ReadonlyArray<string>): Command => {
  const child = spawn(process.execPath, [Built.main, "journal", ...args, "--database-url", archiveOf(world).url], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8")
    })
  return { child, ended: new Promise((resolve) => child.once("exit", (code) => resolve({ code, said }))) }
}

/** Runs a command until it succeeds: a session that was cut off, or the service, may hold its lock. */
const succeed = async (world: World, ...args: ReadonlyArray<string>): Promise<void> => {
  let last = ""
  await until(`journal ${args.join(" ")} succeeds`, async () => {
    const { code, said } = await start(world, ...args).ended
    if (code === 1) throw new Error(`journal ${args.join(" ")}: ${said}`)
    last = said
    return code === 0
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${last}`)
  })
}

const numberOf = async ({ postgres }: World, statement: string): Promise<number> => {
  const [row] = await postgres.query(`SELECT (${statement})::int AS n`)
  return Number(row?.["n"])
}

const isLocked = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${Locks.sealing} AND granted`

/** Starts a command, and kills it a moment after it has begun its work. */
const killAmid = async (world: World, random: Random, ...args: ReadonlyArray<string>): Promise<void> => {
  const { child, ended } = start(world, ...args)
  await until("the command has its lock", async () => child.exitCode !== null || (await numberOf(world, isLocked)) > 0)
  await sleep(random.whole(0, amidMs))
  child.kill("SIGKILL")
  await ended
}

/** Seals every span that is over. */
const seal = (world: World): Promise<unknown> =>
  until("every span that is over is sealed", async () => {
    await succeed(world, "seal")
    return (
      (await numberOf(world, "SELECT count(*) FROM seals")) === (await numberOf(world, "SELECT span FROM installation"))
    )
  })

const span = (world: World): Promise<void> => succeed(world, "span")

/** Begins two spans and seals them, so that there is one to archive. */
const twoSpans = async (world: World): Promise<void> => {
  for (let begun = 0; begun < 2; begun++) {
    const before = await numberOf(
      world,
      "SELECT count(*) FROM journal j WHERE j.span = (SELECT span FROM installation)"
    )
    if (before > 0) await span(world)
    await until("records in the span", async () => {
      const present = "SELECT count(*) FROM journal j WHERE j.span = (SELECT span FROM installation)"
      return (await numberOf(world, present)) > 0
    })
  }
  await seal(world)
  await until("the sums of finance have every record of the spans", async () => {
    const missing = `SELECT count(*) FROM journal j, finance_progress p WHERE j.span < (SELECT span FROM installation)
      AND (j.epoch, j.transaction, j.account, j.seq) > (p.epoch, p.transaction, p.account, p.seq)`
    return (await numberOf(world, missing)) === 0
  })
}

const archived = "SELECT count(*) FROM archived_spans"
const archiveArgs = (world: World) => ["archive", "--before", "2999-01", "--to", archiveOf(world).folder]
const prove = (world: World) => succeed(world, "verify", "--full", "--from", archiveOf(world).folder)

/**
 * Kills the service as a span begins; another span begins once it is back. Where PostgreSQL is not embedded, a service waits 2 s for its
 * predecessor to be dead, and two commands start beside it: the first write takes longer than where PostgreSQL is embedded.
 */
export const beginSpan = async (world: World, random: Random): Promise<number> => {
  const { ended } = start(world, "span")
  await sleep(random.whole(0, 3 * amidMs))
  await world.service.kill()
  const startedAt = Date.now()
  world.service.spawn()
  await world.service.ready()
  await ended
  await span(world)
  return startedAt
}

export const killSeal = async (world: World, random: Random): Promise<number> => {
  await span(world)
  await killAmid(world, random, "seal")
  await seal(world)
  return Date.now()
}

/** The rest of the load reads out of the files. */
export const killArchive = async (world: World, random: Random): Promise<number> => {
  await twoSpans(world)
  await killAmid(world, random, ...archiveArgs(world))
  await succeed(world, ...archiveArgs(world))
  if ((await numberOf(world, archived)) === 0) throw new Error("no span lies in a file")
  await prove(world)
  return Date.now()
}

/** As if the spans that are over had ended more than 400 days ago; the load repeats keys and ids of them meanwhile. */
export const endKeys = async (world: World, random: Random): Promise<number> => {
  await twoSpans(world)
  const days = random.whole(401, 800)
  await world.postgres.query(`UPDATE spans SET began_at = clock_timestamp() - interval '${days} days' WHERE span > 0`)
  const drop =
    "SELECT more FROM drop_keys((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 400 * 86400000::bigint)"
  const ended = "SELECT count(*) FROM spans WHERE keys_ended_at IS NOT NULL"
  const before = await numberOf(world, ended)
  // A service is killed while the partition is dropped; one of the two is repeated.
  const dropping = world.postgres.query(drop).catch(() => undefined)
  await world.service.kill()
  world.service.spawn()
  await world.service.ready()
  await dropping
  await until("the keys of a span have ended", async () => {
    await world.postgres.query(drop).catch(() => undefined)
    return (await numberOf(world, ended)) > before
  })
  await prove(world)
  return Date.now()
}

export const killRestore = async (world: World, random: Random): Promise<number> => {
  const { folder } = archiveOf(world)
  await twoSpans(world)
  await succeed(world, ...archiveArgs(world))
  const [row] = await world.postgres.query("SELECT min(month) AS month FROM archived_spans")
  const args = ["restore", String(row?.["month"]), "--from", folder]
  await killAmid(world, random, ...args)
  if ((await numberOf(world, archived)) > 0) await succeed(world, ...args)
  if ((await numberOf(world, archived)) > 0) throw new Error("a span of the month did not come back")
  await prove(world)
  return Date.now()
}
