/**
 * Accounts that a merge holds. If `from` belongs to another node, its owner answers nothing of it meanwhile, and this
 * node decides on a copy that it loads. Both records commit on this node, compared by their seq; then the owner loads
 * `from` again before the merge is answered.
 */
import * as Effect from "effect/Effect"
import type { PartitionsOfNode } from "../cluster/Partitions.ts"
import { partitionOf } from "../cluster/Placement.ts"
import { Account } from "./Account.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as Codes from "./Codes.ts"
import { HeldAccount } from "./HeldAccount.ts"
import type { Trouble } from "./Outcome.ts"
import * as Remote from "./Remote.ts"

/** A held account, and the end of the hold. */
export interface Hold {
  readonly account: HeldAccount
  readonly release: Effect.Effect<void>
}

/** An account that a merge can hold. */
export interface Side {
  readonly number: number
  readonly hold: Effect.Effect<Hold | Trouble>
}

export const ofOwn = (account: Account): Side => ({
  number: account.number,
  hold: Effect.map(account.hold(), (held) =>
    held instanceof HeldAccount ? { account: held, release: Effect.sync(held.release) } : held
  )
})

export const ofOther = (deps: AccountDeps, partitions: PartitionsOfNode, number: number, program: string): Side => ({
  number,
  hold: Effect.gen(function* () {
    const hold = Codes.identifier("hold")
    const partition = partitionOf(number)
    const moved: Effect.Effect<Trouble> = Effect.succeed({ _tag: "Overloaded" })
    const asked = { type: "hold", account: number, program, hold } as const
    const held = yield* Remote.call<{ readonly _tag: "Holding" }>(partitions, partition, asked, moved)
    if (held._tag !== "Holding") return held
    // If the owner does not hear of the end, its hold runs out.
    const end = Effect.asVoid(
      Remote.call<{ readonly _tag: "Holding" }>(
        partitions,
        partition,
        { type: "release", account: number, hold },
        moved
      )
    )
    const copy = yield* Account.stored(number, program, deps).hold()
    if (copy instanceof HeldAccount) return { account: copy, release: Effect.andThen(Effect.sync(copy.release), end) }
    yield* end
    return copy
  })
})

/** The accounts of this node that merges of other nodes hold. */
export class MergeHolds {
  private readonly deps: Pick<AccountDeps, "fork">
  private readonly held = new Map<string, HeldAccount>()

  constructor(deps: Pick<AccountDeps, "fork">) {
    this.deps = deps
  }

  /** Holds the account: nothing of it is answered until `release`, or until the hold runs out. */
  hold(account: Account, id: string): Effect.Effect<{ readonly _tag: "Holding" } | Trouble> {
    return Effect.map(account.hold(), (held) => {
      if (!(held instanceof HeldAccount)) return held
      held.outdated()
      this.held.set(id, held)
      this.deps.fork(
        Effect.andThen(
          Effect.sleep(Bounds.holdMs),
          Effect.suspend(() => {
            if (!this.held.delete(id)) return Effect.void
            // The other node's append may still be on its way.
            account.doubtReads(Bounds.doubtMs)
            held.release()
            return Effect.logWarning(`A merge has held account ${account.number} for too long`)
          })
        )
      )
      return { _tag: "Holding" }
    })
  }

  release(id: string): Effect.Effect<{ readonly _tag: "Holding" }> {
    return Effect.sync(() => {
      this.held.get(id)?.release()
      this.held.delete(id)
      return { _tag: "Holding" }
    })
  }
}
