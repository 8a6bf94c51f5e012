/**
 * Grants of a campaign: an issued reward or a credit, by the use cases of the
 * transaction contract. A grant's id is derived from campaign, run key and member, or from
 * campaign and event, so a repeated grant is a replay of the first (contract/engagement.md *Runs*, *Triggers*).
 */
import { Effect } from "effect"
import type { CampaignAction } from "../../contract/platform/Campaigns.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { fromMillis, maxReasonLength } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import { mergedAccounts } from "../../core/account/domain/State.ts"
import type { Trouble } from "../../core/account/Outcome.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import type { Caller, Handled } from "../../core/protocol/Handler.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import { later } from "../../core/rules/Expiration.ts"
import type { StoredEvent } from "./EventStore.ts"
import type { Done, StoredRun, Target } from "./RunStore.ts"

/** A run, with the settings of its campaign. */
export interface GrantContext {
  readonly run: StoredRun
  readonly program: string
  readonly holdoutPercent: number
}

/** The id of a member's grant in a run's scope: of the issued reward, or of the adjustment. */
export const idOf = (
  claimKey: ClaimKey,
  { campaign, key }: Pick<StoredRun, "campaign" | "key">,
  account: number
): string => {
  const scope = key === undefined ? "once" : `key ${key}`
  return `cmp_${claimKey("campaign", campaign, scope, String(account)).replaceAll("-", "")}`
}

/** Number of equal shares that hashes are divided into: each is 0.01 % of the members. */
const shares = 10_000

/** True if a member is held out, which is the same in every run of a campaign. `percent`: 0 to 100. */
export const isHeldOut = (claimKey: ClaimKey, campaign: string, account: number, percent: number): boolean => {
  const hash = claimKey("campaign holdout", campaign, String(account)).slice(0, 8)
  return Number.parseInt(hash, 16) % shares < percent * (shares / 100)
}

const millisPerSecond = 1_000

const partsOf = Effect.gen(function* () {
  const { claimKey, holders } = yield* Journal
  return { accounts: yield* Accounts, handlers: yield* Handlers, claimKey, holders }
})

/** The parts of grants. */
type Parts = Effect.Success<typeof partsOf>

export const make = Effect.map(partsOf, (parts) => ({
  grant: (context: GrantContext, target: Target) => grant(parts, context, target),
  granted: (context: GrantContext, targets: ReadonlyArray<Target>) => granted(parts, context, targets),
  test: (given: Parameters<typeof test>[1], member: string) => test(parts, given, member),
  contained: (program: string, member: string) => contained(parts, program, member),
  grantFor: (event: StoredEvent, receiver: Receiver) => grantFor(parts, event, receiver),
  receivers: (events: ReadonlyArray<StoredEvent>) => receivers(parts, events)
}))

const claimBy = ({ claimKey }: Parts, id: string, action: CampaignAction, program: string) =>
  action.credit === undefined ? ClaimKeys.issuedReward(claimKey, id) : ClaimKeys.adjustment(claimKey, program, id)

/** The claim of an account's grant in a run's scope. */
const claimOf = (parts: Parts, run: StoredRun, program: string, account: number) =>
  claimBy(parts, idOf(parts.claimKey, run, account), run.action, program)

/** The gift. All of it but the member is stored, so a repeated grant has equal facts. */
interface Grant {
  /** Of the issued reward, or of the adjustment. */
  readonly id: string
  readonly requestId: string
  readonly campaign: string
  readonly program: string
  readonly action: CampaignAction
  /** The instant from which it counts, ms. */
  readonly at: number
  readonly once?: NonNullable<Caller["once"]>
  /** A test to one member: marked so in the ledger. */
  readonly isTest?: boolean
}

/** Issues the reward or posts the credit. */
const carryOut = (
  { handlers }: Parts,
  { action: { credit, issue_reward: reward }, at, campaign, id, isTest = false, once, program, requestId }: Grant,
  member: string
): Effect.Effect<Handled> => {
  const context = {
    protocol_version: protocolVersion,
    profile,
    request_id: requestId,
    idempotency_key: id,
    occurred_at: fromMillis(at),
    source: { system: isTest ? "campaigns-test" : "campaigns" }
  } as const
  const caller: Caller = {
    name: `campaign:${campaign}`,
    scopes: new Set(["protocol:write"]),
    programs: new Set([program]),
    ...(once === undefined ? undefined : { once })
  }
  const named = { context, program_id: program, member_id: member }
  if (reward !== undefined) {
    const { expires_in_seconds: seconds, reward_id } = reward
    const expires = seconds === undefined ? undefined : { expires_at: fromMillis(later(at, seconds * millisPerSecond)) }
    return handlers["issued_reward.issue"]({ ...named, ...expires, issued_reward_id: id, reward_id }, caller)
  }
  if (credit === undefined) throw new Error(`campaign ${campaign} has no action`)
  const reason = isTest ? `Test: ${credit.reason}`.slice(0, maxReasonLength) : credit.reason
  const adjustment = {
    ...credit,
    reason,
    adjustment_id: id,
    classification: "bonus",
    qualifies_for_tier: false
  } as const
  return handlers["ledger.manual_adjustment"]({ ...named, ...adjustment }, caller)
}

/** Gives one member what a campaign gives, apart from its runs. A repeated test of the same id is a replay. */
const test = (
  parts: Parts,
  { id, ...given }: Pick<Grant, "action" | "at" | "campaign" | "id" | "program">,
  member: string
): Effect.Effect<Handled> => carryOut(parts, { ...given, id, requestId: id, isTest: true }, member)

/** The accounts that were merged into a member's. */
const contained = (
  { accounts }: Parts,
  program: string,
  member: string
): Effect.Effect<ReadonlyArray<number> | Trouble> =>
  Effect.map(accounts.read(program, member), (found) => {
    if (found === undefined) return []
    return found._tag === "Resident" ? mergedAccounts(found.state) : found
  })

/**
 * Grants to a target: one grant for the member and all members merged into it. Returns trouble if the outcome is in
 * doubt; then the target must be tried again. A member that was merged after its selection gets nothing, because the
 * remaining member may be a target itself. A member that contains one of the holdout is in the holdout, too.
 */
const grant = Effect.fnUntraced(function* (
  parts: Parts,
  context: GrantContext,
  target: Target
): Effect.fn.Return<Done | Trouble> {
  const { accounts, claimKey } = parts
  const { holdoutPercent, program, run } = context
  const { account, member } = target
  const found = yield* accounts.read(program, member)
  if (found !== undefined && found._tag !== "Resident") return found
  const contained = found === undefined ? [] : mergedAccounts(found.state)
  if (found !== undefined && found.account !== account) return { account, outcome: "skipped", code: "member_merged" }
  if (contained.some((one) => isHeldOut(claimKey, run.campaign, one, holdoutPercent)))
    return { account, outcome: "holdout", code: null }
  const once = [account, ...contained].map((of) => ({
    account: of,
    key: claimOf(parts, run, program, of),
    // A grant to a contained member has other facts, so its id differs.
    fingerprint: ""
  }))
  const { action, campaign, id: requestId, startedAt: at } = run
  const id = idOf(claimKey, run, account)
  const handled = yield* carryOut(parts, { id, requestId, campaign, program, action, at, once }, member)
  if (handled._tag === "Answer") return { account, outcome: "issued", code: null }
  if (handled._tag !== "Refusal") return handled
  return handled.code === "conflict"
    ? { account, outcome: "skipped", code: "already_reached" }
    : { account, outcome: "failed", code: handled.code }
})

/** The targets that already have their grant, also if its outcome is not recorded. */
const granted = (
  parts: Parts,
  { program, run }: GrantContext,
  targets: ReadonlyArray<Target>
): Effect.Effect<ReadonlyArray<Target>, JournalUnavailable> => {
  const { holders } = parts
  const claims = targets.map(({ account }) => claimOf(parts, run, program, account))
  return Effect.map(holders(claims), (found) => {
    const held = new Set(found.map(({ key }) => key))
    return targets.filter((_, index) => held.has(claims[index]!))
  })
}

/** Receivers of an event's gift, as they were when that was decided. */
export interface Receiver {
  readonly account: number
  readonly member: string
  readonly program: string
  /** The accounts that were merged into its own. */
  readonly contained: ReadonlyArray<number>
}

/** The id of what an event gives. The receiver is not part of it: a merge may change who that is. */
export const idFor = (claimKey: ClaimKey, { campaign, event }: Pick<StoredEvent, "campaign" | "event">): string =>
  `cmp_${claimKey("campaign event", campaign, event).replaceAll("-", "")}`

/** Gives what an event gives. Returns trouble if the outcome is in doubt, or if the receiver contains another member by now. */
const grantFor = (
  parts: Parts,
  event: StoredEvent,
  { account, contained, member, program }: Receiver
): Effect.Effect<Done | Trouble> => {
  const { action, campaign, dueAt: at, event: requestId } = event
  const id = idFor(parts.claimKey, event)
  const key = claimBy(parts, id, action, program)
  const once = [account, ...contained].map((of) => ({ account: of, key, fingerprint: "" }))
  return Effect.map(
    carryOut(parts, { id, requestId, campaign, program, action, at, once }, member),
    (handled): Done | Trouble => {
      if (handled._tag === "Answer") return { account, outcome: "issued", code: null }
      return handled._tag === "Refusal" ? { account, outcome: "failed", code: handled.code } : handled
    }
  )
}

/** Receivers of these events' gifts, by the number of the event, also if the outcome is not recorded. */
const receivers = (
  parts: Parts,
  events: ReadonlyArray<StoredEvent>
): Effect.Effect<ReadonlyMap<number, number>, JournalUnavailable> => {
  const claims = new Map(
    events.map((event) => [claimBy(parts, idFor(parts.claimKey, event), event.action, event.program), event.n])
  )
  return Effect.map(
    parts.holders([...claims.keys()]),
    (found) => new Map(found.map(({ account, key }) => [claims.get(key)!, account]))
  )
}
