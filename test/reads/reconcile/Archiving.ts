/** Spans that begin, are sealed and go into files, in tests. */
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../../src/reads/finance/FinanceStore.ts"
import * as ArchiveSpans from "../../../src/reads/reconcile/ArchiveSpans.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import * as Seals from "../../../src/reads/reconcile/Seals.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as Scenario from "./Scenario.ts"

const options = { pageRows: Bounds.rangeRows, onDifference: () => Effect.void, onPage: Effect.void }

/** Seals the next span, once transactions of other tests have ended. */
export const seal = Effect.gen(function* () {
  while ((yield* Seals.sealNext(options))._tag !== "Sealed") yield* Effect.yieldNow
})

/** Begins a span. */
export const begin = Scenario.byHand("SELECT prepare_spans()", "SELECT begin_span(true)")

/** A folder of its own, until the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "archive-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

const counting = Layer.merge(Rollups.layer, Finance.layer).pipe(
  Layer.provideMerge(Layer.merge(RollupStore.layer, FinanceStore.layer)),
  Layer.provideMerge(PgFeed.layer),
  Layer.provide(Programs.layer)
)

/** Counts every record for rollups and finance: a span that lacks it is not archived. */
export const counted = Effect.gen(function* () {
  const finance = yield* Finance
  yield* Scenario.countRollups
  do yield* finance.catchUp()
  while ((yield* finance.asOf) !== undefined)
}).pipe(Effect.provide(Layer.fresh(counting)))

/** Archives every sealed span but the last two. Returns how many. */
export const archiveAll = (to: string) =>
  Effect.andThen(
    counted,
    ArchiveSpans.archive("2999-01", to, () => Effect.void)
  )
