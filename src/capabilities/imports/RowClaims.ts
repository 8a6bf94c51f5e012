/** The claims that tell what the rows of an import did, whatever was killed in between: enrolments and opening balances. */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { Claim } from "../../core/journal/Records.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import type { DoneRow } from "./ImportStore.ts"
import type { ValidRow } from "./Submitted.ts"

interface Parts {
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders">
}

const claimOf = (key: string): Claim => ({ key, fingerprint: key })
/** The claim of a row's enrolment. */
export const rowKey = (claimKey: ClaimKey, id: string, row: number): Claim =>
  claimOf(claimKey("import row", id, String(row)))
/** The claim of the opening balance that a row posts. */
export const openingKey = (claimKey: ClaimKey, id: string, row: number): Claim =>
  claimOf(claimKey("import opening", id, String(row)))

/** The accounts that rows of an import have enrolled. */
export const enrolledBy = Effect.fnUntraced(function* (
  { journal }: Parts,
  id: string,
  rows: ReadonlyArray<ValidRow>
): Effect.fn.Return<ReadonlySet<number>, Refused> {
  const keys = rows.map(({ row }) => rowKey(journal.claimKey, id, row).key)
  const holders = yield* orUnavailable(journal.holders(keys))
  return new Set(holders.flatMap(({ account, seq }) => (seq === 1 ? [account] : [])))
})

/** The outcomes of rows: those that enrolled their members are `created`, also in part, or before the import was interrupted. */
export const withEnrolledBefore = Effect.fnUntraced(function* (
  { journal }: Parts,
  id: string,
  done: ReadonlyArray<DoneRow>
): Effect.fn.Return<ReadonlyArray<DoneRow>, Refused> {
  const keyOf = ({ row }: DoneRow) => rowKey(journal.claimKey, id, row).key
  // One that failed has an account if a part of it was imported.
  const found = done.filter(({ account, outcome }) => outcome !== "created" && account !== undefined)
  if (found.length === 0) return done
  const holders = yield* orUnavailable(journal.holders(found.map(keyOf)))
  // An enrolment is an account's first record. A row that found its member has its key in a later record.
  const enrolled = new Set(holders.flatMap(({ key, seq }) => (seq === 1 ? [key] : [])))
  return done.map((one) => (enrolled.has(keyOf(one)) ? { ...one, outcome: "created" } : one))
})

/** The outcomes of rows with the records of the opening balances that they posted, now or before the import was interrupted. */
export const withOpenings = Effect.fnUntraced(function* (
  { journal }: Parts,
  id: string,
  done: ReadonlyArray<DoneRow>
): Effect.fn.Return<ReadonlyArray<DoneRow>, Refused> {
  const keyOf = ({ row }: DoneRow) => openingKey(journal.claimKey, id, row).key
  const holders = yield* orUnavailable(journal.holders(done.map(keyOf)))
  const records = new Map(holders.map((holder) => [holder.key, holder]))
  return done.map((one) => {
    const holder = records.get(keyOf(one))
    return holder === undefined || holder.account !== one.account ? one : { ...one, opening: holder.seq }
  })
})
