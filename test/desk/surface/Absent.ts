/** For tests of services without PostgreSQL: the pools take entries of the audit, and answer nothing. */
import { Effect, Layer } from "effect"
import type { Pool } from "../../../src/base/database/Pools.ts"
import { PeoplePool, storageUnavailable, WorkPool } from "../../../src/base/database/Pools.ts"
import { storeStatement } from "../../../src/capabilities/operators/SandboxClock.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { appendStatement } from "../../../src/desk/surface/Audit.ts"
import { EventFeed } from "../../../src/reads/feed/EventFeed.ts"
import * as PlaceOf from "../../../src/reads/feed/Place.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"

const absent: Pool = {
  query: () => Effect.fail(storageUnavailable),
  transaction: (work) => work,
  longTransaction: (work) => work,
  connection: { query: () => Effect.die(new Error("the pool is absent")) },
  apart: () => Effect.die(new Error("the pool is absent")),
  holder: undefined,
  onCommit: (effect) => effect
}

const both = (pool: Pool): Layer.Layer<PeoplePool | WorkPool> =>
  Layer.merge(Layer.succeed(PeoplePool, pool), Layer.succeed(WorkPool, pool))

/** Adds the entries of the audit to `entries`, as JSON texts. */
export const auditing = (entries: Array<string>): Layer.Layer<PeoplePool | WorkPool> =>
  both({
    ...absent,
    query: (statement, parameters = []) => {
      if (statement === storeStatement) return Effect.succeed([])
      if (statement !== appendStatement) return absent.query(statement, parameters)
      entries.push(JSON.stringify(parameters[1]))
      return Effect.succeed([])
    }
  })

export const layer = auditing([])

/** Takes no entries of the audit either. */
export const unreachable = both(absent)

const noFeed = Effect.fail(new JournalUnavailable({ cause: "the feed is absent" }))

export const events = Layer.succeed(EventFeed, {
  read: () => noFeed,
  now: Effect.succeed(PlaceOf.beginning),
  since: () => noFeed,
  oldestAfter: () => Effect.succeed(undefined)
})

/** Sums of finance that somebody else has counted. */
export const finance = Layer.succeed(Finance, {
  step: () => Effect.succeed("drained" as const),
  catchUp: () => Effect.void,
  asOf: Effect.succeed(undefined)
})
