/** How the service and the commands reach their database. */
import { Effect, Layer, Redacted } from "effect"
import * as Bounds from "../../base/database/Bounds.ts"
import { Credentials } from "../../base/database/Credentials.ts"
import type { DatabaseStartError } from "../../base/database/Database.ts"
import { Database } from "../../base/database/Database.ts"
import * as Durability from "../../base/database/Durability.ts"
import * as EmbeddedPostgres from "../../base/database/embedded/EmbeddedPostgres.ts"
import { Lineage } from "../../base/database/Lineage.ts"
import { sessionName } from "../../base/database/SessionName.ts"
import type { Settings, Storage as SettingsStorage } from "./Settings.ts"

/** The database as the service `holder` uses it. */
export const layer = (settings: Settings, holder: string): Layer.Layer<Database, DatabaseStartError> => {
  const urls = urlsOf(settings)
  const found = urls.length === 0 ? EmbeddedPostgres.layer(settings.dataDir) : layerFromUrls(urls)
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

/** The URLs of the database, with the present password and with the next one; none: the embedded server. */
export const urlsOf = ({ databaseUrl, nextDatabaseUrl }: SettingsStorage): ReadonlyArray<Redacted.Redacted> =>
  [databaseUrl, nextDatabaseUrl].filter((url) => url !== undefined)

/** A PostgreSQL by its address, with one or two passwords. */
export const layerFromUrls = (urls: ReadonlyArray<Redacted.Redacted>): Layer.Layer<Database> => {
  const [url] = urls
  if (url === undefined) throw new Error("a PostgreSQL by its address has a URL")
  const parsed = new URL(Redacted.value(url))
  const plain = { url, connectTimeout: Bounds.startConnectMs, ...partsOf(parsed) }
  const credentials = new Credentials(plain, urls)
  return Layer.succeed(Database, {
    clientConfig: { ...plain, password: credentials.password },
    credentials,
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
