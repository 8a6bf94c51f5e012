/** A clerk's work with a guest on the console's pages, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { MemberShown } from "../../../src/contract/admin/Members.ts"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, programKept } from "../Console.ts"

const program_id = "demo-foodservice"

const cards = (page: Page) => page.getByRole("region", { name: "Cards and other identities" }).first()

const guest = Effect.fnUntraced(function* (member_id: string, display_name: string) {
  yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id, display_name })
  return `/admin/api/v1/members/${program_id}/${member_id}`
})

export const guests = (it: It): void => {
  it.effect("enrols a guest who was searched in vain, with a card, once, and says who has that already", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const other = yield* guest("enrol-other", "Olga Other")
      yield* ask("POST", `${other}/identities`, { add: [{ type: "loyalty_id", value: "card-of-olga-4711" }] })
      const { faults, page } = yield* open("/members")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByLabel("Search").fill("Ronja Newcomer")
        await page.getByText("No members match").waitFor()
        await page.getByRole("button", { name: "Enrol a guest" }).click()
        assert.strictEqual(await dialog.getByLabel("Name", { exact: true }).inputValue(), "Ronja Newcomer")
        await dialog.getByLabel("Phone").fill("030 1234567")
        await dialog.getByLabel("Card number").fill("card-of-olga-4711")
        await dialog.getByText("Is this guest here already?").waitFor()
        await dialog.getByRole("link", { name: "Olga Other" }).waitFor()
        await dialog.getByRole("button", { name: "Enrol a guest" }).click()
        await dialog.getByText("must be a telephone number such as +493012345678", { exact: true }).waitFor()
        await dialog.getByLabel("Phone").fill("+49 (0)30 123-4567")
        await dialog.getByRole("button", { name: "Enrol a guest" }).click()
        // Another guest has the card: who was enrolled is told, and the next try enrols nobody else.
        await dialog.getByText(/^The guest is enrolled, but the card was not added/).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByLabel("Card number").fill("card-of-ronja-4712")
        await dialog.getByRole("button", { name: "Enrol a guest" }).click()
        await page.getByRole("heading", { name: "Ronja Newcomer" }).waitFor()
        await cards(page).getByText("card-of-ronja-4712").waitFor()
        await page.getByRole("link", { name: "All members" }).click()
        await page.getByLabel("Search").fill("Ronja")
        await page.waitForURL(/search=Ronja/)
        await page.getByRole("link", { name: "Ronja Newcomer" }).waitFor()
        assert.strictEqual(await page.getByRole("link", { name: "Ronja Newcomer" }).count(), 1)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "takes a number as it is said at home, the birthday, and what the guest agrees to, on a narrow screen",
    () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        yield* programKept
        const { program } = (yield* ask("GET", `/admin/api/v1/programs/${program_id}`)) as { readonly program: object }
        yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, country: "DE" } })
        const { faults, page } = yield* open("/members?search=0171%203920012", { viewport: narrow })
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Enrol a guest" }).click()
          assert.strictEqual(await dialog.getByLabel("Phone").inputValue(), "0171 3920012")
          await dialog.getByText("Numbers of other countries than Germany need their country code").waitFor()
          await dialog.getByLabel("Name", { exact: true }).fill("Hanna Home")
          await dialog.getByLabel("Birth date").fill("1990-04-05")
          const asked = dialog.getByRole("group", { name: "May Corner Bowl Rewards write to the guest?" })
          // Each way belongs to an address.
          assert.strictEqual(await asked.getByRole("checkbox").count(), 1)
          await dialog.getByLabel("E-mail", { exact: true }).fill("hanna@example.org")
          await asked.getByLabel("News and offers by e-mail").check()
          assert.isFalse(await asked.getByLabel("News and offers by text message").isChecked())
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await fits(page)
          await dialog.getByRole("button", { name: "Enrol a guest" }).click()
          await page.getByRole("heading", { name: "Hanna Home" }).waitFor()
          const consents = page.getByRole("region", { name: "Consent" }).first()
          await consents.getByText("asked at the restaurant").waitFor()
        })
        const found = yield* asSystem("GET", `/platform/v1/members?program_id=${program_id}&search=hanna`)
        assert.deepNestedInclude(found, { "members[0].phone": "+491713920012", "members[0].birth_date": "1990-04-05" })
        assert.deepNestedInclude(found, {
          "members[0].consents.length": 1,
          "members[0].consents[0].channel": "email",
          "members[0].consents[0].source": "console"
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("makes a sign-in link, shown as a code and as text, which signs the guest in once", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* guest("linked", "Lina Linked")
      const { faults, page } = yield* open(`/members/${program_id}/linked`)
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Sign-in link" }).click()
        await dialog.getByRole("button", { name: "Sign-in link" }).click()
        await dialog.getByRole("img", { name: "The link as a QR code" }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const link = await dialog.locator(".secret").innerText()
        await dialog.getByRole("button", { name: "Close", exact: true }).last().click()
        await page.goto(link)
        await page.getByRole("button", { name: "Sign in" }).first().click()
        await page.getByRole("heading", { name: "Hello, Lina Linked" }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("finds another guest by name in a dialog, and leads back to what was searched", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* guest("pair-one", "Pia Pairwise")
      yield* guest("pair-two", "Paul Pairwise")
      yield* ask("POST", `/admin/api/v1/members/${program_id}/pair-one/rewards`, {
        issued_reward_id: "pair-gift",
        reward_id: "free-bowl"
      })
      const { faults, page } = yield* open("/members?search=pairwise")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Pia Pairwise" }).click()
        const wallet = page.getByRole("region", { name: "Rewards in the wallet" }).first()
        await wallet.getByRole("button", { name: "Show code" }).first().click()
        await wallet.getByText(/^Code: \S+/).waitFor()
        await page.getByRole("button", { name: "Issue a reward" }).click()
        // It is over since August.
        await dialog.getByRole("option", { name: "Free bowl" }).waitFor({ state: "attached" })
        const choices = await dialog.getByLabel("Reward").locator("option").allTextContents()
        assert.notInclude(choices, "Summer special")
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "Merge into another" }).click()
        const field = dialog.getByRole("combobox", { name: "Member to keep" })
        await field.fill("pairwise")
        await page.getByRole("option", { name: /^Paul Pairwise/ }).waitFor()
        assert.strictEqual(await page.getByRole("option", { name: /^Pia Pairwise/ }).count(), 0)
        await field.fill("nobody@example.org")
        await page.getByText("No guest is found by this.").waitFor()
        await page.keyboard.press("Escape")
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("link", { name: "All members" }).click()
        await page.waitForURL(/search=pairwise/)
        await page.getByRole("link", { name: "Paul Pairwise" }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("adds, replaces and removes cards, and keeps the last one, on a narrow screen too", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const path = yield* guest("with-cards", "Carla Cards")
      yield* ask("POST", `${path}/identities`, {
        add: [{ type: "loyalty_id", value: "lost-1", issuer: "corner-bowl" }]
      })
      const { faults, page } = yield* open(`/members/${program_id}/with-cards`)
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await cards(page).getByRole("button", { name: "Remove with-cards" }).click()
        await dialog.getByRole("button", { name: "Remove" }).click()
        await cards(page).getByText("cannot be removed").waitFor()
        assert.strictEqual(await cards(page).getByRole("button", { name: "Remove lost-1" }).count(), 0)
        await cards(page).getByRole("button", { name: "Replace lost-1" }).click()
        await dialog.getByText("no longer by lost-1").waitFor()
        await dialog.getByLabel("New card number").fill("found-2")
        await dialog.getByRole("button", { name: "Replace" }).click()
        await cards(page).getByText("found-2").waitFor()
        assert.strictEqual(await cards(page).getByText("lost-1").count(), 0)
        await cards(page).getByRole("button", { name: "Add a card" }).click()
        // A till finds a card under its issuer only.
        assert.strictEqual(await dialog.getByLabel("Issuer of the card").inputValue(), "corner-bowl")
        await dialog.getByLabel("Card number").fill("second-3")
        await dialog.getByRole("button", { name: "Add a card" }).click()
        await cards(page).getByText("second-3").waitFor()
      })
      const { member } = (yield* ask("GET", path)) as unknown as typeof MemberShown.Type
      assert.deepStrictEqual(member.identities.map(({ issuer, value }) => `${value} ${issuer}`).toSorted(), [
        "found-2 corner-bowl",
        "second-3 corner-bowl"
      ])
      yield* Effect.promise(async () => {
        await page.setViewportSize(narrow)
        await fits(page)
        await cards(page).getByRole("button", { name: "Remove second-3" }).click()
        await dialog.getByText("no longer found by second-3").waitFor()
        await dialog.getByRole("button", { name: "Remove" }).click()
        await cards(page).getByText("second-3").waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("cancels a reward in the wallet with a reason, after saying what that does", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const path = yield* guest("with-reward", "Rita Reward")
      for (const issued_reward_id of ["console-kept", "console-cancelled"])
        yield* ask("POST", `${path}/rewards`, { issued_reward_id, reward_id: "free-bowl" })
      const { faults, page } = yield* open(`/members/${program_id}/with-reward`, { colorScheme: "dark" })
      const wallet = page.getByRole("region", { name: "Rewards in the wallet" }).first()
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await wallet.getByRole("button", { name: "Take back Free bowl" }).last().click()
        await dialog.getByText("This cannot be undone").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Take back" }).isDisabled())
        await dialog.getByLabel("Reason").fill("Issued to the wrong guest")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Take back" }).click()
        await dialog.waitFor({ state: "hidden" })
        await wallet.getByRole("button", { name: "Take back Free bowl" }).nth(1).waitFor({ state: "detached" })
        await page.getByText("Reward cancelled – root").waitFor()
      })
      const { issued_rewards } = (yield* ask("GET", path)) as unknown as typeof MemberShown.Type
      assert.deepStrictEqual(
        issued_rewards.map(({ issued_reward_id }) => issued_reward_id),
        ["console-kept"]
      )
      assert.deepStrictEqual(faults, [])
    })
  )
}
