/** The business's own look, in a real browser (contract/operators.md *The business's look*). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"

/** One pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

export const ownLook = (it: It): void => {
  it.effect(
    "has the business's name, colour and logo in its head and before the sign-in, once an owner has set them",
    () =>
      Effect.gen(function* () {
        const { open } = yield* Console
        const { faults, page } = yield* open("/people")
        const entrance = yield* open("/", { key: null, viewport: narrow })
        const puts: Array<string> = []
        page.on("request", (request) => {
          if (request.method() === "PUT") puts.push(request.url())
        })
        yield* Effect.promise(async () => {
          await page.getByRole("banner").getByText("Lotbook").waitFor()
          const panel = page.getByRole("region", { name: "Your own look" })
          await panel.getByRole("button", { name: "Change name and colour" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name").fill("Green Bowl and Sons at the Old Market Place")
          await dialog.getByLabel("Colour").fill("green")
          await dialog.getByRole("button", { name: "Change name and colour" }).click()
          await dialog.getByText("must be a colour such as #1a7f5a", { exact: true }).waitFor()
          // The contract itself refuses it, before anything is sent.
          assert.deepStrictEqual(puts, [])
          await dialog.getByLabel("Colour").fill("#1a7f5a")
          await dialog.getByRole("button", { name: "Change name and colour" }).click()
          await page.getByRole("banner").getByText("Green Bowl and Sons at the Old Market Place").waitFor()
          const chosen = page.waitForEvent("filechooser")
          await panel.getByRole("button", { name: "Choose a picture" }).click()
          await (await chosen).setFiles({ name: "logo.png", mimeType: "image/png", buffer: pixel })
          await page.getByRole("banner").locator('img[src^="/console/logo.png"]').waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          // A long name takes nothing from the way out.
          await page.setViewportSize(narrow)
          const out = await page.getByRole("button", { name: "Sign out" }).boundingBox()
          assert.isAtMost((out?.x ?? 1_000) + (out?.width ?? 0), narrow.width)
          await page.setViewportSize({ width: 1_280, height: 900 })
          await entrance.page.reload()
          await entrance.page
            .getByRole("main")
            .getByText("Green Bowl and Sons at the Old Market Place", { exact: true })
            .waitFor()
          await entrance.page.getByRole("main").locator('img[src^="/console/logo.png"]').waitFor()
          await entrance.page.getByRole("heading", { name: "Sign in to Green Bowl and Sons at the Old" }).waitFor()
          assert.isAtMost(await overflow(entrance.page), 0)
          await entrance.page.goto(entrance.page.url().replace(/\/console.*/, "/console/invitation"))
          await entrance.page.getByRole("heading", { name: "Welcome to Green Bowl and Sons at the Old" }).waitFor()
          await entrance.page
            .getByRole("main")
            .getByText("Green Bowl and Sons at the Old Market Place", { exact: true })
            .waitFor()
          await entrance.page.getByRole("main").locator('img[src^="/console/logo.png"]').waitFor()
          const panel = page.getByRole("region", { name: "Your own look" })
          await panel.getByRole("button", { name: "Remove the logo" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Remove the logo" }).click()
          await panel.getByText("There is no logo").waitFor()
          await panel.getByRole("button", { name: "Change name and colour" }).click()
          await page.getByRole("dialog").getByLabel("Name").fill("")
          await page.getByRole("dialog").getByLabel("Colour").fill("")
          await page.getByRole("dialog").getByRole("button", { name: "Change name and colour" }).click()
          await page.getByRole("banner").getByText("Lotbook").waitFor()
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("has a form of limits where numbers are written another way", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/people", { locale: "de-DE" })
      yield* Effect.promise(async () => {
        await page
          .getByRole("button", { name: /^Grenzen ändern/ })
          .first()
          .click()
        const field = page.getByRole("dialog").getByRole("textbox").first()
        await field.fill("1234")
        await field.blur()
        assert.strictEqual(await field.inputValue(), "1.234")
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
