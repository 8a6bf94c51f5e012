/** The routes of segments (contract/engagement.md *Segments*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Codes from "../account/Codes.ts"
import { PeoplePool, WorkPool } from "../database/Pools.ts"
import * as Audit from "../surface/Audit.ts"
import { paged, pageOf } from "../surface/Paging.ts"
import { refuse, refuseFaults } from "../surface/Refusal.ts"
import * as Visible from "../surface/Visible.ts"
import { maxFaults } from "../contract/Decode.ts"
import { PlatformApi } from "../contract/platform/Api.ts"
import type { Rules } from "../contract/platform/Rules.ts"
import { maxConditions } from "../contract/platform/Rules.ts"
import type { PreviewSegment, PutSegment, Segment, SegmentQuery } from "../contract/platform/Segments.ts"
import { defaultSample } from "../contract/platform/Segments.ts"
import { serviceTime } from "../time/Times.ts"
import { Journal } from "../journal/Journal.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Audience from "./Audience.ts"
import { programOf } from "../surface/ProgramOf.ts"
import type { Reference } from "./Rules.ts"
import { conditionsOf, placesOf, referencesOf, ruleOf } from "./Rules.ts"
import * as Store from "./SegmentStore.ts"
import * as Versions from "../surface/Versions.ts"

const refuseAt = (path: string, message: string) => refuseFaults([{ path, message }])

const exactlyOne = (first: string, second: string) =>
  refuseAt(`/${second}`, `must be given, or \`${first}\`, and not both`)

/** The facts of a segment for the audit. A static segment has only the number of its members. */
const auditFacts = ({ member_count, mode, name, rules }: Segment) => ({
  name,
  mode,
  member_count,
  rules
})

const nouns = { tier: "tier", unit: "account", segment: "segment" } as const

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
    .map(({ kind, path }) => ({ path: `/rules${path}`, message: `is no ${nouns[kind]} of programme ${program.id}` }))
}

export const make = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const work = yield* WorkPool
  const { claimKey } = yield* Journal
  const { now } = yield* serviceTime
  const programs = yield* Programs
  const tell = (action: string, before: Segment | undefined, after: Segment | undefined, more: object = {}) => {
    const { program_id: programId, segment_id: id } = (after ?? before)!
    const facts = after === undefined ? undefined : { ...auditFacts(after), ...more }
    const changes = Audit.changesOf(before === undefined ? undefined : auditFacts(before), facts)
    return Audit.tell(query, { action, subject: { type: "segment", id }, programId, changes })
  }

  const list = Effect.fnUntraced(function* ({ cursor, limit, program_id, segment_id }: SegmentQuery) {
    const program = yield* programOf(programs, yield* CurrentCaller, program_id)
    const bound = ["segments", { program_id: program.id, segment_id }]
    const page = yield* pageOf(claimKey, bound, { cursor, limit })
    const found = yield* Store.list(query, {
      program: program.id,
      segment: segment_id,
      after: page.after === undefined ? undefined : Number(page.after),
      limit: page.limit + 1
    })
    if (segment_id !== undefined && found.length === 0)
      return yield* refuse("not_found", `Programme ${program.id} has no segment ${segment_id}.`)
    const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
    return { segments: rows.map(({ segment }) => segment), ...next }
  })

  /** The accounts of the members that a static segment lists. Refuses unknown members. */
  const accountsOf = Effect.fnUntraced(function* (program: Program, members: ReadonlyArray<string>) {
    const found = yield* Store.accountsOf(query, program.id, members)
    const accounts = found.filter((account) => account !== undefined)
    if (accounts.length === found.length) return accounts
    const places = found.flatMap((account, place) => (account === undefined ? [place] : []))
    const message = `is no member of programme ${program.id}`
    return yield* refuseFaults(places.slice(0, maxFaults).map((place) => ({ path: `/member_ids/${place}`, message })))
  })

  /**
   * Refuses rules that refer to something that the programme does not have, that refer to their segment through others,
   * or that have too many conditions.
   */
  const checkReach = Effect.fnUntraced(function* (program: Program, segment: Store.NewSegment) {
    const { conditions, isCircle, missing } = yield* Store.reachOf(query, segment)
    const faults = segment.rules === undefined ? [] : unknownIn(segment.rules, program, missing)
    if (faults.length > 0) return yield* refuseFaults(faults)
    if (isCircle) return yield* refuseAt("/rules", `must not name segments in a circle, back to ${segment.id}`)
    if (conditions + segment.conditions > maxConditions)
      return yield* refuseAt(
        "/rules",
        `must have at most ${maxConditions} conditions, with the segments that they name`
      )
  })

  const put = Effect.fnUntraced(function* (facts: PutSegment) {
    const { member_ids, name, program_id, rules, segment_id } = facts
    if ((member_ids === undefined) === (rules === undefined)) return yield* exactlyOne("member_ids", "rules")
    const program = yield* programOf(programs, yield* CurrentCaller, program_id)
    const rule = rules === undefined ? undefined : ruleOf(rules)
    const segment: Store.NewSegment = {
      id: segment_id ?? Codes.identifier("seg"),
      program: program.id,
      name,
      rules,
      conditions: rule === undefined ? 0 : conditionsOf(rule).length,
      references: rule === undefined ? [] : referencesOf(rule),
      accounts: yield* accountsOf(program, member_ids ?? [])
    }
    return yield* transaction(
      Effect.gen(function* () {
        yield* Store.lock(query, program.id)
        const before = yield* Store.find(query, segment.id)
        if (before === undefined || before.segment.program_id === program.id)
          yield* Versions.expect(`segment ${segment.id}`, facts.expected_version, before?.segment.version)
        const exchanged = yield* Store.exchanged(query, segment)
        yield* checkReach(program, segment)
        const stored = yield* Store.put(query, segment, now())
        if (stored === undefined)
          return yield* refuse(
            "conflict",
            `Another programme has a segment ${segment.id}; ids are unique in the service.`
          )
        const largest = yield* Store.largest(query, segment.id)
        if (largest !== undefined && largest.conditions > maxConditions) {
          const why = `with those of ${segment.id}, which it names`
          return yield* refuse(
            "conflict",
            `The segment ${largest.segment} would have ${largest.conditions} conditions ${why}; the limit is ${maxConditions}.`
          )
        }
        yield* tell(
          before === undefined ? "segment.create" : "segment.change",
          before?.segment,
          stored.segment,
          before === undefined ? {} : exchanged
        )
        return { segment: stored.segment }
      })
    )
  })

  /** The programme of a segment. Refuses if the caller may not see it. */
  const visible = Effect.fnUntraced(function* (id: string, program_id?: string) {
    const found = yield* Store.find(query, id)
    if (found === undefined || (program_id !== undefined && found.segment.program_id !== program_id))
      return yield* refuse("not_found", `There is no segment ${id}.`)
    return yield* Visible.named(programs, yield* CurrentCaller, found.segment.program_id)
  })

  const audienceOf = Effect.fnUntraced(function* ({ program_id, rules, segment_id }: PreviewSegment) {
    if (segment_id !== undefined && rules === undefined)
      return yield* Audience.ofSegment(query, yield* visible(segment_id, program_id), segment_id)
    if (rules === undefined || segment_id !== undefined) return yield* exactlyOne("segment_id", "rules")
    const program = yield* programOf(programs, yield* CurrentCaller, program_id)
    const rule = ruleOf(rules)
    yield* checkReach(program, {
      id: "",
      program: program.id,
      name: "",
      rules,
      conditions: conditionsOf(rule).length,
      references: referencesOf(rule),
      accounts: []
    })
    return yield* Audience.ofRule(query, program, rule)
  })

  const preview = Effect.fnUntraced(function* (asked: PreviewSegment) {
    const audience = yield* audienceOf(asked)
    const { sample, size } = yield* Store.preview(work, audience, now(), asked.sample_size ?? defaultSample)
    return {
      ...(asked.segment_id === undefined ? undefined : { segment_id: asked.segment_id }),
      estimated_size: size,
      sample_member_ids: sample
    }
  })

  const remove = Effect.fnUntraced(function* (id: string) {
    const program = yield* visible(id)
    return yield* transaction(
      Effect.gen(function* () {
        yield* Store.lock(query, program.id)
        const found = yield* Store.find(query, id)
        if (found === undefined) return yield* refuse("not_found", `There is no segment ${id}.`)
        const user = yield* Store.usedBy(query, id)
        if (user !== undefined) return yield* refuse("conflict", `The ${user.kind} ${user.id} uses the segment ${id}.`)
        yield* Store.remove(query, id)
        yield* tell("segment.delete", found.segment, undefined)
        return { segment: found.segment }
      })
    )
  })

  return { list, preview, put, remove }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_segments", (handlers) =>
  Effect.map(make, ({ list, preview, put, remove }) =>
    handlers
      .handle("listSegments", ({ query }) => list(query))
      .handle("putSegment", ({ payload }) => put(payload))
      .handle("previewSegment", ({ payload }) => preview(payload))
      .handle("deleteSegment", ({ payload }) => remove(payload.segment_id))
  )
)
