/** The routes of members with their profiles (contract/engagement.md *Profiles*). */

import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { ImportColumn } from "../../contract/platform/Imports.ts"
import type { ConsentQuery, CsvQuery, Erasure, MemberQuery, ProfileFacts } from "../../contract/platform/Members.ts"
import { said } from "../../contract/Said.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import * as Given from "../../desk/surface/Given.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Audience from "../segments/Audience.ts"
import type { Place } from "../segments/AudienceSql.ts"
import * as Reached from "../segments/Reached.ts"
import * as SegmentStore from "../segments/SegmentStore.ts"
import * as Gifts from "./Gifts.ts"
import * as MemberSearch from "./MemberSearch.ts"
import * as ProfilePages from "./ProfilePages.ts"
import type { StoredMember } from "./ProfileStore.ts"
import { consentHistory } from "./ProfileStore.ts"
import * as Profiles from "./Profiles.ts"

/** The columns of an export. An export can be imported again. */
const header: ReadonlyArray<ImportColumn> = [
  "member_id",
  "external_id",
  "display_name",
  "email",
  "phone",
  "birth_date",
  "marketing_consent",
  "consent_source",
  "attributes_json"
]

const cellsOf = (stored: StoredMember): ReadonlyArray<Csv.Cell> => {
  const { attributes, birth_date, consent, display_name, email, external_id, member_id, phone } = Profiles.shown(stored)
  return [
    member_id,
    external_id,
    display_name,
    email,
    phone,
    birth_date,
    consent === undefined ? undefined : String(consent.marketing),
    consent?.source,
    attributes === undefined ? undefined : JSON.stringify(attributes)
  ]
}

/** The value of `consent` that exports all members. */
const anyConsent = "any"

/** The parts that the routes need. */
const needed = Effect.all({
  accounts: Accounts,
  given: Given.make,
  people: PeoplePool,
  work: WorkPool,
  journal: Journal,
  profiles: Effect.flatMap(PeoplePool, ({ query }) => Profiles.make(query)),
  programs: Programs,
  reached: Reached.make,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

const segmentOf = ({ people }: Parts, program: Program, segment: string | undefined) =>
  segment === undefined ? Effect.succeed(undefined) : Audience.ofSegment(people.query, program, segment)

/** A SELECT of a segment's accounts. */
const selectOf =
  ({ time }: Parts, audience: Audience.Audience) =>
  (place: Place) =>
    Audience.membersOf(audience, time.now(), place)

/** All accounts of a segment, newest first. Read once, so that the rules are not evaluated for each page. */
const accountsOf = Effect.fnUntraced(function* (parts: Parts, audience: Audience.Audience) {
  const { work } = parts
  const parameters: Array<PgTypes.Parameter> = []
  const statement = `SELECT s.account FROM (${selectOf(parts, audience)((value) => `$${parameters.push(value)}`)}) s ORDER BY s.account DESC`
  const rows = yield* Audience.evaluated(work, audience, work.query(statement, parameters))
  // Not decoded by a schema: that would hold up everything for 0.3 µs a member.
  return rows.map((row) => row["account"] as number)
})

const { ranks } = MemberSearch

/** The text of a cursor: the account, and how it is found, if not by a beginning. */
const placeOf = ({ account, rank }: ProfilePages.FoundMember): string =>
  rank === ranks.beginning ? String(account) : `${account} ${rank}`

const beforeOf = (place: string) => {
  const [account, rank = ranks.beginning] = place.split(" ").map(Number)
  return { account: account ?? 0, rank }
}

const foundShown = (stored: ProfilePages.FoundMember) => ({
  ...Profiles.shown(stored),
  ...(stored.rank === ranks.similar ? { similar: true } : undefined)
})

const find = Effect.fnUntraced(function* (parts: Parts, { cursor, limit, program_id, ...filters }: MemberQuery) {
  const { journal, people, profiles, programs, work } = parts
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const { member_id } = filters
  const only = member_id === undefined ? undefined : yield* profiles.accountOf(program, member_id)
  const bound = ["platform members", program.id, filters]
  const page = yield* pageOf(journal.claimKey, bound, { cursor, limit })
  const segment = yield* segmentOf(parts, program, filters.segment_id)
  const rowsOf = ProfilePages.list(segment === undefined ? people.query : work.query, {
    program: program.id,
    search: yield* MemberSearch.searchIn(journal, [program.id], filters.search),
    consent: filters.consent,
    accounts: only === undefined ? undefined : [only],
    among: segment === undefined ? undefined : selectOf(parts, segment),
    before: page.after === undefined ? undefined : beforeOf(page.after),
    limit: page.limit + 1
  })
  const found = yield* segment === undefined ? rowsOf : Audience.evaluated(work, segment, rowsOf)
  if (member_id !== undefined) {
    const [member] = found
    return member === undefined
      ? yield* refuse("not_found", said`The other filters do not match the member ${member_id}.`)
      : { member: Profiles.shown(member) }
  }
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, placeOf)
  return { members: rows.map(foundShown), ...next }
})

const consents = Effect.fnUntraced(function* (
  { journal, people, profiles, programs }: Parts,
  { cursor, limit, member_id, program_id }: ConsentQuery
) {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const account = yield* profiles.accountOf(program, member_id)
  const bound = ["consents", program.id, member_id]
  const page = yield* pageOf(journal.claimKey, bound, { cursor, limit })
  const [recordedAt, n] = page.after?.split(" ").map(Number) ?? []
  const after = recordedAt === undefined || n === undefined ? undefined : { recordedAt, n }
  const found = yield* consentHistory(people.query, account, after, page.limit + 1)
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, (one) => `${one.recordedAt} ${one.n}`)
  return { consents: rows.map(({ shown }) => shown), ...next }
})

const upsert = Effect.fnUntraced(function* (parts: Parts, facts: ProfileFacts) {
  const { given, profiles, programs, reached } = parts
  const caller = yield* CurrentCaller
  const program = yield* Visible.programOf(programs, caller, facts.program_id)
  const { attributes } = facts
  // Without names, all that there are are removed.
  const named = attributes === null ? undefined : Object.keys(attributes ?? {})
  const because = attributes === undefined ? undefined : yield* reached.because(program, named)
  // A retry finds the attributes as they are then.
  const idOf = () => ["profile", Codes.random()]
  const { account, created } = yield* profiles.upsert(program, facts, {
    via: caller.kind === "token" ? "platform" : "operator",
    actor: caller.name,
    origin: caller.requestId,
    audit: yield* Audit.maker,
    within: because && Reached.countingIn(given, { because, caller, idOf, program })
  })
  return { member: yield* profiles.show(account), created }
})

/** `Regulars who stay away` becomes `regulars-who-stay-away-2026-11-28`; a name without letters of ASCII: the id. */
export const fileNameOf = (name: string, id: string, date: number): string => {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  const slug = plain.replaceAll(/[^a-z\d]+/g, "-").replaceAll(/^-|-$/g, "")
  return `${slug === "" ? id : slug}-${new Date(date).toISOString().slice(0, 10)}`
}

/** The name of an export: of the segment and the day, or of the programme. */
const exportName = Effect.fnUntraced(function* (
  { people, time }: Parts,
  program: Program,
  segment_id: string | undefined
) {
  const found = segment_id === undefined ? undefined : yield* SegmentStore.find(people.query, segment_id)
  return found === undefined
    ? `members-${program.id}`
    : fileNameOf(found.segment.name, found.segment.segment_id, dateAt(program.zone, time.now()))
})

const exportAll = Effect.fnUntraced(function* (
  parts: Parts,
  { consent = "marketing", program_id, segment_id }: CsvQuery
) {
  const { people, programs, work } = parts
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const segment = yield* segmentOf(parts, program, segment_id)
  const accounts = segment === undefined ? undefined : yield* accountsOf(parts, segment)
  yield* Audit.tell(people.query, {
    action: "members.export",
    subject: { type: "program", id: program.id },
    programId: program.id,
    changes: { after: { consent, segment_id: segment_id ?? null } }
  })
  const filter = { program: program.id, consent: consent === anyConsent ? undefined : consent }
  const ofAll = (before: number | undefined) =>
    Effect.map(
      ProfilePages.list(work.query, {
        ...filter,
        before: before === undefined ? undefined : beforeOf(String(before)),
        limit: csvPage
      }),
      (rows) => ({
        rows: rows.map(cellsOf),
        next: rows.length < csvPage ? undefined : rows.at(-1)?.account
      })
    )
  const ofThese = (these: ReadonlyArray<number>, from: number) =>
    Effect.map(
      ProfilePages.list(work.query, {
        ...filter,
        accounts: these.slice(from, from + csvPage),
        before: undefined,
        limit: csvPage
      }),
      (rows) => ({ rows: rows.map(cellsOf), next: from + csvPage < these.length ? from + csvPage : undefined })
    )
  const read = (place: number | undefined) => (accounts === undefined ? ofAll(place) : ofThese(accounts, place ?? 0))
  return yield* Csv.response(yield* exportName(parts, program, segment_id), header, read)
})

const erase = Effect.fnUntraced(function* (
  { accounts, given, profiles, programs }: Parts,
  erasure: typeof Erasure.Type
) {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, erasure.program_id)
  const look = Effect.map(memberOf(accounts, program.id, erasure.member_id), (resident) => ({
    program,
    resident,
    state: resident.state
  }))
  const { record } = yield* Gifts.ended(given, look, (counted) => profiles.erasing(program, erasure, counted))
  return { member: yield* profiles.show(record.account) }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_members", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("findMembers", ({ query }) => find(parts, query))
      .handle("upsertMember", ({ payload }) => upsert(parts, payload))
      .handle("memberConsents", ({ query }) => consents(parts, query))
      .handle("membersCsv", ({ query }) => exportAll(parts, query))
      .handle("eraseMember", ({ payload }) => erase(parts, payload))
  )
)
