/** Holds contract/guests.md *Routes* as the page calls them, in a real browser, over the service itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../src/app/testing/Testing.ts"
import { asSystem } from "../console/audience/Audience.ts"
import { barriers, Console, layer as consoleLayer, narrow, overflow } from "../console/Console.ts"

const program_id = "demo-foodservice"
const member_id = "page-guest"

const now = new Date().toISOString()
const paid = (id: string, cents: number) =>
  Testing.order(id, cents, { placed_at: now, business_date: now.slice(0, 10) })

/** A guest with a card and 1,250 points, and an order that nobody has claimed. */
const prepared = Effect.gen(function* () {
  yield* asSystem("PUT", "/platform/v1/members", {
    program_id,
    member_id,
    display_name: "Ada",
    email: "ada@example.com"
  })
  const { ask } = yield* Console
  yield* ask("POST", `/admin/api/v1/members/${program_id}/${member_id}/identities`, {
    add: [{ type: "loyalty_id", value: "4929138475610283" }]
  })
  // Makes her a Regular, who earns 1.2 times as much.
  yield* asSystem("POST", "/proto/v1/accruals", {
    context: { ...Testing.context("page-accrual"), occurred_at: now },
    member_id,
    order: paid("page-order", 12_500)
  })
  const kept = (yield* asSystem("PUT", "/platform/v1/orders", {
    program_id,
    order: paid("page-kept", 900)
  })) as unknown as {
    readonly claim_code: string
  }
  const link = (yield* asSystem("POST", "/platform/v1/members/sign-in-link", { program_id, member_id })) as unknown as {
    readonly sign_in_url: string
  }
  return { code: kept.claim_code, token: link.sign_in_url.split("#link=")[1] ?? "" }
})

layer(consoleLayer, { excludeTestServices: true })("a guest at the page of the service", (it) => {
  it.effect("signs in by a link, sees, takes a reward, claims, changes the profile, and signs out", () =>
    Effect.gen(function* () {
      const { ask, open, url } = yield* Console
      const { code, token } = yield* prepared
      const { faults, page } = yield* open("/", { key: null, viewport: narrow })
      page.setDefaultTimeout(15_000)
      yield* Effect.promise(async () => {
        await page.goto(`${url}/my/${program_id}#link=${token}`)
        await page.getByRole("button", { name: "Sign in" }).first().click()
        await page.getByRole("heading", { name: "Hello, Ada" }).waitFor()
        await page.getByText("1,250 points").first().waitFor()
        await page.getByRole("button", { name: "Get it: Free bowl" }).click()
        await page.getByRole("button", { name: "Yes, get it" }).click()
        await page.getByRole("status").filter({ hasText: "Free bowl is ready to use." }).waitFor()
        await page.getByText("250 points").first().waitFor()
        await page.getByRole("button", { name: "Show at the till: Free bowl" }).click()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.goto(`${url}/my/${program_id}#claim=${code}`)
        await page.getByRole("button", { name: "Get the points" }).click()
        await page.getByRole("status").filter({ hasText: "Done: 108 points are yours." }).waitFor()
        await page.locator('nav a[href="#history"]').click()
        await page.locator(".line").first().waitFor()
        await page.getByText("Reward").first().waitFor()
        await page.getByText("+108 points").waitFor()
        await page.locator('nav a[href="#card"]').click()
        await page.getByText("4929 1384 7561 0283").waitFor()
        await page.locator('nav a[href="#account"]').click()
        await page.getByLabel("Name (optional)").fill("Ada L.")
        await page.getByLabel("News and offers by e-mail").check()
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("status").filter({ hasText: "Saved." }).waitFor()
        await page.getByText("this device").waitFor()
        await page.getByRole("button", { name: "Sign out", exact: true }).click()
        await page.getByRole("heading", { name: "Sign in" }).waitFor()
      })
      const shown = (yield* ask("GET", `/admin/api/v1/members/${program_id}/${member_id}`)) as {
        readonly profile: { readonly display_name: string }
      }
      assert.strictEqual(shown.profile.display_name, "Ada L.")
      assert.deepStrictEqual(faults, [])
    })
  )
})
