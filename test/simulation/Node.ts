/** One service of a simulation: the real actors, group commit and scheduler over faulty tables. */
import { Effect, Exit, Scope } from "effect"
import { Layer } from "effect"
import type { Context } from "effect"
import type { Accounts } from "../../src/account/Accounts.ts"
import type { Handlers } from "../../src/protocol/Handler.ts"
import type { MemoryTables } from "../../src/journal/MemoryJournal.ts"
import * as Testing from "../../src/testing/Testing.ts"
import type { Random } from "../model/Random.ts"
import * as Storage from "./Storage.ts"
import type { Tell } from "./Trace.ts"

export interface Node {
  readonly name: string
  readonly way: Storage.Way
  readonly services: Context.Context<Accounts | Handlers>
  readonly scope: Scope.Closeable
}

export interface NodeOptions {
  readonly name: string
  readonly tables: MemoryTables
  readonly published: Storage.Published
  readonly weather: Storage.Weather
  readonly residentLimit: number
  readonly random: Random
  readonly tell: Tell
}

export const start = Effect.fnUntraced(function* (options: NodeOptions) {
  const { name, published, random, residentLimit, tables, tell, weather } = options
  const way: Storage.Way = { weather, dead: false, givenUp: new Set() }
  const scope = yield* Scope.make()
  const programs = Layer.orDie(Storage.programsOver(published, tables, way, random))
  const layer = Testing.layerFrom(Storage.journalOver(tables, way, random, tell), programs, { residentLimit })
  const services: Context.Context<Accounts | Handlers> = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  tell({ _tag: "Started", node: name })
  return { name, way, services, scope } satisfies Node
})

/** Ends a service as a killed process does: what it has sent lands by the time that another one starts, or never. */
export const kill = (node: Node): Effect.Effect<void> =>
  Effect.suspend(() => {
    node.way.dead = true
    Storage.endSessions(node.way)
    return Effect.asVoid(Effect.forkDetach(Scope.close(node.scope, Exit.void)))
  })
