/**
 * The operators' use cases on programmes, without HTTP. The routes of
 * `/admin/api/v1/programs` and the commands `lotbook programs` call them (contract/programmes.md *Publishing*).
 */
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import { PeoplePool, storageUnavailable } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type {
  Evaluate,
  Evaluated,
  Publish,
  PublishedVersion,
  RollBack,
  StatusOfProgram,
  Validated,
  VersionList,
  VersionShown
} from "../../contract/admin/Programs.ts"
import type { ProgramList, ProgramListed, ProgramShown } from "../../contract/admin/ProgramsInForce.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import type { Tier, UnitAmount } from "../../contract/protocol/Program.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { allows } from "../../contract/Scopes.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import * as Promoted from "../../core/account/domain/Promoted.ts"
import type { State } from "../../core/account/domain/State.ts"
import { initialState, unitOf } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Definition, ProgramsInvalid, Source } from "../../core/programs/ProgramStore.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { evaluationOf } from "../../core/protocol/Orders.ts"
import { present } from "../../core/protocol/Render.ts"
import * as Changes from "../../core/rules/Changes.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as ProgramFile from "../../core/rules/ProgramFile.ts"
import * as RewardsPerOrder from "../../core/rules/RewardsPerOrder.ts"
import { CurrentCaller, subjectOf } from "../../desk/access/CurrentCaller.ts"
import type { AuditFacts } from "../../desk/surface/Audit.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse, refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import * as MoreRewards from "./MoreRewards.ts"
import * as OwnRules from "./OwnRules.ts"
import * as ProgramUse from "./ProgramUse.ts"
import type { Writer } from "./ProgramWrites.ts"
import { cardRewards } from "./PromotionTrial.ts"
import * as Publishing from "./Publishing.ts"

const noProgram = (id: string) => refuse("not_found", said`There is no programme ${id}.`)

const statusOf = ({ isRetired }: Program) => (isRetired ? ("retired" as const) : ("live" as const))

const under = (prefix: string, faults: ReadonlyArray<BodyFault>): ReadonlyArray<BodyFault> =>
  faults.map(({ message, path }) => ({ path: prefix + path, message }))

/** Validates the programme in a body's `program`. Refuses with all faults. */
export const programOf = (json: unknown): Effect.Effect<Program, Refused> => {
  const validated = ProgramFile.validateDraft(json)
  if (Result.isSuccess(validated)) return Effect.succeed(validated.success)
  return refuseFaults(under("/program", validated.failure))
}

/** Maps storage errors. A stored definition that this version cannot read is a defect: the request is not at fault. */
const stored = <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError | ProgramsInvalid, R>) =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, SqlError.SqlError | ProgramsInvalid> | Refused> => {
    if (isTagged(error, "ProgramsInvalid")) return Effect.die(error)
    if (isTagged(error, "SqlError"))
      return Effect.andThen(Effect.logWarning("The programmes' tables did not answer", error), storageUnavailable)
    return Effect.fail(error as Exclude<E, SqlError.SqlError | ProgramsInvalid>)
  })

const isTagged = (error: unknown, tag: string): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag

/** Refusals of a publication; `prefix`: the definition's JSON Pointer in the request. */
const refused =
  (prefix: string) =>
  <E>(
    error:
      | E
      | Publishing.IncompatibleChange
      | Publishing.OlderNode
      | Publishing.VersionConflict
      | Publishing.NoSuchVersion
  ) => {
    if (error instanceof Publishing.OlderNode) return refuse("invalid_state", error.message)
    if (error instanceof Publishing.IncompatibleChange) {
      const detail = "The definition changes parts that must not change while the programme has members."
      return refuse("incompatible_change", detail, under(prefix, error.blocking))
    }
    if (error instanceof Publishing.VersionConflict)
      return refuse(
        "conflict",
        error.version === 0 ? "There is no such programme." : said`Version ${error.version} is in force.`
      )
    if (error instanceof Publishing.NoSuchVersion) {
      const { programId, version } = error
      return version === undefined
        ? noProgram(programId)
        : refuse("not_found", said`Programme ${programId} has no version ${version}.`)
    }
    return Effect.fail(error as E)
  }

/** The changes of a definition from the version before it. Requires: `versions` is sorted newest first. */
const changesAt = (versions: ReadonlyArray<Definition>, index: number) => {
  const [definition, before] = [versions[index], versions[index + 1]]
  return definition === undefined || before === undefined ? [] : Changes.changes(before.file, definition.file)
}

const versionFacts = ({ by, note, publishedAt, version }: Definition) => ({
  version,
  published_at: fromMillis(publishedAt),
  published_by: by,
  ...(note === undefined ? undefined : { note })
})

/** Larger than any version of the table. */
const beyondVersions = 2_147_483_647

const partsOf = Effect.fnUntraced(function* (source: Exclude<Source, "file" | "rollback">) {
  const people = yield* PeoplePool
  const programs = yield* Programs
  // Versions are dated by the service's clock, audit entries by the machine's clock.
  const now = Effect.sync((yield* serviceTime).now)
  const writer: Writer<Refused> = {
    transaction: (work) => people.transaction(work(people.connection)),
    apart: people.apart,
    onCommit: people.onCommit,
    now
  }
  return {
    source,
    people,
    programs,
    now,
    writer,
    withPrograms: Effect.provideService(Programs, programs),
    claimKey: (yield* Journal).claimKey,
    accounts: yield* Accounts,
    rollups: yield* RollupReads,
    guards: yield* MoreRewards.make
  }
})

/** The parts of the use cases. */
type Parts = Effect.Success<ReturnType<typeof partsOf>>

export const make = Effect.fnUntraced(function* (source: Exclude<Source, "file" | "rollback">) {
  const parts = yield* partsOf(source)
  return {
    list: (query: PageQuery) => list(parts, query),
    show: (id: string) => show(parts, id),
    versions: (id: string, query: PageQuery) => versions(parts, id, query),
    version: (id: string, number: number) => version(parts, id, number),
    evaluate: (asked: typeof Evaluate.Type) => evaluate(parts, asked),
    validate: (file: unknown) => validate(parts, file),
    publish: (asked: typeof Publish.Type) => publish(parts, asked),
    rollBack: (id: string, asked: typeof RollBack.Type) => rollBack(parts, id, asked),
    retire: (id: string, reason: string) => retire(parts, id, reason),
    restore: (id: string, reason: string) => restore(parts, id, reason)
  }
})

/** The number of members of each programme. */
const membersOf = (
  { rollups }: Parts,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, number>, Refused> =>
  Effect.mapBoth(rollups.kinds(ids), {
    onSuccess: (kinds) => {
      const counts = new Map<string, number>()
      for (const { members, program } of kinds) counts.set(program, (counts.get(program) ?? 0) + members)
      return counts
    },
    onFailure: () => storageUnavailable
  })

const audited = (connection: Connection, id: string, facts: Omit<AuditFacts, "subject" | "programId">) =>
  Effect.flatMap(Audit.entryOf({ ...facts, subject: { type: "program", id }, programId: id }), (entry) =>
    Effect.asVoid(connection.query(Audit.appendStatement, Audit.appendParameters(entry)))
  )

const list = Effect.fn("ManagedPrograms.list")(function* (
  parts: Parts,
  query: PageQuery
): Effect.fn.Return<typeof ProgramList.Type, Refused, CurrentCaller> {
  const { claimKey, programs } = parts
  const caller = yield* CurrentCaller
  const page = yield* pageOf(claimKey, "programs", query)
  const seen = Visible.programsOf(programs, caller).filter(({ id }) => page.after === undefined || id > page.after)
  const { rows, ...more } = paged(claimKey, "programs", page, seen, ({ id }) => id)
  const ids = rows.map(({ id }) => id)
  const members = yield* membersOf(parts, ids)
  const listed = rows.map((program): typeof ProgramListed.Type => ({
    program_id: program.id,
    name: program.definition.name,
    version: program.version,
    status: statusOf(program),
    // They are members of all restaurants.
    ...(caller.restaurants === undefined ? { members: members.get(program.id) ?? 0 } : undefined)
  }))
  return { programs: listed, ...more }
})

const definitions = ({ people }: Parts, id: string, below: number, limit: number) =>
  stored(ProgramStore.definitions(people.connection, id, below, limit))

const show = Effect.fn("ManagedPrograms.show")(function* (
  parts: Parts,
  id: string
): Effect.fn.Return<typeof ProgramShown.Type, Refused, CurrentCaller> {
  const [newest] = yield* definitions(parts, id, beyondVersions, 1)
  if (newest === undefined) return yield* noProgram(id)
  const { note: _, ...facts } = versionFacts(newest)
  const { restaurants } = yield* CurrentCaller
  return { program: restaurants === undefined ? newest.file : OwnRules.shown(newest.file, restaurants), ...facts }
})

const versions = Effect.fn("ManagedPrograms.versions")(function* (
  parts: Parts,
  id: string,
  query: PageQuery
): Effect.fn.Return<typeof VersionList.Type, Refused> {
  const { claimKey } = parts
  const filters = ["versions", id]
  const page = yield* pageOf(claimKey, filters, query)
  const below = page.after === undefined ? beyondVersions : Number(page.after)
  // Reads two more than shown: one to know whether there is a next page, and one to compute the last version's changes.
  const found = yield* definitions(parts, id, below, page.limit + 2)
  if (found.length === 0 && page.after === undefined) return yield* noProgram(id)
  const { rows, ...more } = paged(claimKey, filters, page, found.slice(0, page.limit + 1), ({ version }) =>
    String(version)
  )
  return { versions: rows.map((one, index) => ({ ...versionFacts(one), changes: changesAt(found, index) })), ...more }
})

const version = Effect.fn("ManagedPrograms.version")(function* (
  parts: Parts,
  id: string,
  number: number
): Effect.fn.Return<typeof VersionShown.Type, Refused> {
  const found = yield* definitions(parts, id, number + 1, 2)
  const [one] = found
  if (one?.version !== number) return yield* refuse("not_found", said`Programme ${id} has no version ${number}.`)
  return { program: one.file, ...versionFacts(one), changes: changesAt(found, 0) }
})

const evaluate = Effect.fn("ManagedPrograms.evaluate")(function* (
  { accounts, now }: Parts,
  asked: typeof Evaluate.Type
): Effect.fn.Return<typeof Evaluated.Type, Refused, CurrentCaller> {
  const { order } = asked
  const program = yield* programOf(asked.program)
  if (order.scope.program_id !== program.id) {
    return yield* refuseFaults([{ path: "/order/scope/program_id", ...said`must be ${program.id}, the programme's` }])
  }
  const member = asked.member_id ?? order.member_id
  // The answer tells tier and balances.
  if (member !== undefined && !allows((yield* CurrentCaller).scopes, { scope: "members:read", whole: "admin:read" }))
    return yield* refuse(
      "forbidden",
      "An order is tried for a member with the scope members:read. Leave member_id out."
    )
  const resident = member === undefined ? undefined : yield* accounts.read(program.id, member)
  if (member !== undefined && resident === undefined)
    return yield* refuse("not_found", said`Programme ${program.id} has no member ${member}.`)
  if (resident !== undefined && resident._tag !== "Resident") return yield* refusedBy(resident)
  // Somebody new has no history: the order is tried at its own time, such as in a happy hour that is still to come.
  const placed = toMillis(order.placed_at)
  const kept = resident?.state ?? { ...initialState, joined: placed }
  const at = member === undefined ? placed : Math.max(yield* now, kept.at)
  const state = view(kept, program, at)
  const tier =
    asked.tier_id === undefined
      ? Metrics.tierOf(state, program, at)
      : yield* tierNamed(program, asked.tier_id, member !== undefined)
  const found = evaluationOf(state, program, order, at, tier)
  if ("code" in found) return yield* refusedBy(found)
  const withheld = Promoted.withheld(state, program, order, at, tier).map(({ promotion: { id, name }, reason }) => ({
    promotion_id: id,
    name,
    reason
  }))
  const card = filledBy(state, program, found.estimated_accruals ?? [found.estimated_accrual])
  return present<typeof Evaluated.Type>({ ...found, tier_id: tier?.tier_id, card, withheld })
})

/** The rewards of the stamp cards that an order fills, from what the member has on the card; undefined: it fills none. */
const filledBy = (state: State, program: Program, earned: ReadonlyArray<UnitAmount>) => {
  const { stampCard } = program
  if (stampCard === undefined) return undefined
  const { threshold, unit } = stampCard
  const credited = unitOf(state, unit).credited
  const after = credited + (earned.find((one) => one.unit === unit)?.amount ?? 0)
  const cards = Math.floor(after / threshold) - Math.floor(Math.max(0, credited) / threshold)
  return cards > 0 ? cardRewards(program, cards) : undefined
}

/** The tier that somebody new is tried with. */
const tierNamed = (program: Program, id: string, hasMember: boolean): Effect.Effect<Tier, Refused> => {
  if (hasMember)
    return refuseFaults([{ path: "/tier_id", message: "is not allowed with a member, whose own tier counts" }])
  const tier = program.tiers.find(({ tier_id }) => tier_id === id)
  return tier === undefined
    ? refuseFaults([{ path: "/tier_id", message: "must be one of the definition's tiers" }])
    : Effect.succeed(tier)
}

const warningsOf = (program: Program): (typeof Validated.Type)["warnings"] => {
  const rewards = RewardsPerOrder.mostRewards(program)
  const many = rewards > RewardsPerOrder.fewRewards ? [{ path: "", ...RewardsPerOrder.manyAtOnce(rewards) }] : []
  if (!RewardsPerOrder.isBySpend(program)) return many
  const message = "is an account that earns by spend: one large order fills the card several times"
  return [{ path: "/stamp_card/unit", message }, ...many]
}

const validate = Effect.fn("ManagedPrograms.validate")(function* (
  parts: Parts,
  file: unknown
): Effect.fn.Return<typeof Validated.Type, Refused, CurrentCaller> {
  const { now, people } = parts
  const nobody = { members: 0, open_reservations: 0, issued_rewards: 0 }
  const validated = ProgramFile.validateDraft(file)
  if (Result.isFailure(validated))
    return { valid: false, errors: validated.failure, changes: [], blocking: [], warnings: [], affected: nobody }
  const next = validated.success
  const at = yield* now
  const members = yield* membersOf(parts, [next.id])
  return yield* stored(
    people.apart(
      Effect.fnUntraced(function* (connection) {
        const before = (yield* ProgramStore.read(connection, next.id)).get(next.id)?.program
        const { blocking, changes } = yield* Publishing.compare(connection, before, next, at)
        const counts = yield* ProgramUse.counts(connection, next.id, at)
        const affected = {
          members: members.get(next.id) ?? 0,
          open_reservations: counts.openReservations,
          issued_rewards: counts.issuedRewards
        }
        const confirm_rewards = RewardsPerOrder.toConfirm(next, before)
        const points = yield* Effect.result(parts.guards.points(next, before))
        const beyond = Result.isFailure(points) ? [{ path: "", message: points.failure.detail }] : []
        return present<typeof Validated.Type>({
          valid: blocking.length === 0,
          errors: [],
          changes,
          blocking,
          warnings: [...warningsOf(next), ...beyond],
          confirm_rewards,
          affected
        })
      })
    )
  )
})

const publish = Effect.fn("ManagedPrograms.publish")(function* (
  parts: Parts,
  asked: typeof Publish.Type
): Effect.fn.Return<typeof PublishedVersion.Type, Refused, CurrentCaller> {
  const { programs, source, withPrograms, writer } = parts
  const caller = yield* CurrentCaller
  const { name: by, programs: limits } = caller
  const next = yield* programOf(asked.program)
  const who = subjectOf(caller)
  if (limits !== undefined && programs.get(next.id) === undefined)
    return yield* refuse("forbidden", said`${who} is limited to programmes, and cannot publish a new one.`)
  const { note } = asked
  yield* parts.guards.all(next, programs.get(next.id), asked.confirm_rewards, (part) => `/program${part}`)
  const published = yield* Publishing.publish(
    writer,
    next,
    { by, source, note },
    { expected: asked.expected_version, beforeCommit: publishedEntry(next.id, "program.publish", { note }) }
  ).pipe(Effect.catch(refused("/program")), withPrograms, stored)
  return { program_id: next.id, version: published.version }
})

const publishedEntry =
  (id: string, action: string, more: Readonly<Record<string, string | number | undefined>>) =>
  (connection: Connection, { changes, version }: Publishing.Published) => {
    const before = version === 1 ? undefined : { version: version - 1 }
    const told = Audit.changesOf(before, { version, ...more, changes })
    return audited(connection, id, { action, changes: told })
  }

const rollBack = Effect.fn("ManagedPrograms.rollBack")(function* (
  parts: Parts,
  id: string,
  asked: typeof RollBack.Type
): Effect.fn.Return<typeof PublishedVersion.Type, Refused, CurrentCaller> {
  const { programs, withPrograms, writer } = parts
  const { name: by } = yield* CurrentCaller
  const inForce = programs.get(id)
  if (inForce === undefined) return yield* noProgram(id)
  const { note, version } = asked
  const [former] = yield* definitions(parts, id, version + 1, 1)
  const next = former?.version === version ? ProgramFile.validate(former.file) : undefined
  if (next !== undefined && Result.isSuccess(next))
    yield* parts.guards.all(next.success, inForce, asked.confirm_rewards, () => "/version")
  const beforeCommit = publishedEntry(id, "program.rollback", { of_version: version, note })
  const published = yield* Publishing.rollBack(writer, id, version, { by, note }, { beforeCommit }).pipe(
    Effect.catch(refused("")),
    withPrograms,
    stored
  )
  return { program_id: id, version: published.version }
})

const statusEntry =
  (id: string, action: string, status: "live" | "retired", reason: string) =>
  (connection: Connection, isNews: boolean) => {
    const other = status === "live" ? "retired" : "live"
    const changes = { before: { status: isNews ? other : status }, after: { status } }
    return audited(connection, id, { action, changes, reason })
  }

const retire = Effect.fn("ManagedPrograms.retire")(function* (
  parts: Parts,
  id: string,
  reason: string
): Effect.fn.Return<typeof StatusOfProgram.Type, Refused, CurrentCaller> {
  const { withPrograms, writer } = parts
  const { name: by } = yield* CurrentCaller
  const beforeCommit = statusEntry(id, "program.retire", "retired", reason)
  yield* Publishing.retire(writer, id, by, reason, beforeCommit).pipe(Effect.catch(refused("")), withPrograms, stored)
  return { program_id: id, status: "retired" }
})

const restore = Effect.fn("ManagedPrograms.restore")(function* (
  parts: Parts,
  id: string,
  reason: string
): Effect.fn.Return<typeof StatusOfProgram.Type, Refused, CurrentCaller> {
  const { withPrograms, writer } = parts
  const beforeCommit = statusEntry(id, "program.restore", "live", reason)
  yield* Publishing.restore(writer, id, beforeCommit).pipe(Effect.catch(refused("")), withPrograms, stored)
  return { program_id: id, status: "live" }
})
