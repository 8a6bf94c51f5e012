/** Restaurants by name in a real browser (contract/operators.md *Locations*). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

export const restaurants = (it: It): void => {
  it.effect(
    "names a restaurant among all figures, in a time zone of a list, and offers the name where people choose one",
    () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open("/today/figures")
        const region = page.getByRole("region", { name: "Restaurants", exact: true })
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await region.getByRole("button", { name: "Add a restaurant" }).click()
          await dialog.getByLabel(/^Location id/).fill("pier-9")
          await dialog.getByLabel(/^Name/).fill("Old Pier")
          const zone = dialog.getByLabel("Time zone")
          assert.strictEqual(await zone.locator("option:checked").innerText(), "The programme's (America/New_York)")
          await zone.selectOption("Europe/Berlin")
          await dialog.getByRole("button", { name: "Add", exact: true }).click()
          await dialog.waitFor({ state: "hidden" })
          await page.getByText("Saved: Old Pier.").waitFor()
          const row = region.getByRole("row", { name: "Old Pier" })
          await row.getByText("no order yet").waitFor()
          const names = region.locator("tbody tr bdi")
          const shown = await names.allTextContents()
          assert.isAbove(shown.length, 1)
          await region.getByRole("button", { name: "Name", exact: true }).click()
          await region.getByRole("button", { name: "Name", exact: true }).click()
          const down = [...shown].toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }))
          assert.deepStrictEqual(await names.allTextContents(), down)
          await region.getByRole("button", { name: "Edit Old Pier" }).click()
          assert.strictEqual(await dialog.getByLabel(/^Time zone/).inputValue(), "Europe/Berlin")
          await dialog.getByLabel(/^Name/).fill("New Pier")
          await dialog.getByRole("button", { name: "Add to Franchisees" }).click()
          await dialog.getByLabel("Franchisees: From, 1").fill("2026-01-01")
          await dialog.getByLabel("Franchisee id, 1").fill("ada")
          await dialog.getByRole("button", { name: "Add to Franchisees" }).click()
          await dialog.getByLabel("Franchisees: From, 2").fill("2026-01-01")
          await dialog.getByRole("button", { name: "Save", exact: true }).click()
          await dialog.getByText("must be after the day of the entry before it").first().waitFor()
          await dialog.getByLabel("Franchisees: From, 2").fill("2026-10-15")
          await dialog.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Saved: New Pier.").waitFor()
          await region.getByRole("row", { name: "New Pier" }).getByText("pier-9").waitFor()
          await region.getByRole("button", { name: "Edit New Pier" }).click()
          assert.strictEqual(await dialog.getByLabel("Franchisee id, 1").inputValue(), "ada")
          assert.strictEqual(await dialog.getByLabel("Franchisees: From, 2").inputValue(), "2026-10-15")
          await dialog.getByLabel("Closed for good").check()
          await dialog.getByRole("button", { name: "Save", exact: true }).click()
          await region.getByRole("row", { name: "New Pier" }).waitFor({ state: "detached" })
          await region.getByLabel("Show closed ones (1)").check()
          await region.getByRole("row", { name: "New Pier" }).getByText("Closed for good").waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await page.setViewportSize(narrow)
          await fits(page)
        })
        assert.deepStrictEqual(faults, [])
      })
  )
}
