/**
 * The partitions as the parts of a service see them: which are this node's, and how to call the owner of another one
 * (contract/databases.md *Forwarding*).
 *
 * Invariant: work on an account begins only while `isMine` of its partition, and `drain` ends only once that work is
 * answered. So two nodes that hand a partition over never have one account in memory at the same time.
 */
import { Context, Effect, Exit, Fiber, Metric, Scope } from "effect"
import * as Callers from "../../base/concurrency/Callers.ts"
import * as Episode from "../../base/metrics/Episode.ts"
import * as Series from "../../base/metrics/Series.ts"
import { machineTime } from "../../base/time/Times.ts"
import * as Bounds from "./Bounds.ts"
import * as DeadNotice from "./DeadNotice.ts"
import type { Link } from "./Link.ts"
import type { Holder, Placement } from "./Moves.ts"
import type { PlacementFacts } from "./Node.ts"
import { heartbeatProtocol, partitionCount, partitionOf } from "./Placement.ts"

/**
 * `mine`: the partition came to this node meanwhile. `unavailable`: nobody knows whether the call was carried out.
 * `unreachable`: the same, because the link to the owner fails.
 */
export type CallFailure = "mine" | "unavailable" | "unreachable" | "overloaded"

/** Work that drains before partitions go to another node. */
type Drain = (partitions: ReadonlySet<number>) => Effect.Effect<void>

/** The partitions as the parts of a service use them. */
export interface PartitionsOfNode {
  /** True if this node answers for the partition. Cheap enough for every request. */
  readonly isMine: (partition: number) => boolean
  /** The partitions of this node; undefined: all. */
  readonly owned: () => ReadonlyArray<number> | undefined
  /** The partition for the `n`th account, one of this node's if it has any. */
  readonly forNew: (n: number) => number
  /**
   * Calls the owner of a partition, and waits at most 4 s while it has none. `isRepeatable`: calls again also if the
   * owner may have carried the call out.
   */
  readonly call: (partition: number, payload: string, isRepeatable: boolean) => Effect.Effect<string, CallFailure>
  /**
   * Answers the calls of other nodes until the scope closes, also those for partitions that drain. Undefined: the
   * account is not this node's.
   */
  readonly answer: (
    answer: (payload: string) => Effect.Effect<string | undefined>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Runs before partitions go to another node. */
  readonly onDrain: (drain: Drain) => Effect.Effect<void, never, Scope.Scope>
  /** Calls a listener after partitions came to this node, until the scope closes. */
  readonly onClaimed: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** Does work while the partition is this node's: begins it, interrupts it, begins it again. Never ends. */
  readonly whileMine: <R>(partition: number, work: Effect.Effect<void, never, R>) => Effect.Effect<never, never, R>
}

/** All partitions are this service's: it is the only one on its storage. */
export const alone: PartitionsOfNode = {
  isMine: () => true,
  owned: () => undefined,
  forNew: partitionOf,
  call: () => Effect.fail("mine"),
  answer: () => Effect.void,
  onDrain: () => Effect.void,
  onClaimed: () => Effect.void,
  whileMine: (_, work) => Effect.andThen(work, Effect.never)
}

export const Partitions = Context.Reference<PartitionsOfNode>("lotbook/core/cluster/Partitions", {
  defaultValue: () => alone
})

const forwarded = Metric.counter("lotbook_cluster_forwarded_total", {
  description: "Requests of this node's callers for accounts of other nodes",
  incremental: true
})

interface PartitionsOptions {
  readonly id: string
  /** Another node says that this one was declared dead. */
  readonly onDead?: () => void
  readonly isCurrent: () => boolean
  /** Opens the link to a node. */
  readonly connect: (address: string, hasHeartbeats: boolean) => Effect.Effect<Link, never, Scope.Scope>
}

interface Peer {
  /** The time in which the link to it fails. */
  readonly outage: Episode.Episode
  readonly address: string
  readonly link: Link
  readonly scope: Scope.Closeable
  /** Silences of the link that the log has told. */
  silences: number
  /** When the link last failed, ms (monotonic). */
  failedAt: number
}

/** True if the link has been down for longer than another owner would need. */
const isUnreachable = ({ link }: Peer): boolean => link.downMs() > Bounds.holdMs

/** The reply of a node that does not own the partition. */
export const notMine = "-"

/** The replies of a node to a call, by their first character. */
const reply = { done: "+", notMine, unknown: "?" } as const

/** Surroundings of the partitions. */
interface Deps {
  /** Links and series of other nodes end with it at the latest. */
  readonly scope: Scope.Scope
  readonly runFork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
  readonly now: () => number
  readonly forwarded: () => void
  readonly outageOf: (id: string, address: string) => Episode.Episode
  /** Serves how long a link has been down, until the scope closes. */
  readonly measure: (id: string, address: string, link: Link) => Effect.Effect<void, never, Scope.Scope>
}

export class NodePartitions implements Holder, PartitionsOfNode {
  private readonly options: PartitionsOptions
  private readonly deps: Deps
  private readonly mine = new Uint8Array(partitionCount)
  /** Partitions that drain: their accounts finish what was begun, such as a merge's hold. */
  private readonly draining = new Set<number>()
  private count = 0
  /** Calls for partitions without an owner wait until then, ms (monotonic). */
  private completeUntil = -Infinity
  private owners: ReadonlyArray<string | null> = []
  private readonly peers = new Map<string, Peer>()
  private readonly drains = new Set<Drain>()
  private readonly listeners = new Set<() => void>()
  private readonly workers = new Map<number, Set<Fiber.Fiber<unknown>>>()
  private waiters: Array<() => void> = []
  /** Changes of owners so far. */
  private changes = 0
  private handler: ((payload: string) => Effect.Effect<string | undefined>) | undefined
  private heldCalls = 0
  private heldChars = 0

  constructor(options: PartitionsOptions, deps: Deps) {
    this.options = options
    this.deps = deps
  }

  /** Partitions of this node. */
  get size(): number {
    return this.count
  }

  /** Partitions without an owner that is a node. */
  get unowned(): number {
    return this.owners.filter((owner) => owner === null || (owner !== this.options.id && !this.peers.has(owner))).length
  }

  readonly placement = (): PlacementFacts => ({
    partitions: this.count,
    nodes: this.peers.size + 1,
    // By the last look, which may be old: a claim waits for a synchronous standby.
    isComplete: this.deps.now() <= this.completeUntil,
    unreachable: [...this.peers].flatMap(([id, peer]) => (isUnreachable(peer) && this.owners.includes(id) ? [id] : []))
  })

  readonly isMine = (partition: number): boolean => this.mine[partition] === 1

  readonly owned = (): ReadonlyArray<number> | undefined =>
    this.count === partitionCount ? undefined : [...this.mine.keys()].filter(this.isMine)

  readonly forNew = (n: number): number => {
    const first = partitionOf(n)
    for (let i = 0; i < partitionCount; i++) {
      const partition = (first + i) % partitionCount
      if (this.isMine(partition)) return partition
    }
    return first
  }

  claimed(partitions: ReadonlyArray<number>): void {
    for (const partition of partitions) this.mine[partition] = 1
    this.recount()
    for (const listener of this.listeners) listener()
  }

  drain(partitions: ReadonlyArray<number>): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const partition of partitions) this.mine[partition] = 0
      this.recount()
      const given = new Set(partitions)
      for (const partition of partitions) this.draining.add(partition)
      const stopped = partitions.flatMap((partition) => [...(this.workers.get(partition) ?? [])].map(Fiber.interrupt))
      return Effect.ensuring(
        Effect.all([...stopped, ...[...this.drains].map((drain) => drain(given))], {
          concurrency: "unbounded",
          discard: true
        }),
        Effect.sync(() => {
          for (const partition of partitions) this.draining.delete(partition)
        })
      )
    })
  }

  placed({ owners, rows }: Placement): void {
    const alive = new Map(rows.filter(({ dead }) => !dead).map((row) => [row.id, row]))
    for (const [id, { address, link, scope }] of this.peers) {
      if (alive.get(id)?.address === address) continue
      this.peers.delete(id)
      link.fail("the node has gone")
      const noticed = alive.has(id) ? Effect.void : DeadNotice.send(link, id)
      this.deps.runFork(Effect.andThen(noticed, Scope.close(scope, Exit.void)))
    }
    for (const [id, { address, protocol }] of alive) {
      if (id === this.options.id || this.peers.has(id)) continue
      const scope = Scope.forkUnsafe(this.deps.scope)
      const link = Effect.runSync(Scope.provide(this.options.connect(address, protocol >= heartbeatProtocol), scope))
      const peer = { address, link, scope, outage: this.deps.outageOf(id, address), silences: 0, failedAt: -Infinity }
      this.peers.set(id, peer)
      this.deps.runFork(Scope.provide(this.deps.measure(id, address, link), scope))
    }
    for (const peer of this.peers.values()) this.tell(peer)
    if (owners !== this.owners) {
      this.owners = owners
      this.changed()
    }
    if (this.unowned === 0) this.completeUntil = this.deps.now() + Bounds.holdMs
  }

  /** Logs that a link fails: at each silence, and if it is down for long. It works again once it has done so for 4 s. */
  private tell(peer: Peer): void {
    const { link, outage } = peer
    const [now, silences] = [this.deps.now(), link.silences()]
    if (link.downMs() > 0) peer.failedAt = now
    if (silences > peer.silences || isUnreachable(peer)) {
      peer.silences = silences
      peer.failedAt = now
      this.deps.runFork(outage.failed(link.reason()))
    } else if (outage.isOn() && now - peer.failedAt > Bounds.holdMs) this.deps.runFork(outage.succeeded)
  }

  private recount(): void {
    this.count = this.mine.reduce((sum, one) => sum + one, 0)
    this.changed()
  }

  private changed(): void {
    const { waiters } = this
    this.waiters = []
    this.changes++
    for (const resume of waiters) resume()
  }

  /** Ends at the next change of owners after the given number of changes. */
  private changeAfter(changes: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const done = () => resume(Effect.void)
      if (this.changes !== changes) return done()
      this.waiters.push(done)
      return Effect.sync(() => {
        this.waiters = this.waiters.filter((waiter) => waiter !== done)
      })
    })
  }

  /** Answers a call of another node. */
  serve(frame: string): Effect.Effect<string> {
    return Effect.suspend(() => {
      if (frame === DeadNotice.of(this.options.id)) this.options.onDead?.()
      const end = frame.indexOf(":")
      const { handler } = this
      const partition = Number(frame.slice(0, end))
      const isServed = this.isMine(partition) || this.draining.has(partition)
      if (!isServed || handler === undefined || !this.options.isCurrent()) return Effect.succeed(reply.notMine)
      return Effect.map(handler(frame.slice(end + 1)), (answer) => {
        if (answer === undefined) return reply.notMine
        // A late answer may be older than one of a successor.
        return this.options.isCurrent() ? reply.done + answer : reply.unknown
      })
    })
  }

  readonly call = (partition: number, payload: string, isRepeatable: boolean): Effect.Effect<string, CallFailure> => {
    this.deps.forwarded()
    const until = this.deps.now() + Bounds.holdMs
    const attempt = Effect.suspend((): Effect.Effect<string, CallFailure> => {
      if (this.isMine(partition)) return Effect.fail("mine")
      // A node that others have declared dead must not act on what it has decided before.
      if (!this.options.isCurrent()) return Effect.fail("unavailable")
      const peer = this.peers.get(this.owners[partition] ?? "")
      if (peer === undefined) return held("overloaded")
      if (isUnreachable(peer)) return Effect.fail("unreachable")
      return peer.link.call(`${partition}:${payload}`).pipe(
        Effect.flatMap((answer): Effect.Effect<string, CallFailure> => {
          if (answer.startsWith(reply.done)) return Effect.succeed(answer.slice(1))
          if (answer === reply.notMine || isRepeatable) return held("overloaded")
          return Effect.fail("unavailable")
        }),
        Effect.catchTags({
          LinkFailed: ({ sent }) =>
            sent && !isRepeatable ? Effect.fail<CallFailure>("unreachable") : held("unreachable"),
          LinkOverloaded: () => Effect.fail<CallFailure>("overloaded"),
          PayloadTooLarge: (error) => Effect.die(error)
        })
      )
    })
    const held = (why: CallFailure): Effect.Effect<string, CallFailure> => this.hold(payload, until, attempt, why)
    return attempt
  }

  /** Waits for an owner, then tries again. Fails with `why` if the time is over. */
  private hold(
    payload: string,
    until: number,
    attempt: Effect.Effect<string, CallFailure>,
    why: CallFailure
  ): Effect.Effect<string, CallFailure> {
    const leftMs = until - this.deps.now()
    const isFull = this.heldCalls >= Bounds.heldCalls || this.heldChars + payload.length > Bounds.heldChars
    if (leftMs <= 0) return Effect.fail(why)
    if (isFull) return Effect.fail("overloaded")
    this.heldCalls++
    this.heldChars += payload.length
    const pause = Effect.raceFirst(this.changeAfter(this.changes), Effect.sleep(Math.min(leftMs, Bounds.heldPauseMs)))
    const waited = Effect.ensuring(
      pause,
      Effect.sync(() => {
        this.heldCalls--
        this.heldChars -= payload.length
      })
    )
    // A caller that has left may have been refused at its next attempt: then this one must not be done.
    const nextAttempt = Effect.flatMap(Callers.haveLeft, (left) =>
      left ? Effect.fail<CallFailure>("unavailable") : attempt
    )
    return Effect.andThen(waited, nextAttempt)
  }

  readonly answer: PartitionsOfNode["answer"] = (answer) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        this.handler = answer
      }),
      () =>
        Effect.sync(() => {
          this.handler = undefined
        })
    )

  readonly onDrain: PartitionsOfNode["onDrain"] = (drain) =>
    Effect.acquireRelease(
      Effect.sync(() => void this.drains.add(drain)),
      () => Effect.sync(() => this.drains.delete(drain))
    )

  readonly onClaimed: PartitionsOfNode["onClaimed"] = (listener) =>
    Effect.acquireRelease(
      Effect.sync(() => void this.listeners.add(listener)),
      () => Effect.sync(() => this.listeners.delete(listener))
    )

  readonly whileMine: PartitionsOfNode["whileMine"] = (partition, work) =>
    Effect.contextWith((context) =>
      Effect.forever(
        Effect.suspend(() => {
          const { changes } = this
          if (!this.isMine(partition)) return this.changeAfter(changes)
          return Effect.andThen(
            this.worker(partition, Effect.provideContext(work, context)),
            // Work that ended by itself: another node does it, as the table says, or will at the next change.
            Effect.suspend(() => (this.isMine(partition) ? this.changeAfter(this.changes) : Effect.void))
          )
        })
      )
    )

  /** Does work that `drain` interrupts. It begins in the same turn that finds the partition to be this node's. */
  private worker(partition: number, work: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const workers = this.workers.get(partition) ?? new Set()
        const fiber = this.isMine(partition) ? this.deps.runFork(work) : undefined
        if (fiber !== undefined) this.workers.set(partition, workers.add(fiber))
        return { fiber, workers }
      }),
      ({ fiber }) => (fiber === undefined ? Effect.void : Fiber.await(fiber)),
      ({ fiber, workers }) =>
        fiber === undefined
          ? Effect.void
          : Effect.andThen(
              Fiber.interrupt(fiber),
              Effect.sync(() => workers.delete(fiber))
            )
    )
  }
}

/** The partitions of a node until the scope closes, and with it every link to another one. */
export const make = Effect.fnUntraced(function* (options: PartitionsOptions) {
  const context = yield* Effect.context<never>()
  const clock = yield* machineTime
  yield* Series.begin(forwarded)
  const partitions = new NodePartitions(options, {
    scope: yield* Effect.scope,
    runFork: Effect.runForkWith(context),
    now: () => Number(clock.nanos() / 1_000_000n),
    forwarded: () => forwarded.updateUnsafe(1, context),
    outageOf: (id, address) =>
      Episode.make(clock, {
        began: "node_unreachable",
        ended: "node_reachable",
        trouble: (reason) => `Node ${id} at ${address} cannot be called; requests for its accounts get 503: ${reason}`,
        over: (ms) => `Node ${id} at ${address} can be called again, after ${ms} ms`
      }),
    measure: Effect.fnUntraced(function* (node, address, link) {
      const attributes = { node, address }
      yield* Series.gauge(
        "lotbook_cluster_link_down_seconds",
        { description: "How long another node has not been heard on the link to it; 0 while it works", attributes },
        () => link.downMs() / 1000
      )
      yield* Series.counter(
        "lotbook_cluster_link_silences_total",
        { description: "Connections to another node that were given up after 2 s of silence", attributes },
        link.silences
      )
    })
  })
  yield* Series.gauge(
    "lotbook_cluster_partitions",
    { description: "Partitions of accounts that this node owns, of 256" },
    () => partitions.size
  )
  yield* Series.gauge(
    "lotbook_cluster_nodes",
    { description: "Nodes of the database that this node sees" },
    () => partitions.placement().nodes
  )
  yield* Series.gauge(
    "lotbook_cluster_unowned_partitions",
    { description: "Partitions without a node, as this node sees it" },
    () => partitions.unowned
  )
  return partitions
})
