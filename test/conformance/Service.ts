/** The real service in memory, with programmes of different rates, currencies and zones. */
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { CheckOutcome } from "../../src/conformance/CheckOutcome.ts"
import type { Options, Report } from "../../src/conformance/Verify.ts"
import * as Verify from "../../src/conformance/Verify.ts"
import * as MemoryJournal from "../../src/core/journal/MemoryJournal.ts"
import * as TestServer from "../app/service/TestServer.ts"

export const token = "proto-dev-token"

/** `bistro-treue` holds rewards for eight seconds only: verify waits for the end, and on a busy machine no other case does. */
export const programIds = ["bistro-treue", "noodle-club", "harbour-brewery"] as const

const programs = programIds.map((id) =>
  Testing.programOf(JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "programs", `${id}.json`), "utf8")))
)

/** Its promotions give every order something on other accounts, which `programs/get` does not tell. */
export const generous = Testing.programOf({
  ...programs[2]!.file,
  program_id: "generous-brewery",
  accounts: [...programs[2]!.file.accounts, { unit: "stamps", is_primary: false }],
  promotions: [
    { promotion_id: "stamp", name: "A stamp", effect: { add: 1, unit: "stamps" } },
    { promotion_id: "visit", name: "Two more visits", effect: { add: 2, unit: "visits" } }
  ]
})

const journal = MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))

const layerAt = (sandboxClock: number | undefined) =>
  Layer.merge(
    TestServer.layer(journal, [], sandboxClock, [...programs, generous, Testing.demoProgram]),
    NodeHttpClient.layerNodeHttp
  )

export const layer = layerAt(undefined)

/** The same on a clock that stands in another year than ours. */
export const sandbox = layerAt(Date.UTC(2031, 6, 14, 10))

export const url = Effect.map(TestServer.port, (port) => `http://127.0.0.1:${port}`)

export const verify = (address: string, options: Partial<Options> = {}) =>
  Verify.verify({
    url: address,
    token,
    program: undefined,
    expectations: undefined,
    strict: false,
    only: undefined,
    seed: 1,
    onProgress: () => Effect.void,
    ...options
  })

export const differing = ({ outcomes }: Report): ReadonlyArray<CheckOutcome> =>
  outcomes.filter(({ status }) => status === "differs")

/** Every difference, to read when a test fails. */
export const told = (outcomes: ReadonlyArray<CheckOutcome>): string =>
  outcomes
    .map(
      ({ differences, id }) =>
        `${id}\n${differences.map((one) => `  ${one.request}: ${one.expected}; got ${one.got}`).join("\n")}`
    )
    .join("\n")
