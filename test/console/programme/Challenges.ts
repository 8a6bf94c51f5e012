/** Challenges as cards, and the short dialog for one, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Challenge } from "../../../src/contract/Challenges.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, programKept } from "../Console.ts"
import { publish, save } from "./Promotions.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

interface Shown {
  readonly version: number
  readonly program: { readonly challenges: ReadonlyArray<Challenge> }
}

export const challenges = (it: It): void => {
  it.effect("tells challenges in words, makes one in a short dialog, and shows a guest's progress", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const before = (yield* programKept) as Shown
      const { faults, page } = yield* open("/programme?section=challenges", { viewport: narrow, colorScheme: "dark" })
      const dialog = page.getByRole("dialog", { name: "Add a challenge" })
      yield* Effect.promise(async () => {
        const drinks = page.getByRole("article", { name: "Five drinks" })
        for (const told of [
          "5 items of some products in a calendar month, once",
          "Gives: Summer special",
          "To be used within 30 days",
          "For Iced tea, Kombucha",
          "Runs now"
        ])
          await drinks.getByText(told, { exact: true }).waitFor()
        await page.getByRole("button", { name: "Add a challenge" }).click()
        await dialog.getByLabel("Name").fill("Five visits")
        // Days are counted in a week or a month, and weeks in a row in any time.
        await dialog.getByLabel("What counts").selectOption("Days with an order")
        assert.strictEqual(await dialog.getByLabel("In which time").inputValue(), "week")
        await dialog.getByText("Days are counted in a week or a calendar month.").waitFor()
        await dialog.getByLabel("What counts").selectOption("Items of some products")
        await dialog.getByText("Say which products or categories.").waitFor()
        await dialog.getByLabel("What counts").selectOption("Orders")
        await dialog.getByLabel("How many").fill("5")
        await dialog.getByLabel("In which time").selectOption("In a calendar month")
        await dialog.getByLabel("What the guest gets").selectOption("Free bowl")
        await dialog.getByText("More: again and again").click()
        await dialog.getByLabel("It can be completed again and again").check()
        await dialog.getByLabel("Days in which the reward can be used, optional").fill("14")
        await dialog.getByText("Counter", { exact: true }).click()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await save(page)
        const made = page.getByRole("article", { name: "Five visits" })
        await made.getByText("5 orders in a calendar month, as often as it fills").waitFor()
        await made.getByText("Gives: Free bowl").waitFor()
        await made.getByText("Only Counter").waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(() => publish(page, before.version + 1))
      const after = (yield* ask("GET", address)) as Shown
      yield* Effect.promise(async () => {
        await page.goto(new URL("members/demo-foodservice/member-002", page.url()).href)
        const progress = page.getByRole("table", { name: "Challenges", exact: true })
        await progress
          .getByRole("row", { name: /Five visits/ })
          .getByText(/^\d of 5$/)
          .waitFor()
      })
      assert.deepStrictEqual(after.program.challenges, [
        ...before.program.challenges,
        {
          challenge_id: "five-visits",
          name: "Five visits",
          count: { orders: 5 },
          every: "month",
          where: { channels: ["counter"] },
          repeat: true,
          gives: { reward_id: "free-bowl", expires_in_seconds: 1_209_600 }
        }
      ])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("edits, switches off, removes and puts back a challenge, and opens the forms where one has a fault", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=challenges")
      yield* Effect.promise(async () => {
        const drinks = page.getByRole("article", { name: "Five drinks" })
        await page.getByRole("button", { name: "Edit Five drinks" }).click()
        const dialog = page.getByRole("dialog", { name: "Edit Five drinks" })
        await dialog.getByLabel("How many").fill("4")
        await save(page)
        await drinks.getByText("4 items of some products in a calendar month, once").waitFor()
        // Nothing else of it has changed.
        await page
          .getByRole("status", { includeHidden: true })
          .filter({ hasText: /^1 change$/ })
          .waitFor({ state: "attached" })
        await page.getByRole("button", { name: "Switch off Five drinks" }).click()
        await drinks.getByText("Switched off").waitFor()
        await page.getByRole("button", { name: "Remove Five drinks" }).click()
        await page.getByText("Five drinks is removed.").waitFor()
        await page.getByRole("button", { name: "Put it back" }).click()
        await drinks.getByText("Switched off").waitFor()
        const forms = page.getByRole("group", { name: "Challenges" })
        assert.isFalse(await forms.isVisible())
        // Its reward goes away.
        await page.getByRole("tab", { name: "Rewards" }).click()
        await page.getByRole("button", { name: "Remove Summer special" }).click()
        await page.getByText("Errors").first().waitFor()
        await page.getByRole("tab", { name: "Challenges" }).click()
        await forms.getByText("must name one of the rewards").first().waitFor()
        await drinks.getByText("Gives: summer-special").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
