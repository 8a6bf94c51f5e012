/** The rows that a decision writes with its record, for ledger, wallet and members. */
import type { ClaimKey } from "../journal/Hashing.ts"
import type {
  AttributeChange,
  Identity,
  IdentityChange,
  IssuedRewardRow,
  LedgerRow,
  MemberRow
} from "../journal/Records.ts"
import { withAccount } from "../rules/Expiration.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import type { AccountEvent } from "./domain/AccountEvent.ts"
import { evolveReward } from "./domain/Evolve.ts"
import type { Posted, ShownEntry } from "./domain/Posted.ts"
import type { IssuedReward, State } from "./domain/State.ts"

/** The ledger row of an entry. */
export const entry = (event: ShownEntry): LedgerRow => ({
  n: event.n,
  operation: event.op,
  unit: event.unit,
  amount: event.amount,
  occurredAt: event.at,
  expiresAt: event.expires === withAccount ? undefined : event.expires,
  relatedN: event.related,
  orderId: event.order,
  locationId: event.location,
  adjustmentId: event.adjustment,
  reservationId: event.reservation,
  classification: event.classification,
  reason: event.reason,
  qualifiesForTier: event.reset === true ? false : event.qualifies,
  placedAt: event.placed,
  businessDate: event.business
})

const isPosted = (event: AccountEvent): event is Posted => event.type === "posted"

export const entries = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<LedgerRow> =>
  events.filter(isPosted).map(entry)

/** A record's balances: `[unit, posted, reserved]` of every unit after it, as JSON. */
export const balances = ({ units }: Pick<State, "units">): string =>
  `[${units.map(({ posted, reserved, unit }) => `["${unit}",${posted},${reserved}]`).join()}]`

/** Identities that are added or removed, including the external id; undefined if none is. */
export const identities = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<IdentityChange> | undefined => {
  let changes: Array<IdentityChange> | undefined
  for (const event of events) {
    const change = identityChange(event)
    if (change === undefined) continue
    changes ??= []
    changes.push(change)
  }
  return changes
}

const identityChange = (event: AccountEvent): IdentityChange | undefined => {
  switch (event.type) {
    case "enrolled":
    case "identity_added":
      return { key: event.identity, added: true }
    case "identity_removed":
      return { key: event.identity, added: false }
    case "external_id_given":
      return { key: event.external, added: true }
    case "external_id_freed":
      return { key: event.external, added: false }
    default:
      return undefined
  }
}

/** The member's data after a change of its identities; `given` has the added ones. Undefined if no identity changes. */
export const memberAfter = (
  claimKey: ClaimKey,
  { program }: Pick<State, "program">,
  before: MemberRow,
  events: ReadonlyArray<AccountEvent>,
  given: ReadonlyArray<Identity>
): MemberRow | undefined => {
  const changed = new Map<string, boolean>()
  for (const event of events) {
    if (event.type === "identity_added" || event.type === "identity_removed")
      changed.set(event.identity, event.type === "identity_added")
  }
  if (changed.size === 0) return undefined
  const keyOf = (identity: Identity) => ClaimKeys.identity(claimKey, program, identity)
  const kept = before.identities.filter((identity) => changed.get(keyOf(identity)) !== false)
  const added = new Map(given.map((identity) => [keyOf(identity), identity]))
  const fresh = [...added].flatMap(([key, identity]) => (changed.get(key) === true ? [identity] : []))
  return { ...before, identities: [...kept, ...fresh] }
}

/** The member's data after a change of its attributes. */
export const withAttributes = ({ attributes = {}, ...rest }: MemberRow, change: AttributeChange): MemberRow => {
  const kept = Object.entries(change === null ? {} : { ...attributes, ...change }).filter(([, value]) => value !== null)
  return kept.length === 0 ? rest : { ...rest, attributes: Object.fromEntries(kept) }
}

/** True if a member's data and the state have the same identities. */
export const hasIdentitiesOf = (claimKey: ClaimKey, state: State, { identities }: MemberRow): boolean => {
  const keys = new Set(identities.map((identity) => ClaimKeys.identity(claimKey, state.program, identity)))
  return keys.size === state.identities.length && state.identities.every((key) => keys.has(key))
}

const isOfReward = (event: AccountEvent): boolean => event.type.startsWith("reward_")

/** The wallet rows that the events changed. Folded on the state `before`, because the state after may have dropped some. */
export const issuedRewards = (events: ReadonlyArray<AccountEvent>, before: State): ReadonlyArray<IssuedRewardRow> => {
  if (!events.some(isOfReward)) return []
  const touched = new Map<string, IssuedReward>()
  for (const event of events) {
    if (!isOfReward(event) || !("issued" in event) || event.issued === undefined) continue
    const { issued } = event
    const known = touched.get(issued) ?? before.rewards.find((reward) => reward.issued === issued)
    const reward = evolveReward(known, event, before.seq + 1)
    if (reward !== undefined) touched.set(issued, reward)
  }
  return [...touched.values()].map((reward) => ({
    issuedRewardId: reward.issued,
    n: reward.n,
    rewardId: reward.reward,
    status: reward.status,
    issuedAt: reward.at,
    expiresAt: reward.expires,
    redeemedAt: reward.redeemed,
    cancelledAt: reward.cancelled,
    cancellationReason: reward.reason,
    artifactType: reward.artifact.type,
    artifactValue: reward.artifact.value
  }))
}
