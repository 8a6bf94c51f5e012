/**
 * Writes pending records in groups, over lanes: one group in flight on each lane, while the next one gathers.
 *
 * Knows nothing of PostgreSQL: a lane is opened, writes groups until one fails, and is opened again. The order of
 * records is held by `PendingRecords`.
 */
import { Cause, Context, Effect, Exit, Fiber, Metric, Schema, type Scope } from "effect"
import * as Episode from "../metrics/Episode.ts"
import * as LogEvent from "../metrics/LogEvent.ts"
import * as Series from "../metrics/Series.ts"
import * as Bounds from "./Bounds.ts"
import type { AppendOutcome, JournalRecord } from "./Records.ts"
import { type Entry, type GroupOutcome, PendingRecords } from "./PendingRecords.ts"
import { machineTime, type MachineTime } from "../time/Times.ts"

const groupRecords = Metric.histogram("lotbook_journal_group_records", {
  description: "Records of a written group",
  boundaries: [1, 2, 4, 8, 16, 32, 64]
})

const commitDuration = Metric.histogram("lotbook_journal_commit_duration_seconds", {
  description: "Time from the sending of a group to its answer, with the commit",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
})

const failedGroups = Metric.counter("lotbook_journal_failed_groups_total", {
  description: "Groups that could not be written, or whose answer did not come",
  incremental: true
})

/** A group could not be written. */
export class WriteFailed extends Schema.TaggedError<WriteFailed>()("WriteFailed", {
  /** True if the group may have reached the disk all the same. */
  sent: Schema.Boolean,
  cause: Schema.Defect()
}) {}

/** A writer's outcome of one record. */
export type Verdict = Extract<
  AppendOutcome,
  { readonly _tag: "committed" | "taken" | "stale" | "superseded" | "outdated" | "frozen" | "unavailable" }
>

/**
 * Writes a group and returns one verdict a record; all or nothing if `isLinked`. All records of a group were decided
 * under the same revision of the programmes. After a failure the lane is opened again.
 */
export type Write = (
  group: ReadonlyArray<JournalRecord>,
  isLinked?: boolean
) => Effect.Effect<ReadonlyArray<Verdict>, WriteFailed>

/** Changes every lane's writer, as for traces. */
export const DecorateWrite = Context.Reference<(write: Write) => Write>("lotbook/journal/DecorateWrite", {
  defaultValue: () => (write) => write
})

export interface GroupCommitOptions {
  /** Opens a lane; its scope closes when a write fails, or once it waits for records and has called `lost`. */
  readonly open: (lost: () => void) => Effect.Effect<Write, WriteFailed, Scope.Scope>
  readonly lanes?: number | undefined
  readonly maxPendingRecords?: number | undefined
  readonly maxPendingChars?: number | undefined
  readonly maxGroupRecords?: number | undefined
  readonly maxGroupChars?: number | undefined
}

export interface GroupCommit {
  readonly submit: (record: JournalRecord, done: (outcome: AppendOutcome) => void) => void
  readonly submitLinked: (
    records: readonly [JournalRecord, JournalRecord],
    done: (outcomes: readonly [AppendOutcome, AppendOutcome]) => void
  ) => void
  /** Records submitted and not answered yet. */
  readonly pending: () => number
}

/** Whether an open lane has lost its connection, and who waits to be told. */
interface Loss {
  isLost: boolean
  resume: () => void
}

const unavailable: AppendOutcome = { _tag: "unavailable" }
const inDoubt: AppendOutcome = { _tag: "in_doubt" }

/** The time in which groups fail. */
const troubleOf = (clock: MachineTime) =>
  Episode.make(clock, {
    began: "writes_failing",
    ended: "writes_back",
    trouble: (reason) => `Records cannot be written: ${reason}`,
    over: (ms) => `Records can be written again, after ${ms} ms`
  })

/** Closing the scope writes the waiting records, then closes the lanes. */
export const make = Effect.fnUntraced(function* (
  options: GroupCommitOptions
): Effect.fn.Return<GroupCommit, never, Scope.Scope> {
  const lanes = options.lanes ?? Bounds.writerConnections
  const context = yield* Effect.context<never>()
  const runFork = Effect.runForkWith(context)
  const clock = yield* machineTime
  const decorate = yield* DecorateWrite
  const trouble = troubleOf(clock)

  const pending = new PendingRecords(
    {
      maxPendingRecords: options.maxPendingRecords ?? Bounds.maxPendingRecords,
      maxPendingChars: options.maxPendingChars ?? Bounds.maxPendingChars,
      maxGroupRecords: options.maxGroupRecords ?? Bounds.maxGroupRecords,
      maxGroupChars: options.maxGroupChars ?? Bounds.maxGroupChars
    },
    (defect) => runFork(Effect.logError("A journal callback failed", Cause.die(defect)))
  )
  yield* Effect.all([groupRecords, commitDuration].map(Series.begin))
  yield* Series.begin(failedGroups)
  yield* Series.gauge(
    "lotbook_journal_pending_records",
    { description: "Records that wait for a group or are in one" },
    () => pending.count
  )

  /** Lanes that wait for records. */
  const idle: Array<() => void> = []
  let onDrained: (() => void) | undefined
  let openLanes = 0
  /** True if the last attempt to open failed and no lane is open: new records are rejected at once. */
  let isDown = false
  let isClosing = false

  /** Resumes an idle lane. One that another lane leaves no records to waits again. */
  const wake = (): void => {
    if (pending.hasReady) idle.pop()?.()
  }

  const answer = (entries: ReadonlyArray<Entry>): void => {
    pending.answer(entries)
    if (pending.count === 0) onDrained?.()
  }

  const rejectWaiting = (): void => {
    pending.rejectWaiting()
    if (pending.count === 0) onDrained?.()
  }

  const waitForWork = (loss: Loss) =>
    Effect.callback<void>((resume) => {
      if (loss.isLost || pending.hasReady) return resume(Effect.void)
      const resumeIdle = () => resume(Effect.void)
      const leave = () => {
        const index = idle.indexOf(resumeIdle)
        if (index >= 0) idle.splice(index, 1)
      }
      idle.push(resumeIdle)
      loss.resume = () => {
        leave()
        resumeIdle()
      }
      return Effect.sync(leave)
    })

  /** Starts to write the next group, if there is one, and wakes another lane for the rest. */
  const sendNext = (write: Write) => {
    const group = pending.nextGroup()
    if (group === undefined) return undefined
    wake()
    const { entries } = group
    const records = entries.map(({ record }) => record)
    const sentAt = clock.nanos()
    return { group, sentAt, written: runFork(Effect.uninterruptible(write(records, entries[0]?.linked !== undefined))) }
  }

  const measure = (records: number, sentAt: bigint, isWritten: boolean): void => {
    if (!isWritten) return failedGroups.updateUnsafe(1, context)
    if (trouble.isOn()) runFork(trouble.succeeded)
    groupRecords.updateUnsafe(records, context)
    commitDuration.updateUnsafe(Number(clock.nanos() - sentAt) / 1e9, context)
  }

  /** Writes groups until one fails, or the connection is lost while there is none: then no record needs to meet it. */
  const serve = Effect.fnUntraced(function* (write: Write, loss: Loss) {
    while (true) {
      yield* waitForWork(loss)
      // Records submitted later in this turn of the event loop join the group.
      yield* Effect.yieldNow
      if (loss.isLost) return
      let inFlight = sendNext(write)
      while (inFlight !== undefined) {
        const exit = yield* Effect.uninterruptible(Fiber.await(inFlight.written))
        // Nothing may yield before the answers: nobody may submit on top of a rejected record that is not answered.
        const settled = pending.settle(inFlight.group, outcomeOf(inFlight.group.entries, exit))
        measure(inFlight.group.entries.length, inFlight.sentAt, Exit.isSuccess(exit))
        // The next group is sent before the callbacks of this one run, so that the disk does not wait for them.
        inFlight = Exit.isSuccess(exit) ? sendNext(write) : undefined
        answer(settled)
        if (Exit.isFailure(exit)) return yield* exit
      }
    }
  })

  /** Opens, serves until a write fails, opens again; pauses if opening itself fails, or an idle lane was lost. */
  const lane = Effect.gen(function* () {
    let pauseMs = Bounds.reconnectMinMs
    while (true) {
      let opened = false
      const loss: Loss = { isLost: false, resume: () => undefined }
      const lost = () => {
        loss.isLost = true
        loss.resume()
      }
      const exit = yield* Effect.exit(
        Effect.scoped(
          Effect.gen(function* () {
            const write = decorate(yield* options.open(lost))
            opened = true
            openLanes++
            if (isDown) yield* trouble.succeeded
            isDown = false
            yield* Effect.ensuring(
              serve(write, loss),
              Effect.sync(() => {
                openLanes--
              })
            )
          })
        )
      )
      wake()
      if (Exit.isFailure(exit)) yield* trouble.failed(LogEvent.reasonOf(Cause.squash(exit.cause)))
      if (opened) {
        pauseMs = Bounds.reconnectMinMs
        if (Exit.isSuccess(exit)) yield* Effect.sleep(pauseMs)
        continue
      }
      if (openLanes === 0) {
        isDown = true
        rejectWaiting()
      }
      yield* Effect.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, Bounds.reconnectMaxMs)
    }
  })
  for (let i = 0; i < lanes; i++) yield* Effect.forkScoped(lane)

  yield* Effect.addFinalizer(() => {
    isClosing = true
    return Effect.callback<void>((resume) => {
      if (pending.count === 0) return resume(Effect.void)
      onDrained = () => resume(Effect.void)
    }).pipe(Effect.timeoutOption(Bounds.flushTimeoutMs), Effect.andThen(Effect.sync(rejectWaiting)))
  })

  const add = (record: JournalRecord, done: (outcome: AppendOutcome) => void): Entry =>
    pending.add(record, done, !isClosing && !isDown)

  /** Sends the entry, or answers its rejection: in a microtask, because `submit` runs no callback. */
  const proceed = (entry: Entry): void => {
    if (entry.outcome === undefined) {
      pending.makeReady(entry)
      return wake()
    }
    queueMicrotask(() => {
      pending.answerRejected(entry)
      if (pending.count === 0) onDrained?.()
    })
  }

  const submit: GroupCommit["submit"] = (record, done) => proceed(add(record, done))

  const submitLinked: GroupCommit["submitLinked"] = ([first, second], done) => {
    if (first.account === second.account) throw new Error("linked records are of two accounts")
    let one: AppendOutcome | undefined
    let other: AppendOutcome | undefined
    const report = () => {
      if (one !== undefined && other !== undefined) done([one, other])
    }
    const a = add(first, (outcome) => {
      one = outcome
      report()
    })
    const b = add(second, (outcome) => {
      other = outcome
      report()
    })
    pending.link(a, b)
    proceed(a)
    proceed(b)
  }

  return { submit, submitLinked, pending: () => pending.count }
})

/** The verdicts, or the outcome of all records of a failed group. */
const outcomeOf = (group: ReadonlyArray<Entry>, exit: Exit.Exit<ReadonlyArray<Verdict>, WriteFailed>): GroupOutcome => {
  if (Exit.isSuccess(exit) && exit.value.length === group.length) return exit.value
  return isNeverSent(exit) ? unavailable : inDoubt
}

const isNeverSent = (exit: Exit.Exit<unknown, WriteFailed>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.length > 0 &&
  exit.cause.reasons.every((reason) => Cause.isFailReason(reason) && !reason.error.sent)
