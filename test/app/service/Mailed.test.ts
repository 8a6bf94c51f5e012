/** The whole service sends mail, and what it reports of it (contract/mail.md *Sending*). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as MailServer from "../../capabilities/mail/MailServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Moved from "./Moved.ts"

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("a service with a mail server", (it) => {
  it.effect(
    "sends an invitation that a person was told to be mailed, in its language",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* MailServer.make
          const { from, url } = server.options
          const service = yield* Moved.start(0, ["--smtp-url", Redacted.value(url), "--mail-from", from])
          yield* service.until("/health/ready", 200)
          const invited = yield* service.post(
            "/admin/api/v1/staff",
            { email: "ines@example.com", name: "Ines", role: "support", language: "de" },
            { authorization: "Bearer proto-dev-admin-key" }
          )
          assert.strictEqual(invited.body["mailed"], true)
          yield* Effect.repeat(
            Effect.andThen(
              Effect.sleep(20),
              Effect.sync(() => server.received.length)
            ),
            { until: (count) => count > 0 }
          )
          assert.include(server.received[0]?.text, String(invited.body["invitation_url"]))
          assert.include(server.received[0]?.text, "mit der Rolle Gästeservice")
          assert.notInclude(service.log(), "ines@example.com")
        })
      ),
    120_000
  )
})
