/** How a programme earns and expires, in words, and the short dialogs for both, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ProgramFile } from "../../../src/contract/ProgramFile.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, openGeneral, programKept } from "../Console.ts"
import { publish, save } from "./Promotions.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

interface Shown {
  readonly version: number
  readonly program: ProgramFile
}

export const earning = (it: It): void => {
  it.effect("tells in words how orders earn and when points expire, and changes both in a short dialog", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const before = (yield* programKept) as Shown
      const { faults, page } = yield* open("/programme?section=earning", { viewport: narrow, colorScheme: "dark" })
      const panel = page.getByRole("region", { name: "How orders earn" })
      yield* Effect.promise(async () => {
        for (const told of [
          "10 points for every US$1.00",
          "Rounded down to whole points, once for the whole order",
          "Orders from US$1.00 of what counts",
          "Ordered by: Counter, Drive thru, Web, Mobile",
          "Nothing for the products gift-card-25",
          "Nothing for the categories alcohol, gift-cards",
          "Nothing for what is tagged service-fee, merch, donation",
          "Nothing for lines of the kind fee"
        ])
          await panel.getByText(told, { exact: true }).waitFor()
        await page.getByRole("button", { name: "Change how orders earn" }).click()
        const dialog = page.getByRole("dialog", { name: "Change how orders earn" })
        await dialog.getByLabel("For every (USD)").fill("0")
        await dialog.getByText("Write an amount above 0 such as 1.00.").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Put it into the draft" }).isDisabled())
        await dialog.getByLabel("For every (USD)").fill("0.10")
        await dialog.getByLabel("How many points").fill("2")
        await dialog.getByText("Delivery", { exact: true }).click()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await save(page)
        await panel.getByText("2 points for every US$0.10").waitFor()
        await panel.getByText("Ordered by: Counter, Drive thru, Web, Mobile, Delivery").waitFor()
        await page.getByText("It would earn 500 points.").waitFor()
        await page.getByRole("tab", { name: "Expiry" }).click()
        const expiry = page.getByRole("region", { name: "When points expire" })
        await expiry.getByText("Points expire 365 days after they were earned, to the minute.").waitFor()
        await expiry.getByText("A warning is due 30 and 7 days before.").waitFor()
        await page.getByRole("button", { name: "Change when points expire" }).click()
        const dialog = page.getByRole("dialog", { name: "Change when points expire" })
        await dialog.getByLabel("After how many").fill("18")
        await dialog.getByLabel("Of what").selectOption("Months")
        await dialog.getByLabel("When exactly").selectOption("at the end of that month")
        await save(page)
        await expiry.getByText("Points expire 18 months after they were earned, at the end of that month.").waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(() => publish(page, before.version + 1))
      const after = (yield* ask("GET", address)) as Shown
      const rate = { unit: "points" as const, amount: 2, spend: { amount: 10, currency: "USD" } }
      assert.deepStrictEqual(after.program, {
        ...before.program,
        earning: {
          ...before.program.earning,
          rate,
          eligible_channels: [...before.program.earning.eligible_channels, "delivery"]
        },
        // The primary account's rate is the same, and follows.
        account_earning: (before.program.account_earning ?? []).map((rule) => ({ ...rule, ...rate })),
        point_expiration: { type: "after_earned", months: 18, at: "end_of_month", warning_days: [30, 7] }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("opens the forms of earning and expiry where one has a fault, and leaves them open once it is gone", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=expiry")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Change when points expire" }).click()
        const dialog = page.getByRole("dialog", { name: "Change when points expire" })
        assert.isFalse(await page.getByLabel("Days", { exact: true }).isVisible())
        await dialog.getByLabel("After how many").fill("20")
        await save(page)
        // A warning comes before the points are there: only the service says so.
        await page.getByLabel("Days", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Change when points expire" }).click()
        await dialog.getByLabel("After how many").fill("400")
        await save(page)
        await page.getByRole("button", { name: "Publish", exact: true }).waitFor()
        assert.strictEqual(await page.getByLabel("Days", { exact: true }).inputValue(), "400")
        await page.getByRole("tab", { name: "General" }).click()
        await openGeneral(page)
        await page.getByLabel("Currency").fill("EUR")
        await page.getByText("Errors").first().waitFor()
        await page.getByRole("tab", { name: "Earning" }).click()
        await page.getByLabel("Amount", { exact: true }).first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
