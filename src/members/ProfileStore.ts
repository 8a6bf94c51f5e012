/**
 * The tables of profiles and consent (migrations/0008_profiles.sql): reads. Changes go through the journal's records.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Consent, ConsentRecorded, MemberProfile } from "../contract/platform/Members.ts"
import type { MemberStatus } from "../contract/Values.ts"
import { fromMillis } from "../contract/Values.ts"

/** The newest consent for a purpose and channel. */
export interface StoredConsent {
  readonly purpose: string
  /** Empty: the purpose as a whole. */
  readonly channel: string
  readonly granted: boolean
  readonly source: string | null
  /** ms. */
  readonly recordedAt: number
}

/** A member with its profile. Without a profile the fields are null. */
export interface StoredMember {
  readonly account: number
  readonly program: string
  readonly member: string
  readonly status: MemberStatus
  /** ms. */
  readonly joined: number
  readonly externalId: string | null
  readonly displayName: string | null
  readonly email: string | null
  readonly phone: string | null
  /** YYYY-MM-DD. */
  readonly birthDate: string | null
  readonly attributes: Readonly<Record<string, unknown>> | undefined
  readonly consents: ReadonlyArray<StoredConsent>
  /** ms; undefined without a profile. */
  readonly updatedAt: number | undefined
}

/** The columns of members with profiles, for accounts `a`. Requires the joins in `memberJoins`. */
export const memberColumns = `a.number::float8 AS account, a.program_id, a.member_id, a.status::text AS status,
  (extract(epoch FROM a.joined_at) * 1000)::float8 AS joined, p.external_id, p.display_name, p.email, p.phone,
  p.birth_date::text AS birth_date, p.updated_at::float8 AS updated_at, m.attributes::text AS attributes,
  (SELECT json_agg(json_build_array(c.purpose, c.channel, c.granted, c.source, c.recorded_at) ORDER BY c.purpose, c.channel)::text
    FROM current_consents c WHERE c.account = a.number) AS consents`

export const memberJoins = "LEFT JOIN profiles p ON p.account = a.number LEFT JOIN members m ON m.account = a.number"

const findStatement = `SELECT ${memberColumns} FROM accounts a ${memberJoins}
  WHERE a.number = ANY ($1::float8[]::bigint[])`

type ConsentText = readonly [purpose: string, channel: string, granted: boolean, source: string | null, at: number]

const consentsOf = (value: unknown): ReadonlyArray<StoredConsent> =>
  (JSON.parse(String(value ?? "[]")) as ReadonlyArray<ConsentText>).map(
    ([purpose, channel, granted, source, recordedAt]) => ({ purpose, channel, granted, source, recordedAt })
  )

const textOrNull = (row: Row, name: string): string | null => {
  const value = row[name]
  return value === null || value === undefined ? null : String(value)
}

export const memberOf = (row: Row): StoredMember => {
  const attributes = textOrNull(row, "attributes")
  return {
    account: Number(row["account"]),
    program: String(row["program_id"]),
    member: String(row["member_id"]),
    // The column is an enumeration.
    status: row["status"] as MemberStatus,
    joined: Math.round(Number(row["joined"])),
    externalId: textOrNull(row, "external_id"),
    displayName: textOrNull(row, "display_name"),
    email: textOrNull(row, "email"),
    phone: textOrNull(row, "phone"),
    birthDate: textOrNull(row, "birth_date"),
    // An object, by the contract.
    attributes: attributes === null ? undefined : (JSON.parse(attributes) as Readonly<Record<string, unknown>>),
    consents: consentsOf(row["consents"]),
    updatedAt: row["updated_at"] === null ? undefined : Number(row["updated_at"])
  }
}

const numbers = (values: ReadonlyArray<number>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.float8))

/** The member of an account; undefined if there is no such account. */
export const find = (query: AdminQuery, account: number): Effect.Effect<StoredMember | undefined, Refused> =>
  Effect.map(query(findStatement, [numbers([account])]), ([row]) => (row === undefined ? undefined : memberOf(row)))

const consentShown = ({ channel, granted, purpose, recordedAt, source }: StoredConsent): typeof Consent.Type => ({
  purpose,
  // Checked when it was recorded.
  ...(channel === "" ? undefined : { channel: channel as "email" | "sms" | "push" }),
  granted,
  ...(source === null ? undefined : { source }),
  recorded_at: fromMillis(recordedAt)
})

/** The newest consents, in the form of the contract. */
export const consentsShown = ({ consents }: StoredMember): ReadonlyArray<typeof Consent.Type> =>
  consents.map(consentShown)

/** The consents that `into` would have after a merge at `at`, ms. */
export const consentsMerged = (
  query: AdminQuery,
  from: number,
  into: number,
  at: number
): Effect.Effect<ReadonlyArray<Pick<typeof Consent.Type, "purpose" | "channel" | "granted">>, Refused> =>
  Effect.map(
    query(
      `SELECT c.purpose, c.channel, c.granted
        FROM (SELECT $1::float8::bigint AS from_account, $2::float8::bigint AS into_account, $3::float8::bigint AS at) m,
          newest_consents(array[m.into_account, m.from_account], merge_refusals(m.into_account, m.from_account, m.at)) c
        ORDER BY c.purpose, c.channel`,
      [from, into, at].map((value) => PgTypes.float8(value))
    ),
    (rows) =>
      rows.map((row) => {
        const { channel, granted, purpose } = consentShown({
          purpose: String(row["purpose"]),
          channel: String(row["channel"]),
          granted: row["granted"] === true,
          source: null,
          recordedAt: at
        })
        return channel === undefined ? { purpose, granted } : { purpose, channel, granted }
      })
  )

/** A decision of the history, with its place there. */
interface RecordedConsent {
  readonly n: number
  /** ms. */
  readonly recordedAt: number
  readonly shown: ConsentRecorded
}

/** A page of an account's decisions, newest first. `after`: the place of the previous page's last one. */
export const consentHistory = (
  query: AdminQuery,
  account: number,
  after: Pick<RecordedConsent, "n" | "recordedAt"> | undefined,
  limit: number
): Effect.Effect<ReadonlyArray<RecordedConsent>, Refused> =>
  Effect.map(
    query(
      `SELECT n::float8 AS n, purpose, channel, granted, source, recorded_at::float8 AS recorded_at,
          received_at::float8 AS received_at, recorded_by, member_id
        FROM consents c
        WHERE account = $1::float8::bigint AND ($2::float8 IS NULL
          OR (c.recorded_at, c.n) < ($2::float8::bigint, $3::float8::bigint))
        ORDER BY c.recorded_at DESC, c.n DESC LIMIT $4::float8::bigint`,
      [account, after?.recordedAt ?? null, after?.n ?? null, limit].map((value) => PgTypes.float8(value))
    ),
    (rows) =>
      rows.map((row) => {
        const by = textOrNull(row, "recorded_by")
        const recordedAt = Number(row["recorded_at"])
        const consent = consentShown({
          purpose: String(row["purpose"]),
          channel: String(row["channel"]),
          granted: row["granted"] === true,
          source: textOrNull(row, "source"),
          recordedAt
        })
        return {
          n: Number(row["n"]),
          recordedAt,
          shown: {
            ...consent,
            received_at: fromMillis(Number(row["received_at"])),
            ...(by === null ? undefined : { recorded_by: by }),
            member_id: String(row["member_id"])
          }
        }
      })
  )

/** The profile in the form of the contract; undefined without one. */
export const profileShown = (stored: StoredMember): typeof MemberProfile.Type | undefined => {
  const { birthDate, displayName, email, externalId, phone, updatedAt } = stored
  return updatedAt === undefined
    ? undefined
    : {
        ...(externalId === null ? undefined : { external_id: externalId }),
        ...(displayName === null ? undefined : { display_name: displayName }),
        ...(email === null ? undefined : { email }),
        ...(phone === null ? undefined : { phone }),
        ...(birthDate === null ? undefined : { birth_date: birthDate }),
        updated_at: fromMillis(updatedAt)
      }
}
