/** Reads of statements, by their plans. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Rows that a node read of its table. */
export const readBy = (node: Plan): number => {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  return (node["Actual Rows"] + removed) * node["Actual Loops"]
}

/** The tables that nodes have read; a partition that was left out has not run. */
export const tablesOf = (nodes: ReadonlyArray<Plan>): ReadonlyArray<string> => {
  const names = nodes.flatMap((node) => (node["Actual Loops"] > 0 ? (node["Relation Name"] ?? []) : []))
  return [...new Set(names)].sort()
}

/** A query that also explains: `nodes` has the nodes of all plans since it was cleared. */
export const explaining = (connection: PgConnection.PgConnection) => {
  const nodes: Array<Plan> = []
  const query = Effect.fnUntraced(function* (statement: string, parameters: ReadonlyArray<unknown> = []) {
    const { rows } = yield* connection.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, parameters)
    const [explained] = (rows[0]?.["QUERY PLAN"] ?? []) as ReadonlyArray<{ readonly Plan: Plan }>
    if (explained !== undefined) nodes.push(...nodesOf(explained.Plan))
    return (yield* connection.query(statement, parameters)).rows
  })
  return { nodes, query }
}
