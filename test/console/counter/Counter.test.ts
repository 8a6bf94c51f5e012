/** A clerk's work at the counter, by keys alone, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import { barriers, Console, layer as consoleLayer, keepRouting, narrow, overflow } from "../Console.ts"
import { join, staff } from "../Joined.ts"

const program_id = "demo-foodservice"

const guest = Effect.fnUntraced(function* (member_id: string, display_name: string, card: string) {
  const { ask } = yield* Console
  yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id, display_name })
  yield* ask("POST", `/admin/api/v1/members/${program_id}/${member_id}/identities`, {
    add: [{ type: "loyalty_id", value: card }]
  })
})

layer(consoleLayer, { excludeTestServices: true })("the counter", (it) => {
  it.effect("offers guests whose names are similar, says so, and opens none unasked", () =>
    Effect.gen(function* () {
      yield* guest("counter-similar", "Konrad Zuckermann", "4000123400035678")
      const { faults, page } = yield* join("Sam Similar", "support", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.keyboard.type("zuckremann")
        await page.keyboard.press("Enter")
        const choice = page.getByRole("button", { name: "Konrad Zuckermann" })
        await choice.getByText("Similar name").waitFor()
        assert.strictEqual(await page.getByRole("region", { name: "Konrad Zuckermann" }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.getByRole("region", { name: "Konrad Zuckermann" }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

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
        await dialog.locator("input:focus").waitFor()
        await keys.type("50")
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

  it.effect("tells both balances from one answer, also on a page that is older, and then the new one", () =>
    Effect.gen(function* () {
      yield* guest("stale-guest", "Stan Stale", "4000123400101111")
      const { ask, open } = yield* Console
      const { faults, page } = yield* open("/counter?find=4000123400101111")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(() => page.getByRole("heading", { name: "Stan Stale" }).waitFor())
      yield* ask("POST", `/admin/api/v1/members/${program_id}/stale-guest/adjustments`, {
        ...{ adjustment_id: "stale-1", unit: "points", amount: 300, classification: "service_recovery" },
        ...{ qualifies_for_tier: false, reason: "Given elsewhere" }
      })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Give points" }).press("Enter")
        await dialog.getByLabel("Amount").fill("50")
        await dialog.getByText("The balance goes from 300 to 350.").waitFor()
        await dialog.getByLabel("Reason").fill("Waited too long")
        await page.keyboard.press("Enter")
        await page.getByText("+50 points for Stan Stale, now 350.").waitFor()
        await page.getByText("350 points", { exact: true }).waitFor()
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

  it.effect("asks a manager beyond the limit, who gives it with one tap on her telephone, or says why not", () =>
    Effect.gen(function* () {
      yield* guest("asked-for", "Ana Asked", "4000123400051111")
      const clerk = yield* join("Sara Support", "support")
      const manager = yield* join("Mona Manager", "manager", { viewport: narrow })
      const dialog = clerk.page.getByRole("dialog")
      const ask = async (amount: string, reason: string): Promise<void> => {
        await clerk.page.getByRole("button", { name: "Give points" }).press("Enter")
        await dialog.getByLabel("Amount").fill(amount)
        await dialog.getByText("at most 1,000 points at once").first().waitFor()
        await dialog.getByLabel("Reason").fill(reason)
        await dialog.getByRole("button", { name: "Ask a manager" }).click()
        await dialog.waitFor({ state: "hidden" })
      }
      const own = clerk.page.getByRole("region", { name: "Your questions" })
      const waiting = manager.page.getByRole("region", { name: "Waiting for your decision" })
      yield* Effect.promise(async () => {
        await clerk.page.keyboard.type("4000123400051111")
        await clerk.page.keyboard.press("Enter")
        await clerk.page.getByRole("heading", { name: "Ana Asked" }).waitFor()
        await ask("2000", "A party waited for an hour")
        await own.getByText("Nobody has answered yet.").waitFor()
        await waiting.getByText(/^Sara Support asks for \+2,000 points for/).waitFor()
        await waiting.getByText("The balance goes from 0 to 2,000.").waitFor()
        assert.isAtMost(await overflow(manager.page), 0)
      })
      assert.deepStrictEqual(yield* barriers(manager.page), [])
      yield* Effect.promise(async () => {
        await waiting.getByRole("button", { name: "Give it: +2,000 points for Ana Asked" }).click()
        await waiting.waitFor({ state: "detached" })
        await own.getByText("Mona Manager has given it.").waitFor()
        await clerk.page.getByText("2,000 points", { exact: true }).waitFor()
        await ask("3000", "She asks for more")
        await waiting.getByRole("button", { name: /^Decline/ }).click()
        const answer = manager.page.getByRole("dialog")
        await answer.getByLabel("What you tell the person who asked").fill("That is enough")
        await answer.getByRole("button", { name: "Decline", exact: true }).click()
        await own.getByText("Mona Manager has declined it: “That is enough”").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(clerk.page), [])
      assert.deepStrictEqual([...clerk.faults, ...manager.faults], [])
    })
  )

  it.effect("adds an order from a receipt after a look, once, and warns of another one on that day", () =>
    Effect.gen(function* () {
      yield* guest("receipt-guest", "Rita Receipt", "4000123400061111")
      const { ask, open } = yield* Console
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "harbor", name: "Old Harbor" })
      const { faults, page } = yield* open("/counter?find=4000123400061111", { viewport: narrow })
      const dialog = page.getByRole("dialog")
      const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      const fill = async (number: string): Promise<void> => {
        await page.getByRole("button", { name: "Receipt missing" }).press("Enter")
        await dialog.getByText("No code", { exact: true }).click()
        await dialog.getByLabel("Restaurant").selectOption("harbor")
        await dialog.getByLabel("Receipt number").fill(number)
        await dialog.getByLabel(/^Amount without tax and tip/).fill("30.00")
        await dialog.getByLabel(/^Ordered at/).fill(`${day}T12:00`)
        await dialog.getByLabel("Reason").fill("The till was offline")
        await dialog.getByText(/^It earns \+\d+ points/).waitFor()
      }
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Rita Receipt" }).waitFor()
        await fill("0017")
        await dialog.getByRole("button", { name: "Add a product" }).click()
        await dialog.getByLabel(/^Product/).fill("coffee")
        await dialog.getByLabel(/^Costs together/).fill("4.50")
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Add the order" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByText(/^The order is added: \+\d+ points\.$/).waitFor()
      })
      // The figures follow a moment later.
      const again = {
        ...{ location_id: "harbor", number: "0019", business_date: day, placed_at: `${day}T12:00:00Z` },
        ...{ amount: { amount: 3_000, currency: "USD" }, reason: "looked at", dry_run: true }
      }
      yield* Effect.repeat(ask("POST", `/admin/api/v1/members/${program_id}/receipt-guest/receipts`, again), {
        until: (answer) => (answer as { readonly others: ReadonlyArray<object> }).others.length > 0
      })
      yield* Effect.promise(async () => {
        await fill("0018")
        await dialog.getByText(/The guest has another order there on this day.*receipt:harbor:.*:0017/).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps the keys of a scanner that did not wait for the page, and finds by name, telephone and card", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", {
        ...{ program_id, member_id: "early-guest", display_name: "Ella Early", phone: "+493012387654" }
      })
      yield* ask("POST", `/admin/api/v1/members/${program_id}/early-guest/identities`, {
        add: [{ type: "loyalty_id", value: "card-early-003" }]
      })
      const { faults, page } = yield* open("/account")
      const field = page.getByLabel("Guest", { exact: true })
      yield* Effect.promise(async () => {
        let goOn = (): void => undefined
        const typed = new Promise<void>((resolve) => {
          goOn = resolve
        })
        await keepRouting(page)
        // The page waits for its file while the scanner types.
        await page.route("**/assets/Counter-*.js", async (route) => {
          await typed
          await route.continue()
        })
        await page.goto(page.url().replace("/account", "/counter"))
        await page.getByRole("navigation").first().waitFor()
        await page.keyboard.type("card")
        goOn()
        await field.waitFor()
        await page.keyboard.type("-early-003")
        assert.strictEqual(await field.inputValue(), "card-early-003")
        await page.keyboard.press("Enter")
        const shown = page.getByRole("heading", { name: "Ella Early" })
        await shown.waitFor()
        for (const search of ["ella", "87654", "card-early-003"]) {
          await field.fill("nobody at all")
          await field.press("Enter")
          await page.getByText("No guest is found by this.").waitFor()
          await field.fill(search)
          await field.press("Enter")
          await shown.waitFor()
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "tells beforehand that no reward is left, and asks a manager for it and for a receipt above the limit",
    () =>
      Effect.gen(function* () {
        yield* guest("beyond-guest", "Bea Beyond", "4000123400071111")
        const { ask } = yield* Console
        yield* ask("PUT", "/admin/api/v1/locations", { location_id: "harbor", name: "Old Harbor" })
        const clerk = yield* join("Saul Support", "support")
        yield* ask("POST", `${staff}/${clerk.userId}/limits`, { rewards_per_day: 0, reason: "tested" })
        const dialog = clerk.page.getByRole("dialog")
        const own = clerk.page.getByRole("region", { name: "Your questions" })
        const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
        yield* Effect.promise(async () => {
          await clerk.page.reload()
          await clerk.page.keyboard.type("4000123400071111")
          await clerk.page.keyboard.press("Enter")
          await clerk.page.getByRole("heading", { name: "Bea Beyond" }).waitFor()
          await clerk.page.getByRole("button", { name: "Issue a reward" }).press("Enter")
          await dialog.getByText("You may not give this.").waitFor()
          assert.strictEqual(await dialog.getByText("immediately").count(), 0)
          await dialog.getByLabel("Reason").fill("Cold soup")
          await dialog.getByRole("button", { name: "Ask a manager" }).click()
          await own.getByText("Nobody has answered yet.").waitFor()
          await clerk.page.getByRole("button", { name: "Receipt missing" }).press("Enter")
          await dialog.getByText("No code", { exact: true }).click()
          await dialog.getByLabel("Restaurant").selectOption("harbor")
          await dialog.getByLabel("Receipt number").fill("0071")
          await dialog.getByLabel(/^Amount without tax and tip/).fill("900.00")
          await dialog.getByLabel(/^Ordered at/).fill(`${day}T12:00`)
          await dialog.getByLabel("Reason").fill("The till was offline")
          // Nothing was pressed yet: nothing is told to have failed.
          await dialog.getByText(/^You may give or take at most 1,000 points at once/).waitFor()
          assert.strictEqual(await dialog.getByText(/Nothing was/).count(), 0)
          await dialog.getByRole("button", { name: "Ask a manager" }).click()
          await own.getByText(/the order of receipt 0071 \(.*900/).waitFor()
        })
        assert.deepStrictEqual(clerk.faults, [])
      })
  )

  it.effect("tells once that a receipt is another guest's, and who added one that is there", () =>
    Effect.gen(function* () {
      for (const [id, name, card] of [
        ["repeat-one", "Rea Repeat", "4000123400081111"],
        ["repeat-two", "Rob Repeat", "4000123400082222"]
      ] as const)
        yield* guest(id, name, card)
      const { ask, open } = yield* Console
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "harbor", name: "Old Harbor" })
      const { faults, page } = yield* open("/counter?find=4000123400081111")
      const dialog = page.getByRole("dialog")
      const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      const fill = async (): Promise<void> => {
        await page.getByRole("button", { name: "Receipt missing" }).press("Enter")
        await dialog.getByText("No code", { exact: true }).click()
        await dialog.getByLabel("Restaurant").selectOption("harbor")
        await dialog.getByLabel("Receipt number").fill("0081")
        await dialog.getByLabel(/^Amount without tax and tip/).fill("30.00")
        await dialog.getByLabel(/^Ordered at/).fill(`${day}T12:00`)
        await dialog.getByLabel("Reason").fill("The till was offline")
      }
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Rea Repeat" }).waitFor()
        await fill()
        await dialog.getByRole("button", { name: "Add the order" }).click()
        await dialog.waitFor({ state: "hidden" })
        await fill()
        await dialog
          .getByText(/^This receipt was added already, on .* by root\. Nothing is added a second time\.$/)
          .waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Add the order" }).isDisabled())
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await page.getByLabel("Guest", { exact: true }).fill("4000123400082222")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Rob Repeat" }).waitFor()
        await fill()
        // Sent before the look is there, and after.
        await page.keyboard.press("Enter")
        await dialog.getByText(/This receipt was added before, for another guest/).waitFor()
        await page.waitForLoadState("networkidle")
        assert.strictEqual(await dialog.getByText(/This receipt was added before, for another guest/).count(), 1)
        assert.strictEqual(await dialog.getByText(/what you entered is taken|accrued before/).count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
})
