/**
 * The journal on PostgreSQL: a group is one call of `append_records`, one
 * transaction, one fsync. Groups go over connections of their own; reads have a
 * pool, so that they never wait behind writes.
 */
import { PgClient, PgConnection, PgTypes } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Cause, Effect, Latch, Layer, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { Database, DatabaseStartError, sessionName } from "../../database/Database.ts"
import * as AppendedRows from "./AppendedRows.ts"
import * as Bounds from "../Bounds.ts"
import { EndedClaims } from "./EndedClaims.ts"
import { learnEnded, readerOfNew } from "./EraLearning.ts"
import * as GroupCommit from "../GroupCommit.ts"
import type { Verdict, Write } from "../GroupCommit.ts"
import { WriteFailed } from "../GroupCommit.ts"
import type { ClaimHolder, Hash128, IssuedRewardRow, JournalRecord, LedgerRow, MemberRow } from "../Journal.ts"
import { Journal, JournalUnavailable } from "../Journal.ts"
import * as Store from "../Store.ts"
import type { Query } from "./Query.ts"
import { recordColumns, recordOf } from "./StoredRows.ts"

/** Index plans whatever the statistics say: tables begin empty and grow without ANALYZE. */
const session = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  // What a group looks at after it has its lock, others may have committed while it waited.
  default_transaction_isolation: "read committed"
}

const column = (values: ReadonlyArray<unknown>, oid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))
const numbers = (values: ReadonlyArray<number>) => column(values, PgTypes.OID.float8)
const texts = (values: ReadonlyArray<string>) => column(values, PgTypes.OID.text)
const hashes = (values: ReadonlyArray<string>) => column(values, PgTypes.OID.uuid)

const appendStatement = "SELECT * FROM append_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"

/** The keys that may be claimed in an era whose claims are known. */
const maybeEnded = (group: ReadonlyArray<JournalRecord>, ended: EndedClaims): ReadonlyArray<Hash128> => {
  const maybe: Array<Hash128> = []
  for (const { claims } of group) for (const { key } of claims) if (ended.mayHold(key)) maybe.push(key)
  return maybe
}

const verdict = (row: PgConnection.Row): Verdict => {
  switch (row["outcome"]) {
    case 1:
      return {
        _tag: "taken",
        holder: {
          key: String(row["key"]),
          fingerprint: String(row["fingerprint"]),
          account: Number(row["holder_account"]),
          seq: Number(row["holder_seq"])
        }
      }
    case 2:
      return { _tag: "stale" }
    case 3:
      return { _tag: "superseded" }
    case 4:
      return { _tag: "frozen" }
    default:
      throw new Error(`append_records answered outcome ${String(row["outcome"])}`)
  }
}

const committed: Verdict = { _tag: "committed" }

/** What was said of the records that were left out, in the order of the group. */
const verdicts = (
  group: ReadonlyArray<JournalRecord>,
  rows: ReadonlyArray<PgConnection.Row>
): ReadonlyArray<Verdict | undefined> => {
  const all: Array<Verdict | undefined> = group.map(() => undefined)
  for (const row of rows) {
    const place = group.findIndex(({ account, seq }) => account === row["account"] && seq === row["seq"])
    if (place < 0) throw new Error("append_records answered for a record that it was not given")
    all[place] = verdict(row)
  }
  return all
}

/** Writes a group by sending it: where a claim is taken nothing of it was written, and those that may stay are sent again. */
const writing = (
  send: (...group: Parameters<Write>) => Effect.Effect<ReadonlyArray<PgConnection.Row>, WriteFailed>
): Write => {
  const write: Write = (group, isLinked) =>
    Effect.flatMap(send(group, isLinked), (rows) => {
      const told = verdicts(group, rows)
      const rest = told.some((one) => one?._tag === "taken")
        ? group.filter((_, place) => told[place] === undefined)
        : []
      if (rest.length === 0) return Effect.succeed(told.map((one) => one ?? committed))
      return Effect.map(write(rest, isLinked), (later) => {
        let place = 0
        return told.map((one) => one ?? later[place++]!)
      })
    })
  return write
}

/** The transaction was rolled back for a race with another node: sent again, it meets the other's rows. */
const isRace = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" ||
  error.reason._tag === "DeadlockError" ||
  error.reason._tag === "SerializationError"

/**
 * Sessions that were given up under a group: until they are gone they may still
 * commit it. Whoever wants to read what is true ends them first.
 */
class Doubtful {
  /** When each began, by process id: ids are used again. */
  private readonly sessions = new Map<number, string>()

  add(processId: number, began: string): void {
    this.sessions.set(processId, began)
  }

  get isEmpty(): boolean {
    return this.sessions.size === 0
  }

  /** Ends them, and waits until they have ended. */
  end(query: Query): Effect.Effect<void, JournalUnavailable> {
    const known = [...this.sessions]
    return Effect.flatMap(
      query(
        // Materialized: else the planner is free to end every session before it looks which ones are meant.
        `WITH meant AS MATERIALIZED (
            SELECT a.pid FROM pg_stat_activity a JOIN unnest($1::float8[], $2::text[]) d(pid, began)
              ON a.pid = d.pid AND a.backend_start::text = d.began
          ) SELECT count(*)::int AS alive FROM meant WHERE NOT pg_terminate_backend(pid, ${Bounds.endSessionMs})`,
        [numbers(known.map(([processId]) => processId)), texts(known.map(([, began]) => began))]
      ),
      ([row]) => {
        if (row?.["alive"] !== 0)
          return Effect.fail(unavailable(new Error("A session that may still commit could not be ended.")))
        for (const [processId, began] of known)
          if (this.sessions.get(processId) === began) this.sessions.delete(processId)
        return Effect.void
      }
    )
  }
}

/** What append_records says beside the records' outcomes: the claims that are known are another database's. */
const isOfOtherEras = (row: PgConnection.Row): boolean => row["outcome"] === 5

const openLane = (
  config: PgClient.PgClientConfig,
  holder: string | undefined,
  doubtful: Doubtful,
  { ended, learnAnew }: Eras
): Effect.Effect<Write, WriteFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const types = PgTypes.makeRegistry()
    const connection = yield* PgConnection.make({
      ...config,
      types,
      applicationName: sessionName("journal", holder),
      connectTimeout: Bounds.connectTimeoutMs,
      startupParameters: { ...session, statement_timeout: String(Bounds.statementTimeoutMs) }
    })
    const { rows } = yield* connection.query(
      "SELECT backend_start::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    )
    const began = String(rows[0]?.["began"])
    const encode = yield* AppendedRows.encoderFor(connection, types)
    const parameters = (...[group, isLinked]: Parameters<Write>) => [
      ...encode(group),
      PgTypes.bool(isLinked ?? false),
      hashes(maybeEnded(group, ended)),
      PgTypes.int4(ended.before),
      PgTypes.uuid(ended.stamp)
    ]
    return writing((...group) =>
      Effect.suspend(() => connection.query(appendStatement, parameters(...group))).pipe(
        Effect.retry({ while: isRace, times: Bounds.maxGroupTries }),
        Effect.timeout(Bounds.answerTimeoutMs),
        Effect.mapBoth({
          onSuccess: ({ rows }) => {
            if (!rows.some(isOfOtherEras)) return rows
            learnAnew()
            return rows.filter((row) => !isOfOtherEras(row))
          },
          onFailure: (cause) => {
            doubtful.add(connection.processId, began)
            return new WriteFailed({ sent: true, cause })
          }
        })
      )
    )
  }).pipe(Effect.mapError((cause) => new WriteFailed({ sent: false, cause })))

/** What is known of the eras of claims that have ended. */
interface Eras {
  readonly ended: EndedClaims
  /** The database is not the one that was learnt. */
  readonly learnAnew: () => void
}

export interface PgJournalOptions {
  /** Least size of an era of claims, in bytes. */
  readonly eraBytes?: number
  /** Claims written between two looks at it. */
  readonly claimsPerEraLook?: number
}

/**
 * Lets a new era of claims begin where the present one has grown large, and learns what was claimed in those that
 * have ended: at the start, and after every so many claims written, beside the groups and not in their way.
 */
const makeEras = Effect.fnUntraced(function* (query: Query, options: PgJournalOptions) {
  const ended = new EndedClaims()
  const { claimsPerEraLook = Bounds.claimsPerEraLook, eraBytes = Bounds.eraBytes } = options
  const grown = Latch.makeUnsafe(false)
  let written = 0
  /** Nothing depends on it at once: what fails is told, and tried again with the next look. */
  const warned = <A>(what: string, effect: Effect.Effect<A, JournalUnavailable>) =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.logWarning(what, cause)
    )
  const begin = query("SELECT begin_era($1::float8::bigint)", [float8(eraBytes)])
  const readNew = warned("New claims could not be read", readerOfNew(query))
  // From here on: what was there before is read when its era is learnt.
  yield* readNew
  let told = 0
  const learn = Effect.flatMap(learnEnded(query, ended), (unknownBefore) => {
    // Every look finds the same; it is told once an era.
    if (unknownBefore === undefined || unknownBefore <= told) return Effect.void
    told = unknownBefore
    return Effect.logWarning(
      `No room to know the claims of the eras from ${ended.before} to ${unknownBefore - 1} from memory: every group looks into them`
    )
  })
  yield* warned("The claims of eras that have ended could not be learnt", learn).pipe(
    Effect.andThen(grown.await),
    Effect.andThen(Effect.sync(() => grown.closeUnsafe())),
    Effect.andThen(readNew),
    Effect.andThen(warned("Whether a new era of claims is due could not be asked", begin)),
    Effect.forever,
    Effect.forkScoped
  )
  const counted =
    (write: Write): Write =>
    (group, isLinked) =>
      Effect.tap(write(group, isLinked), () =>
        Effect.sync(() => {
          for (const { claims } of group) written += claims.length
          if (written < claimsPerEraLook) return
          written = 0
          grown.openUnsafe()
        })
      )
  return { ended, counted, learnAnew: () => grown.openUnsafe() } satisfies Eras & { readonly counted: unknown }
})

const millis = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)
const text = <A extends string = string>(value: unknown): A | undefined =>
  // Text columns hold what this service wrote; enums are checked by the database.
  value === null || value === undefined ? undefined : (String(value) as A)

const ledgerRow = (row: PgConnection.Row): LedgerRow => ({
  n: Number(row["n"]),
  operation: String(row["operation"]) as LedgerRow["operation"],
  unit: String(row["unit"]),
  amount: Number(row["amount"]),
  occurredAt: Number(row["occurred_at"]),
  expiresAt: millis(row["expires_at"]),
  relatedN: millis(row["related_n"]),
  orderId: text(row["order_id"]),
  locationId: text(row["location_id"]),
  adjustmentId: text(row["adjustment_id"]),
  reservationId: text(row["reservation_id"]),
  classification: text(row["classification"]),
  reason: text(row["reason"]),
  qualifiesForTier: typeof row["qualifies_for_tier"] === "boolean" ? row["qualifies_for_tier"] : undefined
})

const rewardRow = (row: PgConnection.Row): IssuedRewardRow => ({
  issuedRewardId: String(row["issued_reward_id"]),
  n: Number(row["n"]),
  rewardId: String(row["reward_id"]),
  status: String(row["status"]) as IssuedRewardRow["status"],
  issuedAt: Number(row["issued_at"]),
  expiresAt: millis(row["expires_at"]),
  redeemedAt: millis(row["redeemed_at"]),
  cancelledAt: millis(row["cancelled_at"]),
  cancellationReason: text(row["cancellation_reason"]),
  artifactType: String(row["artifact_type"]) as IssuedRewardRow["artifactType"],
  artifactValue: String(row["artifact_value"])
})

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

const ledgerStatement = `SELECT n::float8 AS n, amount::float8 AS amount, ${ms("occurred_at")} AS occurred_at,
    ${ms("expires_at")} AS expires_at, related_n::float8 AS related_n, operation::text AS operation, unit::text AS unit,
    classification::text AS classification, qualifies_for_tier, order_id, location_id, adjustment_id, reservation_id, reason
  FROM ledger_entries WHERE account = $1::float8::bigint AND n < $2::float8::bigint
    AND ($3::text IS NULL OR unit = $3::text::unit)
    AND ($4::text[] IS NULL OR operation = ANY ($4::text[]::ledger_operation[]))
    AND ($5::float8 IS NULL OR occurred_at >= to_timestamp($5::float8 / 1000))
    AND ($6::float8 IS NULL OR occurred_at <= to_timestamp($6::float8 / 1000))
  ORDER BY n DESC LIMIT $7::float8::bigint`

/** Larger than any entry's number. */
const beyondEntries = 2 ** 53 - 1
const { float8 } = PgTypes

const unavailable = (cause: unknown) => new JournalUnavailable({ cause })

const accountReads = (query: Query) => ({
  findIdentity: (key: Hash128) =>
    Effect.map(
      query("SELECT account::float8 AS account FROM identities WHERE key = $1", [PgTypes.uuid(key)]),
      ([row]) => millis(row?.["account"])
    ),
  findAccount: (programId: string, memberId: string) =>
    Effect.map(
      query("SELECT number::float8 AS number FROM accounts WHERE program_id = $1 AND member_id = $2", [
        programId,
        memberId
      ]),
      ([row]) => millis(row?.["number"])
    ),
  loadAccount: (account: number) =>
    Effect.map(
      query(
        `SELECT a.program_id, a.member_id, a.seq::float8 AS seq, a.next_due::float8 AS next_due, m.identities, m.attributes,
            s.seq::float8 AS snapshot_seq, s.version::float8 AS snapshot_version, s.state
          FROM accounts a LEFT JOIN members m ON m.account = a.number LEFT JOIN snapshots s ON s.account = a.number
          WHERE a.number = $1::float8::bigint`,
        [float8(account)]
      ),
      ([row]) => {
        if (row === undefined) return undefined
        const identities = (row["identities"] ?? []) as MemberRow["identities"]
        const attributes = row["attributes"] as MemberRow["attributes"] | null
        return {
          number: account,
          programId: String(row["program_id"]),
          memberId: String(row["member_id"]),
          seq: Number(row["seq"]),
          nextDue: millis(row["next_due"]) ?? null,
          member: attributes === null || attributes === undefined ? { identities } : { identities, attributes },
          snapshot:
            row["state"] === null
              ? undefined
              : {
                  seq: Number(row["snapshot_seq"]),
                  version: Number(row["snapshot_version"]),
                  state: String(row["state"])
                }
        }
      }
    ),
  records: (account: number, fromSeq: number, limit: number) =>
    Effect.map(
      query(
        `SELECT ${recordColumns} FROM journal
          WHERE account = $1::float8::bigint AND seq >= $2::float8::bigint ORDER BY seq LIMIT $3::float8::bigint`,
        [float8(account), float8(fromSeq), float8(limit)]
      ),
      (rows) => rows.map(recordOf)
    )
})

/** Holders in the order of the keys that were asked for. */
const holdersOf = (keys: ReadonlyArray<string>, rows: ReadonlyArray<PgConnection.Row>): ReadonlyArray<ClaimHolder> => {
  const found = rows.map(
    (row): ClaimHolder => ({
      key: String(row["key"]),
      fingerprint: String(row["fingerprint"]),
      account: Number(row["account"]),
      seq: Number(row["seq"])
    })
  )
  return keys.flatMap((key) => found.filter((holder) => holder.key === key))
}

/** Claims `c` with some keys, in whichever era they were made. */
const heldClaims = (keys: string) => `generate_series(0, (SELECT max(era) FROM eras)) e(era)
  CROSS JOIN unnest(${keys}::uuid[]) k(key) JOIN claims c ON c.era = e.era AND c.key = k.key`

/** The journal's reads over whatever runs a statement. */
export const makeReads = (query: Query): Store.Reads => ({
  ...accountReads(query),
  holders: (keys) =>
    Effect.map(
      query(
        `SELECT c.key, c.fingerprint, c.account::float8 AS account, c.seq::float8 AS seq FROM ${heldClaims("$1")}`,
        [hashes(keys)]
      ),
      (rows) => holdersOf(keys, rows)
    ),
  witness: (account, keys) =>
    Effect.map(
      query(
        `SELECT a.seq::float8 AS newest, c.key, c.fingerprint, c.account::float8 AS account, c.seq::float8 AS seq
          FROM (SELECT (SELECT seq FROM accounts WHERE number = $1::float8::bigint) AS seq) a
          LEFT JOIN (SELECT c.* FROM ${heldClaims("$2")}) c ON true`,
        [float8(account), hashes(keys)]
      ),
      (rows) => ({
        seq: Number(rows[0]?.["newest"] ?? 0),
        holders: holdersOf(
          keys,
          rows.filter((row) => row["key"] !== null)
        )
      })
    ),
  ledger: (asked) =>
    Effect.map(
      query(ledgerStatement, [
        float8(asked.account),
        float8(asked.beforeN ?? beyondEntries),
        PgTypes.text(asked.unit ?? null),
        asked.operations === undefined ? null : texts(asked.operations),
        float8(asked.occurredFrom ?? null),
        float8(asked.occurredUntil ?? null),
        float8(asked.limit)
      ]),
      (rows) => rows.map(ledgerRow)
    ),
  issuedRewards: (account) =>
    Effect.map(
      query(
        `SELECT issued_reward_id, n::float8 AS n, reward_id, status::text AS status, issued_at::float8 AS issued_at,
            expires_at::float8 AS expires_at, redeemed_at::float8 AS redeemed_at, cancelled_at::float8 AS cancelled_at,
            cancellation_reason, artifact_type, artifact_value
          FROM issued_rewards WHERE account = $1::float8::bigint ORDER BY n DESC`,
        [float8(account)]
      ),
      (rows) => rows.map(rewardRow)
    ),
  saveSnapshot: (account, snapshot) =>
    Effect.asVoid(
      query(
        `INSERT INTO snapshots (account, seq, version, state)
        VALUES ($1::float8::bigint, $2::float8::bigint, $3::float8::smallint, $4)
        ON CONFLICT (account) DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state
        WHERE snapshots.seq < excluded.seq
          OR (snapshots.seq = excluded.seq AND (snapshots.version, snapshots.state) <> (excluded.version, excluded.state))`,
        [float8(account), float8(snapshot.seq), float8(snapshot.version), snapshot.state]
      )
    ),
  due: (until, limit, skipped) =>
    Effect.map(
      query(
        `SELECT number::float8 AS account, next_due::float8 AS at FROM accounts
          WHERE next_due IS NOT NULL AND next_due <= $1::float8::bigint AND NOT number = ANY ($3::float8[]::bigint[])
          ORDER BY next_due LIMIT $2::float8::bigint`,
        [float8(until), float8(limit), numbers(skipped)]
      ),
      (rows) => rows.map((row) => ({ account: Number(row["account"]), at: Number(row["at"]) }))
    ),
  newestAt: Effect.map(query("SELECT max(at)::float8 AS at FROM journal", []), ([row]) => millis(row?.["at"])),
  isFrozen: Effect.map(query("SELECT write_frozen FROM installation", []), ([row]) => row?.["write_frozen"] === true),
  // The exclusive lock waits for every group on its way on every node; those after it see the switch.
  setFrozen: (frozen) => Effect.asVoid(query("SELECT set_write_frozen($1::boolean)", [PgTypes.bool(frozen)])),
  ping: Effect.asVoid(query("SELECT 1", []))
})

export const layerOf = (options: PgJournalOptions): Layer.Layer<Journal, DatabaseStartError, Database> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { clientConfig, holder } = yield* Database
      const pool = yield* PgClient.make({
        ...clientConfig,
        applicationName: sessionName("reads", holder),
        connectTimeout: Bounds.connectTimeoutMs,
        maxConnections: Bounds.readerConnections,
        multiplex: true,
        startupParameters: { ...session, statement_timeout: String(Bounds.freezeTimeoutMs) }
      })
      const doubtful = new Doubtful()
      const ask: Query = (statement, parameters) =>
        Effect.mapError(
          Effect.timeout(pool.unsafe<PgConnection.Row>(statement, parameters), Bounds.freezeTimeoutMs),
          unavailable
        )
      const query: Query = (statement, parameters) => {
        const asked = ask(statement, parameters)
        return doubtful.isEmpty ? asked : Effect.andThen(doubtful.end(ask), asked)
      }
      // Before the first append: transaction ids of this server may not go on from those that are stored.
      const [installation] = yield* query("SELECT secret, begin_epoch() AS epoch FROM installation", [])
      if (installation === undefined)
        return yield* new DatabaseStartError({ message: "The installation table is empty." })
      const eras = yield* makeEras(query, options)
      const lanes = yield* GroupCommit.make({
        open: Effect.map(openLane(clientConfig, holder, doubtful, eras), eras.counted)
      })
      return Store.make({
        commit: lanes,
        secret: String(installation["secret"]),
        reads: makeReads(query),
        nextBlock: Effect.map(query("SELECT nextval('account_numbers')::float8 AS first", []), ([row]) =>
          Number(row?.["first"])
        ),
        blockSize: Bounds.accountNumberBlock
      })
    }).pipe(
      Effect.catchTags({
        JournalUnavailable: (error) => Effect.fail(startError(error.cause)),
        SqlError: (error) => Effect.fail(startError(error))
      })
    )
  ).pipe(Layer.provide(Reactivity.layer))

export const layer = layerOf({})

const startError = (cause: unknown) =>
  new DatabaseStartError({
    message: `PostgreSQL does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
  })
