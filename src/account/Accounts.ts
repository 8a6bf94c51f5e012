/**
 * The directory of accounts: finds, activates and passivates them. Callers do not
 * know where an account lives.
 */
import { Context, Effect, Layer, Metric } from "effect"
import type { AccountNumber, ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import { Journal } from "../journal/Journal.ts"
import * as Series from "../metrics/Series.ts"
import { Programs } from "../program/Programs.ts"
import { Partitions } from "../cluster/Partitions.ts"
import { accountNumber, partitionOf } from "../cluster/Placement.ts"
import { Account } from "./Account.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as Codes from "./Codes.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Command } from "./Command.ts"
import { Directory } from "./Directory.ts"
import type { Enrolment } from "./Enrolment.ts"
import * as MergeHolds from "./MergeHolds.ts"
import type { Waiting } from "./Mailbox.ts"
import * as Merging from "./Merging.ts"
import type { MergeForeseen } from "./Merging.ts"
import type { MergeRequest } from "./MergeRequest.ts"
import { type Outcome, type Resident, type Trouble, unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"
import * as Preview from "./Preview.ts"
import { Recent, RecentWork } from "./Recent.ts"
import type { AccountRef, Answer, PlainEnrolment } from "./Remote.ts"
import * as Remote from "./Remote.ts"
import type { Refusal } from "./domain/Refusal.ts"
import { refusal } from "./domain/Refusal.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import { serviceTime } from "../time/Times.ts"

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
  const partitions = yield* Partitions
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
    makeCards: Codes.cards,
    due: (_, at) => {
      if (at !== null) onDue(at)
    },
    forward: ({ account, seq }, program, request) => accountOf(account, program).takeOver(request, seq),
    reroute: (account, program, request) => accountOf(account, program).takeOver(request, 0),
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

  const isMine = (number: AccountNumber): boolean => partitions.isMine(partitionOf(number))

  /** An account of this node. */
  const own = (number: AccountNumber, program: string): Account =>
    directory.keep(directory.get(number) ?? Account.stored(number, program, deps))

  const remote = {
    partitions,
    fork: deps.fork,
    accountOf: (number: AccountNumber, program: string) => accountOf(number, program)
  }

  const accountOf = (number: AccountNumber, program: string): AccountRef =>
    isMine(number) ? own(number, program) : Remote.account(remote, number, program)

  const holds = new MergeHolds.MergeHolds(deps)

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
            ? yield* Preview.shownAgain(deps, resident, program, holder)
            : usedBefore
        }
        return resident === undefined || program === undefined
          ? refusal("not_found", `Programme ${programId} has no member ${member}.`)
          : Preview.foreseen(deps, resident, command, program)
      })
    )

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
        return yield* mergeNumbers(program, from, into, request)
      })
    )

  /** Merges on the node that owns `into`; another owner of `from` holds it meanwhile. */
  const mergeNumbers = (
    program: string,
    from: AccountNumber,
    into: AccountNumber,
    request: MergeRequest
  ): Effect.Effect<Outcome> => {
    if (!isMine(into))
      return Remote.call<Outcome>(
        partitions,
        partitionOf(into),
        { type: "merge", program, from, into, request },
        Effect.suspend(() => mergeNumbers(program, from, into, request))
      )
    const side = (number: AccountNumber) =>
      isMine(number) ? MergeHolds.ofOwn(own(number, program)) : MergeHolds.ofOther(deps, partitions, number, program)
    return Merging.merge(deps, side(from), side(into), request)
  }

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
        const { identity, program } = enrolment
        const identityKey = ClaimKeys.identity(journal.claimKey, program, identity)
        const held = yield* journal.findIdentity(identityKey)
        if (held !== undefined) return yield* foundBy(enrolment, held)
        const { audit, member = Codes.identifier("mem"), ...given } = enrolment
        return yield* enrollNew({ ...given, member, entry: audit?.(member) }, identityKey)
      })
    )

  const enrollNew = (
    enrolment: PlainEnrolment & { readonly member: string },
    identityKey: string
  ): Effect.Effect<Outcome, JournalUnavailable> =>
    Effect.gen(function* () {
      const { attributes, entry, identity, key, member, profile, program } = enrolment
      const memberKey = ClaimKeys.member(journal.claimKey, program, member)
      const n = yield* journal.newAccountNumber
      const number = accountNumber(n, partitions.some())
      if (!isMine(number))
        return yield* Remote.call<Outcome>(
          partitions,
          partitionOf(number),
          { type: "enroll", enrolment },
          orUnavailable(Effect.suspend(() => enrollNew(enrolment, identityKey)))
        )
      const opens = {
        programId: program,
        memberId: member,
        identities: [identity],
        ...(attributes === undefined ? undefined : { attributes })
      }
      const account = directory.keep(Account.opening(number, opens, deps))
      const id = profile?.fields.external_id ?? undefined
      const external = id === undefined ? undefined : ClaimKeys.externalId(journal.claimKey, program, id)
      const guards = key === undefined ? {} : { key }
      const command: Command = {
        action: { type: "enroll", program, member, identity: identityKey, external },
        profile,
        guards: { ...guards, further: [{ key: memberKey, fingerprint: identityKey }] },
        actor: enrolment.actor,
        origin: enrolment.origin,
        audit: entry
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
      return yield* refuseUnknown(program, member, { ...command, guards }, taken)
    })

  const foundBy = (
    enrolment: Pick<Enrolment, "actor" | "key" | "origin" | "program">,
    account: AccountNumber
  ): Effect.Effect<Outcome> =>
    accountOf(account, enrolment.program).execute({
      action: { type: "find_member" },
      guards: enrolment.key === undefined ? {} : { key: enrolment.key },
      actor: enrolment.actor,
      origin: enrolment.origin
    })

  /** Answers a call of another node; undefined if the account is not this node's. */
  const answer: Answer = (asked) => {
    switch (asked.type) {
      case "execute":
      case "read": {
        if (!isMine(asked.account)) return undefined
        const account = own(asked.account, asked.program)
        account.knows(asked.seq)
        return asked.type === "execute" ? account.execute(asked.command) : account.read(asked.isOfItself)
      }
      case "enroll": {
        const { member, program } = asked.enrolment
        if (member === undefined) throw new Error("an enrolment that another node forwards names its member")
        const identityKey = ClaimKeys.identity(journal.claimKey, program, asked.enrolment.identity)
        return orUnavailable(enrollNew({ ...asked.enrolment, member }, identityKey))
      }
      case "merge":
        return isMine(asked.into) ? mergeNumbers(asked.program, asked.from, asked.into, asked.request) : undefined
      case "hold":
        return isMine(asked.account) ? holds.hold(own(asked.account, asked.program), asked.hold) : undefined
      case "release":
        return holds.release(asked.hold)
    }
  }
  yield* partitions.answer(Remote.answerText(answer))
  yield* partitions.onDrain((given) => directory.drain(({ number }) => given.has(partitionOf(number))))

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
