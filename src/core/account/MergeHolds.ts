/**
 * Accounts that a merge holds. The owner of `from` may be another node: it answers no request for the account during the
 * hold, and this node decides on a copy that it loads. Both records commit on this node, compared by their seq; then the owner loads
 * `from` again before the merge is answered.
 */
import * as Effect from "effect/Effect"
import { machineTime } from "../../base/time/Times.ts"
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
interface Hold {
  readonly account: HeldAccount
  /** False: the account's owner may not know yet what was committed. */
  readonly release: Effect.Effect<boolean>
}

/** An account that a merge can hold. */
export interface Side {
  readonly number: number
  readonly hold: Effect.Effect<Hold | Trouble>
}

export const ofOwn = (account: Account): Side => ({
  number: account.number,
  hold: Effect.map(account.hold(), (held) =>
    held instanceof HeldAccount ? { account: held, release: Effect.as(Effect.sync(held.release), true) } : held
  )
})

interface OtherDeps {
  readonly account: AccountDeps
  readonly partitions: PartitionsOfNode
  /** Does a release on this node, which owns the account by now. */
  readonly released: (asked: Remote.Release) => Effect.Effect<Remote.Holding>
}

export const ofOther = (deps: OtherDeps, number: number, program: string): Side => ({
  number,
  hold: Effect.gen(function* () {
    const { nanos } = yield* machineTime
    const hold = Codes.identifier("hold")
    const partition = partitionOf(number)
    const end = (seq: number): Effect.Effect<boolean> => {
      const asked = { type: "release", account: number, program, hold, seq } as const
      const told = Remote.call<Remote.Holding>(deps.partitions, partition, asked, deps.released(asked))
      return Effect.map(told, ({ _tag }) => _tag === "Holding")
    }
    // The owner's hold runs out after the same time, and it began later.
    const askedNanos = nanos()
    const isValid = () => nanos() - askedNanos < BigInt(Bounds.holdMs) * 1_000_000n
    const moved: Effect.Effect<Trouble> = Effect.succeed({ _tag: "Overloaded" })
    const asked = { type: "hold", account: number, program, hold } as const
    const held = yield* Remote.call<Remote.Holding>(deps.partitions, partition, asked, moved)
    if (held._tag !== "Holding") return held
    const copy = yield* Account.stored(number, program, deps.account).hold()
    if (!(copy instanceof HeldAccount)) {
      yield* end(0)
      return copy
    }
    copy.isValid = isValid
    const release = Effect.suspend(() => {
      const { seq } = copy
      copy.release()
      // After a record in doubt the owner's hold runs out, and its readers ask the journal as long as it may land.
      return seq === undefined ? Effect.succeed(false) : end(seq)
    })
    return { account: copy, release }
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
  hold(account: Account, id: string): Effect.Effect<Remote.Holding | Trouble> {
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

  release(id: string): void {
    this.held.get(id)?.release()
    this.held.delete(id)
  }
}
