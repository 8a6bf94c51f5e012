/**
 * Where partitions belong: a partition is an account's number modulo 256. Hashes of node and partition give each
 * partition its owner (rendezvous hashing), so that a join or a leave moves a fair share and few partitions more.
 */
import { hash } from "node:crypto"

/** Partitions of a database; part of every account's number, so it never changes. */
export const partitionCount = 256

/**
 * The version of what nodes say to each other, of how they place partitions, and of the events in their records. Raised
 * when one of them changes: then accounts stay with the older nodes until those have left, which read no newer events.
 */
export const protocol = 3

/** The first protocol whose nodes answer heartbeats. */
export const heartbeatProtocol = 3

/** The partition whose owner does a work that one node at a time does. */
export const singletons = {
  rollups: 0,
  claimsIndex: 16,
  mail: 32,
  webhooks: 64,
  claims: 96,
  campaigns: 128,
  guests: 160,
  retention: 192,
  seals: 224
} as const

/** The partition of an account. */
export const partitionOf = (account: number): number => account & (partitionCount - 1)

/** The number of the `n`th account, in a partition. */
export const accountNumber = (n: number, partition: number): number => n * partitionCount + partition

/** A row of `nodes`. */
export interface NodeRow {
  readonly id: string
  /** Host and port of the link between nodes. */
  readonly address: string
  readonly protocol: number
  readonly version: string
  /** Process id on the node's own machine. */
  readonly process: number | null
  readonly beat: number
  /** True if it takes partitions: not before it can answer for them, and not while it leaves. */
  readonly wants: boolean
  readonly dead: boolean
}

/** The nodes that may own partitions, sorted: of every order of rows the same. */
export const owning = (rows: ReadonlyArray<NodeRow>): ReadonlyArray<string> => {
  const alive = rows.filter(({ dead }) => !dead)
  const oldest = Math.min(...alive.map((row) => row.protocol))
  return alive.flatMap(({ id, protocol, wants }) => (wants && protocol === oldest ? [id] : [])).sort()
}

/**
 * The node that each partition belongs to, of nodes that may own some; undefined if there are none. All pairs are
 * ranked by their hashes, and the first of a partition whose node is not full counts. Takes milliseconds.
 */
export const shared = (owning: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  if (owning.length === 0) return undefined
  const pairs = owning
    .flatMap((id) =>
      Array.from({ length: partitionCount }, (_, partition) => ({
        id,
        partition,
        rank: hash("sha256", `${id} ${partition}`)
      }))
    )
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
  const owners: Array<string> = Array.from({ length: partitionCount })
  const counts = new Map(owning.map((id) => [id, 0]))
  const share = Math.floor(partitionCount / owning.length)
  /** Nodes that may still take one partition above the share. */
  let larger = partitionCount % owning.length
  for (const { id, partition } of pairs) {
    const count = counts.get(id) ?? 0
    if (owners[partition] !== undefined || count > share || (count === share && larger === 0)) continue
    if (count === share) larger--
    owners[partition] = id
    counts.set(id, count + 1)
  }
  return owners
}
