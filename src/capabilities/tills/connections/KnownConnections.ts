/**
 * The connections in memory, so that a request with a wrong key or to an unknown address costs no database. What was read
 * counts for `Bounds.knownMs`; after that, the next request reads again.
 */
import { Effect, Schema } from "effect"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import type { Query } from "../../../base/database/Pools.ts"
import { optional, rowsOf } from "../../../base/database/Values.ts"
import type { MachineTime } from "../../../base/time/Times.ts"
import { Connection } from "../../../contract/admin/Connections.ts"
import type { Refused } from "../../../contract/Refused.ts"
import type { ClaimKey } from "../../../core/journal/Hashing.ts"
import type { KeyCaller } from "../../../desk/access/CurrentCaller.ts"
import { WrongKeys } from "../../../desk/access/WrongKeys.ts"
import * as Sealed from "../../../desk/surface/Sealed.ts"
import * as Bounds from "./Bounds.ts"

const { connection_id, name, program_id, restaurants, settings, unknown_restaurant, vendor } = Connection.fields

const readRows = rowsOf(
  Schema.Struct({
    n: Schema.Number,
    active: Schema.Boolean,
    connection_id,
    vendor,
    program_id,
    name,
    restaurants,
    unknown_restaurant,
    settings,
    secret: Schema.Uint8Array,
    previous_secret: optional(Schema.Uint8Array),
    previous_until: optional(Schema.Number)
  })
)

/** A connection. */
export interface KnownConnection {
  readonly n: number
  /** False: it takes nothing new. What has begun over it is finished, and REDEEMs are answered as they ended. */
  readonly isActive: boolean
  readonly id: string
  readonly vendor: Connection["vendor"]
  readonly program: string
  readonly settings: Connection["settings"]
  readonly restaurants: ReadonlyMap<string, Connection["restaurants"][number]>
  readonly takesUnknown: boolean
  /** Its caller, in records, the log and metrics. */
  readonly caller: KeyCaller
  /** SHA-256 of its keys, each with the time at which it ends, ms. */
  readonly keys: ReadonlyArray<readonly [digest: Buffer, until: number]>
}

const digestOf = (key: string): Buffer => hash("sha256", key, "buffer")

const knownOf = (claimKey: ClaimKey, row: Effect.Success<ReturnType<typeof readRows<never, never>>>[number]) => {
  const { connection_id: id, name, previous_secret: previous, previous_until: until = 0, secret } = row
  const opened = (sealed: Uint8Array) => digestOf(Sealed.open(claimKey, id, Buffer.from(sealed)))
  const one: KnownConnection = {
    n: row.n,
    isActive: row.active,
    id,
    vendor: row.vendor,
    program: row.program_id,
    settings: row.settings,
    restaurants: new Map(row.restaurants.map((restaurant) => [restaurant.external_id, restaurant])),
    takesUnknown: row.unknown_restaurant === "accept",
    caller: {
      kind: "token",
      keyId: id,
      name: `connection:${name}`,
      scopes: new Set(["protocol:read", "protocol:write"]),
      programs: new Set([row.program_id])
    },
    keys: [[opened(secret), Infinity], ...(previous === undefined ? [] : [[opened(previous), until] as const])]
  }
  return one
}

/** The key of an `Authorization` header, with or without `Bearer`. */
const keyIn = (header: string): string => header.replace(/^bearer +/i, "").trim()

export class KnownConnections {
  private readonly query: Query
  private readonly claimKey: ClaimKey
  private readonly clock: MachineTime
  private readonly wrong: WrongKeys
  private known = new Map<string, KnownConnection>()
  private readAt = -Infinity
  private reading: Array<() => void> | undefined
  /** Compared with, where there is no key: an unknown address takes as long as a wrong key. */
  private readonly nobody = randomBytes(32)

  constructor(query: Query, claimKey: ClaimKey, clock: MachineTime) {
    this.query = query
    this.claimKey = claimKey
    this.clock = clock
    this.wrong = new WrongKeys(clock)
  }

  private get nowMs(): number {
    return Number(this.clock.nanos()) / 1_000_000
  }

  /** False: `refresh` must have run before a request is looked at. */
  get isFresh(): boolean {
    return this.nowMs < this.readAt + Bounds.knownMs
  }

  /** False: what is known is too old, because the database cannot be reached. */
  get isUsable(): boolean {
    return this.nowMs < this.readAt + 2 * Bounds.knownMs
  }

  /** Reads the connections, and then calls `done`; requests that come meanwhile wait for the same read. */
  refresh(fork: (effect: Effect.Effect<void>) => void, done: () => void): void {
    if (this.reading !== undefined) return void this.reading.push(done)
    const waiting = [done]
    this.reading = waiting
    fork(
      Effect.ensuring(
        Effect.ignore(this.read),
        Effect.sync(() => {
          this.reading = undefined
          for (const one of waiting) one()
        })
      )
    )
  }

  /** All connections as they are now, by number. */
  get all(): Effect.Effect<ReadonlyMap<number, KnownConnection>, Refused> {
    return Effect.map(this.read, () => new Map([...this.known.values()].map((one) => [one.n, one])))
  }

  private get read(): Effect.Effect<void, Refused> {
    return Effect.suspend(() => {
      const at = this.nowMs
      const rows = readRows(
        this.query(
          `SELECT n, active, connection_id, vendor, program_id, name, restaurants, unknown_restaurant, settings, secret, previous_secret,
            previous_until FROM connections`
        )
      )
      return Effect.map(rows, (found) => {
        this.known = new Map(found.map((row) => [row.connection_id, knownOf(this.claimKey, row)]))
        this.readAt = at
      })
    })
  }

  /**
   * The connection of an address, if the key is its own; undefined: none, also where the address guesses too often. It is not
   * active where it is paused, or where the key has ended within `Bounds.formerMs`.
   */
  find(vendor: string, id: string, header: string | undefined, address: string): KnownConnection | undefined {
    const known = this.known.get(id)
    const one = known?.vendor === vendor ? known : undefined
    const digest = digestOf(header === undefined ? "" : keyIn(header))
    const from = `${one?.isActive === true ? id : "unknown"} ${address}`
    const key = digest.toString("hex")
    const now = this.clock.now()
    let ends = -Infinity
    for (const [right, until] of one?.keys ?? [[this.nobody, Infinity] as const])
      if (timingSafeEqual(right, digest)) ends = Math.max(ends, until)
    if (one === undefined || now >= ends + Bounds.formerMs) {
      this.wrong.count(from, key)
      return undefined
    }
    if (!one.isActive || now >= ends) return { ...one, isActive: false }
    if (this.wrong.waitFor(from) > 0 && !this.wrong.isKnownFrom(from, key)) return undefined
    this.wrong.wasRight(from, key)
    return one
  }
}
