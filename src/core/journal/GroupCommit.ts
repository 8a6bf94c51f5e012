/**
 * Writes pending records in groups, over connections: one group in flight on each, while the next one gathers.
 *
 * Knows nothing of PostgreSQL: a connection is opened, writes groups until one fails, and is opened again. The order of
 * records is held by `PendingRecords`.
 */
import { Cause, Context, Effect, Exit, Fiber, Metric, Schema, type Scope } from "effect"
import * as Episode from "../../base/metrics/Episode.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Series from "../../base/metrics/Series.ts"
import { type MachineTime, machineTime } from "../../base/time/Times.ts"
import * as Bounds from "./Bounds.ts"
import { Commits } from "./Commits.ts"
import { type Entry, type GroupOutcome, PendingRecords } from "./PendingRecords.ts"
import type { AppendOutcome, JournalRecord } from "./Records.ts"

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
 * under the same revision of the programmes. After a failure the connection is opened again.
 */
export type Write = (
  group: ReadonlyArray<JournalRecord>,
  isLinked?: boolean
) => Effect.Effect<ReadonlyArray<Verdict>, WriteFailed>

/** Changes every connection's writer, as for traces. */
export const DecorateWrite = Context.Reference<(write: Write) => Write>("lotbook/core/journal/DecorateWrite", {
  defaultValue: () => (write) => write
})

export interface GroupCommitOptions {
  /** Opens a connection; its scope closes when a write fails, or once it waits for records and has called `lost`. */
  readonly open: (lost: () => void) => Effect.Effect<Write, WriteFailed, Scope.Scope>
  readonly connections?: number | undefined
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
  readonly commits: Commits
}

/** Whether an open connection was lost, and who waits to be told. */
interface Loss {
  isLost: boolean
  resume: () => void
}

const unavailable: AppendOutcome = { _tag: "unavailable" }
const inDoubt: AppendOutcome = { _tag: "in_doubt" }

/** The time in which groups fail. */
const trouble = Episode.outliving({
  began: "writes_failing",
  ended: "writes_back",
  trouble: (reason) => `Records cannot be written: ${reason}`,
  over: (ms) => `Records can be written again, after ${ms} ms`
})

/** The parts of one group commit. */
interface Parts {
  readonly open: GroupCommitOptions["open"]
  readonly decorate: (write: Write) => Write
  readonly pending: PendingRecords
  /** Connections that wait for records. */
  readonly idle: Array<() => void>
  readonly trouble: Episode.Episode
  readonly clock: MachineTime
  readonly commits: Commits
  readonly context: Context.Context<never>
  readonly fork: ReturnType<typeof Effect.runForkWith<never>>
  openConnections: number
  /** True if the last attempt to open failed and no connection is open: new records are rejected at once. */
  isDown: boolean
  /** True once a connection has been opened. */
  hasOpened: boolean
  isClosing: boolean
  onDrained: (() => void) | undefined
}

/** Closing the scope writes the waiting records, then closes the connections. */
export const make = Effect.fnUntraced(function* (
  options: GroupCommitOptions
): Effect.fn.Return<GroupCommit, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const fork = Effect.runForkWith(context)
  const clock = yield* machineTime
  const pending = new PendingRecords(
    {
      maxPendingRecords: options.maxPendingRecords ?? Bounds.maxPendingRecords,
      maxPendingChars: options.maxPendingChars ?? Bounds.maxPendingChars,
      maxGroupRecords: options.maxGroupRecords ?? Bounds.maxGroupRecords,
      maxGroupChars: options.maxGroupChars ?? Bounds.maxGroupChars
    },
    (defect) => fork(Effect.logError("A journal callback failed", Cause.die(defect)))
  )
  const parts: Parts = {
    open: options.open,
    decorate: yield* DecorateWrite,
    pending,
    idle: [],
    trouble: yield* trouble,
    clock,
    commits: new Commits(),
    context,
    fork,
    openConnections: 0,
    isDown: false,
    hasOpened: false,
    isClosing: false,
    onDrained: undefined
  }
  yield* Effect.all([groupRecords, commitDuration].map(Series.begin))
  yield* Series.begin(failedGroups)
  yield* Series.gauge(
    "lotbook_journal_pending_records",
    { description: "Records that wait for a group or are in one" },
    () => pending.count
  )
  for (let i = 0; i < (options.connections ?? Bounds.writerConnections); i++) yield* Effect.forkScoped(keepOpen(parts))
  yield* Effect.addFinalizer(() => drain(parts))
  return {
    submit: (record, done) => proceed(parts, add(parts, record, done)),
    submitLinked: (records, done) => submitLinked(parts, records, done),
    pending: () => pending.count,
    commits: parts.commits
  }
})

/** Opens, serves until a write fails, opens again; pauses if opening itself fails, or an idle connection was lost. */
const keepOpen = Effect.fnUntraced(function* (parts: Parts) {
  const { decorate, open, trouble } = parts
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
          const write = decorate(yield* open(lost))
          opened = true
          parts.openConnections++
          // The first connection ends what former parts have told, of another history.
          if (parts.isDown || !parts.hasOpened) yield* trouble.succeeded
          parts.isDown = false
          parts.hasOpened = true
          yield* Effect.ensuring(
            serve(parts, write, loss),
            Effect.sync(() => {
              parts.openConnections--
            })
          )
        })
      )
    )
    wake(parts)
    if (Exit.isFailure(exit)) yield* trouble.failed(LogEvent.reasonOf(Cause.squash(exit.cause)))
    if (opened) {
      pauseMs = Bounds.reconnectMinMs
      if (Exit.isSuccess(exit)) yield* Effect.sleep(pauseMs)
      continue
    }
    if (parts.openConnections === 0) {
      parts.isDown = true
      rejectWaiting(parts)
    }
    yield* Effect.sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 2, Bounds.reconnectMaxMs)
  }
})

/** Writes groups until one fails, or the connection is lost while there is none: then no record needs to meet it. */
const serve = Effect.fnUntraced(function* (parts: Parts, write: Write, loss: Loss) {
  const { pending } = parts
  while (true) {
    yield* waitForWork(parts, loss)
    // Records submitted later in this turn of the event loop join the group.
    yield* Effect.yieldNow
    if (loss.isLost) return
    let inFlight = sendNext(parts, write)
    while (inFlight !== undefined) {
      const exit = yield* Effect.uninterruptible(Fiber.await(inFlight.written))
      // Nothing may yield before the answers: nobody may submit on top of a rejected record that is not answered.
      const settled = pending.settle(inFlight.group, outcomeOf(inFlight.group.entries, exit))
      measure(parts, inFlight.group.entries.length, inFlight.sentAt, Exit.isSuccess(exit))
      // The next group is sent before the callbacks of this one run, so that the disk does not wait for them.
      inFlight = Exit.isSuccess(exit) ? sendNext(parts, write) : undefined
      pending.answer(settled)
      if (Exit.isSuccess(exit)) parts.commits.note()
      noteDrained(parts)
      if (Exit.isFailure(exit)) return yield* exit
    }
  }
})

/** Resumes an idle connection. One that another connection leaves no records to waits again. */
const wake = ({ idle, pending }: Parts): void => {
  if (pending.hasReady) idle.pop()?.()
}

const waitForWork = ({ idle, pending }: Parts, loss: Loss) =>
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

/** Starts to write the next group, if there is one, and wakes another connection for the rest. */
const sendNext = (parts: Parts, write: Write) => {
  const { clock, fork, pending } = parts
  const group = pending.nextGroup()
  if (group === undefined) return undefined
  wake(parts)
  const { entries } = group
  const records = entries.map(({ record }) => record)
  const sentAt = clock.nanos()
  return { group, sentAt, written: fork(Effect.uninterruptible(write(records, entries[0]?.linked !== undefined))) }
}

const measure = ({ clock, context, fork, trouble }: Parts, records: number, sentAt: bigint, isWritten: boolean) => {
  if (!isWritten) return failedGroups.updateUnsafe(1, context)
  if (trouble.isOn()) fork(trouble.succeeded)
  groupRecords.updateUnsafe(records, context)
  commitDuration.updateUnsafe(Number(clock.nanos() - sentAt) / 1e9, context)
}

const noteDrained = ({ onDrained, pending }: Parts): void => {
  if (pending.count === 0) onDrained?.()
}

const rejectWaiting = (parts: Parts): void => {
  parts.pending.rejectWaiting()
  noteDrained(parts)
}

/** Takes no further record, and waits until those that were taken are answered. */
const drain = (parts: Parts): Effect.Effect<void> => {
  parts.isClosing = true
  return Effect.callback<void>((resume) => {
    if (parts.pending.count === 0) return resume(Effect.void)
    parts.onDrained = () => resume(Effect.void)
  }).pipe(Effect.timeoutOption(Bounds.flushTimeoutMs), Effect.andThen(Effect.sync(() => rejectWaiting(parts))))
}

const add = (
  { isClosing, isDown, pending }: Parts,
  record: JournalRecord,
  done: (outcome: AppendOutcome) => void
): Entry => pending.add(record, done, !isClosing && !isDown)

/** Sends the entry, or answers its rejection: in a microtask, because `submit` runs no callback. */
const proceed = (parts: Parts, entry: Entry): void => {
  const { pending } = parts
  if (entry.outcome === undefined) {
    pending.makeReady(entry)
    return wake(parts)
  }
  queueMicrotask(() => {
    pending.answerRejected(entry)
    noteDrained(parts)
  })
}

const submitLinked = (
  parts: Parts,
  [first, second]: readonly [JournalRecord, JournalRecord],
  done: (outcomes: readonly [AppendOutcome, AppendOutcome]) => void
): void => {
  if (first.account === second.account) throw new Error("linked records are of two accounts")
  let one: AppendOutcome | undefined
  let other: AppendOutcome | undefined
  const report = () => {
    if (one !== undefined && other !== undefined) done([one, other])
  }
  const a = add(parts, first, (outcome) => {
    one = outcome
    report()
  })
  const b = add(parts, second, (outcome) => {
    other = outcome
    report()
  })
  parts.pending.link(a, b)
  proceed(parts, a)
  proceed(parts, b)
}

/** The verdicts, or the outcome of all records of a failed group. */
const outcomeOf = (group: ReadonlyArray<Entry>, exit: Exit.Exit<ReadonlyArray<Verdict>, WriteFailed>): GroupOutcome => {
  if (Exit.isSuccess(exit) && exit.value.length === group.length) return exit.value
  return isNeverSent(exit) ? unavailable : inDoubt
}

const isNeverSent = (exit: Exit.Exit<unknown, WriteFailed>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.length > 0 &&
  exit.cause.reasons.every((reason) => Cause.isFailReason(reason) && !reason.error.sent)
