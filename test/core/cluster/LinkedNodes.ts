/** Nodes in one process, linked without sockets, whose partitions a test moves. */
import { Effect } from "effect"
import { type Link, LinkFailed } from "../../../src/core/cluster/Link.ts"
import * as Partitions from "../../../src/core/cluster/Partitions.ts"
import { partitionCount } from "../../../src/core/cluster/Placement.ts"
import { rowOf } from "./World.ts"

type Failure = Effect.Error<ReturnType<Link["call"]>>

/** Carries a payload to a node, or fails as a test says. */
export type Way = (to: string, payload: string, deliver: Effect.Effect<string>) => Effect.Effect<string, Failure>

/** The state of a link that works. */
export const steady = { downMs: () => 0, silences: () => 0, reason: () => "" }

const plain: Way = (_, __, deliver) => deliver

interface Linked {
  readonly partitions: Partitions.NodePartitions
  isCurrent: boolean
}

export class LinkedNodes {
  readonly nodes = new Map<string, Linked>()
  readonly owners: Array<string | null> = Array.from({ length: partitionCount }, () => null)
  way: Way = plain
  /** Calls that were sent, in order. */
  readonly sent: Array<{ readonly to: string; readonly payload: string }> = []

  /** Starts a node; it knows of the others once `tell` runs. */
  readonly add = Effect.fnUntraced({ self: this }, function* (this: LinkedNodes, id: string) {
    const partitions = yield* Partitions.make({
      id,
      isCurrent: () => this.nodes.get(id)?.isCurrent === true,
      connect: (address) => Effect.succeed(this.linkTo(address.split(":")[0] ?? ""))
    })
    this.nodes.set(id, { partitions, isCurrent: true })
    this.tell()
    return partitions
  })

  private linkTo(to: string): Link {
    return {
      call: (payload) =>
        Effect.suspend(() => {
          this.sent.push({ to, payload })
          const node = this.nodes.get(to)
          if (node === undefined) return new LinkFailed({ sent: false, reason: "the node has gone" })
          return this.way(to, payload, node.partitions.serve(payload))
        }),
      fail: () => undefined,
      ...steady
    }
  }

  /** A look of every node. */
  tell(): void {
    const rows = [...this.nodes.keys()].map((id) => rowOf({ id }))
    const owners = [...this.owners]
    for (const { partitions } of this.nodes.values()) partitions.placed({ owners, rows })
  }

  /** The node claims partitions that nobody has. */
  give(to: string, ...given: ReadonlyArray<number>): void {
    for (const partition of given) this.owners[partition] = to
    this.nodes.get(to)?.partitions.claimed(given)
    this.tell()
  }

  /** Drains partitions of a node; then nobody has them. */
  readonly take = Effect.fnUntraced(
    { self: this },
    function* (this: LinkedNodes, from: string, ...taken: ReadonlyArray<number>) {
      yield* this.nodes.get(from)?.partitions.drain(taken) ?? Effect.void
      for (const partition of taken) this.owners[partition] = null
      this.tell()
    }
  )

  /** Hands partitions over from one node to another. */
  move(from: string, to: string, ...moved: ReadonlyArray<number>): Effect.Effect<void> {
    return Effect.andThen(
      this.take(from, ...moved),
      Effect.sync(() => this.give(to, ...moved))
    )
  }
}
