/**
 * Members and their accounts: look up, enrol, show.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { Accounts } from "../account/Accounts.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import * as Metrics from "../account/domain/Metrics.ts"
import type { State } from "../account/domain/State.ts"
import { view } from "../account/domain/View.ts"
import type { Resident } from "../account/Outcome.ts"
import { orUnavailable, unavailable } from "../account/Outcome.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../programs/Programs.ts"
import type { Program } from "../rules/Program.ts"
import type { Caller, Handling } from "./Handler.ts"
import * as Reads from "./Reads.ts"
import { answer, noProgram, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { originOf, payload } from "./Writes.ts"

const withMember = (resident: Resident, state: State, program: Program, at: number) => {
  const owner = ownerOf(resident)
  return {
    member: Render.member(owner, state, resident.member, Metrics.tierOf(state, program, at)?.tier_id),
    balances: Render.balances(owner, state, program, at)
  }
}

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const journal = yield* Journal
  const programs = yield* Programs
  const { now, read } = yield* Reads.make
  const { keyed, rendered } = yield* Writes.make
  const { claimKey } = journal

  const lookup = (request: RequestOf<"member.lookup">): Handling<"member.lookup"> => {
    const program = programs.get(request.program_id)
    if (program === undefined) return Effect.succeed(noProgram(request.program_id))
    return orUnavailable(
      Effect.gen(function* () {
        const at = now()
        const account = yield* journal.findIdentity(ClaimKeys.identity(claimKey, program.id, request.identity))
        if (account === undefined) return answer({ member: null, balances: [] }, at)
        const resident = yield* accounts.readOn(account)
        if (resident === undefined || resident._tag !== "Resident") return unavailable
        const state = view(resident.state, program, at)
        return answer(withMember(resident, state, program, at), at)
      })
    )
  }

  const enroll = (request: RequestOf<"member.enroll">, caller: Caller): Handling<"member.enroll"> => {
    if (programs.get(request.program_id) === undefined) return Effect.succeed(noProgram(request.program_id))
    const { key } = keyed("member.enroll", request.program_id, request.context, canonical(payload(request)))
    const { identity } = request
    const enrolled = {
      identities: [identity],
      ...(request.attributes === undefined ? undefined : { attributes: request.attributes as never })
    }
    return Effect.flatMap(
      accounts.enroll({
        program: request.program_id,
        identity,
        via: "till",
        attributes: enrolled.attributes,
        member: request.member_id,
        key,
        actor: caller.name,
        origin: originOf(request.context)
      }),
      (outcome) => rendered(Render.memberBody, outcome, enrolled)
    )
  }

  const getAccount = (request: RequestOf<"account.get">): Handling<"account.get"> =>
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

  return { "member.lookup": lookup, "member.enroll": enroll, "account.get": getAccount }
})
