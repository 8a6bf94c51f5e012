/** The rows, sessions and nodes of one database, which die, stand still and lose answers as a test says. */
import { Clock, Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Environment } from "../../../src/base/database/Environment.ts"
import type { BeatSession, MembershipOptions, PlacementSession } from "../../../src/core/cluster/Membership.ts"
import * as Membership from "../../../src/core/cluster/Membership.ts"
import { SessionFailed } from "../../../src/core/cluster/Membership.ts"
import type { Holder, Placement } from "../../../src/core/cluster/Moves.ts"
import { type NodeRow, partitionCount, protocol } from "../../../src/core/cluster/Placement.ts"

interface Session {
  readonly node: string
}

const gone = new SessionFailed({ cause: new Error("the session has ended") })

type Statement = keyof BeatSession | keyof PlacementSession

export class World {
  readonly nodes = new Map<string, NodeRow>()
  readonly owners: Array<string | null> = Array.from({ length: partitionCount }, () => null)
  changes = 0
  /** How far PostgreSQL's clock is ahead of the nodes', ms. */
  aheadMs = 0
  newestMs: number | null = null
  readonly sessions = new Set<Session>()
  /** Nodes that stand still or cannot reach the database: their statements wait. */
  readonly halted = new Set<string>()
  /** Statements of a node that are carried out, but whose answers are lost with the session: `a claim`. */
  readonly losing = new Set<string>()
  /** Nodes whose sessions do not end when they are told to. */
  readonly clinging = new Set<string>()
  /** False: no session can be opened. */
  isReachable = true
  /** True: connections are accepted, and nothing is answered on new ones. */
  isSilent = false
  /** How often each node was told that another one has gone. */
  readonly told = new Map<string, number>()
  /** Nodes whose sessions were ended, in order. */
  readonly ended: Array<string> = []
  /** Called with each statement that is carried out. */
  onStatement: (node: string, name: Statement) => void = () => undefined
  private waiting: Array<{ readonly node: string; readonly go: Deferred.Deferred<void> }> = []

  /** Runs a statement once the node is not halted, if its session is there by then. */
  statement<A>(session: Session, name: Statement, run: () => A): Effect.Effect<A, SessionFailed> {
    return Effect.gen({ self: this }, function* () {
      const { node } = session
      if (this.halted.has(node) && this.sessions.has(session)) {
        const go = Deferred.makeUnsafe<void>()
        this.waiting.push({ node, go })
        yield* Deferred.await(go)
      }
      if (!this.sessions.has(session)) return yield* gone
      this.onStatement(node, name)
      const answer = run()
      if (!this.losing.delete(`${node} ${name}`)) return answer
      this.sessions.delete(session)
      return yield* gone
    })
  }

  release(node: string) {
    this.halted.delete(node)
    return this.answer(node)
  }

  /** Carries out the statements that wait; later ones wait while the node is halted. */
  answer(node: string) {
    const due = this.waiting.filter((one) => one.node === node)
    this.waiting = this.waiting.filter((one) => one.node !== node)
    return Effect.forEach(due, ({ go }) => Deferred.succeed(go, undefined))
  }

  endAll(node: string): void {
    for (const session of [...this.sessions]) if (session.node === node) this.sessions.delete(session)
  }

  /** Partitions that the table gives to a node. */
  ownedBy(node: string | null): number {
    return this.owners.filter((owner) => owner === node).length
  }

  add(row: Pick<NodeRow, "id"> & Partial<NodeRow>): void {
    this.nodes.set(row.id, rowOf(row))
  }

  change(id: string, changed: Partial<NodeRow>): void {
    const row = this.nodes.get(id)
    if (row !== undefined) this.nodes.set(id, { ...row, ...changed })
  }

  own(partition: number, owner: string | null): void {
    this.owners[partition] = owner
    this.changes++
  }
}

export const rowOf = (row: Pick<NodeRow, "id"> & Partial<NodeRow>): NodeRow => ({
  address: `${row.id}:1`,
  protocol,
  version: "1.0.0",
  process: 1,
  beat: 0,
  wants: true,
  dead: false,
  ...row
})

const opened = (world: World, node: string) =>
  Effect.suspend(() => {
    if (!world.isReachable) return Effect.fail(gone)
    if (world.isSilent) return Effect.never
    const own: Session = { node }
    return Effect.acquireRelease(
      Effect.sync(() => world.sessions.add(own)),
      () => Effect.sync(() => world.sessions.delete(own))
    ).pipe(Effect.as(<A>(name: Statement, run: () => A) => world.statement(own, name, run)))
  })

interface Facts {
  readonly environment: Environment
  readonly protocol: number
}

const openBeats = (world: World, id: string, facts: Facts): MembershipOptions["openBeats"] =>
  Effect.map(opened(world, id), (statement) => ({
    time: Effect.map(Clock.currentTimeMillis, (now) => ({ databaseMs: now + world.aheadMs, newestMs: world.newestMs })),
    join: statement("join", () => {
      const others = [...world.nodes.values()].filter((row) => row.id !== id && !row.dead)
      if (facts.environment === "sandbox" && others.length > 0) return "refused"
      if (!world.nodes.has(id)) world.add({ id, protocol: facts.protocol, wants: false })
      return others.length === 0 ? "first" : "joined"
    }),
    beat: statement("beat", () => {
      const row = world.nodes.get(id)
      if (row === undefined || row.dead) return false
      world.change(id, { beat: row.beat + 1 })
      return true
    }),
    leave: statement("leave", () => {
      if (world.nodes.get(id)?.dead === false) world.nodes.delete(id)
      for (const [partition, owner] of world.owners.entries()) if (owner === id) world.own(partition, null)
    })
  }))

const openPlacement = (world: World, id: string): MembershipOptions["openPlacement"] =>
  Effect.map(opened(world, id), (statement) => ({
    look: statement("look", () => ({ rows: [...world.nodes.values()], changes: world.changes })),
    owners: statement("owners", () => [...world.owners]),
    fence: (other, beat) =>
      statement("fence", () => {
        const row = world.nodes.get(other)
        if (row === undefined || row.dead || row.beat !== beat) return false
        world.change(other, { dead: true })
        return true
      }),
    endSessions: (other) =>
      statement("endSessions", () => {
        world.ended.push(other)
        if (world.clinging.has(other)) return 1
        world.endAll(other)
        return 0
      }),
    forget: (other) =>
      statement("forget", () => {
        if (world.nodes.get(other)?.dead === true) world.nodes.delete(other)
      }),
    claim: (partitions) =>
      statement("claim", () => {
        const row = world.nodes.get(id)
        if (row === undefined || row.dead) return []
        const claimable = partitions.filter((partition) => !world.nodes.has(world.owners[partition] ?? ""))
        for (const partition of claimable) world.own(partition, id)
        return claimable
      }),
    release: (partitions) =>
      statement("release", () => {
        for (const partition of partitions) if (world.owners[partition] === id) world.own(partition, null)
      }),
    want: (wants) => statement("want", () => world.change(id, { wants }))
  }))

/** A node's work with its partitions: draining takes as long as a test says. */
class Memory implements Holder {
  readonly mine = new Set<number>()
  placement: Placement | undefined
  drainMs = 0
  drains = 0

  claimed(partitions: ReadonlyArray<number>): void {
    for (const partition of partitions) this.mine.add(partition)
  }

  drain(partitions: ReadonlyArray<number>): Effect.Effect<void> {
    return Effect.andThen(
      Effect.suspend(() => {
        this.drains++
        return Effect.sleep(this.drainMs)
      }),
      Effect.sync(() => {
        for (const partition of partitions) this.mine.delete(partition)
      })
    )
  }

  placed(placement: Placement): void {
    this.placement = placement
  }
}

export interface Started {
  readonly id: string
  readonly membership: Membership.Membership
  readonly memory: Memory
  readonly scope: Scope.Closeable
  readonly hasLost: () => boolean
  readonly isFirst: () => boolean | undefined
}

interface Options extends Partial<Facts>, Pick<Partial<MembershipOptions>, "clockCheck" | "isGone"> {
  /** False: the node claims no partitions yet. */
  readonly holds?: boolean
}

/** Starts a node. */
export const start = Effect.fnUntraced(function* (world: World, id: string, options: Options = {}) {
  const { clockCheck, environment = "live", isGone = () => false } = options
  const facts = { environment, protocol: options.protocol ?? protocol }
  const scope = yield* Scope.make()
  const membership = yield* Scope.provide(
    Membership.make({
      environment,
      id,
      openBeats: openBeats(world, id, facts),
      openPlacement: openPlacement(world, id),
      isGone,
      onGone: () => world.told.set(id, (world.told.get(id) ?? 0) + 1),
      clockCheck
    }),
    scope
  )
  let lost = false
  let isFirst: boolean | undefined
  yield* Effect.forkIn(
    Effect.onExit(membership.lost, (exit) =>
      Effect.sync(() => {
        lost = Exit.isFailure(exit) && !Exit.hasInterrupts(exit)
      })
    ),
    scope
  )
  const memory = new Memory()
  yield* Effect.forkIn(
    Effect.flatMap(membership.joined, (found) => {
      isFirst = found
      return options.holds === false ? Effect.void : membership.hold(memory)
    }),
    scope
  )
  yield* TestClock.adjust(0)
  return { id, membership, memory, scope, hasLost: () => lost, isFirst: () => isFirst } satisfies Started
})

/** Ends a node as a killed process does: its sessions end, and nothing else of it reaches the database. */
export const kill = (world: World, { id, scope }: Started) =>
  Effect.suspend(() => {
    world.endAll(id)
    return Scope.close(scope, Exit.void)
  })

/** Ends a node's process in order. */
export const stop = ({ scope }: Started) => Scope.close(scope, Exit.void)

/** Moves the clock until something holds; how long that took, ms. */
export const until = Effect.fnUntraced(function* (isSo: () => boolean, onStep: () => void = () => undefined) {
  for (let ms = 0; ms <= 20_000; ms += 10) {
    onStep()
    if (isSo()) return ms
    yield* TestClock.adjust(10)
  }
  throw new Error("it did not come about within 20 s")
})
