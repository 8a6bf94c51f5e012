/**
 * A list by restaurant and day, held to the restaurants of a limited caller, by the page and as a file
 * (contract/people.md *Limited to restaurants*).
 */
import { Effect } from "effect"
import { PeoplePool, storageUnavailable } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { RestaurantsQuery } from "../../contract/platform/RestaurantFigures.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import type { Place } from "../../desk/surface/Limited.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as BusinessRange from "./BusinessRange.ts"

export interface Asked extends BusinessRange.Range {
  readonly program: Program
  /** Undefined: all. */
  readonly places: ReadonlyArray<Place> | undefined
}

interface Listed<Row> {
  /** The name of the file. It is told in the audit as `action`. */
  readonly name: string
  readonly action: Audit.AuditFacts["action"]
  readonly columns: ReadonlyArray<string>
  readonly placesOf: (
    caller: RequestCaller,
    location: string | undefined,
    range: BusinessRange.Range
  ) => Effect.Effect<Asked["places"], Refused>
  /** At most `limit` rows after a place. */
  readonly read: (of: Asked, after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>, Refused>
  /** Where a row stands in the list, as text for a cursor. */
  readonly placeOf: (row: Row) => string
  readonly cellsOf: (program: Program, row: Row) => ReadonlyArray<Csv.Cell>
  /** Up to when every change is included, ms; undefined: up to now. */
  readonly asOf: (program: string) => Effect.Effect<number | undefined, unknown>
}

export const make = Effect.fnUntraced(function* <Row>(listed: Listed<Row>) {
  const { query } = yield* PeoplePool
  const { now } = yield* serviceTime
  const { claimKey } = yield* Journal
  const programs = yield* Programs

  const asked = Effect.fnUntraced(function* (
    question: RestaurantsQuery
  ): Effect.fn.Return<Asked, Refused, CurrentCaller> {
    const caller = yield* CurrentCaller
    const program = yield* Visible.programOf(programs, caller, question.program_id)
    const range = yield* BusinessRange.rangeOf(program, question, now())
    return { ...range, program, places: yield* listed.placesOf(caller, question.location_id, range) }
  })

  /** One page, with what it tells beside its rows. */
  const list = Effect.fnUntraced(function* ({ cursor, limit, ...question }: RestaurantsQuery & PageQuery) {
    const { restaurants } = yield* CurrentCaller
    const of = yield* asked(question)
    // The limit stands in the seal: a cursor of others' lists is none of this one.
    const bound = [`restaurants' ${listed.name}`, question, restaurants?.limits]
    const page = yield* pageOf(claimKey, bound, { cursor, limit })
    const counted = yield* Effect.mapError(listed.asOf(of.program.id), () => storageUnavailable)
    const rows = yield* listed.read(of, page.after, page.limit + 1)
    return {
      ...paged(claimKey, bound, page, rows, listed.placeOf),
      program: of.program,
      as_of: fromMillis(Math.min(counted ?? now(), now()))
    }
  })

  const csv = Effect.fnUntraced(function* (question: RestaurantsQuery) {
    const of = yield* asked(question)
    const answer = yield* Csv.response(listed.name, listed.columns, (after: string | undefined) =>
      Effect.map(listed.read(of, after, csvPage), (rows) => {
        const last = rows.at(-1)
        return {
          rows: rows.map((row) => listed.cellsOf(of.program, row)),
          next: rows.length < csvPage || last === undefined ? undefined : listed.placeOf(last)
        }
      })
    )
    yield* Audit.tell(query, {
      action: listed.action,
      subject: { type: "program", id: of.program.id },
      programId: of.program.id
    })
    return answer
  })

  return { list, csv }
})
