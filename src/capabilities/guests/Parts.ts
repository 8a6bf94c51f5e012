/** Parts that the use cases of one guest share. */
import { Effect } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import type { State } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import { Journal } from "../../core/journal/Journal.ts"
import * as Writes from "../../core/protocol/Writes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import * as Profiles from "../members/Profiles.ts"

/** The guest of a request. */
export interface Who {
  readonly program: Program
  readonly memberId: string
  /** One of the page's languages. */
  readonly language: string
  /** When the guest is erased, ms; undefined: the guest stays. */
  readonly leavesAt?: number | undefined
}

export const needed = Effect.all({
  accounts: Accounts,
  journal: Journal,
  people: PeoplePool,
  profiles: Effect.flatMap(PeoplePool, ({ query }) => Profiles.make(query)),
  time: serviceTime,
  writes: Writes.make
})
export type Parts = Effect.Success<typeof needed>

/** A guest at an instant, ms. Everything due by then is applied. */
export interface Seen {
  readonly resident: Resident
  readonly state: State
  readonly at: number
}

/** The guest now; after a merge the one that remains. */
export const see = Effect.fnUntraced(function* ({ accounts, time }: Parts, { memberId, program }: Who) {
  const resident = yield* memberOf(accounts, program.id, memberId)
  const at = Math.max(time.now(), resident.state.at)
  return { resident, at, state: view(resident.state, program, at) } satisfies Seen
})
