/**
 * Reads: a member's state now, with due events counted.
 */
import { Effect } from "effect"
import { serviceTime } from "../../base/time/Times.ts"
import { said } from "../../contract/Said.ts"
import { Accounts } from "../account/Accounts.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import { refusal } from "../account/domain/Refusal.ts"
import type { State } from "../account/domain/State.ts"
import { view } from "../account/domain/View.ts"
import type { Resident } from "../account/Outcome.ts"
import { Programs } from "../programs/Programs.ts"
import type { Program } from "../rules/Program.ts"
import type { Answer, Handled } from "./Handler.ts"
import type * as Render from "./Render.ts"

export const noProgram = (id: string): Refusal => refusal("not_found", said`There is no programme ${id}.`)
const noMember = (program: string, member: string): Refusal =>
  refusal("not_found", said`Programme ${program} has no member ${member}.`)

export const ownerOf = (
  resident: Pick<Resident, "account"> & { readonly state: Pick<State, "member" | "program"> }
): Render.Owner => ({
  account: resident.account,
  program: resident.state.program,
  member: resident.state.member
})

/** An answer with the time `at`, ms. */
export const answer = <Body extends object>(body: Body, at: number): Answer<Body> => ({
  _tag: "Answer",
  created: false,
  processedAt: at,
  body
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const programs = yield* Programs
  const { now } = yield* serviceTime

  /** A member's view now. */
  const read = <Body extends object>(
    program: string,
    member: string,
    show: (
      state: State,
      resident: Resident,
      program: Program,
      at: number
    ) => Effect.Effect<Handled<Body>> | Handled<Body>
  ): Effect.Effect<Handled<Body>> => {
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

  return { now, read }
})
