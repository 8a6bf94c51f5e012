/** A programme itself, its accounts and its stamp card, in words and in short dialogs, in a real browser. */
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

export const general = (it: It): void => {
  it.effect(
    "tells what the programme is, and takes its time zone, its points' value, an account and a stamp card",
    () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        const before = (yield* programKept) as Shown
        const { faults, page } = yield* open("/programme", { viewport: narrow, colorScheme: "dark" })
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          const told = page.getByRole("region", { name: "The programme" })
          await told.getByText("Amounts are in US Dollar (USD).").waitFor()
          await told.getByText("Days, weeks and months are those of America/New_York.").waitFor()
          await told.getByText("nobody has said yet what points are worth").waitFor()
          await page.getByRole("button", { name: "Change name, time zone, country and value of points" }).click()
          await dialog.getByLabel("Time zone").selectOption("Europe/Berlin")
          await dialog.getByLabel("Country of the guests, optional").fill("Germany")
          await dialog.getByText("Write two letters, such as DE, or leave it empty.").waitFor()
          await dialog.getByLabel("Country of the guests, optional").fill("de")
          await dialog.getByLabel("So many points, optional").fill("1000001")
          await dialog.getByText("Write a whole number from 1 to 1,000,000, or leave both empty.").waitFor()
          assert.isTrue(await dialog.getByRole("button", { name: "Put it into the draft" }).isDisabled())
          await dialog.getByLabel("So many points, optional").fill("100")
          await dialog.getByLabel("Are worth (USD)").fill("1")
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await save(page)
          await page.getByText("In figures, 100 points are worth US$1.00.").waitFor()
          await page.getByText("those of Europe/Berlin.").waitFor()
          await page.getByText("Telephone numbers without a country code are those of DE.").waitFor()
          await page.getByRole("tab", { name: "Accounts" }).click()
          await page.getByRole("article", { name: "points" }).getByText("The main account").waitFor()
          await page.getByRole("button", { name: "Add an account" }).click()
          await dialog.getByLabel("What guests call it, optional").fill("Bowls")
          await dialog.getByLabel("Each order gives so many").fill("1")
          await save(page)
          await page.getByRole("article", { name: "Bowls" }).getByText("1 visits for every order").waitFor()
          await fits(page)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await page.getByRole("tab", { name: "Stamp card" }).click()
          await page.getByText("There is no stamp card.").waitFor()
          await page.getByRole("button", { name: "Change the stamp card" }).click()
          await dialog.getByLabel("Guests have").selectOption("A stamp card")
          await dialog.getByLabel("What fills it").selectOption("Bowls")
          await dialog.getByLabel("How many fill it").fill("8")
          await dialog.getByLabel("What a full card gives").selectOption("Free bowl")
          await dialog.getByLabel("Days in which the reward can be used, optional").fill("30")
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await save(page)
          const card = page.getByRole("region", { name: "Stamp card" })
          for (const told of [
            "8 Bowls fill the card",
            "A full card gives: Free bowl",
            "To be used within 30 days",
            "Then the card is empty again"
          ])
            await card.getByText(told, { exact: true }).waitFor()
          await fits(page)
          await publish(page, before.version + 1)
        })
        const after = (yield* ask("GET", address)) as Shown
        const { account_earning = [], accounts } = before.program
        assert.deepStrictEqual(after.program, {
          ...before.program,
          time_zone: "Europe/Berlin",
          country: "DE",
          point_value: { points: 100, worth: { amount: 100, currency: "USD" } },
          accounts: [...accounts, { unit: "visits", is_primary: false, unit_label: "Bowls" }],
          account_earning: [
            ...account_earning,
            { unit: "visits", mode: "per_order", amount: 1, multiplier_eligible: false }
          ],
          stamp_card: {
            ...{ unit: "visits", threshold: 8, reward_id: "free-bowl", resets: true },
            reward_ttl_seconds: 2_592_000
          }
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("shows promotions and challenges also while a time zone is typed that is none", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme")
      yield* Effect.promise(async () => {
        await openGeneral(page)
        await page.getByLabel("Time zone", { exact: true }).first().fill("Europe/Ber")
        await page.getByText("must be an IANA time zone such as Europe/Berlin").first().waitFor()
        for (const [tab, card] of [
          ["Promotions", "Drinks at lunch"],
          ["Challenges", "Five drinks"]
        ] as const) {
          await page.getByRole("tab", { name: tab }).click()
          await page.getByRole("article", { name: card }).waitFor()
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
