/** A programme that is a rehearsal until a test publishes it as none. */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { inForceAs } from "../../../src/core/rules/Program.ts"

const { file, id } = Testing.demoProgram

export const rehearsed = () => {
  const before = Testing.programOf({ ...file, rehearsal: true })
  const inForce = { revision: 0, programs: new Map([[id, before]]) }
  const end = Effect.gen(function* () {
    const facts = { pointExpiration: file.point_expiration, tierPolicy: file.tier_policy }
    const versions = [
      { ...facts, publishedAt: 0, rehearsal: true },
      { ...facts, publishedAt: 1 }
    ]
    inForce.programs = new Map([[id, inForceAs(Testing.demoProgram, versions, false)]])
    yield* (yield* Programs).refresh
  })
  return { end, layer: Layer.orDie(Programs.layerFromRead(Effect.sync(() => ({ ...inForce })))) }
}
