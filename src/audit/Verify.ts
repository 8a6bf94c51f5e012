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

const whole: Material.Part = { index: 0, of: 1 }

/** Compares the accounts of a part as of a moment, lets `visit` see each, and counts what it went through. */
export const walk = Effect.fnUntraced(function* <E>(
  moment: Material.Moment,
  share: number,
  part: Material.Part,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) {
  const tables = yield* Material.make(yield* Database, moment, share, part)
  const around = { claimKey: makeClaimKey(moment.secret), programs: yield* Programs }
  const last = tables.extent.accounts
  const step = Bounds.rangeAccounts * part.of
  let accounts = 0
  let records = 0
  let entries = 0
  const fetch = (from: number) =>
    Effect.forkChild(tables.range(from, from + Bounds.rangeAccounts), { startImmediately: true })
  let next = yield* fetch(part.index * Bounds.rangeAccounts)
  for (let from = part.index * Bounds.rangeAccounts; from <= last; from += step) {
    const materials = yield* Fiber.join(next)
    // The database puts the next range together while this one is compared.
    next = yield* fetch(from + step)
    for (const material of materials) {
      const audit = yield* auditOne(tables, around, material)
      accounts++
      records += audit.records
      entries += audit.entries
      yield* visit(audit, material)
    }
    yield* onProgress({ accounts, records, entries, done: Math.min(1, (from + step) / (last + 1)) })
    yield* Effect.yieldNow
  }
  yield* Fiber.interrupt(next)
  return { accounts, records, entries }
}, Effect.scoped)

/** The same with all accounts, here and now. */
export const walkAll = <E>(visit: Visit<E>, onProgress: (progress: Progress) => Effect.Effect<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const moment = yield* Material.hold(yield* Database)
      return yield* walk(moment, 100, whole, visit, onProgress)
    })
  )

/** Verifies a part as of a moment. */
export const runPart = Effect.fnUntraced(function* (
  moment: Material.Moment,
  part: Material.Part,
  options: VerifyOptions
) {
  let differences = 0
  const visit: Visit<never> = (audit, material) => {
    if (audit.differences.length === 0) return Effect.void
    differences += audit.differences.length
    return Effect.forEach(audit.differences, (difference) => options.onDifference(difference, material.row?.memberId), {
      discard: true
    })
  }
  const { accounts, entries, records } = yield* walk(moment, options.share, part, visit, options.onProgress)
  return { accounts, records, entries, differences } satisfies Verified
})

/** Verifies all of it in this thread. */
export const run = (options: VerifyOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      return yield* runPart(yield* Material.hold(yield* Database), whole, options)
    })
  )
