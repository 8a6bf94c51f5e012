/** contract/guests.md *Sessions*: the page's requests carry the session's cookie. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { cookieOf } from "../../src/capabilities/guests/GuestCookie.ts"
import { apiOf } from "../../src/guest/api.ts"

it.effect("the page asks below the path of the cookie, also where an id has a colon", () =>
  Effect.gen(function* () {
    for (const id of ["bowl", "acme:gold", "a.b_c-d"]) {
      const asked: Array<string> = []
      const before = globalThis.fetch
      globalThis.fetch = (url) => {
        asked.push(String(url))
        return Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } }))
      }
      yield* Effect.ensuring(
        Effect.promise(() => apiOf(id).get("/session")),
        Effect.sync(() => (globalThis.fetch = before))
      )
      const path = /Path=([^;]+)/.exec(cookieOf("points.example.com", id, "session"))?.[1]
      assert.deepStrictEqual(asked, [`${path}/session`])
      // As a browser spells it.
      assert.strictEqual(new URL(asked[0]!, "https://points.example.com").pathname, `${path}/session`)
    }
  })
)
