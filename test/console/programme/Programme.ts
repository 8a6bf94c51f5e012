/** The console's page of the programme, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, comeBack, narrow, openGeneral, overflow, programKept, typeName } from "../Console.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

/** The version in force: tests publish versions, in any order. */
const versionNow = Effect.flatMap(Console, ({ ask }) =>
  Effect.map(ask("GET", address), (shown) => (shown as { readonly version: number }).version)
)

export const programme = (it: It): void => {
  it.effect("tells changes in words, what an order would earn by them, and publishes them", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { version: before } = yield* programKept
      const { faults, page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        await page.getByText("No changes yet").waitFor()
        await page.getByText("It would earn 250 points.").waitFor()
        await page.getByRole("tab", { name: "Earning" }).click()
        await page.getByText("Advanced: every property of earning").click()
        const amounts = page.getByLabel("Amount", { exact: true })
        await amounts.first().fill("20")
        // The primary account's rate is the same, and follows; alone it is a fault, which is told where it is.
        assert.strictEqual(await amounts.nth(1).inputValue(), "20")
        await amounts.nth(1).fill("30")
        await page.getByText("must equal the amount of earning.rate").first().waitFor()
        await amounts.nth(1).fill("20")
        await page.getByText("Earning › Rate › Amount").waitFor()
        await page.getByText(": was 10, is 20").first().waitFor()
        await page.getByText("It would earn 500 points.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Channel", { exact: true }).selectOption("Mobile")
        await page.getByRole("button", { name: "Publish", exact: true }).click()
        await page.getByLabel(/Note for the history/).fill("Double points in winter")
        await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await page.getByText(`Version ${before + 1}, published`).waitFor()
        await page.locator("h1:focus").waitFor()
        await page.getByText("Double points in winter").waitFor()
        await page.getByText("No changes yet").waitFor()
        // The next draft is tried on the same order.
        assert.strictEqual(await page.getByLabel("Channel", { exact: true }).inputValue(), "mobile")
      })
      assert.strictEqual(yield* versionNow, before + 1)
      yield* Effect.promise(async () => {
        // The newest of the earlier versions is the first in the history.
        await page.getByRole("button", { name: "Publish again" }).first().click()
        await page.getByRole("dialog").getByRole("button", { name: "Publish again" }).click()
        await page.getByText(`Version ${before + 2}, published`).waitFor()
        // Forms that nobody has changed follow, and the section stays.
        await page.getByText("It would earn 250 points.").waitFor()
        await page.getByText("No changes yet").waitFor()
        assert.strictEqual(await page.getByLabel("Amount", { exact: true }).first().inputValue(), "10")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says that a programme is a rehearsal, until it is published as none", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { program, version } = (yield* ask("GET", address)) as {
        readonly program: object
        readonly version: number
      }
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, rehearsal: true } })
      const { faults, page } = yield* open("/programme", { viewport: narrow })
      const alert = page.getByText("This programme is a rehearsal: guests are told nothing")
      yield* Effect.promise(async () => {
        await alert.waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* ask("POST", `${address}/rollback`, { version })
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByText("No changes yet").waitFor()
        assert.strictEqual(await alert.count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("changes the programme's own data by name and value, and keeps the rest", () =>
    Effect.gen(function* () {
      const { page } = yield* (yield* Console).open("/programme")
      yield* Effect.promise(async () => {
        await openGeneral(page)
        const group = page.getByRole("group", { name: "Data of your own" })
        await group.getByRole("button", { name: "Add one" }).click()
        await group.getByLabel("Name", { exact: true }).last().fill("seats")
        await group.getByLabel("Value", { exact: true }).last().fill("12")
        await page.getByText("was Model: points, is Model: points, Seats: 12").waitFor()
        await group.getByRole("button", { name: "Remove seats" }).click()
        await page.getByText("No changes yet").waitFor()
      })
    })
  )

  it.effect("shows a fault at its field, and does not publish it", () =>
    Effect.gen(function* () {
      const { page } = yield* (yield* Console).open("/programme", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.getByRole("tab", { name: "General" }).waitFor()
        await openGeneral(page)
        await page.getByLabel("Currency").fill("dollars")
        await page.getByText("Errors").first().waitFor()
        assert.strictEqual(await page.getByLabel("Currency").getAttribute("aria-invalid"), "true")
        assert.isAtMost(await overflow(page), 0)
        assert.strictEqual(await page.getByRole("button", { name: "Publish", exact: true }).count(), 0)
      })
    })
  )

  it.effect("keeps a draft when another operator publishes first, and can still publish it", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* programKept
      const first = yield* open("/programme")
      const second = yield* open("/programme")
      yield* Effect.promise(async () => {
        await typeName(first.page, "Winter Club")
        await typeName(second.page, "Summer Club")
        for (const { page } of [first, second]) {
          await page.getByText("is Winter Club").or(page.getByText("is Summer Club")).waitFor()
          await page.getByRole("button", { name: "Publish" }).first().click()
        }
        await first.page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await first.page.getByRole("heading", { name: "Winter Club" }).waitFor()
        // Coming back to a tab later reads the version in force again. The draft was not made from that one.
        await comeBack(second.page)
        await second.page.getByRole("dialog").getByText("was Winter Club, is Summer Club").waitFor()
        await second.page
          .getByRole("dialog")
          .getByText(/^Version \d+ was published after you started, by root/)
          .waitFor()
        await second.page
          .getByRole("dialog")
          .getByText("Name was changed there, too. What you entered is kept.")
          .waitFor()
        await second.page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await second.page.getByRole("heading", { name: "Summer Club" }).waitFor()
      })
      // Other tests look for the programme by its name.
    })
  )

  it.effect("carries a draft over to what somebody else has published, and undoes none of that", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* programKept
      const shown = (yield* ask("GET", address)) as { readonly program: { readonly tiers: ReadonlyArray<object> } }
      const { page } = yield* open("/programme")
      yield* Effect.promise(() => typeName(page, "Carried Club"))
      const tiers = shown.program.tiers.map((tier) =>
        "name" in tier && tier.name === "VIP" ? { ...tier, name: "Star" } : tier
      )
      const dialog = page.getByRole("dialog")
      const publish = dialog.getByRole("button", { name: "Publish" })
      // A dialog that opens may read the version in force anew; an open one does not.
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish", exact: true }).click()
        await publish.and(page.locator(":enabled")).waitFor()
      })
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...shown.program, tiers } })
      yield* Effect.promise(async () => {
        await publish.click()
        await dialog.getByText(/^Version \d+ was published after you started, by root/).waitFor()
        await publish.click()
        await page.getByRole("heading", { name: "Carried Club" }).waitFor()
      })
      const now = (yield* ask("GET", address)) as { readonly program: { readonly tiers: ReadonlyArray<object> } }
      assert.deepStrictEqual(now.program.tiers, tiers)
    })
  )

  it.effect("keeps what is typed right after a publication, however late the rest of the page is read again", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* programKept
      const { page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        await typeName(page, "Autumn Club")
        await page.getByRole("button", { name: "Publish", exact: true }).click()
        const yes = page.getByRole("dialog").getByRole("button", { name: "Publish" })
        await yes.waitFor()
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        await page.route("**/versions*", async (route) => {
          await held
          await route.continue()
        })
        await yes.click()
        await page.getByRole("heading", { name: "Autumn Club" }).waitFor()
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await typeName(page, "Autumn Club Two")
        const read = page.waitForResponse(/versions/)
        release()
        await read
        await page.getByText("was Autumn Club, is Autumn Club Two").waitFor()
        assert.strictEqual(await page.getByLabel("Name").first().inputValue(), "Autumn Club Two")
      })
    })
  )

  it.effect("publishes at the second yes, however soon it comes, and says of what is no amount", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { version: before } = yield* programKept
      const shown = (yield* ask("GET", address)) as { readonly program: object }
      const { page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        // Data that the page has read stay fresh for it.
        await page.evaluate("{ const now = Date.now(); Date.now = () => now }")
        await typeName(page, "Summer Club")
        await page.getByRole("button", { name: "Publish", exact: true }).waitFor()
      })
      const other = { ...shown.program, name: "Winter Club" }
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: other })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish" }).first().click()
        await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await page.getByRole("dialog").getByRole("alert").getByText("Another version was published meanwhile").waitFor()
        await page.getByRole("dialog").getByText("was Winter Club, is Summer Club").waitFor()
        // The history has the other version at once, too.
        await page
          .getByRole("table", { name: "History", includeHidden: true })
          .getByText((before + 1).toLocaleString("en-GB"), { exact: true })
          .waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await page.getByRole("heading", { name: "Summer Club" }).waitFor()
        await page.getByRole("tab", { name: "Earning" }).click()
        await page.getByText("Advanced: every property of earning").click()
        const most = page.getByLabel("Largest order")
        await most.fill("1.234,5x")
        await page.getByText("Write an amount such as 1,234.50").waitFor()
        await most.fill("1.234,5")
        await most.blur()
        assert.strictEqual(await most.inputValue(), "1,234.50")
        await page.getByText("$1,234.50").first().waitFor()
      })
    })
  )

  it.effect(
    "shows what promotions give and when they run, tries a changed one on last week's orders, and publishes it",
    () =>
      Effect.gen(function* () {
        const { open } = yield* Console
        const { version: before } = yield* programKept
        const { faults, page } = yield* open("/programme?section=promotions")
        yield* Effect.promise(async () => {
          const list = page.getByRole("region", { name: "Promotions", exact: true })
          await list.getByText("Go green").waitFor()
          await list.getByText("25 points an item").waitFor()
          await list.getByText("Runs now", { exact: true }).waitFor()
          await list
            .getByText(/orders in the last 30 days, .* points$/)
            .first()
            .waitFor()
          await page.getByRole("table", { name: "The next 7 days" }).getByText("11:00–15:00").first().waitFor()
          const figures = page.getByRole("table", { name: "What they gave in the last 30 days" })
          const uses = await figures
            .getByRole("row", { name: /Go green/ })
            .getByRole("cell")
            .nth(2)
            .textContent()
          assert.isAbove(Number(uses), 5)
          const product = page.getByRole("combobox", { name: "Product, if it matters" })
          await product.fill("bowl-green")
          await product.press("Enter")
          await page.getByText("25 points of it by Go green").waitFor()
          await page.getByText(/^Drinks at lunch (does not run at that time|is for other products)\.$/).waitFor()
          // A guest of the highest tier earns half as much again, save what a promotion adds.
          await page.getByLabel("A new guest of the tier").selectOption("VIP")
          await page.getByText("It would earn 400 points.").waitFor()
          await page.getByLabel("A new guest of the tier").selectOption("Starter")
          await page.getByText("It would earn 275 points.").waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          // A Tuesday that is still to come, in and after the promotion's hours.
          const product = page.getByRole("combobox", { name: "Product, if it matters" })
          await product.fill("tea-iced")
          await product.press("Enter")
          await page.getByLabel(/^When it is placed/).fill("2031-01-07T12:00")
          await page.getByText(/by Drinks at lunch/).waitFor()
          await page.getByLabel(/^When it is placed/).fill("2031-01-07T18:00")
          await page.getByText(/by Drinks at lunch/).waitFor({ state: "hidden" })
          await page.getByText("Drinks at lunch does not run at that time.").waitFor()
          await page.getByText("Go green needs 1 of its products more.").waitFor()
          await page.getByLabel("Channel").selectOption("Delivery")
          await page.getByText("It would earn nothing. Orders of this channel earn nothing.").waitFor()
          await page.getByLabel("Channel").selectOption("Counter")
          await page.getByText("Advanced: every property of the promotions").click()
          const forms = page.getByRole("group", { name: "Promotions" })
          await forms.getByRole("button", { name: "Add one" }).last().click()
          const form = forms.locator("details").last()
          await form.getByLabel("Promotion id").fill("november")
          await form.getByLabel("Name", { exact: true }).fill("November bonus")
          await form.getByLabel("Points an order", { exact: true }).fill("7")
          await page.getByRole("region", { name: "Promotions", exact: true }).getByText("7 points an order").waitFor()
          // A form that was opened for its faults stays open once they are gone.
          await page.getByRole("button", { name: "Publish", exact: true }).waitFor()
          assert.isTrue(await form.getByLabel("Promotion id").isVisible())
          await page.getByRole("button", { name: "Try on last week's orders" }).click()
          await page.getByText(/orders of the last 7 days were tried. Together they would have given/).waitFor()
          await page
            .getByText("Not tried, because orders are recorded without their products: Drinks at lunch, Go green")
            .waitFor()
          await page.getByRole("button", { name: "Publish", exact: true }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
          await page.getByText(`Version ${before + 1}, published`).waitFor()
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("shows the programme as text, on a narrow screen too, to those who may only read it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Reads programmes",
        scopes: ["admin:read"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/programme?section=rewards", {
        key: secret,
        viewport: narrow,
        colorScheme: "dark"
      })
      const section = page.getByRole("tabpanel")
      yield* Effect.promise(async () => {
        const reward = section.getByRole("group", { name: "Free bowl" })
        await reward.getByText("One bowl up to $12.").waitFor()
        await reward.getByRole("group", { name: "Cost" }).getByText("1,000").waitFor()
        await reward.getByText("US$12.00").waitFor()
        await reward.getByText("100%").waitFor()
        assert.strictEqual(await section.locator("input, select, textarea, button").count(), 0)
        assert.strictEqual(await page.getByText("Changes from the version in force").count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        for (const [name, told] of [
          ["Earning", "Counter, Drive thru, Web, Mobile"],
          ["General", "Corner Bowl Rewards"],
          ["Expiry", "365"]
        ] as const) {
          await page.getByRole("tab", { name }).click()
          await section.getByText(told).first().waitFor()
          assert.strictEqual(await section.locator("input, select, textarea, button").count(), 0)
        }
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
}
