/** Gifts to one member within the limits of a person (contract/operators.md *Limits*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Recorded } from "../../core/account/Codec.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Action } from "../../core/account/domain/Action.ts"
import * as Notices from "../../core/account/domain/Notices.ts"
import type { State } from "../../core/account/domain/State.ts"
import type { Outcome, Resident } from "../../core/account/Outcome.ts"
import type { RecordPlace } from "../../core/account/PastRecords.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { endingOf } from "../../desk/surface/Ending.ts"
import type * as Given from "../../desk/surface/Given.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Reached from "../segments/Reached.ts"
import { plus } from "../segments/Reached.ts"
import * as Bounds from "./Bounds.ts"

interface Parts {
  readonly accounts: Accounts["Service"]
  readonly given: Effect.Success<typeof Given.make>
  readonly reached: Effect.Success<typeof Reached.make>
}

interface Named {
  readonly program_id: string
  readonly member_id: string
}

export type Answered = Extract<Outcome, { readonly _tag: "Answered" }>

/** The number of rewards that a record issues. */
export const issuedIn = ({ events }: Recorded): number => events.filter(({ type }) => type === "reward_issued").length

/** No record has it. */
export const nowhere: RecordPlace = { account: 0, seq: 0 }

/** A gift as it is counted, and the place of the record that gives it; undefined: of a caller who is no person. */
interface ForeseenGift {
  readonly gift: Given.Gift
  readonly counted: Command["counted"]
}

/** An entry of nothing changes no tier, and tells the one that is due: an account tells it with its next event. */
const neutral: Action = {
  type: "adjust_manually",
  adjustment: "foreseen",
  amount: 0,
  unit: undefined,
  classification: "correction",
  reason: "foreseen",
  qualifies: false,
  expires: undefined
}

/** The record of a member that comes with whatever is done next, and the state after it. */
interface Due {
  readonly events: Recorded["events"]
  readonly state: State | undefined
}

/** Undefined: the member has changed since record `seq` was foreseen. */
export const dueWith = (
  accounts: Accounts["Service"],
  program: string,
  member: string,
  seq: number
): Effect.Effect<Due | undefined> =>
  Effect.map(accounts.preview(program, member, { action: neutral, guards: {} }), (outcome) => {
    if (outcome._tag !== "Answered") return { events: [], state: undefined }
    const { record, resident } = outcome
    return record.seq === seq ? { events: record.events, state: resident?.state } : undefined
  })

/** True of a credit with a date of its own, if a warning is still to come. One of the programme is warned of anyway. */
const isWarnedOf = (program: Program, action: Action, at: number): boolean =>
  action.type === "adjust_manually" &&
  action.amount > 0 &&
  action.expires !== undefined &&
  Notices.isWarned(program, action.expires, at)

/**
 * Gift of a command, with the rewards of stamp cards that it would fill now, and with gifts of campaigns because of it.
 * Keys and tokens are not counted. A tier that is due anyway, by the clock or a publication, stops nobody.
 */
export const foreseenGift = Effect.fnUntraced(function* (
  { accounts, reached }: Parts,
  { member_id, program_id }: Named,
  gift: Given.Gift,
  asked: Command
): Effect.fn.Return<ForeseenGift, Refused, CurrentCaller> {
  if ((yield* CurrentCaller).kind !== "user") return { gift, counted: undefined }
  const outcome = yield* accounts.preview(program_id, member_id, asked)
  if (outcome._tag !== "Answered") return { gift, counted: nowhere }
  const { record, resident } = outcome
  const { account, at, events, seq } = record
  const cards = Math.max(0, issuedIn(record) - gift.rewards)
  const all = { ...gift, rewards: gift.rewards + cards }
  // A repeat brings about nothing; a reward alone changes no points.
  if (resident === undefined || asked.action.type === "issue_reward") return { gift: all, counted: { account, seq } }
  const due = yield* dueWith(accounts, program_id, member_id, seq)
  // The account refuses it if it brings about more, and it is looked at again.
  if (due === undefined) return { gift: all, counted: nowhere }
  const guest = Reached.ofAccount(resident, due.state, at)
  const isWarned = isWarnedOf(gift.program, asked.action, at)
  const caused = yield* reached.by(gift.program, { guest, due: due.events, events, isWarned })
  return { gift: plus(all, caused.amounts), counted: { account, seq, always: caused.dependsOnState } }
})

/**
 * Looks at an account and gives to it, again while the account refuses because it was changed in between. `work` gets the
 * account's outcome as a result.
 */
export const whileOutdated = Effect.fnUntraced(function* <A, R>(
  work: (
    outcomeOf: (executed: Effect.Effect<Outcome>) => Effect.Effect<Answered, Refused>
  ) => Effect.Effect<A, Refused, R>
): Effect.fn.Return<A, Refused, R> {
  for (let tries = 0; tries < Bounds.giftTries; tries++) {
    let isOutdated = false
    const exit = yield* Effect.result(
      work((executed) =>
        Effect.flatMap(executed, (outcome) => {
          isOutdated = outcome._tag === "Refusal" && outcome.code === "limit_exceeded"
          return outcome._tag === "Answered" ? Effect.succeed(outcome) : Effect.fail(refusedBy(outcome))
        })
      )
    )
    if (!isOutdated) return yield* Effect.fromResult(exit)
  }
  return yield* refuse("overloaded", "The member changes too often; nothing was done. Try again.")
})

/** Executes a command that gives or takes away, within the caller's limits. */
export const given = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  own: Given.Gift,
  asked: Command
): Effect.fn.Return<Answered, Refused, CurrentCaller> {
  const settled = ({ record }: Answered) => ({
    isNew: Render.isCreated(record)
  })
  return yield* whileOutdated((outcomeOf) =>
    Effect.gen(function* () {
      const { counted, gift } = yield* foreseenGift(parts, named, own, asked)
      const executed = parts.accounts.execute(named.program_id, named.member_id, { ...asked, counted })
      return yield* parts.given.within(gift, settled, outcomeOf(executed))
    })
  )
})

/**
 * Ends a membership as it is looked at, within the caller's limits: an order may come in between. `command`: makes the
 * command, once it is counted.
 */
export const ended = Effect.fnUntraced(function* <R>(
  { within }: Parts["given"],
  look: Effect.Effect<{ readonly program: Program; readonly resident: Resident; readonly state: State }, Refused, R>,
  command: (counted: Command["counted"]) => Effect.Effect<Effect.Effect<Outcome>, Refused, R>
): Effect.fn.Return<Answered, Refused, R | CurrentCaller> {
  const { kind } = yield* CurrentCaller
  return yield* whileOutdated((outcomeOf) =>
    Effect.flatMap(look, ({ program, resident, state }) => {
      const { account } = resident
      const place = { account, seq: resident.state.seq + 1, always: true }
      const executed = Effect.flatMap(command(kind === "user" ? place : undefined), outcomeOf)
      return within(endingOf(program, account, state), () => ({ isNew: true }), executed)
    })
  )
})
