/** Mail that is sent, once, or not at all, and leaves nothing behind (contract/mail.md *Sending*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import { machineNow } from "../../../src/base/time/Times.ts"
import * as Bounds from "../../../src/capabilities/mail/Bounds.ts"
import type { Letter } from "../../../src/capabilities/mail/Letter.ts"
import * as Mail from "../../../src/capabilities/mail/Mail.ts"
import * as Sender from "../../../src/capabilities/mail/Sender.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import { layer, post, root } from "../operators/Operators.ts"
import * as MailServer from "./MailServer.ts"

const letter: Letter = {
  subject: "Your code",
  opening: ["Hello Ada <b>,"],
  code: "482913",
  closing: ["It ends in ten minutes."],
  language: "en",
  look: { name: "Corner <Bowl>", colour: "#ffe600", program_id: "demo-foodservice" }
}

/** Runs a test beside a mail server, with what sends the mails of the database. */
const withServer = <A, E, R>(
  work: (server: MailServer.MailServer, sender: Effect.Success<typeof Sender.make>) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* MailServer.make
      return yield* Effect.gen(function* () {
        return yield* work(server, yield* Sender.make)
      }).pipe(
        Effect.provideService(Mail.CurrentMail, server.options),
        Effect.provide(Layer.provide(layer(), Layer.succeed(Mail.CurrentMail, server.options)))
      )
    })
  )

const put = Effect.fnUntraced(function* (to: string, lastsMs = 600_000) {
  const { query } = yield* WorkPool
  const { claimKey } = yield* Journal
  const until = (yield* machineNow) + lastsMs
  return yield* Mail.post(query, claimKey, { kind: "invitation", to, letter, until })
})

const rows = Effect.flatMap(WorkPool, ({ query }) => query("SELECT m::text AS row FROM mails m"))

describe("mail", () => {
  it.effect("an invitation is mailed with its address, in text and HTML, and no row of it stays", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const invited = yield* post("/staff", { email: "ines@example.com", name: "Ines <i>Weber</i>", role: "support" })
        assert.strictEqual(invited.status, 201)
        assert.strictEqual(invited.body["mailed"], true)
        const url = String(invited.body["invitation_url"])
        const [row] = yield* rows
        assert.notInclude(JSON.stringify(row), "ines", "the address waits sealed")
        assert.strictEqual(yield* batch, "worked")
        assert.lengthOf(server.received, 1)
        const [mail] = server.received
        assert.deepStrictEqual(mail?.to, ["ines@example.com"])
        assert.lengthOf(mail!.text.split(url), 4, "the address is in the text, and in the HTML as a link and as words")
        assert.include(mail!.text, "Ines &lt;i&gt;Weber&lt;/i&gt;", "a name is no markup")
        assert.deepStrictEqual(yield* rows, [])
        assert.strictEqual(yield* batch, "idle")
        assert.lengthOf(server.received, 1)
      })
    )
  )

  it.effect(
    "a mail has name, colour and logo of who writes, each part of it its own, and in black where that is read better",
    () =>
      withServer((server, { batch }) =>
        Effect.gen(function* () {
          yield* put("ada@example.com")
          yield* batch
          const [plain] = server.received
          assert.include(plain!.text, "background:#ffe600;color:#000000")
          assert.include(plain!.text, "Corner &lt;Bowl&gt;")
          assert.notInclude(plain!.text, "cid:logo")
          assert.notMatch(plain!.text, /src="http/)
          const { query } = yield* WorkPool
          yield* query(
            `INSERT INTO business_look (name, colour, png, width, height, sha256, changed_at)
            VALUES ('Green Bowl', '#1a7f5a', decode('89504e470d0a1a0a', 'hex'), 1, 1, 'x', 0)`
          )
          yield* put("ada@example.com")
          const invited = yield* post("/staff", { email: "ines@example.com", name: "Ines", role: "support" })
          assert.strictEqual(invited.status, 201)
          yield* batch
          const [, code, invitation] = server.received.toSorted((a, b) => a.to.join().localeCompare(b.to.join()))
          assert.include(code!.text, '<img src="cid:logo"')
          assert.include(invitation!.text, "background:#1a7f5a;color:#ffffff")
          assert.include(invitation!.text, '<img src="cid:logo"')
        })
      )
  )

  it.effect("an invitation that is refused mails nothing, and one of a replay is mailed once", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const asked = { email: "ines@example.com", name: "Ines", role: "support" }
        const headers = { ...root, "idempotency-key": "invite-ines" }
        assert.strictEqual((yield* post("/staff", asked, headers)).status, 201)
        assert.strictEqual((yield* post("/staff", asked, headers)).status, 201)
        assert.strictEqual((yield* post("/staff", asked)).status, 409)
        yield* batch
        assert.lengthOf(server.received, 1)
      })
    )
  )

  it.effect("a mail server that is away holds mail back, and takes it when it is there again", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { url } = server.options
        server.options.url = Redacted.make("smtp://127.0.0.1:1")
        yield* put("ada@example.com")
        assert.strictEqual(yield* batch, "waits")
        assert.lengthOf(yield* rows, 1)
        server.options.url = url
        assert.strictEqual(yield* batch, "idle", "not at once again")
        yield* TestClock.adjust(Bounds.retryMs)
        assert.strictEqual(yield* batch, "worked")
        assert.lengthOf(server.received, 1)
      })
    )
  )

  it.effect("an address that is refused for good loses its mail alone, and one refused for now is tried later", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const statuses: Record<string, number> = { "gone@example.com": 550, "full@example.com": 452 }
        server.answer = (address) => statuses[address] ?? 250
        for (const to of ["gone@example.com", "full@example.com", "ada@example.com"]) yield* put(to)
        assert.strictEqual(yield* batch, "worked")
        assert.deepStrictEqual(
          server.received.flatMap(({ to }) => to),
          ["ada@example.com"]
        )
        assert.lengthOf(yield* rows, 1)
        server.answer = () => 250
        yield* TestClock.adjust(Bounds.retryMs)
        yield* batch
        assert.deepStrictEqual(
          server.received.flatMap(({ to }) => to),
          ["ada@example.com", "full@example.com"]
        )
      })
    )
  )

  it.effect("a mail server that refuses the sender, or wants a sign-in first, loses no mail", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        for (const to of ["ada@example.com", "ben@example.com"]) yield* put(to)
        for (const [sender, address] of [
          [550, 250],
          [530, 250],
          [250, 530]
        ] as const) {
          server.answerSender = () => sender
          server.answer = () => address
          assert.strictEqual(yield* batch, "waits", `${sender} ${address}`)
          assert.lengthOf(yield* rows, 2)
          yield* TestClock.adjust(Bounds.retryMs)
        }
        server.answer = () => 250
        assert.strictEqual(yield* batch, "worked")
        assert.lengthOf(server.received, 2)
        assert.deepStrictEqual(yield* rows, [])
      })
    )
  )

  it.effect("a mail whose time is over is not sent any more", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        yield* put("ada@example.com", 1_000)
        yield* TestClock.adjust(1_000)
        yield* batch
        assert.lengthOf(server.received, 0)
        assert.deepStrictEqual(yield* rows, [])
      })
    )
  )

  it.effect("without the mail server that there was, a mail goes once its time is over", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const serverless = Effect.provideService(batch, Mail.CurrentMail, undefined)
        yield* put("ada@example.com", 1_000)
        assert.strictEqual(yield* serverless, "idle")
        assert.lengthOf(yield* rows, 1)
        yield* TestClock.adjust(1_000)
        assert.strictEqual(yield* serverless, "worked")
        assert.deepStrictEqual(yield* rows, [])
        assert.lengthOf(server.received, 0)
      })
    )
  )

  it.effect(
    "two nodes that send at once send a mail once; one that was killed while it sent leaves it to the next",
    () =>
      withServer((server, { batch }) =>
        Effect.gen(function* () {
          let arrived = () => {}
          const atServer = new Promise<void>((resolve) => {
            arrived = resolve
          })
          server.before = () => new Promise<void>(() => arrived())
          yield* put("ada@example.com")
          const killed = yield* Effect.forkChild(batch)
          yield* Effect.promise(() => atServer)
          assert.strictEqual(yield* batch, "idle", "the mail is one node's")
          yield* Fiber.interrupt(killed)
          server.before = async () => {}
          yield* TestClock.adjust(Bounds.leaseMs)
          assert.strictEqual(yield* batch, "worked")
          assert.lengthOf(server.received, 1)
          assert.deepStrictEqual(yield* rows, [])
        })
      )
  )

  it.effect("mail that waits is bounded: what is over it is not sent, and said", () =>
    withServer(() =>
      Effect.gen(function* () {
        const { query } = yield* WorkPool
        yield* query(`INSERT INTO mails (mail_id, kind, sealed, created_at, due_at, until)
          SELECT gen_random_uuid(), 'invitation', '', 0, 0, 0 FROM generate_series(1, ${Bounds.waiting - 1})`)
        assert.isTrue(yield* put("ada@example.com"))
        assert.isFalse(yield* put("ben@example.com"))
        const invited = yield* post("/staff", { email: "ines@example.com", name: "Ines", role: "support" })
        assert.strictEqual(invited.status, 201)
        assert.notProperty(invited.body, "mailed")
      })
    )
  )

  it.effect("without a mail server an invitation is made and nothing waits", () =>
    Effect.gen(function* () {
      const invited = yield* post("/staff", { email: "ines@example.com", name: "Ines", role: "support" })
      assert.strictEqual(invited.status, 201)
      assert.notProperty(invited.body, "mailed")
      assert.deepStrictEqual(yield* rows, [])
    }).pipe(Effect.provide(layer()))
  )
})
