/** A programme that is a rehearsal until a test publishes it as none. */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { inForceAs } from "../../../src/core/rules/Program.ts"

const { file, id } = Testing.demoProgram

export const rehearsed = () => {
  const before = Testing.programOf({ ...file, rehearsal: true })
  const inForce = { revision: 0, programs: new Map([[id, before]]) }
  const facts = { pointExpiration: file.point_expiration, tierPolicy: file.tier_policy }
  const versions: Array<Parameters<typeof inForceAs>[1][number]> = [{ ...facts, publishedAt: 0, rehearsal: true }]
  const publish = (isRehearsal: boolean) =>
    Effect.gen(function* () {
      versions.push({ ...facts, publishedAt: versions.length, ...(isRehearsal ? { rehearsal: true } : undefined) })
      const program = isRehearsal ? before : Testing.demoProgram
      inForce.programs = new Map([[id, inForceAs(program, [...versions], false)]])
      yield* (yield* Programs).refresh
    })
  const [begin, end] = [publish(true), publish(false)]
  return { begin, end, layer: Layer.orDie(Programs.layerFromRead(Effect.sync(() => ({ ...inForce })))) }
}
