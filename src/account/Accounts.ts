/**
 * The directory of accounts: finds, activates and passivates them. Callers do not
 * know where an account lives.
 */
import { Context, Effect, Layer, Metric } from "effect"
import type {
  AccountNumber,
  Claim,
  ClaimHolder,
  Identity,
  MemberRow,
  ProfileChange,
  JournalUnavailable
} from "../journal/Records.ts"
import type { AuditEntry } from "../journal/Audit.ts"
import { Journal } from "../journal/Journal.ts"
import * as Series from "../metrics/Series.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import { Account } from "./Account.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as Codes from "./Codes.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { CardReward } from "./domain/Action.ts"
import { decide } from "./domain/Decide.ts"
import { balances } from "./domain/Decision.ts"
import { view } from "./domain/View.ts"
import type { Command } from "./Command.ts"
import { Directory } from "./Directory.ts"
import type { Waiting } from "./Mailbox.ts"
import * as Merging from "./Merging.ts"
import type { MergeForeseen, MergeRequest } from "./Merging.ts"
import { type Outcome, type Resident, type Trouble, unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"
import { Recent, RecentWork } from "./Recent.ts"
import type { Refusal } from "./domain/Refusal.ts"
import { refusal } from "./domain/Refusal.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import { serviceTime } from "../time/Times.ts"

/** An enrolment: the guest's data and the claims that guard the request. */
export interface Enrolment {
  readonly program: string
  readonly identity: Identity
  readonly attributes?: MemberRow["attributes"]
  /** The member id that the request names. Undefined: the service makes one. */
  readonly member?: string | undefined
  readonly key?: Claim | undefined
  /** The member's first profile. */
  readonly profile?: Extract<ProfileChange, { readonly type: "set" }> | undefined
  /** The name of the caller, and the request (`JournalRecord.origin`). */
  readonly actor?: string | undefined
  /** Makes the audit entry that is committed with a new member, from the member's id. */
  readonly audit?: ((member: string) => AuditEntry) | undefined
  readonly origin?: string | undefined
}

const orUnavailable = <A>(effect: Effect.Effect<A, JournalUnavailable>): Effect.Effect<A | Trouble> =>
  Effect.catchTag(effect, "JournalUnavailable", () => Effect.succeed(unavailable))

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Executes a command on a member's account. For a merged member: on the account of the remaining member. */
    readonly execute: (program: string, member: string, command: Command) => Effect.Effect<Outcome>
    /**
     * Executes a command on the account with a number; undefined if there is none. `command` gets the account's
     * programme, which must be one of `programs` (undefined: all).
     */
    readonly executeOn: (
      account: AccountNumber,
      command: (program: string) => Command,
      programs?: ReadonlySet<string>
    ) => Effect.Effect<Outcome | undefined>
    /**
     * The outcome that a command would have now: decided on the committed state, and not written. If its business
     * identifier was used before, the outcome is the same as for the real command.
     */
    readonly preview: (program: string, member: string, command: Command) => Effect.Effect<Outcome>
    /** Enrols a guest, or finds the member that has the identity. */
    readonly enroll: (enrolment: Enrolment) => Effect.Effect<Outcome>
    /**
     * A member's committed state; undefined if there is no such member. For a merged member: the state of the member
     * that it was merged into, unless `isOfItself`.
     */
    readonly read: (
      program: string,
      member: string,
      isOfItself?: boolean
    ) => Effect.Effect<Resident | undefined | Trouble>
    readonly readOn: (account: AccountNumber, isOfItself?: boolean) => Effect.Effect<Resident | undefined | Trouble>
    /**
     * Merges a member into another one. Both records are committed or neither is; the reply is of the other member's
     * record.
     */
    readonly merge: (program: string, request: MergeRequest) => Effect.Effect<Outcome>
    /** What a merge would do. Writes nothing. */
    readonly foreseeMerge: (
      program: string,
      from: string,
      into: string
    ) => Effect.Effect<MergeForeseen | Refusal | Trouble>
    /** Posts everything due on an account. */
    readonly wake: (account: AccountNumber) => Effect.Effect<Outcome>
    /** Accounts in memory. */
    readonly resident: () => number
    /** The accounts in memory, each with the seq of its newest record. */
    readonly seqs: () => Iterable<readonly [AccountNumber, number]>
    /** Calls the listener after every commit with the time at which the account is next due, ms. */
    readonly onDue: (listener: (at: number) => void) => void
  }
>()("lotbook/account/Accounts") {}

const usedBefore: Refusal = refusal("conflict", "The identifier was used before with other facts.")

const makeCards = (count: number): ReadonlyArray<CardReward> =>
  Array.from({ length: count }, () => ({ issued: Codes.identifier("irw"), code: Codes.artifactCode() }))

export interface AccountsOptions {
  /** The most accounts in memory. */
  readonly residentLimit?: number
  /** How long an unused account stays in memory, ms. */
  readonly idleMs?: number
  /** False while writes are frozen, or while the time is not trusted. */
  readonly mayWrite?: () => boolean
}

const activations = Metric.counter("lotbook_accounts_activations_total", {
  description: "Loads of an account's state from the journal",
  incremental: true
})

const make = Effect.fnUntraced(function* (options: AccountsOptions) {
  const journal = yield* Journal
  const programs = yield* Programs
  const { now } = yield* serviceTime
  const known = new Recent<string, AccountNumber>(Bounds.knownMembers)
  const programOf = new Recent<AccountNumber, string>(Bounds.knownMembers)
  let onDue: (at: number) => void = () => undefined

  const context = yield* Effect.context<never>()
  const busy = new Set<Waiting>()
  const deps: AccountDeps = {
    journal,
    recent: new RecentWork(),
    busy,
    activated: () => activations.updateUnsafe(1, context),
    now,
    fork: Effect.runForkWith(context),
    programOf: programs.get,
    revision: programs.revision,
    leaveRevision: (revision) =>
      programs.refreshFrom(revision).pipe(
        Effect.as(true),
        Effect.catch((error) => Effect.as(Effect.logWarning("Refreshing the programmes failed", error), false))
      ),
    makeCards,
    due: (_, at) => {
      if (at !== null) onDue(at)
    },
    forward: ({ account, seq }, program, request) => accountOf(account, program).takeOver(request, seq),
    mayWrite: options.mayWrite ?? (() => true)
  }
  const directory = new Directory(
    deps,
    options.residentLimit ?? Bounds.residentAccounts,
    options.idleMs ?? Bounds.idleMs
  )

  yield* Series.begin(activations)
  yield* Series.gauge("lotbook_accounts_resident", { description: "Accounts in memory" }, () => directory.size)
  yield* Series.gauge(
    "lotbook_accounts_waiting_requests",
    { description: "Requests that wait in the mailboxes of accounts" },
    () => busy.values().reduce((sum, { length }) => sum + length, 0)
  )

  const accountOf = (number: AccountNumber, program: string): Account =>
    directory.keep(directory.get(number) ?? Account.stored(number, program, deps))

  const find = (program: string, member: string): Effect.Effect<AccountNumber | undefined, JournalUnavailable> => {
    const name = `${program} ${member}`
    const number = known.get(name)
    if (number !== undefined) return Effect.succeed(number)
    return Effect.map(journal.findAccount(program, member), (found) => {
      if (found !== undefined) known.set(name, found)
      return found
    })
  }

  const findProgram = (number: AccountNumber): Effect.Effect<string | undefined, JournalUnavailable> => {
    const there = directory.get(number)?.programId ?? programOf.get(number)
    if (there !== undefined) return Effect.succeed(there)
    return Effect.map(journal.loadAccount(number), (stored) => {
      if (stored !== undefined) programOf.set(number, stored.programId)
      return stored?.programId
    })
  }

  const notFound = (program: string, member: string): Refusal =>
    refusal("not_found", `Programme ${program} has no member ${member}.`)

  /** Refuses a command for an unknown member, after checking its key and business identifier, which take precedence. */
  const refuseUnknown = (
    program: string,
    member: string,
    command: Command,
    refused: Refusal
  ): Effect.Effect<Outcome, JournalUnavailable> => {
    const { key, named } = command.guards
    return Effect.gen(function* () {
      const holder = ClaimResolution.first(command, yield* journal.holders(ClaimResolution.guardKeys(command)))
      if (holder === undefined) return refused
      const isOfKey = holder.key === key?.key
      if (named === undefined && isOfKey && key.fingerprint === holder.fingerprint) return yield* replay(holder)
      // The member may have been enrolled after `find` ran.
      const number = named === undefined ? undefined : yield* find(program, member)
      if (number !== undefined) return yield* accountOf(number, program).execute(command)
      return isOfKey ? ClaimResolution.keyConflict : usedBefore
    })
  }

  const replay = (holder: ClaimHolder): Effect.Effect<Outcome, JournalUnavailable> =>
    Effect.map(PastRecords.read(deps, holder.account, holder.seq), (record) => ({
      _tag: "Answered",
      record,
      isReplay: true
    }))

  const execute: Accounts["Service"]["execute"] = (program, member, command) => {
    const number = known.get(`${program} ${member}`)
    if (number !== undefined) return accountOf(number, program).execute(command)
    return orUnavailable(
      Effect.flatMap(find(program, member), (found) =>
        found === undefined
          ? refuseUnknown(program, member, command, notFound(program, member))
          : accountOf(found, program).execute(command)
      )
    )
  }

  const executeOn: Accounts["Service"]["executeOn"] = (number, command, programs) =>
    orUnavailable(
      Effect.flatMap(findProgram(number), (program): Effect.Effect<Outcome | undefined> => {
        if (program === undefined) return Effect.succeed(undefined)
        if (programs?.has(program) === false)
          return Effect.succeed(refusal("forbidden", `The token is not for programme ${program}.`))
        return accountOf(number, program).execute(command(program))
      })
    )

  const preview: Accounts["Service"]["preview"] = (programId, member, command) =>
    orUnavailable(
      Effect.gen(function* () {
        const { business } = command.guards
        const [holder] = yield* journal.holders(business === undefined ? [] : [business.key])
        const number = yield* find(programId, member)
        const resident = number === undefined ? undefined : yield* accountOf(number, programId).read()
        if (resident !== undefined && resident._tag !== "Resident") return resident
        const program = programs.get(programId)
        if (holder !== undefined) {
          if (resident === undefined || program === undefined) return usedBefore
          const owner = { number: resident.account, state: resident.state }
          return ClaimResolution.isRepeat(owner, command, holder)
            ? yield* shownAgain(resident, program, holder)
            : usedBefore
        }
        return resident === undefined || program === undefined
          ? refusal("not_found", `Programme ${programId} has no member ${member}.`)
          : foreseen(resident, command, program)
      })
    )

  /** What a repeated business identifier would be answered: the first reply, with the balances of now. */
  const shownAgain = (
    { account, state }: Resident,
    program: Program,
    holder: ClaimHolder
  ): Effect.Effect<Outcome, JournalUnavailable> =>
    Effect.map(PastRecords.read(deps, holder.account, holder.seq), (record) => {
      const at = Math.max(deps.now(), state.at)
      const repeat = { account, at, balances: balances(view(state, program, at), program) }
      return { _tag: "Answered", record: { ...record, repeat } }
    })

  const foreseen = (resident: Resident, { action }: Command, program: Program): Outcome => {
    const given = { now: deps.now(), program }
    const first = decide(resident.state, action, given)
    const decision =
      first._tag === "NeedsCards" ? decide(resident.state, action, { ...given, cards: makeCards(first.count) }) : first
    if (decision._tag === "Refusal") return decision
    if (decision._tag !== "Decided") throw new Error("an action that repeats or recalls another has no preview")
    const { at, events, reply, state } = decision
    const record = { account: resident.account, seq: state.seq, at, events, reply }
    return { _tag: "Answered", record, resident: { ...resident, state } }
  }

  const readOn: Accounts["Service"]["readOn"] = (number, isOfItself) =>
    orUnavailable(
      Effect.flatMap(findProgram(number), (program) =>
        program === undefined ? Effect.succeed(undefined) : accountOf(number, program).read(isOfItself)
      )
    )

  const read: Accounts["Service"]["read"] = (program, member, isOfItself) =>
    orUnavailable(
      Effect.flatMap(find(program, member), (found) =>
        found === undefined ? Effect.succeed(undefined) : accountOf(found, program).read(isOfItself)
      )
    )

  const merge: Accounts["Service"]["merge"] = (program, request) =>
    orUnavailable(
      Effect.gen(function* () {
        const [from, into] = [yield* find(program, request.from), yield* find(program, request.into)]
        if (from === undefined || into === undefined) {
          const unknown = from === undefined ? request.from : request.into
          return (yield* Merging.answered(deps, request)) ?? notFound(program, unknown)
        }
        return yield* Merging.merge(deps, accountOf(from, program), accountOf(into, program), request)
      })
    )

  const foreseeMerge: Accounts["Service"]["foreseeMerge"] = (programId, from, into) =>
    Effect.gen(function* () {
      const leaving = yield* read(programId, from, true)
      const taking = yield* read(programId, into, true)
      const program = programs.get(programId)
      if (leaving === undefined || program === undefined) return notFound(programId, from)
      if (taking === undefined) return notFound(programId, into)
      if (leaving._tag !== "Resident") return leaving
      if (taking._tag !== "Resident") return taking
      return Merging.foresee(deps, program, leaving, taking)
    })

  /** Enrols under a new account number, or answers with the member that has the identity. */
  const enroll = (enrolment: Enrolment): Effect.Effect<Outcome> =>
    orUnavailable(
      Effect.gen(function* () {
        const { attributes, identity, key, profile, program } = enrolment
        const identityKey = ClaimKeys.identity(journal.claimKey, program, identity)
        const held = yield* journal.findIdentity(identityKey)
        if (held !== undefined) return yield* foundBy(enrolment, held)
        const member = enrolment.member ?? Codes.identifier("mem")
        const memberKey = ClaimKeys.member(journal.claimKey, program, member)
        const number = yield* journal.newAccountNumber
        const opens = {
          programId: program,
          memberId: member,
          identities: [identity],
          ...(attributes === undefined ? undefined : { attributes })
        }
        const account = directory.keep(Account.opening(number, opens, deps))
        const id = profile?.fields.external_id ?? undefined
        const external = id === undefined ? undefined : ClaimKeys.externalId(journal.claimKey, program, id)
        const own = key === undefined ? {} : { key }
        const command: Command = {
          action: { type: "enroll", program, member, identity: identityKey, external },
          profile,
          guards: { ...own, further: [{ key: memberKey, fingerprint: identityKey }] },
          actor: enrolment.actor,
          origin: enrolment.origin,
          audit: enrolment.audit?.(member)
        }
        const outcome = yield* account.enroll(command)
        if (outcome._tag === "Answered" && outcome.record.account === number) {
          known.set(`${program} ${member}`, number)
          return outcome
        }
        // Nothing was written under the number; a replay belongs to another account.
        directory.remove(number)
        if (outcome._tag !== "Taken") return outcome
        // A concurrent enrolment of the identity may have used the same member id. Either claim names that member.
        const { holder } = outcome
        const isOfIdentity =
          holder.key === identityKey ||
          // The member that was enrolled with the identity may have lost it since.
          (holder.fingerprint === identityKey && (yield* journal.findIdentity(identityKey)) === holder.account)
        if (isOfIdentity) return yield* foundBy(enrolment, holder.account)
        const taken = refusal("conflict", `Member id ${member} belongs to another identity.`)
        return yield* refuseUnknown(program, member, { ...command, guards: own }, taken)
      })
    )

  const foundBy = (enrolment: Enrolment, account: AccountNumber): Effect.Effect<Outcome> =>
    accountOf(account, enrolment.program).execute({
      action: { type: "find_member" },
      guards: enrolment.key === undefined ? {} : { key: enrolment.key },
      actor: enrolment.actor,
      origin: enrolment.origin
    })

  return Accounts.of({
    execute,
    executeOn,
    preview,
    enroll,
    read,
    readOn,
    merge,
    foreseeMerge,
    wake: (number) =>
      Effect.map(
        executeOn(number, () => ({ action: { type: "expire" }, guards: {} })),
        (outcome) => outcome ?? refusal("not_found", "There is no such account.")
      ),
    resident: () => directory.size,
    seqs: () => directory.seqs(),
    onDue: (listener) => {
      onDue = listener
    }
  })
})

export const layer = (options: AccountsOptions = {}): Layer.Layer<Accounts, never, Journal | Programs> =>
  Layer.effect(Accounts, make(options))
