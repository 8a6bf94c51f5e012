/** Tiers as cards, and the short dialog for one, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Tier } from "../../../src/contract/protocol/Program.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, programKept } from "../Console.ts"
import { publish, save } from "./Promotions.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

interface Shown {
  readonly version: number
  readonly program: { readonly tiers: ReadonlyArray<Tier> }
}

export const tiers = (it: It): void => {
  it.effect("tells tiers in words, puts a new one where it belongs, and tries an order of one", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const before = (yield* programKept) as Shown
      const { faults, page } = yield* open("/programme?section=tiers", { viewport: narrow, colorScheme: "dark" })
      const dialog = page.getByRole("dialog", { name: "Add a tier" })
      yield* Effect.promise(async () => {
        await page.getByRole("article", { name: "Starter" }).getByText("Every guest begins here").waitFor()
        const regular = page.getByRole("article", { name: "Regular" })
        for (const told of ["Qualifying points: from 500", "1.2 times the points", "And: Birthday treat"])
          await regular.getByText(told, { exact: true }).waitFor()
        await page.getByText(/^The count begins anew each year on 1 January\. A tier lasts until/).waitFor()
        await page.getByRole("button", { name: "Add a tier" }).click()
        await dialog.getByLabel("Name").fill("Friend of the house")
        await dialog.getByLabel("From how many (Qualifying points)").fill("1000")
        await dialog.getByLabel("Times the points").fill("-1")
        await dialog.getByText("Write a number from 0.").waitFor()
        await dialog.getByLabel("Times the points").fill("2")
        await dialog.getByRole("combobox", { name: "What else guests of it get" }).fill("A table at the window")
        await dialog.getByRole("combobox", { name: "What else guests of it get" }).press("Enter")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await save(page)
        const cards = page.getByRole("tabpanel").getByRole("article")
        await cards.nth(2).getByText("Qualifying points: from 1,000").waitFor()
        await cards.nth(3).getByText("VIP", { exact: true }).waitFor()
        await page.getByLabel("A new guest of the tier").selectOption("Friend of the house")
        await page.getByText("It would earn 500 points.").waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(() => publish(page, before.version + 1))
      const after = (yield* ask("GET", address)) as Shown
      assert.deepStrictEqual(
        after.program.tiers,
        before.program.tiers.toSpliced(2, 0, {
          tier_id: "friend-of-the-house",
          name: "Friend of the house",
          qualification_metric_id: "tier-qualifying",
          minimum: 1_000,
          earn_multiplier_bps: 20_000,
          benefits: [{ benefit_id: "a-table-at-the-window", name: "A table at the window" }]
        })
      )
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("opens the forms of tiers where one has a fault", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=tiers")
      yield* Effect.promise(async () => {
        const forms = page.getByRole("group", { name: "Tiers", exact: true })
        await page.getByRole("button", { name: "Edit Starter" }).click()
        assert.isFalse(await forms.isVisible())
        const dialog = page.getByRole("dialog", { name: "Edit Starter" })
        await dialog.getByLabel("From how many (Qualifying points)").fill("10")
        await save(page)
        await forms.getByText("must be 0 on the lowest tier").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
