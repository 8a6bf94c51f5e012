/** The request log in a real browser (contract/operators.md *Request log*). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

export const requests = (it: It): void => {
  it.effect("finds what a till was answered, by its id, and what the code means", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      yield* Effect.promise(() =>
        fetch(`${url}/proto/v1/accounts/get`, {
          method: "POST",
          headers: {
            authorization: "Bearer proto-dev-token",
            "x-request-id": "till-7-lost-card",
            "content-type": "application/json"
          },
          body: "{}"
        })
      )
      const { faults, page } = yield* open("/developers")
      const list = page.getByRole("table", { name: "Request log" })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "request log" }).click()
        await list.getByRole("row").nth(1).waitFor()
        await page.getByLabel("Answers").selectOption("Refused (4xx)")
        await page.getByLabel("Request id").fill("till-7-lost-card")
        await page.getByRole("button", { name: "Filter" }).click()
        const row = list.getByRole("row", { name: "till-7-lost-card" })
        await row.getByText("at /context", { exact: true }).waitFor()
        await row.getByText("POST /proto/v1/accounts/get").waitFor()
        await row.getByText("sandbox").waitFor()
        // The rows of before stay until the new ones are there.
        await list.getByRole("row").nth(2).waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // The filters are in the address.
        await page.reload()
        await list.getByRole("row", { name: "till-7-lost-card" }).waitFor()
        assert.strictEqual(await page.getByLabel("Request id").inputValue(), "till-7-lost-card")
        await page.getByLabel("Request id").fill("nothing-has-this")
        await page.getByRole("button", { name: "Filter" }).click()
        await page.getByText("No requests match the filters").waitFor()
        await page.getByRole("link", { name: "Clear filters" }).click()
        await list.getByRole("row", { name: "till-7-lost-card" }).waitFor()
        // The page's own requests are not shown, until somebody asks for them.
        const own = list.getByRole("row", { name: /GET \/admin\/api\/v1\/tokens/ })
        assert.strictEqual(await own.count(), 0)
        await page.getByLabel("Without the console's own requests").uncheck()
        await page.waitForURL(/console=shown/)
        await own.first().waitFor()
        await page.getByLabel("Without the console's own requests").check()
        await own.first().waitFor({ state: "hidden" })
        await page.getByLabel("Caller").fill("SANDB")
        await page.getByRole("button", { name: "Look again" }).click()
        await page.waitForURL(/caller=SANDB/)
        await list.getByRole("row", { name: "till-7-lost-card" }).waitFor()
        await page.setViewportSize(narrow)
      })
      yield* Effect.promise(async () => {
        await fits(page)
        await page
          .getByRole("link", { name: /^What this code means/ })
          .first()
          .click()
        await page.waitForURL(/\/problems\//)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
