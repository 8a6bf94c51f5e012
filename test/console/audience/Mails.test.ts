/** The mail of a campaign in the console, in a real browser (contract/engagement.md *Mails of campaigns*). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { barriers, Console, layer as consoleLayer, narrow, overflow } from "../Console.ts"
import { asSystem } from "./Audience.ts"

const program_id = "demo-foodservice"
const mail = { subject: "A bowl for you", text: "Come and get it." }
const waits = "No mail server is set: the mails wait at most"

layer(consoleLayer, { excludeTestServices: true })("a campaign's mail in the console", (it) => {
  it.effect("is written after what it needs is said, by language, and seen as guests get it, on a telephone", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/new", { viewport: narrow })
      const save = page.getByRole("button", { name: "Save" })
      yield* Effect.promise(async () => {
        const panel = page.getByRole("region", { name: "Mail to those who agreed" })
        await panel.getByRole("note").getByText("sends no mail").waitFor()
        await page.getByLabel("Name").fill("Bowl by mail")
        await page.getByLabel("When something happens").check()
        await page.getByRole("combobox", { name: /^Reward/ }).selectOption({ label: "Free bowl" })
        await page.getByLabel("Text for guests", { exact: true }).fill("A bowl is yours.")
        await page.getByLabel("Text for guests, German").fill("Eine Bowl für dich.")
        await page.getByRole("group", { name: "As guests read it, German" }).getByText("Eine Bowl").waitFor()
        await panel.getByRole("switch", { name: "Also send a mail" }).check()
        assert.isTrue(await save.isDisabled())
        await page.getByLabel("Subject, English").fill(mail.subject)
        await page.getByLabel("Text, English").fill(`${mail.text}\n\nUntil Sunday.`)
        await panel.getByRole("group", { name: "As guests get it, English" }).getByText("Until Sunday.").waitFor()
        await page.getByLabel("Subject, German").fill("Eine Bowl für dich")
        assert.isTrue(await save.isDisabled(), "a language has both or none")
        await page.getByLabel("Text, German").fill("Hol sie dir.")
        await page.getByLabel("Days in which it is sent").fill("31")
        await save.click()
        await page.getByText("must be a whole number from 1 to 30").waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Days in which it is sent").fill("2")
        await save.click()
        await page.getByRole("link", { name: "Edit" }).waitFor()
        const row = page.getByRole("row", { name: /^Mail to those who agreed English A bowl for you Come and get it/ })
        for (const said of ["Until Sunday.", "German", "Eine Bowl für dich", "Hol sie dir.", waits])
          await row.getByText(said).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      const id = new URL(page.url()).pathname.split("/").at(-1)
      const { campaign } = (yield* asSystem("GET", `/platform/v1/campaigns?campaign_id=${id}`)) as unknown as {
        readonly campaign: object
      }
      assert.deepInclude(campaign, {
        guest_text: "A bowl is yours.",
        guest_texts: { de: { text: "Eine Bowl für dich." } },
        mail: {
          subject: mail.subject,
          text: `${mail.text}\n\nUntil Sunday.`,
          texts: { de: { subject: "Eine Bowl für dich", text: "Hol sie dir." } },
          days: 2
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("is foreseen before a run: who gets it, and why others do not", () =>
    Effect.gen(function* () {
      const campaign_id = "by-mail"
      const consent = [{ purpose: "marketing", channel: "email", granted: true }]
      const put = (member_id: string, facts: object) =>
        asSystem("PUT", "/platform/v1/members", { program_id, member_id, ...facts })
      yield* put("mailed-1", { email: "mailed-1@example.com", consent })
      yield* put("mailed-2", { email: "mailed-2@example.com" })
      yield* put("mailed-3", {})
      const member_ids = ["mailed-1", "mailed-2", "mailed-3"]
      yield* asSystem("PUT", "/platform/v1/segments", { segment_id: "mailed", program_id, name: "Mailed", member_ids })
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id,
        name: "By mail",
        program_id,
        segment_id: "mailed",
        reward_id: "free-bowl",
        mail
      })
      const { faults, page } = yield* (yield* Console).open(`/audience/campaigns/${campaign_id}`)
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await page.getByRole("button", { name: "Activate", exact: true }).click()
        for (const said of ["The campaign can be run. It has no schedule", `${waits} 3 days`, mail.text])
          await dialog.getByText(said).waitFor()
        assert.strictEqual(await dialog.getByText("runs on its schedule").count(), 0)
        await dialog.getByRole("button", { name: "Activate" }).click()
        await page.getByRole("button", { name: "Test with one guest" }).click()
        await dialog.getByText("A test sends no mail.").waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "Run now" }).click()
        for (const said of [
          "Up to 0 guests get the mail.",
          `${waits} 3 days`,
          "1 has no e-mail address.",
          "1 has not agreed to mail.",
          "1 has not confirmed the address by a code on the guests' page."
        ])
          await dialog.getByText(said).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
})
