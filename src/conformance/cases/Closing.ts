/**
 * Runs after all other cases: checks the ledgers of the run's members, then brings
 * the members to zero. `/proto/v1` has no operation that closes a member, so the
 * members remain, without points, holds and rewards.
 */
import { Effect } from "effect"
import { readsAtOnce } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import type { Probe } from "../Probe.ts"
import type { OwnMember } from "../World.ts"
import { wholeLedger } from "./Ledger.ts"

const reason = "lotbook verify: closing"

/** Releases holds, cancels rewards, and corrects every balance to zero. */
const settle = (probe: Probe, member: OwnMember): Effect.Effect<boolean, CaseError> =>
  Effect.gen(function* () {
    const { served } = probe.world
    const { member_id } = member
    const { program_id } = probe
    const before = yield* probe.account(member)
    const hasHolds = before.value.balances.some(({ reserved }) => reserved > 0) || member.issuedRewards.size > 0
    if (hasHolds && served.has("redemption.reverse")) {
      for (const reservation_id of member.reservations) {
        yield* probe.call("redemption.reverse", { reservation_id, reason })
      }
    }
    if (member.issuedRewards.size > 0 && served.has("issued_reward.cancel")) {
      for (const issued_reward_id of member.issuedRewards) {
        yield* probe.call("issued_reward.cancel", { issued_reward_id, reason })
      }
    }
    const { value } = yield* probe.ok("account.get", { member_id, program_id })
    for (const { amount, unit } of value.balances) {
      if (amount === 0) continue
      const correction = probe.manual(member, -amount, { unit, classification: "correction", reason })
      yield* probe.call("ledger.manual_adjustment", correction)
    }
    const after = yield* probe.ok("account.get", { member_id, program_id })
    return after.value.balances.every(({ amount, reserved }) => amount === 0 && reserved === 0)
  })

const members = (probe: Probe) => [...probe.world.members.values()]

const eachMember = <A>(probe: Probe, check: (member: OwnMember) => Effect.Effect<A, CaseError>) => {
  const all = members(probe)
  return all.length === 0
    ? probe.skip("no case enrolled a member")
    : Effect.forEach(all, check, { concurrency: readsAtOnce })
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "ledger.conservation",
    level: "base",
    rule: "contract/points.md *Time of entries*; contract/resources.md *Balance*",
    title: "the sum of an account's entries is its balance, for every member of this run",
    needs: ["account.get", "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      yield* eachMember(
        probe,
        Effect.fnUntraced(function* (member: OwnMember) {
          const entries = yield* wholeLedger(probe, member)
          const { exchange, value } = yield* probe.account(member)
          for (const { account_id, amount, unit } of value.balances) {
            const own = entries.filter((entry) => entry.account_id === account_id)
            const sum = own.reduce((total, entry) => total + entry.amount, 0)
            probe.equal(exchange, `balance of ${unit}, the sum of ${own.length} entries,`, amount, sum)
          }
        })
      )
    })
  },
  {
    id: "ledger.acknowledged",
    level: "base",
    rule: "contract/points.md *Time of entries*; contract/resources.md *Ledger entry*",
    title: "every acknowledged entry is in the ledger once, unchanged",
    needs: ["ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      yield* eachMember(
        probe,
        Effect.fnUntraced(function* (member: OwnMember) {
          const entries = yield* wholeLedger(probe, member)
          for (const [entry_id, { entry, exchange }] of member.acknowledged) {
            const listed = entries.filter((one) => one.entry_id === entry_id)
            if (listed.length !== 1) {
              probe.differs(exchange, `entry ${entry_id} once in the ledger`, `${listed.length} times`)
            } else probe.equal(exchange, "the entry in the ledger", listed[0], entry)
          }
        })
      )
    })
  },
  {
    id: "closing.zero",
    level: "base",
    rule: "a run leaves nothing behind that could be spent",
    title: "the members of this run end without points, holds and rewards",
    needs: ["account.get", "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      const settled = yield* eachMember(probe, (member) => settle(probe, member))
      const left = settled.filter((isZero) => !isZero).length
      const ids = members(probe).map(({ member_id }) => member_id)
      probe.note =
        left === 0
          ? `${ids.length} members, all at zero; they stay enrolled, because the protocol cannot close members`
          : `${left} of ${ids.length} members could not be brought to zero`
    })
  }
]
