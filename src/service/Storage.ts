/** How the service and the commands reach their database. */
import { Effect, Layer, Redacted } from "effect"
import type { Settings } from "./Settings.ts"
import type { DatabaseStartError } from "../database/Database.ts"
import * as Bounds from "../database/Bounds.ts"
import { Database } from "../database/Database.ts"
import { sessionName } from "../database/SessionName.ts"
import * as Durability from "../database/Durability.ts"
import * as EmbeddedPostgres from "../database/embedded/EmbeddedPostgres.ts"
import { Lineage } from "../database/Lineage.ts"

/** The database as the service `holder` uses it. */
export const layer = (settings: Settings, holder: string): Layer.Layer<Database, DatabaseStartError> => {
  const found =
    settings.databaseUrl === undefined ? EmbeddedPostgres.layer(settings.dataDir) : layerFromUrl(settings.databaseUrl)
  const named = Effect.gen(function* () {
    const database = yield* Database
    const config = { ...database.clientConfig, applicationName: sessionName("service", holder) }
    const lineage = new Lineage(config, holder)
    const durability = yield* Durability.make(config, holder, lineage)
    yield* Effect.forkScoped(lineage.watch)
    // A new connection may be of a server that has ended every wait for its standby.
    return { ...database, holder, lineage, durability, clientConfig: lineage.guarded(config, durability.doubt) }
  })
  return Layer.effect(Database, named).pipe(Layer.provide(found))
}

/** A PostgreSQL by its address. */
export const layerFromUrl = (url: Redacted.Redacted): Layer.Layer<Database> => {
  const parsed = new URL(Redacted.value(url))
  return Layer.succeed(Database, {
    clientConfig: { url, connectTimeout: Bounds.startConnectMs, ...partsOf(parsed) },
    describe: `PostgreSQL at ${placeOf(parsed)}`
  })
}

/**
 * Host, port and database of the URL. The client would parse them itself, but its spans only contain separate options.
 */
const partsOf = ({ hostname, pathname, port, searchParams }: URL) => {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, "")
  const number = Number(searchParams.get("port") ?? port)
  const database = searchParams.get("dbname") ?? decodeURIComponent(pathname.slice(1))
  return {
    ...(host === "" ? {} : { host }),
    ...(number > 0 ? { port: number } : {}),
    ...(database === "" ? {} : { database })
  }
}

/** Server and database, without the secret. A URL without a database means the one named like the user. */
const placeOf = ({ host, pathname, username }: URL): string =>
  `${host}${pathname.length > 1 ? pathname : `/${username}`}`
