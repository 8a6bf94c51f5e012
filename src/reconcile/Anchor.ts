/**
 * Anchors: signed summaries of the journal and the audit that an operator keeps outside the database. Whoever can change
 * the whole database can also compute its hashes again; an anchor shows what was there, so that records, entries of the
 * audit, erasures and revocations that are gone since are found.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { KeyObject } from "node:crypto"
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import * as fs from "node:fs"
import { Database } from "../database/Database.ts"
import type { Difference } from "./Difference.ts"
import { parts as partCount } from "./Bounds.ts"

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
  revoked_tokens: Schema.Array(Schema.String)
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

const placeStatement = `SELECT encode(keyed_hash('anchor'), 'hex'), to_char(clock_timestamp() AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), i.epoch::float8, pg_snapshot_xmin(pg_current_snapshot())::text FROM installation i`

/** True of a record that an anchor of epoch $1 and transaction $2 covers. */
const isCovered = "(epoch < $1::text::int OR epoch = $1::text::int AND transaction < $2::text::xid8)"

const partsStatement = `SELECT mod(account, ${partCount})::float8, count(*)::float8, sum(seq)::float8,
    encode(sha256(string_agg(int8send(account) || int8send(seq) || uuid_send(hash), ''::bytea ORDER BY account)), 'hex')
  FROM (SELECT DISTINCT ON (account) account, seq, hash FROM journal
    WHERE ${isCovered}
    ORDER BY account, seq DESC) newest GROUP BY 1 ORDER BY 1`

type Connection = PgConnection.PgConnection

const partsBefore = (connection: Connection, epoch: number, transaction: string) =>
  Effect.map(connection.queryValues(partsStatement, [String(epoch), transaction]), (rows) =>
    rows.map(([part, accounts, records, digest]) => ({
      part: Number(part),
      accounts: Number(accounts),
      records: Number(records),
      digest: String(digest)
    }))
  )

/** A summary of the database as it is now. */
export const summarize = Effect.fnUntraced(function* () {
  const connection = yield* connected
  const [[database, written_at, epoch, transaction] = []] = yield* connection.queryValues(placeStatement)
  const audit = yield* connection.queryValues(
    "SELECT chain::float8, n::text, encode(hash, 'hex') FROM audit_heads ORDER BY chain"
  )
  const programs = yield* connection.queryValues(
    "SELECT program_id, version::float8, encode(hash, 'hex') FROM programs ORDER BY program_id, version"
  )
  const erased = yield* connection.queryValues("SELECT account::float8 FROM erasures ORDER BY account")
  const revoked = yield* connection.queryValues(
    "SELECT token_id FROM tokens WHERE revoked_at IS NOT NULL ORDER BY token_id"
  )
  return {
    format,
    database: String(database),
    written_at: String(written_at),
    epoch: Number(epoch),
    transaction: String(transaction),
    parts: yield* partsBefore(connection, Number(epoch), String(transaction)),
    audit: audit.map(([chain, n, hash]) => ({ chain: Number(chain), n: String(n), hash: String(hash) })),
    programs: programs.map(([program_id, version, hash]) => ({
      program_id: String(program_id),
      version: Number(version),
      hash: String(hash)
    })),
    erased: erased.map(([account]) => Number(account)),
    revoked_tokens: revoked.map(([token]) => String(token))
  } satisfies Body
}, Effect.scoped)

/** One snapshot for all statements. */
const connected = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook anchor" })
  yield* connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], false)
  return connection
})

/** An erased guest or a revoked token that is back. */
export interface Revived {
  readonly accounts: ReadonlyArray<{ readonly account: number; readonly program: string; readonly member: string }>
  readonly tokens: ReadonlyArray<string>
}

export interface Compared {
  readonly differences: ReadonlyArray<Difference>
  readonly revived: Revived
  /** Records that the anchor covers and the database does not have. */
  readonly missingRecords: number
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

/** Compares the database with an anchor of it. */
export const compare = Effect.fnUntraced(function* (body: Body) {
  const connection = yield* connected
  const [[database] = []] = yield* connection.queryValues(placeStatement)
  if (database !== body.database) return yield* fault("The anchor belongs to another database.")
  const parts = yield* partsBefore(connection, body.epoch, body.transaction)
  const differences: Array<Difference> = [...partDifferences(body, parts)]
  for (const { chain, hash, n } of body.audit) {
    if (n === "0") continue
    const [entry] = yield* connection.queryValues(
      "SELECT encode(hash, 'hex') FROM audit WHERE chain = $1::text::smallint AND n = $2::text::bigint",
      [String(chain), n]
    )
    if (entry === undefined)
      differences.push({ table: "audit", row: `chain ${chain}, n ${n}`, message: "entries are missing at the end" })
    else if (entry[0] !== hash)
      differences.push({ table: "audit", row: `chain ${chain}, n ${n}`, message: "entries were changed since" })
  }
  const programs = new Map(
    (yield* connection.queryValues(
      "SELECT program_id || ' version ' || version, encode(hash, 'hex') FROM programs"
    )).map(([name, hash]) => [String(name), String(hash)])
  )
  for (const { hash, program_id, version } of body.programs) {
    const row = `${program_id} version ${version}`
    const now = programs.get(row)
    if (now === hash) continue
    differences.push({ table: "programs", row, message: now === undefined ? "it is missing" : "it was changed since" })
  }
  const accounts = yield* connection.queryValues(
    `SELECT a.number::float8, a.program_id, a.member_id FROM accounts a
      WHERE a.number = ANY ($1::text::bigint[]) AND NOT EXISTS (SELECT FROM erasures e WHERE e.account = a.number)
      ORDER BY a.number`,
    [`{${body.erased.join(",")}}`]
  )
  const tokens = yield* connection.queryValues(
    "SELECT token_id FROM tokens WHERE revoked_at IS NULL AND token_id = ANY (ARRAY(SELECT json_array_elements_text($1::text::json))) ORDER BY 1",
    [JSON.stringify(body.revoked_tokens)]
  )
  const covered = body.parts.reduce((sum, { records }) => sum + records, 0)
  // Counted, not by the numbers of the newest: a copy may lack records between others.
  const [[present] = []] = yield* connection.queryValues(`SELECT count(*)::float8 FROM journal WHERE ${isCovered}`, [
    String(body.epoch),
    body.transaction
  ])
  return {
    differences,
    missingRecords: Math.max(0, covered - Number(present)),
    revived: {
      accounts: accounts.map(([account, program, member]) => ({
        account: Number(account),
        program: String(program),
        member: String(member)
      })),
      tokens: tokens.map(([token]) => String(token))
    }
  } satisfies Compared
}, Effect.scoped)
