/**
 * This service's membership: joins the nodes of the database, confirms itself with beats, declares silent nodes dead,
 * and claims and releases partitions (contract/databases.md *Nodes*).
 *
 * Safety depends on `nodes`. A beat updates the node's row only while it is not dead; a node is declared dead only
 * while its beat is still the one that was seen, and its partitions are claimable only once its sessions have ended and
 * its row is gone. So when a successor loads an account, no beat of the former owner succeeds any more, its last
 * successful one is older than `quietMs`, and no append of it can commit.
 *
 * Two loops on a session each: beats must not wait behind a claim, whose commit waits for a synchronous standby.
 */
import { Cause, Deferred, Effect, Exit, Latch, Schema, Scope } from "effect"
import { answerWithin } from "../../base/database/Answer.ts"
import type { Reading } from "../../base/database/ClockCheck.ts"
import * as ClockCheck from "../../base/database/ClockCheck.ts"
import type { Environment } from "../../base/database/Environment.ts"
import * as Episode from "../../base/metrics/Episode.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { type MachineTime, machineTime } from "../../base/time/Times.ts"
import { type Holder, Moves } from "./Moves.ts"
import type { Node, Role } from "./Node.ts"
import type { NodeRow } from "./Placement.ts"

/** Interval between the sending of two beats, ms; after a late answer the next one is sent at once. */
const beatMs = 500
/** Interval between two looks at the other nodes and at the partitions, ms. */
const lookMs = 250
/** Validity of a confirmation, from the sending of its beat, ms. */
const confirmedForMs = 2_000
const confirmedForNanos = BigInt(confirmedForMs) * 1_000_000n
/** A node whose beat has not changed for this long does not answer any more, ms. More than `confirmedForMs`, because clocks differ. */
const quietMs = confirmedForMs + 250
/** Timeout of a statement, and of the opening of a session, ms; then a new one is opened. */
const answerMs = 5_000
/** Timeout of a claim or a release, ms: it may wait for a synchronous standby. */
const claimMs = 10_000
/** Timeout of the last statement before the service ends, ms: a stop must take at most 10 s. */
const leaveMs = 500
/** Longest handing over, ms: a stop must take at most 10 s. */
const handOverMs = 4_000
/** Pause before a lost session is reopened, ms. */
const reopenMs = 100

/** Other nodes have declared this one dead; the message is for the operator. */
class NodeLost extends Schema.TaggedError<NodeLost>()("NodeLost", { message: Schema.String }) {}

/** A session failed or timed out. */
export class SessionFailed extends Schema.TaggedError<SessionFailed>()("SessionFailed", {
  cause: Schema.Defect()
}) {}

type SessionAnswer<A> = Effect.Effect<A, SessionFailed>

/** The session of the beats. */
export interface BeatSession {
  /** PostgreSQL's time, and its time at the newest stored beat or commit, ms. */
  readonly time: SessionAnswer<Pick<Reading, "databaseMs" | "newestMs">>
  /** Adds the node's row, durably. `refused`: this database takes one node alone, and has another. */
  readonly join: SessionAnswer<"first" | "joined" | "refused">
  /** Sends a beat; false if this node was declared dead. */
  readonly beat: SessionAnswer<boolean>
  /** Releases everything and deletes the row, so that nobody need wait. */
  readonly leave: SessionAnswer<void>
}

interface Look {
  readonly rows: ReadonlyArray<NodeRow>
  /** Rises with every claim and release. */
  readonly changes: number
}

/** The session that looks at other nodes and moves partitions. */
export interface PlacementSession {
  readonly look: SessionAnswer<Look>
  /** The owner of each partition. */
  readonly owners: SessionAnswer<ReadonlyArray<string | null>>
  /** Declares a node dead, durably, if its beat is still this one. */
  readonly fence: (id: string, beat: number) => SessionAnswer<boolean>
  /** Ends every session of a node; returns how many remain. */
  readonly endSessions: (id: string) => SessionAnswer<number>
  /** Deletes the row of a dead node. */
  readonly forget: (id: string) => SessionAnswer<void>
  /** Claims those of the partitions that are claimable, durably; returns them. */
  readonly claim: (partitions: ReadonlyArray<number>) => SessionAnswer<ReadonlyArray<number>>
  readonly release: (partitions: ReadonlyArray<number>) => SessionAnswer<void>
  /** Tells the others whether this node wants partitions. */
  readonly want: (wants: boolean) => SessionAnswer<void>
}

export interface MembershipOptions {
  readonly environment: Environment
  /** This node's id, new at each start. */
  readonly id: string
  readonly openBeats: Effect.Effect<BeatSession, SessionFailed, Scope.Scope>
  readonly openPlacement: Effect.Effect<PlacementSession, SessionFailed, Scope.Scope>
  /** Called after a node has gone: what its ended sessions have committed may show although no standby has it. */
  readonly onGone: () => void
  /** True if a node's process has certainly ended. */
  readonly isGone: (row: NodeRow) => boolean
  /** The node neither becomes nor stays current while its clock disagrees. Undefined: a sandbox. */
  readonly clockCheck?: ClockCheck.ClockCheck | undefined
}

export interface Membership {
  readonly node: Omit<Node["Service"], "placement">
  /** Ends once this node has joined. True: no other node was there. */
  readonly joined: Effect.Effect<boolean>
  /** From now on partitions are claimed for the holder. */
  readonly hold: (holder: Holder) => Effect.Effect<void>
  /** Ends the holding at once, without draining: what is in memory goes. Before a sandbox starts over. */
  readonly letGo: Effect.Effect<void>
  /** Hands all partitions over. Ends when none is left, or after a bounded time; from then on nothing is admitted. */
  readonly handOver: Effect.Effect<void>
  /** Another node says that this one was declared dead: it ends, also without PostgreSQL's word. */
  readonly declaredDead: () => void
  /** Fails once this node was declared dead. */
  readonly lost: Effect.Effect<never, NodeLost>
}

const bounded = <A>(asked: SessionAnswer<A>, ms = answerMs): SessionAnswer<A> =>
  Effect.catchTag(answerWithin(asked, ms), "TimeoutError", (cause) => Effect.fail(new SessionFailed({ cause })))

/** Measures how long beats have not changed. */
class Quiet {
  private readonly seen = new Map<string, { readonly beat: number; readonly sinceNanos: bigint }>()

  /**
   * Time from the first sight of this beat of the node to the sending of the present look, ms. If the database stood
   * still, both looks and beats waited for it, so the wait for this look's answer does not count.
   */
  observe({ beat, id }: NodeRow, sentNanos: bigint, nowNanos: bigint): number {
    const last = this.seen.get(id)
    if (last?.beat === beat) return Number((sentNanos - last.sinceNanos) / 1_000_000n)
    this.seen.set(id, { beat, sinceNanos: nowNanos })
    return 0
  }

  /** Forgets nodes that have gone; true if there are such. */
  keep(rows: ReadonlyArray<NodeRow>): boolean {
    const ids = new Set(rows.map(({ id }) => id))
    const gone = [...this.seen.keys()].filter((id) => !ids.has(id))
    for (const id of gone) this.seen.delete(id)
    return gone.length > 0
  }
}

/** The time without a session that answers. */
const outage = Episode.outliving({
  began: "storage_lost",
  ended: "storage_back",
  trouble: (reason) => `PostgreSQL does not confirm this node; the service tries again: ${reason}`,
  over: (ms) => `PostgreSQL answers again, after ${ms} ms`
})

/** The time in which the clock refuses the node. */
const disagreement = Episode.outliving({
  began: "clock_disagrees",
  ended: "clock_agrees",
  trouble: (reason) => `This node answers nothing and posts nothing: ${reason}`,
  over: (ms) => `The clock is trusted again, after ${ms} ms`
})

/** Compares the clocks. True if the time is trusted. */
const makeAgrees = (clock: MachineTime, check: ClockCheck.ClockCheck | undefined, disagreement: Episode.Episode) =>
  Effect.fnUntraced(function* (session: BeatSession) {
    if (check === undefined) return true
    yield* ClockCheck.ask(check, clock, bounded(session.time))
    const { fault } = check
    if (fault === undefined) {
      yield* disagreement.succeeded
      return true
    }
    yield* disagreement.failed(fault.detail, fault.kind)
    return false
  })

/** Opens a session again and again; `use` ends in success to stop. */
const onSessions = <S>(
  open: Effect.Effect<S, SessionFailed, Scope.Scope>,
  use: (session: S) => SessionAnswer<void>,
  failed: (cause: Cause.Cause<SessionFailed>) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      // An opening hangs if PostgreSQL accepts and does not answer; the end of the scope closes its connection.
      const opened = Effect.flatMap(Effect.scope, (scope) => bounded(Scope.provide(open, scope)))
      const exit = yield* Effect.exit(Effect.scoped(Effect.flatMap(opened, use)))
      if (Exit.isSuccess(exit)) return
      yield* failed(exit.cause)
      yield* Effect.sleep(reopenMs)
    }
  })

/** Knowledge of a node about itself. */
class Standing {
  role: Role = "joining"
  /** The sending of the last confirmed beat of this session; undefined without a session. */
  confirmedNanos: bigint | undefined
  isJoining = false
  /** True once this node has handed over, or was declared dead. */
  hasLeft = false
  private readonly clock: MachineTime
  private readonly check: ClockCheck.ClockCheck | undefined

  constructor(clock: MachineTime, check: ClockCheck.ClockCheck | undefined) {
    this.clock = clock
    this.check = check
  }

  /** True while a beat confirms the node, and its clock is trusted. */
  isCurrent(): boolean {
    return (
      this.role !== "joining" &&
      this.confirmedNanos !== undefined &&
      this.clock.nanos() - this.confirmedNanos <= confirmedForNanos &&
      this.check?.agrees !== false
    )
  }
}

/** The parts of a node's membership. */
interface Parts {
  readonly options: MembershipOptions
  readonly clock: MachineTime
  readonly standing: Standing
  readonly outage: Episode.Episode
  readonly agrees: ReturnType<typeof makeAgrees>
  readonly joined: Deferred.Deferred<boolean>
  readonly lost: Deferred.Deferred<never, NodeLost>
  readonly moves: Moves
  readonly handedOver: Latch.Latch
}

/** Is a node of the database until the scope closes. */
export const make = Effect.fnUntraced(function* (
  options: MembershipOptions
): Effect.fn.Return<Membership, never, Scope.Scope> {
  const { clockCheck, environment, id } = options
  const clock = yield* machineTime
  const standing = new Standing(clock, clockCheck)
  const moves = new Moves(id)
  const parts: Parts = {
    options,
    clock,
    standing,
    outage: yield* outage,
    agrees: makeAgrees(clock, clockCheck, yield* disagreement),
    joined: Deferred.makeUnsafe(),
    lost: Deferred.makeUnsafe(),
    moves,
    handedOver: Latch.makeUnsafe(false)
  }
  yield* Effect.forkScoped(run(parts))
  yield* Effect.forkScoped(
    onSessions(
      options.openPlacement,
      (session) => looks(parts, session),
      (cause) => Effect.logDebug("The nodes and partitions cannot be read", cause)
    )
  )

  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return {
    node: {
      environment,
      role: () => (standing.role === "node" && moves.isLeaving ? "leaving" : standing.role),
      isCurrent: () => standing.isCurrent(),
      isAdmitting: () => standing.isCurrent() && !standing.hasLeft,
      isAwaitingStorage: () => standing.isJoining,
      clockFault: () => clockCheck?.fault,
      clockAheadMs: () => clockCheck?.aheadMs ?? 0
    },
    joined: Deferred.await(parts.joined),
    hold: (holder) => Effect.sync(() => moves.hold(holder, (drain) => void fork(drain))),
    letGo: Effect.sync(() => moves.letGo()),
    handOver: handOver(parts),
    declaredDead: () => lose(parts),
    lost: Deferred.await(parts.lost)
  }
})

/** Adds this node's row. A sandbox waits until it is alone. */
const join = Effect.fnUntraced(function* ({ agrees, standing }: Parts, session: BeatSession) {
  for (let tries = 0; ; tries++) {
    if (yield* agrees(session)) {
      standing.isJoining = true
      const outcome = yield* bounded(session.join, claimMs)
      standing.isJoining = false
      if (outcome !== "refused") return outcome === "first"
      if (tries === 0)
        yield* LogEvent.of("waiting")(
          Effect.logInfo("Another service has this sandbox, which takes one alone; this one waits")
        )
    }
    yield* Effect.sleep(lookMs)
  }
})

/** Returns when a beat was refused. */
const beats = Effect.fnUntraced(function* (parts: Parts, session: BeatSession) {
  const { agrees, clock, joined, outage, standing } = parts
  // One that was declared dead meanwhile must not log that all is well.
  if (standing.role === "joining") yield* outage.succeeded
  let isFirst: boolean | undefined
  if (standing.role === "joining") isFirst = yield* join(parts, session)
  for (;;) {
    if (!(yield* agrees(session))) {
      // Without beats others take over, as from a node that hangs.
      yield* Effect.sleep(beatMs)
      continue
    }
    const sentNanos = clock.nanos()
    if (!(yield* bounded(session.beat))) return
    standing.confirmedNanos = sentNanos
    yield* outage.succeeded
    if (isFirst !== undefined && standing.role === "joining") {
      standing.role = "node"
      yield* Deferred.succeed(joined, isFirst)
    }
    const sentAgoMs = Number((clock.nanos() - sentNanos) / 1_000_000n)
    yield* Effect.sleep(Math.max(0, beatMs - sentAgoMs))
  }
})

/** Sends beats until this node was declared dead. */
const run = Effect.fnUntraced(function* (parts: Parts) {
  const { options, outage, standing } = parts
  yield* onSessions(
    options.openBeats,
    (session) => Effect.onInterrupt(beats(parts, session), () => Effect.ignore(bounded(session.leave, leaveMs))),
    (cause) => {
      // The next session may be of another database: no answer leaves until it was checked.
      standing.confirmedNanos = undefined
      return outage.failed(LogEvent.reasonOf(Cause.squash(cause)))
    }
  )
  lose(parts)
})

const lose = ({ lost, standing }: Parts): void => {
  standing.hasLeft = true
  const message =
    "Other nodes have declared this one dead, because its beats did not arrive; it stops. Its supervisor starts a new one."
  Deferred.doneUnsafe(lost, Effect.fail(new NodeLost({ message })))
}

const bury = Effect.fnUntraced(function* ({ options }: Parts, session: PlacementSession, row: NodeRow) {
  const remaining = yield* bounded(session.endSessions(row.id))
  if (remaining > 0)
    return yield* Effect.logWarning(`${remaining} sessions of node ${row.id} have not ended yet; its partitions wait`)
  options.onGone()
  yield* bounded(session.forget(row.id), claimMs)
})

/** Declares silent nodes dead, and makes the partitions of dead ones claimable. */
const observe = Effect.fnUntraced(function* (
  parts: Parts,
  session: PlacementSession,
  quiet: Quiet,
  rows: ReadonlyArray<NodeRow>,
  sentNanos: bigint
) {
  const { clock, options } = parts
  if (quiet.keep(rows)) options.onGone()
  for (const row of rows) {
    if (row.id === options.id) continue
    const silentMs = quiet.observe(row, sentNanos, clock.nanos())
    if (row.dead) {
      yield* bury(parts, session, row)
      continue
    }
    const hasEnded = options.isGone(row)
    if (silentMs < quietMs && !hasEnded) continue
    // The commit waits for the synchronous standby; asked too, the durability says in the log and to callers what for.
    options.onGone()
    if (!(yield* bounded(session.fence(row.id, row.beat), claimMs))) continue
    const why = hasEnded ? "its process has ended" : `it has sent no beat for ${silentMs} ms`
    yield* Effect.logWarning(`Node ${row.id} at ${row.address} is dead: ${why}`).pipe(
      LogEvent.of("node_dead", { node: row.id, address: row.address, silent_ms: silentMs })
    )
    yield* bury(parts, session, row)
  }
})

const looks = Effect.fnUntraced(function* (parts: Parts, session: PlacementSession) {
  const { clock, handedOver, moves, standing } = parts
  // A new `Quiet` for each session: while the database was away, nobody could send beats.
  const quiet = new Quiet()
  let known: { readonly changes: number; readonly owners: ReadonlyArray<string | null> } | undefined
  let wants: boolean | undefined
  for (;;) {
    const sentNanos = clock.nanos()
    let { changes, rows } = yield* bounded(session.look)
    yield* observe(parts, session, quiet, rows, sentNanos)
    if (standing.role !== "joining" && wants !== moves.wants) {
      wants = moves.wants
      yield* bounded(session.want(wants), claimMs)
      ;({ changes, rows } = yield* bounded(session.look))
    }
    if (known?.changes !== changes) known = { changes, owners: yield* bounded(session.owners) }
    const next = moves.next({ rows, owners: known.owners }, standing.isCurrent())
    if (next.released.length > 0) {
      yield* bounded(session.release(next.released), claimMs)
      moves.released(next.released)
    }
    const claimed = next.claimed.length === 0 ? [] : yield* bounded(session.claim(next.claimed), claimMs)
    moves.claimed(claimed)
    if (moves.isLeaving && moves.holdsNothing) handedOver.openUnsafe()
    if (next.released.length + claimed.length > 0) continue
    yield* Effect.raceFirst(moves.changed, Effect.sleep(lookMs))
  }
})

const handOver = ({ handedOver, moves, standing }: Parts): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!standing.isCurrent()) return Effect.void
    moves.leave()
    return Effect.asVoid(Effect.timeoutOption(handedOver.await, handOverMs))
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        standing.hasLeft = true
      })
    )
  )
