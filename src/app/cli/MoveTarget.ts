/** The target of a move: a service at a URL, through the client of its API, or a database, through the same use case. */
import { Console, Effect, Option, Result, Schedule } from "effect"
import { HttpClientError } from "effect/http"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineNow } from "../../base/time/Times.ts"
import * as MovedBefore from "../../capabilities/moving/MovedBefore.ts"
import * as MoveGuests from "../../capabilities/moving/MoveGuests.ts"
import * as MoveRuns from "../../capabilities/moving/MoveRuns.ts"
import type { MovedGuests } from "../../contract/admin/MovedGuests.ts"
import type { MovedIn, MoveIn } from "../../contract/admin/MoveIn.ts"
import type { MoveRunReport } from "../../contract/admin/MoveRuns.ts"
import { toMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as ProgramFile from "../../core/rules/ProgramFile.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { AdminClient, Open, Target } from "./AdminTarget.ts"
import { ask, isRefused, isTransport, refusalText } from "./AdminTarget.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { onDatabase } from "./MemberCommands.ts"
import { CannotRun } from "./StorageCommand.ts"

/** Pause before a request that was refused for a passing reason is sent again, ms. */
const pauseMs = 2_000
/** Times that it is sent again: through the restart of a service, or five minutes of write freeze. */
const repeats = 150
/** The same of a report, which may not hold up the move: the next one tells as much. */
const reportRepeats = 5

/** A programme of the target, and the way in which guests are sent to it. */
export interface MoveTarget<E> {
  readonly program: Program
  /** The target's time, ms. */
  readonly now: number
  readonly send: (asked: MoveIn) => Effect.Effect<MovedIn, E>
  /** A page of guests of earlier moves. */
  readonly moved: (cursor: string | undefined) => Effect.Effect<MovedGuests, E>
  /** Tells how far a run is. */
  readonly report: (run_id: string, report: MoveRunReport) => Effect.Effect<unknown, E>
}

const passing: ReadonlySet<unknown> = new Set([
  "overloaded",
  "storage_unavailable",
  "node_unreachable",
  "write_frozen",
  "not_active",
  "rate_limited"
])

/**
 * True for a refusal that passes, an answer that was lost on its way, and one that a proxy gave for the service. What is sent again
 * is done once all the same. What cannot be written, or read, is so each time.
 */
const mayPass = (error: unknown): boolean => {
  if (HttpClientError.isHttpClientError(error)) {
    const status = error.response?.status
    return status === undefined ? isTransport(error) : status < 300 || status >= 500
  }
  return typeof error === "object" && error !== null && "code" in error && passing.has(error.code)
}

/** Why a request is sent again, without a word of whom it is about. */
const waitingFor = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? `the service answers ${error.code}`
    : "the service does not answer"

const told = new Set<string>()
const tell = (error: unknown): Effect.Effect<void> =>
  Effect.suspend(() => {
    const why = waitingFor(error)
    if (!mayPass(error) || told.has(why)) return Effect.void
    told.add(why)
    return Console.error(`Waiting: ${why}. It is asked again every ${pauseMs / 1_000} s.`)
  })

const untilSettled = <A, E, R>(sent: Effect.Effect<A, E, R>, times: number): Effect.Effect<A, E, R> =>
  Effect.retry(Effect.tapError(sent, tell), { times, while: mayPass, schedule: Schedule.spaced(pauseMs) })

const ofService = Effect.fnUntraced(function* (client: AdminClient, program_id: string) {
  const params = { program_id }
  const shown = yield* client.programs.showProgram({ params })
  const program = ProgramFile.validate(shown.program)
  if (Result.isFailure(program))
    return yield* new CannotRun({ message: "The service's programme is of a newer version." })
  // A live service has no clock to show.
  const clock = yield* Effect.option(client.clock.clock())
  const now = clock._tag === "Some" ? toMillis(clock.value.now) : yield* machineNow
  const send = (payload: MoveIn) => untilSettled(client.moveIn.moveGuestsIn({ params, payload }), repeats)
  const report = (run_id: string, payload: MoveRunReport) =>
    untilSettled(client.moveIn.reportMoveRun({ params: { program_id, run_id }, payload }), reportRepeats)
  const moved = (cursor: string | undefined) =>
    untilSettled(client.moveIn.listMovedGuests({ params, query: cursor === undefined ? {} : { cursor } }), repeats)
  return { program: program.success, now, send, moved, report }
})

const ofDatabase = Effect.fnUntraced(function* (program_id: string, now: number) {
  const program = (yield* Programs).get(program_id)
  if (program === undefined) return yield* new CannotRun({ message: `There is no programme ${program_id}.` })
  const caller = yield* CurrentCaller
  const pool = yield* PeoplePool
  const { moveIn } = yield* MoveGuests.make(pool)
  const before = yield* MovedBefore.make(pool)
  const runs = yield* MoveRuns.make(pool)
  const send = (asked: MoveIn) => Effect.provideService(moveIn(program_id, asked), CurrentCaller, caller)
  const report = (run_id: string, told: MoveRunReport) =>
    Effect.provideService(runs.report(program_id, run_id, told), CurrentCaller, caller)
  const moved = (cursor: string | undefined) =>
    Effect.provideService(before.list(program_id, { cursor }), CurrentCaller, caller)
  return { program, now, send, moved, report }
})

/** Runs work on the target of flags. `kind`: whether a database is written to. */
export const onTarget = <A, W>(
  open: Open,
  flags: Target & { readonly program: string },
  kind: "read" | "write",
  work: <E>(target: MoveTarget<E>) => Effect.Effect<A, E | W>
) =>
  Effect.mapError(
    ask(flags, {
      at: (client) => Effect.flatMap(ofService(client, flags.program), work),
      on: onDatabase(open, kind, (time) =>
        ArchiveFolder.reading(Option.none())(Effect.flatMap(ofDatabase(flags.program, time.now()), work))
      )
    }),
    // A refusal with a code is of the whole move, such as a wrong key; those of guests are results.
    (error) => (isRefused(error) && error.code !== undefined ? new CannotRun({ message: refusalText(error) }) : error)
  )
