/** Members, identities, and unknown ids. */
import { Effect } from "effect"
import * as Bodies from "../Bodies.ts"
import type { Case } from "../Case.ts"
import { codeOf, isSuccess, summary } from "../Probe.ts"

const lookupRule = "contract/operations.md *Member and account reads*, *Enrolment*"

export const cases: ReadonlyArray<Case> = [
  {
    id: "members.enroll-and-look-up",
    level: "base",
    rule: "contract/operations.md *Member and account reads*",
    title: "an enrolled member is found by its identity, active, with a balance of 0 on each account",
    needs: ["member.enroll", "member.lookup"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const member = yield* probe.member()
      const { exchange, value } = yield* probe.ok("member.lookup", { program_id, identity: member.identity })
      probe.equal(exchange, "member_id", value.member?.member_id, member.member_id)
      probe.equal(exchange, "program_id", value.member?.program_id, program_id)
      probe.equal(exchange, "status", value.member?.status, "active")
      const hasIdentity = value.member?.identities.some((identity) => identity.value === member.identity.value)
      probe.check(exchange, hasIdentity === true, "the identity among the member's", value.member?.identities)
      const expected = probe.world.program.accounts.map(({ unit }) => [unit, 0]).sort()
      probe.equal(exchange, "the balances", value.balances.map(({ amount, unit }) => [unit, amount]).sort(), expected)
    })
  },
  {
    id: "members.account",
    level: "base",
    rule: "contract/operations.md *Member and account reads*; contract/resources.md *Account summary*",
    title: "accounts/get shows the same member and balances, and every metric of the programme",
    needs: ["member.enroll", "member.lookup", "account.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const member = yield* probe.member()
      const found = yield* probe.ok("member.lookup", { program_id, identity: member.identity })
      const { exchange, value } = yield* probe.account(member)
      probe.equal(exchange, "member", value.member, found.value.member)
      const amounts = ({ account_id, amount, available, reserved }: (typeof value.balances)[number]) =>
        `${account_id} ${amount} ${reserved} ${available}`
      probe.equal(exchange, "balances", value.balances.map(amounts), found.value.balances.map(amounts))
      const metrics = probe.world.program.metrics.map(({ metric_id }) => metric_id).sort()
      probe.equal(exchange, "metrics", value.metrics.map(({ metric_id }) => metric_id).sort(), metrics)
    })
  },
  {
    id: "members.unknown",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "a member, reward or reservation that does not exist is 404 not_found",
    needs: [],
    run: Effect.fnUntraced(function* (probe) {
      const bodies = yield* Bodies.validBodies(probe)
      const ids = [
        "account.get",
        "ledger.list",
        "ledger.manual_adjustment",
        "accrual.post",
        "order.adjust",
        "redemption.reserve",
        "redemption.capture",
        "redemption.reverse",
        "issued_reward.issue",
        "issued_reward.list",
        "issued_reward.cancel"
      ] as const
      for (const id of ids) {
        if (probe.world.open.has(id)) probe.refused(yield* probe.post(id, bodies[id]), 404, "not_found")
      }
    })
  },
  {
    id: "members.unknown-program",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "a programme that does not exist is 404 not_found",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const exchange = yield* probe.post("program.get", { program_id: probe.id("programme") })
      // A token limited to some programmes may get 403 instead (contract/transport.md *Order of the checks*).
      if (codeOf(exchange) !== "forbidden") probe.refused(exchange, 404, "not_found")
    })
  },
  {
    id: "members.unknown-identity",
    level: "strict",
    rule: lookupRule,
    title: "looking up an identity that no member has answers 200, member null, no balances",
    needs: ["member.lookup"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const { exchange, value } = yield* probe.ok("member.lookup", { program_id, identity: probe.identity() })
      probe.equal(exchange, "status", exchange.status, 200)
      probe.equal(exchange, "member", value.member, null)
      probe.equal(exchange, "balances", value.balances, [])
    })
  },
  {
    id: "members.enroll-again",
    level: "strict",
    rule: lookupRule,
    title: "enrolling an identity that has a member is 200 with that member, X",
    needs: ["member.enroll"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const identity = probe.identity()
      const member_id = probe.id("own")
      const first = yield* probe.ok("member.enroll", { program_id, identity, member_id })
      probe.register(first.value.member.member_id, identity)
      probe.equal(first.exchange, "status", first.exchange.status, 201)
      probe.equal(first.exchange, "member_id", first.value.member.member_id, member_id)
      const repeated = yield* probe.ok("member.enroll", { program_id, identity, member_id: probe.id("other") })
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      probe.equal(repeated.exchange, "member_id", repeated.value.member.member_id, member_id)
    })
  },
  {
    id: "members.enroll-taken",
    level: "strict",
    rule: lookupRule,
    title: "enrolling a new identity with a member_id in use is 409 conflict",
    needs: ["member.enroll"],
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const body = { program_id: probe.program_id, identity: probe.identity(), member_id }
      probe.refused(yield* probe.call("member.enroll", body), 409, "conflict")
    })
  },
  {
    id: "members.issuer",
    level: "strict",
    rule: "contract/resources.md *Identities*",
    title: "an identity without issuer differs from one with any issuer",
    needs: ["member.enroll", "member.lookup"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const { issuer: _, ...bare } = probe.identity()
      const enrolled = yield* probe.post("member.enroll", { program_id, identity: bare })
      const { value } = yield* probe.succeeded("member.enroll", enrolled)
      probe.register(value.member.member_id, value.member.identities[0] ?? probe.identity())
      const found = yield* probe.post("member.lookup", { program_id, identity: bare })
      const byBare = yield* probe.succeeded("member.lookup", found)
      probe.equal(found, "member_id", byBare.value.member?.member_id, value.member.member_id)
      const withIssuer = { ...bare, issuer: "lotbook-verify" }
      const other = yield* probe.ok("member.lookup", { program_id, identity: withIssuer })
      probe.equal(other.exchange, "member", other.value.member, null)
    })
  },
  {
    id: "members.attributes",
    level: "strict",
    rule: "contract/members.md *Status and writes*",
    title: "attributes are returned as stored",
    needs: ["member.enroll", "account.get"],
    run: Effect.fnUntraced(function* (probe) {
      const identity = probe.identity()
      const attributes = { name: "Zoë ✓", deep: { list: [1, null, { a: true }] }, empty: {}, zero: 0 }
      const { exchange, value } = yield* probe.ok("member.enroll", {
        program_id: probe.program_id,
        identity,
        attributes
      })
      const member = probe.register(value.member.member_id, identity)
      probe.equal(exchange, "attributes", value.member.attributes, attributes)
      const read = yield* probe.account(member)
      probe.equal(read.exchange, "attributes", read.value.member.attributes, attributes)
    })
  },
  {
    id: "program.definition",
    level: "base",
    rule: "contract/resources.md *Programme definition*",
    title: "programs/get returns the programme that was asked for, with one primary account",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { exchange, value } = yield* probe.ok("program.get", { program_id: probe.program_id })
      const { accounts, program_id } = value.program
      probe.equal(exchange, "program_id", program_id, probe.program_id)
      probe.equal(exchange, "primary accounts", accounts.filter(({ is_primary }) => is_primary).length, 1)
    })
  },
  {
    id: "program.valid",
    level: "strict",
    rule: "contract/programmes.md *Programme file*",
    title: "identifiers are unique, tiers rise from 0, funding adds up, money is in the programme's currency",
    needs: ["program.get"],
    run: Effect.fnUntraced(function* (probe) {
      const { exchange, value } = yield* probe.ok("program.get", { program_id: probe.program_id })
      const { accounts, currency, earning, metrics, rewards, tiers } = value.program
      const unique = (what: string, ids: ReadonlyArray<string>) =>
        probe.equal(exchange, `number of different ${what}`, new Set(ids).size, ids.length)
      unique(
        "accounts",
        accounts.map(({ unit }) => unit)
      )
      unique(
        "metrics",
        metrics.map(({ metric_id }) => metric_id)
      )
      unique(
        "tiers",
        tiers.map(({ tier_id }) => tier_id)
      )
      unique(
        "rewards",
        rewards.map(({ reward_id }) => reward_id)
      )
      const minimums = tiers.map(({ minimum }) => minimum)
      if (tiers.length > 0) probe.equal(exchange, "the lowest tier's minimum", minimums[0], 0)
      unique("minimums of tiers", minimums.map(String))
      probe.equal(exchange, "currency of the rate", earning.rate.spend.currency, currency)
      for (const { effect, funding, reward_id } of rewards) {
        const shares = funding.reduce((sum, { share_bps }) => sum + share_bps, 0)
        probe.equal(exchange, `funding of ${reward_id}, basis points,`, shares, 10_000)
        const money =
          effect.type === "discount" ? effect.amount : effect.type === "free_item" ? effect.max_value : undefined
        if (money !== undefined) probe.equal(exchange, `currency of ${reward_id}`, money.currency, currency)
      }
    })
  },
  {
    id: "reads.key-means-nothing",
    level: "strict",
    rule: "contract/resources.md *Identities*; contract/idempotency.md *Business identifiers*",
    title: "reads ignore idempotency keys",
    needs: ["member.lookup"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const key = probe.id("key")
      for (let count = 0; count < 2; count++) {
        const exchange = yield* probe.call("member.lookup", { program_id, identity: probe.identity() }, { key })
        probe.check(exchange, isSuccess(exchange), "success", summary(exchange))
      }
      const { idempotency_key: _, ...context } = yield* probe.context()
      const bare = yield* probe.post("member.lookup", { context, program_id, identity: probe.identity() })
      probe.check(bare, isSuccess(bare), "success without a key", summary(bare))
    })
  }
]
