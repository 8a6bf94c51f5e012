/**
 * Codes to guests' telephones, which wait for the one connector that sends them (contract/guests.md *Codes to telephones*). They
 * are no events: no feed, delivery or replay has them, and a row goes once the connector has taken its code.
 */
import { PgTypes } from "@effect/sql-pg"
import { Cache, Duration, Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8 } from "../../base/database/Values.ts"
import { callingCodeOf, isOfCountry } from "../../contract/Phones.ts"
import { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Connectors from "../webhooks/ConnectorStore.ts"
import * as Bounds from "./Bounds.ts"
import * as Counts from "./Counts.ts"
import { pagedProgram, pageOf } from "./CurrentGuest.ts"
import * as Letters from "./Letters.ts"

const { int4, text, uuid } = PgTypes

/** A code as it is sealed. */
export const Body = Schema.fromJsonString(
  Schema.Struct({ phone: Schema.String, code: Schema.String, language: Schema.String, text: Schema.String })
)
const encodeBody = Schema.encodeSync(Body)

/** True if a programme may send codes to telephones: it is no rehearsal, and has a country whose numbers are known. */
export const maySend = (program: Program): boolean =>
  !program.isRehearsal && pageOf(program) !== undefined && callingCodeOf(program.file.country) !== undefined

/** The connector that sends a programme's codes; undefined: none does. */
const connectorOf = (query: Query, program: Program) =>
  maySend(program) ? Connectors.forGuestCodes(query, program.id) : Effect.succeed(undefined)

/** Tells whether a programme sends codes to telephones, some seconds late: each guest who opens the page asks. */
export const offers = (query: Query) =>
  Effect.map(
    Cache.make({
      lookup: (program: string) => Connectors.forGuestCodes(query, program),
      capacity: Bounds.offersHeld,
      timeToLive: Duration.millis(Bounds.offersMs)
    }),
    (cache) => (program: Program) =>
      maySend(program)
        ? Effect.map(Cache.get(cache, program.id), (found) => found !== undefined)
        : Effect.succeed(false)
  )

const countRow = firstOf(Schema.Struct({ count: Schema.Number }))

interface Day {
  readonly program: string
  /** YYYY-MM-DD */
  readonly day: string
  /** Most codes of it. */
  readonly most: number
}

const isOver = (query: Query, { day, most, program }: Day) =>
  Effect.map(
    countRow(
      query("SELECT count FROM phone_code_days WHERE program_id = $1 AND day = $2::date", [text(program), text(day)])
    ),
    (row) => (row?.count ?? 0) >= most
  )

/** Counts one more code of the day. False: there were as many as may be. */
const count = (query: Query, { day, most, program }: Day) =>
  Effect.map(
    countRow(
      query(
        `INSERT INTO phone_code_days AS d (program_id, day, count) VALUES ($1, $2::date, 1)
          ON CONFLICT (program_id) DO UPDATE SET day = excluded.day,
            count = CASE WHEN d.day = excluded.day THEN d.count ELSE 0 END + 1
          WHERE d.day <> excluded.day OR d.count < $3 RETURNING count`,
        [text(program), text(day), int4(most)]
      )
    ),
    (row) => row !== undefined
  )

const dayOver = Effect.fail(
  new Refused({
    code: "overloaded",
    detail: "As many codes were sent to telephones today as may be; nothing was done. Sign in another way.",
    retryAfter: Bounds.dayRetrySeconds
  })
)

interface Parts {
  readonly query: Query
  readonly claimKey: ClaimKey
  /** The machine's time, ms. */
  readonly now: () => number
}

interface Wanted {
  readonly program: Program
  /** As E.164. */
  readonly phone: string
  readonly language: string
  /** A guest who has signed in asks for it: the day's codes that strangers used up do not keep her out. */
  readonly isOfSession: boolean
}

/** Refuses numbers and programmes that get no codes, before anything depends on its guest, and counts one that is to be sent. */
export const open = Effect.fnUntraced(function* (parts: Parts, { isOfSession, language, phone, program }: Wanted) {
  const { claimKey, now, query } = parts
  const page = yield* pagedProgram(program)
  if ((yield* connectorOf(query, program)) === undefined)
    return yield* refuse("invalid_state", "This programme sends no codes to telephones.")
  if (!isOfCountry(phone, program.file.country))
    return yield* refuseFaults([{ path: "/phone", message: "must be a number of the programme's country" }])
  const day: Day = {
    program: program.id,
    day: new Date(dateAt(program.zone, now())).toISOString().slice(0, 10),
    most: (page.codes_per_day ?? Bounds.codesPerDay) * (isOfSession ? Bounds.sessionShare : 1)
  }
  if (yield* isOver(query, day)) return yield* dayOver
  const isWithin = yield* Counts.mayText(parts, phone)
  if (isWithin && !(yield* count(query, day))) return yield* dayOver
  const post = Effect.fnUntraced(function* (code: string, until: number) {
    const id = randomUUID()
    const body = encodeBody({ phone, code, language, text: Letters.text(page.name, language, code) })
    yield* query("INSERT INTO phone_codes (code_id, program_id, sealed, due_at, until) VALUES ($1, $2, $3, $4, $5)", [
      uuid(id),
      text(program.id),
      PgTypes.bytea(Sealed.seal(claimKey, id, body)),
      int8(now()),
      int8(until)
    ])
    return true
  })
  return { isWithin, post }
})
