/**
 * Replays the journal and compares it with every other table: what `lotbook
 * journal verify` does. Memory is bounded by a range of accounts and a page of
 * the largest one.
 */
import { Effect, Fiber } from "effect"
import type { SqlError } from "effect/sql"
import { Database } from "../database/Database.ts"
import { makeClaimKey } from "../journal/Hashing.ts"
import { Programs } from "../program/Programs.ts"
import type { Difference, Surroundings } from "./AccountAudit.ts"
import { AccountAudit } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import type { AccountMaterial } from "./Material.ts"
import * as Material from "./Material.ts"
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
  /** Snapshots of other formats, which are not compared: the service makes them anew. */
  readonly foreignSnapshots: number
  /** Differences found, reported or not. */
  readonly differences: number
}

/** Which accounts to look at. */
export interface Choice {
  /** Percent of the accounts, 1 to 100. */
  readonly share: number
  /** Only accounts of this programme, by their row or by their journal. */
  readonly program?: string | undefined
}

export interface VerifyOptions extends Choice {
  /** Rows of any one table in a range (`Bounds.rangeRows`). */
  readonly rangeRows?: number | undefined
  readonly onDifference: (difference: Difference, name: string | undefined) => Effect.Effect<void>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

/** Called with each account that was compared, and what the tables had of it. */
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
    // One row more than there should be is enough to see that there are too many.
    audit.compareLedger(yield* tables.ledger(account, from, String(until), audit.pendingEntries + 1))
    compared = until
    from = String(until + 1)
    seq = page.next
  }
  audit.compareLedger(yield* tables.ledger(account, from, Material.last, Bounds.pageRecords))
  yield* tables.claims.readTo(account, Number.MAX_SAFE_INTEGER)
})

const none = new Uint8Array()

/** An account that only claims name. */
const orphan = (account: number): AccountMaterial => ({
  account,
  row: undefined,
  member: undefined,
  identities: "",
  snapshot: undefined,
  records: [],
  ledger: none,
  rewards: none
})

const isChosen = (audit: AccountAudit, { row }: AccountMaterial, program: string | undefined): boolean =>
  program === undefined || row?.programId === program || audit.program === program

/** Goes through the accounts of some ranges as of a moment, lets `visit` see each, and counts what it went through. */
export const walk = Effect.fnUntraced(function* <E>(
  moment: Material.Moment,
  ranges: ReadonlyArray<Material.Range>,
  choice: Choice,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) {
  const tables = yield* Material.make(yield* Database, moment, choice.share, ranges)
  const { claims } = tables
  const around: Surroundings = {
    claimKey: makeClaimKey(moment.secret),
    programs: yield* Programs,
    types: moment.types,
    claims,
    images: new RowImages()
  }
  const counted = { accounts: 0, records: 0, entries: 0 }

  const look = (material: AccountMaterial, isLong: boolean): Effect.Effect<void, E | SqlError.SqlError> => {
    const audit = new AccountAudit(material.account, material.snapshot, around)
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
    counted.accounts++
    counted.records += audit.records
    counted.entries += audit.entries
    return visit(audit, material)
  }
  /** The accounts before `until` that only claims name. */
  const lookAtOrphans = Effect.fnUntraced(function* (until: number) {
    for (;;) {
      yield* claims.readNext()
      const account = claims.next
      if (account === undefined || account >= until) return
      yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
      yield* look(orphan(account), false)
    }
  })

  const fetch = (range: Material.Range | undefined) =>
    Effect.forkChild(range === undefined ? Effect.succeed([]) : tables.range(range), { startImmediately: true })
  let next = yield* fetch(ranges[0])
  for (const [index, range] of ranges.entries()) {
    const materials = yield* Fiber.join(next)
    // The database puts the next range together while this one is compared.
    next = yield* fetch(ranges[index + 1])
    for (const material of materials) {
      const { account } = material
      if (!claims.hasNext || (claims.next ?? account) < account) yield* lookAtOrphans(account)
      if (!range.isLong && !claims.reaches(account, Number.MAX_SAFE_INTEGER)) {
        yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
      }
      yield* look(material, range.isLong)
    }
    yield* lookAtOrphans(range.until === Material.numbersEnd ? Number.POSITIVE_INFINITY : range.until)
    yield* onProgress({ ...counted, done: (index + 1) / ranges.length })
    yield* Effect.yieldNow
  }
  yield* Fiber.interrupt(next)
  return counted
}, Effect.scoped)

/** The same with all accounts, or the only one of them, here and now. */
export const walkAll = <E>(
  account: number | undefined,
  visit: Visit<E>,
  onProgress: (progress: Progress) => Effect.Effect<void>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const moment = yield* Material.hold(yield* Database, { account })
      return yield* walk(moment, moment.ranges, { share: 100 }, visit, onProgress)
    })
  )

/** Part `index` of `of` of the ranges: neighbours, so that a part's claims are sorted by themselves. */
const rangesOf = ({ ranges }: Material.Moment, index: number, of: number): ReadonlyArray<Material.Range> =>
  ranges.slice(Math.floor((ranges.length * index) / of), Math.floor((ranges.length * (index + 1)) / of))

/** Verifies part `index` of `of` as of a moment. */
export const runPart = Effect.fnUntraced(function* (
  moment: Material.Moment,
  { index, of }: { readonly index: number; readonly of: number },
  options: VerifyOptions
) {
  const strays = index === 0 ? moment.strays : []
  let differences = strays.length
  let foreignSnapshots = 0
  yield* Effect.forEach(strays, (difference) => options.onDifference(difference, undefined), { discard: true })
  const visit: Visit<never> = (audit, material) => {
    if (audit.hasForeignSnapshot) foreignSnapshots++
    if (audit.differences.length === 0) return Effect.void
    differences += audit.differences.length + audit.untold
    return Effect.forEach(audit.differences, (difference) => options.onDifference(difference, material.row?.memberId), {
      discard: true
    })
  }
  const ranges = rangesOf(moment, index, of)
  const counted = yield* walk(moment, ranges, options, visit, options.onProgress)
  return { ...counted, foreignSnapshots, differences } satisfies Verified
})

/** Verifies all of it in this thread. */
export const run = (options: VerifyOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const moment = yield* Material.hold(yield* Database, { rangeRows: options.rangeRows })
      return yield* runPart(moment, { index: 0, of: 1 }, options)
    })
  )
