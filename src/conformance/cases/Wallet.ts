/** Rewards in a member's wallet (contract/redemptions.md *Issuing*, *Cancelling*). */
import { Effect } from "effect"
import { fromMillis } from "../../contract/Values.ts"
import { dueWithinMs, pollEveryMs, shortLifeMs } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import { machineNow } from "../Clock.ts"
import type { Business, Probe } from "../Probe.ts"
import type { OwnMember } from "../World.ts"
import { reservable } from "./Redemptions.ts"

const needs = ["member.enroll", "issued_reward.issue", "issued_reward.list"] as const
const redeemNeeds = [...needs, "account.get", "redemption.reserve", "redemption.reverse"] as const
const rule = "contract/redemptions.md *Issuing*, *Cancelling*"
const claimRule = "contract/redemptions.md *Paying with a wallet reward*"

const anyReward = (probe: Probe) => {
  const [reward] = probe.world.program.rewards
  return reward === undefined ? probe.skip("the programme has no rewards") : Effect.succeed(reward.reward_id)
}

const issuing = (
  probe: Probe,
  { member_id }: OwnMember,
  reward_id: string,
  overrides: Partial<Business<"issued_reward.issue">> = {}
): Business<"issued_reward.issue"> => ({
  issued_reward_id: probe.id("issued"),
  member_id,
  program_id: probe.program_id,
  reward_id,
  ...overrides
})

const wallet = (probe: Probe, { member_id }: OwnMember, statuses?: Business<"issued_reward.list">["statuses"]) =>
  probe.ok("issued_reward.list", {
    member_id,
    program_id: probe.program_id,
    ...(statuses === undefined ? {} : { statuses })
  })

const statusOf = Effect.fnUntraced(function* (probe: Probe, member: OwnMember, issued_reward_id: string) {
  const { value } = yield* wallet(probe, member)
  return value.issued_rewards.find((issued) => issued.issued_reward_id === issued_reward_id)?.status
})

/** A member with one claimable reward in the wallet. */
const claimable = Effect.fnUntraced(function* (probe: Probe) {
  const { reward_id } = yield* reservable(probe)
  const member = yield* probe.member()
  const { value } = yield* probe.ok("issued_reward.issue", issuing(probe, member, reward_id))
  const { issued_reward_id } = value.issued_reward
  const claim = Effect.gen(function* () {
    const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
    const { member_id } = member
    const redemption_id = probe.id("redemption")
    return { redemption_id, member_id, reward_id, order, issued_reward_id }
  })
  return { member, issued_reward_id, claim }
})

export const cases: ReadonlyArray<Case> = [
  {
    id: "wallet.issue",
    level: "base",
    rule: "contract/redemptions.md *Issuing*, *Cancelling*",
    title: "an issued reward is in the member's wallet, with its artifact",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const reward_id = yield* anyReward(probe)
      const member = yield* probe.member()
      const { exchange, value } = yield* probe.ok("issued_reward.issue", issuing(probe, member, reward_id))
      const { issued_reward } = value
      probe.equal(exchange, "status", issued_reward.status, "issued")
      probe.equal(exchange, "member_id", issued_reward.member_id, member.member_id)
      probe.equal(exchange, "reward_id", issued_reward.reward_id, reward_id)
      for (const statuses of [undefined, ["issued"] as const]) {
        const listed = yield* wallet(probe, member, statuses)
        probe.equal(listed.exchange, "issued_rewards", listed.value.issued_rewards, [issued_reward])
      }
    })
  },
  {
    id: "wallet.unknown-reward",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "issuing a reward that the programme does not have is 404 not_found",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const body = issuing(probe, member, probe.id("reward"))
      probe.refused(yield* probe.call("issued_reward.issue", body), 404, "not_found")
    })
  },
  {
    id: "wallet.claim",
    level: "base",
    rule: "contract/redemptions.md *Paying with a wallet reward*",
    title: "a reservation with issued_reward_id costs nothing",
    needs: redeemNeeds,
    run: Effect.fnUntraced(function* (probe) {
      const { claim, issued_reward_id } = yield* claimable(probe)
      const { exchange, value } = yield* probe.ok("redemption.reserve", yield* claim)
      probe.equal(exchange, "issued_reward_id", value.reservation.issued_reward_id, issued_reward_id)
      if (probe.strict) probe.equal(exchange, "cost", value.reservation.cost.amount, 0)
    })
  },
  {
    id: "wallet.artifact",
    level: "strict",
    rule,
    title: "a given artifact is kept and must be unique; generated ones differ",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const reward_id = yield* anyReward(probe)
      const member = yield* probe.member()
      const artifact = { type: "qr_code", value: probe.id("artifact") } as const
      const given = yield* probe.ok("issued_reward.issue", issuing(probe, member, reward_id, { artifact }))
      probe.equal(given.exchange, "artifact", given.value.issued_reward.artifact, artifact)
      const taken = yield* probe.call("issued_reward.issue", issuing(probe, member, reward_id, { artifact }))
      probe.refused(taken, 409, "conflict")
      const first = yield* probe.ok("issued_reward.issue", issuing(probe, member, reward_id))
      const second = yield* probe.ok("issued_reward.issue", issuing(probe, member, reward_id))
      const made = [first.value.issued_reward.artifact, second.value.issued_reward.artifact]
      probe.check(second.exchange, made[0]?.value !== made[1]?.value, "artifacts that differ", made)
      const isLong = made.every(({ type, value }) => type === "code" && /^[0-9A-HJKMNP-TV-Z*~$=U-]{17,}$/.test(value))
      probe.check(second.exchange, isLong, "codes of at least 80 bits in Crockford base 32", made)
    })
  },
  {
    id: "wallet.newest-first",
    level: "strict",
    rule,
    title: "the wallet lists rewards in the order of issuing, newest first",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const reward_id = yield* anyReward(probe)
      const member = yield* probe.member()
      const issued: Array<string> = []
      for (let count = 0; count < 3; count++) {
        const body = issuing(probe, member, reward_id)
        yield* probe.ok("issued_reward.issue", body)
        issued.unshift(body.issued_reward_id)
      }
      const { exchange, value } = yield* wallet(probe, member)
      probe.equal(
        exchange,
        "ids",
        value.issued_rewards.map(({ issued_reward_id }) => issued_reward_id),
        issued
      )
    })
  },
  {
    id: "wallet.expires-at",
    level: "strict",
    rule,
    title: "expires_at in the past is 409 expired",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const body = issuing(probe, member, yield* anyReward(probe), { expires_at: "2001-01-01T00:00:00Z" })
      probe.refused(yield* probe.call("issued_reward.issue", body), 409, "expired")
    })
  },
  {
    id: "wallet.expires",
    level: "strict",
    rule,
    title: "a wallet reward expires, and can no longer be claimed",
    needs: redeemNeeds,
    run: Effect.fnUntraced(function* (probe) {
      if (probe.world.isSandbox) return yield* probe.skip("the host's clock is moved by hand")
      const { reward_id } = yield* reservable(probe)
      const member = yield* probe.member()
      const now = yield* machineNow
      const body = issuing(probe, member, reward_id, { expires_at: fromMillis(now + shortLifeMs) })
      const { exchange } = yield* probe.ok("issued_reward.issue", body)
      yield* Effect.sleep(shortLifeMs + pollEveryMs)
      let status = yield* statusOf(probe, member, body.issued_reward_id)
      while (status === "issued" && (yield* machineNow) < now + shortLifeMs + dueWithinMs) {
        yield* Effect.sleep(pollEveryMs)
        status = yield* statusOf(probe, member, body.issued_reward_id)
      }
      probe.equal(exchange, "status after its end", status, "expired")
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const { issued_reward_id, member_id } = body
      const claim = { redemption_id: probe.id("redemption"), member_id, reward_id, order, issued_reward_id }
      probe.refused(yield* probe.call("redemption.reserve", claim), 409, "invalid_state")
    })
  },
  {
    id: "wallet.redeemed",
    level: "strict",
    rule: claimRule,
    title: "a capture sets the reward to redeemed, a reversal back to issued; neither posts an entry",
    needs: [...redeemNeeds, "redemption.capture", "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { claim, issued_reward_id, member } = yield* claimable(probe)
      const held = yield* probe.ok("redemption.reserve", yield* claim)
      const { order_id, reservation_id } = held.value.reservation
      yield* probe.ok("redemption.capture", { reservation_id, order_id })
      const listed = yield* wallet(probe, member, ["redeemed"])
      const [redeemed] = listed.value.issued_rewards
      probe.equal(listed.exchange, "the redeemed reward", redeemed?.issued_reward_id, issued_reward_id)
      probe.check(listed.exchange, redeemed?.redeemed_at !== undefined, "a redeemed_at", redeemed)
      const { exchange } = yield* probe.ok("redemption.reverse", { reservation_id, reason: "lotbook verify" })
      probe.equal(exchange, "status after the reversal", yield* statusOf(probe, member, issued_reward_id), "issued")
      const { member_id } = member
      const ledger = yield* probe.ok("ledger.list", { member_id, program_id: probe.program_id })
      probe.equal(ledger.exchange, "entries", ledger.value.entries, [])
    })
  },
  {
    id: "wallet.held",
    level: "strict",
    rule: claimRule,
    title: "a reward under a reservation can be neither claimed again nor cancelled",
    needs: [...redeemNeeds, "issued_reward.cancel"],
    run: Effect.fnUntraced(function* (probe) {
      const { claim, issued_reward_id, member } = yield* claimable(probe)
      const held = yield* probe.ok("redemption.reserve", yield* claim)
      probe.refused(yield* probe.call("redemption.reserve", yield* claim), 409, "invalid_state")
      const cancel = { issued_reward_id, reason: "lotbook verify" }
      probe.refused(yield* probe.call("issued_reward.cancel", cancel), 409, "invalid_state")
      const { reservation_id } = held.value.reservation
      const { exchange } = yield* probe.ok("redemption.reverse", { reservation_id, reason: "lotbook verify" })
      probe.equal(exchange, "status after the release", yield* statusOf(probe, member, issued_reward_id), "issued")
    })
  },
  {
    id: "wallet.another-member",
    level: "strict",
    rule: claimRule,
    title: "a reward of another member's wallet cannot be claimed",
    needs: redeemNeeds,
    run: Effect.fnUntraced(function* (probe) {
      const { claim } = yield* claimable(probe)
      const other = yield* probe.member()
      const exchange = yield* probe.call("redemption.reserve", { ...(yield* claim), member_id: other.member_id })
      const isRefused = exchange.status === 404 || exchange.status === 409
      probe.check(exchange, isRefused, "a refusal, 404 or 409", exchange.text)
    })
  },
  {
    id: "wallet.cancel",
    level: "strict",
    rule,
    title: "a cancelled reward has a reason and cannot be claimed; cancelling twice returns the first result",
    needs: [...redeemNeeds, "issued_reward.cancel"],
    run: Effect.fnUntraced(function* (probe) {
      const { claim, issued_reward_id } = yield* claimable(probe)
      const first = yield* probe.ok("issued_reward.cancel", { issued_reward_id, reason: "lotbook verify" })
      const { issued_reward } = first.value
      probe.equal(first.exchange, "status", issued_reward.status, "cancelled")
      probe.equal(first.exchange, "cancellation_reason", issued_reward.cancellation_reason, "lotbook verify")
      probe.check(first.exchange, issued_reward.cancelled_at !== undefined, "a cancelled_at", issued_reward)
      const repeated = yield* probe.ok("issued_reward.cancel", { issued_reward_id, reason: "another reason" })
      probe.equal(repeated.exchange, "issued_reward", repeated.value.issued_reward, issued_reward)
      probe.refused(yield* probe.call("redemption.reserve", yield* claim), 409, "invalid_state")
    })
  }
]
