/**
 * Replays the journal and compares it with every other table: `lotbook journal verify`.
 * Memory is bounded by one range of accounts and one page of a long account.
 */
import { Effect, Fiber } from "effect"
import type { SqlError } from "effect/sql"
import { Database } from "../database/Database.ts"
import { makeClaimKey } from "../journal/Hashing.ts"
import { Programs } from "../program/Programs.ts"
import type { PlainSums } from "../rollups/Sums.ts"
import { Sums } from "../rollups/Sums.ts"
import type { Difference, AuditDeps } from "./AccountAudit.ts"
import { AccountAudit } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import type { AccountMaterial } from "./Material.ts"
import * as Material from "./Material.ts"
import type { MergeHalf } from "./Merges.ts"
import * as Merges from "./Merges.ts"
import type { MergedAccount } from "./OrderAudit.ts"
import { mergeDifferences, mergedOrders } from "./OrderAudit.ts"
import { compareSums, RollupAudit } from "./RollupAudit.ts"
import { RowImages } from "./RowImage.ts"

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
  /** Snapshots of another format, which are not compared: the service writes new ones. */
  readonly foreignSnapshots: number
  /** Differences found, reported or not. */
  readonly differences: number
}

/** A whole verification. */
export interface WholeVerified extends Verified {
  /** The last record that the operators' figures include, so the last one up to which they were compared. */
  readonly figuresTo: string
}

export const figuresTo = ({ rollups }: Material.ExportedSnapshot): string => {
  const { account, epoch, seq, transaction } = rollups.counted.position
  return `record ${seq} of account ${account} (epoch ${epoch}, transaction ${transaction})`
}

/** The expected rollups of a part, computed from the journal, without rows of single accounts. */
interface CountedRollups {
  readonly sums: PlainSums
  /** Accounts that took part in merges: their orders are not in the sums yet. */
  readonly merged: ReadonlyArray<MergedAccount>
}

/** Undefined if a damaged account cannot be counted. */
type CountedPart = CountedRollups | undefined

/** The result of one part. Plain data. */
export interface VerifiedPart extends Verified {
  readonly rollups: CountedPart
  readonly merges: ReadonlyArray<MergeHalf>
}

/** The accounts to verify. */
export interface Choice {
  /** Percent of the accounts, 1 to 100. */
  readonly share: number
  /** Only accounts of this programme, according to their row or their journal. */
  readonly program?: string | undefined
}

export interface VerifyOptions extends Choice {
  /** Rows of any one table in a range (`Bounds.rangeRows`). */
  readonly rangeRows?: number | undefined
  readonly onDifference: (difference: Difference, name: string | undefined) => Effect.Effect<void>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

/** Called with each account after its comparison, and with its rows. */
type Visit<E> = (audit: AccountAudit, material: AccountMaterial) => Effect.Effect<void, E>

/** Folds and compares a long account page by page. */
const auditPages = Effect.fnUntraced(function* (tables: Material.Material, audit: AccountAudit) {
  const { account } = audit
  let from = Material.first
  let compared = 0
  for (let seq: string | undefined = Material.first; seq !== undefined; ) {
    const page: Material.JournalPage = yield* tables.records(account, seq)
    yield* tables.claims.readTo(account, page.records?.at(-1)?.seq ?? 0)
    audit.read(page.records)
    const until = compared + audit.pendingEntries
    // One row more than expected is enough to detect surplus rows.
    audit.compareLedger(yield* tables.ledger(account, from, String(until), audit.pendingEntries + 1))
    compared = until
    from = String(until + 1)
    seq = page.next
  }
  audit.compareLedger(yield* tables.ledger(account, from, Material.last, Bounds.pageRecords))
  yield* tables.claims.readTo(account, Number.MAX_SAFE_INTEGER)
})

const none = new Uint8Array()

/** An account that has claims and no other row. */
const orphan = (account: number): AccountMaterial => ({
  account,
  row: undefined,
  member: undefined,
  identities: "",
  snapshot: undefined,
  records: [],
  ledger: none,
  rewards: none,
  rollup: undefined,
  lots: none,
  orders: none,
  orderSums: undefined,
  buyer: undefined
})

const isChosen = (audit: AccountAudit, { row }: AccountMaterial, program: string | undefined): boolean =>
  program === undefined || row?.programId === program || audit.program === program

/** Audits the accounts of some ranges, calls `visit` with each, and counts accounts, records and entries. */
const walk = Effect.fnUntraced(function* <E>(
  exported: Material.ExportedSnapshot,
  ranges: ReadonlyArray<Material.Range>,
  choice: Choice,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) {
  const tables = yield* Material.make(yield* Database, exported, choice.share, ranges)
  const { claims } = tables
  const deps: AuditDeps = {
    claimKey: makeClaimKey(exported.secret),
    programs: yield* Programs,
    types: exported.types,
    claims,
    images: new RowImages(),
    hasOwnTime: exported.hasOwnTime,
    now: exported.now,
    rollups: new RollupAudit(exported.rollups.counted)
  }
  const counts = { accounts: 0, records: 0, entries: 0 }

  const auditAccount = (material: AccountMaterial, isLong: boolean): Effect.Effect<void, E | SqlError.SqlError> => {
    const audit = new AccountAudit(material.account, material.snapshot, deps)
    if (isLong)
      return Effect.andThen(
        auditPages(tables, audit),
        Effect.suspend(() => conclude(audit, material))
      )
    audit.read(material.records)
    audit.compareLedger(material.ledger)
    return conclude(audit, material)
  }
  const conclude = (audit: AccountAudit, material: AccountMaterial): Effect.Effect<void, E> => {
    audit.finish(material)
    if (!isChosen(audit, material, choice.program)) return Effect.void
    counts.accounts++
    counts.records += audit.records
    counts.entries += audit.entries
    return visit(audit, material)
  }
  /** Audits the accounts before `until` that have claims and no other row. */
  const auditOrphans = Effect.fnUntraced(function* (until: number) {
    for (;;) {
      yield* claims.readNext()
      const account = claims.next
      if (account === undefined || account >= until) return
      yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
      yield* auditAccount(orphan(account), false)
    }
  })

  const fetch = (range: Material.Range | undefined) =>
    Effect.forkChild(range === undefined ? Effect.succeed([]) : tables.range(range), { startImmediately: true })
  let next = yield* fetch(ranges[0])
  for (const [index, range] of ranges.entries()) {
    const materials = yield* Fiber.join(next)
    // The database prepares the next range while this one is compared.
    next = yield* fetch(ranges[index + 1])
    for (const material of materials) {
      const { account } = material
      if (!claims.hasNext || (claims.next ?? account) < account) yield* auditOrphans(account)
      if (!range.isLong && !claims.reaches(account, Number.MAX_SAFE_INTEGER)) {
        yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
      }
      yield* auditAccount(material, range.isLong)
    }
    yield* auditOrphans(range.until === Material.numbersEnd ? Number.POSITIVE_INFINITY : range.until)
    yield* onProgress({ ...counts, done: (index + 1) / ranges.length })
    yield* Effect.yieldNow
  }
  yield* Fiber.interrupt(next)
  const { isUncertain, merged, sums } = deps.rollups
  const rollups: CountedPart = isUncertain ? undefined : { sums, merged }
  return { ...counts, rollups }
}, Effect.scoped)

/**
 * Differences in the rollups' sums and in the orders of merged accounts, from all parts. None if a share of the
 * accounts
 * was read, or one cannot be counted.
 */
const rollupDifferences = (
  { rollups }: Material.ExportedSnapshot,
  parts: ReadonlyArray<CountedPart>,
  { program, share }: Choice
): ReadonlyArray<Difference> => {
  const counted = parts.filter((part) => part !== undefined)
  if (share < 100 || counted.length < parts.length) return []
  const expected = new Sums()
  for (const { sums } of counted) expected.merge(sums)
  const accounts = counted.flatMap((part) => part.merged)
  const orders = mergedOrders(accounts, expected)
  // A row of another programme is compared with that programme's accounts.
  const merges = program === undefined ? mergeDifferences(accounts, rollups.merges) : []
  return [
    ...orders.map((difference) => ({ ...difference, table: "rollup_orders" as const })),
    ...merges.map((difference) => ({ ...difference, table: "rollup_merges" as const })),
    ...compareSums(expected, rollups.sums, program)
  ]
}

/** Walks over all accounts, or only one, in a snapshot of now. Returns the differences in the rollups too. */
export const walkAll = <E>(
  account: number | undefined,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const exported = yield* Material.exportSnapshot(yield* Database, { account })
      const { rollups, ...counts } = yield* walk(exported, exported.ranges, { share: 100 }, visit, onProgress)
      const choice = { share: account === undefined ? 100 : 0 }
      return { ...counts, canCount: rollups !== undefined, differences: rollupDifferences(exported, [rollups], choice) }
    })
  )

/** One of `count` equal parts of a verification; `index` from 0. */
export interface Part {
  readonly index: number
  readonly count: number
}

/** The ranges of a part. They are adjacent, so that the part's claims are one range too. */
const rangesOf = ({ ranges }: Material.ExportedSnapshot, { count, index }: Part): ReadonlyArray<Material.Range> =>
  ranges.slice(Math.floor((ranges.length * index) / count), Math.floor((ranges.length * (index + 1)) / count))

/** Verifies one part of an exported snapshot. */
export const runPart = Effect.fnUntraced(function* (
  exported: Material.ExportedSnapshot,
  part: Part,
  options: VerifyOptions
) {
  const strays = part.index === 0 ? exported.strays : []
  const merges: Array<MergeHalf> = []
  let differences = strays.length
  let foreignSnapshots = 0
  yield* Effect.forEach(strays, (difference) => options.onDifference(difference, undefined), { discard: true })
  const visit: Visit<never> = (audit, material) => {
    if (audit.hasForeignSnapshot) foreignSnapshots++
    merges.push(...audit.merges)
    if (audit.differences.length === 0) return Effect.void
    differences += audit.differences.length + audit.unreported
    return Effect.forEach(audit.differences, (difference) => options.onDifference(difference, material.row?.memberId), {
      discard: true
    })
  }
  const ranges = rangesOf(exported, part)
  const counts = yield* walk(exported, ranges, options, visit, options.onProgress)
  return { ...counts, foreignSnapshots, differences, merges } satisfies VerifiedPart
})

/** Compares what all parts say together: the rollups, and both halves of merges. Returns the number of differences. */
export const conclude = Effect.fnUntraced(function* (
  exported: Material.ExportedSnapshot,
  parts: ReadonlyArray<VerifiedPart>,
  options: VerifyOptions
) {
  const all = parts.map(({ rollups }) => rollups)
  // Members of one programme are merged, so that a choice of one has both halves.
  const merges = options.share < 100 ? [] : Merges.unpaired(parts.flatMap((part) => part.merges))
  const found = [
    ...rollupDifferences(exported, all, options),
    ...merges.map((half) => ({ ...half, table: "journal" as const }))
  ]
  yield* Effect.forEach(found, (difference) => options.onDifference(difference, undefined), { discard: true })
  return found.length
})

/** Verifies everything in this thread. */
export const run = (options: VerifyOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const exported = yield* Material.exportSnapshot(yield* Database, { rangeRows: options.rangeRows })
      const part = yield* runPart(exported, { index: 0, count: 1 }, options)
      const { merges: _, rollups: __, ...found } = part
      const differences = found.differences + (yield* conclude(exported, [part], options))
      return { ...found, differences, figuresTo: figuresTo(exported) } satisfies WholeVerified
    })
  )
