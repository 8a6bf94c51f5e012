/**
 * Decisions about the member itself: status, identities, profile, erasure
 * (contract/members.md *Status and writes*, *Changing identities*, *Erasure*).
 */
import { said } from "../../../contract/Said.ts"
import type { ChangeIdentities, ChangeProfile, Erase, SetStatus } from "./Action.ts"
import type { Decision } from "./Decision.ts"
import { decided, inactive } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import { type Refusal, refusal } from "./Refusal.ts"
import type { MergedInto, State } from "./State.ts"
import { isErased } from "./State.ts"

/**
 * The most identities of one member. Enough for all cards, phones and apps of a household; each answer lists them all.
 */
export const MAX_IDENTITIES = 100

/** Refuses a change of a merged member: it is closed permanently, and the other member has its identities. */
const elsewhere = ({ member }: State, into: MergedInto): Refusal =>
  refusal("invalid_state", said`Member ${member} was merged into ${into.member}.`)

/** Sets the status. If the member has it already, nothing changes. */
export const setStatus = (draft: Draft, { reason, status }: SetStatus): Decision => {
  const { member, mergedInto, status: before } = draft.state
  if (mergedInto !== undefined) return elsewhere(draft.state, mergedInto)
  if (before === status) return decided(draft, { type: "none" })
  if (before === "closed") return refusal("invalid_state", said`Member ${member} is closed permanently.`)
  draft.settle()
  if (status === "closed") endOpenItems(draft, reason)
  draft.emit({ type: "status_changed", at: draft.at, status, reason })
  return decided(draft, { type: "none" })
}

/** Releases open holds first, so that no reward is held; then cancels the wallet's rewards. */
const endOpenItems = (draft: Draft, reason: string): void => {
  const { reservations, rewards } = draft.state
  for (const { reservation, status } of reservations)
    if (status === "reserved") draft.emit({ type: "released", at: draft.at, reservation, closing: true })
  // A reward that only a hold kept from expiring expires now, and is not cancelled.
  draft.settle()
  const usable = new Set(draft.state.rewards.flatMap(({ issued, status }) => (status === "issued" ? [issued] : [])))
  for (const { issued } of rewards)
    if (usable.has(issued)) draft.emit({ type: "reward_cancelled", at: draft.at, issued, reason, closing: true })
}

/**
 * Adds and removes identities. Ignores additions that the member has already and removals of ones that it does not
 * have.
 */
export const changeIdentities = (draft: Draft, { add, remove }: ChangeIdentities): Decision => {
  const { identities, member, mergedInto } = draft.state
  const refused = mergedInto === undefined ? inactive(draft.state) : elsewhere(draft.state, mergedInto)
  if (refused !== undefined) return refused
  const removed = identities.filter((identity) => remove.includes(identity))
  const added = [...new Set(add)].filter((identity) => !identities.includes(identity))
  const left = identities.length - removed.length + added.length
  if (left === 0) return refusal("invalid_state", said`Member ${member} would have no identity left.`)
  if (left > MAX_IDENTITIES)
    return refusal(
      "invalid_state",
      said`Member ${member} would have ${left} identities; the limit is ${MAX_IDENTITIES}.`
    )
  draft.settle()
  for (const identity of removed) draft.emit({ type: "identity_removed", at: draft.at, identity })
  for (const identity of added) draft.emit({ type: "identity_added", at: draft.at, identity })
  return decided(draft, { type: "none" })
}

/** Removes the external id, so that another profile may have it. */
const freeExternalId = (draft: Draft): void => {
  const { external } = draft.state
  if (external !== undefined) draft.emit({ type: "external_id_freed", at: draft.at, external })
}

/** Records a change of the profile. A suspended member may only withdraw consent. */
export const changeProfile = (draft: Draft, { external, onlyWithdraws }: ChangeProfile): Decision => {
  const refused = draft.state.status === "suspended" && onlyWithdraws ? undefined : inactive(draft.state)
  if (refused !== undefined) return refused
  draft.settle()
  if (external !== undefined && external !== (draft.state.external ?? null)) {
    freeExternalId(draft)
    if (external !== null) draft.emit({ type: "external_id_given", at: draft.at, external })
  }
  draft.emit({ type: "profile_changed", at: draft.at })
  return decided(draft, { type: "none" })
}

/** Erases the member. If it was erased before, nothing changes. */
export const erase = (draft: Draft, { reason }: Erase): Decision => {
  if (isErased(draft.state)) return decided(draft, { type: "none" })
  draft.settle()
  if (draft.state.status !== "closed") {
    endOpenItems(draft, reason)
    draft.emit({ type: "status_changed", at: draft.at, status: "closed", reason })
  }
  freeExternalId(draft)
  for (const identity of draft.state.identities) draft.emit({ type: "identity_removed", at: draft.at, identity })
  draft.emit({ type: "erased", at: draft.at, reason })
  return decided(draft, { type: "none" })
}
