/** Files that a browser with an empty cache loads for the console's first pages. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "./Console.ts"
import { Console, keyed } from "./Console.ts"

/** Bytes of the files of a first page, as they are sent. */
const mostBytes = 250_000

/** Files of what the page draws after its numbers. */
const drawnAfter = /\/assets\/(Attention|Imports|Members|Resources|Yesterday|silence|[cC]onnector\w*)-/

interface Loaded {
  readonly name: string
  readonly transferSize: number
}

interface Entry extends Loaded {
  /** True: after the page has begun to fetch other pages' files, which it does some seconds after its start. */
  readonly isLate: boolean
}

/**
 * The page itself and its files. Figures are no part of it, nor what the page draws after its numbers: yesterday, and
 * what needs attention (with the contract of imports and the silence of restaurants). Nor is what is fetched once these are there: the restaurants. Nor are other pages' files, which are fetched
 * in the meantime where the numbers come late: they are fetched, and not imported.
 */
const filesOf = async (page: Page): Promise<ReadonlyArray<Loaded>> => {
  const loaded = await page.evaluate<ReadonlyArray<Entry>>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ startTime }) => !(startTime > performance.getEntriesByType("resource").find(
        ({ name }) => name.includes("/platform/v1/analytics?"))?.responseEnd))
      .map(({ name, startTime, transferSize }) => ({ name, transferSize,
        isLate: startTime > performance.getEntriesByName("files ahead")[0]?.startTime }))`
  )
  // A file that is fetched and then imported comes twice, the second time out of the cache.
  return [...Map.groupBy(loaded, ({ name }) => name)]
    .filter(([, entries]) => entries.length > 1 || entries.some(({ isLate }) => !isLate))
    .map(([name, entries]) => ({
      name,
      transferSize: entries.reduce((sum, { transferSize }) => sum + transferSize, 0)
    }))
    .filter(({ name }) => /\/console(\/assets\/|$)/.test(name) && !drawnAfter.test(name))
}

const check = (files: ReadonlyArray<Loaded>): void => {
  // The page, its styles and its scripts: each came over the network, none out of a cache.
  assert.isAbove(files.length, 3)
  assert.isTrue(files.every(({ transferSize }) => transferSize > 0))
  const all = files.reduce((sum, { transferSize }) => sum + transferSize, 0)
  const told = files.map(({ name, transferSize }) => `${transferSize} ${name}`).join("\n")
  assert.isBelow(all, mostBytes, told)
}

export const firstLoad = (it: It): void => {
  it.effect("loads less than 250 kB to ask who it is, and for the numbers of today", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      // Not the admin key, for which the page has the set-up of the first owner too.
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Reads all",
        scopes: ["admin:read", "platform:read"]
      })) as { readonly secret: string }
      const entrance = yield* open("/", { key: null, fetchesAhead: true })
      yield* Effect.promise(async () => {
        await entrance.page.getByText(keyed).waitFor()
        check(await filesOf(entrance.page))
      })
      const today = yield* open("/", { key: secret, fetchesAhead: true })
      yield* Effect.promise(async () => {
        const yesterday = today.page.getByRole("region", { name: /^Yesterday/ })
        await yesterday.locator("dl dd").first().waitFor()
        check(await filesOf(today.page))
      })
    })
  )
}
