/**
 * Tests of several modules over one browser and one service. Each passes alone (`-t`) and in any order: it changes only
 * guests of its own, or what it then puts back.
 */
import { layer } from "@effect/vitest"
import type { It } from "./Console.ts"
import { layer as consoleLayer } from "./Console.ts"

/** Of the modules' tests those whose names are run: these names. */
export const suite = (
  name: string,
  modules: ReadonlyArray<(it: It) => void>,
  isRun: (name: string) => boolean
): ReadonlySet<string> => {
  const names = new Set<string>()
  layer(consoleLayer, { excludeTestServices: true })(name, ({ effect }) => {
    const some: It = {
      effect: (name, test) => {
        if (!isRun(name)) return
        names.add(name)
        effect(name, test)
      }
    }
    for (const module of modules) module(some)
  })
  return names
}
