/** Finds accounts by member or number: of this node, in memory or not, and of other nodes. */
import * as Effect from "effect/Effect"
import type { PartitionsOfNode } from "../cluster/Partitions.ts"
import { partitionOf } from "../cluster/Placement.ts"
import type { AccountNumber, JournalUnavailable, NewAccount } from "../journal/Records.ts"
import { Account } from "./Account.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import type { Directory } from "./Directory.ts"
import { MergeHolds } from "./MergeHolds.ts"
import { Recent } from "./Recent.ts"
import type { AccountRef } from "./Remote.ts"
import * as Remote from "./Remote.ts"

export class Lookup {
  readonly deps: AccountDeps
  readonly partitions: PartitionsOfNode
  /** The accounts of this node that merges of other nodes hold. */
  readonly holds: MergeHolds
  private readonly directory: Directory
  private readonly numbers = new Recent<string, AccountNumber>(Bounds.knownMembers)
  private readonly programs = new Recent<AccountNumber, string>(Bounds.knownMembers)
  private readonly remote: Remote.RemoteDeps

  constructor(deps: AccountDeps, partitions: PartitionsOfNode, directory: Directory) {
    this.deps = deps
    this.partitions = partitions
    this.directory = directory
    this.holds = new MergeHolds(deps)
    this.remote = { partitions, fork: deps.fork, accountOf: (number, program) => this.account(number, program) }
  }

  isMine(number: AccountNumber): boolean {
    return this.partitions.isMine(partitionOf(number))
  }

  /** An account of this node. */
  own(number: AccountNumber, program: string): Account {
    return this.directory.keep(this.directory.get(number) ?? Account.stored(number, program, this.deps))
  }

  account(number: AccountNumber, program: string): AccountRef {
    return this.isMine(number) ? this.own(number, program) : Remote.account(this.remote, number, program)
  }

  /** An account of this node that its first record will open. */
  opening(number: AccountNumber, opens: NewAccount): Account {
    return this.directory.keep(Account.opening(number, opens, this.deps))
  }

  /** Forgets an account whose first record was not written. */
  notOpened(number: AccountNumber): void {
    this.directory.remove(number)
  }

  /** A member's account, if no read is needed. */
  known(program: string, member: string): AccountNumber | undefined {
    return this.numbers.get(`${program} ${member}`)
  }

  learn(program: string, member: string, number: AccountNumber): void {
    this.numbers.set(`${program} ${member}`, number)
  }

  find(program: string, member: string): Effect.Effect<AccountNumber | undefined, JournalUnavailable> {
    const number = this.known(program, member)
    if (number !== undefined) return Effect.succeed(number)
    return Effect.map(this.deps.journal.findAccount(program, member), (found) => {
      if (found !== undefined) this.learn(program, member, found)
      return found
    })
  }

  /** The programme of an account; undefined if there is no such account. */
  programOf(number: AccountNumber): Effect.Effect<string | undefined, JournalUnavailable> {
    const there = this.directory.get(number)?.programId ?? this.programs.get(number)
    if (there !== undefined) return Effect.succeed(there)
    return Effect.map(this.deps.journal.loadAccount(number), (stored) => {
      if (stored !== undefined) this.programs.set(number, stored.programId)
      return stored?.programId
    })
  }
}
