/**
 * Submits the records of an account's decisions to the journal, and handles its answers: a committed record becomes
 * the committed state and answers its command; a rejected one takes its successors with it, to be decided again.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { AppendOutcome, Claim, ClaimHolder, MemberRow, ProfileChange } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Recorded } from "./Codec.ts"
import type { Command } from "./Command.ts"
import type { Committed } from "./Committed.ts"
import type { Action, CardReward } from "./domain/Action.ts"
import type { Decided } from "./domain/Decision.ts"
import { refusal } from "./domain/Refusal.ts"
import { isErased, mergedAccounts } from "./domain/State.ts"
import type { Guards } from "./Guards.ts"
import type { InFlight, Submitted } from "./InFlight.ts"
import type { Mailbox } from "./Mailbox.ts"
import { unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"
import * as Record from "./Record.ts"
import type { CommandRequest, Request } from "./Request.ts"
import * as Rows from "./Rows.ts"

/** The parts of one account's actor. `Account` serves its requests, `Deciding` decides them, `Submitting` records them. */
export interface AccountParts {
  readonly number: number
  readonly programId: string
  readonly deps: AccountDeps
  readonly committed: Committed
  readonly inFlight: InFlight
  readonly mailbox: Mailbox<Request>
  /** A revision of the programmes that is not in force any more. The next decision must use a newer one. */
  outdated: number | undefined
}

/** From here on the account refuses nothing: the journal's outcome decides. */
export const submit = (
  parts: AccountParts,
  request: CommandRequest,
  decision: Decided,
  hasEarlierReply = false
): void => {
  const { guards } = request.command
  const record = Record.make(parts.deps.journal.claimKey, decision, {
    account: parts.number,
    before: parts.inFlight.tip,
    previous: parts.inFlight.tipHash,
    program: parts.deps.programOf(parts.programId),
    revision: parts.deps.revision(),
    claims: hasEarlierReply ? keyOf(guards) : claimsOf(parts, guards, decision.cards),
    actor: request.command.actor,
    origin: request.command.origin,
    audit: hasEarlierReply ? undefined : request.command.audit,
    opens: parts.committed.opens,
    member: memberAfter(parts, request.command, decision),
    profile: hasEarlierReply ? undefined : profileChange(parts, request.command, decision.state.seq)
  })
  const recorded = recordOf(parts.number, record.seq, decision)
  const submitted: Submitted = { request, state: decision.state, record, recorded, hasEarlierReply }
  parts.inFlight.add(submitted)
  parts.deps.journal.submit(record, (outcome) => answered(parts, submitted, outcome))
}

/** The member's data if the decision changes it. Requires: no records in flight, so that the data is the newest. */
const memberAfter = (
  parts: AccountParts,
  { action, attributes, identities = [] }: Command,
  { events, state }: Decided
): MemberRow | undefined => {
  const { resident } = parts.committed
  if (!needsMember.has(action.type) || resident === undefined) return undefined
  if (isErased(state)) return { identities: [] }
  const changed = Rows.memberAfter(parts.deps.journal.claimKey, resident.state, resident.member, events, identities)
  return attributes === undefined ? changed : Rows.withAttributes(changed ?? resident.member, attributes)
}

/** An erasure includes all accounts that were merged into this one. A member that was found is answered as it is now. */
const profileChange = (parts: AccountParts, { action, profile }: Command, seq: number): ProfileChange | undefined => {
  const { resident } = parts.committed
  if (action.type === "find_member" && resident !== undefined) return { type: "shown", seq, member: resident.member }
  if (action.type !== "erase") return profile
  return { type: "erase", reason: action.reason, merged: mergedAccounts(parts.committed.state) }
}

/** Everything that a record claims. */
const claimsOf = (parts: AccountParts, guards: Guards, cards: ReadonlyArray<CardReward>): ReadonlyArray<Claim> => {
  const { business, further = [] } = guards
  const { claimKey } = parts.deps.journal
  return [
    ...keyOf(guards),
    ...(business === undefined ? [] : [business]),
    ...further,
    ...cards.flatMap((card) => ClaimKeys.claimsOfCard(claimKey, parts.programId, card))
  ]
}

const answered = (parts: AccountParts, submitted: Submitted, outcome: AppendOutcome): void => {
  try {
    parts.inFlight.remove(submitted)
    if (outcome._tag === "committed") onCommitted(parts, submitted)
    else onRejected(parts, submitted, outcome)
  } catch (defect) {
    parts.deps.fork(stopped(parts, [submitted.request], Cause.die(defect)))
    parts.inFlight.reject()
  }
  if (parts.inFlight.isEmpty) onEmpty(parts)
}

/** Answers outside the mailbox, and passes a defect on to the caller, because the mailbox does not see it. */
const forkAnswer = (parts: AccountParts, request: CommandRequest, answer: Effect.Effect<void>): void => {
  parts.deps.fork(
    Effect.catchCause(answer, (cause) =>
      Effect.sync(() => {
        if (Cause.hasInterruptsOnly(cause)) request.done(unavailable)
        else request.broke(cause)
      })
    )
  )
}

const onCommitted = (parts: AccountParts, { record, recorded, hasEarlierReply, request, state }: Submitted): void => {
  const { account, seq } = record
  const { due, recent } = parts.deps
  parts.committed.advance(state, record.hash, record.member)
  for (const { fingerprint, key } of record.claims) recent.holds({ key, fingerprint, account, seq })
  recent.keep(record)
  due(parts.number, record.totals.nextDue)
  if (hasEarlierReply) forkAnswer(parts, request, PastRecords.answer(parts.deps, request, record))
  else request.done({ _tag: "Answered", record: recorded, resident: parts.committed.resident })
  parts.committed.snapshotIfDue()
}

const onRejected = (
  parts: AccountParts,
  { record, request }: Submitted,
  outcome: Exclude<AppendOutcome, { readonly _tag: "committed" }>
): void => {
  parts.inFlight.reject()
  switch (outcome._tag) {
    case "taken":
      return onTaken(parts, request, outcome.holder)
    case "stale":
      parts.committed.invalidate()
      return parts.inFlight.retryLater(request)
    case "outdated":
      parts.outdated = record.revision
      request.tries--
      return parts.inFlight.retryLater(request)
    case "superseded":
      // The record itself was not checked, so this is not counted as a try.
      request.tries--
      return parts.inFlight.retryLater(request)
    case "frozen":
      return request.done({ _tag: "Frozen" })
    case "overloaded":
      return request.done({ _tag: "Overloaded" })
    case "in_doubt":
      parts.committed.invalidate()
      // The record may have changed what falls due, so the scheduler must read the journal.
      parts.deps.due(parts.number, parts.deps.now())
      return request.done(unavailable)
    case "unavailable":
      return request.done(unavailable)
  }
}

const onTaken = (parts: AccountParts, request: CommandRequest, holder: ClaimHolder): void => {
  const { command } = request
  // Not kept in `recent`, because an identity can be removed later.
  if (command.action.type === "enroll" && command.action.identity === holder.key)
    return request.done({ _tag: "Taken", holder })
  if (isIdentityOf(command.action, holder.key))
    return onIdentityTaken(parts, request, holder, "Another member has the identity.")
  if (isExternalOf(command.action, holder.key))
    return onIdentityTaken(parts, request, holder, "Another member has the external_id.")
  parts.deps.recent.holds(holder)
  if (ClaimResolution.guardKeys(command).includes(holder.key)) parts.inFlight.retryLater(request)
  else if (command.action.type === "enroll") request.done({ _tag: "Taken", holder })
  else request.done(ClaimResolution.valueTaken)
}

/** Refuses if another account has the identity. If this account has it, another owner added it: load and decide again. */
const onIdentityTaken = (parts: AccountParts, request: CommandRequest, holder: ClaimHolder, detail: string): void => {
  if (holder.account !== parts.number) return request.done(refusal("conflict", detail))
  parts.committed.invalidate()
  parts.inFlight.retryLater(request)
}

/** No record is in flight any more. Commands of rejected records are decided again, on the committed state. */
const onEmpty = (parts: AccountParts): void => {
  if (parts.inFlight.isRejected) {
    parts.mailbox.putBack(parts.inFlight.restart(parts.committed.state, parts.committed.hash))
  }
  if (!parts.inFlight.notifyEmpty()) parts.mailbox.wake()
}

/** Fails the requests with the cause. Later requests load the account from the journal. An interruption means that the service closes. */
export const stopped = (
  parts: AccountParts,
  requests: ReadonlyArray<Request>,
  cause: Cause.Cause<never>
): Effect.Effect<void> => {
  parts.committed.invalidate()
  if (!parts.inFlight.isEmpty) parts.inFlight.reject()
  if (Cause.hasInterruptsOnly(cause)) {
    for (const request of requests) request.done(unavailable)
    return Effect.void
  }
  for (const request of requests) request.broke(cause)
  return Effect.logError(`Account ${parts.number} stopped on a defect`, cause)
}

/** The actions that write or keep the member's data as a whole. */
export const needsMember: ReadonlySet<Action["type"]> = new Set([
  "change_identities",
  "change_profile",
  "erase",
  "find_member",
  "move_in"
])

const isIdentityOf = (action: Action, key: string): boolean =>
  (action.type === "change_identities" && action.add.includes(key)) ||
  (action.type === "move_in" && action.identities.includes(key))

const isExternalOf = (action: Action, key: string): boolean =>
  (action.type === "enroll" || action.type === "change_profile" || action.type === "move_in") && action.external === key

/**
 * The idempotency key. Beside a business id it has an end: that id is held for good (contract/idempotency.md *Keys*). An older
 * node's forwarded command does not say so.
 */
const keyOf = ({ business, key }: Guards): ReadonlyArray<Claim> => {
  if (key === undefined) return []
  return [business === undefined || key.hasEnd === true ? key : { ...key, hasEnd: true }]
}

export const recordOf = (account: number, seq: number, { at, events, reply }: Decided): Recorded => ({
  account,
  seq,
  at,
  events,
  reply
})
