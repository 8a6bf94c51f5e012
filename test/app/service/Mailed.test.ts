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

  it.effect(
    "writes links of a campaign's mail to the address at which it is reached",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* MailServer.make
          const { from, url } = server.options
          const service = yield* Moved.start(0, ["--smtp-url", Redacted.value(url), "--mail-from", from])
          yield* service.until("/health/ready", 200)
          const program_id = "demo-foodservice"
          const member_id = "mailed-guest"
          const email = `${member_id}@example.com`
          const send = Effect.fnUntraced(function* (method: "post" | "put", at: string, body: object) {
            const answer = yield* service[method](`/platform/v1/${at}`, body)
            assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
          })
          const consent = [{ purpose: "marketing", channel: "email", granted: true }]
          yield* send("put", "members", { program_id, member_id, email, consent })
          yield* TestDatabase.query(`INSERT INTO confirmed_addresses (account, address)
            SELECT number, address_hash('${email}') FROM accounts WHERE member_id = '${member_id}'`)
          yield* send("put", "segments", { segment_id: "mailed", program_id, name: "Mailed", member_ids: [member_id] })
          const campaign_id = "by-mail"
          yield* send("put", "campaigns", {
            ...{ campaign_id, name: "By mail", program_id, segment_id: "mailed", reward_id: "free-bowl" },
            mail: { subject: "A bowl for you", text: "Come and get it." }
          })
          yield* send("post", "campaigns/status", { campaign_id, status: "active" })
          yield* send("post", "campaigns/run", { campaign_id })
          yield* Effect.repeat(Effect.sleep(20), { until: () => server.received.length > 0 })
          const raw = server.received[0]?.text.replaceAll(/\r?\n\s+/g, "") ?? ""
          const there = `http://localhost:${service.port}/my/${program_id}`
          assert.include(raw, `<${there}/unsubscribe/`)
          assert.include(raw, `href="${there}"`)
          assert.notInclude(raw, "localhost:3210")
        })
      ),
    120_000
  )
})
