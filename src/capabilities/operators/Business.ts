/** The look of the business in the console and in mails (contract/operators.md *The business's look*). */
import { PgTypes } from "@effect/sql-pg"
import { Cache, Duration, Effect, Exit, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Look } from "../../contract/admin/Business.ts"
import type { Refused } from "../../contract/Refused.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import type { Picture, ServedPicture } from "../../desk/surface/Picture.ts"
import { pictureOf, served, urlOf } from "../../desk/surface/Picture.ts"

/** How long it is held: a change on another node is seen that much later, and the database is asked no oftener. */
const heldFor = Duration.seconds(30)

const logoPath = "/console/logo.png"

const { bytea, int4, text } = PgTypes

const Row = Schema.Struct({
  name: optional(Schema.String),
  colour: optional(Schema.String),
  width: optional(Schema.Number),
  height: optional(Schema.Number),
  sha256: optional(Schema.String)
})
type Row = typeof Row.Type
const rowsRead = rowsOf(Row)
const pictures = rowsOf(
  Schema.Struct({ png: Schema.Uint8Array, width: Schema.Number, height: Schema.Number, sha256: Schema.String })
)

const find = (query: Query) =>
  Effect.map(rowsRead(query("SELECT name, colour, width, height, sha256 FROM business_look")), ([row]) => row)

const shown = ({ colour, height, name, sha256, width }: Partial<Row> = {}): Look => ({
  ...(name === undefined ? undefined : { name }),
  ...(colour === undefined ? undefined : { colour }),
  ...(sha256 === undefined || width === undefined || height === undefined
    ? undefined
    : { logo: { url: urlOf(logoPath, sha256), width, height } })
})

const nameStatement = `INSERT INTO business_look AS l (name, colour, changed_at) VALUES ($1, $2, $3)
  ON CONFLICT (is_only) DO UPDATE SET name = excluded.name, colour = excluded.colour, changed_at = excluded.changed_at`
const logoStatement = `INSERT INTO business_look AS l (png, width, height, sha256, changed_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (is_only) DO UPDATE SET png = excluded.png, width = excluded.width, height = excluded.height,
    sha256 = excluded.sha256, changed_at = excluded.changed_at`

type Change = (query: Query, at: number) => Effect.Effect<unknown, Refused>

/** One value, held for a while; not a failure. */
const holding = <K, A, E>(lookup: (key: K) => Effect.Effect<A, E>) =>
  Cache.makeWith(lookup, { capacity: 1, timeToLive: (exit) => (Exit.isSuccess(exit) ? heldFor : Duration.zero) })

/** Changes it in one transaction with the entry of the audit. */
const changed = Effect.fnUntraced(function* ({ query, transaction }: PeoplePool["Service"], change: Change) {
  const at = yield* machineNow
  return yield* transaction(
    Effect.gen(function* () {
      // Of changes at once each has the one before it in its entry of the audit.
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended('business look', 0))")
      const before = yield* find(query)
      yield* change(query, at)
      const after = yield* find(query)
      if (JSON.stringify(before ?? {}) !== JSON.stringify(after ?? {}))
        yield* Audit.tell(query, {
          action: "business.look",
          subject: { type: "installation", id: "business" },
          programId: undefined,
          changes: Audit.changesOf(before, after)
        })
      return shown(after)
    })
  )
})

const putPicture = (query: Query, at: number, picture: Picture | undefined) =>
  query(logoStatement, [
    bytea(picture?.png ?? null),
    int4(picture?.width ?? null),
    int4(picture?.height ?? null),
    text(picture?.sha256 ?? null),
    int8(at)
  ])

export const layer = HttpApiBuilder.group(AdminApi, "business", (handlers) =>
  Effect.gen(function* () {
    const people = yield* PeoplePool
    // Nobody signs in for it, so it does not ask the database each time.
    const held = yield* holding((_: "look") => Effect.map(find(people.query), shown))
    const change = (make: Change) => Effect.tap(changed(people, make), () => Cache.invalidate(held, "look"))
    return handlers
      .handle("showBusiness", () => Cache.get(held, "look"))
      .handle("putBusiness", ({ payload: { colour, name } }) =>
        change((query, at) => query(nameStatement, [text(name ?? null), text(colour ?? null), int8(at)]))
      )
      .handle("putBusinessLogo", ({ payload: { png } }) =>
        Effect.flatMap(pictureOf(png), (picture) => change((query, at) => putPicture(query, at, picture)))
      )
      .handle("deleteBusinessLogo", () => change((query, at) => putPicture(query, at, undefined)))
  })
)

/** Finds the logo for the console's pages. Undefined: there is none, or no answer. */
export const logo = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const held = yield* holding((_: "logo") =>
    Effect.map(
      pictures(query("SELECT png, width, height, sha256 FROM business_look WHERE png IS NOT NULL")),
      ([row]): ServedPicture | undefined => row && served(logoPath, row)
    )
  )
  return Effect.orElseSucceed(Cache.get(held, "logo"), () => undefined)
})
