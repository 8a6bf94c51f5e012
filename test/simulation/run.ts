/**
 * Simulations by hand: `npm run simulate -- --seed 4711 --verbose` replays one
 * with its trace, `--seeds 1-5000` runs many and stops at the first fault.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Simulation from "./Simulation.ts"
import * as Trace from "./Trace.ts"

const told = 10

const command = Command.make(
  "simulate",
  {
    seed: Flag.optional(Flag.withDescription(Flag.Int("seed"), "replay this one")),
    seeds: Flag.withDefault(Flag.withDescription(Flag.String("seeds"), "run these, such as 1-1000"), "1-1000"),
    verbose: Flag.withDefault(Flag.withDescription(Flag.Boolean("verbose"), "print what happened"), false)
  },
  ({ seed, seeds, verbose }) =>
    Effect.gen(function* () {
      const [from = 1, until = from] = Option.isSome(seed) ? [seed.value] : seeds.split("-").map(Number)
      let acknowledged = 0
      for (let one = from; one <= until; one++) {
        const run = yield* Simulation.run(one)
        acknowledged += run.acknowledged
        if (verbose) for (const traced of run.trace) yield* Console.log(Trace.lineOf(traced))
        if (run.faults.length === 0) continue
        for (const fault of run.faults.slice(0, told)) yield* Console.log(fault)
        yield* Console.log(`seed ${one}: ${run.faults.length} faults; npm run simulate -- --seed ${one} --verbose`)
        process.exitCode = 1
        return
      }
      yield* Console.log(`${until - from + 1} runs, ${acknowledged} acknowledged commands, no fault`)
    })
)

Command.run(command, { version: "1" }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(exit._tag === "Success" ? Number(process.exitCode ?? 0) : 2)
  })
)
