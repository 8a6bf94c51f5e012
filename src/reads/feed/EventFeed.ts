/**
 * The events of all records in the feed's order, for readers of other systems (contract/events.md *Order*).
 *
 * Promises what `Feed` promises of records: each event once, none later before a place that was handed out.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { int8, int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { Reserved } from "../../core/account/domain/AccountEvent.ts"
import * as ReservationId from "../../core/account/ReservationId.ts"
import { ArchiveFiles, type FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { recordColumns, StoredRecord } from "../../core/journal/postgres/StoredRows.ts"
import { type AccountNumber, JournalUnavailable, type Millis } from "../../core/journal/Records.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as ArchivedFeed from "./ArchivedFeed.ts"
import type { Facts, OwnedRecord, RewardFacts } from "./Event.ts"
import { eventsOf, wantedBy } from "./Event.ts"
import { Feed } from "./Feed.ts"
import { given, horizon, inOrder, isOver, madeHolds, parameters, spanAfter, spanOfPlace } from "./FeedSql.ts"
import * as PgFeed from "./PgFeed.ts"
import { isAfter, type Place } from "./Place.ts"
import type { Position } from "./Position.ts"

/** The records that a reader wants. */
export interface Wanted {
  /** Undefined: of all programmes. */
  readonly programs: ReadonlySet<string> | undefined
  /** Undefined: of all members. */
  readonly accounts: ReadonlyArray<AccountNumber> | undefined
  /** True: events of issued rewards have the artifact. Absent: false. */
  readonly artifacts?: boolean
}

/** An event, and the place after it. */
export interface PlacedEvent {
  readonly event: FeedEvent
  readonly place: Place
  /** It happened in a rehearsal: nobody is told of it. */
  readonly isRehearsal?: true
}

/** The events of some records. */
export interface EventPage {
  readonly events: ReadonlyArray<PlacedEvent>
  /** The place after the records that were read, also those without an event that the reader wants. */
  readonly next: Place
  /** True if there were no more records that can be read now. */
  readonly isLast: boolean
}

export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** The events of at most `records` records after a place. */
    readonly read: (after: Place, wanted: Wanted, records: number) => Effect.Effect<EventPage, JournalUnavailable>
    /** The place before everything that is not readable yet. */
    readonly now: Effect.Effect<Place, JournalUnavailable>
    /** The place before the first record that was committed at an instant (ms) or later. */
    readonly since: (at: number) => Effect.Effect<Place, JournalUnavailable>
    /** Time of the first record after a place, readable or not, ms; undefined without one. */
    readonly oldestAfter: (place: Place) => Effect.Effect<Millis | undefined, JournalUnavailable>
  }
>()("lotbook/reads/feed/EventFeed") {}

const { acrossSpans } = PgFeed

const ownedStatement = (
  source: string,
  isOver: string,
  where = ""
) => `SELECT j.*, a.program_id AS program, a.member_id AS member
  FROM (SELECT epoch, transaction, ${isOver}, ${recordColumns} FROM ${source}
    WHERE ${where} (${inOrder}) > ${given} AND (epoch, transaction) < ${horizon} ORDER BY ${inOrder} LIMIT $5) j
  JOIN accounts a ON a.number = j.account ORDER BY ${inOrder}`
const allStatement = ownedStatement("journal", isOver, `span = ${spanAfter} AND`)
/**
 * Of the place's span and all later ones, up to the first archived one with records of these accounts. OFFSET 0: reads the
 * records of these accounts, and no others on the way to them.
 */
const someStatement = ownedStatement(
  `(SELECT first_archived($6, ${spanOfPlace}, $1, $2, $3, $4) AS span OFFSET 0) away CROSS JOIN LATERAL (
      SELECT * FROM journal WHERE account = ANY($6) AND span >= ${spanOfPlace} AND span < away.span OFFSET 0) of_accounts`,
  `away.span < 32767 AS "isOver"`
)
const OwnedRow = Schema.Struct({
  epoch: Schema.Number,
  transaction: Schema.BigInt,
  isOver: Schema.Boolean,
  ...StoredRecord.fields,
  program: Schema.String,
  member: Schema.String
})
const ownedRows = rowsOf(OwnedRow)
type OwnedRow = typeof OwnedRow.Type

const nowStatement = "SELECT epoch, pg_snapshot_xmin(pg_current_snapshot()) AS transaction FROM installation"
const placeRow = oneOf(Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt }))
const sinceStatement = (committed: "first_committed" | "first_committed_here") =>
  `SELECT f.epoch, f.transaction, f.account, f.seq FROM ${committed}($1) f WHERE (f.epoch, f.transaction) < ${horizon}`
const sinceRows = rowsOf(
  Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt, account: Schema.Number, seq: Schema.Number })
)

const eventsRows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    seq: Schema.Number,
    version: Schema.Number,
    events: Schema.String
  })
)
const rewardsStatement = `SELECT issued_reward_id AS issued, reward_id AS reward, issued_at AS at, expires_at AS expires,
    json_build_object('type', artifact_type, 'value', artifact_value) AS artifact
  FROM issued_rewards JOIN unnest($1, $2) AS asked(account, issued_reward_id) USING (account, issued_reward_id)`
const rewardsRows = rowsOf(
  Schema.Struct({
    issued: Schema.String,
    reward: Schema.String,
    at: Schema.Number,
    expires: optional(Schema.Number),
    artifact: Schema.Struct({ type: Schema.Literals(["code", "qr_code"]), value: Schema.String })
  })
)
/** An archived accrual comes before those of later spans, and its number is kept. */
const firstsStatement = `SELECT asked.account, first.n FROM unnest($1) AS asked(account), LATERAL (
    SELECT accrual.n FROM (
        SELECT 0::smallint AS span UNION ALL SELECT l.span FROM account_spans l WHERE l.account = asked.account
      ) lies CROSS JOIN LATERAL (
        SELECT e.n FROM ledger_entries e WHERE e.account = asked.account AND e.span = lies.span AND e.operation = 'accrual'
          ORDER BY e.n LIMIT 1
      ) accrual
    UNION ALL SELECT x.first_accrual FROM archived_accounts x WHERE x.account = asked.account AND x.first_accrual IS NOT NULL
    ORDER BY n LIMIT 1
  ) first`
const firstsRows = rowsOf(Schema.Struct({ account: Schema.Number, n: Schema.Number }))

interface Owned {
  readonly record: OwnedRecord
  readonly position: Position
  readonly isRehearsal: boolean
}

interface Parts {
  readonly query: Query
  readonly files: FileReads | undefined
  readonly records: Feed["Service"]
  readonly programs: Programs["Service"]
}

/** The records that made reservations, or their events alone. */
const holdsAt = (
  query: Query,
  files: FileReads | undefined,
  places: ReadonlyArray<{ readonly account: AccountNumber; readonly seq: number }>
) => {
  const asked = [int8s(places.map(({ account }) => account)), int8s(places.map(({ seq }) => seq))]
  return Effect.catchTag(eventsRows(query(madeHolds, asked)), "JournalUnavailable", (error) => {
    if (files === undefined || error.archived === undefined) return Effect.fail(error)
    const { records } = ArchivedReads.ofSpans(query, files)
    const all = Effect.forEach(places, ({ account, seq }) => records(account, seq, 1))
    return ArchivedReads.unlessDamaged(
      Effect.map(all, (found) => found.flat()),
      error
    )
  })
}

/** Looks up what the records' events need from other records. */
const factsFor = Effect.fnUntraced(function* (
  { files, programs, query }: Parts,
  records: ReadonlyArray<OwnedRecord>,
  withArtifacts: boolean
) {
  const all = records.map((record) => ({ account: record.account, ...wantedBy(record) }))
  const places = all.flatMap((one) => one.holds.flatMap((id) => ReservationId.placeOf(id) ?? []))
  const rewards = all.flatMap(({ account, rewards }) => rewards.map((issued) => ({ account, issued })))
  const accounts = [...new Set(all.flatMap(({ account, accrues }) => (accrues ? [account] : [])))]
  const holds = new Map<string, Reserved>()
  const issued = new Map<string, RewardFacts>()
  const firstAccruals = new Map<AccountNumber, number>()
  if (places.length > 0) {
    for (const row of yield* holdsAt(query, files, places))
      for (const event of decodeEvents(row)) if (event.type === "reserved") holds.set(event.reservation, event)
  }
  if (rewards.length > 0) {
    const asked = [int8s(rewards.map(({ account }) => account)), texts(rewards.map(({ issued }) => issued))]
    for (const row of yield* rewardsRows(query(rewardsStatement, asked))) issued.set(row.issued, row)
  }
  if (accounts.length > 0)
    for (const { account, n } of yield* firstsRows(query(firstsStatement, [int8s(accounts)])))
      firstAccruals.set(account, n)
  const currencyOf = (id: string): string => {
    const program = programs.get(id)
    if (program === undefined) throw new Error(`programme ${id} is not in the database`)
    return program.currency
  }
  return { holds, rewards: issued, firstAccruals, currencyOf, withArtifacts } satisfies Facts
})

/** Reads the programmes again if a record was decided by a version that is not known here yet. */
const knowing = (
  programs: Programs["Service"],
  rows: ReadonlyArray<{ readonly program: string; readonly programVersion: number }>
) => {
  const isNewer = rows.some(({ program, programVersion }) => programVersion > (programs.get(program)?.version ?? 0))
  return isNewer ? Effect.mapError(programs.refresh, (cause) => new JournalUnavailable({ cause })) : Effect.void
}

const namesStatement = `SELECT number AS account, program_id AS program, member_id AS member FROM accounts WHERE number = ANY ($1)`
const namesRows = rowsOf(Schema.Struct({ account: Schema.Number, program: Schema.String, member: Schema.String }))

/** Records of files, as the tables' statements have them. */
const named = Effect.fnUntraced(function* (query: Query, found: ReadonlyArray<ArchivedFeed.ArchivedRecord>) {
  const accounts = [...new Set(found.map(({ account }) => account))]
  const names = new Map(
    (yield* namesRows(query(namesStatement, [int8s(accounts)]))).map(({ account, ...name }) => [account, name])
  )
  return found.flatMap((record) => {
    const name = names.get(record.account)
    return name === undefined ? [] : [{ ...record, ...name }]
  })
})

/** Records with their members, of tables or files, up to the end of a span. */
const ownedAfter =
  (parts: Parts, accounts: ReadonlyArray<AccountNumber> | undefined) =>
  (after: Position, limit: number): Effect.Effect<ReadonlyArray<OwnedRow>, JournalUnavailable> => {
    const { files, query } = parts
    return ArchivedFeed.through(
      files,
      (from, most) => {
        const given = [...parameters(from), int8(most)]
        return ownedRows(
          accounts === undefined ? query(allStatement, given) : query(someStatement, [...given, int8s(accounts)])
        )
      },
      Effect.fnUntraced(function* (files, from, most) {
        if (accounts === undefined) return yield* named(query, yield* ArchivedFeed.ofFiles(query, files, from, most))
        const { end, rows } = yield* ArchivedFeed.ofAccounts(query, files, accounts, from, most)
        // The accounts have records there, and all of them are before the place.
        return rows.length === 0 && end !== undefined
          ? yield* ownedAfter(parts, accounts)(end, most)
          : yield* named(query, rows)
      })
    )(after, limit)
  }

/** The place of the first record of an instant (ms) or later, of tables or files. */
const firstSince = ({ files, query }: Parts, at: number): Effect.Effect<Position | undefined, JournalUnavailable> => {
  const inTables = (committed: Parameters<typeof sinceStatement>[0]) =>
    Effect.map(sinceRows(query(sinceStatement(committed), [int8(at)])), ([found]) => found)
  return Effect.catchTag(inTables("first_committed"), "JournalUnavailable", (error) => {
    if (files === undefined || error.archived === undefined) return Effect.fail(error)
    const both = Effect.all([ArchivedFeed.firstSince(query, files, at), inTables("first_committed_here")])
    const first = Effect.map(ArchivedReads.together(query, both), ([filed, here]) =>
      filed === undefined || (here !== undefined && isAfter(startOf(filed), startOf(here))) ? here : filed
    )
    return ArchivedReads.unlessDamaged(first, error)
  })
}

const make = (parts: Parts): EventFeed["Service"] => ({
  read: Effect.fnUntraced(function* (after, { accounts, artifacts = false, programs: only }, limit) {
    const { programs } = parts
    const { isLast, rows } = yield* acrossSpans(ownedAfter(parts, accounts))(after.position, limit)
    yield* knowing(programs, rows)
    const owned = rows.flatMap(({ epoch, isOver: _, transaction, ...row }): ReadonlyArray<Owned> => {
      if (only?.has(row.program) === false) return []
      const position = { epoch, transaction, account: row.account, seq: row.seq }
      const isRehearsal = programs.get(row.program)?.rehearsals.has(row.programVersion) === true
      return [{ record: { ...row, events: decodeEvents(row) }, position, isRehearsal }]
    })
    const facts = yield* factsFor(
      parts,
      owned.map(({ record }) => record),
      artifacts
    )
    const [first] = rows
    const events = owned.flatMap(({ isRehearsal, position, record }) => {
      const all = eventsOf(record, facts)
      const isPartlyRead = record.account === first?.account && record.seq === first.seq
      return all
        .map((event, index): PlacedEvent => {
          const isEnd = index === all.length - 1
          const place = isEnd ? { position, skipped: 0 } : { position: before(position), skipped: index + 1 }
          return isRehearsal ? { event, place, isRehearsal } : { event, place }
        })
        .slice(isPartlyRead ? after.skipped : 0)
    })
    const last = rows.at(-1)
    const { account = 0, epoch = 0, seq = 0, transaction = 0n } = last ?? {}
    const next = last === undefined ? after : { position: { account, epoch, seq, transaction }, skipped: 0 }
    return { events, next, isLast }
  }),
  now: Effect.map(placeRow(parts.query(nowStatement, [])), ({ epoch, transaction }) => ({
    position: { epoch, transaction, account: 0, seq: 0 },
    skipped: 0
  })),
  oldestAfter: ({ position }) => parts.records.oldestAfter(position),
  since(at) {
    return Effect.flatMap(firstSince(parts, at), (found) =>
      found === undefined ? this.now : Effect.succeed(startOf(found))
    )
  }
})

/** The position before a record. */
const before = (position: Position): Position => ({ ...position, seq: position.seq - 1 })

/** The place of a reader who has nothing of a record. */
const startOf = (position: Position): Place => ({ position: before(position), skipped: 0 })

export const layer = Layer.effect(
  EventFeed,
  Effect.gen(function* () {
    return make({
      query: yield* PgFeed.FeedQuery,
      files: yield* ArchiveFiles,
      records: yield* Feed,
      programs: yield* Programs
    })
  })
)
