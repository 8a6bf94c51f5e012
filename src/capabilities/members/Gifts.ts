/** Gifts to one member within the limits of a person (contract/operators.md *Limits*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/admin/Common.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Recorded } from "../../core/account/Codec.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Outcome } from "../../core/account/Outcome.ts"
import * as Render from "../../core/protocol/Render.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import type * as Reached from "./Reached.ts"
import { plus } from "./Reached.ts"

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

/**
 * Gift of a command, with the rewards of stamp cards that it would fill now, and with gifts of automations because of it.
 * `cards`: those of stamp cards. Keys and tokens are not counted. A tier that is due anyway, by the clock or a publication,
 * stops nobody who does not count for tiers.
 */
export const foreseenGift = Effect.fnUntraced(function* (
  { accounts, reached }: Parts,
  { member_id, program_id }: Named,
  gift: Given.Gift,
  asked: Command
): Effect.fn.Return<{ readonly gift: Given.Gift; readonly cards: number }, Refused, CurrentCaller> {
  if ((yield* CurrentCaller).kind !== "user") return { gift, cards: 0 }
  const outcome = yield* accounts.preview(program_id, member_id, asked)
  if (outcome._tag !== "Answered") return { gift, cards: 0 }
  const cards = Math.max(0, issuedIn(outcome.record) - gift.rewards)
  const raisesTier = asked.action.type === "adjust_manually" && asked.action.qualifies
  const caused = raisesTier ? yield* reached.by(gift.program, outcome.record.events) : nothing
  return { gift: plus(gift, { ...caused, rewards: caused.rewards + cards }), cards }
})

/**
 * Looks at an account and gives to it, again while the account refuses because it was changed in between. `work` gets the
 * account's outcome as a result.
 */
export const whileOutdated = Effect.fnUntraced(function* <R>(
  work: (
    outcomeOf: (executed: Effect.Effect<Outcome>) => Effect.Effect<Answered, Refused>
  ) => Effect.Effect<Answered, Refused, R>
): Effect.fn.Return<Answered, Refused, R> {
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
  const isPerson = (yield* CurrentCaller).kind === "user"
  const settled = ({ record }: Answered) => ({
    isNew: Render.isCreated(record)
  })
  return yield* whileOutdated((outcomeOf) =>
    Effect.gen(function* () {
      const { cards, gift } = yield* foreseenGift(parts, named, own, asked)
      const counted = isPerson ? { ...asked, mostCards: cards } : asked
      const executed = parts.accounts.execute(named.program_id, named.member_id, counted)
      return yield* parts.given.within(gift, settled, outcomeOf(executed))
    })
  )
})
