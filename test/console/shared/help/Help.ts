/** Help at the place: the owner's guide beside a page and in a dialog, in a real browser (docs/console.md). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../../audience/Audience.ts"
import type { It } from "../../Console.ts"
import { barriers, Console, fits, narrow } from "../../Console.ts"

export const help = (it: It): void => {
  it.effect("opens the guide's section beside a page when it is asked for, by keys alone, on a narrow screen too", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/members")
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(new URL(request.url()).pathname))
      const panel = page.getByRole("complementary", { name: "Help: Members" })
      yield* Effect.promise(async () => {
        const button = page.getByRole("button", { name: "Help: Members" })
        await button.waitFor()
        assert.notInclude(asked, "/docs/console")
        await button.focus()
        await page.keyboard.press("Enter")
        await panel.getByText("tells points, tier, wallet, cards and consents").waitFor()
        assert.include(asked, "/docs/console")
        assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Help: Members")
        // The page stays in use beside it.
        await page.getByLabel("Search").fill("Ada")
        assert.isTrue(await panel.isVisible())
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.setViewportSize(narrow)
        await fits(page)
        await panel.getByRole("button", { name: "Close the help" }).focus()
        await page.keyboard.press("Escape")
        await panel.waitFor({ state: "detached" })
        assert.strictEqual(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Help: Members")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("has the guide within a dialog, which Escape leaves open, and in German in German", () =>
    Effect.gen(function* () {
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id: "demo-foodservice",
        member_id: "helped",
        display_name: "Hilde Helped"
      })
      const { open } = yield* Console
      const { faults, page } = yield* open("/members/demo-foodservice/helped", { locale: "de-DE", viewport: narrow })
      const dialog = page.getByRole("dialog")
      const within = dialog.getByRole("region", { name: "Hilfe" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Mit anderem zusammenlegen" }).click()
        await dialog.getByRole("button", { name: "Hilfe", exact: true }).click()
        await within.getByText("Das Zusammenlegen lässt sich nicht rückgängig machen").waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.keyboard.press("Escape")
        await within.waitFor({ state: "detached" })
        assert.isTrue(await dialog.isVisible())
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
