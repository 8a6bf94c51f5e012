/** Moves in tests: a node's use case on PostgreSQL, and guests to move. */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as MoveGuests from "../../../src/capabilities/moving/MoveGuests.ts"
import type { MovedGuest } from "../../../src/contract/admin/MovedGuest.ts"
import type { MoveIn } from "../../../src/contract/admin/MoveIn.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"

const programId = "demo-foodservice"

const caller = CurrentCaller.of({
  kind: "root",
  keyId: "admin",
  name: "test",
  scopes: new Set(["admin:write"]),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
})

/** The parts of a node that moves need. */
export const service = <E, R>(journal: Layer.Layer<Journal, E, R>) =>
  Accounts.layer().pipe(
    Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
    Layer.provideMerge(journal),
    Layer.provideMerge(Pools.layer as Layer.Layer<Pools.PeoplePool | WorkPool, E, Database>)
  )

/** Moves guests in. */
export const moveIn = (guests: ReadonlyArray<MovedGuest>, more: Omit<MoveIn, "guests"> = {}) =>
  Effect.flatMap(WorkPool, MoveGuests.make).pipe(
    Effect.flatMap(({ moveIn }) => moveIn(programId, { guests, ...more })),
    Effect.map((answer) => answer.guests),
    Effect.provideService(CurrentCaller, caller)
  )

export const guest = (id: string, more: Partial<MovedGuest> = {}): MovedGuest => ({
  external_id: id,
  identities: [{ type: "loyalty_id", value: `card-${id}` }],
  lots: [
    { unit: "points", amount: 100, earned_at: "2026-06-01T00:00:00Z", expires_at: null },
    { unit: "points", amount: 50, earned_at: "2026-07-01T00:00:00Z", expires_at: null }
  ],
  rewards: [],
  consents: [],
  ...more
})

/** Guests of the tests that kill. */
export const many: ReadonlyArray<MovedGuest> = Array.from({ length: 160 }, (_, n) =>
  guest(`many-${n}`, { rewards: [{ reward_id: "one-off", code: `CODE-${n}` }] })
)
