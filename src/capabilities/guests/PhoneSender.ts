/**
 * Sends the codes that wait for telephones to their connectors, on one node at a time (contract/guests.md *Codes to telephones*).
 *
 * A code is taken for a while, sent, and then its row goes. So a kill in between sends it again later, with the same
 * `webhook-id`. Each programme has a few attempts in flight at most, so a receiver that is slow holds up its own codes alone.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, FiberSet, Metric, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { machineTime } from "../../base/time/Times.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Connectors from "../webhooks/ConnectorStore.ts"
import * as Sender from "../webhooks/Sender.ts"
import * as Signature from "../webhooks/Signature.ts"
import * as Bounds from "./Bounds.ts"
import { Body, maySend } from "./PhoneCodes.ts"

const outcomes = ["sent", "failed", "late"] as const
const total = (outcome: (typeof outcomes)[number]) =>
  Metric.counter("lotbook_phone_codes_total", {
    description:
      "Codes to telephones that a connector took, attempts that failed, and codes that ended before one took them",
    attributes: { outcome },
    incremental: true
  })

const Row = Schema.Struct({
  id: Schema.String,
  program: Schema.String,
  sealed: Schema.Uint8Array,
  until: Schema.Number,
  attempts: Schema.Number
})
type Row = typeof Row.Type
const takenRows = rowsOf(Row)

/** $3: attempts in flight by programme. The second look at `due_at` lets one of two nodes have a row. */
const takeStatement = `WITH due AS MATERIALIZED (
    SELECT code_id, program_id, row_number() OVER (PARTITION BY program_id ORDER BY due_at) AS n
      FROM phone_codes WHERE due_at <= $1 AND until > $1)
  UPDATE phone_codes c SET due_at = $1 + $2, attempts = c.attempts + 1 FROM due
    WHERE c.code_id = due.code_id AND c.due_at <= $1
      AND due.n <= ${Bounds.textsInFlight} - coalesce(($3::jsonb ->> due.program_id)::int, 0)
  RETURNING c.code_id::text AS id, c.program_id AS program, c.sealed, c.until, c.attempts`
const overRows = rowsOf(Schema.Struct({ code_id: Schema.String }))
const overStatement = `DELETE FROM phone_codes WHERE code_id IN (
    SELECT code_id FROM phone_codes WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING code_id::text`
const decodeBody = Schema.decodeSync(Body)

/** Attempts in flight, and one round that begins what is due. */
export const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const { claimKey } = yield* Journal
  const programs = yield* Programs
  const machine = yield* machineTime
  const fibers = yield* FiberSet.make()
  const fork = yield* FiberSet.runtime(fibers)<never>()
  const inFlight = new Map<string, number>()
  let sweptAt = -Infinity

  const drop = ({ id }: Row) => query("DELETE FROM phone_codes WHERE code_id = $1", [PgTypes.uuid(id)])

  const later = Effect.fnUntraced(function* ({ attempts, id, program }: Row, connector: string, reason: string) {
    yield* Metric.update(total("failed"), 1)
    const due = machine.now() + Math.min(Bounds.longestTextRetryMs, Bounds.textRetryMs * 2 ** (attempts - 1))
    yield* query("UPDATE phone_codes SET due_at = $2 WHERE code_id = $1", [PgTypes.uuid(id), int8(due)])
    const facts = { connector_id: connector, program_id: program, reason }
    yield* LogEvent.of(
      "guest_code_failing",
      facts
    )(Effect.logWarning(`Connector ${connector} does not take a code for a guest's telephone yet: ${reason}`))
  })

  const attempt = Effect.fnUntraced(function* (row: Row) {
    const program = programs.get(row.program)
    // A programme that has become a rehearsal tells guests nothing.
    if (program === undefined || !maySend(program)) return yield* drop(row)
    const connector = yield* Connectors.forGuestCodes(query, row.program)
    // Another one may be set, or this one enabled, before the code ends.
    if (connector === undefined) return
    const now = machine.now()
    const sealed = yield* Connectors.secretsOf(query, connector.id, now)
    const secrets = sealed.map((secret) => Sealed.open(claimKey, connector.id, secret))
    const told = decodeBody(Sealed.open(claimKey, row.id, Buffer.from(row.sealed)))
    const body = JSON.stringify({
      type: "guest_code",
      program_id: row.program,
      ...told,
      expires_at: fromMillis(row.until)
    })
    const headers = { ...Signature.headersOf(secrets, { id: row.id, now, body }), "content-type": "application/json" }
    const outcome = yield* Sender.once(connector.url, headers, body)
    if (!Sender.isSuccess(outcome))
      return yield* later(row, connector.id, String(outcome.status ?? outcome.error ?? "failed"))
    yield* drop(row)
    yield* Metric.update(total("sent"), 1)
  })

  const begin = (row: Row) => {
    inFlight.set(row.program, (inFlight.get(row.program) ?? 0) + 1)
    const ended = Effect.sync(() => {
      const left = (inFlight.get(row.program) ?? 1) - 1
      if (left > 0) inFlight.set(row.program, left)
      else inFlight.delete(row.program)
    })
    // After trouble with the storage the code is due again once its time with this node is over.
    const safe = Effect.catchCause(attempt(row), (cause) => Effect.logDebug("A code for a telephone waits", cause))
    return fork(Effect.ensuring(safe, ended))
  }

  const sweep = Effect.fnUntraced(function* (now: number) {
    if (now - sweptAt < Bounds.textSweepMs) return
    sweptAt = now
    const over = yield* overRows(query(overStatement, [int8(now), int8(Bounds.removedAtOnce)]))
    yield* Metric.update(total("late"), over.length)
  })

  const batch = Effect.gen(function* () {
    const now = machine.now()
    yield* sweep(now)
    const flying = [...inFlight.values()].reduce((sum, one) => sum + one, 0)
    if (flying >= Bounds.allTextsInFlight) return "idle" as const
    const parameters = [int8(now), int8(Bounds.textLeaseMs), PgTypes.jsonb(Object.fromEntries(inFlight))]
    for (const row of yield* takenRows(query(takeStatement, parameters))) begin(row)
    return "idle" as const
  })
  /** `settled`: waits until nothing is in flight. */
  return { batch, settled: FiberSet.awaitEmpty(fibers) }
})

/** Sends until the scope closes, on one node at a time. */
export const layer = Effect.gen(function* () {
  for (const outcome of outcomes) yield* Series.begin(total(outcome))
  const { whileMine } = yield* Partitions
  const work = Effect.flatMap(make, ({ batch }) =>
    Pace.keep({
      name: "Codes for telephones",
      batch,
      idle: Effect.sleep(Bounds.textIdleMs),
      busyPauseMs: () => Bounds.textIdleMs,
      troubleMs: Bounds.textTroubleMs
    })
  )
  yield* Effect.forkScoped(whileMine(singletons.guests, Effect.scoped(work)))
})
