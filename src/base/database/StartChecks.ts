/** Requirements on the PostgreSQL, checked before anything is made: version, encoding and durability settings. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { closedWithin } from "./Answer.ts"
import * as Bounds from "./Bounds.ts"
import { Database, DatabaseStartError, unusable } from "./Database.ts"
import { firstOf, rowsOf, texts } from "./Values.ts"

const oldestVersion = 150_000
/** Limit of all checks, ms: a server that accepts and does not answer must not hold up the start for good. */
const answerMs = 30_000

/** Settings that sessions of the service begin with. A pooler that refuses them must do so before anything is made. */
const startupParameters = { tcp_keepalives_idle: "1", statement_timeout: "60000", jit: "off" }

/** Settings without which an acknowledged entry could be lost. */
const durable = ["fsync", "synchronous_commit", "full_page_writes"] as const

const settingRows = rowsOf(Schema.Struct({ name: Schema.String, setting: Schema.String }))
const sslRow = firstOf(Schema.Struct({ ssl: Schema.Boolean }))

const check = Effect.fnUntraced(function* ({ clientConfig, describe }: Database["Service"]) {
  const connection = yield* PgConnection.make({
    ...clientConfig,
    connectTimeout: Bounds.startConnectMs,
    startupParameters
  })
  const settings = yield* settingRows(
    connection.query("SELECT name, setting FROM pg_settings WHERE name = ANY ($1)", [
      texts(["server_version_num", "server_version", "server_encoding", ...durable])
    ])
  )
  const setting = (name: string) => String(settings.find((row) => row.name === name)?.setting)
  if (Number(setting("server_version_num")) < oldestVersion) {
    return yield* new DatabaseStartError({
      message: `${describe} is version ${setting("server_version")}; 15 or later is needed.`
    })
  }
  if (setting("server_encoding") !== "UTF8") {
    return yield* new DatabaseStartError({
      message: `${describe} has the encoding ${setting("server_encoding")}; UTF8 is needed: CREATE DATABASE lotbook ENCODING 'UTF8' TEMPLATE template0`
    })
  }
  const off = durable.filter((name) => ["off", "local"].includes(setting(name)))
  if (off.length > 0) {
    return yield* new DatabaseStartError({
      message: `${describe} has ${off.map((name) => `${name} = ${setting(name)}`).join(", ")}: acknowledged points could be lost. Set ${off.join(", ")} to on, then start again.`
    })
  }
  const session = yield* sslRow(connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
  return { isEncrypted: session?.ssl === true }
})

export const run = Effect.flatMap(Database, (database) =>
  Effect.catchTags(closedWithin(check(database), answerMs), {
    SqlError: (error) => Effect.fail(unusable(database.describe, error)),
    TimeoutError: () =>
      Effect.fail(
        new DatabaseStartError({
          message: `${database.describe} accepts connections, but has not answered for ${answerMs / 1000} s.`
        })
      )
  })
)
