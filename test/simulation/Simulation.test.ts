/**
 * Simulated lives with a reader of events, each determined by its seed; one is replayed by the command that a failure names. `npm run simulate`
 * runs more.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { batch, hold } from "./Hold.ts"
import * as Simulation from "./Simulation.ts"
import type * as Trace from "./Trace.ts"

/** `SimulationMore` has the seeds after these. */
const seeds = 200

/** Runs are determined by their seeds: what one test has run, another reads. */
const runs = new Map<number, Simulation.Run>()
const runOf = Effect.fnUntraced(function* (seed: number) {
  const run = runs.get(seed) ?? (yield* Simulation.run(seed))
  runs.set(seed, run)
  return run
})

const troubles = [
  "killed",
  "stopped",
  "left",
  "unsent",
  "in doubt, written",
  "in doubt, not written",
  "in doubt, may land later",
  "never landed",
  "stale",
  "outdated",
  "taken",
  "published",
  "merged",
  "closed",
  "identities changed",
  "refused as not active",
  "a span began",
  "sealed",
  "archived",
  "keys ended",
  "restored",
  "refused as archived",
  "read out of a file",
  "opened from a seal"
] as const
type Trouble = (typeof troubles)[number]

const troublesOf = (event: Trace.Event): ReadonlyArray<Trouble> => {
  switch (event._tag) {
    case "Killed":
      return ["killed"]
    case "Stopped":
      return ["stopped"]
    case "Left":
      return ["left"]
    case "Published":
      return ["published"]
    case "Merged":
      return ["merged"]
    case "Unsent":
      return ["unsent"]
    case "NeverLanded":
      return ["never landed"]
    case "InDoubt":
      return [`in doubt, ${event.fate}`]
    case "Written":
      return event.verdicts.filter((tag) => tag === "stale" || tag === "outdated" || tag === "taken")
    case "Operated":
      if (event.command.operation === "identities") return ["identities changed"]
      return event.command.status === "closed" ? ["closed"] : []
    case "Asked":
      if (event.told === "archived") return ["refused as archived"]
      return event.told === "member_not_active" ? ["refused as not active"] : []
    case "SpanBegan":
      return ["a span began"]
    case "SpanSealed":
      return ["sealed"]
    case "KeysEnded":
      return ["keys ended"]
    case "SpanArchived":
      return ["archived"]
    case "SpanRestored":
      return ["restored"]
    case "ReadOutOfFile":
      return ["read out of a file"]
    case "SealRead":
      return ["opened from a seal"]
    case "Refused":
      return []
    case "Started":
    case "Continued":
    case "MergeAsked":
      return []
  }
}

describe("simulated services under faults", () => {
  // Modules are kept for the worker's next files.
  afterAll(() => runs.clear())

  for (let from = 1; from <= seeds; from += batch) {
    it.live(`hold the contract with seeds ${from} to ${from + batch - 1}`, () => hold(from, runOf))
  }

  it.live("do the same again with the same seed, to the letter", () =>
    Effect.gen(function* () {
      for (const seed of [3, 14, 159, 265]) {
        const [once, again] = [yield* runOf(seed), yield* Simulation.run(seed)]
        assert.strictEqual(Simulation.fingerprint(once), Simulation.fingerprint(again))
        assert.isAbove(once.trace.length, 10)
      }
    })
  )

  it.live("meet every kind of trouble on the way", () =>
    Effect.gen(function* () {
      const met = new Set<Trouble>()
      let restarts = 0
      for (let seed = 1; seed <= seeds && met.size < troubles.length; seed++) {
        const { restarts: again, trace } = yield* runOf(seed)
        restarts += again
        for (const { event } of trace) for (const trouble of troublesOf(event)) met.add(trouble)
      }
      assert.deepStrictEqual([...met].sort(), troubles.toSorted())
      assert.isAbove(restarts, 0, "the reader of events begins again")
    })
  )
})
