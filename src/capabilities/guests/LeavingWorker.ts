/** Erases the guests who have left, on one node at a time (contract/guests.md *Leaving*), and removes what is over. */
import { Effect, Layer } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import * as Pace from "../../base/time/Pace.ts"
import { machineTime } from "../../base/time/Times.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Profiles from "../members/Profiles.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./CodeStore.ts"

/** The guest, who asked for it days ago. */
const caller: RequestCaller = {
  kind: "guest",
  keyId: "guest",
  name: "guest",
  scopes: new Set(),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
}

export const rounds = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const programs = yield* Programs
  const profiles = yield* Profiles.make(query)
  const { mayWrite } = yield* WriteFreeze
  const { now } = yield* machineTime

  const eraseOne = Effect.fnUntraced(function* ({ account, member, program: id }: Store.Leaving) {
    const program = programs.get(id)
    if (program === undefined) return yield* Store.leaveLater(query, account, now() + Bounds.leaveAgainMs)
    const erased = Effect.provideService(
      profiles.erase(program, { member_id: member, reason: "The guest left" }),
      CurrentCaller,
      caller
    )
    yield* Effect.catch(erased, ({ detail }) =>
      Effect.andThen(
        Effect.logWarning(`A guest who left cannot be erased yet: ${detail}`),
        Store.leaveLater(query, account, now() + Bounds.leaveAgainMs)
      )
    )
  })

  return Effect.gen(function* () {
    if (yield* Store.removeOver(query, now())) return "worked" as const
    if (!mayWrite()) return "waits" as const
    const due = yield* Store.leaving(query, now())
    for (const one of due) yield* eraseOne(one)
    return due.length > 0 ? ("worked" as const) : ("idle" as const)
  })
})

/** Works until the scope closes, on one node at a time. */
export const layerWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { whileMine } = yield* Partitions
    const work = Pace.keep({
      name: "Guests who leave",
      batch: yield* rounds,
      idle: Effect.sleep(Bounds.leaveLookMs),
      busyPauseMs: (tookMs) => tookMs,
      troubleMs: Bounds.leaveLookMs
    })
    yield* Effect.forkScoped(whileMine(singletons.guests, work))
  })
)
