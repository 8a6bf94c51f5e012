/** The profile and consent on the console's page of a member, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, comeBack, narrow, overflow } from "../Console.ts"

const script = "<script>document.title='taken'</script>"
const arabic = "ليلى حداد"
const address = "/members/demo-foodservice/member-003"

/** A new guest of a test's own, which no other test changes; its page. */
const guest = (member_id: string, display_name: string) =>
  Effect.as(
    asSystem("PUT", "/platform/v1/members", { program_id: "demo-foodservice", member_id, display_name }),
    `/members/demo-foodservice/${member_id}`
  )

const profileOf = (page: Page) => page.getByRole("region", { name: "Profile" })
const consentOf = (page: Page) => page.getByRole("region", { name: "Consent", exact: true }).first()

export const profile = (it: It): void => {
  it.effect("changes a profile field by field, with faults at their fields, and clears what is emptied", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open(address)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Edit the profile" }).click()
        const dialog = page.getByRole("dialog")
        const save = dialog.getByRole("button", { name: "Save" })
        assert.isTrue(await save.isDisabled())
        await dialog.getByLabel("Name", { exact: true }).fill(script)
        await dialog.getByLabel("E-mail").fill("no address")
        await dialog.getByLabel("Phone").fill("030 1234")
        await dialog.getByLabel("Birth date").fill("1990-12-10")
        await dialog.getByRole("button", { name: "Add an attribute" }).click()
        await dialog.getByLabel("Attribute", { exact: true }).last().fill("visits before")
        await dialog.getByLabel("Kind of visits before").selectOption("Number")
        await dialog.getByLabel("Value of visits before").fill("12")
        await save.click()
        await dialog.getByText("must be an e-mail address", { exact: true }).waitFor()
        assert.strictEqual(await dialog.getByLabel("E-mail").getAttribute("aria-invalid"), "true")
        assert.strictEqual(await dialog.getByLabel("Phone").getAttribute("aria-invalid"), "true")
        assert.strictEqual(await dialog.getByLabel("Name", { exact: true }).inputValue(), script)
        // A refusal is told at what was refused, no longer.
        await dialog.getByRole("alert").waitFor()
        await dialog.getByLabel("E-mail").fill("Leyla@example.com")
        await dialog.getByText("must be an e-mail address", { exact: true }).waitFor({ state: "detached" })
        assert.strictEqual(await dialog.getByRole("alert").count(), 0)
        assert.strictEqual(await dialog.getByLabel("Phone").getAttribute("aria-invalid"), "true")
        await dialog.getByLabel("E-mail").fill("no address")
        await dialog.getByText("must be an e-mail address", { exact: true }).waitFor()
        await dialog.getByLabel("E-mail").fill("Leyla@example.com")
        await dialog.getByLabel("Phone").fill("")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        await profileOf(page).getByText(script).waitFor()
        await profileOf(page).getByText("Leyla@example.com").waitFor()
        await profileOf(page)
          .getByRole("row", { name: /visits before.*12/ })
          .waitFor()
        assert.notStrictEqual(await page.title(), "taken")
        await page.getByRole("button", { name: "Edit the profile" }).click()
        await dialog.getByLabel("Name", { exact: true }).fill(arabic)
        await dialog.getByLabel("E-mail").fill("")
        await dialog.getByRole("button", { name: "Remove visits before" }).click()
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        await profileOf(page).getByText(arabic).waitFor()
        assert.strictEqual(await profileOf(page).getByText("Leyla@example.com").count(), 0)
        assert.strictEqual(await profileOf(page).getByText("visits before").count(), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("tells before it replaces what somebody else has entered meanwhile", () =>
    Effect.gen(function* () {
      const facts = { program_id: "demo-foodservice", member_id: "two-clerks" }
      yield* asSystem("PUT", "/platform/v1/members", { ...facts, display_name: "Tea", email: "old@example.org" })
      const { faults, page } = yield* (yield* Console).open("/members/demo-foodservice/two-clerks")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Edit the profile" }).click()
        await dialog.getByLabel("E-mail").fill("mine@example.org")
      })
      yield* asSystem("PUT", "/platform/v1/members", { ...facts, display_name: "Thea", email: "theirs@example.org" })
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog
          .getByText("“E-mail” was changed meanwhile, to “theirs@example.org”. Save again to replace it.")
          .waitFor()
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        await profileOf(page).getByText("mine@example.org").waitFor()
        // Values that only the other has changed stay.
        await page.getByRole("heading", { name: "Thea" }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("enters consent with its source, withdraws it, and shows both on a narrow screen", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open(address, { viewport: narrow, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Record an answer" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Channel").selectOption("SMS")
        await dialog.getByLabel("Source").fill("at the counter")
        // No answer is chosen before the clerk chooses one.
        assert.isTrue(await dialog.getByRole("button", { name: "Record an answer" }).isDisabled())
        await dialog.getByLabel("Agrees").check()
        await dialog.getByRole("button", { name: "Record an answer" }).click()
        await consentOf(page)
          .getByRole("row", { name: /marketing.*SMS.*Agrees.*at the counter/ })
          .waitFor()
        await page.getByRole("button", { name: "Withdraw: marketing, SMS" }).click()
        await dialog.getByText("no longer agrees: marketing, SMS.").waitFor()
        await dialog.getByLabel("Source").fill("by telephone")
        await dialog.getByRole("button", { name: "Withdraw" }).click()
        await consentOf(page)
          .getByRole("row", { name: /marketing.*SMS.*Refuses.*by telephone/ })
          .waitFor()
        const answers = page.getByRole("region", { name: "All answers" }).first()
        await answers.getByRole("row", { name: /marketing, SMS.*Refuses.*by telephone.*root/ }).waitFor()
        await answers.getByRole("row", { name: /marketing, SMS.*Agrees.*at the counter.*root/ }).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("never turns a withdrawal that is open into its opposite when somebody else withdraws first", () =>
    Effect.gen(function* () {
      const member = { program_id: "demo-foodservice", member_id: "asked-twice" }
      const answer = (granted: boolean) =>
        asSystem("PUT", "/platform/v1/members", {
          ...member,
          consent: [{ purpose: "marketing", granted, source: "test" }]
        })
      const { page } = yield* (yield* Console).open(yield* guest("asked-twice", "Asked Twice"))
      yield* answer(true)
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByRole("button", { name: "Withdraw: marketing" }).click()
        await page.getByRole("dialog").getByLabel("Source").fill("by telephone")
      })
      yield* answer(false)
      yield* Effect.promise(async () => {
        await comeBack(page)
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Grant: marketing" }).waitFor()
      })
    })
  )

  it.effect("erases a member after the id was typed, and says what goes and what stays", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { faults, page } = yield* open(yield* guest("erased-guest", "Erased Guest"))
      yield* Effect.promise(async () => {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name: "Download everything" }).click()
        ])
        assert.match(download.suggestedFilename(), /^guest-.*\.json$/)
        const [paper] = await Promise.all([
          page.waitForEvent("popup"),
          page.getByRole("link", { name: "Everything, to print" }).click()
        ])
        await paper.getByRole("heading", { name: "Everything that is kept about Erased Guest" }).waitFor()
        await paper.getByRole("button", { name: "Print" }).waitFor()
        assert.deepStrictEqual(await Effect.runPromise(barriers(paper)), [])
        await paper.setViewportSize(narrow)
        assert.isAtMost(await overflow(paper), 0)
        await paper.close()
        await page.getByRole("button", { name: "Erase personal data" }).click()
        const dialog = page.getByRole("dialog")
        const erase = dialog.getByRole("button", { name: "Erase personal data" })
        await dialog.getByText("The ledger with its points, under the member id").waitFor()
        await dialog.getByLabel("Reason").fill("Asked by the guest")
        await dialog.getByLabel("Type Erased Guest to confirm").fill("erased")
        assert.isTrue(await erase.isDisabled())
        await dialog.getByLabel("Type Erased Guest to confirm").fill("erased guest")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Erase personal data" }).click()
        await page.getByText("All personal data of this member was erased.").waitFor()
        await page.getByText("Personal data erased – root").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Erase personal data" }).count(), 0)
      })
      const shown = JSON.stringify(yield* ask("GET", "/admin/api/v1/members/demo-foodservice/erased-guest"))
      assert.include(shown, '"status":"closed"')
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows neither profile nor consent to a key without the platform's scopes", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const secretOf = (scopes: ReadonlyArray<string>) =>
        Effect.map(
          ask("POST", "/admin/api/v1/tokens", { name: scopes.join(), scopes }),
          (token) => (token as { readonly secret: string }).secret
        )
      const own = yield* guest("hidden-profile", arabic)
      const { page: without } = yield* open(own, { key: yield* secretOf(["admin:read"]) })
      const { page: reader } = yield* open(own, { key: yield* secretOf(["admin:read", "platform:read"]) })
      yield* Effect.promise(async () => {
        await without.getByRole("region", { name: "Balances" }).waitFor()
        assert.strictEqual(await profileOf(without).count(), 0)
        assert.strictEqual(await without.getByRole("heading", { name: "Consent" }).count(), 0)
        await profileOf(reader).getByText(arabic).waitFor()
        for (const name of ["Edit the profile", "Erase personal data", "Record an answer", /^Withdraw/, /^Grant/])
          assert.strictEqual(await reader.getByRole("button", { name }).count(), 0)
      })
    })
  )
}
