/** What holds on every page of the console, in a real browser: titles, focus, scopes, narrow screens. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Console, narrow, overflow } from "./Console.ts"
import type { It } from "./Console.ts"

const readers = ["/members", "/members/demo-foodservice/member-003", "/programme", "/developers", "/audit"]

const listed = [...readers.filter((at) => at !== "/programme"), "/audience/segments", "/audience/campaigns"]

export const frame = (it: It): void => {
  it.effect("names each page in the browser's tab, and gives its heading the focus when it is gone to", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/")
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Today" }).waitFor()
        assert.strictEqual(await page.title(), "Today – Lotbook")
        await page.getByRole("link", { name: "Members", exact: true }).press("Enter")
        await page.locator("h1:focus").getByText("Members").waitFor()
        assert.strictEqual(await page.title(), "Members – Lotbook")
        await page.getByRole("link", { name: "Audience", exact: true }).press("Enter")
        await page.locator("h1:focus").getByText("Audience").waitFor()
        assert.strictEqual(await page.title(), "Segments – Audience – Lotbook")
        await page.goBack()
        await page.locator("h1:focus").getByText("Members").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says which scope a page needs to those who may not see it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Figures alone",
        scopes: ["platform:read"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/", { key: secret })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Regulars", exact: true }).waitFor()
        for (const at of readers) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByText("This page needs the scope admin:read.").waitFor()
        }
        for (const at of ["/audience/campaigns/new", "/audience/segments/new"]) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByText("This page needs the scope platform:write.").waitFor()
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows rows as cards on a narrow screen, so that nothing scrolls sideways", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/", { viewport: narrow })
      yield* Effect.promise(async () => {
        for (const at of listed) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByRole("table").first().waitFor()
          assert.isAtMost(await overflow(page), 0, at)
          const wider = await page.evaluate<number>(
            `Math.max(...[...document.querySelectorAll(".wide")].map((one) => one.scrollWidth - one.clientWidth))`
          )
          assert.isAtMost(wider, 0, at)
          assert.isAbove(await page.getByRole("table").first().getByRole("cell").count(), 3)
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
