/** Secrets that the console shows once: a slip of the hand does not lose them. In a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "../../Console.ts"
import { barriers, Console } from "../../Console.ts"

const question = (page: Page) => page.getByRole("dialog", { name: "Close it without a copy?" })

const kinds = [
  {
    name: "a token's secret",
    at: "Developers",
    make: async (page: Page) => {
      await page.getByRole("button", { name: "Issue a token" }).click()
      await page.getByLabel("Name, such as the till's location").fill("Slippery till")
      await page.getByLabel("Tills: look up members").check()
      await page.getByRole("dialog").getByRole("button", { name: "Issue a token" }).click()
    },
    once: (page: Page) => page.getByText(/^lot_[\w-]{43}$/),
    copy: "Copy"
  },
  {
    name: "an invitation",
    at: "People",
    make: async (page: Page) => {
      await page.getByRole("button", { name: "Invite somebody" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("Slippery Sam")
      await page.getByRole("dialog").getByLabel("E-mail").fill("sam@example.com")
      await page
        .getByRole("dialog")
        .getByRole("radio", { name: /Support/ })
        .check()
      await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click()
    },
    once: (page: Page) => page.getByText(/^http\S+\/invitation\S+$/),
    copy: "Copy the address"
  }
]

export const secrets = (it: It): void => {
  for (const { at, copy, make, name, once } of kinds)
    it.effect(`asks before ${name} is lost by a key, a click beside it or a link, unless it was copied`, () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open("/members")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: at }).click()
          await make(page)
          await once(page).waitFor()
          await page.keyboard.press("Escape")
          await question(page).waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await question(page).getByRole("button", { name: "Back to it" }).click()
          await question(page).waitFor({ state: "hidden" })
          assert.isTrue(await once(page).isVisible())
          await page.mouse.click(5, 300)
          await question(page).waitFor()
          // The same key closes the question alone.
          await page.keyboard.press("Escape")
          await question(page).waitFor({ state: "hidden" })
          assert.isTrue(await once(page).isVisible())
          await page.evaluate("history.back()")
          await question(page).getByRole("button", { name: "Back to it" }).click()
          await question(page).waitFor({ state: "hidden" })
          await page.getByRole("dialog").getByRole("button", { name: copy, exact: true }).click()
          await page.getByText("Not copied: select the text").waitFor()
          await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
          await page.getByText("Not copied: select the text").click()
          await page.getByRole("dialog").getByRole("button", { name: "Copied", exact: true }).waitFor()
          await page.keyboard.press("Escape")
          await once(page).waitFor({ state: "hidden" })
          assert.isFalse(await question(page).isVisible())
        })
        assert.deepStrictEqual(faults, [])
      })
    )
}
