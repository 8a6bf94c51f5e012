/**
 * Decides an account's commands, one at a time, on the tip: the committed state with the records in flight on top.
 *
 * A decision that writes is submitted (`Submitting`). A refusal is answered after the tables confirm that the state is
 * the newest. `ClaimResolution` says how a command is answered whose claim is taken.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { said } from "../../contract/Said.ts"
import type { ClaimHolder } from "../journal/Records.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Command } from "./Command.ts"
import { decide } from "./domain/Decide.ts"
import { balances, type Decided, type Decision, type Recalled } from "./domain/Decision.ts"
import { nextDueAt } from "./domain/Due.ts"
import { wants } from "./domain/Recall.ts"
import { changedSince, refusal } from "./domain/Refusal.ts"
import { isNamed, mergedAccounts } from "./domain/State.ts"
import type { Guards } from "./Guards.ts"
import { type Outcome, troubleOf, unavailable } from "./Outcome.ts"
import type { RecordPlace } from "./PastRecords.ts"
import * as PastRecords from "./PastRecords.ts"
import type { CommandRequest } from "./Request.ts"
import * as ReservationId from "./ReservationId.ts"
import * as Rows from "./Rows.ts"
import { type AccountParts, needsMember, recordOf, submit } from "./Submitting.ts"

/** Decides a command, or resolves it if a claim of it is taken. Undefined: it is submitted or answered. */
export const consider = (parts: AccountParts, request: CommandRequest): Effect.Effect<void> | undefined => {
  const { once } = request.command.guards
  if (once !== undefined && parts.inFlight.tip.merged.length > 0) return considerOnce(parts, request, once)
  for (const key of ClaimResolution.guardKeys(request.command)) {
    if (parts.inFlight.isClaimed(key)) return afterInFlight(parts, request)
    const holder = parts.deps.recent.holder(key)
    if (holder !== undefined) {
      return parts.inFlight.isEmpty ? resolve(parts, request, holder) : afterInFlight(parts, request)
    }
  }
  return needsMember.has(request.command.action.type) ? considerMember(parts, request) : decideWith(parts, request, {})
}

/** Resolves a command whose key has a record, or that was done for a member which this one contains. */
const considerOnce = (
  parts: AccountParts,
  request: CommandRequest,
  once: NonNullable<Guards["once"]>
): Effect.Effect<void> | undefined => {
  if (!parts.inFlight.isEmpty) return afterInFlight(parts, request)
  const { key } = request.command.guards
  const covered = new Set(once.map(({ account }) => account))
  if (![parts.number, ...mergedAccounts(parts.committed.state)].every((account) => covered.has(account))) {
    request.done({ _tag: "Overloaded" })
    return undefined
  }
  const claims = new Map(once.map((claim) => [claim.key, claim.fingerprint]))
  const asked = parts.deps.journal.holders([...claims.keys()], key?.key)
  return Effect.flatMap(Effect.result(asked), (found) =>
    Effect.suspend(() => {
      if (Result.isFailure(found)) {
        request.done(troubleOf(found.failure))
        return Effect.void
      }
      const holders = found.success
      const ofKey = holders.find((holder) => holder.key === key?.key)
      if (ofKey !== undefined) return resolve(parts, request, ofKey) ?? Effect.void
      const same = holders.find((holder) => claims.get(holder.key) === holder.fingerprint)
      if (same !== undefined) submitSame(parts, request, same, true)
      else if (holders.length > 0) request.done(doneForMerged)
      else return decideWith(parts, request, {}) ?? Effect.void
      return Effect.void
    })
  )
}

/** The member's data is written as a whole, so it must belong to the state that is decided on. */
const considerMember = (parts: AccountParts, request: CommandRequest): Effect.Effect<void> | undefined => {
  if (!parts.inFlight.isEmpty) return afterInFlight(parts, request)
  const { resident } = parts.committed
  const isNewest =
    resident !== undefined && Rows.hasIdentitiesOf(parts.deps.journal.claimKey, resident.state, resident.member)
  // Another owner changed one of them between the two reads.
  if (!isNewest) return Effect.sync(() => reload(parts, request))
  return decideWith(parts, request, {})
}

/** Recalls everything that the action needs, then decides. */
const decideWith = (
  parts: AccountParts,
  request: CommandRequest,
  recalled: Recalled
): Effect.Effect<void> | undefined => {
  const want = wants(parts.inFlight.tip, request.command.action, recalled)
  if (want === undefined) return judge(parts, request, decideOnTip(parts, request.command, recalled))
  if (!parts.inFlight.isEmpty) return afterInFlight(parts, request)
  return Effect.flatMap(Effect.result(PastRecords.recall(parts.deps, ownerOf(parts), want)), (found) =>
    Effect.suspend(() => {
      const elsewhere = Result.isSuccess(found) ? found.success.elsewhere : undefined
      if (elsewhere !== undefined) forwardOrder(parts, request, elsewhere)
      else if (Result.isSuccess(found))
        return decideWith(parts, request, { ...recalled, ...found.success }) ?? Effect.void
      else request.done(troubleOf(found.failure))
      return Effect.void
    })
  )
}

/** Hands a command on an order on to the account that has the order now. Its member's names were checked here. */
const forwardOrder = (parts: AccountParts, request: CommandRequest, to: RecordPlace): void => {
  const { guards } = request.command
  const command = { ...request.command, guards: { ...guards, ...(guards.named && { named: [] }) } }
  parts.deps.forward(to, parts.programId, { ...request, command })
}

const isCountedElsewhere = (account: number, seq: number, { counted }: Command): boolean =>
  counted !== undefined && (counted.account !== account || counted.seq !== seq)

/**
 * True if a decision may bring about more than was counted: rewards of stamp cards and challenges, or gifts of
 * campaigns.
 */
const bringsMore = ({ counted }: Command, decision: Decision): boolean =>
  decision._tag === "NeedsCards" ||
  (decision._tag === "Decided" &&
    (counted?.always === true ||
      decision.events.some(({ type }) => type === "tier_changed" || type === "challenge_completed")))

/** Decides a command on the tip: the state after the records in flight. */
const decideOnTip = (parts: AccountParts, command: Command, recalled?: Recalled): Decision => {
  const { tip } = parts.inFlight
  const program = parts.deps.programOf(parts.programId)
  if (program === undefined) return refusal("not_found", said`There is no programme ${parts.programId}.`)
  const given = {
    now: parts.deps.now(),
    program,
    ...(recalled === undefined ? undefined : { recalled }),
    ...(command.action.type === "reserve" ? { reservation: ReservationId.make(parts.number, tip.seq + 1) } : undefined)
  }
  const decision = decide(tip, command.action, given)
  if (isCountedElsewhere(parts.number, tip.seq + 1, command) && bringsMore(command, decision)) return changedSince
  if (decision._tag !== "NeedsCards") return decision
  return decide(tip, command.action, { ...given, cards: parts.deps.makeCards(decision.count) })
}

const judge = (parts: AccountParts, request: CommandRequest, decision: Decision): Effect.Effect<void> | undefined => {
  switch (decision._tag) {
    case "Decided":
      if (decision.events.length > 0 || decision.reply.type !== "none") {
        // Again: the clock may have jumped before the decision read it.
        if (parts.deps.mayWrite()) submit(parts, request, decision)
        else request.done({ _tag: "Frozen" })
        return undefined
      }
      return nothingChanges(parts, request, decision)
    case "DoneBefore":
      if (!parts.inFlight.isEmpty) return afterInFlight(parts, request)
      submitSame(parts, request, { account: decision.account ?? parts.number, seq: decision.seq })
      return undefined
    case "NeedsCards":
      throw new Error("a decision asked for cards that it was given")
    case "Refusal":
      return confirmed(parts, request, decision)
  }
}

const nothingChanges = (
  parts: AccountParts,
  request: CommandRequest,
  decision: Decided
): Effect.Effect<void> | undefined => {
  const { committed, inFlight } = parts
  const outcome = { _tag: "Answered", record: recordOf(parts.number, committed.state.seq, decision) } as const
  if (request.command.action.type !== "expire" || !inFlight.isEmpty) return confirmed(parts, request, outcome)
  if (!parts.deps.mayWrite()) return void request.done({ _tag: "Frozen" })
  return Effect.flatMap(Effect.result(saveDue(parts)), (saved) => {
    if (Result.isSuccess(saved)) return confirmed(parts, request, outcome)
    request.done(unavailable)
    return Effect.void
  })
}

/** Nothing is due: stores when something will be, because another version of the programme may have computed that. */
const saveDue = ({ committed, deps, number, programId }: AccountParts) => {
  const program = deps.programOf(programId)
  const at = nextDueAt(committed.state, program)
  deps.due(number, at)
  return deps.journal.saveDue(number, { seq: committed.state.seq, version: program?.version ?? 0, at })
}

const confirmed = (parts: AccountParts, request: CommandRequest, outcome: Outcome): Effect.Effect<void> =>
  parts.inFlight.isEmpty ? confirmCurrent(parts, request, outcome) : afterInFlight(parts, request)

/**
 * Checks the tables before a refusal is answered: a refusal writes nothing, so
 * no key exposes a second owner. Checks that no claim of the command is taken
 * (contract/idempotency.md *Precedence of answers*), that the state is the newest, and that the
 * programmes are still in force.
 */
const confirmCurrent = (parts: AccountParts, request: CommandRequest, outcome: Outcome): Effect.Effect<void> => {
  const guarded = ClaimResolution.guarded(request.command)
  const decidedUnder = parts.deps.revision()
  return Effect.flatMap(Effect.result(parts.deps.journal.witness(parts.number, ...guarded)), (asked) =>
    Effect.suspend(() => {
      if (Result.isFailure(asked)) {
        request.done(unavailable)
        return Effect.void
      }
      const holder = ClaimResolution.first(request.command, asked.success.holders)
      if (holder !== undefined) return resolve(parts, request, holder) ?? Effect.void
      if (asked.success.seq > parts.committed.state.seq) reload(parts, request)
      else if (asked.success.revision !== decidedUnder) decideLater(parts, request, decidedUnder)
      else request.done(outcome)
      return Effect.void
    })
  )
}

/** Resolves a command whose claim is taken. Requires: no records in flight. */
const resolve = (
  parts: AccountParts,
  request: CommandRequest,
  holder: ClaimHolder
): Effect.Effect<void> | undefined => {
  parts.deps.recent.holds(holder)
  const resolution = ClaimResolution.resolve(ownerOf(parts), request.command, holder)
  switch (resolution.type) {
    case "reload":
      reload(parts, request)
      return Effect.void
    case "replay":
      return PastRecords.answer(parts.deps, request, resolution, true)
    case "repeat":
      if (request.command.action.type === "accrue") return resolveOrder(parts, request, holder, resolution)
      submitSame(parts, request, resolution, true)
      return undefined
    case "show_reservation":
      return showReservation(parts, request, resolution)
    case "taken":
      request.done({ _tag: "Taken", holder: resolution.holder })
      return undefined
    case "conflict":
      return resolveOrder(parts, request, holder, resolution)
  }
}

/** The order that a command names, if a move of it changes how the command is resolved. */
const orderOf = ({ action }: CommandRequest["command"]): string | undefined => {
  if (action.type === "accrue") return action.order.order_id
  return action.type === "adjust_order" ? action.adjustment.original_order_id : undefined
}

type Resolution = ReturnType<typeof ClaimResolution.resolve>

/**
 * A repeat or a conflict of a command on an order, which may have been moved (contract/operators.md *Moving an order*):
 * then the account that has it now resolves the command, and its record of the move answers a repeated accrual.
 */
const resolveOrder = (
  parts: AccountParts,
  request: CommandRequest,
  holder: ClaimHolder,
  resolution: Extract<Resolution, { readonly type: "repeat" | "conflict" }>
): Effect.Effect<void> => {
  const unmoved = (): Effect.Effect<void> => {
    if (resolution.type === "conflict") return confirmConflict(parts, request, holder, resolution.refusal)
    submitSame(parts, request, resolution, true)
    return Effect.void
  }
  const order = orderOf(request.command)
  if (order === undefined) return unmoved()
  const owner = ownerOf(parts)
  return Effect.flatMap(Effect.result(PastRecords.lastMove(parts.deps, parts.programId, order)), (found) => {
    if (Result.isFailure(found)) return Effect.sync(() => request.done(troubleOf(found.failure)))
    const moved = found.success
    if (moved === undefined) return unmoved()
    if (ClaimResolution.isOwn(owner, moved)) {
      const asBefore = ClaimResolution.resolve({ ...owner, before: moved.event.before }, request.command, holder)
      return Effect.suspend(() => resolveMoved(parts, request, moved, asBefore) ?? unmoved())
    }
    const { named = [] } = request.command.guards
    if (!PastRecords.wasHere(owner, moved) || !named.every((name) => isNamed(owner.state, name))) return unmoved()
    return Effect.sync(() => forwardOrder(parts, request, moved))
  })
}

/** Resolves a command on an order that was moved here. Undefined: as if it was not moved. */
const resolveMoved = (
  parts: AccountParts,
  request: CommandRequest,
  moved: RecordPlace,
  resolution: Resolution
): Effect.Effect<void> | undefined => {
  if (resolution.type === "reload") return Effect.sync(() => reload(parts, request))
  if (resolution.type !== "replay" && resolution.type !== "repeat") return undefined
  const place = request.command.action.type === "accrue" ? moved : resolution
  if (resolution.type === "replay") return PastRecords.answer(parts.deps, request, place, true)
  return Effect.sync(() => submitSame(parts, request, place, true))
}

/**
 * Refuses a command whose claim is taken with other facts. Before that it looks for the idempotency key's record,
 * which takes precedence, and for merges that another owner has written: they change whom a member id stands for.
 */
const confirmConflict = (
  parts: AccountParts,
  request: CommandRequest,
  { key: taken }: ClaimHolder,
  outcome: Outcome
): Effect.Effect<void> => {
  const { key } = request.command.guards
  const asked = parts.deps.journal.witness(parts.number, [], key?.key === taken ? undefined : key?.key)
  return Effect.flatMap(Effect.result(asked), (found) => {
    if (Result.isFailure(found)) {
      request.done(unavailable)
      return Effect.void
    }
    const { holders, seq } = found.success
    if (holders[0] !== undefined) return resolve(parts, request, holders[0]) ?? Effect.void
    if (seq > parts.committed.state.seq) reload(parts, request)
    else request.done(outcome)
    return Effect.void
  })
}

const reload = (parts: AccountParts, request: CommandRequest): void => {
  parts.committed.invalidate()
  parts.mailbox.putBack([request])
}

/** The programmes have changed since the refusal was decided: decide again with the new ones. */
const decideLater = (parts: AccountParts, request: CommandRequest, decidedUnder: number): void => {
  parts.outdated = decidedUnder
  request.tries--
  parts.mailbox.putBack([request])
}

/** Answers a repeated redemption with the present state of its reservation. */
const showReservation = (
  parts: AccountParts,
  request: CommandRequest,
  { account, seq }: RecordPlace
): Effect.Effect<void> => {
  const { business: _, further: __, ...guards } = request.command.guards
  return Effect.flatMap(Effect.result(PastRecords.read(parts.deps, account, seq)), (found) =>
    Effect.suspend(() => {
      if (Result.isFailure(found)) {
        request.done(troubleOf(found.failure))
        return Effect.void
      }
      const { reply } = found.success
      if (reply.type !== "reservation") throw new Error("a redemption's record answers with its reservation")
      const action = { type: "find_reservation", reservation: reply.reservation.reservation } as const
      return decideWith(parts, { ...request, command: { ...request.command, action, guards } }, {}) ?? Effect.void
    })
  )
}

/**
 * Records the key with a `same` reply, which stands for an earlier record's reply. `isRepeat`: its business identifier
 * is repeated, so the answer has the balances of now. Everything due is posted first, because events cannot be dated
 * before this record later.
 */
const submitSame = (
  parts: AccountParts,
  request: CommandRequest,
  { account, seq }: RecordPlace,
  isRepeat = false
): void => {
  const due = decideOnTip(parts, { action: { type: "expire" }, guards: {} })
  if (due._tag === "Refusal") return request.done(due)
  const program = parts.deps.programOf(parts.programId)
  if (due._tag !== "Decided" || program === undefined) throw new Error("what is due is always decided")
  const elsewhere = account === parts.number ? undefined : { account }
  const figures = isRepeat ? { balances: balances(due.state, program) } : undefined
  submit(parts, request, { ...due, reply: { type: "same", seq, ...elsewhere, ...figures } }, true)
}

const ownerOf = ({ committed, number, programId }: AccountParts) => ({ number, programId, state: committed.state })

/** Serves the request after all records in flight are answered. */
const afterInFlight = (parts: AccountParts, request: CommandRequest): Effect.Effect<void> => {
  parts.mailbox.putBack([request])
  request.tries--
  return parts.inFlight.empty
}

const doneForMerged = refusal("conflict", "It was done before for a member that was merged into this one.")
