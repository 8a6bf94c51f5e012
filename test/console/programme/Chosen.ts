/** Products, categories and restaurants that people choose by name, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Promotion } from "../../../src/contract/Promotions.ts"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, programKept } from "../Console.ts"
import { publish, save } from "./Promotions.ts"

interface Shown {
  readonly version: number
  readonly program: { readonly promotions: ReadonlyArray<Promotion> }
}

export const chosen = (it: It): void => {
  it.effect("offers products and categories that tills sold by name, and warns of those that none has", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { version } = (yield* programKept) as Shown
      const { faults, page } = yield* open("/programme?section=promotions", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add a promotion" }).click()
        const dialog = page.getByRole("dialog", { name: "Add a promotion" })
        await dialog.getByLabel("Name").fill("Salmon week")
        const products = dialog.getByRole("combobox", { name: "Of these products" })
        await products.fill("salm")
        await page.getByRole("option", { name: /Salmon bowl.*bowl-salmon · bowls/ }).click()
        await dialog.getByText("Salmon bowl", { exact: true }).waitFor()
        // A whole name is as good as a choice.
        await products.fill("tofu bowl")
        await page.getByRole("option", { name: /Tofu bowl/ }).waitFor()
        await products.press("Enter")
        await dialog.getByText("Tofu bowl", { exact: true }).waitFor()
        await products.fill("bowl-new")
        await products.press("Enter")
        await dialog.getByText("No till has sold “bowl-new” yet.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog", { name: "Add a promotion" })
        const products = dialog.getByRole("combobox", { name: "Of these products" })
        await products.press("Backspace")
        await dialog.getByText("No till has sold").waitFor({ state: "detached" })
        await dialog.getByRole("combobox", { name: "Of these categories" }).fill("bow")
        await page.getByRole("option", { name: /^bowls/ }).click()
        await save(page)
        await page
          .getByRole("article", { name: "Salmon week" })
          .getByText("For Salmon bowl, Tofu bowl, bowls")
          .waitFor()
        await publish(page, version + 1)
      })
      const { program } = (yield* ask("GET", "/admin/api/v1/programs/demo-foodservice")) as Shown
      const made = program.promotions.find(({ name }) => name === "Salmon week")
      assert.deepStrictEqual(made?.on, { product_ids: ["bowl-salmon", "bowl-tofu"], category_ids: ["bowls"] })
      assert.deepStrictEqual(faults, [])
    })
  )
}
