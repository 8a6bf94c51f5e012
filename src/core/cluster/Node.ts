/**
 * This service as a node of its database (contract/databases.md *Nodes*).
 *
 * Invariant: an answer from memory may be sent only while `isCurrent()`. When a
 * stopped process continues, its confirmation is already too old.
 */
import { Context, Layer } from "effect"
import type { ClockFault } from "../../base/database/ClockCheck.ts"
import type { Environment } from "../../base/database/Environment.ts"
import type { nodeRoles } from "../../contract/protocol/Protocol.ts"
import { partitionCount } from "./Placement.ts"

export type Role = (typeof nodeRoles)[number]

export interface PlacementFacts {
  /** Partitions that this node owns. */
  readonly partitions: number
  /** Nodes that this one sees, with itself. */
  readonly nodes: number
  /** True if every partition has an owner that is a node, or had one a moment ago: calls wait for as long. */
  readonly isComplete: boolean
  /** Nodes that own partitions and cannot be called: requests for their accounts get 503. */
  readonly unreachable: ReadonlyArray<string>
}

export class Node extends Context.Service<
  Node,
  {
    readonly environment: Environment
    readonly role: () => Role
    /** True while confirmed within 2 s, measured from the sending of the last successful beat (monotonic). Cheap enough for every request. */
    readonly isCurrent: () => boolean
    /** False before it has joined, and once it has handed over: new requests must get 503. */
    readonly isAdmitting: () => boolean
    /** True while PostgreSQL has not confirmed that commits are durable: at a start, and after a node has gone. */
    readonly isAwaitingStorage: () => boolean
    /** Why the time is not believed, so that the node answers nothing; undefined: it is believed. */
    readonly clockFault: () => ClockFault | undefined
    readonly placement: () => PlacementFacts
    /** How far the machine's clock is ahead of PostgreSQL's, ms; negative: behind. */
    readonly clockAheadMs: () => number
  }
>()("lotbook/core/cluster/Node") {
  /** Always current: the only service on its storage, for tests and the in-memory journal. */
  static layer(environment: Environment): Layer.Layer<Node> {
    return Layer.succeed(Node, {
      environment,
      role: () => "node",
      isCurrent: () => true,
      isAdmitting: () => true,
      isAwaitingStorage: () => false,
      placement: () => ({ partitions: partitionCount, nodes: 1, isComplete: true, unreachable: [] }),
      clockFault: () => undefined,
      clockAheadMs: () => 0
    })
  }
}
