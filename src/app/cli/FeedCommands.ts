/**
 * `lotbook feed missing`: which orders of a list the database lacks, as after a restore to a point in time.
 *
 * Exit codes: 0 nothing is missing, 1 something is, 2 the command could not run.
 */
import { Console, Effect, Option, Result, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as fs from "node:fs"
import { text } from "node:stream/consumers"
import * as Connect from "../../base/database/Connect.ts"
import type { Database } from "../../base/database/Database.ts"
import * as Installation from "../../base/database/Installation.ts"
import { rowsOf, texts, uuids } from "../../base/database/Values.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import { typeOf } from "../../contract/platform/EventTypes.ts"
import { Timestamp, toMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import { type ClaimKey, makeClaimKey } from "../../core/journal/Hashing.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Settings from "../service/Settings.ts"
import { optionalText } from "./Flags.ts"
import { CannotRun, type OpenStorage, printable, working } from "./StorageCommand.ts"

/** A part of the list that the database has or lacks. */
interface Listed {
  /** Printed if it is missing. */
  readonly line: string
  readonly by: "claim" | "member" | "event"
  /** A claim's key, the hash of an event's record, or programme and member. */
  readonly key: string
}

const eventId = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\d+$/
const Delivery = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    type: Schema.String,
    time: Timestamp,
    programid: Schema.optionalKey(Schema.String),
    subject: Schema.optionalKey(Schema.String),
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
)
const deliveryOf = Schema.decodeUnknownOption(Delivery)

interface Reading {
  readonly claimKey: ClaimKey
  /** The programme of lines that name none. */
  readonly program: string
  /** ms; undefined: all. */
  readonly since: number | undefined
}

/** Events that follow from others. */
const derived: ReadonlySet<string> = new Set(
  (["balance.changed", "tier.changed", "points.expiring", "challenge.completed"] as const).map(typeOf)
)

const ofDelivery = (
  { data, id, programid, subject = "", time, type }: typeof Delivery.Type,
  { claimKey, program: only, since }: Reading
): Listed | undefined => {
  if (derived.has(type) || (since !== undefined && toMillis(time) < since)) return undefined
  const program = programid ?? only
  const { adjustment_id: adjustment, order_id: order } = data
  const about = `${subject} ${time}`
  if (type === typeOf("order.accrued") && typeof order === "string")
    return { line: `order ${order} ${about}`, by: "claim", key: ClaimKeys.order(claimKey, program, order) }
  if (type === typeOf("order.adjusted") && typeof adjustment === "string") {
    const key = ClaimKeys.adjustment(claimKey, program, adjustment)
    return { line: `adjustment ${adjustment} ${about}`, by: "claim", key }
  }
  if (type === typeOf("member.enrolled"))
    return { line: `member ${about}`, by: "member", key: JSON.stringify([program, subject]) }
  const hash = eventId.exec(id)?.[1]
  return hash === undefined ? undefined : { line: `event ${id} ${type} ${about}`, by: "event", key: hash }
}

const ofLine = (line: string, place: number, reading: Reading): Effect.Effect<Listed | undefined, CannotRun> => {
  if (line.startsWith("{")) {
    const delivery = deliveryOf(line)
    return Option.isSome(delivery)
      ? Effect.succeed(ofDelivery(delivery.value, reading))
      : Effect.fail(
          new CannotRun({ message: `Line ${place} is no event of the feed: it needs id, type, time and data.` })
        )
  }
  const hash = eventId.exec(line)?.[1]
  if (hash !== undefined) return Effect.succeed({ line: `event ${line}`, by: "event", key: hash })
  const key = ClaimKeys.order(reading.claimKey, reading.program, line)
  return Effect.succeed({ line: `order ${line}`, by: "claim", key })
}

const found = rowsOf(Schema.Struct({ key: Schema.String }))
const statements = {
  claim: "SELECT key::text AS key FROM claims WHERE key = ANY ($1)",
  member: `SELECT jsonb_build_array(a.program_id, a.member_id)::text AS key FROM accounts a
    JOIN unnest($1::text[]) k(pair) ON a.program_id = k.pair::jsonb ->> 0 AND a.member_id = k.pair::jsonb ->> 1`,
  // No index has the hashes: the whole journal is read once.
  event: "SELECT hash::text AS key FROM journal WHERE hash = ANY ($1) AND written_here(NULL, NULL)"
}

/** The parts of a list that the database lacks, each once, in the list's order. */
const missingOf = Effect.fnUntraced(function* (listed: ReadonlyArray<Listed>) {
  const known = yield* Connect.apart((connection) =>
    Effect.forEach(["claim", "member", "event"] as const, (by) => {
      const keys = [...new Set(listed.flatMap((one) => (one.by === by ? [one.key] : [])))]
      if (keys.length === 0) return Effect.succeed([])
      const parameter = by === "member" ? texts(keys) : uuids(keys)
      return Effect.map(found(connection.query(statements[by], [parameter])), (rows) =>
        rows.map(({ key }) => `${by} ${by === "member" ? JSON.stringify(JSON.parse(key)) : key}`)
      )
    })
  )
  const all = new Set(known.flat())
  return [...new Map(listed.flatMap((one) => (all.has(`${one.by} ${one.key}`) ? [] : [[one.key, one]]))).values()]
})

const Instant = strictDecoder(Timestamp)

const missing = (open: OpenStorage<Database | Programs>) =>
  Command.make(
    "missing",
    {
      ...Settings.storageFlags,
      file: Argument.optional(Argument.withDescription(Argument.String("file"), "the list (default: standard input)")),
      since: optionalText(
        "since",
        "leave out deliveries of before, such as 2026-07-14T10:00:00Z: the time of the restore"
      ),
      program: optionalText("program", "the programme of orders in the list, needed if there are several")
    },
    ({ file, program, since, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          const at = Option.getOrUndefined(since)
          if (at !== undefined && Result.isFailure(Instant(at)))
            return yield* new CannotRun({
              message: `--since must be a date-time such as 2026-07-14T10:00:00Z, not ${at}`
            })
          const ids = (yield* Programs).all().map(({ id }) => id)
          const only = Option.getOrUndefined(program) ?? (ids.length === 1 ? ids[0] : undefined)
          if (only === undefined || !ids.includes(only))
            return yield* new CannotRun({ message: `--program must be one of ${ids.join(", ")}.` })
          const list = yield* Effect.tryPromise({
            try: async () => (Option.isSome(file) ? fs.promises.readFile(file.value, "utf8") : text(process.stdin)),
            catch: (error) => new CannotRun({ message: error instanceof Error ? error.message : String(error) })
          })
          const reading = {
            claimKey: makeClaimKey(yield* Installation.secret),
            program: only,
            since: at === undefined ? undefined : toMillis(at)
          }
          const lines = list.split("\n").map((line) => line.trim())
          const listed = yield* Effect.forEach(lines, (line, index) =>
            line === "" ? Effect.undefined : ofLine(line, index + 1, reading)
          )
          const compared = listed.filter((one) => one !== undefined)
          const lost = yield* missingOf(compared)
          for (const { line } of lost) yield* Console.log(printable(line))
          yield* Console.error(`${lost.length} of ${compared.length} are missing.`)
          return lost.length === 0 ? 0 : 1
        })
      )
  ).pipe(
    Command.withDescription(
      "Name what a list has and the database lacks, after a restore to a point in time: orders, adjustments and members to send again. The list has a line each: an order id, an event id, or an event of a connector as JSON."
    ),
    Command.withExamples([
      {
        command: "lotbook feed missing received.jsonl --since 2026-07-14T10:00:00Z",
        description: "What a connector's receiver got after the restored moment"
      },
      { command: "lotbook feed missing orders.txt", description: "The order ids of a till's log" }
    ])
  )

export const feed = (open: OpenStorage<Database | Programs>) =>
  Command.make("feed").pipe(
    Command.withDescription("Compare lists of other systems with the database."),
    Command.withExamples([
      { command: "lotbook feed missing orders.txt", description: "Which orders are to be sent again after a restore" }
    ]),
    Command.withSubcommands([missing(open)])
  )
