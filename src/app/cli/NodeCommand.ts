/** `lotbook nodes`: the nodes of a database, of a service by its address or from the tables (contract/operators.md *Nodes*). */
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Nodes from "../../capabilities/operators/Nodes.ts"
import type { DatabaseNodes } from "../../contract/admin/Nodes.ts"
import type { Open } from "./AdminTarget.ts"
import { ask, targetFlags, toExitCode } from "./AdminTarget.ts"
import { printable } from "./StorageCommand.ts"

const head = ["address", "role", "partitions", "last beat", "version", "id"]

/** The nodes as a table, and the partitions without one. */
const tableOf = ({ nodes, partitions, unowned }: DatabaseNodes): ReadonlyArray<string> => {
  const rows = nodes.map((node) => [
    node.address,
    node.role,
    String(node.partitions),
    `${(node.beat_age_ms / 1000).toFixed(1)} s ago`,
    node.version,
    node.is_this ? `${node.id} (this one)` : node.id
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    printable(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
  return [
    ...(nodes.length === 0 ? ["No node: no service of this database runs."] : [head, ...rows].map(line)),
    ...(unowned === 0 ? [] : [`${unowned} of ${partitions} partitions have no node.`])
  ]
}

export const nodes = (open: Open) =>
  Command.make(
    "nodes",
    {
      ...targetFlags,
      json: Flag.withDefault(Flag.withDescription(Flag.Boolean("json"), "the answer of the API as JSON"), false)
    },
    ({ json, ...target }) =>
      toExitCode(
        Effect.gen(function* () {
          const found = yield* ask(target, {
            at: (client) => client.nodes.nodes(),
            on: (storage) => Effect.provide(Nodes.read, Layer.provide(PeoplePool.layer, open(storage)))
          })
          yield* Console.log(json ? JSON.stringify(found) : tableOf(found).join("\n"))
        })
      )
  ).pipe(
    Command.withDescription("List the nodes of a database: address, role, partitions, last beat, version."),
    Command.withExamples([
      { command: "lotbook nodes", description: "On the database, whether a service runs or not" },
      {
        command: "lotbook nodes --url http://127.0.0.1:3210 --json",
        description: "On a service; its key is in the environment"
      }
    ])
  )
