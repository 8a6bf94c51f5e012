/** The console's page Today fits its screens, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { RestaurantFigures } from "../../../src/contract/platform/RestaurantFigures.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

const desk = { width: 1440, height: 900 } as const

const height = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollHeight")

const money = (amount: number): string =>
  new Intl.NumberFormat("en-GB", { style: "currency", currency: "USD" }).format(amount / 100)

/** The day of the demo's zone so many days ago. */
const dayOf = (ago: number): string => {
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York" }).format()
  return new Date(Date.parse(today) - ago * 86_400_000).toISOString().slice(0, 10)
}

const spendIn = ({ restaurants }: RestaurantFigures): ReadonlyMap<string, number> =>
  new Map(restaurants.map(({ eligible_spend, location_id }) => [location_id, eligible_spend.amount]))

export const fitsScreens = (it: It): void => {
  it.effect(
    "fits two screens of a desk and four of a telephone, with what changed most, and leads to all figures",
    () =>
      Effect.gen(function* () {
        const { ask, open, url } = yield* Console
        // Not the admin key, for which the page has the set-up of the first owner too.
        const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
          name: "Reads Today",
          scopes: ["admin:read", "platform:read"]
        })) as { readonly secret: string }
        const figures = (from: number, to: number) =>
          Effect.promise(async () => {
            const at = `${url}/platform/v1/restaurants/figures?program_id=demo-foodservice&from=${dayOf(from)}&to=${dayOf(to)}`
            const answer = await fetch(at, { headers: { authorization: `Bearer ${secret}` } })
            return spendIn((await answer.json()) as RestaurantFigures)
          })
        const [now, before] = [yield* figures(7, 1), yield* figures(14, 8)]
        const expected = [...new Set([...now.keys(), ...before.keys()])]
          .map((id) => [id, now.get(id) ?? 0, before.get(id) ?? 0] as const)
          .toSorted((a, b) => a[1] - a[2] - (b[1] - b[2]))
        assert.isAbove(expected.length, 2)
        for (const colorScheme of ["light", "dark"] as const) {
          const { faults, page } = yield* open("/today", { key: secret, viewport: desk, colorScheme })
          const ranking = page.getByRole("table", { name: "Restaurants, the weakest first" })
          yield* Effect.promise(async () => {
            await ranking.locator("tbody tr").first().waitFor()
            await page.waitForLoadState("networkidle")
            assert.isAtMost(await height(page), 2 * desk.height)
            const shown = await ranking
              .locator("tbody tr")
              .evaluateAll((all) =>
                all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? ""))
              )
            assert.deepStrictEqual(
              shown.map(([name, revenue]) => [name?.toLowerCase().replace(" ", ""), revenue]),
              expected.map(([id, is, was]) => [id, `${money(is)}${money(was)} before`])
            )
            for (const [, , , reason] of shown)
              assert.match(reason ?? "", /^(more|fewer|larger|smaller) .*: .* instead of |^no (orders|change)/)
          })
          assert.deepStrictEqual(yield* barriers(page), [])
          yield* Effect.promise(async () => {
            await page.setViewportSize(narrow)
            await fits(page)
            assert.isAtMost(await height(page), 4 * narrow.height)
          })
          assert.deepStrictEqual(yield* barriers(page), [])
          yield* Effect.promise(async () => {
            await page.getByText("28 days", { exact: true }).click()
            await ranking.waitFor()
            await page.getByRole("link", { name: "All figures" }).click()
            await page.getByRole("heading", { name: "All figures", level: 1 }).waitFor()
            await page.getByRole("region", { name: /^Points by/ }).waitFor()
          })
          assert.deepStrictEqual(faults, [])
        }
      })
  )

  it.effect("leads from the addresses that all figures had before to where they are", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/?days=90&location=harbor")
      yield* Effect.promise(async () => {
        await page.waitForURL(/\/today\/figures\?.*location=harbor/)
        assert.include(page.url(), "days=90")
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
