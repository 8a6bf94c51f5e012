/**
 * Where partitions belong: a partition is an account's number modulo 256, and consistent hashing over the nodes gives
 * each partition its owner, so that a join or a leave moves a fair share and no more.
 */
import { HashRing, PrimaryKey } from "effect"

/** Partitions of a database; part of every account's number, so it never changes. */
export const partitionCount = 256

/** The version of what nodes say to each other, and of how they place partitions. Raised when either changes. */
export const protocol = 1

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

class Member implements PrimaryKey.PrimaryKey {
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
  [PrimaryKey.symbol](): string {
    return this.id
  }
}

/** The node that each partition belongs to; undefined: no node may own partitions. Of every order of rows the same. */
export const wanted = (rows: ReadonlyArray<NodeRow>): ReadonlyArray<string> | undefined => {
  const alive = rows.filter(({ dead }) => !dead)
  const oldest = Math.min(...alive.map((row) => row.protocol))
  const owning = alive.filter((row) => row.wants && row.protocol === oldest)
  const ring = HashRing.make<Member>()
  const ids = owning.map(({ id }) => id).sort()
  return HashRing.getShards(
    HashRing.addMany(
      ring,
      ids.map((id) => new Member(id))
    ),
    partitionCount
  )?.map(({ id }) => id)
}
