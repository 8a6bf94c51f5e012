/**
 * Replays the journal and compares it with every other table: what `lotbook
 * journal verify` does. Memory is bounded by a range of accounts and a page of
 * the largest one.
 */
import { Effect, Fiber } from "effect"
import { Database } from "../database/Database.ts"
import { makeClaimKey } from "../journal/Hashing.ts"
import { Programs } from "../program/Programs.ts"
import type { Difference } from "./AccountAudit.ts"
import { AccountAudit } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import type { AccountMaterial } from "./Material.ts"
import * as Material from "./Material.ts"

export interface Progress {
  readonly accounts: number
  readonly records: number
  readonly entries: number
  /** From 0 to 1. */
  readonly done: number
}

export interface Verified {
  readonly accounts: number
  readonly records: number
  readonly entries: number
  /** Differences found, those told and all others. */
  readonly differences: number
}

export interface VerifyOptions {
  /** Percent of the accounts to look at, 1 to 100. */
  readonly share: number
  readonly onDifference: (difference: Difference, name: string | undefined) => Effect.Effect<void>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

/** Called with each account that was compared, and what the tables had of it. */
type Visit<E> = (audit: AccountAudit, material: AccountMaterial) => Effect.Effect<void, E>

/** Compares one account; its larger parts are read page by page. */
const auditOne = Effect.fnUntraced(function* (
  tables: Material.Material,
  around: ConstructorParameters<typeof AccountAudit>[2],
  material: AccountMaterial
) {
  const { account, claims } = material
  const audit = new AccountAudit(account, material.snapshot, around)
  audit.read(material.records, claims)
  const lastSeq = tables.extent.longJournals.get(account) ?? 0
  const lastN = tables.extent.longLedgers.get(account) ?? 0
  let compared = 0
  if (lastSeq === 0 && lastN === 0) audit.compareLedger(material.ledger)
  else {
    for (let seq = 0; ; seq += Bounds.pageRecords) {
      if (seq > 0) audit.read(yield* tables.records(account, seq), claims)
      const isLast = seq + Bounds.pageRecords >= lastSeq
      const until = isLast ? Math.max(lastN, compared + audit.pendingEntries) : compared + audit.pendingEntries
      audit.compareLedger(yield* tables.ledger(account, compared, until))
      compared = until
      if (isLast) break
    }
  }
  audit.finish(material.row, material.hasMember, material.rewards, claims)
  return audit
})

/** Compares every account, or a share of them, and lets `visit` see each; counts what it went through. */
export const walk = Effect.fnUntraced(function* <E>(
  share: number,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) {
  const tables = yield* Material.make(yield* Database, share)
  const around = { claimKey: makeClaimKey(tables.secret), programs: yield* Programs }
  const last = tables.extent.accounts
  let accounts = 0
  let records = 0
  let entries = 0
  const fetch = (from: number) =>
    Effect.forkChild(tables.range(from, from + Bounds.rangeAccounts), { startImmediately: true })
  let next = yield* fetch(0)
  for (let from = 0; from <= last; from += Bounds.rangeAccounts) {
    const materials = yield* Fiber.join(next)
    // The database puts the next range together while this one is compared.
    next = yield* fetch(from + Bounds.rangeAccounts)
    for (const material of materials) {
      const audit = yield* auditOne(tables, around, material)
      accounts++
      records += audit.records
      entries += audit.entries
      yield* visit(audit, material)
    }
    const done = Math.min(1, (from + Bounds.rangeAccounts) / (last + 1))
    yield* onProgress({ accounts, records, entries, done })
    yield* Effect.yieldNow
  }
  yield* Fiber.interrupt(next)
  return { accounts, records, entries, claimKey: around.claimKey }
}, Effect.scoped)

export const run = Effect.fnUntraced(function* (options: VerifyOptions) {
  let differences = 0
  const visit: Visit<never> = (audit, material) => {
    if (audit.differences.length === 0) return Effect.void
    differences += audit.differences.length
    return Effect.forEach(audit.differences, (difference) => options.onDifference(difference, material.row?.memberId), {
      discard: true
    })
  }
  const { accounts, entries, records } = yield* walk(options.share, visit, options.onProgress)
  return { accounts, records, entries, differences } satisfies Verified
})
