/** A guest takes a reward into the wallet for points (contract/guests.md *Taking a reward*). */
import { Effect } from "effect"
import type { WalletEntry } from "../../contract/guest/Shown.ts"
import * as Codes from "../../core/account/Codes.ts"
import type { Command } from "../../core/account/Command.ts"
import * as IssuedRewards from "../../core/protocol/IssuedRewards.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refusedBy } from "../../desk/surface/Refusal.ts"
import * as Me from "./Me.ts"
import type { Parts, Who } from "./Parts.ts"

/**
 * The id of the reward that a request with an `Idempotency-Key` issues. The journal claims it, so that the request takes
 * points once, on any node and after a kill. It follows from the session, which a merge leaves as it is.
 */
const issuedIdOf = ({ journal }: Parts, session: string, key: string | undefined): string =>
  key === undefined
    ? Codes.identifier("irw")
    : `irw_${journal.claimKey("guest reward", session, key).replaceAll("-", "").toUpperCase()}`

/** Takes a reward for the guest. `session`: names the session of the request. */
export const take = Effect.fnUntraced(function* (
  parts: Parts,
  { memberId, program }: Who,
  session: string,
  reward_id: string
) {
  const { idempotencyKey } = yield* CurrentCaller
  const issued_reward_id = issuedIdOf(parts, session, idempotencyKey)
  const asked = { issued_reward_id, program_id: program.id, member_id: memberId, reward_id }
  const { action, guards } = IssuedRewards.issuing(parts.writes, asked)
  const audit = yield* Audit.entryOf({
    action: "member.reward.take",
    subject: { type: "member", id: memberId },
    programId: program.id,
    changes: Audit.changesOf(undefined, { issued_reward_id, reward_id })
  })
  const command: Command = {
    action: { ...action, isPaid: true },
    guards,
    audit,
    actor: audit.actor.name,
    origin: audit.requestId
  }
  const outcome = yield* parts.accounts.execute(program.id, memberId, command)
  if (outcome._tag !== "Answered") return yield* refusedBy(outcome)
  const { account, reply, seq } = outcome.record
  if (reply.type !== "reward") throw new Error(`record ${account}/${seq} took no reward, and has its claim`)
  const entry: WalletEntry = Me.walletEntry(program, reply.reward)
  return { created: outcome.isEarlier !== true, body: entry }
})
