/** The console speaks to people where the service speaks to programs. In a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "./Console.ts"
import { Console, comeBack } from "./Console.ts"

export const wording = (it: It): void => {
  it.effect("tells of an ended session without headers of HTTP", () =>
    Effect.gen(function* () {
      const { page } = yield* (yield* Console).open("/")
      yield* Effect.promise(async () => {
        await page.getByText("Today so far").waitFor()
        await page.context().clearCookies()
        await comeBack(page)
        await page.getByText("Your session has ended").waitFor()
        assert.notMatch(await page.locator("body").innerText(), /Bearer|Authorization/)
      })
    })
  )

  it.effect("has a field for a tier's multiplier, empty until one is typed, and no switch that would set 0 %", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=tiers")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await page.getByText("Advanced: every property of the tiers").click()
        const tiers = page.getByRole("group", { name: "Tiers", exact: true })
        const starter = tiers.locator("details", { has: page.getByText("Starter", { exact: true }) })
        await starter.locator("summary").first().click()
        const multiplier = starter.getByLabel("Earn multiplier, %")
        assert.strictEqual(await multiplier.inputValue(), "")
        assert.strictEqual(await starter.getByLabel("With earn multiplier").count(), 0)
        await multiplier.fill("110")
        await page.locator("#review").getByText("Earn multiplier").first().waitFor()
        await multiplier.fill("")
        await page.getByText("No changes yet").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says of a token when it was used: never, or that it is not recorded", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* ask("POST", "/admin/api/v1/tokens", { name: "Unused till", scopes: ["protocol:read"] })
      const { faults, page } = yield* open("/developers")
      yield* Effect.promise(async () => {
        await page
          .getByRole("row", { name: /Unused till/ })
          .getByText("never", { exact: true })
          .waitFor()
        // The service's own token is in use since the start; of it no use is kept.
        await page.getByText("not recorded", { exact: true }).first().waitFor()
        assert.strictEqual(
          await page.getByRole("row").filter({ hasText: "not recorded" }).filter({ hasText: "never" }).count(),
          0
        )
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
