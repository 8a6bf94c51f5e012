/**
 * The operators' use cases on one member, without HTTP. The routes of
 * `/admin/api/v1/members/{program_id}/{member_id}` and the commands
 * `lotbook members` call them (contract/operators.md *One member*).
 */
import { Effect } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import type {
  Adjusted,
  Adjustment,
  Foreseen,
  IdentitiesChange,
  Issued,
  MemberOnly,
  MemberShown,
  Reward,
  RewardCancellation,
  StatusChange
} from "../../contract/admin/Members.ts"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import { operations } from "../../contract/protocol/Operations.ts"
import type { Balance } from "../../contract/protocol/Resources.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { balancesAt } from "../../core/account/BalanceAt.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Action } from "../../core/account/domain/Action.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { IssuedReward, State } from "../../core/account/domain/State.ts"
import { isOwn } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import type { Outcome, Resident } from "../../core/account/Outcome.ts"
import type { AuditEntry } from "../../core/journal/Audit.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Identity } from "../../core/journal/Records.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Answer } from "../../core/protocol/Handler.ts"
import * as IssuedRewards from "../../core/protocol/IssuedRewards.ts"
import * as Ledger from "../../core/protocol/Ledger.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import * as Writes from "../../core/protocol/Writes.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { orUnavailable, refuse, refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Reached from "../segments/Reached.ts"
import type { Answered } from "./Gifts.ts"
import { ended, foreseenGift, given } from "./Gifts.ts"
import * as Lots from "./Lots.ts"
import * as ProfileStore from "./ProfileStore.ts"
import * as RestaurantGuest from "./RestaurantGuest.ts"

/** The name of a member. */
export interface Named {
  readonly program_id: string
  readonly member_id: string
}

/** A member at an instant. Everything due by then is applied. */
export interface Seen {
  readonly resident: Resident
  readonly state: State
  readonly program: Program
  readonly at: number
}

/** Sorts facts as the operation's schema does, so that they equal a decoded request of the transaction contract. */
const inOrder = <A extends object>(operation: OperationId, facts: A): A => {
  const sent = new Map<string, unknown>(Object.entries(facts))
  const names = Object.keys(operations[operation].request.fields).filter((name) => sent.get(name) !== undefined)
  return Object.assign({}, ...names.map((name) => ({ [name]: sent.get(name) })))
}

/** The result of a write. `created`: false for a repeated business identifier, which changes nothing more. */
export interface Done<Body> {
  readonly body: Body
  readonly created: boolean
}

/** The parts that the use cases need. */
export const needed = Effect.all({
  accounts: Accounts,
  given: Given.make,
  reached: Reached.make,
  journal: Journal,
  people: PeoplePool,
  programs: Programs,
  writes: Writes.make,
  time: serviceTime,
  clock: machineTime
})
export type Parts = Effect.Success<typeof needed>

export const see = Effect.fnUntraced(function* (parts: Parts, { member_id, program_id }: Named) {
  const program = yield* Visible.known(parts.programs, program_id)
  const resident = yield* memberOf(parts.accounts, program_id, member_id, true)
  const at = Math.max(parts.time.now(), resident.state.at)
  return { resident, program, at, state: view(resident.state, program, at) } satisfies Seen
})

const memberShown = ({ at, program, resident, state }: Seen) => ({
  ...Render.member(ownerOf(resident), state, resident.member, Metrics.tierOf(state, program, at)?.tier_id),
  merged_into: state.mergedInto?.member
})

/** A reward without its code, which redeems it. */
export const walletReward = <Status extends IssuedReward["status"]>(
  owner: Render.Owner,
  reward: IssuedReward & { readonly status: Status }
) => {
  const { artifact: _, ...shown } = Render.issuedReward(owner, reward)
  return shown
}

export const show = Effect.fnUntraced(function* (parts: Parts, named: Named) {
  const seen = yield* see(parts, named)
  const { at, program, resident, state } = seen
  const owner = ownerOf(resident)
  const stored = yield* ProfileStore.find(parts.people.query, resident.account)
  const accounts = [resident.account, ...state.merged.map(({ account }) => account)]
  const leavesAt = yield* ProfileStore.leavesAt(parts.people.query, accounts)
  const lots = yield* orUnavailable(Lots.shown(parts.journal, resident.account, state, program))
  const held = state.reservations.filter(({ status }) => status === "reserved")
  const usable = state.rewards.filter(isOwn).filter(({ status }) => status === "issued")
  return Render.present<typeof MemberShown.Type>({
    member: memberShown(seen),
    balances: Render.balances(owner, state, program, at),
    metrics: Render.metrics(state, program, at),
    tier_progress: Render.tierProgress(state, program, at),
    lots,
    reservations: held.map((hold) => Render.reservation(owner, hold)),
    issued_rewards: usable.map((reward) => walletReward(owner, reward)),
    profile: stored === undefined ? undefined : ProfileStore.profileShown(stored),
    consent: stored === undefined || stored.consents.length === 0 ? undefined : ProfileStore.consentsShown(stored),
    leaves_at: leavesAt === undefined ? undefined : fromMillis(leavesAt)
  })
})

const balance = Effect.fnUntraced(function* (parts: Parts, named: Named, at: string | undefined) {
  const { at: now, program, resident } = yield* see(parts, named)
  const instant = at === undefined ? now : toMillis(at)
  const figures = yield* orUnavailable(balancesAt(parts.journal, resident, program, instant))
  if (figures === undefined)
    return yield* refuse("not_found", said`${named.member_id} was no member yet at ${fromMillis(instant)}.`)
  const owner = ownerOf(resident)
  return { balances: figures.map((one) => Render.present<typeof Balance.Type>(Render.balance(owner, one, instant))) }
})

/** An outcome as the transaction contract's response. */
const recorded = Effect.fnUntraced(function* <Body extends object>(
  { writes }: Parts,
  body: (told: Render.Told) => Body,
  outcome: Outcome
): Effect.fn.Return<Answer<Body>, Refused> {
  const handled = yield* writes.rendered(body, outcome)
  return handled._tag === "Answer" ? handled : yield* refusedBy(handled)
})

const command = (
  action: Action,
  guards: Command["guards"],
  audit: AuditEntry,
  identities?: ReadonlyArray<Identity>
): Command => ({
  action,
  guards,
  audit,
  actor: audit.actor.name,
  origin: audit.requestId,
  ...(identities === undefined ? undefined : { identities })
})

const entryOf = (
  { member_id, program_id }: Named,
  action: string,
  facts: Omit<Audit.AuditFacts, "action" | "subject" | "programId">
) => Audit.entryOf({ ...facts, action, subject: { type: "member", id: member_id }, programId: program_id })

/** The member that a command changes: for a merged member, the remaining one. */
const heirOf = Effect.fnUntraced(function* ({ accounts }: Parts, { member_id, program_id }: Named) {
  const found = yield* accounts.read(program_id, member_id)
  return found?._tag === "Resident" ? { program_id, member_id: found.state.member } : { program_id, member_id }
})

/** The restaurant of an adjustment: of a limited caller one of today's, and the only one where none is asked for. */
const locationOf = Effect.fnUntraced(function* ({ time }: Parts, { zone }: Program, asked: string | undefined) {
  const { restaurants } = yield* CurrentCaller
  if (restaurants === undefined) return asked
  const today = fromMillis(dateAt(zone, time.now())).slice(0, 10)
  if (asked !== undefined)
    return restaurants.has(asked, today)
      ? asked
      : yield* refuse("forbidden", "The caller is limited to other restaurants.", [
          { path: "/location_id", message: "is not of a restaurant of the caller" }
        ])
  const [own, ...others] = [...restaurants.spans.keys()].filter((id) => restaurants.has(id, today))
  if (own !== undefined && others.length === 0) return own
  return yield* refuseFaults([
    { path: "/location_id", message: "is required: the caller has not exactly one restaurant" }
  ])
})

const adjust = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  { dry_run = false, known_by, ...sent }: typeof Adjustment.Type
): Effect.fn.Return<Done<typeof Adjusted.Type | typeof Foreseen.Type>, Refused, CurrentCaller> {
  const { member_id, program_id } = named
  const program = yield* Visible.known(parts.programs, program_id)
  yield* RestaurantGuest.mustSee(parts, program, member_id, known_by)
  const location_id = yield* locationOf(parts, program, sent.location_id)
  const adjustment = { ...sent, ...(location_id === undefined ? undefined : { location_id }) }
  const { amount, reason } = adjustment
  const facts = {
    ...inOrder("ledger.manual_adjustment", { ...adjustment, member_id, program_id }),
    ...(location_id === undefined ? undefined : { location_id })
  }
  const { action, guards } = Ledger.adjusting(parts.writes, facts)
  const changes = Audit.changesOf(undefined, { ...adjustment, reason: undefined })
  const audit = yield* entryOf(yield* heirOf(parts, named), "member.adjust", { changes, reason })
  const asked = command(action, guards, audit)
  const id = [guards.business.key, guards.business.fingerprint]
  const gift = { program, id, ...nothing, points: Math.abs(amount) }
  if (dry_run) {
    yield* parts.given.foreseen((yield* foreseenGift(parts, named, gift, asked)).gift)
    const foreseen = yield* parts.accounts.preview(program_id, member_id, asked)
    const { body } = yield* recorded(parts, Render.entriesBody, foreseen)
    return { created: false, body: Render.present<typeof Foreseen.Type>({ dry_run: true, ...body }) }
  }
  const { body, created } = yield* recorded(parts, Render.entriesBody, yield* given(parts, named, gift, asked))
  return { created, body: Render.present<typeof Adjusted.Type>(body) }
})

const issue = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  { reason, ...reward }: typeof Reward.Type
): Effect.fn.Return<Done<typeof Issued.Type>, Refused, CurrentCaller> {
  const { member_id, program_id } = named
  const program = yield* Visible.known(parts.programs, program_id)
  if (reason === undefined && (yield* CurrentCaller).kind === "user")
    return yield* refuseFaults([{ path: "/reason", message: "is required where a person issues" }])
  const facts = inOrder("issued_reward.issue", { ...reward, member_id, program_id })
  const { action, guards } = IssuedRewards.issuing(parts.writes, facts)
  const changes = Audit.changesOf(undefined, reward)
  const audit = yield* entryOf(yield* heirOf(parts, named), "member.reward.issue", { changes, reason })
  const gift = { program, id: [guards.business.key, guards.business.fingerprint], ...nothing, rewards: 1 }
  const asked = command(action, guards, audit)
  const { body, created } = yield* recorded(parts, Render.rewardBody, yield* given(parts, named, gift, asked))
  return { created, body: Render.present<typeof Issued.Type>(body) }
})

/** Cancels a wallet reward. Returns the account's answer: the earlier one if it was cancelled before. */
const cancel = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  issued_reward_id: string,
  reason: string,
  isTakenBack: boolean
): Effect.fn.Return<Answered, Refused, CurrentCaller> {
  const { program, state } = yield* see(parts, named)
  const isOpen = state.rewards.some(({ issued, status }) => issued === issued_reward_id && status === "issued")
  const changes = Audit.changesOf(undefined, { issued_reward_id })
  const audit = yield* entryOf(yield* heirOf(parts, named), "member.reward.cancel", { changes, reason })
  const action: Action = { type: "cancel_reward", issued: issued_reward_id, reason, isTakenBack }
  const gift = { program, id: ["cancel", issued_reward_id], ...nothing, rewards: isOpen ? 1 : 0 }
  const settled = (answered: Answered) => ({ isNew: hasCancelled(answered) })
  return yield* parts.given.within(gift, settled, carriedOut(parts, named, command(action, {}, audit)))
})

/** False if the reward was cancelled before. */
const hasCancelled = ({ isEarlier, record }: Answered): boolean =>
  isEarlier !== true && record.events.some(({ type }) => type === "reward_cancelled")

const cancelReward = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  issued_reward_id: string,
  { reason }: typeof RewardCancellation.Type
): Effect.fn.Return<typeof Issued.Type, Refused, CurrentCaller> {
  const answered = yield* cancel(parts, named, issued_reward_id, reason, false)
  return Render.present<typeof Issued.Type>((yield* recorded(parts, Render.rewardBody, answered)).body)
})

/** Cancels a reward that was issued by mistake, of a suspended member, too. False if it was cancelled before. */
const takeBack = (parts: Parts, named: Named, issued_reward_id: string, reason: string) =>
  Effect.map(cancel(parts, named, issued_reward_id, reason, true), hasCancelled)

/** Executes a command. Any other outcome than an answer is a failure. */
const carriedOut = ({ accounts }: Parts, { member_id, program_id }: Named, asked: Command) =>
  Effect.flatMap(accounts.execute(program_id, member_id, asked), (outcome) =>
    outcome._tag === "Answered" ? Effect.succeed(outcome) : Effect.fail(refusedBy(outcome))
  )

/** Changes the member, and returns it afterwards. `isEnding`: its points and rewards end, and count. */
const change = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  asked: Command,
  isEnding = false
): Effect.fn.Return<typeof MemberOnly.Type, Refused, CurrentCaller> {
  if (isEnding) {
    const executed = (counted: Command["counted"]) =>
      parts.accounts.execute(named.program_id, named.member_id, { ...asked, counted })
    yield* ended(parts.given, see(parts, named), (counted) => Effect.succeed(executed(counted)))
  } else yield* carriedOut(parts, named, asked)
  return Render.present<typeof MemberOnly.Type>({ member: memberShown(yield* see(parts, named)) })
})

const setStatus = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  { reason, status }: typeof StatusChange.Type
): Effect.fn.Return<typeof MemberOnly.Type, Refused, CurrentCaller> {
  const before = yield* see(parts, named)
  const changes = { before: { status: before.state.status }, after: { status } }
  const audit = yield* entryOf(named, "member.status", { changes, reason })
  return yield* change(parts, named, command({ type: "set_status", status, reason }, {}, audit), status === "closed")
})

const setIdentities = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  { add = [], remove = [] }: typeof IdentitiesChange.Type
): Effect.fn.Return<typeof MemberOnly.Type, Refused, CurrentCaller> {
  const keys = (all: ReadonlyArray<Identity>) =>
    all.map((identity) => ClaimKeys.identity(parts.journal.claimKey, named.program_id, identity))
  const action = { type: "change_identities", add: keys(add), remove: keys(remove) } as const
  const faults = identityFaults(action)
  if (faults.length > 0) return yield* refuseFaults(faults)
  const { resident } = yield* see(parts, named)
  // Only counts and types: a value is personal data, and its hash can be guessed.
  const types = (all: ReadonlyArray<Identity>) => all.map(({ type }) => type)
  const changes = {
    before: { identities: resident.member.identities.length },
    after: { added: types(add), removed: types(remove) }
  }
  const audit = yield* entryOf(named, "member.identities", { changes })
  return yield* change(parts, named, command(action, {}, audit, add))
})

/** The faults of a change of identities as a whole. */
const identityFaults = ({
  add,
  remove
}: {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}): ReadonlyArray<{ readonly path: string; readonly message: string }> => {
  if (add.length + remove.length === 0) return [{ path: "", message: "must add or remove an identity" }]
  return remove.flatMap((key, index) =>
    add.includes(key) ? [{ path: `/remove/${index}`, message: "must not be added and removed at once" }] : []
  )
}

export const make = Effect.map(needed, (parts) => ({
  show: (named: Named) => show(parts, named),
  balance: (named: Named, at: string | undefined) => balance(parts, named, at),
  adjust: (named: Named, adjustment: typeof Adjustment.Type) => adjust(parts, named, adjustment),
  issue: (named: Named, reward: typeof Reward.Type) => issue(parts, named, reward),
  cancelReward: (named: Named, issued_reward_id: string, asked: typeof RewardCancellation.Type) =>
    cancelReward(parts, named, issued_reward_id, asked),
  takeBack: (named: Named, issued_reward_id: string, reason: string) =>
    takeBack(parts, named, issued_reward_id, reason),
  setStatus: (named: Named, asked: typeof StatusChange.Type) => setStatus(parts, named, asked),
  setIdentities: (named: Named, asked: typeof IdentitiesChange.Type) => setIdentities(parts, named, asked)
}))
