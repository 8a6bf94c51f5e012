/**
 * Counts what people give, take away and move, and keeps each within the limits of role and person (contract/operators.md *Limits*). Keys and
 * commands on the database have no limits.
 *
 * A command is counted before it is executed, under a lock of the user's day, so that requests of all nodes at once stay
 * within its sum. One that was refused is taken back. One whose outcome is unknown stays counted, and its retry finds it.
 */
import { PgTypes } from "@effect/sql-pg"
import type { Exit } from "effect"
import { Cause, Effect, Option, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import { firstLimits } from "../../contract/admin/GivingLimits.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { Refused } from "../../contract/Refused.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles } from "../../contract/Roles.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dateOf, dayMs, startOf } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Bounds from "./Bounds.ts"
import type { Amounts } from "./Limits.ts"
import { detailOf, exceeded, nothing } from "./Limits.ts"

const { int4, text, uuid } = PgTypes

/** A command that gives, takes away or moves. */
export interface Gift extends Amounts {
  readonly program: Program
  /** Facts that make two requests of a user the same command: its kind, identifier and facts. */
  readonly id: ReadonlyArray<string>
  /** True: a retry goes on with it whatever its answer, so it stays counted. */
  readonly goesOn?: boolean
}

/** Effects of a command that was executed. */
export interface Settled {
  /** False: it was done before, by a command of the same identifier and facts. */
  readonly isNew: boolean
}

/** A gift of a user, as the tables have it. */
interface Counted {
  readonly user: string
  readonly role: Role
  readonly program: string
  /** Of the programme's zone, `YYYY-MM-DD`. */
  readonly day: string
  /** The day's end, ms. */
  readonly endsAt: number
  /** Hash of the user and the gift's id. */
  readonly command: string
  readonly amounts: Amounts
}

const limitFields = {
  points_per_action: optional(Schema.Number),
  points_per_day: optional(Schema.Number),
  rewards_per_day: optional(Schema.Number),
  orders_moved_per_day: optional(Schema.Number)
}
const limitRows = rowsOf(Schema.Struct({ role: Schema.Literals(roles), ...limitFields }))
const foundLimits = firstOf(Schema.Struct(limitFields))

/** The limits of the roles that have some. */
export const limits = Effect.flatMap(PeoplePool, ({ query }) =>
  Effect.map(limitRows(query(`SELECT role, ${limitNames.join(", ")} FROM role_limits ORDER BY role`)), (stored) => [
    ...stored,
    ...firstLimits.filter(({ role }) => stored.every((one) => one.role !== role))
  ])
)

const ownStatement = `SELECT ${limitNames.join(", ")} FROM user_limits WHERE user_id = $1`

const beginStatement = `INSERT INTO given_commands AS c (command, user_id, program_id, day, points, rewards, moves, at)
  VALUES ($1, $2, $3, $4::date, $5, $6, $7, $8)
  ON CONFLICT (command) DO UPDATE SET at = excluded.at, repeats = c.repeats + 1,
    running = CASE WHEN c.at < $9 THEN 1 ELSE c.running + 1 END
  RETURNING repeats, is_done, day::text AS day, points, rewards, moves`

/** Locks the day until the transaction ends. */
const addStatement = `INSERT INTO given_days AS d (user_id, program_id, day, points, rewards, moves, ends_at)
    VALUES ($1, $2, $3::date, $4, $5, $6, $7)
  ON CONFLICT (user_id, program_id, day) DO UPDATE SET points = d.points + excluded.points,
    rewards = d.rewards + excluded.rewards, moves = d.moves + excluded.moves,
    ends_at = greatest(d.ends_at, excluded.ends_at)`
const amountFields = Schema.Struct({ points: Schema.Number, rewards: Schema.Number, moves: Schema.Number })
const amountsOf = oneOf(amountFields)
const begunOf = oneOf(
  Schema.Struct({ ...amountFields.fields, repeats: Schema.Number, is_done: Schema.Boolean, day: Schema.String })
)
const moreStatement = "UPDATE given_commands SET points = $2, rewards = $3, moves = $4 WHERE command = $1"

/** A day that another zone of the programme has begun counts until its end: a changed zone makes no fresh day. */
const givenStatement = `SELECT coalesce(sum(points), 0)::bigint AS points, coalesce(sum(rewards), 0)::bigint AS rewards,
    coalesce(sum(moves), 0)::bigint AS moves
  FROM given_days WHERE user_id = $1 AND program_id = $2 AND (day = $3::date OR ends_at > $4)`

const programsStatement = "SELECT DISTINCT program_id FROM given_days WHERE user_id = $1 ORDER BY program_id"
const programRows = rowsOf(Schema.Struct({ program_id: Schema.String }))

const isCountedStatement = "SELECT 1 AS one FROM given_commands WHERE command = $1"
const foundOf = firstOf(Schema.Struct({ one: Schema.Number }))

/** Rows are as old as kept results, whose requests they count. */
const purgeCommandsStatement = "DELETE FROM given_commands WHERE user_id = $1 AND at < $2"
const purgeDaysStatement = "DELETE FROM given_days WHERE user_id = $1 AND day < $2::date - $3::int"

const endStatement = "UPDATE given_commands SET running = greatest(running - 1, 0) WHERE command = $1"

const doneStatement = "UPDATE given_commands SET running = greatest(running - 1, 0), is_done = true WHERE command = $1"

/** Takes a command back that no other request is executing. */
const takeBackStatement = `WITH gone AS (DELETE FROM given_commands WHERE command = $1 AND running = 0 AND NOT is_done
    RETURNING user_id, program_id, day, points, rewards, moves)
  UPDATE given_days d SET points = d.points - g.points, rewards = d.rewards - g.rewards, moves = d.moves - g.moves
  FROM gone g
  WHERE (d.user_id, d.program_id, d.day) = (g.user_id, g.program_id, g.day)`

const isSome = ({ moves, points, rewards }: Amounts): boolean => moves + points + rewards > 0

const minus = (a: Amounts, b: Amounts): Amounts => ({
  points: a.points - b.points,
  rewards: a.rewards - b.rewards,
  moves: a.moves - b.moves
})

const greater = (a: Amounts, b: Amounts): Amounts => ({
  points: Math.max(a.points, b.points),
  rewards: Math.max(a.rewards, b.rewards),
  moves: Math.max(a.moves, b.moves)
})

const values = ({ moves, points, rewards }: Amounts) => [int8(points), int8(rewards), int8(moves)]

/** The outcome of a command, for its count. */
type Outcome = "done" | "not done" | "unknown"

/** True if nothing was done, and nothing will be. */
const isCertain = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof Refused && error.code !== "storage_unavailable"
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small statements on one count, which share its connection and clock
export const make = Effect.gen(function* () {
  const database = yield* PeoplePool
  const { query, transaction } = database
  const { claimKey } = yield* Journal
  const programs = yield* Programs
  const time = yield* serviceTime
  const limitsNow = Effect.provideService(limits, PeoplePool, database)
  const ownLimits = (user: string) => foundLimits(query(ownStatement, [text(user)]))

  /** The day of the programme's zone. */
  const dayOf = ({ zone }: Program) => {
    const date = dateOf(zone, time.now())
    return { day: new Date(date).toISOString().slice(0, 10), endsAt: startOf(zone, date + dayMs) }
  }

  /** Amounts that count today. */
  const givenOf = ({ day, program, user }: Pick<Counted, "day" | "program" | "user">) =>
    amountsOf(query(givenStatement, [text(user), text(program), text(day), int8(time.now())]))

  /** The gift as it is counted; undefined: its caller is no person. */
  const countedOf = ({
    byCampaigns,
    id,
    moves,
    points,
    program,
    rewards
  }: Gift): Effect.Effect<Counted | undefined, never, CurrentCaller> =>
    Effect.map(CurrentCaller, ({ keyId, kind, role }) =>
      kind !== "user" || role === undefined
        ? undefined
        : {
            user: keyId,
            role,
            program: program.id,
            ...dayOf(program),
            command: claimKey("given", keyId, program.id, ...id),
            amounts: { moves, points, rewards, byCampaigns }
          }
    )

  /** Refuses amounts beyond a limit of the role or the person. */
  const mustBeWithin = Effect.fnUntraced(function* ({ amounts, role, user }: Counted, given: Amounts) {
    const giver = { role, own: yield* ownLimits(user) }
    const limit = exceeded(yield* limitsNow, giver, given, amounts)
    if (limit !== undefined)
      return yield* Effect.fail(new Refused({ code: "limit_exceeded", detail: detailOf(giver, limit, amounts), limit }))
  })

  /** True if the caller has limits: what has none of its own is not for them. */
  const isLimited = Effect.flatMap(CurrentCaller, ({ keyId, kind, role }) =>
    Effect.gen(function* () {
      if (kind !== "user" || role === undefined) return false
      const all = { ...nothing, points: Infinity, rewards: Infinity }
      return exceeded(yield* limitsNow, { role, own: yield* ownLimits(keyId) }, nothing, all) !== undefined
    })
  )

  const isKnown = (command: string) =>
    Effect.map(foundOf(query(isCountedStatement, [uuid(command)])), (found) => found !== undefined)

  /** Adds to the day, within the limits. `known`: the part of it that is counted already. Requires: a transaction. */
  const add = Effect.fnUntraced(function* (
    counted: Counted,
    known: Amounts = nothing
  ): Effect.fn.Return<void, Refused> {
    const { amounts, day, endsAt, program, user } = counted
    // A gift without a bound is for people without limits.
    if (!Number.isSafeInteger(amounts.points + amounts.rewards))
      return yield* mustBeWithin(counted, yield* givenOf(counted))
    const added = values(minus(amounts, known))
    yield* query(addStatement, [text(user), text(program), text(day), ...added, int8(endsAt)])
    const after = yield* givenOf(counted)
    const given = minus(after, amounts)
    yield* mustBeWithin(counted, given)
    if (isSome(given)) return
    yield* query(purgeCommandsStatement, [text(user), int8((yield* machineNow) - Bounds.keptResultMs)])
    yield* query(purgeDaysStatement, [text(user), text(day), int4(Bounds.keptResultMs / dayMs)])
  })

  /**
   * Counts a command. Returns true for the first request with it. A later one may foresee more than the first one, and
   * is executed as it foresees: it counts what is more, on the day of the first.
   */
  const begin = (counted: Counted): Effect.Effect<boolean, Refused> =>
    transaction(
      Effect.gen(function* () {
        const { amounts, command, day, program, user } = counted
        const now = yield* machineNow
        const whose = [text(user), text(program), text(day)]
        const times = [int8(now), int8(now - Bounds.runningMs)]
        const begun = yield* begunOf(query(beginStatement, [uuid(command), ...whose, ...values(amounts), ...times]))
        if (begun.repeats === 0) {
          yield* add(counted)
          return true
        }
        const most = greater(amounts, begun)
        if (begun.is_done || !isSome(minus(most, begun))) return false
        yield* add({ ...counted, day: begun.day, endsAt: 0, amounts: most }, begun)
        yield* query(moreStatement, [uuid(command), ...values(most)])
        return false
      })
    )

  /** Notes the outcome of a counted command. If that fails, the command stays counted. */
  const end = (command: string, outcome: Outcome): Effect.Effect<void> => {
    const key = [uuid(command)]
    const noted =
      outcome === "done"
        ? query(doneStatement, key)
        : outcome === "unknown"
          ? query(endStatement, key)
          : transaction(Effect.andThen(query(endStatement, key), query(takeBackStatement, key)))
    return Effect.catch(Effect.asVoid(noted), () => Effect.logDebug("Noting what was given fails; it stays counted"))
  }

  const outcomeOf = (isFirst: boolean, isNew: boolean): Outcome =>
    // Gifts before a first request were not given by this command.
    isFirst && !isNew ? "not done" : "done"

  /**
   * Executes a command that gives or takes, within the limits of its caller. `settled` tells what it did by its result.
   * A command of no amount is not counted.
   */
  const within = <A, R>(
    gift: Gift,
    settled: (result: A) => Settled,
    work: Effect.Effect<A, Refused, R>
  ): Effect.Effect<A, Refused, R | CurrentCaller> =>
    Effect.flatMap(countedOf(gift), (counted) => {
      if (counted === undefined || !isSome(counted.amounts)) return work
      const { command } = counted
      return Effect.acquireUseRelease(
        begin(counted),
        () => work,
        (isFirst, exit: Exit.Exit<A, Refused>) => {
          if (exit._tag === "Failure")
            return end(command, isCertain(exit.cause) && gift.goesOn !== true ? "not done" : "unknown")
          return end(command, outcomeOf(isFirst, settled(exit.value).isNew))
        }
      )
    })

  /** Refuses what `within` would refuse now, and counts nothing. */
  const foreseen = (gift: Gift): Effect.Effect<void, Refused, CurrentCaller> =>
    Effect.flatMap(countedOf(gift), (counted) =>
      Effect.gen(function* () {
        if (counted === undefined || (yield* isKnown(counted.command))) return
        yield* mustBeWithin(counted, yield* givenOf(counted))
      })
    )

  /** True if a command of the caller is counted. */
  const isCounted = (gift: Gift): Effect.Effect<boolean, Refused, CurrentCaller> =>
    Effect.flatMap(countedOf(gift), (counted) =>
      counted === undefined ? Effect.succeed(false) : isKnown(counted.command)
    )

  /** Counts what is done in the open transaction, within the limits of the caller. */
  const counts = (gift: Omit<Gift, "id">): Effect.Effect<void, Refused, CurrentCaller> =>
    Effect.flatMap(countedOf({ ...gift, id: [] }), (counted) =>
      counted === undefined || !isSome(counted.amounts) ? Effect.void : add(counted)
    )

  /** Amounts that a user has caused today, in each programme where there are any. */
  const today = Effect.fnUntraced(function* (user: string) {
    const all = yield* programRows(query(programsStatement, [text(user)]))
    const given = yield* Effect.forEach(all, ({ program_id }) =>
      Effect.gen(function* () {
        const program = programs.get(program_id)
        if (program === undefined) return []
        const { moves, ...amounts } = yield* givenOf({ user, program: program_id, ...dayOf(program) })
        return isSome({ moves, ...amounts }) ? [{ program_id, ...amounts, orders_moved: moves }] : []
      })
    )
    return given.flat()
  })

  return { counts, foreseen, isCounted, isLimited, today, within }
})
