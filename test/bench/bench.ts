/**
 * The benchmark: the service on an embedded PostgreSQL of its own, loaded from
 * another process, in turns with a plain `node:http` server (the limit) and a
 * Fastify + `pg` server (the ordinary way to write it); or in turns with the
 * service of another checkout.
 *
 * Everything that it starts and every folder that it makes goes when it ends,
 * also when it is interrupted or killed.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import * as path from "node:path"
import * as Against from "./Against.ts"
import * as Deliveries from "./Deliveries.ts"
import type { Name, Options } from "./Options.ts"
import { help, parse } from "./Options.ts"
import * as Postgres from "./Postgres.ts"
import * as Processes from "./Processes.ts"
import { digits, spread } from "./Spread.ts"
import * as Tills from "./Tills.ts"
import * as Turns from "./Turns.ts"

/** Accounts whose memory is measured, the first thousand to get warm, and the open lots of each. */
const weighed = 5_000
const lotsEach = 20

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const postgres = Effect.flatMap(Turns.temporaryFolder, ({ folder }) => Postgres.make(folder))

/** The sides that the rows need; `service` always. */
const start = Effect.fnUntraced(function* (options: Options) {
  const { only } = options
  const load = yield* Processes.load()
  const members = Turns.members(options.members)
  const database = yield* postgres
  const server = yield* Processes.service(Processes.thisCheckout, { DATABASE_URL: database.url })
  const service: Turns.Side = { name: "service", load, server, members, till: yield* Tills.connect(server) }
  yield* Turns.enrol(service)
  const sides: Array<readonly [Name, Turns.Side]> = [["accruals", service]]
  if (only.has("echo")) sides.push(["echo", { name: "echo", load, server: yield* Processes.echo(), members }])
  if (only.has("fastify")) {
    const { url } = yield* postgres
    sides.push(["fastify", { name: "fastify", load, server: yield* Processes.fastify(url, members), members }])
  }
  if (only.has("large")) {
    const { folder } = yield* Turns.temporaryFolder
    yield* Turns.fill(Processes.thisCheckout, folder)
    const large = yield* Processes.service(Processes.thisCheckout, { DATA_DIR: folder })
    sides.push(["large", { name: "full tables", load, server: large, members: Turns.fullMembers(options.members) }])
  }
  const receiver = only.has("deliveries") ? yield* Processes.receiver() : undefined
  if (receiver !== undefined) yield* Deliveries.connect(server, receiver)
  return { database, service, sides, receiver }
})

type Sides = Effect.Success<ReturnType<typeof start>>

/** One round: each rate once, then what is offered to two servers alike. */
const round = Effect.fnUntraced(function* ({ receiver, service, sides }: Sides, number: number, options: Options) {
  const { only } = options
  const found = new Map<string, number>()
  const turned = [...sides.slice(number % sides.length), ...sides.slice(0, number % sides.length)]
  for (const [name, side] of turned) {
    const turn = yield* Turns.saturated(side, { type: "accruals", members: side.members }, options)
    found.set(name, turn.rate)
  }
  const { members } = service
  if (only.has("mix")) found.set("mix", (yield* Turns.saturated(service, { type: "mix", members }, options)).rate)
  if (only.has("hot")) found.set("hot", (yield* Turns.saturated(service, Turns.hot(service, number), options)).rate)
  if (only.has("overload")) {
    const peak = found.get("accruals") ?? 0
    found.set("overload", (yield* Turns.overloaded(service, { type: "accruals", members }, peak, options)).rate)
  }
  if (receiver !== undefined) {
    const { arrived, behind, rate } = yield* Deliveries.turn(service, receiver, "saturated", options)
    found.set("connected", rate).set("arrived", arrived).set("behind", behind).set("seconds", options.seconds)
    const paced = yield* Deliveries.turn(service, receiver, "paced", options)
    found.set("paced", paced.rate).set("arrived paced", paced.arrived)
  }
  for (const [kind, cpuMs] of yield* Tills.turns(service, number, options)) found.set(`cpu ${kind}`, cpuMs)
  const fastify = sides.find(([name]) => name === "fastify")?.[1]
  if (fastify !== undefined) {
    const rate = (found.get("fastify") ?? 0) / 2
    for (const side of number % 2 === 0 ? [service, fastify] : [fastify, service]) {
      const { p99 } = yield* Turns.offered(side, { type: "accruals", members }, rate, options)
      found.set(`p99 ${side.name}`, p99)
    }
  }
  return found
})

/** Printed result: a ratio of two figures of one round. */
const rows = [
  ["accruals, share of the echo's requests", "accruals", "echo"],
  ["accruals against Fastify + pg", "accruals", "fastify"],
  ["the mix against Fastify + pg accruals", "mix", "fastify"],
  ["p99 at half of Fastify's saturation, share of Fastify's", "p99 service", "p99 fastify"],
  ["one hot account, share of the spread load", "hot", "accruals"],
  ["twice the saturation: good answers, share of the peak", "overload", "accruals"],
  ["CPU of a till's INQUIRE, share of an evaluate's", "cpu till.inquire", "cpu order.evaluate"],
  ["CPU of a till's ACCRUE, share of an accrual's", "cpu till.accrue", "cpu accrual.post"],
  ["accruals with a connector on everything, share", "connected", "accruals"],
  ["events that arrived meanwhile, share of these", "arrived", "connected"],
  [`events that arrived beside ${Deliveries.paced} accruals a second, share`, "arrived paced", "paced"],
  ["time until all had arrived, share of the turn", "behind", "seconds"],
  ["1,000,000 entries, share of fresh tables", "large", "accruals"]
] as const

const table = (rounds: ReadonlyArray<ReadonlyMap<string, number>>): string =>
  rows
    .flatMap(([title, over, under]) => {
      const ratios = spread(
        rounds.flatMap((found) => (found.has(over) && found.has(under) ? [found.get(over)! / found.get(under)!] : []))
      )
      if (ratios === undefined) return []
      const { max, median, min } = ratios
      return [`${title.padEnd(56)} ${digits(median).padStart(6)}   ${digits(min)} to ${digits(max)}`]
    })
    .join("\n")

/** Bytes of write-ahead log an accrual, from a checkpoint on: the first write to a page after one logs it whole. */
const walPerAccrual = Effect.fnUntraced(function* ({ database, service }: Sides, accruals: number) {
  yield* database.checkpoint
  const before = yield* database.walBytes
  const { entries } = yield* Turns.carryOut(service, { type: "accruals", members: service.members }, accruals)
  return ((yield* database.walBytes) - before) / entries
})

const memoryOfAccount = Effect.fnUntraced(function* ({ database, service }: Sides) {
  const side = { ...service, members: { ...service.members, prefix: "q-", count: weighed } }
  yield* Turns.carryOut(side, { type: "enroll", members: side.members })
  yield* Turns.carryOut(side, { type: "accruals", members: side.members, each: lotsEach })
  const output = yield* Processes.scriptOutput(path.join(import.meta.dirname, "memory.ts"), {
    nodeFlags: ["--expose-gc"],
    environment: { DATABASE_URL: database.url, MEMBER_PREFIX: "q-", MEMBER_COUNT: String(weighed) }
  })
  return spread((JSON.parse(output) as { readonly bytesEach: ReadonlyArray<number> }).bytesEach)?.median ?? 0
})

const program = Effect.fnUntraced(function* (options: Options) {
  if (options.only.has("platform")) {
    yield* print(yield* Processes.scriptOutput(path.join(import.meta.dirname, "platform.ts"), {}))
    if (options.only.size === 1) return
  }
  const sides = yield* start(options)
  const rounds: Array<ReadonlyMap<string, number>> = []
  const hasRates = [...options.only].some((name) => !["wal", "memory", "platform"].includes(name))
  for (let number = 0; hasRates && number < Turns.warmRounds + options.rounds; number++) {
    const found = yield* round(sides, number, options)
    if (number >= Turns.warmRounds) rounds.push(found)
  }
  if (hasRates) yield* print(`Ratios within a round: median, range\n${table(rounds)}`)
  if (options.only.has("wal")) {
    const bytes = yield* walPerAccrual(sides, options.walAccruals)
    yield* print(`log of an accrual over ${options.walAccruals} after a checkpoint: ${digits(bytes)} bytes`)
  }
  if (options.only.has("memory")) {
    yield* print(`an idle account with ${lotsEach} open lots: ${digits(yield* memoryOfAccount(sides))} bytes`)
  }
}, Effect.scoped)

const options = parse(process.argv.slice(2))
if (options === undefined) process.stdout.write(help)
else if (typeof options === "string") {
  process.stderr.write(`${options}\n`)
  process.exitCode = 1
} else {
  const { against } = options
  NodeRuntime.runMain(against === undefined ? program(options) : Against.run(against, options))
}
