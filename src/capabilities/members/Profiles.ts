/**
 * Enrols members with a profile, changes profiles and consents, and erases members,
 * without HTTP. The routes and imports call it (contract/engagement.md *Profiles*).
 *
 * A change is written with a record of the member's account, in one transaction. The
 * record itself contains no personal data.
 */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { type ServiceTime, serviceTime } from "../../base/time/Times.ts"
import type { EnrolledVia } from "../../contract/platform/EventTypes.ts"
import type { Erasure, PlatformMember, ProfileFacts } from "../../contract/platform/Members.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Action } from "../../core/account/domain/Action.ts"
import { isNamed, mergedAccounts } from "../../core/account/domain/State.ts"
import type { Outcome, Resident, Trouble } from "../../core/account/Outcome.ts"
import * as Rows from "../../core/account/Rows.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Claim } from "../../core/journal/Records.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { orUnavailable, refuse, refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import type { Within } from "../segments/Reached.ts"
import * as Bounds from "./Bounds.ts"
import type { Answered } from "./Gifts.ts"
import * as Gifts from "./Gifts.ts"
import type { Change } from "./ProfileChange.ts"
import {
  attributesAfter,
  attributesOf,
  auditChanges,
  consentsIn,
  consentsOf,
  faultsOf,
  fieldsOf,
  isEmpty
} from "./ProfileChange.ts"
import type { StoredConsent, StoredMember } from "./ProfileStore.ts"
import * as Store from "./ProfileStore.ts"

export interface UpsertOptions {
  /** Where a member that is enrolled comes from. */
  readonly via: EnrolledVia
  /** The name of the caller. */
  readonly actor: string | undefined
  /** The request (`JournalRecord.origin`); absent for a command. */
  readonly origin?: string | undefined
  /** The claim of an enrolment. A repeated claim returns the first result, with the same `created`. */
  readonly key?: Claim | undefined
  /** The accounts that may be changed; absent: all. Enrolling is allowed in any case. */
  readonly only?: ReadonlySet<number> | undefined
  /** Makes the audit entry of a change. Absent: none, because an import has an entry of its own. */
  readonly audit?: Audit.EntryOf | undefined
  /** Counts what campaigns give because of the change. Absent: nothing counts. */
  readonly within?: Within | undefined
}

export interface Upsert {
  readonly account: number
  readonly member: string
  /** True if the member was enrolled. */
  readonly created: boolean
}

/** A member in the platform's answers. */
export const shown = (stored: StoredMember): PlatformMember => {
  const { attributes, consents, updatedAt } = stored
  const marketing = consents.find(({ channel, purpose }) => purpose === "marketing" && channel === "")
  return {
    member_id: stored.member,
    program_id: stored.program,
    status: stored.status,
    joined_at: fromMillis(stored.joined),
    ...Store.fieldsShown(stored),
    ...(attributes === undefined ? undefined : { attributes }),
    ...(marketing === undefined
      ? undefined
      : {
          consent: {
            marketing: marketing.granted,
            ...(marketing.source === null ? undefined : { source: marketing.source }),
            updated_at: fromMillis(marketing.recordedAt)
          }
        }),
    consents: Store.consentsShown(stored),
    ...(updatedAt === undefined ? undefined : { updated_at: fromMillis(updatedAt) })
  }
}

type ErasedMember = Pick<typeof Erasure.Type, "member_id" | "reason">

interface Parts {
  readonly accounts: Accounts["Service"]
  readonly journal: Journal["Service"]
  readonly time: ServiceTime
  /** Reads what is stored. What changes goes through the accounts. */
  readonly query: Query
}

/** The member that a read finds. Trouble becomes a refusal. */
const residentOf = Effect.fnUntraced(function* (
  read: Effect.Effect<Resident | Trouble | undefined>
): Effect.fn.Return<Resident | undefined, Refused> {
  const found = yield* read
  return found === undefined || found._tag === "Resident" ? found : yield* refusedBy(found)
})

const residentOn = ({ accounts }: Pick<Parts, "accounts">, account: number): Effect.Effect<Resident, Refused> =>
  Effect.map(residentOf(accounts.readOn(account)), ofThere)

/** Something of a member that was read. */
const ofThere = <A>(found: A | undefined): A => {
  if (found === undefined) throw new Error("a member that was read is there")
  return found
}

const answered = (outcome: Outcome): Effect.Effect<Answered, Refused> =>
  outcome._tag === "Answered" ? Effect.succeed(outcome) : Effect.fail(refusedBy(outcome))

/** True if an enrolment made its member; false if it found one. */
export const hasEnrolled = ({ record: { reply } }: Answered): boolean => reply.type === "member" && reply.created

/** Finds the member of a request by id, else by external id; undefined if it must be enrolled. */
const locate = Effect.fnUntraced(function* (
  { accounts, journal }: Parts,
  program: Program,
  { external_id, member_id }: ProfileFacts
): Effect.fn.Return<Resident | undefined, Refused> {
  if (member_id !== undefined) return yield* residentOf(accounts.read(program.id, member_id))
  const { claimKey } = journal
  const external = external_id ?? ""
  const account =
    (yield* orUnavailable(journal.findIdentity(ClaimKeys.externalId(claimKey, program.id, external)))) ??
    (yield* orUnavailable(
      journal.findIdentity(ClaimKeys.identity(claimKey, program.id, { type: "external", value: external }))
    ))
  return account === undefined ? undefined : yield* residentOf(accounts.readOn(account))
})

/** A change of a profile that is not yet written. */
interface Planned {
  readonly action: Action
  readonly change: Change
  /** The consents that are stored. */
  readonly known: ReadonlyArray<StoredConsent>
}

/** The change that a request makes; undefined if nothing changes. */
const planned = Effect.fnUntraced(function* (
  { journal, query, time }: Parts,
  program: Program,
  { account, member: { attributes: known }, state }: Resident,
  facts: ProfileFacts
): Effect.fn.Return<Planned | undefined, Refused> {
  const stored = yield* Store.find(query, account)
  const attributes = attributesOf(facts, known)
  const changes: Change = {
    fields: fieldsOf(facts, stored),
    consents: consentsOf(facts, stored?.consents ?? [], time.now()),
    attributes
  }
  const all = consentsIn(facts)
  const onlyWithdraws = all.length > 0 && all.every(({ granted }) => !granted) && isEmpty({ ...changes, consents: [] })
  if (isEmpty(changes) && (state.status === "active" || (state.status === "suspended" && onlyWithdraws)))
    return undefined
  const { fields } = changes
  const merged =
    attributes === undefined ? undefined : Rows.withAttributes({ identities: [], attributes: known }, attributes)
  if (Buffer.byteLength(JSON.stringify(merged?.attributes ?? {})) > Bounds.attributesBytes)
    return yield* refuseFaults([
      { path: "/attributes", message: "must stay below 64 KiB of JSON with those that are there" }
    ])
  const { external_id } = fields
  const external =
    typeof external_id === "string" ? ClaimKeys.externalId(journal.claimKey, program.id, external_id) : external_id
  const action: Action = { type: "change_profile", external, onlyWithdraws }
  return { action, change: changes, known: stored?.consents ?? [] }
})

/** The refusal of a caller who may enrol members, and not change those that are there. */
export const mayNotChange = refuse("forbidden", "The member exists. Changing it needs the scope members:write.")

/** Changes a member's profile. Writes nothing if nothing changes. */
const change = (
  parts: Parts,
  program: Program,
  resident: Resident,
  facts: ProfileFacts,
  options: UpsertOptions
): Effect.Effect<Upsert, Refused> =>
  options.within === undefined || facts.attributes === undefined
    ? changeOn(parts, program, resident, facts, options)
    : Gifts.whileOutdated((outcomeOf) =>
        Effect.flatMap(residentOn(parts, resident.account), (found) =>
          changeOn(parts, program, found, facts, options, outcomeOf)
        )
      )

/** Changes a member's profile as it was read. `outcomeOf`: notes that it was changed since. */
const changeOn = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  resident: Resident,
  facts: ProfileFacts,
  { actor, audit, only, origin, within }: UpsertOptions,
  outcomeOf: (executed: Effect.Effect<Outcome>) => Effect.Effect<Answered, Refused> = Effect.flatMap(answered)
): Effect.fn.Return<Upsert, Refused> {
  const { account, state } = resident
  const plan = yield* planned(parts, program, resident, facts)
  if (plan === undefined) return { account, member: state.member, created: false }
  if (only?.has(account) === false) return yield* mayNotChange
  const { action, known } = plan
  const { attributes, consents, fields } = plan.change
  const isCounted = within !== undefined && attributes !== undefined
  const executed = parts.accounts.executeOn(account, () => ({
    action,
    guards: {},
    counted: isCounted ? { account, seq: state.seq + 1, always: true } : undefined,
    attributes,
    profile: { type: "set", fields, consents },
    actor,
    origin,
    audit: audit?.({
      action: "member.profile",
      subject: { type: "member", id: state.member },
      programId: program.id,
      changes: auditChanges(plan.change, known)
    })
  }))
  const work = Effect.map(outcomeOf(Effect.map(executed, ofThere)), (done) => upsertOf(done, state.member))
  if (!isCounted) return yield* work
  const before = resident.member.attributes ?? {}
  const accounts = [account, ...mergedAccounts(state)]
  return yield* within({ accounts, before, after: attributesAfter(facts, before), isImported: false }, () => true, work)
})

const upsertOf = ({ record, resident }: Answered, member: string): Upsert => ({
  account: record.account,
  member: resident?.state.member ?? member,
  created: false
})

/** Enrols a member with its profile, in one record. If a member has the identity already, changes its profile. */
const enroll = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  facts: ProfileFacts,
  options: UpsertOptions
): Effect.fn.Return<Upsert, Refused> {
  const { accounts, time } = parts
  const { actor, audit, key, origin, via, within } = options
  const attributes = attributesOf(facts)
  const fields = fieldsOf(facts, undefined)
  const consents = consentsOf(facts, [], time.now())
  const changes = auditChanges({ attributes, consents, fields }, [])
  const isImported = via === "import"
  const guest = { accounts: [], before: {}, after: attributesAfter(facts, {}), isImported }
  const enrolled = accounts.enroll({
    program: program.id,
    identity: { type: "external", value: facts.external_id ?? facts.member_id ?? "" },
    via,
    attributes: attributes === undefined ? undefined : Rows.withAttributes({ identities: [] }, attributes).attributes,
    member: facts.member_id,
    key,
    profile: { type: "set", fields, consents },
    actor,
    origin,
    audit:
      audit === undefined
        ? undefined
        : (id) => audit({ action: "member.enroll", subject: { type: "member", id }, programId: program.id, changes })
  })
  const work = Effect.flatMap(enrolled, answered)
  const outcome = yield* within === undefined || (attributes === undefined && !isImported)
    ? work
    : within(guest, hasEnrolled, work)
  const { record } = outcome
  const shown = outcome.resident ?? (yield* residentOn(parts, record.account))
  if (hasEnrolled(outcome)) return { account: record.account, member: shown.state.member, created: true }
  const resident = yield* residentOn(parts, record.account)
  if (facts.member_id !== undefined && !isNamed(resident.state, facts.member_id))
    return yield* refuse("conflict", "Another member has the identity.")
  return yield* change(parts, program, resident, facts, options)
})

/** Enrols a member or changes its profile, each in one record with consents and attributes. */
const upsert = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  facts: ProfileFacts,
  options: UpsertOptions
): Effect.fn.Return<Upsert, Refused> {
  const faults = faultsOf(facts, parts.time.now())
  if (faults.length > 0) return yield* refuseFaults(faults)
  const found = yield* locate(parts, program, facts)
  if (found !== undefined) return yield* change(parts, program, found, facts, options)
  return yield* Effect.catchIf(
    enroll(parts, program, facts, options),
    ({ code }) => code === "conflict",
    // Another request may have enrolled the member meanwhile.
    (refused) =>
      Effect.flatMap(locate(parts, program, facts), (resident) =>
        resident === undefined ? Effect.fail(refused) : change(parts, program, resident, facts, options)
      )
  )
})

/**
 * The member that an upsert would change, or undefined if it would enrol one. Fails with the refusal that the upsert
 * would have. Writes nothing.
 */
const foresee = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  facts: ProfileFacts,
  only?: ReadonlySet<number>
): Effect.fn.Return<Resident | undefined, Refused> {
  const { accounts, journal, time } = parts
  const faults = faultsOf(facts, time.now())
  if (faults.length > 0) return yield* refuseFaults(faults)
  const holder = (key: string) =>
    Effect.flatMap(orUnavailable(journal.findIdentity(key)), (account) =>
      account === undefined ? Effect.succeed(undefined) : residentOf(accounts.readOn(account))
    )
  const { external_id, member_id } = facts
  const value = external_id ?? member_id ?? ""
  const located = yield* locate(parts, program, facts)
  const found =
    located ?? (yield* holder(ClaimKeys.identity(journal.claimKey, program.id, { type: "external", value })))
  if (member_id !== undefined && found !== undefined && !isNamed(found.state, member_id))
    return yield* refuse("conflict", "Another member has the identity.")
  if (typeof external_id === "string") {
    const owner = yield* holder(ClaimKeys.externalId(journal.claimKey, program.id, external_id))
    if (owner !== undefined && owner.account !== found?.account)
      return yield* refuse("conflict", "Another member has the external id.")
  }
  if (found === undefined)
    return program.isRetired ? yield* refuse("program_retired", said`Programme ${program.id} was retired.`) : undefined
  const plan = yield* planned(parts, program, found, facts)
  if (plan === undefined) return found
  if (only?.has(found.account) === false) return yield* mayNotChange
  const outcome = yield* accounts.preview(program.id, found.state.member, { action: plan.action, guards: {} })
  return outcome._tag === "Answered" ? found : yield* refusedBy(outcome)
})

const show = Effect.fnUntraced(function* (
  { query }: Parts,
  account: number
): Effect.fn.Return<PlatformMember, Refused> {
  const stored = yield* Store.find(query, account)
  if (stored === undefined) throw new Error(`account ${account} has no row`)
  return shown(stored)
})

/** The account of a member; for a merged member, of the remaining one. */
const accountOf = ({ accounts }: Parts, program: Program, member: string): Effect.Effect<number, Refused> =>
  Effect.map(memberOf(accounts, program.id, member), ({ account }) => account)

/** Answers the command that erases all personal data of a member and closes it. Repeated, it changes nothing. */
const erasing = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  { member_id, reason }: ErasedMember,
  counted?: Command["counted"]
): Effect.fn.Return<Effect.Effect<Outcome>, Refused, CurrentCaller> {
  const before = yield* show(parts, yield* accountOf(parts, program, member_id))
  const audit = yield* Audit.entryOf({
    action: "member.erase",
    subject: { type: "member", id: before.member_id },
    programId: program.id,
    changes: { before: { status: before.status }, after: { status: "closed" } },
    reason
  })
  return parts.accounts.execute(program.id, member_id, {
    action: { type: "erase", reason },
    guards: {},
    counted,
    audit,
    actor: audit.actor.name,
    origin: audit.requestId
  })
})

const erase = Effect.fnUntraced(function* (parts: Parts, program: Program, asked: ErasedMember) {
  const erased = yield* erasing(parts, program, asked)
  const { record } = yield* answered(yield* erased)
  return yield* show(parts, record.account)
})

export const make = (query: Query) =>
  Effect.map(Effect.all({ accounts: Accounts, journal: Journal, time: serviceTime }), (services) => {
    const parts: Parts = { ...services, query }
    return {
      accountOf: (program: Program, member: string) => accountOf(parts, program, member),
      erase: (program: Program, asked: ErasedMember) => erase(parts, program, asked),
      erasing: (program: Program, asked: ErasedMember, counted: Command["counted"]) =>
        erasing(parts, program, asked, counted),
      foresee: (program: Program, facts: ProfileFacts, only?: ReadonlySet<number>) =>
        foresee(parts, program, facts, only),
      show: (account: number) => show(parts, account),
      upsert: (program: Program, facts: ProfileFacts, options: UpsertOptions) => upsert(parts, program, facts, options)
    }
  })
