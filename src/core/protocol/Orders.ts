/**
 * Orders: evaluation, accrual, adjustments.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { Evaluation } from "../../contract/protocol/Evaluation.ts"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Reward, Tier } from "../../contract/protocol/Program.ts"
import type { EvaluatedReward, Identity } from "../../contract/protocol/Resources.ts"
import type { Rendered } from "../../contract/Rendered.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, type UnavailableReason } from "../../contract/Values.ts"
import { Accounts } from "../account/Accounts.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import * as ClaimResolution from "../account/ClaimResolution.ts"
import * as Codes from "../account/Codes.ts"
import { mostPoints, reached } from "../account/domain/HoldLimits.ts"
import { checkOrder } from "../account/domain/Orders.ts"
import { estimate } from "../account/domain/Promoted.ts"
import { type Refusal, refusal } from "../account/domain/Refusal.ts"
import type { State } from "../account/domain/State.ts"
import { available, unitOf } from "../account/domain/State.ts"
import type { Guards } from "../account/Guards.ts"
import type { Trouble } from "../account/Outcome.ts"
import { orUnavailable, unavailable } from "../account/Outcome.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import { Programs } from "../programs/Programs.ts"
import { later } from "../rules/Expiration.ts"
import * as Funding from "../rules/Funding.ts"
import type { Program } from "../rules/Program.ts"
import * as Rewards from "../rules/Rewards.ts"
import type { Caller, Handling } from "./Handler.ts"
import { factsOfKept } from "./KeptOrders.ts"
import * as Reads from "./Reads.ts"
import { answer, noProgram, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { factsOf, factsOfOrder, namesIn, payload } from "./Writes.ts"

/** A reward in an evaluation, with every reason why it is unavailable. */
const evaluated = (
  state: State,
  program: Program,
  reward: Reward,
  order: Order,
  at: number
): Rendered<typeof EvaluatedReward.Type> => {
  const availability = Rewards.availability(reward, at)
  const reasons: ReadonlyArray<UnavailableReason> = [
    ...(program.isRetired ? ["program_retired" as const] : []),
    ...(state.status === "active" ? [] : ["member_not_active" as const]),
    ...(availability === "available" ? [] : [availability]),
    ...(Rewards.hasItemFor(reward.effect, order) ? [] : ["no_matching_item" as const]),
    ...new Set(reached(state, program, reward, order, 1).map(({ reason }) => reason)),
    ...(available(unitOf(state, reward.cost.unit)) >= reward.cost.amount || reward.cost.amount === 0
      ? []
      : ["insufficient_balance" as const])
  ]
  return {
    reward_id: reward.reward_id,
    name: reward.name,
    status: reasons.length === 0 ? "available" : "unavailable",
    unavailable_reasons: reasons.length === 0 ? undefined : reasons,
    cost: reward.cost,
    max_points: reasons.length === 0 ? mostPoints(state, program, reward, order) : undefined,
    effect: reward.effect,
    funding: Funding.split(reward.funding, Rewards.valueOf(reward.effect))
  }
}

/**
 * The points that an order would earn under a definition, and the rewards that it could use. The definition need not be
 * in force. `tier`: one that is tried; absent: the member's.
 */
export const evaluationOf = (
  state: State,
  program: Program,
  order: Order,
  at: number,
  tier?: Tier
): Rendered<Evaluation> | Refusal => {
  const refused = checkOrder(order, program, state, at)
  if (refused !== undefined) return refused
  const { accruals, almost: nearMisses, ineligible } = estimate(state, program, order, at, tier)
  const almost = nearMisses()
  const estimates = accruals.map(({ points, unit }) => ({ unit, amount: points }))
  if (estimates.some(({ amount }) => !Number.isSafeInteger(amount))) {
    return refusal("invalid_state", "The order would earn more points than can be counted exactly.")
  }
  return {
    order_id: order.order_id,
    estimated_accrual: estimates[0] ?? { unit: program.primaryUnit, amount: 0 },
    estimated_accruals: estimates.length > 1 ? estimates : undefined,
    ineligible_reasons: ineligible.length > 0 ? ineligible : undefined,
    promotions: Render.promotions(accruals),
    almost: almost.length > 0 ? almost.map((one) => Render.almost(one, program.currency)) : undefined,
    rewards: [...program.rewards.values()].map((reward) => evaluated(state, program, reward, order, at))
  }
}

/** The identity of a request without `member_id`. The contract requires one of them. */
const named = (identity: Identity | undefined): Identity => {
  if (identity === undefined) throw new Error("the request has neither member_id nor identity")
  return identity
}

const nobody = (program: string): Refusal =>
  refusal("not_found", said`No member of programme ${program} has the identity.`)

/** An evaluation of an order that has accrued: it earns nothing more. */
const accruedBefore = (evaluation: Rendered<Evaluation>): Rendered<Evaluation> => {
  const { estimated_accrual, estimated_accruals, ineligible_reasons = [] } = evaluation
  return {
    ...evaluation,
    promotions: undefined,
    almost: undefined,
    estimated_accrual: { ...estimated_accrual, amount: 0 },
    estimated_accruals: estimated_accruals?.map((estimate) => ({ ...estimate, amount: 0 })),
    ineligible_reasons: ["already_accrued" as const, ...ineligible_reasons]
  }
}

const partsOf = Effect.gen(function* () {
  const { claimKey, findIdentity, holders } = yield* Journal
  const { read } = yield* Reads.make
  const { guard, guardFacts, write } = yield* Writes.make
  const [accounts, programs] = [yield* Accounts, yield* Programs]
  return { accounts, programs, claimKey, findIdentity, holders, read, guard, guardFacts, write }
})

/** The parts of the use cases. */
type Parts = Effect.Success<typeof partsOf>

export const make = Effect.map(partsOf, (parts) => ({
  "order.evaluate": (request: RequestOf<"order.evaluate">) => evaluate(parts, request),
  "accrual.post": (request: RequestOf<"accrual.post">, caller: Caller) => accrue(parts, request, caller),
  "order.adjust": (request: RequestOf<"order.adjust">, caller: Caller) => adjustOrder(parts, request, caller)
}))

/** The member that has an identity now; undefined if nobody has it. */
const holderOf = (
  { accounts, claimKey, findIdentity }: Parts,
  program: string,
  identity: Identity
): Effect.Effect<string | Trouble | undefined, JournalUnavailable> =>
  Effect.flatMap(findIdentity(ClaimKeys.identity(claimKey, program, identity)), (account) =>
    account === undefined
      ? Effect.succeed(undefined)
      : Effect.map(accounts.readOn(account), (resident) =>
          resident?._tag === "Resident" ? resident.state.member : (resident ?? unavailable)
        )
  )

const evaluate = (parts: Parts, request: RequestOf<"order.evaluate">): Handling<"order.evaluate"> => {
  const { programs } = parts
  const { identity, member_id, order } = request
  const program = order.scope.program_id
  if (member_id !== undefined) return evaluateFor(parts, member_id, order)
  if (programs.get(program) === undefined) return Effect.succeed(noProgram(program))
  return orUnavailable(
    Effect.flatMap(holderOf(parts, program, named(identity)), (member) => {
      if (member === undefined) return Effect.succeed(nobody(program))
      return typeof member === "string" ? evaluateFor(parts, member, order) : Effect.succeed(member)
    })
  )
}

const evaluateFor = ({ claimKey, holders, read }: Parts, member: string, order: Order): Handling<"order.evaluate"> =>
  read(order.scope.program_id, member, (state, resident, program, at) => {
    const found = evaluationOf(state, program, order, at)
    if ("code" in found) return found
    const owner = ownerOf(resident)
    const shown = (evaluation: typeof found) =>
      answer(
        {
          evaluation_id: Codes.identifier("evl"),
          member_id: owner.member,
          ...evaluation,
          balances: Render.balances(owner, state, program, at),
          expires_at: fromMillis(later(at, program.evaluationTtlMs))
        },
        at
      )
    // One look-up of the order's claim, of whichever member: a few index reads in PostgreSQL, none of the account.
    const claim = ClaimKeys.order(claimKey, program.id, order.order_id)
    return orUnavailable(
      Effect.map(holders([claim]), ({ length }) => shown(length === 0 ? found : accruedBefore(found)))
    )
  })

const accrue = (parts: Parts, request: RequestOf<"accrual.post">, caller: Caller): Handling<"accrual.post"> =>
  request.member_id === undefined
    ? accrueByIdentity(parts, request, caller)
    : accrueFor(parts, request.member_id, request, caller)

const guardsFor = ({ claimKey, guardFacts }: Parts, { context, evaluation_id, order }: RequestOf<"accrual.post">) => {
  const program = order.scope.program_id
  const business = ClaimKeys.order(claimKey, program, order.order_id)
  const facts = { text: ` ${canonical(factsOfOrder(order))}`, named: namesIn(order) }
  return guardFacts("accrual.post", program, context, evaluation_id, business, facts)
}

const accrueFor = (
  parts: Parts,
  member: string,
  request: RequestOf<"accrual.post">,
  caller: Caller
): Handling<"accrual.post"> => {
  const { programs, write } = parts
  const { context, evaluation_id, order } = request
  const program = order.scope.program_id
  const action = { type: "accrue", order, evaluation: evaluation_id } as const
  const guards = guardsFor(parts, request)
  const written = (own: typeof guards) => write(Render.entriesBody, caller, context, program, member, action, own)
  if (programs.get(program)?.claims === undefined) return written(guards)
  // The member may have claimed the order, whose facts are fewer (contract/orders.md *Orders without a guest*).
  return Effect.flatMap(written(guards), (outcome) =>
    outcome._tag === "Refusal" && outcome.code === "conflict"
      ? written(asKept(parts, order, guards))
      : Effect.succeed(outcome)
  )
}

/** The same claims with the facts that a kept order has. */
const asKept = ({ claimKey, guard }: Parts, order: Order, guards: Guards): Guards => {
  const program = order.scope.program_id
  const business = ClaimKeys.order(claimKey, program, order.order_id)
  return { ...guards, business: guard("accrual.post", program, undefined, business, factsOfKept(order)).business }
}

/**
 * The facts hold the member that has the identity, so that a repeat may name it either way. Once nobody has it, a
 * retry is still known by its key: its facts are compared for the member that the key's record is of.
 */
const accrueByIdentity = (
  parts: Parts,
  request: RequestOf<"accrual.post">,
  caller: Caller
): Handling<"accrual.post"> => {
  const { accounts, holders, programs } = parts
  const program = request.order.scope.program_id
  if (programs.get(program) === undefined) return Effect.succeed(noProgram(program))
  return orUnavailable(
    Effect.gen(function* () {
      const member = yield* holderOf(parts, program, named(request.identity))
      if (typeof member === "string") return yield* accrueFor(parts, member, request, caller)
      if (member !== undefined) return member
      const guards = guardsFor(parts, request)
      const holder = ClaimResolution.first({ guards }, yield* holders(...ClaimResolution.guarded({ guards })))
      if (holder === undefined) return nobody(program)
      if (holder.key !== guards.key?.key) return ClaimResolution.conflict("accrue", guards, holder)
      const resident = yield* accounts.readOn(holder.account, true)
      if (resident?._tag !== "Resident") return resident ?? unavailable
      return yield* accrueFor(parts, resident.state.member, request, caller)
    })
  )
}

const adjustOrder = (
  { claimKey, guard, write }: Parts,
  request: RequestOf<"order.adjust">,
  caller: Caller
): Handling<"order.adjust"> => {
  const { adjustment, context, member_id, program_id } = request
  const business = ClaimKeys.adjustment(claimKey, program_id, adjustment.adjustment_id)
  return write(
    Render.entriesBody,
    caller,
    context,
    program_id,
    member_id,
    { type: "adjust_order", adjustment },
    guard("order.adjust", program_id, context, business, factsOf(payload(request)))
  )
}
