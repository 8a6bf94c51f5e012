/**
 * Two versions of the service, each as its `npm start` runs it on an embedded
 * PostgreSQL of its own, under the same load in turns. The figures are ratios,
 * this checkout over the other: what else happens on the machine meets both.
 */
import { Effect } from "effect"
import * as path from "node:path"
import type { Name, Options } from "./Options.ts"
import * as Processes from "./Processes.ts"
import { digits, spread } from "./Spread.ts"
import * as Turns from "./Turns.ts"

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const start = Effect.fnUntraced(function* (name: string, checkout: string, load: Processes.Load, options: Options) {
  const { folder } = yield* Turns.temporaryFolder
  const isFull = options.only.has("large")
  if (isFull) {
    yield* print(`Filling the tables of ${name}`)
    yield* Turns.fill(checkout, folder)
  }
  const server = yield* Processes.service(checkout, { DATA_DIR: folder })
  const members = isFull ? Turns.fullMembers(options.members) : Turns.members(options.members)
  const side: Turns.Side = { name, load, server, members }
  if (!isFull) yield* Turns.enrol(side)
  return side
})

const take = Effect.fnUntraced(function* (side: Turns.Side, name: Name, round: number, options: Options) {
  const { members } = side
  if (name === "mix") return yield* Turns.saturated(side, { type: "mix", members }, options)
  if (name === "hot") return yield* Turns.saturated(side, Turns.hot(side, round), options)
  const peak = yield* Turns.saturated(side, { type: "accruals", members }, options)
  return name === "overload" ? yield* Turns.overloaded(side, { type: "accruals", members }, peak.rate, options) : peak
})

const compared = (
  title: string,
  own: ReadonlyArray<Turns.Turn>,
  other: ReadonlyArray<Turns.Turn>,
  of: keyof Turns.Turn
): string => {
  const ratios = spread(own.map((turn, round) => turn[of] / other[round]![of]))!
  const [mine, theirs] = [spread(own.map((turn) => turn[of]))!.median, spread(other.map((turn) => turn[of]))!.median]
  return (
    `  ${title.padEnd(20)} this ${digits(mine)}, other ${digits(theirs)}, ratio ${digits(mine / theirs)}; ` +
    `rounds: median ${digits(ratios.median)}, ${digits(ratios.min)} to ${digits(ratios.max)}`
  )
}

export const run = Effect.fnUntraced(function* (checkout: string, options: Options) {
  const load = yield* Processes.load()
  const own = { side: yield* start("this", Processes.thisCheckout, load, options), turns: [] as Array<Turns.Turn> }
  const other = { side: yield* start("other", path.resolve(checkout), load, options), turns: [] as Array<Turns.Turn> }
  for (const name of options.only) {
    own.turns = []
    other.turns = []
    for (let round = 0; round < Turns.warmRounds + options.rounds; round++) {
      // The first to go changes, so that neither always follows the other's writes.
      for (const { side, turns } of round % 2 === 0 ? [own, other] : [other, own]) {
        const turn = yield* take(side, name, round, options)
        if (round >= Turns.warmRounds) turns.push(turn)
      }
    }
    yield* print(
      [
        name,
        compared("good/s", own.turns, other.turns, "rate"),
        compared("service CPU ms/1000", own.turns, other.turns, "cpuMs")
      ].join("\n")
    )
  }
}, Effect.scoped)
