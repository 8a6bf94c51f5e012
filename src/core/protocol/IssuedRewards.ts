/**
 * Rewards in a member's wallet: issue, list, cancel.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { WriteContext } from "../../contract/protocol/Context.ts"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { said } from "../../contract/Said.ts"
import { toMillis } from "../../contract/Values.ts"
import { Accounts } from "../account/Accounts.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import * as Codes from "../account/Codes.ts"
import type { Action } from "../account/domain/Action.ts"
import { refusal } from "../account/domain/Refusal.ts"
import { isOwn, mergedAccounts } from "../account/domain/State.ts"
import { view } from "../account/domain/View.ts"
import type { Resident } from "../account/Outcome.ts"
import { orUnavailable, unavailable } from "../account/Outcome.ts"
import { Journal } from "../journal/Journal.ts"
import type { IssuedRewardRow, JournalUnavailable } from "../journal/Records.ts"
import type { Caller, Handling } from "./Handler.ts"
import * as Reads from "./Reads.ts"
import { answer, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { factsOf, payload } from "./Writes.ts"

const partsOf = Effect.gen(function* () {
  const journal = yield* Journal
  const { read } = yield* Reads.make
  return { ...(yield* Writes.make), accounts: yield* Accounts, journal, read }
})

/** The parts of the use cases. */
type Parts = Effect.Success<typeof partsOf>

export const make = Effect.map(partsOf, (parts) => ({
  "issued_reward.issue": (request: RequestOf<"issued_reward.issue">, caller: Caller) => issue(parts, request, caller),
  "issued_reward.list": (request: RequestOf<"issued_reward.list">) => listIssued(parts, request),
  "issued_reward.cancel": (request: RequestOf<"issued_reward.cancel">, caller: Caller) => cancel(parts, request, caller)
}))

/** The issue of a reward as tills (with a context) and operators ask for it: its action and its guards. */
export const issuing = (
  { claimKey, guard }: Pick<Writes.Writes, "claimKey" | "guard">,
  asked: Omit<RequestOf<"issued_reward.issue">, "context">,
  context?: WriteContext
) => {
  const { expires_at, issued_reward_id, program_id, reward_id } = asked
  const artifact = asked.artifact ?? { type: "code" as const, value: Codes.artifactCode() }
  const action: Action = {
    type: "issue_reward",
    issued: issued_reward_id,
    reward: reward_id,
    expires: expires_at === undefined ? undefined : toMillis(expires_at),
    artifact
  }
  const business = ClaimKeys.issuedReward(claimKey, issued_reward_id)
  const value = ClaimKeys.artifact(claimKey, program_id, artifact.value)
  const further = [{ key: value, fingerprint: business }]
  return { action, guards: guard("issued_reward.issue", program_id, context, business, factsOf(asked), further) }
}

const issue = (
  parts: Parts,
  request: RequestOf<"issued_reward.issue">,
  caller: Caller
): Handling<"issued_reward.issue"> => {
  const { context, member_id, program_id } = request
  const { action, guards } = issuing(parts, payload(request), context)
  return parts.write(Render.rewardBody, caller, context, program_id, member_id, action, guards)
}

/** The member's rewards, newest first, with those that members merged into it have used, lost or let expire. */
const rowsOf = (
  { journal }: Parts,
  { account, state }: Resident
): Effect.Effect<ReadonlyArray<IssuedRewardRow>, JournalUnavailable> =>
  Effect.map(Effect.forEach([account, ...mergedAccounts(state)], journal.issuedRewards), (lists) => {
    const newest = new Map<string, IssuedRewardRow>()
    for (const row of lists.flat()) if (!newest.has(row.issuedRewardId)) newest.set(row.issuedRewardId, row)
    const rows = [...newest.values()]
    return lists.length === 1 ? rows : rows.toSorted((a, b) => b.issuedAt - a.issuedAt)
  })

const listIssued = (parts: Parts, request: RequestOf<"issued_reward.list">): Handling<"issued_reward.list"> =>
  parts.read(request.program_id, request.member_id, (_, resident, program, at) =>
    orUnavailable(
      Effect.flatMap(rowsOf(parts, resident), (rows) =>
        Effect.map(parts.accounts.readOn(resident.account), (later) => {
          if (later === undefined || later._tag !== "Resident") return unavailable
          const owner = ownerOf(later)
          // Open rewards are read from the state, which counts everything due by now; closed ones are in the rows.
          const open = new Map(view(later.state, program, at).rewards.map((reward) => [reward.issued, reward]))
          const rewards = rows
            .map((row) => {
              const reward = row.status === "issued" ? open.get(row.issuedRewardId) : undefined
              return reward === undefined ? Render.issuedRewardRow(owner, row) : Render.issuedReward(owner, reward)
            })
            .filter(isOwn)
          const statuses = request.statuses
          return answer(
            {
              issued_rewards:
                statuses === undefined
                  ? rewards
                  : rewards.filter((reward) => statuses.some((status) => status === reward.status))
            },
            at
          )
        })
      )
    )
  )

const cancel = (
  { claimKey, journal, keyed, writeOn }: Parts,
  request: RequestOf<"issued_reward.cancel">,
  caller: Caller
): Handling<"issued_reward.cancel"> =>
  orUnavailable(
    Effect.flatMap(journal.holders([ClaimKeys.issuedReward(claimKey, request.issued_reward_id)]), ([holder]) =>
      writeOn(
        Render.rewardBody,
        holder?.account,
        caller,
        request.context,
        refusal("not_found", said`There is no issued reward ${request.issued_reward_id}.`),
        { type: "cancel_reward", issued: request.issued_reward_id, reason: request.reason },
        (program) => keyed("issued_reward.cancel", program, request.context, canonical(payload(request)))
      )
    )
  )
