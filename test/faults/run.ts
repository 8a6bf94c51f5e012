/**
 * The long fault run: `npm run test:faults -- --service-kills 100 --seed 1`.
 * Prints a table; exits with 1 where anything is wrong.
 */
import * as path from "node:path"
import { parseArgs } from "node:util"
import type { Fault } from "../model/History.ts"
import * as AutomationRounds from "./AutomationRounds.ts"
import * as FailoverRounds from "./FailoverRounds.ts"
import * as LunchRounds from "./LunchRounds.ts"
import { runFolder } from "./Processes.ts"
import type { Outcome } from "./Rounds.ts"
import { returnLimitMs, run } from "./Rounds.ts"
import * as TillRounds from "./TillRounds.ts"
import type { VerbName } from "./Verbs.ts"
import { verbNames, verbs } from "./Verbs.ts"
import * as WebhookRounds from "./WebhookRounds.ts"
import type { WorldName } from "./World.ts"
import { noSmallDisk, openWorld, worlds } from "./World.ts"
import * as Year from "./Year.ts"

/** Rounds of each fault where the command line names none. */
const defaultRounds: { readonly [Name in VerbName]: number } = {
  "service-kills": 20,
  "postgres-kills": 10,
  "double-kills": 5,
  "writer-ends": 10,
  "writer-kills": 10,
  "service-stops": 5,
  "postgres-stops": 5,
  "long-postgres-stops": 2,
  "cuts-before": 10,
  "cuts-under": 20,
  "cuts-after": 10,
  "cuts-all": 10,
  stalls: 5,
  "long-stalls": 2,
  "node-kills": 20,
  "node-stops": 20,
  "node-pauses": 10,
  "busy-loops": 10,
  "beat-ends": 10,
  "placement-ends": 10,
  "nodes-postgres-kills": 5,
  "calls-lost": 5,
  "answers-lost": 5,
  "node-cuts": 10,
  "leaves-and-joins": 10,
  "span-begins": 5,
  "seal-kills": 5,
  "archive-kills": 5,
  "restore-kills": 5,
  "keys-end": 5,
  "disk-fulls": 5
}

/** Faults of one kind of round that are printed in full. */
const shownFaults = 20

const say = (line: string) => process.stdout.write(`${line}\n`)

const usage = `npm run test:faults -- [--seed N] [--connections N] [--only] ${verbNames.map((name) => `[--${name} N]`).join(" ")}

Kills, cuts and stops the service and its PostgreSQL under load, so many times
each, and holds what callers were told against what the service shows afterwards.

  --seed N                 what callers send and when faults come is drawn from it (1)
  --connections N          callers at once (64)
  --only                   no rounds of the faults that are not named
${verbNames.map((name) => `  --${name} N`.padEnd(27) + `${verbs[name].name} (${defaultRounds[name]})`).join("\n")}
  --webhooks N             instead of all these, so many kills of a service that delivers events
  --automations N          instead of all these, so many kills of nodes while orders trigger campaigns
  --lunches N              instead of all these, so many checks of emulated tills of Toast at three nodes that are killed one after the other
    --minutes N            fewer checks, if these minutes are over
  --till                   instead of all these, a till of 25 lines: 300 sales, lost requests and answers, kills of both sides
    --browser              the till is a page of another origin, with IndexedDB, in Chromium
  --year                   instead of all these, a year of a sandbox, copied by the programs of the guide Receiving events
  --failover               instead of all these, replace PostgreSQL itself: two servers with replication, and
${FailoverRounds.kindNames.map((name) => `    --${name} N`.padEnd(27) + `${FailoverRounds.whatOf(name)} (${FailoverRounds.defaultRounds(name)})`).join("\n")}`

interface Plan {
  readonly seed: number
  readonly connections: number
  /** Kills of a service that delivers events, instead of all others. */
  readonly webhooks: number
  /** Kills of nodes while orders trigger campaigns, instead of all others. */
  readonly automations: number
  /** Checks of emulated tills while nodes are killed, instead of all others. */
  readonly lunches: number
  /** Of lunches; undefined: until all checks have been played. */
  readonly minutes: number | undefined
  /** A till with its queue, instead of all others. */
  readonly till: boolean
  /** That till is a page in a browser. */
  readonly browser: boolean
  /** A year of a sandbox, copied by the guide's programs, instead of all others. */
  readonly year: boolean
  readonly rounds: { readonly [Name in VerbName]: number }
  /** Rounds of failovers, if they were asked for. */
  readonly failover: { readonly [Name in FailoverRounds.Kind]: number } | undefined
}

const wholeOf = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}`)
  return Number(text)
}

/** Request of the command line; undefined where it asks for help. */
const planOf = (args: ReadonlyArray<string>): Plan | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean" },
      only: { type: "boolean" },
      failover: { type: "boolean" },
      till: { type: "boolean" },
      browser: { type: "boolean" },
      year: { type: "boolean" },
      ...Object.fromEntries(
        [
          ...["seed", "connections", "webhooks", "automations", "lunches", "minutes"],
          ...verbNames,
          ...FailoverRounds.kindNames
        ].map((name) => [name, { type: "string" as const }])
      )
    }
  })
  const given: Readonly<Record<string, string | boolean | undefined>> = values
  if (given["help"] === true) return undefined
  const number = (name: string, otherwise: number) => {
    const text = given[name]
    return text === undefined ? otherwise : wholeOf(name, String(text))
  }
  const rounds = Object.fromEntries(
    verbNames.map((name) => [name, number(name, given["only"] === true ? 0 : defaultRounds[name])])
  )
  const failover = Object.fromEntries(
    FailoverRounds.kindNames.map((name) => [
      name,
      number(name, given["only"] === true ? 0 : FailoverRounds.defaultRounds(name))
    ])
  )
  return {
    failover: given["failover"] === true ? (failover as NonNullable<Plan["failover"]>) : undefined,
    seed: number("seed", 1),
    connections: Math.max(1, number("connections", 64)),
    webhooks: number("webhooks", 0),
    automations: number("automations", 0),
    lunches: number("lunches", 0),
    minutes: given["minutes"] === undefined ? undefined : number("minutes", 0),
    till: given["till"] === true,
    browser: given["browser"] === true,
    year: given["year"] === true,
    rounds: rounds as Plan["rounds"]
  }
}

interface Row {
  readonly name: string
  readonly outcome?: Outcome
  readonly skipped?: string
}

const count = (outcome: Outcome, kind: Fault["kind"]): number =>
  outcome.faults.filter((fault) => fault.kind === kind).length

const columns: ReadonlyArray<readonly [string, (outcome: Outcome) => number]> = [
  ["rounds", ({ rounds }) => rounds],
  ["guests", ({ guests }) => guests],
  ["acknowledged", ({ acknowledged }) => acknowledged],
  ["503", ({ unavailable }) => unavailable],
  ["broken", ({ broken }) => broken],
  ["lost", (outcome) => count(outcome, "lost")],
  ["doubled", (outcome) => count(outcome, "doubled")],
  ["500", (outcome) => count(outcome, "internal_error")],
  [
    "other faults",
    (outcome) =>
      outcome.faults.length - count(outcome, "lost") - count(outcome, "doubled") - count(outcome, "internal_error")
  ],
  ["slowest return, ms", ({ slowestReturnMs }) => slowestReturnMs]
]

const nameWidth = Math.max(...verbNames.map((name) => verbs[name].name.length))

const table = (rows: ReadonlyArray<Row>): string => {
  const head = `${"fault".padEnd(nameWidth)}  ${columns.map(([title]) => title).join("  ")}`
  const line = ({ name, outcome, skipped }: Row) =>
    outcome === undefined
      ? `${name.padEnd(nameWidth)}  skipped: ${skipped ?? ""}`
      : `${name.padEnd(nameWidth)}  ${columns.map(([title, of]) => String(of(outcome)).padStart(title.length)).join("  ")}`
  return [head, ...rows.map(line)].join("\n")
}

/** All faults of one world, one after the other on the same data. */
const runWorld = async (name: WorldName, { connections, rounds, seed }: Plan): Promise<ReadonlyArray<Row>> => {
  const names = verbNames.filter((verb) => verbs[verb].world === name && rounds[verb] > 0)
  if (names.length === 0) return []
  const skipped = name === "small disk" ? noSmallDisk() : undefined
  if (skipped !== undefined) return names.map((verb) => ({ name: verbs[verb].name, skipped }))
  const rows: Array<Row> = []
  const world = await openWorld[name]()
  try {
    for (const verb of names) {
      const told = (round: number, returnMs: number) =>
        say(`${verbs[verb].name}: round ${round} of ${rounds[verb]}, service after ${returnMs} ms`)
      const outcome = await run(world, verbs[verb], rounds[verb], { seed, connections, told })
      for (const { detail, kind, member } of outcome.faults.slice(0, shownFaults)) say(`  ${kind} ${member} ${detail}`)
      rows.push({ name: verbs[verb].name, outcome })
    }
  } catch (error) {
    await world.close()
    throw error
  }
  const code = await world.close()
  if (code !== 0) throw new Error(`the service stopped with ${code}, not 0:\n${world.service.log}`)
  return rows
}

const isWrong = ({ outcome }: Row): boolean =>
  outcome !== undefined && (outcome.faults.length > 0 || outcome.slowestReturnMs > returnLimitMs)

const killDeliveries = async ({ seed, webhooks: kills }: Plan): Promise<number> => {
  const { folder, remove } = runFolder()
  const flags = ["--data-dir", path.join(folder, "data")]
  const told = (kill: number) => say(`kill ${kill} of ${kills}`)
  try {
    const { events, faults, oldestMs, repeats } = await WebhookRounds.run({ folder, flags, kills, seed, told })
    for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
    say(
      `seed ${seed}: ${kills} kills, ${events} events, ${repeats} came again, of the last ${oldestMs} ms before a kill, ${faults.length} faults`
    )
    return faults.length > 0 ? 1 : 0
  } finally {
    remove()
  }
}

const killAutomations = async ({ automations: kills, seed }: Plan): Promise<number> => {
  const startedAt = Date.now()
  const told = (kill: number) => say(`kill ${kill} of ${kills}`)
  const { amid, faults, given, orders, others, skipped, takeovers, unrecorded, ...done } = await AutomationRounds.run({
    kills,
    seed,
    told
  })
  for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  say(
    `seed ${seed}, ${seconds} s: ${done.kills} kills, ${others} stops and leaves, ${takeovers} takeovers, ${amid} kills amid a batch with ${unrecorded} unrecorded grants, ${orders} orders, ${given} given, ${skipped} skipped, ${faults.length} faults`
  )
  return faults.length > 0 ? 1 : 0
}

const playLunches = async ({ lunches, minutes, seed }: Plan): Promise<number> => {
  const told = (kill: number) => say(`kill ${kill}`)
  const { checks, faults, guests, kills, repeats, requests, rewards, seconds } = await LunchRounds.run({
    checks: lunches,
    minutes,
    seed,
    told
  })
  for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
  say(
    `seed ${seed}, ${seconds} s: ${checks} checks of ${guests} guests, ${rewards} rewards, ${requests} requests, ${repeats} repeated, ${kills} kills, ${faults.length} faults`
  )
  return faults.length > 0 ? 1 : 0
}

const killTill = async ({ browser: isPage, seed }: Plan): Promise<number> => {
  const { folder, remove } = runFolder()
  const flags = ["--data-dir", path.join(folder, "data")]
  const startedAt = Date.now()
  try {
    const { faults, ...counts } = await TillRounds.run({
      folder,
      flags,
      sales: 300,
      serviceKills: 3,
      tillKills: 2,
      isPage,
      seed,
      told: say
    })
    for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
    const { captured, lostAnswers, lostRequests, pauses, posted, preflights, sales } = counts
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    say(
      `seed ${seed}, ${seconds} s: ${sales} sales, ${posted} posted, ${lostRequests} requests and ${lostAnswers} answers lost, ${pauses} pauses, 3 kills of the service, 2 of the till, network away once, ${captured} rewards captured, ${preflights} preflights, ${faults.length} faults`
    )
    return faults.length > 0 ? 1 : 0
  } finally {
    remove()
  }
}

const copyYear = async (seed: number): Promise<number> => {
  const { folder, remove } = runFolder()
  try {
    say(`seed ${seed}: ${await Year.run(folder, seed)}`)
    return 0
  } catch (error) {
    say(`seed ${seed}: ${String(error)}`)
    return 1
  } finally {
    remove()
  }
}

const main = async (plan: Plan): Promise<number> => {
  if (plan.webhooks > 0) return killDeliveries(plan)
  if (plan.automations > 0) return killAutomations(plan)
  if (plan.lunches > 0) return playLunches(plan)
  if (plan.till) return killTill(plan)
  if (plan.year) return copyYear(plan.seed)
  if (plan.failover !== undefined) return (await FailoverRounds.run(plan.failover, say)) > 0 ? 1 : 0
  const startedAt = Date.now()
  const rows: Array<Row> = []
  for (const name of worlds) rows.push(...(await runWorld(name, plan)))
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  say(`\nseed ${plan.seed}, ${plan.connections} connections, ${seconds} s\n\n${table(rows)}`)
  return rows.some(isWrong) ? 1 : 0
}

const plan = planOf(process.argv.slice(2))
if (plan === undefined) say(usage)
else process.exitCode = await main(plan)
