/**
 * The operations of the transaction contract: request → command → answer.
 */
import { Clock, Effect, Layer } from "effect"
import type { Outcome, Resident, Trouble } from "../account/Outcome.ts"
import { Accounts } from "../account/Accounts.ts"
import * as Codes from "../account/Codes.ts"
import type { Recorded } from "../account/Codec.ts"
import type { Action } from "../account/domain/Command.ts"
import type { Guards } from "../account/Guards.ts"
import * as Metrics from "../account/domain/Metrics.ts"
import { checkOrder, estimate } from "../account/domain/Orders.ts"
import { refusal } from "../account/domain/Refusal.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import * as Rows from "../account/Rows.ts"
import { available, unitOf } from "../account/domain/State.ts"
import type { State } from "../account/domain/State.ts"
import { view } from "../account/domain/View.ts"
import type { WriteContext } from "../contract/protocol/Context.ts"
import { canonical } from "../contract/Decode.ts"
import { defaultPage } from "../contract/protocol/Operations.ts"
import type { OperationId, RequestOf } from "../contract/protocol/Operations.ts"
import { fromMillis, toMillis } from "../contract/Values.ts"
import type { Claim, LedgerQuery } from "../journal/Journal.ts"
import { Journal, type JournalUnavailable } from "../journal/Journal.ts"
import * as Funding from "../program/Funding.ts"
import type { Program } from "../program/Program.ts"
import { Programs } from "../program/Programs.ts"
import * as Rewards from "../program/Rewards.ts"
import * as Cursor from "./Cursor.ts"
import type { Caller, Handled } from "./Handler.ts"
import { Handlers, mayUse } from "./Handler.ts"
import * as Render from "./Render.ts"

const noProgram = (id: string): Refusal => refusal("not_found", `There is no programme ${id}.`)
const noMember = (program: string, member: string): Refusal =>
  refusal("not_found", `Programme ${program} has no member ${member}.`)
const notYours = (program: string): Refusal => refusal("forbidden", `The token is not for programme ${program}.`)
const unavailable: Trouble = { _tag: "Unavailable" }

const ownerOf = (resident: Resident): Render.Owner => ({
  account: resident.account,
  program: resident.state.program,
  member: resident.state.member
})

/** Everything of a request but its context: what idempotency compares. */
const payload = <R extends { readonly context: unknown }>({ context: _, ...rest }: R) => rest

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const journal = yield* Journal
  const programs = yield* Programs
  const clock = yield* Clock.Clock
  const { claimKey } = journal
  const now = () => clock.currentTimeMillisUnsafe()

  const answer = (body: object, at: number, status = 200): Handled => ({
    _tag: "Answer",
    status,
    processedAt: at,
    body
  })

  /** The claims of a write: its key with the whole payload, its business identifier with its facts. */
  const guard = (
    operation: OperationId,
    program: string,
    context: WriteContext,
    text: string,
    business?: { readonly key: string; readonly facts: string },
    further: ReadonlyArray<Claim> = []
  ): Guards => ({
    key: {
      key: Rows.keyClaim(claimKey, program, context.source.system, operation, context.idempotency_key),
      fingerprint: claimKey("payload", text)
    },
    ...(business === undefined
      ? undefined
      : { business: { key: business.key, fingerprint: claimKey("facts", operation, business.facts) } }),
    further
  })

  /**
   * The same for a payload of an order's facts and perhaps an evaluation's id: the facts are hashed once and stand
   * for the payload.
   */
  const guardFacts = (
    operation: OperationId,
    program: string,
    context: WriteContext,
    evaluation: string | undefined,
    business: { readonly key: string; readonly facts: ReadonlyArray<string> }
  ): Guards => {
    const fingerprint = claimKey("facts", operation, business.facts)
    return {
      key: {
        key: Rows.keyClaim(claimKey, program, context.source.system, operation, context.idempotency_key),
        fingerprint: evaluation === undefined ? fingerprint : claimKey("facts and evaluation", fingerprint, evaluation)
      },
      business: { key: business.key, fingerprint }
    }
  }

  /** Puts the answer of a record together, for its own request and for replays. */
  const rendered = (outcome: Outcome): Effect.Effect<Handled> => {
    if (outcome._tag !== "Answered") {
      if (outcome._tag === "Held") throw new Error("only an enrolment is held by a member")
      return Effect.succeed(outcome)
    }
    const { record, resident } = outcome
    if (resident !== undefined) return Effect.succeed(recorded(record, resident))
    return Effect.map(accounts.readOn(record.account), (found) => {
      if (found === undefined) return unavailable
      return found._tag === "Resident" ? recorded(record, found) : found
    })
  }

  const recorded = (record: Recorded, resident: Resident): Handled =>
    answer(
      Render.recorded(ownerOf(resident), record, resident.state, resident.member),
      record.at,
      Render.statusOf(record)
    )

  const write = (
    caller: Caller,
    program: string,
    member: string,
    action: Action,
    guards: Guards
  ): Effect.Effect<Handled> =>
    programs.get(program) === undefined
      ? Effect.succeed(noProgram(program))
      : Effect.flatMap(accounts.execute(program, member, { action, guards, actor: caller.name }), rendered)

  /** A member's view as of now. */
  const read = (
    program: string,
    member: string,
    show: (state: State, resident: Resident, program: Program, at: number) => Effect.Effect<Handled> | Handled
  ): Effect.Effect<Handled> => {
    const found = programs.get(program)
    if (found === undefined) return Effect.succeed(noProgram(program))
    return Effect.flatMap(accounts.read(program, member), (resident) => {
      if (resident === undefined) return Effect.succeed(noMember(program, member))
      if (resident._tag !== "Resident") return Effect.succeed(resident)
      const at = Math.max(now(), resident.state.at)
      const shown = show(view(resident.state, found, at), resident, found, at)
      return Effect.isEffect(shown) ? shown : Effect.succeed(shown)
    })
  }

  const guarded = (effect: Effect.Effect<Handled, JournalUnavailable>): Effect.Effect<Handled> =>
    Effect.catchTag(effect, "JournalUnavailable", () => Effect.succeed<Handled>(unavailable))

  const lookup = (request: RequestOf<"member.lookup">): Effect.Effect<Handled> => {
    const program = programs.get(request.program_id)
    if (program === undefined) return Effect.succeed(noProgram(request.program_id))
    return guarded(
      Effect.gen(function* () {
        const at = now()
        const account = yield* journal.findIdentity(Rows.identityClaim(claimKey, program.id, request.identity))
        if (account === undefined) return answer({ member: null, balances: [] }, at)
        const resident = yield* accounts.readOn(account)
        if (resident === undefined || resident._tag !== "Resident") return unavailable
        const state = view(resident.state, program, at)
        return answer(withMember(resident, state, program, at), at)
      })
    )
  }

  const withMember = (resident: Resident, state: State, program: Program, at: number) => {
    const owner = ownerOf(resident)
    return {
      member: Render.member(owner, state, resident.member, Metrics.tierOf(state, program, at)?.tier_id),
      balances: Render.balances(owner, state, program, at)
    }
  }

  const enroll = (request: RequestOf<"member.enroll">, caller: Caller): Effect.Effect<Handled> => {
    if (programs.get(request.program_id) === undefined) return Effect.succeed(noProgram(request.program_id))
    const { key } = guard("member.enroll", request.program_id, request.context, canonical(payload(request)))
    if (key === undefined) throw new Error("a write has a key")
    return Effect.flatMap(
      accounts.enroll({
        program: request.program_id,
        identity: request.identity,
        ...(request.attributes === undefined ? undefined : { attributes: request.attributes as never }),
        member: request.member_id,
        key,
        actor: caller.name
      }),
      rendered
    )
  }

  const getAccount = (request: RequestOf<"account.get">): Effect.Effect<Handled> =>
    read(request.program_id, request.member_id, (state, resident, program, at) => {
      const owner = ownerOf(resident)
      return answer(
        {
          ...withMember(resident, state, program, at),
          metrics: Render.metrics(state, program, at),
          expiring_balances: Render.expiringBalances(owner, state, at),
          tier_progress: Render.tierProgress(state, program, at)
        },
        at
      )
    })

  const getProgram = (request: RequestOf<"program.get">): Effect.Effect<Handled> => {
    const program = programs.get(request.program_id)
    return Effect.succeed(
      program === undefined ? noProgram(request.program_id) : answer({ program: program.definition }, now())
    )
  }

  const listLedger = (request: RequestOf<"ledger.list">): Effect.Effect<Handled> =>
    read(request.program_id, request.member_id, (_, resident, program, at) => {
      const { account_id, cursor, occurred_from, occurred_until, operations } = request
      const owner = ownerOf(resident)
      const filters = JSON.stringify([owner.account, account_id, operations?.toSorted(), occurred_from, occurred_until])
      const beforeN = cursor === undefined ? undefined : Cursor.read(claimKey, filters, cursor)
      if (cursor !== undefined && beforeN === undefined) {
        return refusal(
          "invalid_cursor",
          "The cursor is not one of this list; take it from next_cursor, with the same filters."
        )
      }
      const unit = program.accounts.find((account) => Render.accountId(owner, account.unit) === account_id)?.unit
      if (account_id !== undefined && unit === undefined) return answer({ entries: [] }, at)
      const limit = request.limit ?? defaultPage
      const query: LedgerQuery = {
        account: owner.account,
        beforeN,
        unit,
        operations,
        occurredFrom: occurred_from === undefined ? undefined : toMillis(occurred_from),
        occurredUntil: occurred_until === undefined ? undefined : toMillis(occurred_until),
        limit: limit + 1
      }
      return guarded(
        Effect.map(journal.ledger(query), (rows) => {
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return answer(
            {
              entries: page.map((row) => Render.entry(owner, row)),
              next_cursor:
                rows.length > limit && last !== undefined ? Cursor.make(claimKey, filters, last.n) : undefined
            },
            at
          )
        })
      )
    })

  const adjustManually = (request: RequestOf<"ledger.manual_adjustment">, caller: Caller): Effect.Effect<Handled> => {
    const { adjustment_id, context, expires_at, member_id, program_id, unit } = request
    const text = canonical(payload(request))
    const business = { key: Rows.adjustmentClaim(claimKey, program_id, adjustment_id), facts: text }
    return write(
      caller,
      program_id,
      member_id,
      {
        type: "adjust_manually",
        adjustment: adjustment_id,
        amount: request.amount,
        unit,
        classification: request.classification,
        reason: request.reason,
        qualifies: request.qualifies_for_tier,
        expires: expires_at === undefined ? undefined : toMillis(expires_at)
      },
      guard("ledger.manual_adjustment", program_id, context, text, business)
    )
  }

  const evaluate = (request: RequestOf<"order.evaluate">): Effect.Effect<Handled> => {
    const { member_id, order } = request
    return read(order.scope.program_id, member_id, (state, resident, program, at) => {
      const refused = checkOrder(order, program, member_id)
      if (refused !== undefined) return refused
      const owner = ownerOf(resident)
      const estimates = estimate(state, program, order, at).accruals.map(({ points, unit }) => ({
        unit,
        amount: points
      }))
      if (estimates.some(({ amount }) => !Number.isSafeInteger(amount))) {
        return refusal("invalid_state", "The order would earn more points than can be counted exactly.")
      }
      return answer(
        {
          evaluation_id: Codes.identifier("evl"),
          member_id,
          order_id: order.order_id,
          estimated_accrual: estimates[0] ?? { unit: program.primaryUnit, amount: 0 },
          estimated_accruals: estimates.length > 1 ? estimates : undefined,
          rewards: [...program.rewards.values()].map((reward) => evaluated(state, program, reward, at)),
          balances: Render.balances(owner, state, program, at),
          expires_at: fromMillis(at + program.evaluationTtlMs)
        },
        at
      )
    })
  }

  const evaluated = (state: State, program: Program, reward: Program["definition"]["rewards"][number], at: number) => {
    const availability = Rewards.availability(reward, at)
    const reasons = [
      ...(program.isRetired ? ["program_retired"] : []),
      ...(state.status === "active" ? [] : ["member_not_active"]),
      ...(availability === "available" ? [] : [availability]),
      ...(available(unitOf(state, reward.cost.unit)) >= reward.cost.amount || reward.cost.amount === 0
        ? []
        : ["insufficient_balance"])
    ]
    return {
      reward_id: reward.reward_id,
      name: reward.name,
      status: reasons.length === 0 ? "available" : "unavailable",
      unavailable_reasons: reasons.length === 0 ? undefined : reasons,
      cost: reward.cost,
      effect: reward.effect,
      funding: Funding.split(reward.funding, Rewards.valueOf(reward.effect))
    }
  }

  const accrue = (request: RequestOf<"accrual.post">, caller: Caller): Effect.Effect<Handled> => {
    const { context, evaluation_id, member_id, order } = request
    const program = order.scope.program_id
    const facts = [`${member_id} `, canonical(order)]
    const business = { key: Rows.orderClaim(claimKey, program, order.order_id), facts }
    const guards = guardFacts("accrual.post", program, context, evaluation_id, business)
    return write(caller, program, member_id, { type: "accrue", order }, guards)
  }

  const adjustOrder = (request: RequestOf<"order.adjust">, caller: Caller): Effect.Effect<Handled> => {
    const { adjustment, context, member_id, program_id } = request
    const text = canonical(payload(request))
    const business = { key: Rows.adjustmentClaim(claimKey, program_id, adjustment.adjustment_id), facts: text }
    return write(
      caller,
      program_id,
      member_id,
      { type: "adjust_order", adjustment },
      guard("order.adjust", program_id, context, text, business)
    )
  }

  const reserve = (request: RequestOf<"redemption.reserve">, caller: Caller): Effect.Effect<Handled> => {
    const { context, evaluation_id, ...facts } = request
    const { issued_reward_id, member_id, order, redemption_id, reward_id } = facts
    const program = order.scope.program_id
    const business = { key: Rows.redemptionClaim(claimKey, program, redemption_id), facts: [canonical(facts)] }
    const guards = guardFacts("redemption.reserve", program, context, evaluation_id, business)
    return write(
      caller,
      program,
      member_id,
      { type: "reserve", redemption: redemption_id, reward: reward_id, order, issued: issued_reward_id },
      guards
    )
  }

  /** A write on the account that a reservation or an issued reward belongs to. */
  const writeOn = (
    number: number | undefined,
    caller: Caller,
    unknown: Refusal,
    action: Action,
    guards: (program: string) => Guards
  ): Effect.Effect<Handled> => {
    if (number === undefined) return Effect.succeed(unknown)
    return Effect.flatMap(accounts.readOn(number), (resident) => {
      if (resident === undefined) return Effect.succeed(unknown)
      if (resident._tag !== "Resident") return Effect.succeed(resident)
      const { program } = resident.state
      if (!mayUse(caller, program)) return Effect.succeed(notYours(program))
      return Effect.flatMap(
        accounts.executeOn(number, { action, guards: guards(program), actor: caller.name }),
        rendered
      )
    })
  }

  const capture = (request: RequestOf<"redemption.capture">, caller: Caller): Effect.Effect<Handled> =>
    writeOn(
      Rows.reservationAccount(request.reservation_id),
      caller,
      refusal("not_found", `There is no reservation ${request.reservation_id}.`),
      { type: "capture", reservation: request.reservation_id, order: request.order_id },
      (program) => guard("redemption.capture", program, request.context, canonical(payload(request)))
    )

  const reverse = (request: RequestOf<"redemption.reverse">, caller: Caller): Effect.Effect<Handled> =>
    writeOn(
      Rows.reservationAccount(request.reservation_id),
      caller,
      refusal("not_found", `There is no reservation ${request.reservation_id}.`),
      { type: "reverse", reservation: request.reservation_id, reason: request.reason },
      (program) => guard("redemption.reverse", program, request.context, canonical(payload(request)))
    )

  const issue = (request: RequestOf<"issued_reward.issue">, caller: Caller): Effect.Effect<Handled> => {
    const { context, expires_at, issued_reward_id, member_id, program_id, reward_id } = request
    const text = canonical(payload(request))
    const business = { key: Rows.issuedClaim(claimKey, issued_reward_id), facts: text }
    const artifact = request.artifact ?? { type: "code" as const, value: Codes.artifactCode() }
    const value = Rows.artifactClaim(claimKey, program_id, artifact.value)
    return write(
      caller,
      program_id,
      member_id,
      {
        type: "issue_reward",
        issued: issued_reward_id,
        reward: reward_id,
        expires: expires_at === undefined ? undefined : toMillis(expires_at),
        artifact
      },
      guard("issued_reward.issue", program_id, context, text, business, [{ key: value, fingerprint: business.key }])
    )
  }

  const listIssued = (request: RequestOf<"issued_reward.list">): Effect.Effect<Handled> =>
    read(request.program_id, request.member_id, (_, resident, program, at) =>
      guarded(
        Effect.flatMap(journal.issuedRewards(resident.account), (rows) =>
          Effect.map(accounts.readOn(resident.account), (later) => {
            if (later === undefined || later._tag !== "Resident") return unavailable
            const owner = ownerOf(later)
            // What is open is read from the state, where what is due by now counts; the rows hold what has closed.
            const open = new Map(view(later.state, program, at).rewards.map((reward) => [reward.issued, reward]))
            const rewards = rows.map((row) => {
              const reward = row.status === "issued" ? open.get(row.issuedRewardId) : undefined
              return reward === undefined ? Render.issuedRewardRow(owner, row) : Render.issuedReward(owner, reward)
            })
            const statuses = request.statuses
            return answer(
              {
                issued_rewards:
                  statuses === undefined ? rewards : rewards.filter((reward) => statuses.includes(reward.status))
              },
              at
            )
          })
        )
      )
    )

  const cancel = (request: RequestOf<"issued_reward.cancel">, caller: Caller): Effect.Effect<Handled> =>
    guarded(
      Effect.flatMap(journal.holders([Rows.issuedClaim(claimKey, request.issued_reward_id)]), ([holder]) =>
        writeOn(
          holder?.account,
          caller,
          refusal("not_found", `There is no issued reward ${request.issued_reward_id}.`),
          { type: "cancel_reward", issued: request.issued_reward_id, reason: request.reason },
          (program) => guard("issued_reward.cancel", program, request.context, canonical(payload(request)))
        )
      )
    )

  return Handlers.of({
    "member.lookup": lookup,
    "member.enroll": enroll,
    "account.get": getAccount,
    "program.get": getProgram,
    "ledger.list": listLedger,
    "ledger.manual_adjustment": adjustManually,
    "order.evaluate": evaluate,
    "accrual.post": accrue,
    "order.adjust": adjustOrder,
    "redemption.reserve": reserve,
    "redemption.capture": capture,
    "redemption.reverse": reverse,
    "issued_reward.issue": issue,
    "issued_reward.list": listIssued,
    "issued_reward.cancel": cancel
  })
})

export const layer: Layer.Layer<Handlers, never, Accounts | Journal | Programs> = Layer.effect(Handlers, make)
