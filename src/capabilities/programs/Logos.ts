/** The logo of a programme's page for guests (contract/operators.md *Logos*). */
import { PgTypes } from "@effect/sql-pg"
import { Cache, Duration, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { LogoSet } from "../../contract/admin/Logos.ts"
import { maxLogoBytes, maxLogoSide } from "../../contract/admin/Logos.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
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

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The sides of a PNG by its header, which comes first (PNG 3, 11.2.1); undefined: it is none. */
const sizeOf = (png: Buffer): { readonly width: number; readonly height: number } | undefined =>
  png.length < 33 || !png.subarray(0, 8).equals(signature) || png.toString("latin1", 12, 16) !== "IHDR"
    ? undefined
    : { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }

const isSide = (pixels: number): boolean => pixels >= 1 && pixels <= maxLogoSide

/** The address changes with the picture, so that browsers may keep it. */
const urlOf = (id: string, sha256: string): string => `/my/${id}/logo.png?v=${sha256.slice(0, 12)}`

const shown = (id: string, { changed_at, height, sha256, width }: Row): LogoSet => ({
  program_id: id,
  width,
  height,
  logo_url: urlOf(id, sha256),
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
  const png = Buffer.from(base64, "base64")
  const size = png.length > maxLogoBytes ? undefined : sizeOf(png)
  if (size === undefined || !isSide(size.width) || !isSide(size.height))
    return yield* refuseFaults([
      { path: "/png", message: `must be a PNG of at most ${maxLogoBytes} bytes and ${maxLogoSide} pixels a side` }
    ])
  const row = { ...size, png, sha256: hash("sha256", png, "hex"), changed_at: yield* machineNow }
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
          if (row === undefined) return yield* refuse("not_found", `Programme ${id} has no logo.`)
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

/** A logo as guests load it. */
export interface GuestLogo {
  readonly png: Buffer
  readonly width: number
  readonly height: number
  readonly url: string
  readonly tag: string
}

/** Finds logos for guests, of whom many come at once. Undefined: there is none, or no answer. */
export const reader = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const held = yield* Cache.make({
    capacity: mostHeld,
    timeToLive: heldFor,
    lookup: (id: string) =>
      Effect.map(
        find(query, id),
        (row): GuestLogo | undefined =>
          row && {
            png: Buffer.from(row.png),
            width: row.width,
            height: row.height,
            url: urlOf(id, row.sha256),
            tag: row.sha256.slice(0, 22)
          }
      )
  })
  return (id: string): Effect.Effect<GuestLogo | undefined> =>
    Effect.orElseSucceed(Cache.get(held, id), () => undefined)
})
