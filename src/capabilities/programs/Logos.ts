/** The logo of a programme's page for guests (contract/operators.md *Logos*). */
import { PgTypes } from "@effect/sql-pg"
import { Cache, Duration, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { LogoSet } from "../../contract/admin/Logos.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import type { ServedPicture } from "../../desk/surface/Picture.ts"
import { pictureOf, served, urlOf } from "../../desk/surface/Picture.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"

/** Logos in memory at once, of 200 kB each. */
const mostHeld = 50
/** How long one is held: guests see a change that much later, and the database is asked no oftener. */
const heldFor = Duration.seconds(30)

const { bytea, int4, text } = PgTypes

const Row = Schema.Struct({
  png: Schema.Uint8Array,
  width: Schema.Number,
  height: Schema.Number,
  sha256: Schema.String,
  changed_at: Schema.Number
})
type Row = typeof Row.Type
const rowsRead = rowsOf(Row)

const findStatement = "SELECT png, width, height, sha256, changed_at FROM program_logos WHERE program_id = $1"
const find = (query: Query, id: string) => Effect.map(rowsRead(query(findStatement, [text(id)])), ([row]) => row)

const putStatement = `INSERT INTO program_logos (program_id, png, width, height, sha256, changed_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (program_id) DO UPDATE SET png = excluded.png, width = excluded.width, height = excluded.height,
    sha256 = excluded.sha256, changed_at = excluded.changed_at`

const pathOf = (id: string): string => `/my/${id}/logo.png`

const shown = (id: string, { changed_at, height, sha256, width }: Row): LogoSet => ({
  program_id: id,
  width,
  height,
  logo_url: urlOf(pathOf(id), sha256),
  changed_at: fromMillis(changed_at)
})

const told = ({ height, sha256, width }: Omit<Row, "png" | "changed_at">) => ({ width, height, sha256 })

const change = Effect.fnUntraced(function* (
  { query, transaction }: PeoplePool["Service"],
  id: string,
  row: Row | undefined
) {
  yield* transaction(
    Effect.gen(function* () {
      // Of changes at once each has the one before it in its entry of the audit.
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended('logo ' || $1, 0))", [text(id)])
      const before = yield* find(query, id)
      if (before?.sha256 === row?.sha256) return
      if (row === undefined) yield* query("DELETE FROM program_logos WHERE program_id = $1", [text(id)])
      else {
        const { changed_at, height, png, sha256, width } = row
        yield* query(putStatement, [text(id), bytea(png), int4(width), int4(height), text(sha256), int8(changed_at)])
      }
      yield* Audit.tell(query, {
        action: "program.logo",
        subject: { type: "program", id },
        programId: id,
        changes: Audit.changesOf(before && told(before), row && told(row))
      })
    })
  )
})

const put = Effect.fnUntraced(function* (people: PeoplePool["Service"], id: string, base64: string) {
  const row = { ...(yield* pictureOf(base64)), changed_at: yield* machineNow }
  yield* change(people, id, row)
  return shown(id, (yield* find(people.query, id)) ?? row)
})

export const layer = HttpApiBuilder.group(AdminApi, "logos", (handlers) =>
  Effect.gen(function* () {
    const people = yield* PeoplePool
    const programs = yield* Programs
    const named = (id: string) => Effect.flatMap(CurrentCaller, (caller) => Visible.named(programs, caller, id))
    return handlers
      .handle("showLogo", ({ params: { program_id: id } }) =>
        Effect.gen(function* () {
          yield* named(id)
          const row = yield* find(people.query, id)
          if (row === undefined) return yield* refuse("not_found", said`Programme ${id} has no logo.`)
          return { ...shown(id, row), png: Buffer.from(row.png).toString("base64") }
        })
      )
      .handle("putLogo", ({ params: { program_id: id }, payload: { png } }) =>
        Effect.andThen(named(id), put(people, id, png))
      )
      .handle("deleteLogo", ({ params: { program_id: id } }) =>
        Effect.andThen(named(id), change(people, id, undefined))
      )
  })
)

/** The business's, where the programme has none of its own. */
const shownStatement = `SELECT png, width, height, sha256, changed_at, 1 AS rank FROM program_logos WHERE program_id = $1
  UNION ALL SELECT png, width, height, sha256, changed_at, 2 FROM business_look WHERE png IS NOT NULL
  ORDER BY rank LIMIT 1`

/** Finds logos for guests, of whom many come at once. Undefined: there is none, or no answer. */
export const reader = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const held = yield* Cache.make({
    capacity: mostHeld,
    timeToLive: heldFor,
    lookup: (id: string) =>
      Effect.map(
        rowsRead(query(shownStatement, [text(id)])),
        ([row]): ServedPicture | undefined => row && served(pathOf(id), row)
      )
  })
  return (id: string): Effect.Effect<ServedPicture | undefined> =>
    Effect.orElseSucceed(Cache.get(held, id), () => undefined)
})
