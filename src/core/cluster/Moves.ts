/**
 * Which partitions this node claims, drains and releases. Memory follows the table: a claim or release whose answer was
 * lost is seen at the next look.
 */
import { Effect, Latch } from "effect"
import { type NodeRow, owning, partitionCount, shared } from "./Placement.ts"

/** Knowledge of a node about the others after a look. */
export interface Placement {
  readonly rows: ReadonlyArray<NodeRow>
  readonly owners: ReadonlyArray<string | null>
}

/** Facts and actions that the partitions' work needs. */
export interface Holder {
  /** Partitions are this node's from now on. */
  readonly claimed: (partitions: ReadonlyArray<number>) => void
  /**
   * Ends the work on partitions: new requests are refused from now on; the effect ends when those in flight are
   * answered and nothing is in memory any more.
   */
  readonly drain: (partitions: ReadonlyArray<number>) => Effect.Effect<void>
  /** After every look. */
  readonly placed: (placement: Placement) => void
}

type State = "elsewhere" | "mine" | "draining" | "drained"

const nothing = (): Array<State> => Array.from({ length: partitionCount }, () => "elsewhere")

/** State of each partition at this node. */
export class Moves {
  private readonly id: string
  private states = nothing()
  private holder: Holder | undefined
  private fork: (drain: Effect.Effect<void>) => void = () => undefined
  private readonly latch = Latch.makeUnsafe(false)
  /** The shares of these nodes, as they were last computed. */
  private last: { readonly nodes: string; readonly shares: ReadonlyArray<string> | undefined } | undefined
  isLeaving = false

  /** True if other nodes should leave partitions to this one. */
  get wants(): boolean {
    return this.holder !== undefined && !this.isLeaving
  }

  constructor(id: string) {
    this.id = id
  }

  /** Ends when there is something to do before the next look is due. */
  readonly changed: Effect.Effect<void> = Effect.suspend(() => this.latch.await)

  get holdsNothing(): boolean {
    return this.states.every((state) => state === "elsewhere")
  }

  hold(holder: Holder, fork: (drain: Effect.Effect<void>) => void): void {
    this.holder = holder
    this.fork = fork
    this.latch.openUnsafe()
  }

  /** The table still names this node as the owner: the next holder gets the same partitions at the next look. */
  letGo(): void {
    this.holder = undefined
    this.states = nothing()
  }

  leave(): void {
    this.isLeaving = true
    this.latch.openUnsafe()
  }

  /** Partitions to release and to claim now. Starts to drain those that belong to other nodes. */
  next(
    placement: Placement,
    isCurrent: boolean
  ): { readonly released: Array<number>; readonly claimed: Array<number> } {
    this.latch.closeUnsafe()
    const { holder } = this
    const [released, claimed]: [Array<number>, Array<number>] = [[], []]
    if (holder === undefined) return { released, claimed }
    const { owners, rows } = placement
    const present = new Set(rows.map(({ id }) => id))
    const belongs = this.shares(rows)
    const [found, draining]: [Array<number>, Array<number>] = [[], []]
    for (let partition = 0; partition < partitionCount; partition++) {
      const state = this.states[partition]!
      const owner = owners[partition] ?? null
      const isWanted = belongs?.[partition] === this.id
      if (owner !== this.id) {
        // After a release whose answer was lost.
        if (state === "drained") this.states[partition] = "elsewhere"
        // Taken while this node was declared dead; its next beat is refused.
        else if (state === "mine") draining.push(partition)
        if (isCurrent && isWanted && (owner === null || !present.has(owner))) claimed.push(partition)
      } else if (state === "elsewhere") found.push(partition)
      else if (state === "drained") released.push(partition)
      else if (state === "mine" && !isWanted) draining.push(partition)
    }
    this.claimed(found)
    if (draining.length > 0) this.drain(holder, draining)
    holder.placed(placement)
    return { released, claimed }
  }

  /** Computed only when the nodes change, because each look asks. */
  private shares(rows: ReadonlyArray<NodeRow>): ReadonlyArray<string> | undefined {
    const ids = owning(rows)
    const nodes = ids.join(" ")
    if (this.last?.nodes !== nodes) this.last = { nodes, shares: shared(ids) }
    return this.last.shares
  }

  /** Without a holder nothing changes: the next holder finds the claimed partitions at a look. */
  claimed(partitions: ReadonlyArray<number>): void {
    if (partitions.length === 0 || this.holder === undefined) return
    for (const partition of partitions) this.states[partition] = "mine"
    this.holder.claimed(partitions)
  }

  released(partitions: ReadonlyArray<number>): void {
    for (const partition of partitions) this.states[partition] = "elsewhere"
  }

  private drain(holder: Holder, partitions: ReadonlyArray<number>): void {
    // Of this holding: what drains longer than that must not end the next one.
    const { states } = this
    for (const partition of partitions) states[partition] = "draining"
    this.fork(
      Effect.andThen(
        holder.drain(partitions),
        Effect.sync(() => {
          for (const partition of partitions) states[partition] = "drained"
          this.latch.openUnsafe()
        })
      )
    )
  }
}
