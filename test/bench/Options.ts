/** The command line of the benchmark. */
import { fixedLimits, maxDrift, saturatedLimits } from "./Attempt.ts"
import { stillMs } from "./Disk.ts"
import { pauseMs } from "./Pauses.ts"
import { parseArgs } from "node:util"

export const names = [
  "echo",
  "fastify",
  "accruals",
  "mix",
  "reads",
  "hot",
  "cold",
  "replays",
  "overload",
  "large",
  "wal",
  "memory"
] as const
export type Name = (typeof names)[number]

export interface Options {
  readonly rounds: number
  readonly attempts: number
  readonly seconds: number
  readonly connections: number
  readonly overloadConnections: number
  readonly members: number
  readonly walAccruals: number
  readonly only: ReadonlySet<Name>
  readonly json: string
  readonly cpuProf: string | undefined
  readonly dataDir: string | undefined
  /** Another checkout, to be loaded in turns with this one. */
  readonly against: string | undefined
}

export const help = `npm run bench -- [options]

Loads the service, a plain node:http server and a Fastify + pg server in turns, from a process of its own, and
prints what they do. Everything is on this machine, in temporary folders, and ends with the benchmark. The load is
a batch process at niceness 10, as each answer wakes it on the core of whoever answers.

  --rounds N                 rounds; medians of them count (5)
  --attempts N               attempts at a measure until one is steady, at the most (3)
  --seconds N                length of each measurement (5)
  --connections N            connections at saturation and at the fixed rate (256)
  --overload-connections N   connections at twice the saturation load (1024)
  --members N                members that the load is spread over (10000)
  --wal-accruals N           accruals between two checkpoints for WAL bytes per accrual (200000)
  --only NAME[,NAME]         some of ${names.join(", ")}
  --data-dir DIR             a prepared data folder with members m-1 to m-N: for "large", and "wal" is measured on it
  --json FILE                where all figures go (bench.json in the system's temporary folder)
  --cpu-prof DIR             profiles the service, keeps the profile there and prints its top ten functions
  --against DIR              the service of another checkout in turns with this one's; --only takes accruals (as without),
                             mix, hot, overload, large (fills tables of its own first)
  --help                     this text

Accruals, mix and overload are measured at saturation, at the fixed rate, and at saturation again. They are taken again, up
to --attempts, where the two saturations differ by more than ${maxDrift * 100} %, a virtual machine's host takes more than
${fixedLimits.stolen} cores (${saturatedLimits.stolen} at saturation), others on the machine use more than ${fixedLimits.others} (${saturatedLimits.others}), or, for more than ${fixedLimits.still * 100} % of the
time (${saturatedLimits.still * 100} %), the disk finishes nothing for ${stillMs} ms and more at a time or the whole machine stands still for ${pauseMs}.
All but the first of these make the echo, Fastify and reads be taken again, too.
Each round begins with a checkpoint of every PostgreSQL. "large" needs --data-dir, and writes there; it is measured from a
checkpoint on, as all that is measured beside it at saturation is then, and settled after one in turns with the empty
tables. Ratios are of the same round and need both of their sides: accruals with echo, fastify, hot or
large from a checkpoint on, and mix with fastify.
`

/** The options, or what is wrong with them; undefined where help is asked for. */
export const parse = (args: ReadonlyArray<string>, defaultJson: string): Options | string | undefined => {
  const text = { type: "string" } as const
  let values: Readonly<Record<string, string | boolean | undefined>>
  try {
    values = parseArgs({
      args: [...args],
      options: {
        rounds: text,
        attempts: text,
        seconds: text,
        connections: text,
        "overload-connections": text,
        members: text,
        "wal-accruals": text,
        only: text,
        "data-dir": text,
        json: text,
        "cpu-prof": text,
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
  const dataDir = values["data-dir"] as string | undefined
  const against = values["against"] as string | undefined
  const asked =
    values["only"] === undefined
      ? against === undefined
        ? [...names]
        : ["accruals"]
      : String(values["only"]).split(",")
  for (const name of asked) if (!names.includes(name as Name)) faults.push(`--only knows no ${name}`)
  if (values["only"] !== undefined && asked.includes("large") && dataDir === undefined && against === undefined) {
    faults.push("large needs --data-dir")
  }
  const options: Options = {
    rounds: whole("rounds", 5),
    attempts: whole("attempts", 3),
    seconds: whole("seconds", 5),
    connections: whole("connections", 256),
    overloadConnections: whole("overload-connections", 1024),
    members: whole("members", 10_000),
    walAccruals: whole("wal-accruals", 200_000),
    only: new Set(
      (asked as ReadonlyArray<Name>).filter(
        (name) => name !== "large" || dataDir !== undefined || against !== undefined
      )
    ),
    json: (values["json"] as string | undefined) ?? defaultJson,
    cpuProf: values["cpu-prof"] as string | undefined,
    dataDir,
    against
  }
  return faults.length > 0 ? faults.join("\n") : options
}
