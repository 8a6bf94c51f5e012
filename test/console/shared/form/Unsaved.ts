/** Leaving the console's forms with input that is not saved, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import type { It } from "../../Console.ts"
import { barriers, Console, openGeneral } from "../../Console.ts"

const question = (page: Page) => page.getByRole("dialog", { name: "Leave without saving?" })

/** Whether the browser itself asks before the tab closes; the tab stays. */
const asksToClose = async (page: Page): Promise<boolean> => {
  const asked = page.waitForEvent("dialog")
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  await dialog.dismiss()
  return dialog.type() === "beforeunload"
}

/** Stays, and the focus is where it was. */
const stay = async (page: Page, focused: Locator): Promise<void> => {
  await question(page).getByRole("button", { name: "Stay" }).click()
  await question(page).waitFor({ state: "hidden" })
  await focused.and(page.locator(":focus")).waitFor()
}

/** A page whose form is opened by a link, so that the back button has a page of the console to go to. */
const forms = [
  {
    name: "the programme",
    from: "/members",
    open: async (page: Page) => {
      await page.getByRole("link", { name: "Programme" }).click()
      await openGeneral(page)
    },
    // The programme's own; its challenges have descriptions, too.
    field: (page: Page) => page.getByLabel("Description").first(),
    back: "/members"
  },
  {
    name: "a segment",
    from: "/audience/segments",
    open: (page: Page) => page.getByRole("link", { name: "Create a segment" }).click(),
    field: (page: Page) => page.getByLabel("Name"),
    back: "/audience/segments"
  },
  {
    name: "a campaign",
    from: "/audience/campaigns",
    open: (page: Page) => page.getByRole("link", { name: "Create a campaign" }).click(),
    field: (page: Page) => page.getByLabel("Name"),
    back: "/audience/campaigns"
  }
]

const dialogs = [
  {
    name: "a profile",
    go: (page: Page) => page.getByRole("link", { name: "member-001" }).click(),
    open: (page: Page) => page.getByRole("button", { name: "Edit the profile" }).click(),
    field: (page: Page) => page.getByRole("dialog").getByLabel("Name", { exact: true })
  },
  {
    name: "a connector",
    go: (page: Page) => page.getByRole("link", { name: "Developers" }).click(),
    open: (page: Page) => page.getByRole("button", { name: "Add a connector" }).click(),
    field: (page: Page) => page.getByRole("dialog").getByLabel(/^Name/)
  }
]

export const unsaved = (it: It): void => {
  for (const { back, field, from, name, open } of forms)
    it.effect(`asks before input of ${name} is lost by a link, the back button or closing the tab`, () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open(from)
        yield* Effect.promise(async () => {
          await open(page)
          // Nothing is entered, so nothing is asked.
          await field(page).waitFor()
          await page.goBack()
          await page.waitForURL(`**/console${back}`)
          await open(page)
          await field(page).click()
          await field(page).fill("Not saved yet")
          await page.getByRole("link", { name: "Audit" }).click()
          await question(page).waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await stay(page, page.getByRole("link", { name: "Audit" }))
          assert.strictEqual(await field(page).inputValue(), "Not saved yet")
          assert.isTrue(await asksToClose(page))
          assert.strictEqual(await field(page).inputValue(), "Not saved yet")
          await page.evaluate("history.back()")
          await question(page).getByRole("button", { name: "Leave without saving" }).click()
          await page.waitForURL(`**/console${back}`)
          await question(page).waitFor({ state: "hidden" })
        })
        assert.deepStrictEqual(faults, [])
      })
    )

  for (const { field, go, name, open } of dialogs)
    it.effect(`asks before input of ${name} is lost by a key, the back button or closing the tab`, () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open("/members?search=member-001")
        yield* Effect.promise(async () => {
          await go(page)
          await open(page)
          await field(page).waitFor()
          // Nothing is entered, so nothing is asked.
          await page.keyboard.press("Escape")
          await field(page).waitFor({ state: "hidden" })
          await open(page)
          await field(page).click()
          await field(page).fill("Not saved yet")
          await page.keyboard.press("Escape")
          await question(page).waitFor()
          // The same key closes the question alone.
          await page.keyboard.press("Escape")
          await question(page).waitFor({ state: "hidden" })
          await field(page).and(page.locator(":focus")).waitFor()
          assert.strictEqual(await field(page).inputValue(), "Not saved yet")
          assert.isTrue(await asksToClose(page))
          await page.evaluate("history.back()")
          await stay(page, field(page))
          assert.strictEqual(await field(page).inputValue(), "Not saved yet")
          await page.keyboard.press("Escape")
          await question(page).getByRole("button", { name: "Leave without saving" }).click()
          await field(page).waitFor({ state: "hidden" })
          await open(page)
          assert.strictEqual(await field(page).inputValue(), "")
          await field(page).fill("Not saved yet")
          // A person who cancels has said so.
          await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
          await field(page).waitFor({ state: "hidden" })
        })
        assert.deepStrictEqual(faults, [])
      })
    )
}
