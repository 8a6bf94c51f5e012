/**
 * Replays the journal and compares it with every other table: `lotbook journal verify`.
 * Memory is bounded by one range of accounts, one page of a long account, and a few blocks of each archived span's file.
 */
import { Effect, Fiber } from "effect"
import type { SqlError } from "effect/sql"
import * as Connect from "../../base/database/Connect.ts"
import { Database } from "../../base/database/Database.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import { makeClaimKey } from "../../core/journal/Hashing.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Sums } from "../rollups/Sums.ts"
import type { AuditDeps } from "./AccountAudit.ts"
import { AccountAudit } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import * as CountedTo from "./CountedTo.ts"
import type { Difference } from "./Difference.ts"
import { FinanceAudit } from "./FinanceAudit.ts"
import type { AccountMaterial } from "./Material.ts"
import * as Material from "./Material.ts"
import type { MergeHalf } from "./Merges.ts"
import * as Merges from "./Merges.ts"
import type { MergedAccount } from "./OrderAudit.ts"
import { mergeDifferences, mergedOrders } from "./OrderAudit.ts"
import { numbersEnd, type Range } from "./Ranges.ts"
import { compareSums, RollupAudit } from "./RollupAudit.ts"
import { RowImages } from "./RowImage.ts"
import type { Choice, Progress, Verified, VerifyOptions } from "./Verification.ts"
import * as VerifyRecent from "./VerifyRecent.ts"

const figuresTo = ({ rollups: { counted, finance } }: Material.ExportedSnapshot) => ({
  figuresTo: CountedTo.text(counted.position),
  financeTo: CountedTo.text(finance.position)
})

/** The expected rollups, computed from the journal, without rows of single accounts. */
interface CountedRollups {
  readonly sums: Sums
  /** Accounts that took part in merges: their orders are not in the sums yet. */
  readonly merged: ReadonlyArray<MergedAccount>
  readonly finance: FinanceAudit
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
  sealed: [],
  misplaced: [],
  records: [],
  ledger: none,
  rewards: none,
  rollup: undefined,
  lots: none,
  orders: none,
  orderSums: undefined,
  buyer: undefined,
  older: undefined
})

const isChosen = (audit: AccountAudit, { row }: AccountMaterial, program: string | undefined): boolean =>
  program === undefined || row?.programId === program || audit.program === program

/** The parts of one walk. */
interface Walking<E> {
  readonly tables: Material.Material
  readonly deps: AuditDeps
  readonly counts: { accounts: number; records: number; entries: number }
  /** The only programme to audit. */
  readonly program: string | undefined
  readonly visit: Visit<E>
}

/** Audits the accounts of some ranges, calls `visit` with each, and counts accounts, records and entries. */
const walk = Effect.fnUntraced(function* <E>(
  exported: Material.ExportedSnapshot,
  ranges: ReadonlyArray<Range>,
  choice: Choice,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) {
  const tables = yield* Material.make(yield* Database, exported, choice.share, ranges)
  const deps: AuditDeps = {
    claimKey: makeClaimKey(exported.secret),
    programs: yield* Programs,
    versions: yield* Connect.apart(ProgramStore.allVersions),
    types: exported.types,
    claims: tables.claims,
    images: new RowImages(),
    hasOwnTime: exported.hasOwnTime,
    now: exported.now,
    rollups: new RollupAudit(exported.rollups.counted),
    finance: new FinanceAudit(exported.rollups.finance.position)
  }
  const counts = { accounts: 0, records: 0, entries: 0 }
  const walking: Walking<E> = { tables, deps, counts, program: choice.program, visit }

  const fetch = (range: Range | undefined) =>
    Effect.forkChild(range === undefined ? Effect.succeed([]) : tables.range(range), { startImmediately: true })
  let next = yield* fetch(ranges[0])
  for (const [index, range] of ranges.entries()) {
    const materials = yield* Fiber.join(next)
    // The database prepares the next range while this one is compared.
    next = yield* fetch(ranges[index + 1])
    yield* auditRange(walking, range, materials)
    yield* auditOrphans(walking, range.until === numbersEnd ? Number.POSITIVE_INFINITY : range.until)
    yield* onProgress({ ...counts, done: (index + 1) / ranges.length })
  }
  yield* Fiber.interrupt(next)
  const { isUncertain, merged, sums } = deps.rollups
  /** Undefined if a damaged account cannot be counted. */
  const rollups: CountedRollups | undefined = isUncertain ? undefined : { sums, merged, finance: deps.finance }
  return { ...counts, rollups }
}, Effect.scoped)

/** Audits the accounts of a range, and those before them that have claims alone. */
const auditRange = Effect.fnUntraced(function* <E>(
  walking: Walking<E>,
  { isLong }: Range,
  materials: ReadonlyArray<AccountMaterial>
) {
  const { claims } = walking.tables
  let audited = 0
  for (const material of materials) {
    const { account } = material
    if (!claims.hasNext || (claims.next ?? account) < account) yield* auditOrphans(walking, account)
    if (!isLong && !claims.reaches(account, Number.MAX_SAFE_INTEGER))
      yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
    yield* auditAccount(walking, material, isLong)
    // Rows of the next range arrive between turns of the loop: without them the database waits.
    if (++audited % Bounds.turnAccounts === 0) yield* Effect.yieldNow
  }
})

const auditAccount = <E>(
  walking: Walking<E>,
  material: AccountMaterial,
  isLong: boolean
): Effect.Effect<void, ArchiveFault | E | SqlError.SqlError> => {
  const { deps, tables } = walking
  const audit = new AccountAudit(material.account, material.snapshot, deps)
  audit.expect(material.sealed)
  if (isLong)
    return Effect.andThen(
      auditPages(tables, audit),
      Effect.suspend(() => conclude(walking, audit, material))
    )
  audit.read(material.records)
  audit.compareLedger(material.ledger)
  return conclude(walking, audit, material)
}

const conclude = <E>(
  { counts, program, visit }: Walking<E>,
  audit: AccountAudit,
  material: AccountMaterial
): Effect.Effect<void, E> => {
  audit.finish(material)
  if (!isChosen(audit, material, program)) return Effect.void
  counts.accounts++
  counts.records += audit.records
  counts.entries += audit.entries
  return visit(audit, material)
}

/** Audits the accounts before `until` that have claims and no other row. */
const auditOrphans = Effect.fnUntraced(function* <E>(walking: Walking<E>, until: number) {
  const { tables } = walking
  for (;;) {
    yield* tables.claims.readNext()
    const account = tables.claims.next
    if (account === undefined || account >= until) return
    yield* tables.claims.readTo(account, Number.MAX_SAFE_INTEGER)
    yield* auditAccount(walking, orphan(account), false)
  }
})

/**
 * Differences in the sums of rollups and finance, and in the orders of merged accounts. None if a share of the accounts was read, or one
 * cannot be counted.
 */
const rollupDifferences = (
  { rollups }: Material.ExportedSnapshot,
  counted: CountedRollups | undefined,
  { program, share }: Choice
): ReadonlyArray<Difference> => {
  if (share < 100 || counted === undefined) return []
  const { finance, merged, sums } = counted
  const orders = mergedOrders(merged, sums)
  // A row of another programme is compared with that programme's accounts.
  const merges = program === undefined ? mergeDifferences(merged, rollups.merges) : []
  return [
    ...orders,
    ...merges.map((difference) => ({ ...difference, table: "rollup_merges" as const })),
    ...compareSums(sums, rollups.sums, program),
    ...finance.differences(rollups.finance, program)
  ]
}

/**
 * Walks over all accounts, or only one, in a snapshot of now. Returns the differences in the rollups too. Of all accounts also
 * `filed`: those of the files of archived spans, each read whole, so that a damaged one fails here and not in what follows.
 */
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
      const { archive } = exported
      const filed = archive === undefined || account !== undefined ? [] : yield* archive.differences()
      return {
        ...counts,
        canCount: rollups !== undefined && filed.length === 0,
        differences: rollupDifferences(exported, rollups, choice),
        filed
      }
    })
  )

/**
 * Verifies the chosen accounts in a snapshot of now, and what they say together: the rollups, and both halves of merges. From
 * the last seal on, unless everything is asked for or there is no seal.
 */
export const run = Effect.fnUntraced(function* (
  options: VerifyOptions
): Effect.fn.Return<Verified, ArchiveFault | SqlError.SqlError, Database | Programs> {
  const recent = options.isFull ? undefined : yield* VerifyRecent.run(options)
  return recent ?? (yield* verifyAll(options))
})

const verifyAll = Effect.fnUntraced(function* (options: VerifyOptions) {
  const exported = yield* Material.exportSnapshot(yield* Database, { rangeRows: options.rangeRows })
  const merges: Array<MergeHalf> = []
  let differences = 0
  let foreignSnapshots = 0
  const report = (found: ReadonlyArray<Difference>, name?: string) => {
    differences += found.length
    return Effect.forEach(found, (difference) => options.onDifference(difference, name), { discard: true })
  }
  const visit: Visit<never> = (audit, material) => {
    if (audit.hasForeignSnapshot) foreignSnapshots++
    merges.push(...audit.merges)
    if (audit.differences.length === 0) return Effect.void
    differences += audit.unreported
    return report(audit.differences, material.row?.memberId)
  }
  const outside = yield* Effect.forkChild(Material.outside(yield* Database, exported), { startImmediately: true })
  const { rollups, ...counts } = yield* walk(exported, exported.ranges, options, visit, options.onProgress)
  yield* report(yield* Fiber.join(outside))
  yield* report(rollupDifferences(exported, rollups, options))
  // Members of one programme are merged, so that a choice of one has both halves.
  const unpaired = options.share < 100 ? [] : Merges.unpaired(merges)
  yield* report(unpaired.map((half) => ({ ...half, table: "journal" as const })))
  return {
    ...counts,
    foreignSnapshots,
    differences,
    ...figuresTo(exported),
    archived: exported.archive?.spans.length ?? 0,
    after: undefined
  } satisfies Verified
}, Effect.scoped)
