/** The command line of the benchmark. */
import { parseArgs } from "node:util"

const names = [
  "echo",
  "fastify",
  "accruals",
  "mix",
  "hot",
  "overload",
  "deliveries",
  "tills",
  "large",
  "wal",
  "memory",
  "platform"
] as const
export type Name = (typeof names)[number]

/** Workloads that two checkouts can be compared by. */
const comparable: ReadonlySet<Name> = new Set<Name>(["accruals", "mix", "hot", "overload", "large"])

export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly members: number
  readonly walAccruals: number
  readonly only: ReadonlySet<Name>
  /** Another checkout, to be loaded in turns with this one. */
  readonly against: string | undefined
}

export const help = `npm run bench -- [options]

Loads the service, a plain node:http server (echo) and a Fastify + pg server in turns, from a process of its own, and
prints ratios. Everything runs on this machine, in temporary folders, and ends with the benchmark.

  --rounds N         rounds; the medians of their ratios count (5)
  --seconds N        length of each turn (3)
  --connections N    connections at saturation; four times as many under overload (256)
  --members N        members that the load is spread over (10000)
  --wal-accruals N   accruals after a checkpoint whose bytes of log are counted (50000)
  --only NAME[,NAME] some of ${names.join(", ")} (all but large and platform)
  --against DIR      compares with the service of another checkout: ${[...comparable].join(", ")} (accruals)
  --help             this text

large first fills tables of its own with 100,000 members and 1,000,000 entries, platform with 1,000,000 and 10,000,000.
`

/** The options, or all that is wrong with them; undefined where help is asked for. */
export const parse = (args: ReadonlyArray<string>): Options | string | undefined => {
  const text = { type: "string" } as const
  let values: Readonly<Record<string, string | boolean | undefined>>
  try {
    values = parseArgs({
      args: [...args],
      options: {
        rounds: text,
        seconds: text,
        connections: text,
        members: text,
        "wal-accruals": text,
        only: text,
        against: text,
        help: { type: "boolean" }
      }
    }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  if (values["help"] === true) return undefined
  const faults: Array<string> = []
  const whole = (name: string, otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!Number.isSafeInteger(value) || value < 1) faults.push(`--${name} must be a whole number from 1`)
    return value
  }
  const against = values["against"] as string | undefined
  const usual = against === undefined ? names.filter((name) => name !== "large" && name !== "platform") : ["accruals"]
  const asked = values["only"] === undefined ? usual : String(values["only"]).split(",")
  for (const name of asked) {
    if (!names.includes(name as Name)) faults.push(`--only knows no ${name}`)
    else if (against !== undefined && !comparable.has(name as Name)) faults.push(`--against compares no ${name}`)
  }
  const options: Options = {
    rounds: whole("rounds", 5),
    seconds: whole("seconds", 3),
    connections: whole("connections", 256),
    members: whole("members", 10_000),
    walAccruals: whole("wal-accruals", 50_000),
    only: new Set(asked as ReadonlyArray<Name>),
    against
  }
  return faults.length > 0 ? faults.join("\n") : options
}
