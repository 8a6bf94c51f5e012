/**
 * PostgreSQL replaced under the service: promoted, restored, without its synchronous standby. Holds
 * contract/databases.md *Confirmed durability*, *One history*.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Barrier from "./Barrier.ts"
import { clockJump } from "./ClockJumps.ts"
import * as Failover from "./Failover.ts"

/** Few enough for two cores that run other tests beside. */
const count = 30

describe("a database that is replaced", () => {
  let world: Failover.Replicated
  beforeAll(async () => {
    world = await Failover.open()
  })
  const holds = (faults: ReadonlyArray<string>) => assert.deepStrictEqual(faults, [], world.service.log)

  it("a standby without the newest records is promoted: what was lost is posted again, none of it is answered from memory", async () => {
    holds(await Failover.promotion(world, "promotion", count))
  })

  it("the address moves while the former primary still answers on open connections", async () => {
    holds(await Failover.split(world, "split", count))
  })

  it("nothing is acknowledged while the only synchronous standby is away, and all of it once it is back", async () => {
    holds(await Failover.lostStandby(world, "away", count, false))
  })

  it("a synchronous standby that is promoted has everything that was acknowledged", async () => {
    holds(await Failover.lostStandby(world, "lost", count, true))
  })

  it("a start while the synchronous standby is away answers storage_unavailable until commits are durable", async () => {
    holds(await Barrier.round(world, "start", count, false))
  })

  it("a takeover while the synchronous standby is away answers storage_unavailable until commits are durable", async () => {
    holds(await Barrier.round(world, "takeover", count, true))
  })

  it("an older copy of the files is swapped in: what was lost is posted again, none of it is answered from memory", async () => {
    holds(await Failover.restore(world, "restore", count))
  })

  it("a clock that is wrong at the start and jumps under load is refused, and nothing is posted by it", async () => {
    holds(await clockJump(world, "clock", count, false))
  })

  afterAll(async () => {
    await world.close()
  })
})

describe("a planned switchover", () => {
  it("ends no node, loses and doubles nothing", async () => {
    const world = await Failover.open(2)
    try {
      assert.deepStrictEqual(await Failover.switchover(world, "switchover", count), [])
    } finally {
      await world.close()
    }
  })
})
