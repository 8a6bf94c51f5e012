/**
 * Sends the mails that wait, on one node at a time (contract/mail.md *Sending*).
 *
 * A mail is taken for a while, sent, and then its row goes. So a kill in between sends it again later, with the same
 * Message-ID. A mail server that is away, or refuses the sign-in or the sender, holds all back; one that refuses an address,
 * that mail alone.
 */
import { PgTypes } from "@effect/sql-pg"
import { Cause, Effect, Metric, Schema } from "effect"
import type { Transporter } from "nodemailer"
import { type Query, WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { machineNow } from "../../base/time/Times.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { Journal } from "../../core/journal/Journal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Bounds from "./Bounds.ts"
import { Body, CurrentMail, kinds, type MailOptions } from "./Mail.ts"
import { logoOf } from "./MailLogo.ts"
import type { Fault, Outcome } from "./Transport.ts"
import * as Transport from "./Transport.ts"

const waiting = Metric.gauge("lotbook_mails_waiting", { description: "Mails that wait to be sent" })
const oldest = Metric.gauge("lotbook_mails_oldest_seconds", {
  description: "Age of the oldest mail that waits to be sent, seconds"
})

const Row = Schema.Struct({
  mail_id: Schema.String,
  kind: Schema.Literals(kinds),
  sealed: Schema.Uint8Array,
  until: Schema.Number,
  attempts: Schema.Number
})
type Row = typeof Row.Type

const takeStatement = `WITH due AS MATERIALIZED (
    SELECT mail_id FROM mails WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE mails m SET due_at = $1 + $3, attempts = m.attempts + 1 FROM due WHERE m.mail_id = due.mail_id
  RETURNING m.mail_id, m.kind, m.sealed, m.until, m.attempts`
const takenRows = rowsOf(Row)
const lateStatement = `DELETE FROM mails WHERE mail_id IN (
    SELECT mail_id FROM mails WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING kind`
const lateRows = rowsOf(Schema.Struct({ kind: Schema.Literals(kinds) }))
const waitingRow = oneOf(Schema.Struct({ waiting: Schema.Number, created: Schema.NullOr(Schema.Number) }))
const decodeBody = Schema.decodeSync(Body)

/** Without a mail server mails wait for one until they are of no use. */
const forgetLate = Effect.fnUntraced(function* (query: Query) {
  const late = yield* lateRows(query(lateStatement, [int8(yield* machineNow), int8(Bounds.lateMails)]))
  for (const { kind } of late) yield* Metric.update(Transport.mailsTotal(kind, "late"), 1)
  return late.length === 0 ? ("idle" as const) : ("worked" as const)
})

/** Batches of mails, and a measurement of what waits. */
export const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const { claimKey } = yield* Journal

  const finish = Effect.fnUntraced(function* ({ kind, mail_id }: Row, outcome: Outcome) {
    yield* query("DELETE FROM mails WHERE mail_id = $1", [PgTypes.uuid(mail_id)])
    yield* Metric.update(Transport.mailsTotal(kind, outcome), 1)
  })

  const later = Effect.fnUntraced(function* ({ attempts, mail_id }: Row, { of }: Fault) {
    // A server that is there again takes all of them at once.
    const times = of === "server" ? 1 : 2 ** Math.min(20, attempts - 1)
    const pauseMs = Math.min(Bounds.longestRetryMs, Bounds.retryMs * times)
    const due = (yield* machineNow) + pauseMs
    yield* query("UPDATE mails SET due_at = $2 WHERE mail_id = $1", [PgTypes.uuid(mail_id), int8(due)])
  })

  const failed = Effect.fnUntraced(function* (row: Row, fault: Fault) {
    const { kind, mail_id } = row
    const facts = { kind, mail_id, reason: fault.reason }
    if (!fault.isFinal) {
      yield* LogEvent.of(
        "mail_failing",
        facts
      )(Effect.logWarning(`The mail server does not take a mail yet (${kind} ${mail_id}): ${fault.reason}`))
      return yield* later(row, fault)
    }
    yield* finish(row, "refused")
    yield* LogEvent.of(
      "mail_refused",
      facts
    )(Effect.logWarning(`The mail server refuses a mail for good (${kind} ${mail_id}): ${fault.reason}`))
  })

  /** Sends one mail. The result tells whether the mail server is there. */
  const sendOne = Effect.fnUntraced(function* (row: Row, { from }: MailOptions, opened: Transporter) {
    if (row.until <= (yield* machineNow)) {
      yield* finish(row, "late")
      return true
    }
    const body = decodeBody(Sealed.open(claimKey, row.mail_id, Buffer.from(row.sealed)))
    const { look = { name: "Lotbook" }, to, ...words } = body
    const letter = { ...words, look }
    const logo = yield* logoOf(query, look)
    const sent = yield* Effect.result(Transport.send(opened, from, { id: row.mail_id, to, letter, logo }))
    if (sent._tag === "Success") yield* finish(row, "sent")
    else yield* failed(row, sent.failure)
    return sent._tag === "Success" || sent.failure.of === "mail"
  })

  const batch = Effect.gen(function* () {
    const options = yield* CurrentMail
    if (options === undefined) return yield* forgetLate(query)
    const now = yield* machineNow
    const rows = yield* takenRows(query(takeStatement, [int8(now), int8(Bounds.batchMails), int8(Bounds.leaseMs)]))
    if (rows.length === 0) return "idle" as const
    const opened = yield* Transport.open(options)
    const there = yield* Effect.forEach(rows, (row) => sendOne(row, options, opened), {
      concurrency: Bounds.connections
    })
    return there.some((one) => one) ? ("worked" as const) : ("waits" as const)
  }).pipe(Effect.scoped)

  const measure = Effect.gen(function* () {
    const row = yield* waitingRow(query("SELECT count(*) AS waiting, min(created_at) AS created FROM mails"))
    yield* Metric.update(waiting, row.waiting)
    yield* Metric.update(oldest, row.created === null ? 0 : Math.max(0, (yield* machineNow) - row.created) / 1_000)
  })
  return { batch, measure }
})

/** Sends until the scope closes, on one node at a time. Without a mail server it removes what is of no use any more. */
export const layer = Effect.gen(function* () {
  for (const kind of kinds)
    for (const outcome of Transport.outcomes) yield* Series.begin(Transport.mailsTotal(kind, outcome))
  for (const gauge of [waiting, oldest]) yield* Series.begin(gauge)
  const isSending = (yield* CurrentMail) !== undefined
  const { batch, measure } = yield* make
  const { whileMine } = yield* Partitions
  const keep = Pace.keep({
    name: "Mails",
    batch,
    idle: Effect.sleep(isSending ? Bounds.idleMs : Bounds.lateLookMs),
    busyPauseMs: () => Bounds.idleMs,
    troubleMs: Bounds.troubleMs
  })
  const measured = measure.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logDebug("Waiting mails could not be counted", cause)
    ),
    Effect.andThen(Effect.sleep(Bounds.measureMs)),
    Effect.forever
  )
  // Another node measures from then on.
  const forget = Effect.forEach([waiting, oldest], (gauge) => Metric.update(gauge, 0), { discard: true })
  const work = isSending ? Effect.ensuring(Effect.raceFirst(keep, measured), forget) : keep
  yield* Effect.forkScoped(whileMine(singletons.mail, work))
})
