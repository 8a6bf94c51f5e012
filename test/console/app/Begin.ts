/** Places of what has not come yet, on a slow line, and tabs on a narrow screen, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, narrow } from "../Console.ts"

/** So soon something is seen after a press, ms. On a busy machine the browser itself takes its time. */
const soonMs = 1_000

/** Notes when the places of a page are first there after a press on the link. */
const watch = `(() => {
  globalThis.shownAfter = undefined
  addEventListener("click", () => {
    const pressed = performance.now()
    const look = () => {
      if (document.querySelector(".bones") === null) requestAnimationFrame(look)
      else globalThis.shownAfter = performance.now() - pressed
    }
    look()
  }, { once: true, capture: true })
})()`

export const begins = (it: It): void => {
  it.effect("shows the frame before any of its files has come", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const { faults, page } = yield* open("/")
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
        const released = Promise.withResolvers<void>()
        let held = 0
        await page.route("**/console/assets/**", async (route) => {
          held += 1
          await released.promise
          await route.continue()
        })
        await page.goto(`${url}/console/today`, { waitUntil: "commit" })
        await page.locator("#begin > header").waitFor()
        // It is drawn, and not only there: no frame is drawn while styles in the head are waited for.
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert.isAbove(held, 0)
        assert.strictEqual((await page.locator("#begin > header").boundingBox())?.height, 56)
        released.resolve()
        await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows places for a page whose file comes over a slow line, soon after the press", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/people")
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "People" }).waitFor()
        await page.waitForLoadState("networkidle")
        const tools = await page.context().newCDPSession(page)
        // Slow 3G, as browsers' own tools have it.
        await tools.send("Network.emulateNetworkConditions", {
          offline: false,
          latency: 2_000,
          downloadThroughput: 50_000,
          uploadThroughput: 50_000
        })
        await page.evaluate(watch)
        await page.getByRole("link", { name: "Audit" }).click()
        await page.locator(".bones").first().waitFor()
        const shownAfter = await page.evaluate<number>("shownAfter")
        process.stderr.write(`places after ${Math.round(shownAfter)} ms\n`)
        assert.isBelow(shownAfter, soonMs)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(() => page.getByRole("heading", { name: "Audit" }).waitFor())
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("cuts no tab off on a narrow screen in German", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/audience/segments", { locale: "de-DE", viewport: narrow })
      const outside = () =>
        page.evaluate<ReadonlyArray<string>>(`[...document.querySelectorAll(".tabs a, [role=tab]")]
          .filter((tab) => tab.getBoundingClientRect().right > innerWidth || tab.scrollWidth > tab.clientWidth)
          .map((tab) => tab.textContent)`)
      yield* Effect.promise(async () => {
        for (const at of ["/audience/segments", "/programme", "/finance"]) {
          await page.goto(page.url().replace(/\/console.*/, `/console${at}`))
          await page.locator(".tabs a, [role=tab]").first().waitFor()
          assert.deepStrictEqual(await outside(), [], at)
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
