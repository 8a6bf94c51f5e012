/**
 * The members of a segment, as SQL. Every value that a client sends is a parameter,
 * never part of a statement's text.
 *
 * A closed member matches only `status` (contract/engagement.md *Rules of segments*). Every other condition is
 * unknown for it, neither true nor false, so its negation does not match either.
 * Erased members match nothing.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool, Query } from "../../base/database/Pools.ts"
import { int8s, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { Rules } from "../../contract/platform/Rules.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import type { Place } from "./AudienceSql.ts"
import { isTrueOfClosed, selectRule } from "./AudienceSql.ts"
import type { Rule } from "./Rules.ts"
import { conditionsOf, referencesOf, ruleOf } from "./Rules.ts"

/** Memory for all sorts and hashes of an audience's statement, MB: three rules over a million members fit. */
const audienceMemoryMb = 192
/** Least memory for one sort or hash, MB: PostgreSQL's default for `work_mem`. */
const leastMemoryMb = 4

/** Timeout of a statement over an audience, ms: a year of orders of a million members takes 8 s. */
const audienceTimeoutMs = 60_000

/** The members of a segment, or of rules that are not stored, with every segment that the rules refer to. */
export interface Audience {
  readonly program: Program
  /** Undefined: the members that static segment `id` lists. */
  readonly rule: Rule | undefined
  readonly id: string
  /** The segments that are referred to, by id; undefined: a static segment. */
  readonly named: ReadonlyMap<string, Rule | undefined>
  /** The campaign that has these segments pinned; absent: none, they are as they are now. */
  readonly pinnedBy?: string
}

const reachedStatement = `WITH RECURSIVE reached AS (
    SELECT unnest($1) AS segment_id
    UNION
    SELECT r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
  ) SELECT s.segment_id, s.program_id, s.rules FROM reached JOIN segments s ON s.segment_id = reached.segment_id`

const reachedRows = rowsOf(
  Schema.Struct({ segment_id: Schema.String, program_id: Schema.String, rules: optional(Rules) })
)

const reached = (query: Query, program: Program, ids: ReadonlyArray<string>) =>
  Effect.map(
    reachedRows(query(reachedStatement, [texts(ids)])),
    (rows): ReadonlyMap<string, Rule | undefined> =>
      new Map(
        rows
          .filter((row) => row.program_id === program.id)
          .map(({ rules, segment_id }) => [segment_id, rules && ruleOf(rules)])
      )
  )

/** The audience of a segment; `not_found` if the programme has no such segment. */
export const ofSegment = (query: Query, program: Program, id: string): Effect.Effect<Audience, Refused> =>
  Effect.flatMap(reached(query, program, [id]), (named) =>
    named.has(id)
      ? Effect.succeed({ program, id, rule: named.get(id), named })
      : refuse("not_found", said`Programme ${program.id} has no segment ${id}.`)
  )

/** The members that match a rule; `not_found` if it refers to a segment that the programme does not have. */
export const ofRule = (query: Query, program: Program, rule: Rule): Effect.Effect<Audience, Refused> => {
  const ids = referencesOf(rule)
  return Effect.flatMap(reached(query, program, ids), (named) => {
    const missing = ids.find((id) => !named.has(id))
    return missing === undefined
      ? Effect.succeed({ program, id: "", rule, named })
      : refuse("not_found", said`Programme ${program.id} has no segment ${missing}.`)
  })
}

/**
 * A SELECT with the columns `account` (bigint) and `member_id` and one row a member of the audience.
 * `now`: the service's clock, ms. Use it as a subquery:
 *
 *     const parameters: Array<unknown> = []
 *     const place: Place = (value) => `$${parameters.push(value)}`
 *     query(`SELECT m.account FROM (${membersOf(audience, now, place)}) m`, parameters)
 *
 * Run the statement with `evaluated`. To page over members, read all accounts first: each statement evaluates the rules
 * again.
 */
export const membersOf = ({ id, named, pinnedBy, program, rule }: Audience, now: number, place: Place): string => {
  const isOf = `a.program_id = ${place(PgTypes.text(program.id))}`
  const notErased = "NOT EXISTS (SELECT FROM erasures gone WHERE gone.account = a.number)"
  const { condition, joins, tables } = selectRule(
    { named, pinnedBy, program, now, place },
    rule ?? { type: "segment", segment: id }
  )
  const closed =
    rule !== undefined && isTrueOfClosed(rule, named) === true ? "a.status = 'closed' OR" : "a.status <> 'closed' AND"
  return `${tables} SELECT a.number AS account, a.member_id FROM accounts a ${joins}
    WHERE ${isOf} AND ${notErased} AND (${closed} (${condition}))`
}

/** Those of the accounts that are in an audience now. Requires: a transaction. */
export const among = (
  database: Pool,
  audience: Audience,
  now: number,
  accounts: ReadonlyArray<number>
): Effect.Effect<ReadonlySet<number>, Refused> => {
  const parameters: Array<unknown> = []
  const place: Place = (value) => `$${parameters.push(value)}`
  const members = membersOf(audience, now, place)
  const statement = `SELECT m.account FROM (${members}) m WHERE m.account = ANY(${place(int8s(accounts))})`
  return Effect.map(
    evaluated(database, audience, accountRows(database.query(statement, parameters))),
    (rows) => new Set(rows.map(({ account }) => account))
  )
}

const accountRows = rowsOf(Schema.Struct({ account: Schema.Number }))

/**
 * Runs a statement over an audience in a transaction, with a limit of time and of memory. The settings last until the
 * outermost transaction ends. Parallel workers are off: each would group all orders.
 */
export const evaluated = <A>(
  { longTransaction, query }: Pool,
  { named, rule }: Audience,
  statement: Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> => {
  const conditions = [rule, ...named.values()].reduce(
    (sum, one) => sum + (one === undefined ? 1 : conditionsOf(one).length),
    0
  )
  const megabytes = Math.max(leastMemoryMb, Math.floor(audienceMemoryMb / conditions))
  const settings = query(
    `SELECT set_config('work_mem', $1, true), set_config('max_parallel_workers_per_gather', '0', true),
      set_config('statement_timeout', $2, true)`,
    [PgTypes.text(`${megabytes}MB`), PgTypes.text(String(audienceTimeoutMs))]
  )
  return longTransaction(Effect.andThen(settings, statement))
}
