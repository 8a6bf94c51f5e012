/**
 * Anchors: signed summaries of the journal and the audit that an operator keeps outside the database. A person who can change
 * the whole database can also compute its hashes again; an anchor shows what was there, so that records, entries of the
 * audit, erasures and revocations that are gone since are found.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { KeyObject } from "node:crypto"
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import * as fs from "node:fs"
import { Database } from "../../base/database/Database.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { firstOf, int8s, oneOf, rowsOf, texts } from "../../base/database/Values.ts"
import { parts as partCount } from "./Bounds.ts"
import type { Difference } from "./Difference.ts"
import { lockStatement } from "./Material.ts"

/** Format of the file. */
const format = 1

/** The newest records of the accounts with one remainder of their numbers. */
const Part = Schema.Struct({
  part: Schema.Int,
  accounts: Schema.Int,
  records: Schema.Int,
  /** SHA-256 over account, seq and hash of each account's last record. A hash covers the records before it. */
  digest: Schema.String
})

const Body = Schema.Struct({
  format: Schema.Literal(format),
  /** A keyed hash that names the database, also after a restore of a copy. */
  database: Schema.String,
  written_at: Schema.String,
  /** Every record before this position is covered: of earlier epochs all, of this one those of earlier transactions. */
  epoch: Schema.Int,
  transaction: Schema.String,
  parts: Schema.Array(Part),
  audit: Schema.Array(Schema.Struct({ chain: Schema.Int, n: Schema.String, hash: Schema.String })),
  programs: Schema.Array(Schema.Struct({ program_id: Schema.String, version: Schema.Int, hash: Schema.String })),
  /** Numbers of the accounts whose personal data was erased. */
  erased: Schema.Array(Schema.Int),
  revoked_tokens: Schema.Array(Schema.String),
  /** The hash of each span's seal, from span 0 on. Anchors of before seals have none. */
  seals: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Body = typeof Body.Type

const File = Schema.Struct({
  body: Body,
  /** The public key, and the signature of the body's JSON text: Ed25519, base64. */
  public_key: Schema.String,
  signature: Schema.String
})

/** The anchor or its key cannot be used; the message has the remedy. */
class AnchorFault extends Schema.TaggedError<AnchorFault>()("AnchorFault", { message: Schema.String }) {}

const fault = (message: string) => new AnchorFault({ message })

const readText = (file: string, what: string) =>
  Effect.try({
    try: () => fs.readFileSync(file, "utf8"),
    catch: (error) => fault(`${what} ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })

export interface Key {
  readonly publicKey: KeyObject
  /** Absent: the file has the public key alone, which checks anchors and writes none. */
  readonly privateKey?: KeyObject | undefined
}

const makeKey = "make one with: openssl genpkey -algorithm ed25519 -out FILE"

/** Reads an Ed25519 key in PEM, private or public. */
export const readKey = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Key, AnchorFault> {
  if (!fs.existsSync(file)) return yield* fault(`There is no key ${file}; ${makeKey}`)
  const pem = yield* readText(file, "The key")
  const key = yield* Effect.try({
    try: (): Key => {
      if (!pem.includes("PRIVATE KEY")) return { publicKey: createPublicKey(pem) }
      const privateKey = createPrivateKey(pem)
      return { publicKey: createPublicKey(privateKey), privateKey }
    },
    catch: () => fault(`${file} is no key in PEM without a passphrase; ${makeKey}`)
  })
  if (key.publicKey.asymmetricKeyType !== "ed25519") return yield* fault(`${file} is no Ed25519 key; ${makeKey}`)
  return key
})

const textOf = (key: KeyObject): string => key.export({ type: "spki", format: "der" }).toString("base64")

/** Writes an anchor whole, or not at all. */
export const write = Effect.fnUntraced(function* (file: string, body: Body, key: Key) {
  const { privateKey, publicKey } = key
  if (privateKey === undefined) return yield* fault("This is a public key. An anchor is written with the private key.")
  const signature = sign(null, Buffer.from(JSON.stringify(body)), privateKey).toString("base64")
  const text = JSON.stringify({ body, public_key: textOf(publicKey), signature })
  yield* Effect.try({
    try: () => {
      const partial = `${file}.partial`
      const descriptor = fs.openSync(partial, "w", 0o600)
      fs.writeSync(descriptor, `${text}\n`)
      fs.fsyncSync(descriptor)
      fs.closeSync(descriptor)
      fs.renameSync(partial, file)
    },
    catch: (error) => fault(`The anchor ${file} cannot be written: ${String(error)}`)
  })
})

/** Reads an anchor and checks its signature. */
export const read = Effect.fnUntraced(function* (file: string, key: Key): Effect.fn.Return<Body, AnchorFault> {
  const text = yield* readText(file, "The anchor")
  const decoded = yield* Effect.mapError(
    Effect.try({ try: () => Schema.decodeUnknownSync(File)(JSON.parse(text)), catch: () => undefined }),
    () => fault(`${file} is no anchor of this version, or it is damaged.`)
  )
  const isSigned = verify(
    null,
    Buffer.from(JSON.stringify(decoded.body)),
    key.publicKey,
    Buffer.from(decoded.signature, "base64")
  )
  if (!isSigned) return yield* fault(`${file} is not signed by this key, or it was changed.`)
  return decoded.body
})

const placeStatement = `SELECT encode(keyed_hash('anchor'), 'hex') AS database,
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS written_at,
    i.epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS transaction
  FROM installation i`
const { audit, database, epoch, programs, transaction, written_at } = Body.fields
const placeRow = oneOf(Schema.Struct({ database, written_at, epoch, transaction }))

/** True of a record that an anchor of epoch $1 and transaction $2 covers. */
const isCovered = "(epoch < $1 OR epoch = $1 AND transaction < $2)"

/** True of an archived span if it covers every record. */
const isWholeCovered = "(x.last_epoch < $1 OR x.last_epoch = $1 AND x.last_transaction < $2)"

/** Archived spans that an anchor covers in part. */
const partlyStatement = `SELECT x.month FROM archived_spans x JOIN spans s ON s.span = x.span
  WHERE NOT ${isWholeCovered} AND (s.epoch, s.transaction) < ($1, $2) ORDER BY x.span`
const monthRow = firstOf(Schema.Struct({ month: Schema.String }))

/** The last sealed span that it covers whole; -1: none. */
const sealedStatement = `SELECT coalesce(max(s.span), -1) AS span FROM seals s JOIN spans n ON n.span = s.span + 1
    LEFT JOIN archived_spans x ON x.span = s.span
  WHERE (n.epoch, n.transaction) < ($1, $2) OR ${isWholeCovered}`
const sealedRow = oneOf(Schema.Struct({ span: Schema.Number }))

/** Of the spans up to $3 that a condition on `l` lets through the seals have the last record of each account. */
const sealedHeads = (condition: string) => `SELECT s.account, s.seq, s.chain
        FROM accounts a CROSS JOIN LATERAL (SELECT ${SpanOf.newest("a.number", `l.span <= $3 AND ${condition}`)} AS span OFFSET 0) before
          JOIN sealed_accounts s ON s.span = before.span AND s.account = a.number`

/** Records are read of the spans after $3 alone. */
const afterSeals = `SELECT account, seq, hash FROM journal WHERE span > $3 AND ${isCovered}
      UNION ALL ${sealedHeads("true")} WHERE s.span <= $3`

/** The same with the records of every span that lies in tables: somebody may have changed them and made no seal anew. */
const allRecords = `SELECT account, seq, hash FROM journal WHERE ${isCovered}
      UNION ALL ${sealedHeads("l.span IN (SELECT x.span FROM archived_spans x)")}
        WHERE s.span <= $3 AND s.span IN (SELECT x.span FROM archived_spans x)`

const partsStatement = (
  heads: string
) => `SELECT mod(account, ${partCount}) AS part, count(*) AS accounts, sum(seq)::float8 AS records,
    encode(sha256(string_agg(int8send(account) || int8send(seq) || uuid_send(hash), ''::bytea ORDER BY account)), 'hex')
      AS digest
  FROM (SELECT DISTINCT ON (account) account, seq, hash FROM (
      ${heads}
    ) known ORDER BY account, seq DESC) newest GROUP BY 1 ORDER BY 1`
const partRows = rowsOf(Part)
const auditRows = rowsOf(audit.value)
const programRows = rowsOf(programs.value)
const accountRows = rowsOf(Schema.Struct({ account: Schema.Number, program: Schema.String, member: Schema.String }))
const numberRows = rowsOf(Schema.Struct({ account: Schema.Number }))
const tokenRows = rowsOf(Schema.Struct({ token_id: Schema.String }))
const hashRow = firstOf(Schema.Struct({ hash: Schema.String }))
const sealRows = rowsOf(Schema.Struct({ hash: Schema.String }))
const countRow = oneOf(Schema.Struct({ count: Schema.Number }))

type Connection = PgConnection.PgConnection

const placeOf = ({ epoch, transaction }: Pick<Body, "epoch" | "transaction">) => [PgTypes.int4(epoch), transaction]

/** Where the heads of accounts come from: of sealed spans from their seals, or from the records that lie in tables. */
export type Heads = "seals" | "records"

const partsBefore = Effect.fnUntraced(function* (
  connection: Connection,
  place: Pick<Body, "epoch" | "transaction">,
  heads: Heads
) {
  const { span } = yield* sealedRow(connection.query(sealedStatement, placeOf(place)))
  const statement = partsStatement(heads === "seals" ? afterSeals : allRecords)
  const parts = yield* partRows(connection.query(statement, [...placeOf(place), PgTypes.int2(span)]))
  return { parts, span }
})

const sealsOf = (connection: Connection) =>
  sealRows(connection.query("SELECT encode(hash, 'hex') AS hash FROM seals ORDER BY span"))

/** A summary of the database as it is now. */
export const summarize = Effect.fnUntraced(function* (heads: Heads) {
  const connection = yield* connected
  const place = yield* placeRow(connection.query(placeStatement))
  const erased = yield* numberRows(connection.query("SELECT account FROM erasures ORDER BY account"))
  const revoked = yield* tokenRows(
    connection.query("SELECT token_id FROM tokens WHERE revoked_at IS NOT NULL ORDER BY token_id")
  )
  return {
    format,
    ...place,
    parts: (yield* partsBefore(connection, place, heads)).parts,
    audit: yield* auditRows(
      connection.query("SELECT chain, n::text AS n, encode(hash, 'hex') AS hash FROM audit_heads ORDER BY chain")
    ),
    programs: yield* programRows(
      connection.query(
        "SELECT program_id, version, encode(hash, 'hex') AS hash FROM programs ORDER BY program_id, version"
      )
    ),
    erased: erased.map(({ account }) => account),
    revoked_tokens: revoked.map(({ token_id }) => token_id),
    seals: (yield* sealsOf(connection)).map(({ hash }) => hash)
  } satisfies Body
}, Effect.scoped)

/** One snapshot for all statements. */
const connected = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook anchor" })
  yield* connection.query(lockStatement)
  yield* connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], false)
  return connection
})

/** An erased guest or a revoked token that is back. */
export interface Revived {
  readonly accounts: ReadonlyArray<{ readonly account: number; readonly program: string; readonly member: string }>
  readonly tokens: ReadonlyArray<string>
}

interface Compared {
  readonly differences: ReadonlyArray<Difference>
  readonly revived: Revived
  /** The last span whose seal was trusted; -1: none. */
  readonly sealedTo: number
}

const partDifferences = (body: Body, found: ReadonlyArray<typeof Part.Type>): ReadonlyArray<Difference> => {
  const byPart = new Map(found.map((part) => [part.part, part]))
  return body.parts.flatMap((part) => {
    const now = byPart.get(part.part)
    if (now?.digest === part.digest) return []
    const message =
      now === undefined || now.records < part.records
        ? `${part.records - (now?.records ?? 0)} records are missing at the end: there were ${part.records} of ${part.accounts} accounts`
        : "records were changed since"
    return [{ table: "journal" as const, row: `accounts with number modulo ${partCount} = ${part.part}`, message }]
  })
}

const sealDifferences = (
  { seals = [] }: Body,
  found: ReadonlyArray<{ readonly hash: string }>
): ReadonlyArray<Difference> =>
  seals.flatMap((hash, span) => {
    const now = found[span]?.hash
    if (now === hash) return []
    const message = now === undefined ? "it is missing" : "it was changed since"
    return [{ table: "seals" as const, row: `span ${span}`, message }]
  })

/** Compares the database with an anchor of it. */
export const compare = Effect.fnUntraced(function* (body: Body, heads: Heads) {
  const connection = yield* connected
  const { database } = yield* placeRow(connection.query(placeStatement))
  if (database !== body.database) return yield* fault("The anchor belongs to another database.")
  const partly = yield* monthRow(connection.query(partlyStatement, placeOf(body)))
  if (partly !== undefined)
    return yield* fault(
      `The anchor was written in ${partly.month} or soon after, whose records are archived. Restore them first: lotbook journal restore ${partly.month}`
    )
  const { parts, span } = yield* partsBefore(connection, body, heads)
  const differences: Array<Difference> = [...partDifferences(body, parts)]
  for (const { chain, hash, n } of body.audit) {
    if (n === "0") continue
    const entry = yield* hashRow(
      connection.query("SELECT encode(hash, 'hex') AS hash FROM audit WHERE chain = $1 AND n = $2", [
        PgTypes.int4(chain),
        n
      ])
    )
    if (entry === undefined)
      differences.push({ table: "audit", row: `chain ${chain}, n ${n}`, message: "entries are missing at the end" })
    else if (entry.hash !== hash)
      differences.push({ table: "audit", row: `chain ${chain}, n ${n}`, message: "entries were changed since" })
  }
  const versions = yield* programRows(
    connection.query("SELECT program_id, version, encode(hash, 'hex') AS hash FROM programs")
  )
  const programs = new Map(versions.map(({ hash, program_id, version }) => [`${program_id} version ${version}`, hash]))
  for (const { hash, program_id, version } of body.programs) {
    const row = `${program_id} version ${version}`
    const now = programs.get(row)
    if (now === hash) continue
    differences.push({ table: "programs", row, message: now === undefined ? "it is missing" : "it was changed since" })
  }
  differences.push(...sealDifferences(body, yield* sealsOf(connection)))
  const accounts = yield* accountRows(
    connection.query(
      `SELECT a.number AS account, a.program_id AS program, a.member_id AS member FROM accounts a
        WHERE a.number = ANY ($1) AND NOT EXISTS (SELECT FROM erasures e WHERE e.account = a.number)
        ORDER BY a.number`,
      [int8s(body.erased)]
    )
  )
  const tokens = yield* tokenRows(
    connection.query("SELECT token_id FROM tokens WHERE revoked_at IS NULL AND token_id = ANY ($1) ORDER BY 1", [
      texts(body.revoked_tokens)
    ])
  )
  const revived = { accounts, tokens: tokens.map(({ token_id }) => token_id) }
  return { differences, revived, sealedTo: heads === "seals" ? span : -1 } satisfies Compared
}, Effect.scoped)

/**
 * The number of records that an anchor covers and the database does not have. Every record is counted, not by the numbers of the newest:
 * a copy may lack records between others.
 */
export const missingRecords = Effect.fnUntraced(function* (body: Body) {
  const connection = yield* connected
  const { count } = yield* countRow(
    connection.query(
      `SELECT (SELECT count(*) FROM journal WHERE ${isCovered})
          + (SELECT coalesce(sum(x.records), 0)::bigint FROM archived_spans x WHERE ${isWholeCovered}) AS count`,
      placeOf(body)
    )
  )
  return Math.max(0, body.parts.reduce((sum, { records }) => sum + records, 0) - count)
}, Effect.scoped)
