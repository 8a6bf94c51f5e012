/**
 * Verifies what came after the last seal, and the seals: `lotbook journal verify` once a span is sealed. Its cost grows with
 * the records since then, not with those of all years (contract/databases.md *Seals*).
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import * as AuditChain from "./AuditChain.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"
import * as Material from "./Material.ts"
import type { MergeHalf } from "./Merges.ts"
import * as Merges from "./Merges.ts"
import * as Proofs from "./Proofs.ts"
import * as SealAudit from "./SealAudit.ts"
import * as SpanAudit from "./SpanAudit.ts"
import * as SpanWalk from "./SpanWalk.ts"
import * as Strays from "./Strays.ts"
import type { Verified, VerifyOptions } from "./Verification.ts"

/** Differences of what no account's records tell of. */
const beside = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, after: number) {
  const { secret } = yield* Material.installationRow(connection.query(Material.installationStatement))
  const lost = yield* SpanAudit.lost(connection, after)
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  const found = [
    ...lost,
    ...(yield* SealAudit.differences(connection, "last")),
    ...(yield* Strays.differences(connection, "without keys")),
    ...(yield* SpanAudit.differences(connection, after)),
    ...(yield* AuditChain.differences(connection, secret)),
    ...(yield* Proofs.differences(connection))
  ]
  yield* connection.query("SET LOCAL enable_seqscan = DEFAULT", [], false)
  return found
})

/**
 * Verifies from the last seal on; undefined: there is none. One snapshot has the seal and all else: a seal that is made meanwhile
 * prunes states that this one begins from.
 */
export const run = Effect.fnUntraced(function* ({
  onDifference,
  onProgress,
  program,
  rangeRows = Bounds.rangeRows,
  share
}: VerifyOptions) {
  const connection = yield* SpanWalk.connect
  const { era, span } = yield* SealAudit.newest(connection)
  if (span < 0) return undefined
  const merges: Array<MergeHalf> = []
  const counts = { accounts: 0, records: 0, entries: 0 }
  let differences = 0
  let foreignSnapshots = 0
  const report = (found: ReadonlyArray<Difference>, name?: string) => {
    differences += found.length
    return Effect.forEach(found, (difference) => onDifference(difference, name), { discard: true })
  }
  yield* report(yield* beside(connection, span))
  const { skipped } = yield* SpanWalk.run(
    connection,
    { after: span, until: undefined, eras: [era, null], share, pageRows: rangeRows },
    {
      onAccount: ({ audit }) => {
        if (program !== undefined && audit.program !== program) return Effect.void
        counts.accounts++
        counts.records += audit.records
        counts.entries += audit.entries
        if (audit.hasForeignSnapshot) foreignSnapshots++
        merges.push(...audit.merges)
        differences += audit.unreported
        return report(audit.differences)
      },
      onDifference: (difference) => report([difference]),
      onPage: (done) => onProgress({ ...counts, done })
    }
  )
  // A skipped account may have the other half.
  const unpaired = share < 100 || skipped > 0 ? [] : Merges.unpaired(merges)
  yield* report(unpaired.map((half) => ({ ...half, table: "journal" as const })))
  const figures = { figuresTo: undefined, financeTo: undefined }
  return { ...counts, foreignSnapshots, differences, ...figures, archived: 0, after: span } satisfies Verified
}, Effect.scoped)
