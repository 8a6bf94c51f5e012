/** Spans that begin, are sealed and go into files, in tests. */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as ArchiveSpans from "../../../src/reads/reconcile/ArchiveSpans.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import * as Seals from "../../../src/reads/reconcile/Seals.ts"
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

/** Archives every sealed span but the last two. Returns how many. */
export const archiveAll = (to: string) => ArchiveSpans.archive("2999-01", to, () => Effect.void)
