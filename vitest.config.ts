import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"
import * as path from "node:path"

/** Each of these that `npm test` runs takes long too; the longest first. */
const long = [
  "console/ConsoleTasks",
  "faults/Nodes",
  "simulation/Simulation",
  "core/journal/postgres/PgJournal",
  "capabilities/programs/Publishing",
  "app/cli/JournalCommands",
  "capabilities/programs/Programs",
  "app/cli/Help",
  "base/database/Migrations"
]

/** What `npm test` leaves to `npm run test:all`: the reason, and the files, the longest first. */
const slow: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Browsers: `console/ConsoleTasks` has the most important task of each page.": [
    "guest/GuestPage",
    "guest/GuestService",
    "guest/GuestByMail",
    "console/ConsoleGuests",
    "console/ConsoleProgramme",
    "console/ConsoleFrame",
    "console/ConsoleToday",
    "console/finance/Finance",
    "console/people/Staff",
    "console/counter/Counter",
    "console/handovers/Handovers",
    "console/wizards/Wizards",
    "console/audience/Automations",
    "console/audience/Mails",
    "console/programme/Recipes",
    "console/Restart",
    "console/Dialogs",
    "console/programme/Publication",
    "console/account/Provider",
    "docs/TryIt",
    "client/BrowserTill"
  ],
  "Faults of real processes, half a minute each: `faults/Nodes` has the kind.": [
    "faults/Failover",
    "faults/NodesMore",
    "faults/Embedded",
    "faults/Webhooks",
    "faults/Wire",
    "faults/Till",
    "faults/Lunches",
    "faults/Secrets",
    "faults/CutOff",
    "faults/Automations",
    "faults/Disk",
    "faults/Spans",
    "capabilities/campaigns/CampaignNodes",
    "capabilities/campaigns/CampaignKilled",
    "capabilities/campaigns/TriggersKilled",
    "core/account/MergeKilled"
  ],
  "Processes that are built, installed, started and stopped again and again.": [
    "app/cli/Stop",
    "walk/Walk",
    "base/database/embedded/EmbeddedPostgres",
    "app/packing/Package",
    "app/service/SandboxReset",
    "app/service/Roles",
    "app/service/WrongClock",
    "app/service/RequestTrail",
    "app/service/Mailed",
    "app/operations/Upgrade",
    "app/operations/UpgradedMonths",
    "app/cli/McpCommand",
    "app/cli/MemberCommands",
    "app/cli/FeedCommands",
    "app/cli/BackupCommands",
    "docs/Python",
    "docs/GuideCommands",
    "docs/TillPrograms",
    "edge/http/MetricsServed"
  ],
  "Generators of clients and TypeScript 5: an install of their own.": [
    "clients/Clients",
    "clients/Declarations",
    "app/packing/ClientPackage"
  ],
  "Long histories, and hosts that are wrong one by one.": [
    "capabilities/finance/Histories",
    "capabilities/finance/HistoriesMore",
    "capabilities/finance/HistoriesStored",
    "reads/reconcile/Verify",
    "capabilities/staff/Limits",
    "client/OrderBuilder",
    "capabilities/webhooks/Deliveries",
    "conformance/Verify",
    "conformance/Misbehaving",
    "reads/reconcile/Proofs",
    "core/account/domain/Histories",
    "simulation/SimulationMore",
    "app/service/Sandbox",
    "capabilities/imports/Audiences",
    "app/service/Expiry",
    "capabilities/staff/Provider",
    "capabilities/staff/Passkeys",
    "app/demo/DemoHistory",
    "reads/rollups/MovedOrders",
    "reads/reconcile/Restore",
    "reads/reconcile/Seals"
  ]
}

/** The files that `npm test` leaves out. */
export const slowFiles: ReadonlyArray<string> = Object.values(slow)
  .flat()
  .map((name) => `test/${name}.test.ts`)

/** Small ones last: one that began last would keep a single worker busy. */
const longest = [...slowFiles, ...long.map((name) => `test/${name}.test.ts`)]

/** Vitest orders by the durations of earlier runs, which a new checkout does not have. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const places = new Map(longest.map((file, place) => [path.join(import.meta.dirname, file), place]))
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
    // What a passed test wrote says nothing; that of a failed one is shown.
    silent: "passed-only",
    // OpenID packages ask Web Crypto what it supports, which Node.js calls an experiment in each worker.
    execArgv: ["--disable-warning=ExperimentalWarning"],
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
