/** The routes of segments (contract/engagement.md *Segments*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { canonical, maxFaults } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import { longestWindowDays, maxConditions } from "../../contract/platform/Rules.ts"
import type {
  ArchiveSegment,
  PreviewSegment,
  PutSegment,
  Segment,
  SegmentQuery
} from "../../contract/platform/Segments.ts"
import { defaultSample } from "../../contract/platform/Segments.ts"
import type { Fault as BodyFault, Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import { mayGive } from "../../contract/Scopes.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Versions from "../../desk/surface/Versions.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Audience from "./Audience.ts"
import * as Pinned from "./Pinned.ts"
import type { Reference } from "./Rules.ts"
import { conditionsOf, longWindowsOf, placesOf, referencesOf, ruleOf } from "./Rules.ts"
import * as Store from "./SegmentStore.ts"

const refuseAt = (path: string, sentence: Sentence) => refuseFaults([faultAt(path, sentence)])

const exactlyOne = (first: string, second: string) =>
  refuseAt(`/${second}`, said`must be given, or \`${first}\`, and not both`)

/** The facts of a segment for the audit. A static segment has only the number of its members. */
const auditFacts = ({ archived_at, member_count, mode, name, rules }: Segment) => ({
  name,
  mode,
  member_count,
  rules,
  ...(archived_at === undefined ? undefined : { archived_at })
})

const unknown = {
  tier: (program: string) => said`is no tier of programme ${program}`,
  unit: (program: string) => said`is no account of programme ${program}`,
  segment: (program: string) => said`is no segment of programme ${program}`
}

/** Faults of references to what the programme does not have. `missing`: ids of segments that it does not have. */
const unknownIn = (rules: Rules, program: Program, missing: ReadonlyArray<string>) => {
  const isKnown = ({ id, kind }: Reference): boolean => {
    if (kind === "segment") return !missing.includes(id)
    return kind === "tier"
      ? program.tiers.some(({ tier_id }) => tier_id === id)
      : program.accounts.some(({ unit }) => unit === id)
  }
  return placesOf(rules)
    .filter((reference) => !isKnown(reference))
    .map(({ kind, path }) => ({ path: `/rules${path}`, ...unknown[kind](program.id) }))
}

/** The parts that the routes need. */
const needed = Effect.all({
  given: Given.make,
  people: PeoplePool,
  work: WorkPool,
  journal: Journal,
  programs: Programs,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

/** Parts of a segment that its rules give; undefined: it is static. */
const ruledBy = (rules: Rules | undefined): Pick<Store.NewSegment, "rules" | "conditions" | "references"> => {
  if (rules === undefined) return { rules, conditions: 0, references: [] }
  const rule = ruleOf(rules)
  return { rules, conditions: conditionsOf(rule).length, references: referencesOf(rule) }
}

const tell = (
  query: Query,
  action: string,
  before: Segment | undefined,
  after: Segment | undefined,
  more: object = {}
) => {
  const { program_id: programId, segment_id: id } = (after ?? before)!
  const facts = after === undefined ? undefined : { ...auditFacts(after), ...more }
  const changes = Audit.changesOf(before === undefined ? undefined : auditFacts(before), facts)
  return Audit.tell(query, { action, subject: { type: "segment", id }, programId, changes })
}

const list = Effect.fnUntraced(function* (
  { journal, people, programs }: Parts,
  { cursor, limit, program_id, segment_id }: SegmentQuery
) {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const bound = ["segments", { program_id: program.id, segment_id }]
  const page = yield* pageOf(journal.claimKey, bound, { cursor, limit })
  const found = yield* Store.list(people.query, {
    program: program.id,
    segment: segment_id,
    after: page.after === undefined ? undefined : Number(page.after),
    limit: page.limit + 1
  })
  if (segment_id !== undefined && found.length === 0)
    return yield* refuse("not_found", said`Programme ${program.id} has no segment ${segment_id}.`)
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, ({ n }) => String(n))
  return { segments: rows.map(({ segment }) => segment), ...next }
})

/** The accounts of the members that a static segment lists. Refuses unknown members. */
const accountsOf = Effect.fnUntraced(function* (query: Query, program: Program, members: ReadonlyArray<string>) {
  const found = yield* Store.accountsOf(query, program.id, members)
  const accounts = found.filter((account) => account !== undefined)
  if (accounts.length === found.length) return accounts
  const places = found.flatMap((account, place) => (account === undefined ? [place] : []))
  const unknown = said`is no member of programme ${program.id}`
  return yield* refuseFaults(places.slice(0, maxFaults).map((place) => faultAt(`/member_ids/${place}`, unknown)))
})

/** Faults of windows that reach further back than events and orders are kept. */
const longIn = (rules: Rules) =>
  longWindowsOf(rules).map((path) => ({ path: `/rules${path}`, ...said`must be at most ${longestWindowDays}` }))

/**
 * Refuses rules that refer to something that the programme does not have, that refer to their segment through others,
 * or that have too many conditions. New rules must not look back too far either.
 */
const checkReach = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  segment: Store.NewSegment,
  areNew: boolean
) {
  const { conditions, isCircle, missing } = yield* Store.reachOf(query, segment)
  const { rules } = segment
  const faults: Array<BodyFault> =
    rules === undefined ? [] : [...unknownIn(rules, program, missing), ...(areNew ? longIn(rules) : [])]
  const wrong = (sentence: Sentence) => faults.push(faultAt("/rules", sentence))
  if (isCircle) wrong(said`must not name segments in a circle, back to ${segment.id}`)
  if (conditions + segment.conditions > maxConditions)
    wrong(said`must have at most ${maxConditions} conditions, with the segments that they name`)
  if (faults.length > 0) return yield* refuseFaults(faults)
})

const isArchived = (id: string) => refuse("invalid_state", said`The segment ${id} is archived.`)

/** True if a segment gets other rules or members. */
const isRedefined = (before: Segment, { rules }: Store.NewSegment, exchanged: object): boolean =>
  canonical({ rules: before.rules ?? null }) !== canonical({ rules: rules ?? null }) ||
  Object.keys(exchanged).length > 0

/**
 * The campaigns that may give to a segment, and those of them for which its change waits: others are a caller's who may
 * give without limits, or who was counted for all that they give.
 */
const usersOf = Effect.fnUntraced(function* ({ given, people: { query }, time }: Parts, program: Program, id: string) {
  const users = yield* Pinned.usersOf(query, program, id, time.now())
  const { keyId, scopes } = yield* CurrentCaller
  const mayHold = mayGive(scopes, "platform")
  const isFree = mayHold && !(yield* given.isLimited)
  const waiting = users.filter(({ countedBy }) => !isFree && !(mayHold && countedBy === keyId))
  yield* Pinned.redefined(query, program, id, isFree ? undefined : keyId, waiting, time.now())
  return { held: users.filter((one) => !waiting.includes(one)), waiting }
})

/** Stores a segment. Requires: a transaction. */
const putIn = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  segment: Store.NewSegment,
  expected: number | undefined
) {
  const { query } = parts.people
  yield* Store.lock(query, program.id)
  const before = yield* Store.find(query, segment.id)
  if (before === undefined || before.segment.program_id === program.id)
    yield* Versions.expect(`segment ${segment.id}`, expected, before?.segment.version)
  if (before?.segment.archived_at !== undefined) return yield* isArchived(segment.id)
  const exchanged = yield* Store.exchanged(query, segment)
  yield* checkReach(query, program, segment, before === undefined || isRedefined(before.segment, segment, {}))
  const archived = yield* Store.archivedIn(query, segment.references)
  if (archived !== undefined) return yield* refuseAt("/rules", said`must not name ${archived}, which is archived`)
  const changed = before !== undefined && isRedefined(before.segment, segment, exchanged)
  const { held, waiting } = changed ? yield* usersOf(parts, program, segment.id) : { held: [], waiting: [] }
  yield* Effect.forEach(waiting, (one) => Pinned.pin(query, program, one))
  const stored = yield* Store.put(query, segment, parts.time.now())
  if (stored === undefined)
    return yield* refuse(
      "conflict",
      said`Another programme has a segment ${segment.id}; ids are unique in the service.`
    )
  const largest = yield* Store.largest(query, segment.id)
  if (largest !== undefined && largest.conditions > maxConditions) {
    return yield* refuse(
      "conflict",
      said`The segment ${largest.segment} would have ${largest.conditions} conditions with those of ${segment.id}, which it names; the limit is ${maxConditions}.`
    )
  }
  if (before === undefined) yield* tell(query, "segment.create", undefined, stored.segment)
  else yield* tell(query, "segment.change", before.segment, stored.segment, exchanged)
  if (before !== undefined && !changed) yield* Pinned.keep(query, segment.id, before.segment.version)
  yield* Effect.forEach(held, (one) => Pinned.follow(query, program, one, segment.id))
  const pending = waiting.length === 0 ? undefined : { pending_for: waiting.map(({ id }) => id) }
  return { segment: stored.segment, ...pending }
})

const put = Effect.fnUntraced(function* (parts: Parts, facts: PutSegment) {
  const { member_ids, name, program_id, rules, segment_id } = facts
  if ((member_ids === undefined) === (rules === undefined)) return yield* exactlyOne("member_ids", "rules")
  const { people, programs } = parts
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const segment: Store.NewSegment = {
    ...ruledBy(rules),
    id: segment_id ?? Codes.identifier("seg"),
    program: program.id,
    name,
    accounts: yield* accountsOf(people.query, program, member_ids ?? [])
  }
  return yield* people.transaction(putIn(parts, program, segment, facts.expected_version))
})

/** The programme of a segment. Refuses if the caller may not see it. */
const visible = Effect.fnUntraced(function* ({ people, programs }: Parts, id: string, program_id?: string) {
  const found = yield* Store.find(people.query, id)
  if (found === undefined || (program_id !== undefined && found.segment.program_id !== program_id))
    return yield* refuse("not_found", said`There is no segment ${id}.`)
  return yield* Visible.named(programs, yield* CurrentCaller, found.segment.program_id)
})

const audienceOf = Effect.fnUntraced(function* (parts: Parts, { program_id, rules, segment_id }: PreviewSegment) {
  const { programs } = parts
  const { query } = parts.people
  if (segment_id !== undefined && rules === undefined)
    return yield* Audience.ofSegment(query, yield* visible(parts, segment_id, program_id), segment_id)
  if (rules === undefined || segment_id !== undefined) return yield* exactlyOne("segment_id", "rules")
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  yield* checkReach(query, program, { ...ruledBy(rules), id: "", program: program.id, name: "", accounts: [] }, true)
  return yield* Audience.ofRule(query, program, ruleOf(rules))
})

const preview = Effect.fnUntraced(function* (parts: Parts, asked: PreviewSegment) {
  const audience = yield* audienceOf(parts, asked)
  const { time, work } = parts
  const { scopes } = yield* CurrentCaller
  // Rules that anybody may make up would tell those who may not see members what single ones have done.
  const mayName = scopes.has("members:read") || scopes.has("platform:read")
  const { sample, size } = yield* Store.preview(work, audience, time.now(), asked.sample_size ?? defaultSample)
  return {
    ...(asked.segment_id === undefined ? undefined : { segment_id: asked.segment_id }),
    estimated_size: size,
    sample_member_ids: mayName ? sample : []
  }
})

/** Archives a segment that nothing in use needs, or restores it. Requires: a transaction. */
const archiveIn = Effect.fnUntraced(function* (
  { people: { query }, time }: Parts,
  program: Program,
  { archived, segment_id: id }: ArchiveSegment
) {
  yield* Store.lock(query, program.id)
  const found = yield* Store.find(query, id)
  if (found === undefined) return yield* refuse("not_found", said`There is no segment ${id}.`)
  const before = found.segment
  if ((before.archived_at !== undefined) === archived) return { segment: before }
  if (archived) {
    const user = yield* Store.usedBy(query, id, true)
    if (user !== undefined) return yield* refuse("conflict", said`The ${user.kind} ${user.id} uses the segment ${id}.`)
  } else {
    const named = yield* Store.archivedIn(query, ruledBy(before.rules).references)
    if (named !== undefined) return yield* isArchived(named)
  }
  yield* Store.setArchived(query, id, archived, time.now())
  const after = yield* Store.find(query, id)
  if (after === undefined) throw new Error(`segment ${id} is locked`)
  yield* tell(query, archived ? "segment.archive" : "segment.restore", before, after.segment)
  return { segment: after.segment }
})

const archive = Effect.fnUntraced(function* (parts: Parts, change: ArchiveSegment) {
  return yield* parts.people.transaction(archiveIn(parts, yield* visible(parts, change.segment_id), change))
})

/** Deletes a segment. Requires: a transaction. */
const removeIn = Effect.fnUntraced(function* (query: Query, program: Program, id: string) {
  yield* Store.lock(query, program.id)
  const found = yield* Store.find(query, id)
  if (found === undefined) return yield* refuse("not_found", said`There is no segment ${id}.`)
  const user = yield* Store.usedBy(query, id)
  if (user !== undefined) return yield* refuse("conflict", said`The ${user.kind} ${user.id} uses the segment ${id}.`)
  yield* Store.remove(query, id)
  yield* tell(query, "segment.delete", found.segment, undefined)
  return { segment: found.segment }
})

const remove = Effect.fnUntraced(function* (parts: Parts, id: string) {
  const { query, transaction } = parts.people
  return yield* transaction(removeIn(query, yield* visible(parts, id), id))
})

export const make = Effect.map(needed, (parts) => ({
  list: (asked: SegmentQuery) => list(parts, asked),
  preview: (asked: PreviewSegment) => preview(parts, asked),
  put: (facts: PutSegment) => put(parts, facts),
  archive: (change: ArchiveSegment) => archive(parts, change),
  remove: (id: string) => remove(parts, id)
}))

export const layer = HttpApiBuilder.group(PlatformApi, "platform_segments", (handlers) =>
  Effect.map(make, ({ archive, list, preview, put, remove }) =>
    handlers
      .handle("listSegments", ({ query }) => list(query))
      .handle("putSegment", ({ payload }) => put(payload))
      .handle("previewSegment", ({ payload }) => preview(payload))
      .handle("archiveSegment", ({ payload }) => archive(payload))
      .handle("deleteSegment", ({ payload }) => remove(payload.segment_id))
  )
)
