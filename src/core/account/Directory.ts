/**
 * The accounts in memory, at most `residentLimit`. Accounts that were unused for
 * long are evicted, but only while they are idle.
 */
import * as Effect from "effect/Effect"
import type { AccountNumber } from "../journal/Records.ts"
import type { Account } from "./Account.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"

interface Place {
  readonly account: Account
  /** When the account was last asked for, and when its place was last moved to the end, ms. */
  usedAt: number
  movedAt: number
}

export class Directory {
  private readonly deps: Pick<AccountDeps, "fork" | "now">
  private readonly limit: number
  private readonly idleMs: number
  /** Sorted by `movedAt`, oldest first. */
  private readonly places = new Map<AccountNumber, Place>()
  private sweptAt = 0

  constructor(deps: Pick<AccountDeps, "fork" | "now">, limit: number, idleMs: number) {
    this.deps = deps
    this.limit = limit
    this.idleMs = idleMs
  }

  get size(): number {
    return this.places.size
  }

  get(number: AccountNumber): Account | undefined {
    return this.places.get(number)?.account
  }

  /** The accounts, each with the seq of its newest record. */
  seqs(): Iterable<readonly [AccountNumber, number]> {
    return this.places.values().map(({ account }) => [account.number, account.seq] as const)
  }

  /** Notes that the account is used now. Adds it if it is new. */
  keep(account: Account): Account {
    const now = this.deps.now()
    const place = this.places.get(account.number)
    if (place?.account === account) place.usedAt = now
    else this.places.set(account.number, { account, usedAt: now, movedAt: now })
    if (this.places.size > this.limit || now >= this.sweptAt + Bounds.sweepMs) {
      this.sweptAt = now
      this.passivate(now, account)
    }
    return account
  }

  remove(number: AccountNumber): void {
    this.places.delete(number)
  }

  /** Ends the work of accounts that go to another node, once their requests are answered. */
  drain(isGiven: (account: Account) => boolean): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        let isDrained = true
        for (const [number, { account }] of this.places) {
          if (!isGiven(account)) continue
          if (!account.isIdle) {
            isDrained = false
            continue
          }
          account.retire()
          this.places.delete(number)
          if (account.tail >= Bounds.passivatedTail) this.deps.fork(account.snapshot())
        }
        if (isDrained) return
        yield* Effect.sleep(Bounds.drainPauseMs)
      }
    })
  }

  /**
   * Passivates accounts that were unused for long, and the longest unused ones if
   * there are too many. Moves used accounts to the end here and not at every use,
   * which is cheaper.
   */
  private passivate(now: number, kept: Account): void {
    // Worst case: one round moves all accounts to the end, and one more step finds the longest unused.
    let moves = this.places.size + 1
    for (const [number, place] of this.places) {
      const { account, movedAt, usedAt } = place
      if (moves-- <= 0 || (this.places.size <= this.limit && movedAt > now - this.idleMs)) return
      this.places.delete(number)
      if (usedAt > movedAt || account === kept || !account.isIdle) {
        place.movedAt = Math.max(usedAt, movedAt)
        this.places.set(number, place)
        continue
      }
      // A caller that has found it and not asked yet asks its successor. One that is opening has none.
      if (!account.isOpening) account.retire()
      if (account.tail >= Bounds.passivatedTail) this.deps.fork(account.snapshot())
    }
  }
}
