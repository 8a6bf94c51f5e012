/** Members with their profiles and consent, for marketing systems (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, changeProblems, listProblems, nextCursor, page, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import {
  bounded,
  BusinessDate,
  field,
  ForeignId,
  FreeForm,
  Identifier,
  MemberStatus,
  NewIdentifier,
  optional,
  Reason,
  Text,
  Timestamp
} from "../Values.ts"
import examples from "./memberExamples.json" with { type: "json" }
import { PlatformKey, platformPath } from "./Common.ts"

export const membersPath = `${platformPath}/members` as const
export const membersCsvPath = `${membersPath}.csv` as const
export const eraseMemberPath = `${membersPath}/erase` as const

/** Most consents of a request. */
export const maxConsents = 50
/** Longest e-mail address, characters (RFC 5321). */
const maxEmailLength = 254

/** An e-mail address: what is before and behind the @ is not checked further. */
export const Email = bounded(3, maxEmailLength).check(
  Schema.isPattern(/^[^\s@]+@[^\s@]+$/u, { message: "must be an e-mail address" })
)

/** A telephone number by E.164. */
export const Phone = Schema.String.check(
  Schema.isPattern(/^\+[1-9]\d{1,14}$/u, { message: "must be a telephone number such as +493012345678" })
)

export const ConsentPurpose = bounded(1, 64)
export const ConsentChannel = Schema.Literals(["email", "sms", "push"])

export const Consent = Schema.Struct({
  purpose: field(ConsentPurpose, "What it is for, such as `marketing` or `analytics`."),
  channel: optional(ConsentChannel, "By which channel; absent: the purpose as a whole."),
  granted: field(Schema.Boolean, "Whether the member agrees."),
  source: optional(Text, "Where the member said so."),
  recorded_at: field(Timestamp, "When the member said so; the newest counts.")
}).annotate({ identifier: "Consent", description: "What a member says of one purpose and channel." })

const { recorded_at: _, ...consentFacts } = Consent.fields

export const ConsentFacts = Schema.Struct({
  ...consentFacts,
  recorded_at: optional(Timestamp, "When the member said so; absent: now. The newest counts, whenever it arrives.")
}).annotate({
  identifier: "ConsentFacts",
  description: "What a member says of one purpose and channel, as it is sent."
})

export const MarketingConsent = Schema.Struct({
  marketing: field(Schema.Boolean, "Whether the member agrees to marketing as a whole."),
  source: optional(Text, "Where the member said so."),
  updated_at: field(Timestamp, "When the member said so.")
}).annotate({ identifier: "MarketingConsent", description: "The consent to marketing as a whole." })

const ShortConsent = Schema.Struct({
  marketing: field(Schema.Boolean, "Whether the member agrees to marketing as a whole, from now on."),
  source: optional(Text, "Where the member said so.")
})

const ConsentList = Schema.Array(ConsentFacts).check(
  Schema.isMaxLength(maxConsents, { message: `must have at most ${maxConsents} items` })
)

const profile = {
  external_id: optional(ForeignId, "The member's id in the caller's system, unique in the programme."),
  display_name: optional(Text, "The member's name."),
  email: optional(Email, "The member's e-mail address, as it was sent."),
  phone: optional(Phone, "The member's telephone number."),
  birth_date: optional(BusinessDate, "The member's date of birth.")
}

export const MemberProfile = Schema.Struct({
  ...profile,
  updated_at: field(Timestamp, "When the profile was changed last.")
}).annotate({ identifier: "MemberProfile", description: "A member's profile." })

export const PlatformMember = Schema.Struct({
  member_id: field(Identifier, "The member's id, unique in the programme."),
  program_id: field(Identifier, "The member's programme."),
  status: field(MemberStatus, "Closed members earn and redeem nothing any more."),
  joined_at: field(Timestamp, "When the member was enrolled."),
  ...profile,
  attributes: optional(FreeForm, "The member's attributes, one set with those of the transaction contract."),
  consent: optional(MarketingConsent, "The consent to marketing as a whole; absent where the member said nothing."),
  consents: field(Schema.Array(Consent), "What the member said last of each purpose and channel."),
  updated_at: optional(Timestamp, "When the profile was changed last; absent where there is none.")
}).annotate({ identifier: "PlatformMember", description: "A guest who takes part in a programme, with the profile." })
export type PlatformMember = typeof PlatformMember.Type

const clearable = <S extends Schema.Top>(schema: S, description: string) =>
  optional(Schema.NullOr(schema), `${description} Absent: stays as it is; null: is cleared.`)

export const profileFacts = {
  external_id: clearable(ForeignId, "The member's id in the caller's system, unique in the programme."),
  display_name: clearable(Text, "The member's name."),
  email: clearable(Email, "The member's e-mail address."),
  phone: clearable(Phone, "The member's telephone number, by E.164."),
  birth_date: clearable(BusinessDate, "The member's date of birth."),
  attributes: clearable(FreeForm, "Merged key by key with what is there; a key with null is taken away."),
  consent: optional(
    Schema.Union([ShortConsent, ConsentList]),
    "What the member says of purposes and channels, or of marketing as a whole."
  )
}

/** A profile as it is sent: at least one of the ids. */
export const ProfileFacts = Schema.Struct({
  member_id: optional(NewIdentifier, "The member's id; the member is found by it, where it is given."),
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  ...profileFacts
}).annotate({ identifier: "ProfileFacts", description: "A profile as it is sent." })
export type ProfileFacts = typeof ProfileFacts.Type

export const Upserted = Schema.Struct({
  member: field(PlatformMember, "The member as it is now."),
  created: field(Schema.Boolean, "Whether the member was enrolled by this request.")
})

export const MemberQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  member_id: optional(Identifier, "This member alone: the answer is `member`, or 404."),
  search: optional(
    Text,
    "The beginning of a member id, external id, e-mail address or name; of the latter two whatever their case."
  ),
  consent: optional(ConsentPurpose, "Only members who agree to this purpose as a whole, such as `marketing`."),
  segment_id: optional(Identifier, "Only members of this segment."),
  ...page
})
export type MemberQuery = typeof MemberQuery.Type

export const MemberAnswer = Schema.Struct({
  member: optional(PlatformMember, "The member, where the query has `member_id`."),
  members: optional(Schema.Array(PlatformMember), "The page, enrolled last first; absent with `member_id`."),
  next_cursor: nextCursor
})

export const CsvQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  segment_id: optional(Identifier, "Only members of this segment."),
  consent: optional(
    ConsentPurpose,
    "Only members who agree to this purpose as a whole and are not closed, `marketing` where absent; `any`: all members, and the export is audited."
  )
})
export type CsvQuery = typeof CsvQuery.Type

export const Erasure = Schema.Struct({
  member_id: field(Identifier, "The member."),
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  reason: field(Reason, "Why; it is kept, and no place for personal data.")
})

export const Erased = Schema.Struct({ member: field(PlatformMember, "What is left: the member is closed.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const upsertCodes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "not_found",
  "conflict",
  "member_not_active",
  "program_retired"
]
const eraseCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]

export class Members extends HttpApiGroup.make("platform_members")
  .add(
    HttpApiEndpoint.get("findMembers", membersPath, {
      query: MemberQuery,
      success: MemberAnswer,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "findMembers",
        "Find members",
        "Filters may be combined; members without a profile are listed too. Scope: `platform:read`.",
        listCodes,
        examples.findMembers,
        true
      )
    ),
    HttpApiEndpoint.put("upsertMember", membersPath, {
      payload: ProfileFacts,
      success: Upserted,
      error: problems(upsertCodes)
    }).annotateMerge(
      annotated(
        "upsertMember",
        "Enrol a member or change its profile",
        "Finds the member by `member_id`, else by `external_id`; enrols one where there is none, with an identity of type " +
          "`external`. A suspended member may still withdraw consent. Scope: `platform:write`.",
        upsertCodes,
        examples.upsertMember
      )
    ),
    HttpApiEndpoint.get("membersCsv", membersCsvPath, {
      query: CsvQuery,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "membersCsv",
        "Export members as CSV",
        "Streamed; where reading fails half way, the connection is reset. Scope: `platform:read`.",
        listCodes,
        examples.membersCsv,
        true
      )
    ),
    HttpApiEndpoint.post("eraseMember", eraseMemberPath, {
      payload: Erasure,
      success: Erased,
      error: problems(eraseCodes)
    }).annotateMerge(
      annotated(
        "eraseMember",
        "Erase a member's personal data",
        "Profile, consent, attributes, identities and the properties of events are taken away; the ledger stays, and its " +
          "member is closed. Of a member that was merged, the remaining one is erased. Scope: `platform:write`.",
        eraseCodes,
        examples.eraseMember
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "Members with their profiles and consent." })) {}
