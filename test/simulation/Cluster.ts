/**
 * The nodes of a simulated database: the real membership, placement and forwarding over a table of nodes in memory,
 * with sessions that fail, links that lose answers, and processes that stand still and go on.
 */
import { Effect, Exit, Latch } from "effect"
import { type Link, LinkFailed } from "../../src/core/cluster/Link.ts"
import * as Membership from "../../src/core/cluster/Membership.ts"
import * as Partitions from "../../src/core/cluster/Partitions.ts"
import { type NodeRow, partitionCount, protocol } from "../../src/core/cluster/Placement.ts"
import type { Random } from "../model/Random.ts"

/** Longest way of a statement or of a call, ms. */
const maxWayMs = 30

/** The tables of nodes and partitions. */
export class NodeTables {
  readonly rows = new Map<string, NodeRow>()
  readonly owners: Array<string | null> = Array.from({ length: partitionCount }, () => null)
  /** Ends a node's sessions: nothing of it lands any more. */
  readonly sessions = new Map<string, () => void>()
  readonly members = new Map<string, Member>()
  changes = 0

  isLive(id: string): boolean {
    return this.rows.get(id)?.dead === false
  }

  set(id: string, change: Partial<NodeRow>): boolean {
    const row = this.rows.get(id)
    if (row === undefined) return false
    this.rows.set(id, { ...row, ...change })
    return true
  }

  own(partitions: ReadonlyArray<number>, owner: string | null): void {
    for (const partition of partitions) this.owners[partition] = owner
    this.changes += partitions.length
  }
}

/** One process as the others meet it. */
export interface Member {
  readonly id: string
  readonly membership: Membership.Membership
  readonly partitions: Partitions.NodePartitions
  /** Closed while the process stands still. */
  readonly goes: Latch.Latch
  readonly process: Process
}

interface Process {
  isDead: boolean
  /** How often sessions and links fail, from 0 to 1. */
  trouble: number
}

const all = Array.from({ length: partitionCount }, (_, partition) => partition)

interface MemberOptions {
  readonly id: string
  readonly tables: NodeTables
  readonly random: Random
  readonly process: Process
  readonly endSessions: () => void
}

/** Joins the nodes until the scope closes. */
export const join = Effect.fnUntraced(function* ({ endSessions, id, process, random, tables }: MemberOptions) {
  const goes = Latch.makeUnsafe(true)
  const failed = () => process.isDead || random.next() < process.trouble
  /** A statement: it comes to the tables after a while, and its answer may be lost. */
  const ask = <A>(run: () => A): Effect.Effect<A, Membership.SessionFailed> => {
    const fails = Effect.suspend(() =>
      failed() ? Effect.fail(new Membership.SessionFailed({ cause: "simulated" })) : Effect.void
    )
    const way = Effect.andThen(
      goes.await,
      Effect.suspend(() => Effect.sleep(random.whole(0, maxWayMs)))
    )
    return way.pipe(
      Effect.andThen(fails),
      Effect.andThen(Effect.sync(run)),
      Effect.tap(() => Effect.andThen(way, fails))
    )
  }
  tables.sessions.set(id, endSessions)
  const beats: Membership.BeatSession = {
    time: Effect.die("a simulation has no clock check"),
    join: ask(() => {
      const isFirst = tables.rows.size === 0
      if (!tables.rows.has(id))
        tables.rows.set(id, {
          id,
          address: id,
          protocol,
          version: "1",
          process: null,
          beat: 0,
          wants: false,
          dead: false
        })
      return isFirst ? ("first" as const) : ("joined" as const)
    }),
    beat: ask(() => tables.isLive(id) && tables.set(id, { beat: (tables.rows.get(id)?.beat ?? 0) + 1 })),
    leave: ask(() => {
      if (!tables.isLive(id)) return
      tables.own(
        all.filter((partition) => tables.owners[partition] === id),
        null
      )
      tables.rows.delete(id)
    })
  }
  const placement: Membership.PlacementSession = {
    look: ask(() => ({ rows: [...tables.rows.values()], changes: tables.changes })),
    owners: ask(() => [...tables.owners]),
    fence: (other, beat) =>
      ask(() => {
        const row = tables.rows.get(other)
        return row?.dead === false && row.beat === beat && tables.set(other, { dead: true })
      }),
    endSessions: (other) =>
      ask(() => {
        tables.sessions.get(other)?.()
        return 0
      }),
    forget: (other) => ask(() => void (tables.rows.get(other)?.dead === true && tables.rows.delete(other))),
    claim: (partitions) =>
      ask(() => {
        const claimable = partitions.filter((partition) => {
          const owner = tables.owners[partition] ?? null
          return owner === null || !tables.rows.has(owner)
        })
        if (!tables.isLive(id)) return []
        tables.own(claimable, id)
        return claimable
      }),
    release: (partitions) =>
      ask(() =>
        tables.own(
          partitions.filter((partition) => tables.owners[partition] === id),
          null
        )
      ),
    want: (wants) => ask(() => void tables.set(id, { wants }))
  }
  const membership = yield* Membership.make({
    environment: "live",
    id,
    openBeats: Effect.as(
      ask(() => undefined),
      beats
    ),
    openPlacement: Effect.as(
      ask(() => undefined),
      placement
    ),
    onGone: () => undefined,
    isGone: () => false
  })
  const partitions = yield* Partitions.make({
    id,
    isCurrent: membership.node.isCurrent,
    connect: (address) => Effect.sync(() => linkTo(tables, address, goes, random, process))
  })
  const member: Member = { id, membership, partitions, goes, process }
  tables.members.set(id, member)
  return member
})

/** A link whose calls may not leave, and whose answers may be lost. */
const linkTo = (tables: NodeTables, address: string, goes: Latch.Latch, random: Random, process: Process): Link => {
  const failures = new Set<(reason: string) => void>()
  const failedNow = () => process.isDead || random.next() < process.trouble
  const lost = (sent: boolean) => Effect.fail(new LinkFailed({ sent, reason: "simulated" }))
  const way = Effect.suspend(() => Effect.sleep(random.whole(0, maxWayMs)))
  return {
    call: (payload) =>
      Effect.gen(function* () {
        const peer = tables.members.get(address)
        if (peer === undefined || peer.process.isDead || failedNow()) return yield* lost(false)
        const asked = Effect.gen(function* () {
          yield* way
          yield* peer.goes.await
          const answer = yield* peer.partitions.serve(payload)
          yield* peer.goes.await
          yield* way
          yield* goes.await
          return peer.process.isDead || failedNow() ? yield* lost(true) : answer
        })
        // The peer finishes a call that it has begun, also if the caller stops waiting.
        const running = yield* Effect.forkDetach(asked)
        return yield* Effect.callback<string, LinkFailed>((resume) => {
          const fail = (reason: string) => resume(Effect.fail(new LinkFailed({ sent: true, reason })))
          failures.add(fail)
          running.addObserver((exit) => {
            failures.delete(fail)
            resume(Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.failCause(exit.cause))
          })
        })
      }),
    fail: (reason) => {
      for (const fail of failures) fail(reason)
    },
    downMs: () => 0,
    silences: () => 0,
    reason: () => ""
  }
}

/** True if an answer that is ready may leave the process; waits while it stands still. */
export const mayLeave = ({ goes, membership, process }: Member): Effect.Effect<boolean> =>
  Effect.map(goes.await, () => !process.isDead && membership.node.isCurrent())
