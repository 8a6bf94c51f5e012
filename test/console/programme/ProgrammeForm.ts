/** Typed text that the forms of the programme keep, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "../Console.ts"
import { barriers, Console, openGeneral, typeName } from "../Console.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

/** Holds every answer of the kind back until the returned function is called. */
const hold = async (page: Page, url: string): Promise<() => void> => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    await held
    await route.continue()
  })
  return release
}

const rewards = (page: Page) => page.getByRole("group", { name: "Rewards", exact: true })
/** Opens the forms of all properties, below the cards. */
const openForms = (page: Page) => page.getByText("Advanced: every property of the rewards").click()
const addReward = (page: Page) => rewards(page).getByRole("button", { name: "Add one" }).last().click()

export const programmeForm = (it: It): void => {
  it.effect("opens a new reward at once, and leaves it open and as typed while it becomes valid", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=rewards")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await openForms(page)
        const release = await hold(page, "**/programs/validate")
        await addReward(page)
        const form = rewards(page).locator("details").last()
        await form.getByLabel("Reward id").pressSequentially("gyoza")
        assert.isTrue(await form.evaluate((element) => Reflect.get(element, "open") === true))
        release()
        await form.getByText("must have 1 to 512 characters").waitFor()
        await form.getByLabel("Name", { exact: true }).pressSequentially("Gyoza")
        await form.getByText("must have 1 to 512 characters").waitFor({ state: "hidden" })
        assert.strictEqual(await form.getByLabel("Reward id").inputValue(), "gyoza")
        assert.isTrue(await form.getByLabel("Name", { exact: true }).isVisible())
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps with each reward what was typed into it when one above is removed, and puts that back whole", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=rewards")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await openForms(page)
        const item = (name: string) => rewards(page).locator("details", { has: page.getByText(name, { exact: true }) })
        for (const [name, value] of [
          ["$1 off", "one"],
          ["Free bowl", "two"]
        ] as const) {
          await item(name).locator("summary").first().click()
          await item(name).getByLabel("With data of your own").check()
          const pairs = item(name).getByRole("group", { name: "Data of your own" })
          await pairs.getByRole("button", { name: "Add one" }).click()
          await pairs.getByLabel("Name", { exact: true }).fill("menu")
          await pairs.getByLabel("Value", { exact: true }).fill(value)
        }
        const valueOf = (name: string) => item(name).getByLabel("Value", { exact: true }).inputValue()
        await item("$1 off").getByRole("button", { name: "Remove $1 off" }).click()
        await page.getByText("$1 off is removed.").waitFor()
        assert.strictEqual(await valueOf("Free bowl"), "two")
        await rewards(page).getByRole("button", { name: "Put it back" }).click()
        assert.strictEqual(await valueOf("$1 off"), "one")
        assert.strictEqual(await valueOf("Free bowl"), "two")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("comes back to what was typed for another kind of effect, and to a part that was switched off", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=rewards")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await openForms(page)
        const form = rewards(page).locator("details", { has: page.getByText("Free bowl", { exact: true }) })
        await form.locator("summary").first().click()
        const effect = form.getByRole("group", { name: "Effect", exact: true })
        await effect.getByLabel("Most items").fill("3")
        await effect.getByLabel("Type").selectOption("discount")
        await effect.getByLabel("Most items").waitFor({ state: "hidden" })
        await effect.getByLabel("Type").selectOption("free_item")
        assert.strictEqual(await effect.getByLabel("Most items").inputValue(), "3")
        await page.getByRole("tab", { name: "Expiry" }).click()
        await page.getByText("Advanced: every property of expiry").click()
        const days = page.getByLabel("Days", { exact: true })
        await days.fill("500")
        await page.getByLabel("With expiry of points").uncheck()
        await days.waitFor({ state: "hidden" })
        await page.getByLabel("With expiry of points").check()
        assert.strictEqual(await days.inputValue(), "500")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("fills the forms with the data of a file whole, also where something was typed before", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { program } = (yield* ask("GET", address)) as { readonly program: object }
      const { faults, page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        await openGeneral(page)
        const group = page.getByRole("group", { name: "Data of your own" })
        await group.getByLabel("Value", { exact: true }).fill("stamps")
        const file = JSON.stringify({ ...program, metadata: { menu: "winter" } })
        await page.getByRole("button", { name: "Load a file" }).waitFor()
        await page
          .locator('input[type="file"]')
          .setInputFiles({ name: "programme.json", mimeType: "application/json", buffer: Buffer.from(file) })
        await page.getByText("is Menu: winter").waitFor()
        await openGeneral(page)
        assert.strictEqual(await group.getByLabel("Value", { exact: true }).inputValue(), "winter")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("asks before changes are discarded, and keeps them when the answer is no", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme")
      yield* Effect.promise(async () => {
        await typeName(page, "Harvest Club")
        await page.getByText("is Harvest Club").waitFor()
        await page.getByRole("button", { name: "Discard my changes" }).click()
        await page.getByRole("dialog", { name: "Discard your changes?" }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const question = page.getByRole("dialog", { name: "Discard your changes?" })
        await question.getByRole("button", { name: "Keep them" }).click()
        await question.waitFor({ state: "hidden" })
        assert.strictEqual(await page.getByLabel("Name").first().inputValue(), "Harvest Club")
        await page.getByRole("button", { name: "Discard my changes" }).click()
        await question.getByRole("button", { name: "Discard them" }).click()
        await page.getByText("No changes yet").waitFor()
        assert.notStrictEqual(await page.getByLabel("Name").first().inputValue(), "Harvest Club")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says at a reward's picture that it is no address, before it is published", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=rewards")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await openForms(page)
        const form = rewards(page).locator("details", { has: page.getByText("Free bowl", { exact: true }) })
        await form.locator("summary").first().click()
        await form.getByLabel("Address of a picture").fill("gyoza.jpg")
        await form.getByText("must be an https URL").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Publish", exact: true }).count(), 0)
        await form.getByLabel("Address of a picture").fill("https://example.com/gyoza.jpg")
        await page.getByRole("button", { name: "Publish", exact: true }).waitFor()
        await form.getByText("must be an https URL").waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
