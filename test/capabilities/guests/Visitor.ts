/** One guest on a node of `claims/World.ts`, and what she does on her page. */
import { Effect, Layer } from "effect"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { needed as claimsNeeded } from "../../../src/capabilities/claims/Parts.ts"
import * as Claims from "../../../src/capabilities/guests/Claims.ts"
import * as History from "../../../src/capabilities/guests/History.ts"
import * as Me from "../../../src/capabilities/guests/Me.ts"
import { needed, type Who } from "../../../src/capabilities/guests/Parts.ts"
import * as Profile from "../../../src/capabilities/guests/Profile.ts"
import * as TakeReward from "../../../src/capabilities/guests/TakeReward.ts"
import type { ProfileByGuest } from "../../../src/contract/guest/Shown.ts"
import { CurrentCaller, type RequestCaller } from "../../../src/desk/access/CurrentCaller.ts"
import type { PageQuery } from "../../../src/desk/surface/Paging.ts"
import type * as World from "../claims/World.ts"

/** Pools that tell the statements of people's requests. */
export const heard = (tell: (statement: string) => void) =>
  Layer.effect(
    PeoplePool,
    Effect.map(PeoplePool, (real) => ({
      ...real,
      query: (statement, parameters) => {
        tell(statement)
        return real.query(statement, parameters)
      }
    }))
  ).pipe(Layer.provideMerge(Pools.layer))

/** A guest on her page at a node. `key`: of the request that is next. */
export const visitor = Effect.fnUntraced(function* (node: World.Node, memberId: string) {
  const parts = yield* node.on(needed)
  const claims = yield* node.on(claimsNeeded)
  const who: Who = { program: node.program, memberId, language: "en" }
  const caller = (key?: string): RequestCaller => ({
    kind: "system",
    keyId: "guest",
    name: "guest",
    scopes: new Set(),
    programs: new Set([node.program.id]),
    sourceIp: "192.0.2.1",
    requestId: "request",
    idempotencyKey: key
  })
  const by = <A, E, R>(effect: Effect.Effect<A, E, R>, key?: string) =>
    node.on(Effect.provideService(effect, CurrentCaller, caller(key)))
  return {
    me: by(Me.show(parts, who)),
    history: (query: PageQuery = {}) => by(History.page(parts, who, query)),
    claim: (code: string) => by(Claims.claim(parts, claims, who, code)),
    take: (reward: string, key?: string, session = "session") => by(TakeReward.take(parts, who, session, reward), key),
    change: (asked: ProfileByGuest) => by(Profile.change(parts, who, asked))
  }
})
