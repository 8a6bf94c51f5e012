/**
 * The rounds: every measure once in each, in an order that turns, so that what
 * else happens on the machine meets all of them alike.
 */
import { Effect } from "effect"
import type { Attempt } from "./Attempt.ts"
import { disturbance, isSteady } from "./Attempt.ts"
import type { Members, Workload } from "./Job.ts"
import type { Measurement } from "./Measure.ts"
import { measure, prepare } from "./Measure.ts"
import type { Name, Options } from "./Options.ts"
import type { Load, Server } from "./Processes.ts"
import { justAfter } from "./WalPerAccrual.ts"

/** Before anything is counted: connections, caches and compiled code get warm, ms. */
const warmupMs = 1_000
/** Length of a measurement in the round before the rounds, s: enough for the compiler. */
const warmupSeconds = 3
/** Accruals that are replayed: fewer than the service keeps replies in memory. */
export const replayed = 4_000
/** Each cold request needs a member of its own, at saturation and then at half of it. */
const coldAtSaturation = 30_000
const coldAtHalf = 20_000

export const members = (prefix: string, count: number, first = 1, stride = 1): Members => ({
  prefix,
  first,
  stride,
  count
})

/** Who is loaded. Restarting the service is a function, as only cold members need it. */
export interface Field {
  readonly load: Load
  readonly echo: Server | undefined
  readonly fastify: Server | undefined
  readonly service: { server: Server; readonly restart: Effect.Effect<Server> }
  readonly large: Large | undefined
}

/** The service on a prepared data folder, and whom the load is on there. */
interface Large {
  readonly server: Server
  readonly members: Members
}

/** What one measure came to in one round: the steadiest of its attempts. */
export interface Taken extends Attempt {
  readonly name: Name
  readonly round: number
  /** The others, which the machine disturbed more. */
  readonly voided: ReadonlyArray<Attempt>
  /** For the prepared data folder: the same load on the empty tables and on its own, each settled after a checkpoint. */
  readonly settled?: { readonly empty: Measurement; readonly full: Measurement }
}

/** Members that have to be there before the rounds begin. */
export const enrol = Effect.fnUntraced(function* ({ load, service }: Field, options: Options) {
  const { only, rounds } = options
  const { server } = service
  const everybody = members("m-", options.members)
  yield* prepare(load, server, { type: "enroll", members: everybody })
  yield* prepare(load, server, { type: "credit", members: everybody })
  if (only.has("hot")) yield* prepare(load, server, { type: "enroll", members: members("h-", 2 * rounds + 2) })
  if (only.has("cold")) {
    yield* prepare(load, server, { type: "enroll", members: members("c-", coldAtSaturation + coldAtHalf) })
  }
})

interface Step {
  readonly server: Server
  readonly saturation: Workload
  readonly fixed: Workload
}

/** Everybody's account is in memory before the load begins; so are these. */
export const touch = (load: Load, server: Server, who: Members) =>
  prepare(load, server, { type: "accruals", members: who, each: 1 })

const stepOf = Effect.fnUntraced(function* (field: Field, name: Name, round: number, options: Options) {
  const { echo, fastify, large, load, service } = field
  const everybody = members("m-", options.members)
  const same = (server: Server, workload: Workload): Step => ({ server, saturation: workload, fixed: workload })
  const accruals: Workload = { type: "accruals", members: everybody }
  switch (name) {
    case "echo":
      return echo === undefined ? undefined : same(echo, accruals)
    case "fastify":
      return fastify === undefined ? undefined : same(fastify, accruals)
    case "accruals":
    case "overload":
      return same(service.server, accruals)
    case "mix":
    case "reads":
      return same(service.server, { type: name, members: everybody })
    case "replays":
      return same(service.server, { type: name, members: everybody, kept: replayed })
    case "hot": {
      // A member of its own each time: an account that is hot for ever is another matter.
      const one = (first: number): Workload => ({ type: "accruals", members: members("h-", 1, first) })
      return { server: service.server, saturation: one(2 * round + 1), fixed: one(2 * round + 2) }
    }
    case "cold": {
      service.server = yield* service.restart
      // The service's code gets warm on other accounts.
      yield* touch(load, service.server, everybody)
      yield* touch(load, service.server, everybody)
      const cold = (count: number, first: number): Workload => ({
        type: "accruals",
        members: members("c-", count, first),
        each: 1
      })
      return {
        server: service.server,
        saturation: cold(coldAtSaturation, 1),
        fixed: cold(coldAtHalf, coldAtSaturation + 1)
      }
    }
    case "large":
      return large === undefined ? undefined : same(large.server, { type: "accruals", members: large.members })
    case "wal":
    case "memory":
      return undefined
  }
})

/**
 * The same load on the empty tables and on the full ones, when what follows a checkpoint is over: the first write to
 * a page goes to the log whole, which random accounts make nearly every one do for some seconds, of minutes.
 */
const takeSettled = Effect.fnUntraced(function* (field: Field, large: Large, round: number, options: Options) {
  const on = (server: Server, who: Members) =>
    measure(field.load, server, {
      workload: { type: "accruals", members: who },
      pace: { type: "closed" },
      connections: options.connections,
      warmupMs: 0,
      measureMs: options.seconds * 1000,
      fromCheckpoint: true,
      settling: justAfter
    })
  const empty = on(field.service.server, members("m-", options.members))
  const full = on(large.server, large.members)
  if (round % 2 === 0) return { empty: yield* empty, full: yield* full }
  const measured = yield* full
  return { empty: yield* empty, full: measured }
})

/** Measures of which figures at the fixed rate are held to something. */
const heldAtFixed: ReadonlySet<Name> = new Set<Name>(["accruals", "mix", "overload"])

/** Measures that leave the next of their kind what they found. */
const repeatable: ReadonlySet<Name> = new Set<Name>(["accruals", "echo", "fastify", "mix", "overload", "reads"])

/** One measure: at saturation, then at half of what that came to; for overload, at twice. */
const take = Effect.fnUntraced(function* (field: Field, name: Name, round: number, options: Options) {
  const step = yield* stepOf(field, name, round, options)
  if (step === undefined) return undefined
  const { connections, overloadConnections, seconds } = options
  const times = { warmupMs, measureMs: seconds * 1000 }
  const saturated = measure(field.load, step.server, {
    workload: step.saturation,
    pace: { type: "closed" },
    connections,
    // Beside full tables, which are measured from one on, so that both sides of each ratio begin alike.
    fromCheckpoint: field.large !== undefined,
    ...times
  })
  const isOverload = name === "overload"
  const attempt = Effect.gen(function* () {
    const saturation = yield* saturated
    const fixed = yield* measure(field.load, step.server, {
      workload: step.fixed,
      pace: { type: "open", rate: Math.round(saturation.rate * (isOverload ? 2 : 0.5)) },
      connections: isOverload ? overloadConnections : connections,
      ...times
    })
    return { saturation, fixed, after: heldAtFixed.has(name) ? yield* saturated : undefined } satisfies Attempt
  })
  const attempts = [yield* attempt]
  const most = round > 0 && repeatable.has(name) ? options.attempts : 1
  while (!attempts.some(isSteady) && attempts.length < most) {
    attempts.push(yield* attempt)
  }
  const [steadiest, ...voided] = attempts.toSorted((a, b) => disturbance(a) - disturbance(b))
  if (steadiest === undefined) throw new Error("there is an attempt")
  const { large } = field
  const settled = name === "large" && large !== undefined ? yield* takeSettled(field, large, round, options) : undefined
  return { name, round, ...steadiest, voided, ...(settled === undefined ? undefined : { settled }) } satisfies Taken
})

const rotated = <A>(items: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const at = items.length === 0 ? 0 : by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

/**
 * A checkpoint wherever there is a PostgreSQL, so that all rounds begin alike. One a round is still several times as many
 * as it makes by itself; one before each measurement would have most of the time in the seconds after one, when the log is
 * three times as large and more, and a disk that cannot take that for long would be what is measured.
 */
const checkpoints = ({ fastify, large, service }: Field) =>
  Effect.forEach([service.server, fastify, large?.server], (server) => server?.postgres?.checkpoint ?? Effect.void, {
    discard: true
  })

/** All rounds; each measurement is told as it is taken. */
export const run = Effect.fnUntraced(function* (
  field: Field,
  options: Options,
  tell: (taken: Taken) => Effect.Effect<void>
) {
  const all: Array<Taken> = []
  const measures = [...options.only].filter((name) => name !== "wal" && name !== "memory")
  // Round 0 is short, warms everything up and does not count.
  for (let round = 0; round <= options.rounds; round++) {
    const seconds = round === 0 ? Math.min(options.seconds, warmupSeconds) : options.seconds
    yield* checkpoints(field)
    for (const name of rotated(measures, round)) {
      const taken = yield* take(field, name, round, { ...options, seconds })
      if (taken === undefined || round === 0) continue
      all.push(taken)
      yield* tell(taken)
    }
  }
  return all
})
