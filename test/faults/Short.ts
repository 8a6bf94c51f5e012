/** A short round of every fault of one world, for `npm test`; the long run is `npm run test:faults`. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { run } from "./Rounds.ts"
import type { VerbName } from "./Verbs.ts"
import { verbNames, verbs } from "./Verbs.ts"
import type { World, WorldName } from "./World.ts"
import { openWorld } from "./World.ts"

/** Few enough for two cores that run other tests beside. */
const connections = 12

/** Of the world that `npm test` has: some ten commands a second each, so that the browser beside it has a processor. */
const paced = { caller: { maxThinkMs: 200 } }

/** Rounds of each cut: one append may hold nothing that a wrong service would get wrong. */
const roundsOfCuts = 3

/** Faults so long that callers must get 503 instead of waiting. */
const isTold = new Set<VerbName>(["postgres-kills", "cuts-before", "cuts-under", "cuts-after", "disk-fulls"])

interface ShortOptions {
  /** Why the world cannot be had here goes into the name, so that a report shows it. */
  readonly skipped?: string | undefined
  /** Which of the world's faults; absent: all. */
  readonly isRun?: (verb: VerbName) => boolean
}

export const shortRounds = (name: WorldName, { isRun = () => true, skipped }: ShortOptions = {}): void => {
  const reason = skipped === undefined ? "" : ` (skipped: ${skipped})`
  describe.skipIf(skipped !== undefined)(`faults, ${name}${reason}`, () => {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000)
    let world: World
    beforeAll(async () => {
      world = await openWorld[name]()
    })

    for (const verb of verbNames.filter((verb) => verbs[verb].world === name && isRun(verb))) {
      it(`${verbs[verb].name}: nothing lost, nothing doubled, no 500, and service again`, async () => {
        const outcome = await run(world, verbs[verb], verb.startsWith("cuts-") ? roundsOfCuts : 1, {
          seed,
          connections,
          ...(name === "nodes" ? paced : undefined)
        })
        assert.deepStrictEqual(outcome.faults, [], `FAULTS_SEED=${seed}\n${world.service.log}`)
        assert.isAbove(outcome.acknowledged, 0)
        if (isTold.has(verb)) assert.isAbove(outcome.unavailable, 0, "callers were told 503")
      })
    }

    afterAll(async () => {
      assert.strictEqual(await world.close(), 0, "told to stop after all of this, the service stops in order")
    })
  })
}
