/** Members with profile and consent, for marketing systems (contract/engagement.md *Profiles*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import {
  BusinessDate,
  bounded,
  FilledReason,
  ForeignId,
  FreeForm,
  field,
  Identifier,
  MemberStatus,
  NewIdentifier,
  optional,
  RecordedId,
  Text,
  Timestamp
} from "../Values.ts"
import examples from "./memberExamples.json" with { type: "json" }
import { platformPath, programId } from "./Platform.ts"

export const membersPath = `${platformPath}/members` as const
const membersCsvPath = `${membersPath}.csv` as const
const memberConsentsPath = `${membersPath}/consents` as const
const eraseMemberPath = `${membersPath}/erase` as const

/** Most consents in a request. */
export const maxConsents = 50
/** Longest e-mail address, characters (RFC 5321). */
const maxEmailLength = 254

/**
 * An e-mail address: names between dots, none of them with the punctuation of ASCII. Classes of Unicode would be shorter,
 * and readers of the served description that compile patterns without them would refuse every address.
 */
export const Email = bounded(3, maxEmailLength).check(
  Schema.isPattern(
    /^[^\s@.,:;<>()[\]"\\]+(?:\.[^\s@.,:;<>()[\]"\\]+)*@[^\s!-/:-@[-`{-~](?:[^\s!-,./:-@[-`{-~]*[^\s!-/:-@[-`{-~])?(?:\.[^\s!-/:-@[-`{-~](?:[^\s!-,./:-@[-`{-~]*[^\s!-/:-@[-`{-~])?)+$/u,
    { message: "must be an e-mail address" }
  )
)

/** An e-mail address in an answer: versions before 0.4 took some that are none. */
export const KnownEmail = bounded(1, maxEmailLength)

/** A telephone number in the form of E.164. */
export const Phone = Schema.String.check(
  Schema.isPattern(/^\+[1-9]\d{1,14}$/u, { message: "must be a telephone number such as +493012345678" })
)

export const ConsentPurpose = bounded(1, 64)
export const ConsentChannel = Schema.Literals(["email", "sms", "push"])

export const Consent = Schema.Struct({
  purpose: field(ConsentPurpose, "The purpose, such as `marketing` or `analytics`."),
  channel: optional(ConsentChannel, "The channel. Absent: the purpose as a whole."),
  granted: field(Schema.Boolean, "True: the member consents. False: the member refuses, or has withdrawn."),
  source: optional(Text, "Where the member decided, such as `app`."),
  recorded_at: field(Timestamp, "When the member decided. The newest decision counts.")
}).annotate({ identifier: "Consent", description: "A member's consent for one purpose and channel." })

export const ConsentRecorded = Schema.Struct({
  ...Consent.fields,
  received_at: field(Timestamp, "When the service recorded it."),
  recorded_by: optional(Schema.String, "The name of the key that recorded it; absent: the service itself."),
  member_id: field(Identifier, "The member who decided; after a merge this may be the member that was merged.")
}).annotate({ identifier: "ConsentRecorded", description: "A decision of a member, as it was recorded." })
export type ConsentRecorded = typeof ConsentRecorded.Type

const { recorded_at: _, ...consentFacts } = Consent.fields

export const ConsentFacts = Schema.Struct({
  ...consentFacts,
  recorded_at: optional(
    Timestamp,
    "When the member decided. The newest decision counts, whenever it arrives. Absent: now."
  )
}).annotate({
  identifier: "ConsentFacts",
  description: "A consent, or its withdrawal, for one purpose and channel."
})

const MarketingConsent = Schema.Struct({
  marketing: field(Schema.Boolean, "True: the member consents to marketing as a whole."),
  source: optional(Text, "Where the member decided, such as `app`."),
  updated_at: field(Timestamp, "When the member decided.")
}).annotate({ identifier: "MarketingConsent", description: "The consent to marketing as a whole." })

const ShortConsent = Schema.Struct({
  marketing: field(
    Schema.Boolean,
    "True: the member consents to marketing as a whole from now on. False: withdraws it."
  ),
  source: optional(Text, "Where the member decided, such as `app`.")
})

const ConsentList = Schema.Array(ConsentFacts).check(
  Schema.isMaxLength(maxConsents, { message: told`must have at most ${maxConsents} items` })
)

const profile = {
  external_id: optional(RecordedId, "The member's id in the caller's system, unique in the programme."),
  display_name: optional(Text, "The member's name."),
  email: optional(KnownEmail, "The member's e-mail address, in the spelling that was sent."),
  phone: optional(Phone, "The member's telephone number."),
  birth_date: optional(BusinessDate, "The member's date of birth.")
}

export const MemberProfile = Schema.Struct({
  ...profile,
  updated_at: field(Timestamp, "When the profile last changed.")
}).annotate({ identifier: "MemberProfile", description: "A member's profile." })

export const PlatformMember = Schema.Struct({
  member_id: field(Identifier, "The member's id, unique in the programme."),
  program_id: field(Identifier, "The member's programme."),
  status: field(MemberStatus, "The member's status. A `closed` member can neither earn nor redeem."),
  joined_at: field(Timestamp, "When the member was enrolled."),
  ...profile,
  attributes: optional(FreeForm, "The member's attributes: the same ones as in the transaction contract."),
  consent: optional(MarketingConsent, "The consent to marketing as a whole; absent if the member never decided."),
  consents: field(Schema.Array(Consent), "The newest decision for each purpose and channel."),
  updated_at: optional(Timestamp, "When the profile last changed; absent without a profile.")
}).annotate({ identifier: "PlatformMember", description: "A member of a programme, with profile and consent." })
export type PlatformMember = typeof PlatformMember.Type

const clearable = <S extends Schema.Top>(schema: S, description: string) =>
  optional(Schema.NullOr(schema), `${description} Absent: unchanged. Null: cleared.`)

export const profileFacts = {
  external_id: clearable(ForeignId, "The member's id in the caller's system, unique in the programme."),
  display_name: clearable(Text, "The member's name."),
  email: clearable(Email, "The member's e-mail address."),
  phone: clearable(Phone, "The member's telephone number in the form of E.164."),
  birth_date: clearable(BusinessDate, "The member's date of birth."),
  attributes: clearable(FreeForm, "Merged with the stored attributes key by key. A key with null is removed."),
  consent: optional(
    Schema.Union([ShortConsent, ConsentList]).annotate({ identifier: "ConsentChanges" }),
    "Consents by purpose and channel as a list, or the short form for marketing as a whole. Absent: unchanged."
  )
}

/** A profile in a request. It has `member_id`, `external_id` or both. */
/** The fault of a profile that names no member. */
export const lacksId = "is required if `external_id` is absent"

export const ProfileFacts = Schema.Struct({
  member_id: optional(NewIdentifier, "The member's id. If it is given, the member is found by it."),
  program_id: programId,
  ...profileFacts
})
  .check(
    Schema.makeFilter(({ external_id = null, member_id }) =>
      member_id !== undefined || external_id !== null ? [] : [{ path: ["member_id"], issue: lacksId }]
    )
  )
  .annotate({
    identifier: "ProfileFacts",
    description: "A profile in a request, with `member_id`, `external_id` or both."
  })
export type ProfileFacts = typeof ProfileFacts.Type

const Upserted = Schema.Struct({
  member: field(PlatformMember, "The member as it is now."),
  created: field(Schema.Boolean, "True if this request enrolled the member.")
})

export const MemberQuery = Schema.Struct({
  program_id: programId,
  member_id: optional(
    Identifier,
    "Returns only this member, as `member`, or 404 if there is none that all filters match."
  ),
  search: optional(
    Text,
    "The beginning of a member id, external id, e-mail address or any word of a name, whatever its accents and case; the last digits, at least four, of a telephone or card number; a whole identity; an order id, or the beginning or end of a recent one. Names that differ by a typing error are found as `similar`."
  ),
  consent: optional(ConsentPurpose, "Only members who consent to this purpose as a whole, such as `marketing`."),
  segment_id: optional(Identifier, "Only members of this segment."),
  ...page
})
export type MemberQuery = typeof MemberQuery.Type

const FoundMember = Schema.Struct({
  ...PlatformMember.fields,
  similar: optional(Schema.Boolean, "True of one that the search finds only if it has a typing error; else absent.")
}).annotate({ identifier: "FoundMember", description: "A member that a search finds." })

const MemberAnswer = Schema.Struct({
  member: optional(PlatformMember, "The member; only if the query has `member_id`."),
  members: optional(
    Schema.Array(FoundMember),
    "A page of members, newest enrolment first; with `search` first those whom it means as a whole, and last the similar ones; absent if the query has `member_id`."
  ),
  next_cursor: nextCursor
})

export const ConsentQuery = Schema.Struct({
  program_id: programId,
  member_id: field(Identifier, "The member."),
  ...page
})
export type ConsentQuery = typeof ConsentQuery.Type

export const ConsentHistory = Schema.Struct({
  consents: field(Schema.Array(ConsentRecorded), "A page of decisions, newest `recorded_at` first."),
  next_cursor: nextCursor
})

export const CsvQuery = Schema.Struct({
  program_id: programId,
  segment_id: optional(Identifier, "Only members of this segment."),
  consent: optional(
    ConsentPurpose,
    "Only members who consent to this purpose as a whole and are not closed. `any`: all members. Absent: `marketing`."
  )
})
export type CsvQuery = typeof CsvQuery.Type

export const Erasure = Schema.Struct({
  member_id: field(Identifier, "The member."),
  program_id: programId,
  reason: field(FilledReason, "The reason. It is stored, so it must not contain personal data.")
})

export const Erased = Schema.Struct({ member: field(PlatformMember, "The member after the erasure; it is closed.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const upsertCodes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "limit_exceeded",
  "not_found",
  "conflict",
  "member_not_active",
  "program_retired"
]
const eraseCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "limit_exceeded"]

export class Members extends HttpApiGroup.make("platform_members")
  .add(
    HttpApiEndpoint.get("findMembers", membersPath, {
      query: MemberQuery,
      success: MemberAnswer,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "customer_profile.list",
        "Find members",
        "All filters must match. Members without a profile are listed too.",
        listCodes,
        examples.findMembers,
        true
      )
    ),
    HttpApiEndpoint.put("upsertMember", membersPath, {
      payload: ProfileFacts,
      success: Upserted,
      error: problems(upsertCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "upsertCustomerProfile",
          "Enrol a member or change its profile",
          "Finds the member by `member_id`, else by `external_id`. If there is none, enrols one with an identity of type " +
            "`external`. Of a suspended member only consent can be withdrawn.",
          upsertCodes,
          examples.upsertMember
        )
      ),
    HttpApiEndpoint.get("memberConsents", memberConsentsPath, {
      query: ConsentQuery,
      success: ConsentHistory,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "consent.list",
        "List the consents of a member",
        "Every recorded decision, with the key that recorded it. `consents` of the member has the newest for each purpose " +
          "and channel. For a merged member, those of both are with the remaining one.",
        listCodes,
        examples.memberConsents,
        true
      )
    ),
    HttpApiEndpoint.get("membersCsv", membersCsvPath, {
      query: CsvQuery,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "customer_profile.export",
        "Export members as CSV",
        "The columns are those of an import. Audited. If reading fails in the middle, the connection is reset: fetch the file again.",
        listCodes,
        examples.membersCsv,
        true
      )
    ),
    HttpApiEndpoint.post("eraseMember", eraseMemberPath, {
      payload: Erasure,
      success: Erased,
      error: problems(eraseCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "customer_profile.erase",
          "Erase a member's personal data",
          "Deletes profile, consent, attributes, identities and the properties of events, and closes the member. The ledger " +
            "stays. For a merged member, the remaining one is erased.",
          eraseCodes,
          examples.eraseMember
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Members", description: "Members with profile and consent, on the platform." })
  ) {}
