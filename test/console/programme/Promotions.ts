/** Promotions as cards, and the short dialog for one, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Promotion } from "../../../src/contract/Promotions.ts"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, openGeneral, programKept } from "../Console.ts"

const program_id = "demo-foodservice"
const address = `/admin/api/v1/programs/${program_id}`

interface Shown {
  readonly version: number
  readonly program: { readonly promotions: ReadonlyArray<Promotion> }
}

interface Answer {
  readonly entry: { readonly amount: number }
  readonly reservation: { readonly reservation_id: string; readonly status: string }
}

export const publish = async (page: Page, version: number): Promise<void> => {
  await page.getByRole("button", { name: "Publish", exact: true }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
  await page.getByText(`Version ${version}, published`).waitFor()
}

export const save = async (page: Page): Promise<void> => {
  await page.getByRole("dialog").getByRole("button", { name: "Put it into the draft" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
}

/** A guest of the name pays 12.50 now. */
const pays = (member_id: string) => {
  const now = new Date().toISOString()
  return asSystem("POST", "/proto/v1/accruals", {
    context: { ...Testing.context(`pays-${member_id}`), occurred_at: now },
    member_id,
    order: Testing.order(`paid-${member_id}`, 1250, { placed_at: now, business_date: now.slice(0, 10) })
  }) as unknown as Effect.Effect<Answer, never, Console>
}

export const promotions = (it: It): void => {
  it.effect("counts the same last 30 days as Today", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const begins: Array<string | null> = []
      for (const [at, asked] of [
        ["/programme?section=promotions", /\/programs\/[^/]+\/promotions\?/],
        ["/today/figures", /\/platform\/v1\/analytics\?.*bucket=/]
      ] as const) {
        const { faults, page } = yield* open("/people")
        const question = page.waitForRequest(asked)
        yield* Effect.promise(async () => {
          await page.goto(page.url().replace("/people", at))
          begins.push(new URL((await question).url()).searchParams.get("from"))
        })
        assert.deepStrictEqual(faults, [])
      }
      assert.isString(begins[0])
      assert.strictEqual(begins[0], begins[1])
    })
  )

  it.effect("makes a promotion and a reward by dialogs alone: an order really earns by one and redeems the other", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const before = (yield* programKept) as Shown
      for (const member_id of ["before-cards", "by-cards"])
        yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id })
      const { entry: usual } = yield* pays("before-cards")
      assert.strictEqual(usual.amount, 125)
      const { faults, page } = yield* open("/programme?section=promotions")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add a promotion" }).click()
        const dialog = page.getByRole("dialog", { name: "Add a promotion" })
        await dialog.getByLabel("Name").fill("Double bowls")
        await dialog.getByRole("combobox", { name: "Of these products" }).fill("bowl-classic")
        await dialog.getByRole("combobox", { name: "Of these products" }).press("Enter")
        await save(page)
        const card = page.getByRole("article", { name: "Double bowls" })
        await card.getByText("2 times the points").waitFor()
        await card.getByText("For Classic bowl").waitFor()
        await card.getByText("At any time").waitFor()
        await card.getByText("Not published yet").waitFor()
        await page.getByText("It is in the draft. Publish the draft to let it take effect.").waitFor()
        await page.getByRole("tab", { name: "Rewards" }).click()
        await page.getByRole("button", { name: "Add a reward" }).click()
        const reward = page.getByRole("dialog", { name: "Add a reward" })
        await reward.getByLabel("Name").fill("Miso of the house")
        await reward.getByLabel("Cost, in points").fill("200")
        await reward.getByLabel("Amount off (USD)").fill("3")
        await save(page)
        await publish(page, before.version + 1)
      })
      const { entry } = yield* pays("by-cards")
      assert.strictEqual(entry.amount, 250)
      const now = new Date().toISOString()
      const context = (key: string) => ({ ...Testing.context(`by-cards-${key}`), occurred_at: now })
      const order = Testing.order("redeems-by-cards", 1250, {
        status: "open",
        placed_at: now,
        business_date: now.slice(0, 10)
      })
      const { reservation } = (yield* asSystem("POST", "/proto/v1/redemptions/reserve", {
        context: context("reserve"),
        redemption_id: "by-cards",
        member_id: "by-cards",
        reward_id: "miso-of-the-house",
        order
      })) as unknown as Answer
      const captured = (yield* asSystem("POST", "/proto/v1/redemptions/capture", {
        context: context("capture"),
        reservation_id: reservation.reservation_id,
        order_id: order.order_id
      })) as unknown as Answer
      assert.strictEqual(captured.reservation.status, "captured")
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("changes points for each item of all, which only a file can say, and tells them so", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { program, version } = (yield* programKept) as Shown
      const every: Promotion = { promotion_id: "every-item", name: "Every item", effect: { add_per_item: 4 } }
      const promotions = [...program.promotions, every]
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, promotions } })
      const { faults, page } = yield* open("/programme?section=promotions", { viewport: narrow })
      const card = page.getByRole("article", { name: "Every item" })
      yield* Effect.promise(async () => {
        await card.getByText("4 points an item, of all items that count", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Edit Every item" }).click()
        const dialog = page.getByRole("dialog", { name: "Edit Every item" })
        await dialog.getByLabel(/^Points for each/).fill("6")
        assert.strictEqual(await dialog.getByText("Say which products or categories.").count(), 0)
        await save(page)
        await card.getByText("6 points an item, of all items that count", { exact: true }).waitFor()
        await publish(page, version + 2)
      })
      const { program: after } = (yield* ask("GET", address)) as Shown
      const { name } = every
      assert.deepStrictEqual(
        after.promotions.filter((one) => one.name === name),
        [{ ...every, effect: { add_per_item: 6 } }]
      )
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "takes days, hours, dates, spend, guests, restaurants and how often, and tells them in words on the card",
    () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        const before = (yield* programKept) as Shown
        yield* ask("PUT", "/admin/api/v1/locations", { location_id: "quay-4", name: "The Quay" })
        const { faults, page } = yield* open("/programme?section=promotions", { viewport: narrow, colorScheme: "dark" })
        const dialog = page.getByRole("dialog", { name: "Add a promotion" })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Add a promotion" }).click()
          await dialog.getByLabel("Name").fill("Quiet evenings")
          await dialog.getByLabel("What the guest gets").selectOption("Points for each of some products")
          await dialog.getByLabel(/^Points for each/).fill("15")
          await dialog.getByText("Say which products or categories.").waitFor()
          assert.isTrue(await dialog.getByRole("button", { name: "Put it into the draft" }).isDisabled())
          await dialog.getByRole("combobox", { name: "Of these categories" }).fill("bowls")
          await dialog.getByRole("combobox", { name: "Of these categories" }).press("Enter")
          for (const day of ["Mon", "Tue", "Wed"]) await dialog.getByText(day, { exact: true }).click()
          await dialog.getByLabel("From, time of day").fill("17:00")
          await dialog.getByLabel("Until, time of day").fill("17:00")
          await dialog.getByText("It must end at another time than it begins.").waitFor()
          await dialog.getByLabel("Until, time of day").fill("00:00")
          await dialog.getByText(/^More: dates, spend/).click()
          await dialog.getByLabel("First day, optional").fill("2031-02-03")
          await dialog.getByLabel("Last day, optional").fill("2031-02-02")
          await dialog.getByText("The last day must not be before the first.").waitFor()
          await dialog.getByLabel("Last day, optional").fill("2031-02-28")
          await dialog.getByLabel("From this spend (USD), optional").fill("20")
          await dialog.getByLabel("How often a guest gets it").selectOption("Limited in a week, from Monday")
          await dialog.getByText("VIP", { exact: true }).click()
          await dialog.getByLabel("Only the first order of a guest").check()
          await dialog.getByLabel(/^Only guests who joined/).fill("0")
          await dialog.getByText("Write a whole number from 1.").waitFor()
          await dialog.getByLabel(/^Only guests who joined/).fill("30")
          const places = dialog.getByRole("combobox", { name: "Only at these restaurants" })
          // Neither Enter nor leaving the field loses a restaurant without a word.
          await places.fill("nowhere")
          await places.press("Enter")
          await places.press("Tab")
          await dialog.getByText("“nowhere” was not added. Choose a restaurant from the list.").waitFor()
          await places.fill("quay")
          await page.getByRole("listbox").getByRole("option", { name: "The Quay" }).waitFor()
          await places.press("Enter")
          await places.press("ArrowDown")
          await page.getByRole("listbox").waitFor()
          // This is for the list, not for the dialog.
          await places.press("Escape")
          await page.getByRole("listbox").waitFor({ state: "hidden" })
          assert.strictEqual(await page.getByText("Leave without saving?").count(), 0)
          await dialog.getByText("Mobile", { exact: true }).click()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await save(page)
          const card = page.getByRole("article", { name: "Quiet evenings" })
          for (const told of [
            "15 points an item",
            "For bowls",
            "Mon–Wed, 17:00–24:00",
            "From 3 Feb 2031",
            "Until 28 Feb 2031, which counts",
            "At The Quay",
            "Only Mobile",
            "Guests of VIP",
            "A guest's first order",
            "Guests who joined at most 30 days ago",
            "From US$20.00",
            "At most 1 order a week for each guest",
            "No order in the last 30 days"
          ])
            await card.getByText(told, { exact: true }).waitFor()
          await fits(page)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(() => publish(page, before.version + 1))
        const after = (yield* ask("GET", address)) as Shown
        assert.deepStrictEqual(after.program.promotions, [
          ...before.program.promotions,
          {
            promotion_id: "quiet-evenings",
            name: "Quiet evenings",
            effect: { add_per_item: 15 },
            when: {
              from: "2031-02-03",
              until: "2031-02-28",
              weekly: [{ days: ["mon", "tue", "wed"], from: "17:00", until: "24:00" }]
            },
            where: { location_ids: ["quay-4"], channels: ["mobile"] },
            on: { category_ids: ["bowls"] },
            who: { tier_ids: ["vip"], first_order: true, joined_within_days: 30 },
            minimum_spend: { amount: 2000, currency: "USD" },
            limits: { per_member: { count: 1, every: "week" } }
          }
        ])
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("edits, switches off, removes and puts back a promotion, and opens the forms where one has a fault", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=promotions")
      yield* Effect.promise(async () => {
        const lunch = page.getByRole("article", { name: "Drinks at lunch" })
        await lunch.getByText("Mon–Fri, 11:00–15:00").waitFor()
        await page.getByRole("button", { name: "Edit Drinks at lunch" }).click()
        const dialog = page.getByRole("dialog", { name: "Edit Drinks at lunch" })
        assert.strictEqual(await dialog.getByLabel("Times the points, such as 2").inputValue(), "3")
        await dialog.getByLabel("Times the points, such as 2").fill("2.5")
        await save(page)
        await lunch.getByText("2.5 times the points").waitFor()
        // Nothing else of it has changed.
        await page
          .getByRole("status", { includeHidden: true })
          .filter({ hasText: /^1 change$/ })
          .waitFor({ state: "attached" })
        await page.getByRole("button", { name: "Switch off Drinks at lunch" }).click()
        await lunch.getByText("Switched off").waitFor()
        await page.getByRole("button", { name: "Switch on Drinks at lunch" }).click()
        await lunch.getByText("Switched off").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Remove Drinks at lunch" }).click()
        await page.getByText("Drinks at lunch is removed.").waitFor()
        assert.strictEqual(await lunch.count(), 0)
        await page.getByRole("button", { name: "Put it back" }).click()
        await lunch.getByText("2.5 times the points").waitFor()
        const forms = page.getByRole("group", { name: "Promotions" })
        assert.isFalse(await forms.isVisible())
        await page.getByRole("button", { name: "Edit Drinks at lunch" }).click()
        // It has a description, so that what is folded away is open.
        await dialog.getByLabel("From this spend (USD), optional").fill("5")
        await save(page)
        await page.getByRole("tab", { name: "General" }).click()
        await openGeneral(page)
        await page.getByLabel("Currency").fill("EUR")
        await page.getByText("Errors").first().waitFor()
        await page.getByRole("tab", { name: "Promotions" }).click()
        await forms.getByText("must be EUR").first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
