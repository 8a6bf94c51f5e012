/**
 * The PostgreSQL that comes with the service: a normal server with durable files,
 * one for each data folder.
 *
 * If the service is root, the server runs as an unprivileged user. If that user
 * cannot reach the checkout or the data folder, binaries or data are under
 * `/var/lib/lotbook`, and the start logs it. A start takes over a server that a
 * killed service left running. The owner of a server holds an advisory lock in it,
 * which ends with the owner's connection. A server that ends while its service
 * runs is restarted at the same port.
 */
import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Layer, Schedule } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { startConnectMs } from "../Bounds.ts"
import { causeOf, Database, type DatabaseStartError } from "../Database.ts"
import * as Locks from "../Locks.ts"
import * as Cluster from "./Cluster.ts"
import * as Folder from "./Folder.ts"
import type { EmbeddedConfig } from "./PostgresServer.ts"
import { freePort, mostConnections, PostgresServer } from "./PostgresServer.ts"
import { isAlive } from "./Processes.ts"
import * as Runner from "./Runner.ts"
import { failed } from "./Runner.ts"
import * as Supervision from "./Supervision.ts"
import * as Tools from "./Tools.ts"

const serviceName = /^lotbook service (\d+)$/

/** Opens a session that holds the owner's lock until the scope closes. Refuses a second service and names the first one. */
const own = Effect.fnUntraced(
  function* (config: PgClient.PgClientConfig, dataDir: string) {
    const connection = yield* PgConnection.make({ ...config, applicationName: `lotbook service ${process.pid}` })
    const holder = Effect.gen(function* () {
      const [row] = (yield* connection.query(`SELECT pg_try_advisory_lock(${Locks.owner}) AS owned`)).rows
      if (row?.["owned"] === true) return undefined
      const [held] = (yield* connection.query(
        `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.objid = ${Locks.owner} AND l.granted`
      )).rows
      return String(held?.["name"] ?? "Another lotbook service")
    })
    // The session of a killed service ends shortly after its process.
    const isGone = (name: string | undefined) => {
      const pid = name === undefined ? undefined : serviceName.exec(name)?.[1]
      return pid !== undefined && !isAlive(Number(pid))
    }
    const found = yield* Effect.repeat(holder, { while: isGone, schedule: Schedule.spaced("50 millis"), times: 100 })
    if (found === undefined) return connection
    return yield* failed(`${found} already uses ${dataDir}. Stop it, or give this service a DATA_DIR of its own.`)
  },
  Effect.catchTag("SqlError", (error) => Effect.fail(failed(`PostgreSQL does not answer: ${causeOf(error)}`)))
)

/** Adapts the server for its supervision; restarts always use the port that the clients know. */
const supervised = (server: PostgresServer, folder: Folder.Folder, config: EmbeddedConfig): Supervision.Server => ({
  isAlive: () => server.isAlive,
  start: Effect.andThen(server.dropStalePid, Effect.uninterruptible(server.start(config.port))),
  stop: server.stop,
  own: Effect.gen(function* () {
    const running = yield* server.clientConfig
    const session = yield* own(running, folder.base)
    if (running.port === config.port) return session
    // Another service, which has ended meanwhile, had restarted it at another port.
    yield* server.stop
    return yield* failed(`PostgreSQL ran at port ${running.port} and is restarted at ${config.port}.`)
  })
})

/**
 * Starts the server; false if a concurrent start was faster. A service that is told to stop before it owns what it has
 * started stops it, because nobody else would, unless another one owns it meanwhile.
 */
const started = Effect.fnUntraced(function* (server: PostgresServer, folder: Folder.Folder) {
  const port = yield* freePort
  return yield* Effect.acquireRelease(server.start(port), (isMine, exit) =>
    isMine && Exit.hasInterrupts(exit) && server.isAlive
      ? Effect.flatMap(server.clientConfig, (config) => Effect.andThen(own(config, folder.base), server.stop)).pipe(
          Effect.scoped,
          Effect.catch(({ message }) => Effect.logInfo(`PostgreSQL goes on: ${message}`))
        )
      : Effect.void
  )
})

/** Runs the server of a data folder until the scope closes. */
export const make = Effect.fnUntraced(function* (dataDir: string, connections = mostConnections) {
  const runner = yield* Runner.find
  // First: an image without PostgreSQL must ask for DATABASE_URL, not for a folder.
  const tools = yield* Tools.find(runner)
  const folder = yield* Folder.reach(runner, dataDir)
  const server = new PostgresServer(runner, tools, folder, connections)
  if (!Folder.hasCluster(folder)) yield* Cluster.initialise(runner, tools, folder)
  yield* Cluster.checkVersion(runner, tools, folder)
  yield* server.dropStalePid
  let took = yield* server.isRunning
  if (!took) took = !(yield* started(server, folder))
  if (took) yield* server.awaitReady
  const clientConfig = yield* server.clientConfig
  // Also where this process ends without closing the scope.
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("exit", server.endNow)),
    () => Effect.sync(() => process.off("exit", server.endNow))
  )
  yield* Supervision.supervise(supervised(server, folder, clientConfig))
  if (took) yield* Effect.logInfo("Took over the PostgreSQL that an earlier service left running")
  return { clientConfig, describe: `embedded PostgreSQL in ${folder.base}`, isEmbedded: true }
})

/**
 * The server of a data folder for a command: the service's running one, or one
 * that runs until the scope closes.
 */
const attach = Effect.fnUntraced(function* (dataDir: string) {
  if (!fs.existsSync(path.resolve(dataDir))) {
    return yield* failed(`There is no data in ${path.resolve(dataDir)}: set DATA_DIR, or DATABASE_URL.`)
  }
  const runner = yield* Runner.find
  const folder = yield* Folder.find(runner, dataDir)
  if (!Folder.hasCluster(folder))
    return yield* failed(`There is no data in ${folder.base}: set DATA_DIR, or DATABASE_URL.`)
  const server = new PostgresServer(runner, yield* Tools.find(runner), folder, mostConnections)
  if (!(yield* server.isRunning)) return yield* make(dataDir)
  yield* server.awaitReady
  const describe = `embedded PostgreSQL in ${folder.base}`
  return {
    clientConfig: { ...(yield* server.clientConfig), connectTimeout: startConnectMs },
    describe,
    isEmbedded: true
  }
})

export const layerAttached = (dataDir: string): Layer.Layer<Database, DatabaseStartError> =>
  Layer.effect(Database, attach(dataDir))

export const layer = (dataDir: string): Layer.Layer<Database, DatabaseStartError> =>
  Layer.effect(Database, make(dataDir))
