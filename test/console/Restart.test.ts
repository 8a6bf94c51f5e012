/** The console under which the service is stopped and started again, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Console, layer as consoleLayer, typeName } from "./Console.ts"

/** Text where an answer is lacking. */
const failed = (page: Page) => page.getByText("This could not be loaded")

const lost = (page: Page) => page.getByText("The service does not answer. What is shown may be out of date")

layer(consoleLayer, { excludeTestServices: true })("while the service is started again, the console", (it) => {
  it.effect("reads by itself what it could not, and publishes nothing before its preview is there", () =>
    Effect.gen(function* () {
      const { open, start, stop } = yield* Console
      const opened: Array<Page> = []
      for (const at of [
        "/",
        "/members/demo-foodservice/member-002",
        "/audience/campaigns/dollar-off-for-subscribers",
        "/audience/imports",
        "/programme"
      ])
        opened.push((yield* open(at, { fetchesAhead: true })).page)
      const programme = opened.at(-1)
      assert.isDefined(programme)
      yield* Effect.promise(async () => {
        for (const page of opened) {
          await page.getByRole("heading", { level: 1 }).waitFor()
          // Files that have come are no part of the test.
          await page.evaluate(`new Promise((resolve) => {
            const isThere = () => performance.getEntriesByName("files there").length > 0 && resolve()
            new PerformanceObserver(isThere).observe({ type: "mark", buffered: true })
          })`)
        }
        await typeName(programme, "Started again")
        await programme.getByRole("button", { name: "Publish" }).waitFor()
      })
      yield* stop
      yield* Effect.promise(async () => {
        for (const page of opened) await lost(page).waitFor()
        await programme.getByRole("button", { name: "Publish" }).click()
        const dialog = programme.getByRole("dialog")
        await failed(programme).first().waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Publish" }).isDisabled())
      })
      yield* start
      yield* Effect.promise(async () => {
        await programme.getByRole("dialog").getByRole("heading", { name: "Members" }).waitFor()
        await programme.locator('[role="dialog"] button[type="submit"]:enabled', { hasText: "Publish" }).waitFor()
        for (const page of opened) {
          await lost(page).waitFor({ state: "hidden" })
          await failed(page).first().waitFor({ state: "hidden" })
        }
      })
    })
  )
})
