/**
 * The routes of imports (contract/engagement.md *Imports*). Each row runs once: outcomes are stored as the
 * import proceeds, and the same rows with the same key resume an interrupted import, on any node.
 * The rows themselves are not stored. The key is not one of `Idempotency`: it names the import, which goes on.
 */
import { type Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { type Pool, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { canonical } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { ErrorQuery, ImportQuery, ImportRequest, ImportTarget } from "../../contract/platform/Imports.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../../contract/protocol/Protocol.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { allows } from "../../contract/Scopes.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import * as Given from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { isTransient, refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Reached from "../segments/Reached.ts"
import { mustReachNobody } from "./Audiences.ts"
import * as Bounds from "./Bounds.ts"
import { cardsOf } from "./Cards.ts"
import * as Foresight from "./Foresight.ts"
import * as ImportCsv from "./ImportCsv.ts"
import * as ImportRows from "./ImportRows.ts"
import type { DoneRow, StoredImport } from "./ImportStore.ts"
import * as Store from "./ImportStore.ts"
import { warningsOf } from "./Repeats.ts"
import { enrolledBy, openingKey, rowKey, withEnrolledBefore, withOpenings } from "./RowClaims.ts"
import type { Submitted, ValidRow } from "./Submitted.ts"
import { batchesOf, checked, failedRow, repeated, submittedIn, valuesIn } from "./Submitted.ts"
import { Turns } from "./Turns.ts"

/** Facts that the rows of a batch share. */
interface BatchContext extends Omit<ImportRows.RowContext, "key" | "opening" | "only" | "cards" | "within"> {
  readonly caller: RequestCaller
  /** Undefined: campaigns give nothing because of the rows that would count. */
  readonly because: Reached.Because | undefined
  readonly isCsv: boolean
  /** Undefined: the caller may change members that were there before. Else all rows, to find those the import enrolled. */
  readonly enrolling: ReadonlyArray<ValidRow> | undefined
}

/** The id of an import, derived from its key: a caller that lost the answer finds the import by sending it again. */
const idOf = (program: string, key: string): string =>
  `imp_${hash("sha256", JSON.stringify([program, key])).slice(0, 32)}`

const keyFault = (key: string | undefined): string | undefined =>
  key === undefined
    ? "is required, here or in the header Idempotency-Key"
    : key.length < minIdempotencyKeyLength || key.length > maxIdempotencyKeyLength
      ? `must have ${minIdempotencyKeyLength} to ${maxIdempotencyKeyLength} characters`
      : undefined

const errorColumns = ["row", "path", "code", "detail"] as const

/** The parts that the routes need. */
const needed = Effect.all({
  given: Given.make,
  pool: WorkPool,
  journal: Journal,
  programs: Programs,
  reached: Reached.make,
  rows: Effect.flatMap(WorkPool, ({ query }) => ImportRows.make(query)),
  turns: Effect.sync(() => new Turns()),
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

/** The import with its errors, as long as they are kept. */
const withErrors = ({ pool }: Parts, stored: StoredImport) =>
  stored.import.rows_deleted === true
    ? Effect.succeed(stored.import)
    : Effect.map(Store.errors(pool.query, stored.n), (errors) => ({
        ...stored.import,
        errors: errors.map(({ error }) => error)
      }))

/** True if a caller may change members that are there; an import may enrol others in any case. */
const mayChange = ({ scopes }: RequestCaller): boolean =>
  allows(scopes, { scope: "members:write", whole: "platform:write" })

/** The outcome of a row. A transient refusal interrupts the import, which can be resumed. */
const runRow = (
  parts: Parts,
  id: string,
  one: ValidRow,
  { because, caller, isCsv, ...context }: Omit<BatchContext, "enrolling"> & Pick<ImportRows.RowContext, "only">
): Effect.Effect<DoneRow, Refused> => {
  const { row, shown, value } = one
  const { claimKey } = parts.journal
  const keys = { key: rowKey(claimKey, id, row), opening: openingKey(claimKey, id, row) }
  const cards = cardsOf(parts.given, id, one, caller, context.program)
  const idOf = ({ isImported, states }: Reached.Changed) => {
    const by = isImported ? "enrolled" : states === undefined ? "changed" : "opening"
    return ["import row", id, String(row), by]
  }
  const within = because && Reached.countingIn(parts.given, { because, caller, idOf, program: context.program })
  return parts.rows.run(value, { ...context, ...keys, cards, within }).pipe(
    Effect.map(
      ({ created, ...placed }): DoneRow => ({
        ...{ row, shown, outcome: created ? "created" : "updated", errors: [] },
        ...placed
      })
    ),
    Effect.catchTag("RowRefused", (refusal) =>
      isTransient(refusal.refused)
        ? Effect.fail(refusal.refused)
        : Effect.succeed({ ...failedRow({ row, shown }, ImportRows.errorsOf(refusal), isCsv), ...refusal.placed })
    )
  )
}

/** Runs work in a transaction in which nobody else, on any node, does a part of the import. Undefined: it is complete. */
const alone = <A>(
  { query, transaction }: Pool,
  id: string,
  work: Effect.Effect<A, Refused>
): Effect.Effect<A | undefined, Refused> =>
  transaction(
    Effect.gen(function* () {
      yield* Store.hold(query, id)
      const stored = yield* Store.find(query, id)
      if (stored?.import.completed_at !== undefined) return undefined
      if (stored?.import.rows_deleted === true)
        return yield* refuse(
          "conflict",
          "The import was cut off so long ago that what became of its rows is deleted. Import those that are missing with another key."
        )
      return yield* work
    })
  )

/** Runs the rows of a batch that have no outcome yet, and stores their outcomes. */
const runBatch = Effect.fnUntraced(function* (
  parts: Parts,
  { import: { import_id }, n }: StoredImport,
  batch: ReadonlyArray<ValidRow>,
  { enrolling, ...context }: BatchContext
): Effect.fn.Return<void, Refused> {
  const { query } = parts.pool
  const outside = yield* Effect.context<never>()
  const numbers = batch.map(({ row }) => row)
  const work = Effect.gen(function* () {
    const before = yield* Store.rowsDone(query, n, numbers)
    const left = batch.filter(({ row }) => !before.has(row))
    const only = enrolling === undefined ? undefined : yield* enrolledBy(parts, import_id, enrolling)
    const running = Effect.forEach(left, (one) => runRow(parts, import_id, one, { ...context, only }), {
      concurrency: Bounds.importRows
    })
    // Members change outside of the transaction: it keeps others away, and stores the outcomes only if it has.
    const done = yield* Effect.updateContext(running, (_: Context.Context<never>) => outside)
    const known = yield* withOpenings(parts, import_id, yield* withEnrolledBefore(parts, import_id, done))
    yield* Store.record(query, n, known)
  })
  yield* alone(parts.pool, import_id, work)
})

/** Runs the rows that have no outcome yet, and completes the import. Undefined: it was complete before. */
const runRows = Effect.fnUntraced(function* (
  parts: Parts,
  stored: StoredImport,
  submitted: Submitted,
  { because, caller }: Pick<BatchContext, "because" | "caller">,
  program: Program
): Effect.fn.Return<StoredImport | undefined, Refused> {
  const { pool, time } = parts
  const { n } = stored
  const id = stored.import.import_id
  const { faulty, valid } = checked(submitted, program)
  const begun = yield* alone(pool, id, Effect.as(Store.record(pool.query, n, faulty), true))
  if (begun === undefined) return undefined
  const context = {
    program,
    because,
    caller,
    actor: caller.name,
    origin: caller.requestId,
    isCsv: submitted.isCsv,
    enrolling: mayChange(caller) ? undefined : valid
  }
  for (const batch of batchesOf(valid)) yield* runBatch(parts, stored, batch, context)
  return (yield* alone(pool, id, Store.complete(pool.query, n, time.now()))) ?? (yield* Store.find(pool.query, id))
})

/** Creates an import with its audit entry; undefined if it exists. */
const begin = ({ query, transaction }: Pool, one: Store.NewImport) =>
  transaction(
    Effect.gen(function* () {
      const begun = yield* Store.begin(query, one)
      if (begun === undefined) return undefined
      const subject = { type: "import", id: one.id }
      const changes = { after: { submitted: one.submitted } }
      yield* Audit.tell(query, { action: "import.begin", subject, programId: one.program, changes })
      return begun
    })
  )

const run = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  key: string,
  submitted: Submitted,
  by: Pick<BatchContext, "because" | "caller">,
  fileName: string | undefined
) {
  const { journal, pool, time } = parts
  const id = idOf(program.id, key)
  const fingerprint = journal.claimKey("import rows", canonical({ metadata: submitted.facts }))
  const begun = yield* begin(pool, {
    id,
    fingerprint,
    program: program.id,
    fileName,
    submitted: submitted.rows.length,
    by: by.caller.name,
    at: time.now()
  })
  const stored = begun ?? (yield* Store.find(pool.query, id))
  if (stored === undefined) throw new Error("an import of the key is there")
  if (stored.fingerprint !== fingerprint)
    return yield* refuse("idempotency_conflict", "The idempotency key was used before with other rows.")
  const ended = yield* runRows(parts, stored, submitted, by, program)
  const shown = ended ?? (yield* Store.find(pool.query, id)) ?? stored
  const headers = ended === undefined ? { "Idempotent-Replayed": "true" } : undefined
  const answer = {
    ...(yield* withErrors(parts, shown)),
    repeated: repeated(checked(submitted, program).valid, submitted.isCsv)
  }
  return HttpServerResponse.jsonUnsafe({ import: answer }, { status: 201, headers })
})

/** Outcomes that valid rows would have. */
const settled = Effect.fnUntraced(function* ({ rows }: Parts, program: Program, valid: ReadonlyArray<ValidRow>) {
  const only = mayChange(yield* CurrentCaller) ? undefined : new Set<number>()
  const known = yield* Effect.forEach(
    valid,
    (one) => Effect.map(rows.foresee(one.value, { program, only }), (foreseen) => ({ ...one, foreseen })),
    { concurrency: Bounds.importRows }
  )
  return { known, ...Foresight.settle(known, only !== undefined) }
})

/** Amounts of an import, with gifts of campaigns because of it. */
const amountsOf = (submitted: Submitted, program: Program, caused: Amounts): Amounts =>
  Reached.plus(Foresight.openings(valuesIn(submitted, program), program), caused)

/**
 * Answers what an import would do, within the limits of the caller. Nothing is stored: no import, no claim, no entry in
 * the audit.
 */
const foresee = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  submitted: Submitted,
  fileName: string | undefined
) {
  const { given, pool, reached } = parts
  const { faulty, valid } = checked(submitted, program)
  yield* mustReachNobody(
    pool.query,
    program,
    valid.map(({ value }) => value),
    parts.time.now()
  )
  const { creditsTotal, guests, known, outcomes } = yield* settled(parts, program, valid)
  const because = yield* reached.because(program)
  const caused = because === undefined ? nothing : yield* because(guests)
  yield* given.foreseen({ program, id: ["import", Codes.random()], ...amountsOf(submitted, program, caused) })
  const done = outcomes.map(({ errors, outcome, ...place }) => ({
    ...failedRow(place, errors, submitted.isCsv),
    outcome
  }))
  const emails = valid.flatMap(({ value: { email } }) => (typeof email === "string" ? [email] : []))
  const shown = {
    ...Foresight.summary([...faulty, ...done], creditsTotal),
    repeated: repeated(valid, submitted.isCsv),
    warnings: warningsOf(done, known, caused, yield* Store.addressOwners(pool.query, program.id, emails))
  }
  const file = fileName === undefined ? undefined : { file_name: fileName }
  return HttpServerResponse.jsonUnsafe({ dry_run: true, import: { program_id: program.id, ...file, ...shown } })
})

const importMembers = Effect.fnUntraced(function* (
  parts: Parts,
  sent: ImportRequest | string,
  { dry_run, file_name, program_id: named }: ImportTarget
) {
  const caller = yield* CurrentCaller
  const request: ImportRequest = typeof sent === "string" ? { csv: sent } : sent
  if (named !== undefined && request.program_id !== undefined && named !== request.program_id)
    return yield* refuseFaults([{ path: "/program_id", message: "must be that of the query" }])
  if (request.dry_run ?? dry_run === "true") {
    const program = yield* Visible.programOf(parts.programs, caller, request.program_id ?? named)
    const submitted = yield* submittedIn(request)
    return yield* parts.turns.run(foresee(parts, program, submitted, file_name))
  }
  const key = request.idempotency_key ?? caller.idempotencyKey
  const fault = keyFault(key)
  if (key === undefined || fault !== undefined)
    return yield* refuseFaults([{ path: "/idempotency_key", message: fault ?? "" }])
  const program = yield* Visible.programOf(parts.programs, caller, request.program_id ?? named)
  const submitted = yield* submittedIn(request)
  const id = ["import", idOf(program.id, key), canonical({ metadata: submitted.facts })]
  const values = valuesIn(submitted, program)
  if (Foresight.openings(values, program).points > 0) yield* mustGive("platform", "An import with opening balances")
  // In its turn: campaigns may have begun while it waited.
  const imported = Effect.gen(function* () {
    yield* mustReachNobody(parts.pool.query, program, values, parts.time.now())
    const because = yield* parts.reached.because(program)
    const gift = { program, id, ...Foresight.openings(values, program), goesOn: true }
    // Refused as a whole beyond the limits; then each row counts by what it changes as it runs.
    if (because !== undefined) {
      const { guests } = yield* settled(parts, program, checked(submitted, program).valid)
      yield* parts.given.foreseen(Reached.plus(gift, yield* because(guests)))
    }
    const running = run(parts, program, key, submitted, { because, caller }, file_name)
    return yield* parts.given.within(gift, () => ({ isNew: true }), running)
  })
  return yield* parts.turns.run(imported)
})

/** An import, if the caller may see its programme. */
export const visible = Effect.fnUntraced(function* ({ pool, programs }: Pick<Parts, "pool" | "programs">, id: string) {
  const caller = yield* CurrentCaller
  const stored = yield* Store.find(pool.query, id)
  if (stored === undefined) return yield* refuse("not_found", said`There is no import ${id}.`)
  yield* Visible.named(programs, caller, stored.import.program_id)
  return stored
})

/** An import that the caller may see, and whose errors are kept. */
const visibleErrors = Effect.fnUntraced(function* (parts: Parts, id: string) {
  const stored = yield* visible(parts, id)
  return stored.import.rows_deleted === true
    ? yield* refuse("not_found", said`The errors of the import ${id} were kept long enough, and are deleted.`)
    : stored
})

const list = Effect.fnUntraced(function* (parts: Parts, { cursor, import_id, limit, program_id }: ImportQuery) {
  const { journal, pool, programs } = parts
  const { claimKey } = journal
  if (import_id !== undefined) {
    yield* pageOf(claimKey, ["import", import_id], { cursor, limit })
    const stored = yield* visible(parts, import_id)
    if (program_id !== undefined && stored.import.program_id !== program_id) {
      yield* Visible.named(programs, yield* CurrentCaller, program_id)
      return yield* refuse("not_found", said`Programme ${program_id} has no import ${import_id}.`)
    }
    return { import: yield* withErrors(parts, stored) }
  }
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const bound = ["imports", program.id]
  const page = yield* pageOf(claimKey, bound, { cursor, limit })
  const before = page.after === undefined ? undefined : Number(page.after)
  const found = yield* Store.list(pool.query, { program: program.id, before, limit: page.limit + 1 })
  const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
  return { imports: rows.map((one) => one.import), ...next }
})

const placeOf = (text: string | undefined) => {
  const [row, n] = text?.split(" ").map(Number) ?? []
  return row === undefined || n === undefined ? undefined : { row, n }
}

const listErrors = Effect.fnUntraced(function* (parts: Parts, { cursor, import_id, limit }: ErrorQuery) {
  const { claimKey } = parts.journal
  const { n } = yield* visibleErrors(parts, import_id)
  const bound = ["import errors", import_id]
  const page = yield* pageOf(claimKey, bound, { cursor, limit })
  const found = yield* Store.errors(parts.pool.query, n, placeOf(page.after), page.limit + 1)
  const { rows, ...next } = paged(claimKey, bound, page, found, (one) => `${one.error.row} ${one.n}`)
  return { errors: rows.map(({ error }) => error), ...next }
})

const errorsCsv = Effect.fnUntraced(function* (parts: Parts, { import_id }: ErrorQuery) {
  const { n } = yield* visibleErrors(parts, import_id)
  return yield* Csv.response(`errors-${import_id}`, errorColumns, (after: Parameters<typeof Store.errors>[2]) =>
    Effect.map(Store.errors(parts.pool.query, n, after, csvPage), (found) => {
      const last = found.at(-1)
      return {
        rows: found.map(({ error }) => errorColumns.map((name) => error[name])),
        next: last === undefined || found.length < csvPage ? undefined : { row: last.error.row, n: last.n }
      }
    })
  )
})

const errors = Effect.fnUntraced(function* (parts: Parts, asked: ErrorQuery, accept: string | undefined) {
  return ImportCsv.prefersCsv(accept)
    ? yield* errorsCsv(parts, asked)
    : HttpServerResponse.jsonUnsafe(yield* listErrors(parts, asked))
})

export const make = Effect.map(needed, (parts) => ({
  importMembers: (sent: ImportRequest | string, target: ImportTarget) => importMembers(parts, sent, target),
  list: (asked: ImportQuery) => list(parts, asked),
  errors: (asked: ErrorQuery, accept: string | undefined) => errors(parts, asked, accept)
}))

export const layer = HttpApiBuilder.group(PlatformApi, "platform_imports", (handlers) =>
  Effect.map(make, ({ errors, importMembers, list }) =>
    handlers
      .handle("importMembers", ({ payload, query }) => importMembers(payload, query))
      .handle("listImports", ({ query }) => list(query))
      .handle("listImportErrors", ({ query, request }) => errors(query, request.headers["accept"]))
  )
)
