/** The restaurants of a session that is limited to them, in a real browser (contract/people.md *Limited to restaurants*). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

export const ownRestaurants = (it: It): void => {
  it.effect("shows a limited session its restaurants and a guest of them, and offers no other page", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "East Side alone",
        scopes: ["figures:read", "programs:read", "members:read", "points:give"],
        location_ids: ["location-42"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/", { key: secret })
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Restaurants", level: 1 }).waitFor()
        const pages = page.getByRole("navigation", { name: "Pages" })
        assert.deepStrictEqual(await pages.getByRole("link").allInnerTexts(), ["Restaurants", "Documentation"])
        await page.getByRole("link", { name: "Download as CSV" }).waitFor()
        await page.getByLabel("Order number").fill("demo-member-005-0")
        await page.getByRole("button", { name: "Look up" }).click()
        await page.getByText("member-005", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Give or take points" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel(/^Points, negative/).fill("5")
        await dialog.getByLabel(/^Reason/).fill("Cold soup")
        await dialog.getByRole("button", { name: "Give or take points" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("table", { name: "Points here" }).getByText("+5", { exact: true }).waitFor()
        await page.getByLabel("Card, e-mail").fill("nobody@example.com")
        await page.getByRole("button", { name: "Look up" }).click()
        await page.getByText("No guest is known here by that.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.setViewportSize(narrow)
        await fits(page)
      })
      assert.deepStrictEqual(
        faults.filter((fault) => !fault.includes("404")),
        []
      )
    })
  )
}
