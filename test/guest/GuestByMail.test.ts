/** Holds contract/guests.md *Codes*, *Joining* and *Leaving* as a guest does all of it on a telephone, by the mails of the service. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import type { Page } from "playwright-core"
import * as Testing from "../../src/app/testing/Testing.ts"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import * as MailServer from "../capabilities/mail/MailServer.ts"
import { asSystem } from "../console/audience/Audience.ts"
import { barriers, Console, layerWith, overflow } from "../console/Console.ts"

const program_id = "demo-foodservice"
const email = "ada@example.com"
/** A telephone's width. */
const telephone = { width: 390, height: 844 }

class Mails extends Context.Service<Mails, MailServer.MailServer>()("test/guest/Mails") {}

const service = Layer.unwrap(
  Effect.map(MailServer.make, (server) => {
    const { from, url } = server.options
    const mailed = { [environmentName("SMTP_URL")]: Redacted.value(url), [environmentName("MAIL_FROM")]: from }
    return Layer.merge(layerWith(mailed), Layer.succeed(Mails, server))
  })
)

/** The mail of this number, once it is there. */
const mail = async ({ received }: MailServer.MailServer, n: number): Promise<string> => {
  while (received.length < n) await new Promise((resume) => setTimeout(resume, 20))
  const { text, to } = received[n - 1]!
  assert.deepStrictEqual(to, [email])
  return text
}

const codeOf = (text: string): string => /^\d{6}$/m.exec(text)?.[0] ?? "no code"

const enter = async (page: Page, code: string): Promise<void> => {
  await page.locator("input.code").fill(code)
  await page.locator("form button.main").click()
}

const says = (page: Page, text: string): Promise<void> => page.getByRole("status").filter({ hasText: text }).waitFor()

const goTo = async (page: Page, name: string): Promise<void> => {
  await page.locator(`nav a[href="#${name}"]`).click()
  await page.locator(`nav a[href="#${name}"][aria-current]`).waitFor()
}

/** An order that earns the points of a bowl, as the receipt's code. */
const receipt = Effect.gen(function* () {
  const now = new Date().toISOString()
  const order = Testing.order("mailed-order", 12_500, { placed_at: now, business_date: now.slice(0, 10) })
  const kept = yield* asSystem("PUT", "/platform/v1/orders", { program_id, order })
  return String((kept as { readonly claim_code?: string }).claim_code)
})

const join = async (page: Page, server: MailServer.MailServer): Promise<void> => {
  await page.getByLabel("E-mail", { exact: true }).fill(email)
  await page.getByLabel("Name (optional)").fill("Ada")
  await page.getByLabel("News and offers by e-mail").check()
  await page.getByRole("button", { name: "Join" }).click()
  const text = await mail(server, 1)
  assert.include(text, "no account")
  await enter(page, codeOf(text))
  await page.getByRole("heading", { name: "Hello, Ada" }).waitFor()
}

const claimAndTake = async (page: Page, code: string): Promise<void> => {
  await goTo(page, "claim")
  await page.locator("input.code").fill(code)
  await page.getByRole("button", { name: "Get the points" }).click()
  await says(page, "Done: 1,250 points are yours.")
  await goTo(page, "home")
  await page.getByRole("button", { name: "Get it: Free bowl" }).click()
  await page.getByRole("button", { name: "Yes, get it" }).click()
  await says(page, "Free bowl is ready to use.")
  await page.getByText("250 points").first().waitFor()
}

const leave = async (page: Page, server: MailServer.MailServer): Promise<void> => {
  await goTo(page, "account")
  await page.getByRole("button", { name: "Austreten", exact: true }).click()
  await page.getByRole("button", { name: "Ja, austreten" }).click()
  await says(page, "Du bist ausgetreten.")
  assert.include(await mail(server, 2), "verlassen")
}

const comeBack = async (page: Page, server: MailServer.MailServer): Promise<void> => {
  await page.getByLabel("E-Mail", { exact: true }).fill(email)
  await page.getByRole("button", { name: "Code schicken" }).click()
  await enter(page, codeOf(await mail(server, 3)))
  await page.getByRole("heading", { name: "Hallo, Ada" }).waitFor()
  await says(page, "Du wolltest gehen: Das ist rückgängig gemacht, du bleibst dabei.")
  await page.getByText("250 Punkte").first().waitFor()
  assert.strictEqual(await page.getByText("Du gehst").count(), 0)
}

layer(service, { excludeTestServices: true })("a guest with a telephone and a mailbox", (it) => {
  it.effect("joins, claims, takes a reward, changes the language, leaves and comes back", () =>
    Effect.gen(function* () {
      const { ask, open, url } = yield* Console
      const server = yield* Mails
      const code = yield* receipt
      const { faults, page } = yield* open("/", { key: null, viewport: telephone })
      page.setDefaultTimeout(15_000)
      yield* Effect.promise(async () => {
        await page.goto(`${url}/join/${program_id}?at=location-42`)
        await join(page, server)
        assert.isAtMost(await overflow(page), 0)
        await claimAndTake(page, code)
        await page.getByLabel("Language").selectOption("de")
        await page.getByRole("heading", { name: "Hallo, Ada" }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await leave(page, server)
        await comeBack(page, server)
      })
      const { members } = (yield* ask("GET", `/admin/api/v1/members?program_id=${program_id}&search=${email}`)) as {
        readonly members: ReadonlyArray<{ readonly display_name: string; readonly status: string }>
      }
      assert.deepStrictEqual(
        members.map(({ display_name, status }) => [display_name, status]),
        [["Ada", "active"]]
      )
      assert.deepStrictEqual(faults, [])
    })
  )
})
