/** Yesterday on the console's page Today, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Analytics } from "../../../src/contract/platform/Analytics.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

export const yesterday = (it: It): void => {
  it.effect("shows yesterday beside the same weekday a week before, in the programme's zone", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      const asked = new Set<string>()
      yield* Effect.promise(async () => {
        await page.route("**/admin/api/v1/programs/demo-foodservice", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as { readonly program: object }
          const program = { ...told.program, time_zone: "Asia/Tokyo" }
          await route.fulfill({ response: answer, json: { ...told, program } })
        })
        await page.route("**/admin/api/v1/overview*", async (route) => {
          const answer = await route.fetch()
          // The 28th in Tokyo.
          const json = { ...((await answer.json()) as object), as_of: "2026-11-27T16:00:00Z" }
          await route.fulfill({ response: answer, json })
        })
        await page.route("**/platform/v1/analytics*", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as Analytics
          const { searchParams } = new URL(route.request().url())
          if (!searchParams.has("time_zone")) return route.fulfill({ response: answer })
          const from = searchParams.get("from")
          asked.add(["until", "day", "time_zone"].reduce((all, name) => `${all} ${searchParams.get(name)}`, from ?? ""))
          const isBefore = from === "2026-11-19T15:00:00.000Z"
          const members = { ...told.loyalty.members, active: isBefore ? 8 : 6, new: isBefore ? 0 : 2 }
          const eligible_spend = { amount: isBefore ? 4_000 : 50_000, currency: "USD" }
          const orders = { ...told.loyalty.orders, count: isBefore ? 20 : 30, eligible_spend }
          return route.fulfill({ response: answer, json: { ...told, loyalty: { ...told.loyalty, members, orders } } })
        })
        // The zone is asked for before the page is.
        await page.reload()
        await page.getByRole("heading", { name: "Members" }).first().waitFor()
        await page.getByRole("link", { name: "Today" }).click()
        const panel = page.getByRole("region", { name: /^Yesterday, Fri,? 27 Nov$/ })
        await panel.getByText(/^20 a week before/).waitFor()
        const figures = await panel
          .locator("dl > div")
          .evaluateAll((all) =>
            all.map((one) =>
              [...one.children].map((child) => (child as unknown as { readonly innerText: string }).innerText)
            )
          )
        assert.deepStrictEqual(figures, [
          ["Orders", "30", "20 a week before\n50% more"],
          ["Revenue", "US$500.00", "US$40.00 a week before"],
          ["Guests", "6", "8 a week before\n25% less"],
          ["New members", "2", "0 a week before\nnone before"]
        ])
        const days = [...asked].filter((one) => one.endsWith("Asia/Tokyo")).toSorted()
        assert.deepStrictEqual(days, [
          "2026-11-19T15:00:00.000Z 2026-11-20T15:00:00.000Z business Asia/Tokyo",
          "2026-11-26T15:00:00.000Z 2026-11-27T15:00:00.000Z business Asia/Tokyo"
        ])
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.emulateMedia({ colorScheme: "dark" })
        await page.setViewportSize(narrow)
        await fits(page)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
