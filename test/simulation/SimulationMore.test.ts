/** Simulated lives of the seeds after those of `Simulation`. */
import { describe, it } from "@effect/vitest"
import { batch, hold } from "./Hold.ts"

describe("simulated services under faults", () => {
  for (let from = 201; from <= 400; from += batch)
    it.live(`hold the contract with seeds ${from} to ${from + batch - 1}`, () => hold(from))
})
