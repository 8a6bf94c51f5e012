/**
 * A group of records as parameters of `append_keyed`: an array of rows for each table. Rows are encoded straight
 * into the message's buffer, column by column.
 */
import { type PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { rowsOf, texts } from "../../../base/database/Values.ts"
import type { AuditEntry } from "../Audit.ts"
import { auditText } from "../Audit.ts"
import { hashWords, readHash } from "../Hashing.ts"
import type {
  AccountNumber,
  Claim,
  Hash128,
  IdentityChange,
  IssuedRewardRow,
  JournalRecord,
  LedgerRow,
  MemberRow,
  Millis,
  ProfileChange
} from "../Records.ts"

type Row<A> = PgTypes.Codec<A>
type Sink = Parameters<NonNullable<Row<unknown>["write"]>>[0]

/** A column of a row: its type, and how its length and value are written. */
interface Column<A> {
  readonly oid: number
  readonly write: (sink: Sink, row: A) => void
}

const column =
  <V>(oid: number, put: (sink: Sink, value: V) => void) =>
  <A>(of: (row: A) => V | null | undefined): Column<A> => ({
    oid,
    write: (sink, row) => {
      const value = of(row)
      if (value === null || value === undefined) return sink.int32(-1)
      const length = sink.beginLength()
      put(sink, value)
      sink.endLength(length)
    }
  })

/** For safe integers, without a conversion to bigint. */
const int8 = column<number>(PgTypes.OID.int8, (sink, value) => {
  sink.int32(Math.floor(value / 2 ** 32))
  sink.int32(value | 0)
})
const int4 = column<number>(PgTypes.OID.int4, (sink, value) => sink.int32(value))
const int2 = column<number>(PgTypes.OID.int2, (sink, value) => sink.int16(value))
const bool = column<boolean>(PgTypes.OID.bool, (sink, value) => sink.uint8(value ? 1 : 0))
const text = column<string>(PgTypes.OID.text, (sink, value) => sink.utf8(value))

const words = new Uint32Array(hashWords)
const hash = column<Hash128>(PgTypes.OID.uuid, (sink, value) => {
  readHash(value, words, 0)
  for (const word of words) sink.int32(word | 0)
})

/** 2000-01-01T00:00:00Z, ms: PostgreSQL's epoch. */
const timesBegin = 946_684_800_000n
/** In microseconds: a bigint, because a programme's times may exceed the safe integers. */
const time = column<Millis>(PgTypes.OID.timestamptz, (sink, at) => sink.bigInt64((BigInt(at) - timesBegin) * 1_000n))

const rowOf = <A>(columns: ReadonlyArray<Column<A>>): Row<A> => {
  const oneWay = () => Result.fail(new PgTypes.CodecError({ message: "Rows of a group are never read." }))
  return {
    encode: oneWay,
    decode: oneWay,
    write: (sink, row) => {
      sink.int32(columns.length)
      for (const { oid, write } of columns) {
        sink.int32(oid)
        write(sink, row)
      }
      return Result.void
    }
  }
}

/** A record. The last one of an account in the group has `movesFrom`: the seq before the account's first one. */
interface RecordRow {
  readonly record: JournalRecord
  /** Its idempotency key, if that has an end. */
  readonly key: Claim | undefined
  movesFrom: number | undefined
}

/** A claim, entry or other item, with its record. */
interface Of<A> {
  readonly record: JournalRecord
  readonly item: A
}

const account = int8<Of<unknown>>(({ record }) => record.account)
const seq = int8<Of<unknown>>(({ record }) => record.seq)

const rows = {
  keyed_record: rowOf<RecordRow>([
    int8(({ record }) => record.account),
    int8(({ record }) => record.seq),
    int8(({ record }) => record.at),
    hash(({ record }) => record.hash),
    int4(({ record }) => record.programVersion),
    int2(({ record }) => record.version),
    text(({ record }) => record.actor),
    text(({ record }) => record.origin),
    text(({ record }) => record.events),
    text(({ record }) => record.reply),
    text(({ record }) => record.balances),
    int8(({ record }) => record.totals.nextDue),
    int8(({ record }) => record.totals.balance),
    text(({ record }) => record.totals.status),
    int8(({ movesFrom }) => movesFrom),
    int8(({ record }) => record.announced),
    hash(({ key }) => key?.key),
    hash(({ key }) => key?.fingerprint)
  ]),
  appended_claim: rowOf<Of<Claim>>([account, seq, hash(({ item }) => item.key), hash(({ item }) => item.fingerprint)]),
  appended_entry: rowOf<Of<LedgerRow>>([
    account,
    int8(({ item }) => item.n),
    seq,
    int8(({ item }) => item.amount),
    time(({ item }) => item.occurredAt),
    time(({ item }) => item.expiresAt),
    int8(({ item }) => item.relatedN),
    text(({ item }) => item.operation),
    text(({ item }) => item.unit),
    text(({ item }) => item.classification),
    bool(({ item }) => item.qualifiesForTier),
    text(({ item }) => item.orderId),
    text(({ item }) => item.locationId),
    text(({ item }) => item.adjustmentId),
    text(({ item }) => item.reservationId),
    text(({ item }) => item.reason),
    time(({ item }) => item.placedAt),
    text(({ item }) => item.businessDate)
  ]),
  appended_reward: rowOf<Of<IssuedRewardRow>>([
    account,
    seq,
    text(({ item }) => item.issuedRewardId),
    int8(({ item }) => item.n),
    text(({ item }) => item.rewardId),
    text(({ item }) => item.status),
    int8(({ item }) => item.issuedAt),
    int8(({ item }) => item.expiresAt),
    int8(({ item }) => item.redeemedAt),
    int8(({ item }) => item.cancelledAt),
    text(({ item }) => item.cancellationReason),
    text(({ item }) => item.artifactType),
    text(({ item }) => item.artifactValue)
  ]),
  appended_account: rowOf<JournalRecord>([
    int8(({ account }) => account),
    text(({ opens }) => opens?.programId),
    text(({ opens }) => opens?.memberId),
    time(({ at, opens }) => opens?.joined ?? at),
    text(({ opens }) => JSON.stringify(opens?.identities)),
    text(({ opens }) => JSON.stringify(opens?.attributes))
  ]),
  appended_identity: rowOf<Of<IdentityChange>>([
    account,
    seq,
    hash(({ item }) => item.key),
    bool(({ item }) => item.added)
  ]),
  appended_member: rowOf<Of<MemberRow>>([
    account,
    seq,
    text(({ item }) => JSON.stringify(item.identities)),
    text(({ item }) => JSON.stringify(item.attributes))
  ]),
  appended_profile: rowOf<Of<ProfileChange>>([account, seq, text(({ item }) => JSON.stringify(item))]),
  appended_audit: rowOf<Of<AuditEntry>>([account, seq, text(({ item }) => auditText(item))])
}

const none: ReadonlyArray<never> = []

const hasEnd = (claim: Claim): boolean => claim.hasEnd === true
/** The claims that are held for good. */
const lastingOf = (group: ReadonlyArray<JournalRecord>): ReadonlyArray<Of<Claim>> => {
  const all: Array<Of<Claim>> = []
  for (const record of group) for (const item of record.claims) if (item.hasEnd !== true) all.push({ record, item })
  return all
}

/** The records' rows. Only an account's last one updates its row in `accounts`, from the seq before its first one. */
const recordRows = (group: ReadonlyArray<JournalRecord>): ReadonlyArray<RecordRow> => {
  const newest = new Map<AccountNumber, RecordRow>()
  return group.map((record) => {
    const before = newest.get(record.account)
    const key = record.claims.find(hasEnd)
    const row = { record, key, movesFrom: before === undefined ? record.seq - 1 : before.movesFrom }
    if (before !== undefined) before.movesFrom = undefined
    newest.set(record.account, row)
    return row
  })
}

const itemsOf = <A>(
  group: ReadonlyArray<JournalRecord>,
  of: (record: JournalRecord) => ReadonlyArray<A>
): ReadonlyArray<Of<A>> => {
  const all: Array<Of<A>> = []
  for (const record of group) for (const item of of(record)) all.push({ record, item })
  return all
}

/** A group as parameters of `append_keyed`, from `records` to `audited`. */
type Encode = (group: ReadonlyArray<JournalRecord>) => ReadonlyArray<PgTypes.Parameter>

// The keys of `rows`, which TypeScript takes for any texts.
const typeNames = Object.keys(rows) as ReadonlyArray<keyof typeof rows>
const typeRows = rowsOf(
  Schema.Struct({ name: Schema.Literals(typeNames), oid: Schema.Number, array_oid: Schema.Number })
)

/** Registers the row types for a connection: each database gives them other oids. */
export const encoderFor = (
  connection: PgConnection.PgConnection,
  registry: PgTypes.Registry
): Effect.Effect<Encode, SqlError.SqlError> =>
  Effect.map(
    typeRows(
      connection.query(
        "SELECT name, name::regtype::oid AS oid, (name || '[]')::regtype::oid AS array_oid FROM unnest($1) name",
        [texts(typeNames)]
      )
    ),
    (types) => {
      const oids = new Map<string, number>()
      for (const { array_oid, name, oid } of types) {
        registry.register(oid, rows[name] as Row<unknown>, { arrayOid: array_oid })
        oids.set(name, oid)
      }
      const array = (type: keyof typeof rows, values: ReadonlyArray<unknown>) =>
        Result.getOrThrow(PgTypes.array(values, oids.get(type)!, registry))
      return (group) => [
        array("keyed_record", recordRows(group)),
        array("appended_claim", lastingOf(group)),
        array(
          "appended_entry",
          itemsOf(group, ({ entries }) => entries)
        ),
        array(
          "appended_reward",
          itemsOf(group, ({ issuedRewards }) => issuedRewards)
        ),
        array(
          "appended_account",
          group.filter(({ opens }) => opens !== undefined)
        ),
        array(
          "appended_identity",
          itemsOf(group, ({ identities }) => identities ?? none)
        ),
        array(
          "appended_member",
          itemsOf(group, ({ member }) => (member === undefined ? none : [member]))
        ),
        array(
          "appended_profile",
          itemsOf(group, ({ profile }) => (profile === undefined ? none : [profile]))
        ),
        array(
          "appended_audit",
          itemsOf(group, ({ audit }) => (audit === undefined ? none : [audit]))
        )
      ]
    }
  )
