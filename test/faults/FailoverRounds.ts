/** The long rounds of `npm run test:faults -- --failover`: PostgreSQL replaced under the service, again and again. */
import * as Barrier from "./Barrier.ts"
import { clockJump } from "./ClockJumps.ts"
import * as Failover from "./Failover.ts"

/** Accruals of a round. */
const count = 100

type Round = (world: Failover.Replicated, name: string, index: number) => Promise<ReadonlyArray<string>>

interface Rounds {
  readonly rounds: number
  /** Nodes on the database; absent: one. */
  readonly nodes?: number
  readonly run: Round
  readonly what: string
}

const nodesOf = ({ nodes = 1 }: Rounds): number => nodes

/** In this order: a restored copy has no standby any more. */
const kinds = {
  promotions: {
    rounds: 20,
    run: (world, name) => Failover.promotion(world, name, count),
    what: "promote a standby that lacks the newest records"
  },
  "node-promotions": {
    rounds: 5,
    nodes: 3,
    run: (world, name) => Failover.promotion(world, name, count),
    what: "the same under three nodes"
  },
  splits: {
    rounds: 5,
    run: (world, name) => Failover.split(world, name, count),
    what: "move the address, the former primary still answers"
  },
  "lost-standbys": {
    rounds: 20,
    run: (world, name, index) => Failover.lostStandby(world, name, count, index % 2 === 1),
    what: "lose the synchronous standby"
  },
  barriers: {
    rounds: 4,
    run: (world, name, index) => Barrier.round(world, name, count, index % 2 === 1),
    what: "start, or take over, while the synchronous standby is away"
  },
  restores: {
    rounds: 10,
    run: (world, name) => Failover.restore(world, name, count),
    what: "restore an older copy under the service"
  },
  "clock-jumps": {
    rounds: 10,
    run: (world, name, index) => clockJump(world, name, count, index % 2 === 0),
    what: "start the service with a wrong clock, then move its clock ahead under load"
  }
} as const satisfies Record<string, Rounds>

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as ReadonlyArray<Kind>
export const defaultRounds = (kind: Kind): number => kinds[kind].rounds
export const whatOf = (kind: Kind): string => kinds[kind].what

/** Runs so many rounds of each kind; the number of rounds with a fault. */
export const run = async (
  rounds: { readonly [Name in Kind]: number },
  say: (line: string) => void
): Promise<number> => {
  const wrong: Array<string> = []
  for (const nodes of [1, 3]) {
    const names = kindNames.filter((kind) => rounds[kind] > 0 && nodesOf(kinds[kind]) === nodes)
    if (names.length === 0) continue
    const world = await Failover.open(nodes)
    try {
      for (const kind of names) wrong.push(...(await runKind(world, kind, rounds[kind], say)))
    } finally {
      await world.close()
    }
  }
  say(`\n${kindNames.map((kind) => `${rounds[kind]} ${kind}`).join(", ")}: ${wrong.length} rounds with faults`)
  return wrong.length
}

/** The names of the rounds with a fault. */
const runKind = async (world: Failover.Replicated, kind: Kind, count: number, say: (line: string) => void) => {
  const round: Round = kinds[kind].run
  const wrong: Array<string> = []
  for (let index = 0; index < count; index++) {
    const startedAt = Date.now()
    const faults = await round(world, `${kind}-${index + 1}`, index)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    say(`${kind}: round ${index + 1} of ${count}, ${seconds} s, ${faults.length} faults`)
    for (const fault of faults.slice(0, 20)) say(`  ${fault}`)
    if (faults.length > 0) wrong.push(`${kind} ${index + 1}`)
  }
  return wrong
}
