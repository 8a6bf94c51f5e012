/** A merge's effects, for `dry_run` (contract/members.md *Merging*). Names personal data without its values. */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import type { Merged, MergePreview } from "../../contract/admin/Merge.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { IdentityType } from "../../contract/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { MergeForeseen } from "../../core/account/Merging.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as ProfileStore from "./ProfileStore.ts"

type Fields = Readonly<Record<string, unknown>>

/** Names that only `from` has, and names whose values differ. */
const compared = (from: Fields = {}, into: Fields = {}) => ({
  missing: Object.keys(from).filter((name) => !(name in into)),
  other: Object.keys(from).filter((name) => name in into && JSON.stringify(from[name]) !== JSON.stringify(into[name]))
})

const fieldsOf = (stored: ProfileStore.StoredMember | undefined) => stored && ProfileStore.fieldsShown(stored)

const countByType = (types: ReadonlyArray<IdentityType>) =>
  [...new Set(types)].map((type) => ({ type, count: types.filter((one) => one === type).length }))

export const previewOf = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  { at, filled, from, into, merged }: MergeForeseen
): Effect.fn.Return<typeof Merged.Type, Refused> {
  const profileOfFrom = yield* ProfileStore.find(query, from.account)
  const profileOfInto = yield* ProfileStore.find(query, into.account)
  const profile = compared(fieldsOf(profileOfFrom), fieldsOf(profileOfInto))
  const attributes = compared(from.member.attributes, into.member.attributes)
  const before = profileOfInto === undefined ? [] : ProfileStore.consentsShown(profileOfInto)
  const after = yield* ProfileStore.consentsMerged(query, from.account, into.account, at)
  const leavesAt = yield* ProfileStore.leavesAt(query, [from.account, into.account])
  const owner = ownerOf(merged)
  const preview: MergePreview = {
    moved: {
      balances: from.state.units.map(({ lots, posted, unit }) => ({
        unit,
        amount: posted,
        lots: Lots.toArray(lots).length
      })),
      issued_rewards: from.state.rewards.flatMap(({ issued, reward, status }) =>
        status === "issued" ? [{ issued_reward_id: issued, reward_id: reward }] : []
      ),
      // Checked when they were added.
      identities: countByType(from.member.identities.map(({ type }) => type as IdentityType))
    },
    copied: {
      profile: profile.missing,
      attributes: attributes.missing,
      consents: after.filter(
        (one) =>
          !before.some(
            ({ channel, granted, purpose }) =>
              purpose === one.purpose && channel === one.channel && granted === one.granted
          )
      )
    },
    dropped: { profile: profile.other, attributes: attributes.other },
    balances: Render.present<MergePreview["balances"]>(Render.balances(owner, merged.state, program, at)),
    metrics: Render.metrics(merged.state, program, at),
    ...(leavesAt === undefined ? undefined : { leaves_at: fromMillis(leavesAt) }),
    filled_cards: filled
  }
  const tier = Metrics.tierOf(merged.state, program, at)?.tier_id
  const member = { ...Render.member(owner, merged.state, merged.member, tier), merged_into: undefined }
  return Render.present<typeof Merged.Type>({ member, preview })
})
