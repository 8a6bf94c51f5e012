/** Signing in to the console at the company's provider, in a real browser (contract/people.md *OpenID Connect*). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { environmentName } from "../../../src/contract/protocol/Protocol.ts"
import * as OidcServer from "../../capabilities/staff/OidcServer.ts"
import { barriers, Console, layerWith } from "../Console.ts"

class Oidc extends Context.Service<Oidc, OidcServer.OidcServer>()("test/Oidc") {}

/** The console of a service with a provider. */
const withProvider = Layer.unwrap(
  Effect.map(Oidc, ({ issuer }) =>
    layerWith({
      [environmentName("OIDC_ISSUER")]: issuer,
      [environmentName("OIDC_CLIENT_ID")]: OidcServer.clientId,
      [environmentName("OIDC_CLIENT_SECRET")]: OidcServer.clientSecret,
      [environmentName("OIDC_ROLE_MAP")]: JSON.stringify({ admins: "owner", desk: "support" })
    })
  )
).pipe(Layer.provideMerge(Layer.effect(Oidc, OidcServer.make)))

layer(withProvider, { excludeTestServices: true })("people of the company's provider at the console", (it) => {
  it.effect("sign in there, work as their role allows, and are told where they have none", () =>
    Effect.gen(function* () {
      const oidc = yield* Oidc
      const { open, url } = yield* Console
      oidc.start(`${url}/console/signed-in`)
      oidc.people.set("sam", { email: "sam@example.com", name: "Sam Support", role: "desk" })
      oidc.people.set("eve", { email: "eve@example.com", name: "Eve" })
      const { faults, page } = yield* open("/", { key: null })
      oidc.visitor = "sam"
      const late = Promise.withResolvers<void>()
      yield* Effect.promise(async () => {
        const signIn = page.getByRole("button", { name: "Sign in with your company's account" })
        await signIn.waitFor()
        // Reads of the page before it was signed in come last.
        await page.route("**/admin/api/v1/session", async (route) => {
          const response = await route.fetch()
          if (response.status() === 401) await late.promise
          await route.fulfill({ response })
        })
        await signIn.click()
      })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Sam Support" }).waitFor()
        late.resolve()
        await page.waitForLoadState("networkidle")
        await page.getByRole("link", { name: "Sam Support" }).waitFor()
        // Neither the address bar nor the history keeps the answer. Support begins at the counter.
        assert.match(page.url(), /\/console\/counter$/)
        assert.strictEqual(await page.getByRole("link", { name: "Developers" }).count(), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
      const other = yield* open("/", { key: null })
      oidc.visitor = "eve"
      yield* Effect.promise(async () => {
        await other.page.getByRole("button", { name: "Sign in with your company's account" }).click()
        await other.page.getByText("gives you no role here").waitFor()
        await other.page.getByRole("link", { name: "To the sign-in" }).click()
        await other.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor()
      })
    })
  )
})
