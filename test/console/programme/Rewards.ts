/** Rewards as cards, and the short dialog for one, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Reward } from "../../../src/contract/protocol/Program.ts"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow, programKept } from "../Console.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

interface Shown {
  readonly version: number
  readonly program: { readonly rewards: ReadonlyArray<Reward> }
}

const usd = (amount: number) => ({ amount, currency: "USD" })
const place = { brand_id: "corner-bowl", merchant_id: "corner-bowl", location_id: "corner-bowl" }
const order = {
  order_id: "gyoza",
  scope: { program_id: "demo-foodservice", ...place },
  channel: "counter",
  status: "open",
  business_date: "2026-11-27",
  placed_at: "2026-11-27T12:00:00Z",
  lines: [
    {
      line_id: "1",
      kind: "item",
      product_id: "gyoza",
      category_ids: [],
      quantity: 1,
      unit_price: usd(900),
      subtotal: usd(900),
      discount: usd(0),
      tax: usd(0)
    }
  ],
  totals: {
    subtotal: usd(900),
    discount: usd(0),
    tax: usd(0),
    tip: usd(0),
    service_charge: usd(0),
    total: usd(900)
  },
  tenders: []
}

export const rewards = (it: It): void => {
  it.effect("takes rewards from a short dialog, by keys alone, and publishes them with ids of their own", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const before = (yield* programKept) as Shown
      const { faults, page } = yield* open("/programme?section=rewards")
      yield* Effect.promise(async () => {
        for (const cost of ["300", "400"]) {
          await page.getByRole("button", { name: "Add a reward" }).focus()
          await page.keyboard.press("Enter")
          const dialog = page.getByRole("dialog", { name: "Add a reward" })
          await dialog.getByLabel("Name").waitFor()
          await page.waitForFunction("document.activeElement?.tagName === 'INPUT'")
          await page.keyboard.type("Gyōza to share")
          await page.keyboard.press("Tab")
          await page.keyboard.type(cost)
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          await page.keyboard.type("2.50")
          await page.keyboard.press("Enter")
          await dialog.waitFor({ state: "detached" })
        }
        const cards = page.getByRole("article", { name: "Gyōza to share" })
        await cards.nth(1).getByText("400 points").waitFor()
        await cards.nth(1).getByText("US$2.50 off the order").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish", exact: true }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await page.getByText(`Version ${before.version + 1}, published`).waitFor()
      })
      const after = (yield* ask("GET", address)) as Shown
      const offered = (yield* ask("POST", "/admin/api/v1/programs/evaluate", { program: after.program, order })) as {
        readonly rewards: ReadonlyArray<{ readonly reward_id: string }>
      }
      assert.includeMembers(
        offered.rewards.map(({ reward_id }) => reward_id),
        ["gyoza-to-share", "gyoza-to-share-2"]
      )
      const made = after.program.rewards.slice(before.program.rewards.length)
      const amount = { amount: 250, currency: "USD" }
      assert.deepStrictEqual(
        made,
        [
          ["gyoza-to-share", 300],
          ["gyoza-to-share-2", 400]
        ].map(([reward_id, cost]) => ({
          reward_id: String(reward_id),
          name: "Gyōza to share",
          cost: { unit: "points" as const, amount: Number(cost) },
          effect: { type: "discount" as const, target: "order" as const, amount, allocations: [{ amount }] },
          funding: [{ party_id: "corner-bowl", party_type: "brand" as const, share_bps: 10_000 }]
        }))
      )
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "edits a reward without losing what is not shown, and puts a removed one back, on a narrow dark screen",
    () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open("/programme?section=rewards", {
          viewport: narrow,
          colorScheme: "dark"
        })
        yield* Effect.promise(async () => {
          const summer = page.getByRole("article", { name: "Summer special" })
          await summer.getByText("From 31 May 2026, 20:00, until 31 Aug 2026, 19:59 (America/New_York)").waitFor()
          await page.getByRole("article", { name: "Free bowl" }).getByText("worth up to US$12.00").waitFor()
          assert.isAtMost(await overflow(page), 0)
          await page.getByRole("button", { name: "Edit Summer special" }).click()
          const dialog = page.getByRole("dialog", { name: "Edit Summer special" })
          await dialog.getByText("something that is not edited here").waitFor()
          await dialog.getByLabel("Cost, in points").fill("60")
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await page.getByRole("dialog").getByRole("button", { name: "Put it into the draft" }).click()
          await page.getByText(": was 50, is 60").first().waitFor()
          // Nothing else of it has changed.
          await page
            .getByRole("status")
            .filter({ hasText: /^1 change$/ })
            .waitFor()
          await page.getByRole("button", { name: "Remove Summer special" }).click()
          await page.getByText("Summer special is removed.").waitFor()
          await page.getByRole("button", { name: "Put it back" }).click()
          await page.getByRole("article", { name: "Summer special" }).getByText("60 points").waitFor()
        })
        assert.deepStrictEqual(faults, [])
      })
  )
}
