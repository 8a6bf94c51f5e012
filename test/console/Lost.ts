/** The console without the service, with files that do not come, and with late answers. In a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { sessionPath } from "../../src/contract/admin/Sessions.ts"
import type { It } from "./Console.ts"
import { barriers, Console, keepRouting, narrow, overflow, rootKey } from "./Console.ts"

const lost = (page: Page) => page.getByText("The service does not answer. What is shown may be out of date")

/** A tab that is loaded anew has no such mark. */
const markTab = (page: Page) => page.evaluate("{ window.isSameTab = true }")
const isSameTab = (page: Page) => page.evaluate<boolean>("window.isSameTab === true")

export const withoutService = (it: It): void => {
  it.effect("loads the file of a page again in its place, and never the tab", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members?search=member-001", { key: null })
      yield* Effect.promise(async () => {
        await keepRouting(page)
        await page.route(/assets\/(Audit|LoadedDialog)-.*\.js$/, (route) => route.abort())
        await page.context().request.post(new URL(sessionPath, page.url()).href, { data: { key: rootKey } })
        await page.reload()
        await page.getByRole("link", { name: "member-001" }).waitFor()
        await markTab(page)
        await page.getByRole("link", { name: "Audit", exact: true }).click()
        const alert = page.getByRole("alert")
        await alert.getByText("Cannot reach the service. Check your connection and try again.").waitFor()
        await alert.getByRole("button", { name: "Try again" }).click()
        await alert.waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.unroute(/assets\/(Audit|LoadedDialog)-.*\.js$/)
        await page.getByRole("alert").getByRole("button", { name: "Try again" }).click()
        await page.getByRole("heading", { name: "Audit" }).waitFor()
        assert.isTrue(await isSameTab(page))
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("has the files of all pages soon after the first, so that none is missing in an outage", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members?search=member-001", { fetchesAhead: true })
      yield* Effect.promise(async () => {
        await markTab(page)
        await page.evaluate(`new Promise((resolve) => {
          const isThere = () => performance.getEntriesByName("files there").length > 0 && resolve()
          new PerformanceObserver(isThere).observe({ type: "mark", buffered: true })
        })`)
        await page.context().setOffline(true)
        await lost(page).waitFor()
        for (const name of ["Audit", "Developers", "People", "Today", "Members"]) {
          await page.getByRole("link", { name, exact: true }).click()
          await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor()
        }
        assert.isTrue(await isSameTab(page))
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "tells on every page that the service does not answer, fails changes at once, and reads again after it",
    () =>
      Effect.gen(function* () {
        const { page } = yield* (yield* Console).open("/members/demo-foodservice/member-002", {
          viewport: narrow,
          fetchesAhead: true
        })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Edit the profile" }).click()
          const form = page.getByRole("dialog", { name: "Edit the profile" })
          await form.getByLabel("Name", { exact: true }).fill("Ben Offline")
          await page.context().setOffline(true)
          await lost(page).waitFor()
          await form.getByRole("button", { name: "Save" }).click()
          await form.getByText("Cannot reach the service.").waitFor()
          assert.strictEqual(await form.getByLabel("Name", { exact: true }).inputValue(), "Ben Offline")
          await page.context().setOffline(false)
          await lost(page).waitFor({ state: "hidden" })
          await form.getByRole("button", { name: "Cancel" }).click()
          // Without a word of the browser: the service alone is gone.
          await page.goto(new URL("audit", page.url().replace(/members.*/, "")).href)
          await page.getByRole("table").waitFor()
          await keepRouting(page)
          await page.route("**/health", (route) => route.abort())
          await lost(page).waitFor()
          assert.isAtMost(await overflow(page), 0)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          const read = page.waitForResponse(/api\/v1\/audit/)
          await page.unroute("**/health")
          await lost(page).waitFor({ state: "hidden" })
          await read
        })
      })
  )

  it.effect("dims rows that are no answer to the present filters, and says that it is looking", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members?search=member-001")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "member-001" }).waitFor()
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        await page.route("**/admin/api/v1/members?*", async (route) => {
          await held
          await route.continue()
        })
        await page.getByLabel("Search").fill("member-004")
        await page.getByText("Looking…").waitFor()
        const opacity = "Number(getComputedStyle(document.querySelector('[aria-busy=true] > *')).opacity)"
        assert.isBelow(await page.evaluate<number>(opacity), 0.6)
        release()
        await page.getByText("Looking…").waitFor({ state: "hidden" })
        await page.getByRole("link", { name: "member-001" }).waitFor({ state: "hidden" })
        assert.strictEqual(await page.locator("[aria-busy=true]").count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("goes on with the session of another tab, and says why the first change was refused", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members/demo-foodservice/member-002")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Edit the profile" }).click()
        const form = page.getByRole("dialog", { name: "Edit the profile" })
        await form.getByLabel("Name", { exact: true }).fill("Ben Two Tabs")
        await page.context().request.post(new URL(sessionPath, page.url()).href, { data: { key: rootKey } })
        // The page reads the session anew, which the next change needs, before it tells of the refusal.
        const held = Promise.withResolvers<void>()
        await page.route(`**${sessionPath}`, async (route) => {
          await held.promise
          await route.continue()
        })
        const asked = page.waitForRequest((request) => request.url().endsWith(sessionPath))
        await form.getByRole("button", { name: "Save" }).click()
        await asked
        assert.strictEqual(await form.getByText("You have signed in again elsewhere").count(), 0)
        held.resolve()
        await form.getByText("You have signed in again elsewhere").waitFor()
        assert.strictEqual(await form.getByLabel("Name", { exact: true }).inputValue(), "Ben Two Tabs")
        await form.getByRole("button", { name: "Save" }).click()
        await form.waitFor({ state: "hidden" })
        await page.getByText("Ben Two Tabs").first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
