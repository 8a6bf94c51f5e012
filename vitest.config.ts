import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"
import * as path from "node:path"

/** The files that take longest, longest first. One that began last would keep a single worker busy. */
const longest = [
  "console/Console",
  "app/cli/Stop",
  "app/packing/Package",
  "faults/Embedded",
  "faults/Takeover",
  "faults/Failover",
  "conformance/Verify",
  "reads/reconcile/Verify",
  "faults/Wire",
  "base/database/embedded/EmbeddedPostgres",
  "conformance/Misbehaving",
  "core/journal/postgres/PgJournal",
  "simulation/Simulation",
  "app/service/SandboxReset"
].map((name) => path.join(import.meta.dirname, "test", `${name}.test.ts`))

/** Vitest orders by the durations of earlier runs, which a new checkout does not have. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const places = new Map(longest.map((file, place) => [file, place]))
    const placeOf = ({ moduleId }: TestSpecification) => places.get(moduleId) ?? longest.length
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

export default defineConfig({
  // `lotbook/testing` is its source here, and what `npm run prepare` made of it elsewhere.
  ssr: { resolve: { conditions: ["lotbook-source", ...defaultServerConditions] } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/Built.ts", "test/TestPostgres.ts"],
    // Says that a test hangs, not that it is slow: the longest takes 18 s, on a busy machine more.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Tests start the command line some 150 times: without compiled code kept, each compiles 800 modules anew.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules", ".cache", "node") },
    sequence: { sequencer: LongestFirst },
    // Modules are loaded once in each worker: half the time of the small files was loading Effect. No module may keep
    // state that another test file meets; what is the process's own (metrics, environment) a test gives to itself.
    isolate: false,
    // As many as CI has cores: a third one makes browsers and processes of the others late, and ends no sooner.
    maxWorkers: 2
  }
})
