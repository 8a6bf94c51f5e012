/**
 * The directory of accounts: finds, activates and passivates them. Callers do not
 * know where an account lives.
 */
import { Context, Effect, Layer, Metric } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { said } from "../../contract/Said.ts"
import { Partitions } from "../cluster/Partitions.ts"
import { partitionOf } from "../cluster/Placement.ts"
import { Journal } from "../journal/Journal.ts"
import type { AccountNumber } from "../journal/Records.ts"
import { Programs } from "../programs/Programs.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as Codes from "./Codes.ts"
import type { Command } from "./Command.ts"
import { Directory } from "./Directory.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import { enroll, enrollNew } from "./Enrolling.ts"
import * as FoundOrder from "./FoundOrder.ts"
import { Lookup } from "./Lookup.ts"
import type { Waiting } from "./Mailbox.ts"
import * as MergeHolds from "./MergeHolds.ts"
import type { MergeForeseen } from "./Merging.ts"
import * as Merging from "./Merging.ts"
import type { MoveForeseen } from "./Moving.ts"
import * as Moving from "./Moving.ts"
import { type Foreseen, type Outcome, orUnavailable, type Resident, type Trouble } from "./Outcome.ts"
import * as Pair from "./Pair.ts"
import * as Places from "./Places.ts"
import { preview } from "./Preview.ts"
import { RecentWork } from "./Recent.ts"
import type { AnswerCall } from "./Remote.ts"
import * as Remote from "./Remote.ts"
import type { Enrolment, MergeRequest, MoveRequest } from "./Request.ts"
import * as UnknownMember from "./UnknownMember.ts"

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
    readonly preview: (program: string, member: string, command: Command) => Effect.Effect<Foreseen>
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
    /** An order by its id, whichever member has it now; undefined if it has not accrued. */
    readonly order: (program: string, order: string) => Effect.Effect<FoundOrder.FoundOrder | undefined | Trouble>
    /** Where an order accrued; undefined: it has not. */
    readonly orderPlace: (program: string, order: string) => Effect.Effect<Places.Place | undefined | Trouble>
    /** Where a reservation was made; undefined: there is none. */
    readonly reservationPlace: (reservation: string) => Effect.Effect<Places.Place | undefined | Trouble>
    /**
     * Merges a member into another one. Both records are committed or neither is; the reply is of the other member's
     * record.
     */
    readonly merge: (program: string, request: MergeRequest) => Effect.Effect<Outcome>
    /** Effects that a merge would have. Writes nothing. */
    readonly foreseeMerge: (
      program: string,
      from: string,
      into: string
    ) => Effect.Effect<MergeForeseen | Refusal | Trouble>
    /**
     * Moves an order to another member. Both records are committed or neither is; the reply is of the other member's
     * record. For merged members: of those that they were merged into.
     */
    readonly moveOrder: (program: string, request: MoveRequest) => Effect.Effect<Outcome>
    /** Effects that a move would have. Writes nothing. */
    readonly foreseeMove: (program: string, request: MoveRequest) => Effect.Effect<MoveForeseen | Refusal | Trouble>
    /** Posts everything due on an account. */
    readonly wake: (account: AccountNumber) => Effect.Effect<Outcome>
    /** Accounts in memory. */
    readonly resident: () => number
    /** The accounts in memory, each with the seq of its newest record. */
    readonly seqs: () => Iterable<readonly [AccountNumber, number]>
    /** Calls the listener after every commit with the time at which the account is next due, ms. */
    readonly onDue: (listener: (at: number) => void) => void
  }
>()("lotbook/core/account/Accounts") {}

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

const execute = (lookup: Lookup, program: string, member: string, command: Command): Effect.Effect<Outcome> => {
  const number = lookup.known(program, member)
  if (number !== undefined) return lookup.account(number, program).execute(command)
  return orUnavailable(
    Effect.flatMap(lookup.find(program, member), (found) =>
      found === undefined
        ? Effect.flatMap(lookup.deps.journal.lostAfter, (since) =>
            UnknownMember.refuse(lookup, program, member, command, UnknownMember.notFound(program, member, since))
          )
        : lookup.account(found, program).execute(command)
    )
  )
}

const executeOn = (
  lookup: Lookup,
  number: AccountNumber,
  command: (program: string) => Command,
  programs?: ReadonlySet<string>
): Effect.Effect<Outcome | undefined> =>
  orUnavailable(
    Effect.flatMap(lookup.programOf(number), (program): Effect.Effect<Outcome | undefined> => {
      if (program === undefined) return Effect.succeed(undefined)
      if (programs?.has(program) === false)
        return Effect.succeed(refusal("forbidden", said`The token is not for programme ${program}.`))
      return lookup.account(number, program).execute(command(program))
    })
  )

const read = (lookup: Lookup, program: string, member: string, isOfItself?: boolean) =>
  orUnavailable(
    Effect.flatMap(lookup.find(program, member), (found) =>
      found === undefined ? Effect.succeed(undefined) : lookup.account(found, program).read(isOfItself)
    )
  )

const readOn = (lookup: Lookup, number: AccountNumber, isOfItself?: boolean) =>
  orUnavailable(
    Effect.flatMap(lookup.programOf(number), (program) =>
      program === undefined ? Effect.succeed(undefined) : lookup.account(number, program).read(isOfItself)
    )
  )

const merge = (lookup: Lookup, program: string, request: MergeRequest): Effect.Effect<Outcome> =>
  orUnavailable(
    Effect.gen(function* () {
      const [from, into] = [yield* lookup.find(program, request.from), yield* lookup.find(program, request.into)]
      if (from === undefined || into === undefined) {
        const unknown = from === undefined ? request.from : request.into
        return (yield* Pair.answered(lookup.deps, request.key)) ?? UnknownMember.notFound(program, unknown)
      }
      return yield* mergeNumbers(lookup, program, from, into, request)
    })
  )

/** Ends a hold that another node asked for. */
const released = (lookup: Lookup, { account, hold, program, seq }: Remote.Release): Effect.Effect<Remote.Holding> =>
  Effect.sync(() => {
    // The owner that held the account may have lost it since, and this one may have loaded it too early.
    if (lookup.isMine(account)) lookup.own(account, program).knows(seq)
    lookup.holds.release(hold)
    return { _tag: "Holding" }
  })

/** Merges on the node that owns `into`; another owner of `from` holds it meanwhile. */
const mergeNumbers = (
  lookup: Lookup,
  program: string,
  from: AccountNumber,
  into: AccountNumber,
  request: MergeRequest
): Effect.Effect<Outcome> => {
  if (!lookup.isMine(into))
    return Remote.call<Outcome>(
      lookup.partitions,
      partitionOf(into),
      { type: "merge", program, from, into, request },
      Effect.suspend(() => mergeNumbers(lookup, program, from, into, request))
    )
  return Merging.merge(lookup.deps, sideOf(lookup, program, from), sideOf(lookup, program, into), request)
}

/** An account that this node can hold. */
const sideOf = (lookup: Lookup, program: string, number: AccountNumber): MergeHolds.Side => {
  const { deps, partitions } = lookup
  return lookup.isMine(number)
    ? MergeHolds.ofOwn(lookup.own(number, program))
    : MergeHolds.ofOther({ account: deps, partitions, released: (asked) => released(lookup, asked) }, number, program)
}

/** The members of a move, as they stand for the ids of its request. */
const sidesOfMove = Effect.fnUntraced(function* (lookup: Lookup, program: string, { from, into }: MoveRequest) {
  const leaving = yield* read(lookup, program, from)
  if (leaving === undefined) return UnknownMember.notFound(program, from)
  if (leaving._tag !== "Resident") return leaving
  const taking = yield* read(lookup, program, into)
  if (taking === undefined) return UnknownMember.notFound(program, into)
  return taking._tag === "Resident" ? ({ _tag: "Sides", leaving, taking } as const) : taking
})

const moveOrder = (lookup: Lookup, program: string, request: MoveRequest): Effect.Effect<Outcome> =>
  orUnavailable(
    Effect.gen(function* () {
      const sides = yield* sidesOfMove(lookup, program, request)
      if (sides._tag !== "Sides") return (yield* Pair.answered(lookup.deps, request.key)) ?? sides
      return yield* moveNumbers(lookup, program, sides.leaving.account, sides.taking.account, request)
    })
  )

/** Moves on the node that owns `into`, as a merge does. */
const moveNumbers = (
  lookup: Lookup,
  program: string,
  from: AccountNumber,
  into: AccountNumber,
  request: MoveRequest
): Effect.Effect<Outcome> => {
  if (!lookup.isMine(into))
    return Remote.call<Outcome>(
      lookup.partitions,
      partitionOf(into),
      { type: "move", program, from, into, request },
      Effect.suspend(() => moveNumbers(lookup, program, from, into, request))
    )
  return Moving.move(lookup.deps, sideOf(lookup, program, from), sideOf(lookup, program, into), request)
}

const foreseeMove = Effect.fnUntraced(function* (lookup: Lookup, programId: string, request: MoveRequest) {
  const sides = yield* sidesOfMove(lookup, programId, request)
  const program = lookup.deps.programOf(programId)
  if (sides._tag !== "Sides") return sides
  if (program === undefined) return UnknownMember.notFound(programId, request.from)
  return yield* orUnavailable(Moving.foresee(lookup.deps, program, sides.leaving, sides.taking, request))
})

const foreseeMerge = Effect.fnUntraced(function* (lookup: Lookup, programId: string, from: string, into: string) {
  const leaving = yield* read(lookup, programId, from, true)
  const taking = yield* read(lookup, programId, into, true)
  const program = lookup.deps.programOf(programId)
  if (leaving === undefined || program === undefined) return UnknownMember.notFound(programId, from)
  if (taking === undefined) return UnknownMember.notFound(programId, into)
  if (leaving._tag !== "Resident") return leaving
  if (taking._tag !== "Resident") return taking
  return Merging.foresee(lookup.deps, program, leaving, taking)
})

const wake = (lookup: Lookup, number: AccountNumber): Effect.Effect<Outcome> =>
  Effect.map(
    executeOn(lookup, number, () => ({ action: { type: "expire" }, guards: {} })),
    (outcome) => outcome ?? refusal("not_found", "There is no such account.")
  )

/** Answers a call of another node; undefined if the account is not this node's. */
const answerOf =
  (lookup: Lookup): AnswerCall =>
  (asked) => {
    switch (asked.type) {
      case "execute":
      case "read": {
        if (!lookup.isMine(asked.account)) return undefined
        const account = lookup.own(asked.account, asked.program)
        account.knows(asked.seq)
        return asked.type === "execute" ? account.execute(asked.command) : account.read(asked.isOfItself)
      }
      case "enroll": {
        const { member, program } = asked.enrolment
        if (member === undefined) throw new Error("an enrolment that another node forwards names its member")
        const identityKey = ClaimKeys.identity(lookup.deps.journal.claimKey, program, asked.enrolment.identity)
        return orUnavailable(enrollNew(lookup, { ...asked.enrolment, member }, identityKey))
      }
      case "merge":
        return lookup.isMine(asked.into)
          ? mergeNumbers(lookup, asked.program, asked.from, asked.into, asked.request)
          : undefined
      case "move":
        return lookup.isMine(asked.into)
          ? moveNumbers(lookup, asked.program, asked.from, asked.into, asked.request)
          : undefined
      case "hold":
        return lookup.isMine(asked.account)
          ? lookup.holds.hold(lookup.own(asked.account, asked.program), asked.hold)
          : undefined
      case "release":
        return released(lookup, asked)
    }
  }

const make = Effect.fnUntraced(function* (options: AccountsOptions) {
  const journal = yield* Journal
  const programs = yield* Programs
  const { now } = yield* serviceTime
  const partitions = yield* Partitions
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
    forward: ({ account, seq }, program, request) => lookup.account(account, program).takeOver(request, seq),
    reroute: (account, program, request) => lookup.account(account, program).takeOver(request, 0),
    mayWrite: options.mayWrite ?? (() => true)
  }
  const directory = new Directory(
    deps,
    options.residentLimit ?? Bounds.residentAccounts,
    options.idleMs ?? Bounds.idleMs
  )
  const lookup = new Lookup(deps, partitions, directory)

  yield* Series.begin(activations)
  yield* Series.gauge("lotbook_accounts_resident", { description: "Accounts in memory" }, () => directory.size)
  yield* Series.gauge(
    "lotbook_accounts_waiting_requests",
    { description: "Requests that wait in the mailboxes of accounts" },
    () => busy.values().reduce((sum, { length }) => sum + length, 0)
  )

  const decorate = yield* Remote.DecorateAnswer
  yield* partitions.answer(Remote.answerText(decorate(answerOf(lookup))))
  yield* partitions.onDrain((given) => directory.drain(({ number }) => given.has(partitionOf(number))))

  return Accounts.of({
    execute: (program, member, command) => execute(lookup, program, member, command),
    executeOn: (account, command, programs) => executeOn(lookup, account, command, programs),
    preview: (program, member, command) => orUnavailable(preview(lookup, program, member, command)),
    enroll: (enrolment) => orUnavailable(enroll(lookup, enrolment)),
    read: (program, member, isOfItself) => read(lookup, program, member, isOfItself),
    readOn: (account, isOfItself) => readOn(lookup, account, isOfItself),
    order: (program, order) =>
      orUnavailable(FoundOrder.find(lookup.deps, (account) => readOn(lookup, account), program, order)),
    orderPlace: (program, order) => orUnavailable(Places.ofOrder(lookup.deps, program, order)),
    reservationPlace: (reservation) => orUnavailable(Places.ofReservation(lookup.deps, reservation)),
    merge: (program, request) => merge(lookup, program, request),
    foreseeMerge: (program, from, into) => foreseeMerge(lookup, program, from, into),
    moveOrder: (program, request) => moveOrder(lookup, program, request),
    foreseeMove: (program, request) => foreseeMove(lookup, program, request),
    wake: (account) => wake(lookup, account),
    resident: () => directory.size,
    seqs: () => directory.seqs(),
    onDue: (listener) => {
      onDue = listener
    }
  })
})

export const layer = (options: AccountsOptions = {}): Layer.Layer<Accounts, never, Journal | Programs> =>
  Layer.effect(Accounts, make(options))
