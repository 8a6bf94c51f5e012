/** The statements of an export. PostgreSQL makes the lines of tables whose rows nobody folds. */
import { Schema } from "effect"
import { recordColumns, StoredRecord } from "../../core/journal/postgres/StoredRows.ts"

const form = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
/** A timestamp as text. */
const instant = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', ${form})`
/** The same of a column with ms. */
const ofMs = (column: string): string => instant(`to_timestamp(${column} / 1000.0)`)

/** A line of a kind. Values are expressions. */
const line = (kind: string, values: Readonly<Record<string, string>>): string =>
  `json_build_object('kind', '${kind}', ${Object.entries(values)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(", ")})::text AS line`

/** True for accounts of the programme `$1`. */
export const ofProgram = (account: string): string =>
  `${account} IN (SELECT number FROM accounts WHERE program_id = $1)`

export const Line = Schema.Struct({ account: Schema.Number, line: Schema.String })

export const Program = Schema.Struct({ line: Schema.String, hash: Schema.String })

export const programs = `SELECT encode(hash, 'hex') AS hash, ${line("program", {
  version: "version",
  published_at: instant("published_at"),
  published_by: "published_by",
  source: "source",
  note: "note",
  hash: "encode(hash, 'hex')",
  definition: "definition"
})} FROM programs WHERE program_id = $1 ORDER BY version`

export const Guest = Schema.Struct({ ...Line.fields, seq: Schema.Number })

export const guests = `SELECT a.number AS account, a.seq, ${line("guest", {
  account: "a.number",
  member_id: "a.member_id",
  status: "a.status",
  joined_at: instant("a.joined_at"),
  identities: "coalesce(m.identities, '[]')",
  attributes: "m.attributes",
  external_id: "p.external_id",
  display_name: "p.display_name",
  email: "p.email",
  phone: "p.phone",
  birth_date: "p.birth_date",
  profile_updated_at: ofMs("p.updated_at"),
  erased_at: ofMs("e.at")
})} FROM accounts a LEFT JOIN members m ON m.account = a.number LEFT JOIN profiles p ON p.account = a.number
    LEFT JOIN erasures e ON e.account = a.number
  WHERE a.program_id = $1 ORDER BY a.number`

export const consents = `SELECT account, ${line("consent", {
  account: "account",
  purpose: "purpose",
  channel: "nullif(channel, '')",
  granted: "granted",
  source: "source",
  recorded_at: ofMs("recorded_at"),
  received_at: ofMs("received_at"),
  recorded_by: "recorded_by",
  member_id: "member_id"
})} FROM consents WHERE ${ofProgram("account")} ORDER BY account, purpose, n`

export const Record = Schema.Struct({
  ...StoredRecord.fields,
  writtenAt: Schema.Number,
  epoch: Schema.Number,
  transaction: Schema.String
})

export const records = `SELECT ${recordColumns}, written_at AS "writtenAt", epoch, transaction::text AS transaction
  FROM journal WHERE ${ofProgram("account")} ORDER BY account, seq`

export const Entry = Schema.Struct({
  ...Line.fields,
  n: Schema.Number,
  unit: Schema.String,
  amount: Schema.Number
})

export const entries = `SELECT account, n, unit::text AS unit, amount, ${line("entry", {
  account: "account",
  n: "n",
  seq: "seq",
  operation: "operation",
  unit: "unit",
  amount: "amount",
  occurred_at: instant("occurred_at"),
  expires_at: instant("expires_at"),
  related_n: "related_n",
  classification: "classification",
  qualifies_for_tier: "qualifies_for_tier",
  order_id: "order_id",
  location_id: "location_id",
  adjustment_id: "adjustment_id",
  reservation_id: "reservation_id",
  reason: "reason",
  placed_at: instant("placed_at"),
  business_date: "business_date"
})} FROM ledger_entries WHERE ${ofProgram("account")} ORDER BY account, n`

export const rewards = `SELECT account, ${line("reward", {
  account: "account",
  issued_reward_id: "issued_reward_id",
  n: "n",
  reward_id: "reward_id",
  status: "status",
  issued_at: ofMs("issued_at"),
  expires_at: ofMs("expires_at"),
  redeemed_at: ofMs("redeemed_at"),
  cancelled_at: ofMs("cancelled_at"),
  cancellation_reason: "cancellation_reason",
  artifact_type: "artifact_type",
  artifact_value: "artifact_value"
})} FROM issued_rewards WHERE ${ofProgram("account")} ORDER BY account, issued_reward_id`
