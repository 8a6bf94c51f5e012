/** One service of a simulation: the real actors, group commit and scheduler over faulty tables. */

import type { Context } from "effect"
import { Effect, Exit, Layer, Scope } from "effect"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { Accounts } from "../../src/core/account/Accounts.ts"
import * as Partitions from "../../src/core/cluster/Partitions.ts"
import type { MemoryTables } from "../../src/core/journal/MemoryJournal.ts"
import type { Handlers } from "../../src/core/protocol/Handler.ts"
import type { Random } from "../model/Random.ts"
import * as Cluster from "./Cluster.ts"
import type { Spans } from "./Spans.ts"
import * as Storage from "./Storage.ts"
import type { Tell } from "./Trace.ts"

export interface Node {
  readonly name: string
  readonly way: Storage.Way
  readonly services: Context.Context<Accounts | Handlers>
  readonly scope: Scope.Closeable
  /** Among other nodes of the database; undefined: alone, or beside services that know nothing of each other. */
  readonly member: Cluster.Member | undefined
}

export interface NodeOptions {
  readonly name: string
  readonly tables: MemoryTables
  readonly spans: Spans
  /** True: it has the folder of archived spans. */
  readonly hasFiles: boolean
  readonly published: Storage.Published
  readonly weather: Storage.Weather
  readonly residentLimit: number
  readonly random: Random
  readonly tell: Tell
  readonly nodeTables?: Cluster.NodeTables | undefined
}

export const start = Effect.fnUntraced(function* (options: NodeOptions) {
  const { name, nodeTables, published, random, residentLimit, spans, tables, tell, weather } = options
  const way: Storage.Way = { weather, dead: false, givenUp: new Set(), hasFiles: options.hasFiles }
  const scope = yield* Scope.make()
  const programs = Layer.orDie(Storage.programsOver(published, tables, way, random))
  const joined = { id: name, tables: nodeTables, random, process: { isDead: false, trouble: 0 } }
  const member =
    joined.tables === undefined
      ? undefined
      : yield* Scope.provide(
          Cluster.join({ ...joined, tables: joined.tables, endSessions: () => Storage.endSessions(way) }),
          scope
        )
  if (nodeTables !== undefined) way.isLive = () => nodeTables.isLive(name)
  const placed = Layer.succeed(Partitions.Partitions, member?.partitions ?? Partitions.alone)
  const layer = Testing.layerFrom(Storage.journalOver({ spans, tables }, way, random, tell), programs, {
    residentLimit
  }).pipe(Layer.provide(placed))
  const services: Context.Context<Accounts | Handlers> = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  if (member !== undefined) yield* member.membership.hold(member.partitions)
  tell({ _tag: "Started", node: name })
  return { name, way, services, scope, member } satisfies Node
})

/** Asks a node as a caller does: it waits while the process stands still; undefined: 503. */
export const ask = <A>({ member, way }: Node, asked: Effect.Effect<A>): Effect.Effect<A | undefined> => {
  const answered = Effect.map(asked, (answer) => (way.dead ? undefined : answer))
  if (member === undefined) return answered
  return Effect.gen(function* () {
    yield* member.goes.await
    if (!member.membership.node.isAdmitting()) return undefined
    const answer = yield* answered
    return (yield* Cluster.mayLeave(member)) ? answer : undefined
  })
}

/** Ends a service as a killed process does: what it has sent lands by the time that another one starts, or never. */
export const kill = (node: Node): Effect.Effect<void> =>
  Effect.suspend(() => {
    node.way.dead = true
    if (node.member !== undefined) node.member.process.isDead = true
    Storage.endSessions(node.way)
    return Effect.asVoid(Effect.forkDetach(Scope.close(node.scope, Exit.void)))
  })
