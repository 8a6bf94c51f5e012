/** contract/guests.md *The page itself*: what everybody may know of a programme's page. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Page from "./Page.ts"
import { asked } from "./Page.ts"

it.layer(Page.layer)("the page itself", (it) => {
  it.effect("tells name, looks, links and ways in, and nothing of the programme's rules", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* asked("GET", "/page")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        program_id: Page.program_id,
        name: "Corner Bowl Rewards",
        colour: "#1a7f5a",
        languages: ["en", "de"],
        links: [{ label: "Corner Bowl", url: "https://www.corner-bowl.example/" }],
        sign_in: { email: true, phone: false },
        time_zone: "America/New_York",
        can_join: true,
        can_claim: true,
        text_version: "1"
      })
      assert.strictEqual(headers.get("cache-control"), "public, max-age=60")
      const etag = headers.get("etag") ?? ""
      const again = yield* asked("GET", "/page", undefined, { "if-none-match": etag })
      assert.strictEqual(again.status, 304)
    })
  )

  it.effect("names the logo, at an address that changes with it, where everybody gets it", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* query(`INSERT INTO program_logos (program_id, png, width, height, sha256, changed_at)
        VALUES ('${Page.program_id}', 'png', 1, 1, '${"ab".repeat(32)}', 0)`)
      const { body } = yield* asked("GET", "/page")
      // The cache knows for half a minute that there was none.
      assert.include([undefined, `/my/${Page.program_id}/logo.png?v=abababababab`], body["logo_url"] as string)
      const logo = yield* asked("GET", "/logo.png", undefined, {}, `/my/${Page.program_id}`)
      assert.strictEqual(logo.status, 200)
      assert.strictEqual(logo.headers.get("content-type"), "image/png")
    })
  )
})

it.effect("a page without a mail server offers no form whose code nobody would mail", () =>
  Effect.gen(function* () {
    const { body } = yield* asked("GET", "/page")
    assert.deepInclude(body, { sign_in: { email: false, phone: false }, can_join: false })
  }).pipe(Effect.scoped, Effect.provide(Page.mailless))
)
