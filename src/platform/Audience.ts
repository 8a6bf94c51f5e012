/**
 * The members of a segment, in SQL with parameters only: nothing that a client
 * sends is part of a statement's text.
 *
 * Conditions are evaluated for members who are not closed. A closed one matches
 * `status` alone (platform.md): every other condition is neither true nor false of
 * it, so that no negation brings it back. Members that were erased match nothing.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { AdminDatabase, AdminQuery } from "../admin/AdminDatabase.ts"
import { refuse } from "../admin/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { decodeRules } from "../contract/platform/Rules.ts"
import { texts } from "../journal/postgres/Parameters.ts"
import type { Program } from "../program/Program.ts"
import { isTrueOfClosed, selectRule } from "./AudienceSql.ts"
import type { Place } from "./AudienceSql.ts"
import type { Rule } from "./Rules.ts"
import * as Bounds from "./Bounds.ts"
import { conditionsOf, referencesOf, ruleOf } from "./Rules.ts"

/** A segment, or rules that are of none, with every segment that they name. */
export interface Audience {
  readonly program: Program
  /** Whose members are meant; undefined: it is the list of segment `id`. */
  readonly rule: Rule | undefined
  readonly id: string
  /** The segments that are named, by id; undefined: a list. */
  readonly named: ReadonlyMap<string, Rule | undefined>
}

const reachedStatement = `WITH RECURSIVE reached AS (
    SELECT unnest($1::text[]) AS segment_id
    UNION
    SELECT r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
  ) SELECT s.segment_id, s.program_id, s.rules FROM reached JOIN segments s ON s.segment_id = reached.segment_id`

/** The rule that the table keeps of a segment; undefined: it is a list. */
const storedRule = (rules: unknown): Rule | undefined =>
  rules === null ? undefined : ruleOf(Result.getOrThrow(decodeRules(JSON.parse(String(rules)))))

const reached = (query: AdminQuery, program: Program, ids: ReadonlyArray<string>) =>
  Effect.map(
    query(reachedStatement, [texts(ids)]),
    (rows): ReadonlyMap<string, Rule | undefined> =>
      new Map(
        rows
          .filter((row) => row["program_id"] === program.id)
          .map((row) => [String(row["segment_id"]), storedRule(row["rules"])])
      )
  )

/** A segment of the programme; refused with `not_found` where it has none of this id. */
export const ofSegment = (query: AdminQuery, program: Program, id: string): Effect.Effect<Audience, Refused> =>
  Effect.flatMap(reached(query, program, [id]), (named) =>
    named.has(id)
      ? Effect.succeed({ program, id, rule: named.get(id), named })
      : refuse("not_found", `Programme ${program.id} has no segment ${id}.`)
  )

/** Members for whom a rule holds; refused with `not_found` where it names a segment that the programme does not have. */
export const ofRule = (query: AdminQuery, program: Program, rule: Rule): Effect.Effect<Audience, Refused> => {
  const ids = referencesOf(rule)
  return Effect.flatMap(reached(query, program, ids), (named) => {
    const missing = ids.find((id) => !named.has(id))
    return missing === undefined
      ? Effect.succeed({ program, id: "", rule, named })
      : refuse("not_found", `Programme ${program.id} has no segment ${missing}.`)
  })
}

/**
 * A SELECT of `account` (bigint) and `member_id` of an audience at `now`, ms of the service's clock: a row a member.
 * Put it in brackets, as a table:
 *
 *     const parameters: Array<unknown> = []
 *     const place: Place = (value) => `$${parameters.push(value)}`
 *     query(`SELECT m.account FROM (${membersOf(audience, now, place)}) m`, parameters)
 *
 * Take all accounts at once where pages of them are wanted: every statement evaluates the rules again. Run it by `evaluated`.
 */
export const membersOf = ({ id, named, program, rule }: Audience, now: number, place: Place): string => {
  const isOf = `a.program_id = ${place(PgTypes.text(program.id))}::text`
  const notErased = "NOT EXISTS (SELECT FROM erasures gone WHERE gone.account = a.number)"
  const { condition, joins, tables } = selectRule(
    { named, program, now, place },
    rule ?? { type: "segment", segment: id }
  )
  const closed =
    rule !== undefined && isTrueOfClosed(rule, named) === true ? "a.status = 'closed' OR" : "a.status <> 'closed' AND"
  return `${tables} SELECT a.number AS account, a.member_id FROM accounts a ${joins}
    WHERE ${isOf} AND ${notErased} AND (${closed} (${condition}))`
}

/**
 * Runs a statement over an audience in a transaction; its settings last until the outermost one ends. Sorts and hashes
 * share a bound of memory. The statement has one process: parallel ones would each group all orders.
 */
export const evaluated = <A>(
  { longTransaction, query }: AdminDatabase["Service"],
  { named, rule }: Audience,
  statement: Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> => {
  const conditions = [rule, ...named.values()].reduce(
    (sum, one) => sum + (one === undefined ? 1 : conditionsOf(one).length),
    0
  )
  const megabytes = Math.max(Bounds.leastMemoryMb, Math.floor(Bounds.audienceMemoryMb / conditions))
  const settings = query(
    `SELECT set_config('work_mem', $1::text, true), set_config('max_parallel_workers_per_gather', '0', true),
      set_config('statement_timeout', $2::text, true)`,
    [PgTypes.text(`${megabytes}MB`), PgTypes.text(String(Bounds.audienceTimeoutMs))]
  )
  return longTransaction(Effect.andThen(settings, statement))
}
