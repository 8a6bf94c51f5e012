/** Parts that all vendors' transactions need. */
import { Effect } from "effect"
import { PeoplePool } from "../../../base/database/Pools.ts"
import { machineTime, serviceTime } from "../../../base/time/Times.ts"
import type { WriteContext } from "../../../contract/protocol/Context.ts"
import { profile, protocolVersion } from "../../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../../contract/Values.ts"
import { Accounts } from "../../../core/account/Accounts.ts"
import type { Trouble } from "../../../core/account/Outcome.ts"
import { Journal } from "../../../core/journal/Journal.ts"
import { WriteFreeze } from "../../../core/journal/WriteFreeze.ts"
import { Programs } from "../../../core/programs/Programs.ts"
import { Handlers } from "../../../core/protocol/Handler.ts"
import * as Claims from "../../claims/Parts.ts"
import type { KnownConnection } from "./KnownConnections.ts"
import * as TurnStatements from "./TurnStatements.ts"
import { Zones } from "./Zones.ts"

export const needed = Effect.gen(function* () {
  const { claimKey, findIdentity, holders } = yield* Journal
  const { query } = yield* PeoplePool
  const machine = yield* machineTime
  return {
    accounts: yield* Accounts,
    claimKey,
    findIdentity,
    holders,
    /** Of orders without a guest. */
    claims: yield* Claims.needed,
    freeze: yield* WriteFreeze,
    handlers: yield* Handlers,
    programs: yield* Programs,
    query,
    turns: yield* TurnStatements.make(query),
    zones: new Zones(query, machine.now),
    machine,
    /** The machine's time, ms. */
    now: machine.now,
    /** The service's time, ms. */
    serviceNow: (yield* serviceTime).now,
    fork: Effect.runForkWith(yield* Effect.context<never>())
  }
})
export type TillParts = Effect.Success<typeof needed>

/** The context of a command. `key` follows from the vendor's ids, never from the attempt. */
export const contextOf = (
  { serviceNow }: Pick<TillParts, "serviceNow">,
  { caller, vendor }: KnownConnection,
  requestId: string,
  key: string
): WriteContext => ({
  protocol_version: protocolVersion,
  profile,
  request_id: requestId,
  idempotency_key: `${caller.keyId}:${key}`,
  occurred_at: fromMillis(serviceNow()),
  source: { system: vendor, instance: caller.keyId }
})

/** Storage, another node or the freeze prevented it: the till asks again. */
export const isTrouble = (outcome: { readonly _tag: string }): outcome is Trouble =>
  outcome._tag !== "Answer" &&
  outcome._tag !== "Refusal" &&
  outcome._tag !== "Resident" &&
  outcome._tag !== "FoundOrder"
