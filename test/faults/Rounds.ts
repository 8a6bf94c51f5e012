/** Rounds of one fault after the other under load, and what came of them. */

import type { CallerOptions } from "../model/Caller.ts"
import type { Fault } from "../model/History.ts"
import * as Random from "../model/Random.ts"
import type { Counters } from "./Client.ts"
import { Load } from "./Load.ts"
import type { Verb } from "./Verbs.ts"
import { servicesOf, type World } from "./World.ts"

/** Service is owed so long after what was broken is back, ms. */
export const returnLimitMs = 5_000

/** Commands that every caller gets acknowledged before a fault and after it. */
const commandsEach = 3

/** A fault comes at a random moment of this span, ms: many groups, a snapshot, a read may be under way. */
const momentMs = 300

export interface Outcome extends Counters {
  readonly rounds: number
  readonly guests: number
  readonly faults: ReadonlyArray<Fault>
  /** Longest time from the return of what was broken to the first write, ms. */
  readonly slowestReturnMs: number
}

export interface RoundsOptions {
  readonly seed: number
  readonly connections: number
  readonly caller?: CallerOptions
  readonly told?: (round: number, returnMs: number) => void
}

const round = async (world: World, load: Load, verb: Verb, random: Random.Random, connections: number) => {
  await load.start()
  await load.acknowledged(connections * commandsEach)
  await new Promise<void>((resolve) => setTimeout(resolve, random.whole(0, momentMs)))
  const backAt = await verb.run(world, random)
  const returnMs = await load.writtenAfter(backAt)
  await load.acknowledged(connections * commandsEach)
  await load.pause()
  await load.check(false)
  return returnMs
}

/** So many rounds of a verb; all guests are checked once more at the end. Ends at the first round with a fault. */
export const run = async (
  world: World,
  verb: Verb,
  rounds: number,
  { caller, connections, seed, told }: RoundsOptions
): Promise<Outcome> => {
  const random = Random.make(seed, verb.name)
  const services = servicesOf(world)
  const ports = services.map(({ port }) => port)
  const load = new Load(ports, seed, connections, verb.name.replaceAll(/[^A-Za-z]+/g, "-"), caller, verb.endsKeys)
  const errorsBefore = services.map(({ errors }) => errors.length)
  let slowestReturnMs = 0
  let done = 0
  try {
    while (done < rounds && load.faults.length === 0) {
      const returnMs = await round(world, load, verb, random, connections)
      slowestReturnMs = Math.max(slowestReturnMs, returnMs)
      done++
      told?.(done, returnMs)
    }
    if (load.faults.length === 0) await load.check(true)
  } catch (error) {
    // A condition that never came: with what came before, it is what this run found.
    load.faults.push({ kind: "service", member: "", detail: error instanceof Error ? error.message : String(error) })
  } finally {
    await load.pause()
    load.close()
  }
  const logged = services.flatMap(({ errors }, place) => errors.slice(errorsBefore[place]))
  const service = logged.map((detail): Fault => ({ kind: "service", member: "", detail }))
  return { ...load.counters, rounds: done, guests: load.guests, slowestReturnMs, faults: [...load.faults, ...service] }
}
