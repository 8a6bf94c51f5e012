/** A clerk's work at the counter, by keys alone, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../Audience.ts"
import { barriers, Console, layer as consoleLayer, narrow, overflow } from "../Console.ts"
import { join } from "../Joined.ts"

const program_id = "demo-foodservice"

const guest = Effect.fnUntraced(function* (member_id: string, display_name: string, card: string) {
  const { ask } = yield* Console
  yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id, display_name })
  yield* ask("POST", `/admin/api/v1/members/${program_id}/${member_id}/identities`, {
    add: [{ type: "loyalty_id", value: card }]
  })
})

layer(consoleLayer, { excludeTestServices: true })("the counter", (it) => {
  it.effect("finds guests by a scanner wherever the focus is, gives points, and says what is left of the day", () =>
    Effect.gen(function* () {
      yield* guest("counter-one", "Cora Counter", "4000123400015678")
      yield* guest("counter-two", "Carl Counter", "4000123400025678")
      const { faults, page } = yield* join("Sid Support", "support", { viewport: narrow })
      const keys = page.keyboard
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        // The field has the focus, and a scanner ends with Enter.
        await keys.type("4000123400015678")
        await keys.press("Enter")
        const card = page.getByRole("region", { name: "Cora Counter" })
        await card.getByRole("heading", { name: "Cora Counter" }).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Give points" }).focus()
        await keys.press("Enter")
        await dialog.getByLabel("Amount").fill("50")
        await dialog.getByText("The balance goes from 0 to 50.").waitFor()
        assert.strictEqual(await dialog.getByLabel("Kind").count(), 0)
        await dialog.getByLabel("Reason").fill("Waited too long")
        await keys.press("Enter")
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("50 points", { exact: true }).waitFor()
        await page.getByText("5,000 points a day (4,950 left)").waitFor()
        // The focus is on the button: the next card is typed into the field all the same.
        await keys.type("4000123400025678")
        await keys.press("Enter")
        await page.getByRole("heading", { name: "Carl Counter" }).waitFor()
        assert.strictEqual(await dialog.count(), 0)
        await page.getByRole("button", { name: "Issue a reward" }).press("Enter")
        await dialog.getByLabel("Reward").selectOption("free-bowl")
        await dialog.getByLabel("Reason").fill("The soup was cold")
        await keys.press("Enter")
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("definition").getByText("Free bowl").first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("offers those who match a name, leads back to them, and enrols who is not there", () =>
    Effect.gen(function* () {
      yield* guest("choice-one", "Ida Ambiguous", "4000123400031111")
      yield* guest("choice-two", "Ivo Ambiguous", "4000123400041111")
      const { faults, page } = yield* (yield* Console).open("/counter")
      const field = page.getByLabel("Guest", { exact: true })
      yield* Effect.promise(async () => {
        await page.getByText("The guest appears here.").waitFor()
        await field.fill("ambiguous")
        await field.press("Enter")
        await page.getByText("2 guests").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("list", { name: "Guests found" }).getByRole("button", { name: /Ivo/ }).press("Enter")
        await page.getByRole("heading", { name: "Ivo Ambiguous" }).waitFor()
        await page.goBack()
        await page.getByText("2 guests").waitFor()
        await field.fill("Nora Nobody")
        await field.press("Enter")
        await page.getByText("No guest is found by this.").waitFor()
        await page.getByRole("button", { name: "Enrol a guest" }).click()
        assert.strictEqual(
          await page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue(),
          "Nora Nobody"
        )
      })
      assert.deepStrictEqual(faults, [])
    })
  )
})
