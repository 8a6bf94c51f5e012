/**
 * Requests of tills by their vendors' own contracts (contract/tills.md *Connections*): the connection of an address and a
 * key, and the carrying out. It knows no HTTP but statuses.
 */
import { Effect, Layer } from "effect"
import * as Pace from "../../base/time/Pace.ts"
import type { Connection } from "../../contract/admin/Connections.ts"
import * as Bounds from "./connections/Bounds.ts"
import type { KnownConnection } from "./connections/KnownConnections.ts"
import { KnownConnections } from "./connections/KnownConnections.ts"
import * as Requests from "./connections/Requests.ts"
import { needed, type TillParts } from "./connections/TillParts.ts"
import * as Turns from "./connections/Turns.ts"
import type { Asked } from "./toast/Toast.ts"
import * as Toast from "./toast/Toast.ts"
import { transactionTypes } from "./toast/Wire.ts"

interface TillReply {
  readonly status: number
  readonly body: object
}

/** Connections that are known, and their transactions, for the gate. */
export interface Tills {
  /** False: `refresh` must have run before a request is looked at. */
  readonly isFresh: () => boolean
  readonly refresh: (done: () => void) => void
  /** The connection of an address and a key; undefined: there is none. "unknown": the database cannot be reached. */
  readonly find: (
    vendor: Connection["vendor"],
    id: string,
    header: string | undefined,
    address: string
  ) => KnownConnection | undefined | "unknown"
  readonly answer: (connection: KnownConnection, asked: Asked) => Effect.Effect<TillReply>
}

const outcomeOf = (status: number): Requests.Outcome =>
  status >= 500 ? "again" : status === 200 ? "accepted" : "refused"

export const make = Effect.gen(function* () {
  const till = yield* needed
  const counted = yield* Requests.make("toast", [...transactionTypes, "unknown"])
  const connections = new KnownConnections(till.query, till.claimKey, till.machine)
  const seen = new Requests.Seen()
  const names = new Requests.NameSearches()

  const answer = Effect.fnUntraced(function* (connection: KnownConnection, asked: Asked) {
    const startedNanos = till.machine.nanos()
    const noting = seen.note(till.query, connection, till.now())
    if (noting !== undefined) till.fork(noting)
    const mayName = () => names.take(`${connection.id} ${asked.restaurant ?? ""}`, till.now())
    const reply = yield* Toast.answer({ till, connection, mayName }, asked)
    const type = transactionTypes.find((one) => one === asked.type) ?? "unknown"
    const ms = Number(till.machine.nanos() - startedNanos) / 1_000_000
    counted(type, outcomeOf(reply.status), ms)
    return reply
  })

  return {
    isFresh: () => connections.isFresh,
    refresh: (done) => connections.refresh(till.fork, done),
    find: (vendor, id, header, address) =>
      connections.isUsable ? connections.find(vendor, id, header, address) : "unknown",
    answer
  } satisfies Tills
})

/** Finishes transactions that nobody works on any more, each check once. */
const finishAll = Effect.fnUntraced(function* (
  till: TillParts,
  connections: ReadonlyMap<number, KnownConnection>,
  found: Effect.Success<ReturnType<typeof Turns.abandoned>>
) {
  const checks = new Set<string>()
  for (const one of found) {
    const connection = connections.get(one.connection)
    const { check_id: check } = one
    if (connection === undefined || checks.has(`${one.connection} ${check}`)) continue
    if (check === undefined) yield* Toast.finishSignUp(till, connection, one)
    else {
      checks.add(`${one.connection} ${check}`)
      yield* Toast.finish(till, connection, check)
    }
  }
})

/** A round of the worker: finishes what nobody works on any more, and removes what is too old. */
export const rounds = Effect.gen(function* () {
  const till = yield* needed
  const connections = new KnownConnections(till.query, till.claimKey, till.machine)
  let removedAt = -Infinity
  return Effect.gen(function* () {
    if (till.freeze.isFrozen()) return "waits" as const
    const now = till.now()
    if (now > removedAt + Bounds.removalMs) {
      removedAt = now
      yield* Turns.remove(till.query, now - Bounds.keptMs)
    }
    const found = yield* Turns.abandoned(till.query, now - Bounds.abandonedMs)
    if (found.length > 0) yield* finishAll(till, yield* connections.all, found)
    return "idle" as const
  })
})

/** Works beside the requests of every node: turns keep two of them from the same check. */
export const layerWorker = Layer.effectDiscard(
  Effect.flatMap(rounds, (batch) =>
    Effect.forkScoped(
      Pace.keep({
        name: "The transactions of tills",
        batch,
        idle: Effect.sleep(Bounds.roundMs),
        busyPauseMs: (tookMs) => tookMs,
        troubleMs: Bounds.roundMs
      })
    )
  )
)
