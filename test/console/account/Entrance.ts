/** The console's entrance and its page Today, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { It } from "../Console.ts"
import { barriers, Console, comeBack, keyed, narrow, overflow, rootKey, typeKey } from "../Console.ts"

export const entrance = (it: It): void => {
  it.effect("asks for a key, says that it is wrong, and keeps what was typed", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/", { key: null })
      yield* Effect.promise(async () => {
        const byPasskey = page.getByRole("button", { name: "Sign in with a passkey" })
        await byPasskey.waitFor()
        // Nobody has a passkey yet: the key comes first.
        const [key, passkey] = [
          await page.getByLabel("Key or token").first().boundingBox(),
          await byPasskey.boundingBox()
        ]
        assert.isBelow(key?.y ?? Number.POSITIVE_INFINITY, passkey?.y ?? 0)
        await typeKey(page, "wrong-key")
        await page.getByRole("button", { name: "Sign in", exact: true }).click()
        await page.getByRole("alert").waitFor()
        assert.strictEqual(await page.getByLabel("Key or token").first().inputValue(), "wrong-key")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await typeKey(page, rootKey)
        await page.keyboard.press("Enter")
        await page.locator("h1:focus", { hasText: "Today" }).waitFor()
        // The session is a cookie: a reloaded page is still signed in.
        await page.reload()
        await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByText(keyed).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows the figures of today", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/")
      yield* Effect.promise(async () => {
        await page.waitForURL(/\/console\/today/)
        await page.getByText("Today so far").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Freeze writes" }).count(), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("fits a narrow screen in dark colours", () =>
    Effect.gen(function* () {
      const { page } = yield* (yield* Console).open("/", { viewport: narrow, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.getByText("Today so far").waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("link", { name: "Members" }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
    })
  )

  it.effect("asks for the key again when the session ends in the middle, and goes on where one was", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { page } = yield* open("/")
      yield* Effect.promise(async () => {
        await page.getByText("Today so far").waitFor()
        await page.context().clearCookies()
        await page.getByText("Your session has ended").waitFor()
        await typeKey(page, rootKey)
        await page.getByRole("button", { name: "Sign in", exact: true }).click()
        await page.getByText("Your session has ended").waitFor({ state: "hidden" })
        await page.getByText("Today so far").waitFor()
      })
    })
  )

  it.effect("does not ask for the key again when the end of the session before is told after the sign-in", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { page } = yield* open("/today/figures")
      yield* Effect.promise(async () => {
        const points = page.getByRole("region", { name: /^Points by/ }).locator("dl dd")
        await points.first().waitFor()
        const signedIn = Promise.withResolvers<void>()
        const late = Promise.withResolvers<string>()
        await page.route(/\/analytics/, async (route) => {
          const answer = await route.fetch()
          if (answer.status() === 401) {
            late.resolve(route.request().url())
            await signedIn.promise
          }
          await route.fulfill({ response: answer })
        })
        await page.context().clearCookies()
        await comeBack(page)
        const url = await late.promise
        await page.getByText("Your session has ended").waitFor()
        await typeKey(page, rootKey)
        await page.getByRole("button", { name: "Sign in", exact: true }).click()
        await page.getByText("Your session has ended").waitFor({ state: "hidden" })
        // A read of the figures up to a later minute has another address.
        const refused = page.waitForResponse((answer) => answer.url() === url && answer.status() === 401)
        const again = page.waitForResponse((answer) => answer.url().includes("/analytics") && answer.ok())
        signedIn.resolve()
        await refused
        await again
        await points.first().waitFor()
        assert.isFalse(await page.getByText("Your session has ended").isVisible())
      })
    })
  )

  it.effect("is served with scripts of its own alone, and files that are kept for ever", () =>
    Effect.gen(function* () {
      const { url } = yield* Console
      const page = yield* Effect.promise(() => fetch(`${url}/console/members?program=x`))
      const policy = page.headers.get("content-security-policy") ?? ""
      assert.match(policy, /script-src 'self';/)
      assert.strictEqual(page.headers.get("cache-control"), "no-cache")
      const [file = ""] = /\/console\/assets\/[\w.-]+\.js/.exec(yield* Effect.promise(() => page.text())) ?? []
      const script = yield* Effect.promise(() => fetch(`${url}${file}`, { headers: { "accept-encoding": "br" } }))
      assert.strictEqual(script.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.strictEqual(script.headers.get("content-encoding"), "br")
      assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/console/assets/none.js`))).status, 404)
    })
  )
}
