/** The accounts of several nodes over one journal in memory, linked without sockets. */
import { Context, Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { Partitions } from "../../../src/core/cluster/Partitions.ts"
import { partitionCount } from "../../../src/core/cluster/Placement.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"
import type { Handlers } from "../../../src/core/protocol/Handler.ts"
import { LinkedNodes } from "../cluster/LinkedNodes.ts"

export const allPartitions = Array.from({ length: partitionCount }, (_, partition) => partition)

export interface AccountsNode {
  readonly services: Context.Context<Accounts | Handlers | Journal>
  readonly accounts: Accounts["Service"]
}

export class AccountsOfNodes {
  readonly linked = new LinkedNodes()
  readonly tables = new MemoryTables()
  /** How groups reach the tables: tests put faults in between. */
  storage = MemoryStorage.over(this.tables)

  readonly start = Effect.fnUntraced(
    { self: this },
    function* (this: AccountsOfNodes, id: string, residentLimit?: number) {
      const partitions = yield* this.linked.add(id)
      const write: MemoryStorage["Service"]["write"] = (group, isLinked) => this.storage.write(group, isLinked)
      const options = residentLimit === undefined ? {} : { residentLimit }
      const services = yield* Layer.build(
        Layer.fresh(Testing.layerFromStorage({ tables: this.tables, write }, [Testing.demoProgram], options)).pipe(
          Layer.provide(Layer.succeed(Partitions, partitions))
        )
      )
      return { services, accounts: Context.get(services, Accounts) } satisfies AccountsNode
    }
  )
}

/** `a` owns the even partitions, `b` the odd ones. */
export const two = Effect.gen(function* () {
  const nodes = new AccountsOfNodes()
  const [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
  nodes.linked.give("a", ...allPartitions.filter((partition) => partition % 2 === 0))
  nodes.linked.give("b", ...allPartitions.filter((partition) => partition % 2 === 1))
  return { nodes, linked: nodes.linked, tables: nodes.tables, a, b }
})

/** `b` owns everything; all that `a` is asked for is forwarded. */
export const front = Effect.gen(function* () {
  const nodes = new AccountsOfNodes()
  const [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
  nodes.linked.give("b", ...allPartitions)
  return { nodes, linked: nodes.linked, tables: nodes.tables, a, b }
})
