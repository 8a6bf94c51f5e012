/**
 * The tables of profiles and consent (migrations/0008_profiles.sql): reads. Changes go through the journal's records.
 */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, int8s, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { Language } from "../../contract/Languages.ts"
import {
  type Consent,
  ConsentChannel,
  type ConsentRecorded,
  type MemberProfile
} from "../../contract/platform/Members.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis, MemberStatus } from "../../contract/Values.ts"

const consentColumns = {
  purpose: Schema.String,
  /** Empty: the purpose as a whole. */
  channel: Schema.Union([Schema.Literal(""), ConsentChannel]),
  granted: Schema.Boolean
}

/** The newest consent for a purpose and channel. */
const StoredConsent = Schema.Struct({
  ...consentColumns,
  source: Schema.NullOr(Schema.String),
  /** ms. */
  recordedAt: Schema.Number
})
export type StoredConsent = typeof StoredConsent.Type

/** A member with its profile. Without a profile the fields are null. */
export const StoredMember = Schema.Struct({
  account: Schema.Number,
  program: Schema.String,
  member: Schema.String,
  status: MemberStatus,
  /** ms. */
  joined: Schema.Number,
  externalId: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
  /** YYYY-MM-DD. */
  birthDate: Schema.NullOr(Schema.String),
  attributes: optional(Schema.Record(Schema.String, Schema.Unknown)),
  consents: Schema.Array(StoredConsent),
  /** ms; undefined without a profile. */
  updatedAt: optional(Schema.Number)
})
export type StoredMember = typeof StoredMember.Type

/** The columns of members with profiles, for accounts `a`. Requires the joins in `memberJoins`. */
export const memberColumns = `a.number AS account, a.program_id AS program, a.member_id AS member,
  a.status::text AS status, a.joined_at AS joined, p.external_id AS "externalId", p.display_name AS "displayName",
  p.email, p.phone, p.birth_date AS "birthDate", p.updated_at AS "updatedAt", m.attributes,
  coalesce((SELECT json_agg(json_build_object('purpose', c.purpose, 'channel', c.channel, 'granted', c.granted,
      'source', c.source, 'recordedAt', c.recorded_at) ORDER BY c.purpose, c.channel)
    FROM current_consents c WHERE c.account = a.number), '[]') AS consents`

export const memberJoins = "LEFT JOIN profiles p ON p.account = a.number LEFT JOIN members m ON m.account = a.number"

const findStatement = `SELECT ${memberColumns} FROM accounts a ${memberJoins} WHERE a.number = $1`

const memberOf = firstOf(StoredMember)

/** The member of an account; undefined if there is no such account. */
export const find = (query: Query, account: number): Effect.Effect<StoredMember | undefined, Refused> =>
  memberOf(query(findStatement, [int8(account)]))

const consentShown = ({ channel, granted, purpose, recordedAt, source }: StoredConsent): typeof Consent.Type => ({
  purpose,
  ...(channel === "" ? undefined : { channel }),
  granted,
  ...(source === null ? undefined : { source }),
  recorded_at: fromMillis(recordedAt)
})

/** The newest consents, in the form of the contract. */
export const consentsShown = ({ consents }: StoredMember): ReadonlyArray<typeof Consent.Type> =>
  consents.map(consentShown)

const merged = rowsOf(Schema.Struct(consentColumns))

/** The consents that `into` would have after a merge at `at`, ms. */
export const consentsMerged = (
  query: Query,
  from: number,
  into: number,
  at: number
): Effect.Effect<ReadonlyArray<Pick<typeof Consent.Type, "purpose" | "channel" | "granted">>, Refused> =>
  Effect.map(
    merged(
      query(
        `SELECT c.purpose, c.channel, c.granted
          FROM newest_consents(array[$2, $1], merge_refusals($2, $1, $3)) c ORDER BY c.purpose, c.channel`,
        [int8(from), int8(into), int8(at)]
      )
    ),
    (rows) =>
      rows.map(({ channel, granted, purpose }) =>
        channel === "" ? { purpose, granted } : { purpose, channel, granted }
      )
  )

/** A decision of the history, with its place there. */
export interface RecordedConsent {
  readonly n: number
  /** ms. */
  readonly recordedAt: number
  readonly shown: ConsentRecorded
}

const history = rowsOf(
  Schema.Struct({
    ...StoredConsent.fields,
    n: Schema.Number,
    received_at: Schema.Number,
    recorded_by: optional(Schema.String),
    member_id: Schema.String
  })
)

/** A page of an account's decisions, newest first. `after`: the place of the previous page's last one. */
export const consentHistory = (
  query: Query,
  account: number,
  after: Pick<RecordedConsent, "n" | "recordedAt"> | undefined,
  limit: number
): Effect.Effect<ReadonlyArray<RecordedConsent>, Refused> =>
  Effect.map(
    history(
      query(
        `SELECT n, purpose, channel, granted, source, recorded_at AS "recordedAt", received_at, recorded_by, member_id
          FROM consents WHERE account = $1 AND ($2 IS NULL OR (recorded_at, n) < ($2, $3))
          ORDER BY recorded_at DESC, n DESC LIMIT $4`,
        [account, after?.recordedAt ?? null, after?.n ?? null, limit].map(int8)
      )
    ),
    (rows) =>
      rows.map((row) => ({
        n: row.n,
        recordedAt: row.recordedAt,
        shown: {
          ...consentShown(row),
          received_at: fromMillis(row.received_at),
          ...(row.recorded_by === undefined ? undefined : { recorded_by: row.recorded_by }),
          member_id: row.member_id
        }
      }))
  )

/** The profile's fields in the form of the contract; none without a profile. */
export const fieldsShown = ({ birthDate, displayName, email, externalId, phone }: StoredMember) => ({
  ...(externalId === null ? undefined : { external_id: externalId }),
  ...(displayName === null ? undefined : { display_name: displayName }),
  ...(email === null ? undefined : { email }),
  ...(phone === null ? undefined : { phone }),
  ...(birthDate === null ? undefined : { birth_date: birthDate })
})

/** The profile in the form of the contract; undefined without one. */
export const profileShown = (stored: StoredMember): typeof MemberProfile.Type | undefined =>
  stored.updatedAt === undefined ? undefined : { ...fieldsShown(stored), updated_at: fromMillis(stored.updatedAt) }

const leavesRow = oneOf(Schema.Struct({ leavesAt: Schema.NullOr(Schema.Number) }))

/** When the first of these accounts is erased because its guest has asked to leave, ms; undefined: none has. */
export const leavesAt = (query: Query, accounts: ReadonlyArray<number>): Effect.Effect<number | undefined, Refused> =>
  Effect.map(
    leavesRow(
      query('SELECT min(leaves_at) AS "leavesAt" FROM guest_settings WHERE account = ANY ($1)', [int8s(accounts)])
    ),
    (row) => row.leavesAt ?? undefined
  )

const chosenRow = oneOf(Schema.Struct({ language: Schema.NullOr(Language) }))

/** The language that a guest has chosen on the guests' page; undefined: none. */
export const chosenLanguage = (query: Query, account: number): Effect.Effect<Language | undefined, Refused> =>
  Effect.map(
    chosenRow(query("SELECT max(language) AS language FROM guest_settings WHERE account = $1", [int8(account)])),
    (row) => row.language ?? undefined
  )
