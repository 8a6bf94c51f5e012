/**
 * Turns a request into a guarded command on an account, and the record into an
 * answer.
 */
import { Effect } from "effect"
import type { Outcome, Resident } from "../account/Outcome.ts"
import { Accounts } from "../account/Accounts.ts"
import type { Recorded } from "../account/Codec.ts"
import type { Action } from "../account/domain/Command.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import type { Guards } from "../account/Guards.ts"
import * as Rows from "../account/Rows.ts"
import type { WriteContext } from "../contract/protocol/Context.ts"
import type { OperationId } from "../contract/protocol/Operations.ts"
import type { Claim } from "../journal/Records.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import type { Caller, Handled } from "./Handler.ts"
import { noProgram, ownerOf, unavailable } from "./Reads.ts"
import * as Render from "./Render.ts"

/** A request without its context: the payload that idempotency compares. */
export const payload = <R extends { readonly context: unknown }>({ context: _, ...rest }: R) => rest

const recorded = (record: Recorded, owner: Render.Owner, { member, state }: Resident, isReplay: boolean): Handled => ({
  _tag: "Answer",
  created: Render.isCreated(record),
  processedAt: record.at,
  body: Render.recorded(owner, record, state, member),
  isReplay
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { claimKey } = yield* Journal
  const programs = yield* Programs

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

  /** Builds the answer from a record, for its own request and for replays. */
  const rendered = (outcome: Outcome): Effect.Effect<Handled> => {
    if (outcome._tag !== "Answered") {
      if (outcome._tag === "Held") throw new Error("only an enrolment is held by a member")
      return Effect.succeed(outcome)
    }
    const { isReplay = false, record, resident } = outcome
    if (resident !== undefined) return Effect.succeed(recorded(record, ownerOf(resident), resident, isReplay))
    return Effect.gen(function* () {
      const found = yield* accounts.readOn(record.account, true)
      if (found?._tag !== "Resident") return found ?? unavailable
      const owner = ownerOf(found)
      if (found.state.mergedInto === undefined) return recorded(record, owner, found, isReplay)
      // The member's own ids, with status and personal data where they are now.
      const now = yield* accounts.readOn(record.account)
      if (now?._tag !== "Resident") return now ?? unavailable
      const { joined } = found.state
      return recorded(record, owner, { ...now, state: { ...now.state, joined } }, isReplay)
    })
  }

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

  /**
   * A write on the account that a reservation or an issued reward belongs to, guarded in that account's programme;
   * `unknown` if there is no such account.
   */
  const writeOn = (
    number: number | undefined,
    caller: Caller,
    unknown: Refusal,
    action: Action,
    guards: (program: string) => Guards
  ): Effect.Effect<Handled> => {
    if (number === undefined) return Effect.succeed(unknown)
    const command = (program: string) => ({ action, guards: guards(program), actor: caller.name })
    return Effect.flatMap(accounts.executeOn(number, command, caller.programs), (outcome) =>
      outcome === undefined ? Effect.succeed(unknown) : rendered(outcome)
    )
  }

  return { guard, guardFacts, rendered, write, writeOn }
})
