/** The console's pages of members, developers and the audit, in a real browser. */

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { MemberShown } from "../../src/contract/admin/Members.ts"
import { asSystem, pays } from "./audience/Audience.ts"
import type { It } from "./Console.ts"
import { barriers, Console, fits, narrow, overflow } from "./Console.ts"
import { sheetIn } from "./shared/spreadsheets/Xlsx.ts"

const script = "<script>document.title='taken'</script>"
const arabic = "بطاقة-٤٢"

export const pages = (it: It): void => {
  it.effect("finds a member, adjusts points after a preview, and tells it in ledger and trail", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      yield* Effect.promise(async () => {
        await page.getByLabel("Search").fill("member-00")
        await page.waitForURL(/search=member-00/)
        await page.getByLabel("Search").fill("member-004")
        await page.waitForURL(/search=member-004/)
        // A filtered list is an address that can be reloaded.
        await page.reload()
        await page.getByRole("link", { name: "member-004" }).click()
        await page.getByRole("heading", { name: "member-004" }).waitFor()
        await page.getByRole("button", { name: "Adjust points" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Amount").fill("25")
        await dialog.getByText("The balance goes from 45 to 70.").waitFor()
        await dialog.getByLabel("Reason").fill("Cold soup")
        await dialog.getByRole("button", { name: "Adjust points" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("status").getByText("+25 points for member-004, now 70.").waitFor()
        await page.getByText("70 points").first().waitFor()
        await page.getByRole("cell", { name: "Cold soup" }).waitFor()
        await page.getByText("Points adjusted – root").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps what was entered where a change is refused, and says why", () =>
    Effect.gen(function* () {
      const { page } = yield* (yield* Console).open("/members/demo-foodservice/member-004")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Merge into another" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("combobox", { name: "Member to keep" }).fill("member-999")
        await page.getByText("No guest is found by this.").waitFor()
        await dialog.getByLabel("Reason").fill("Two cards")
        assert.isTrue(await dialog.getByRole("button", { name: "Merge into another" }).isDisabled())
        assert.strictEqual(await dialog.getByLabel("Reason").inputValue(), "Two cards")
      })
    })
  )

  it.effect("lists what a merge moves, copies and deletes before it is done, and does nothing before", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const profile = (member_id: string, more: object) =>
        asSystem("PUT", "/platform/v1/members", { program_id: "demo-foodservice", member_id, ...more })
      for (const member_id of ["two-cards", "one-card"])
        yield* profile(member_id, { display_name: `Guest ${member_id}` })
      yield* profile("two-cards", { birth_date: "1990-04-05", attributes: { table: "by the window" } })
      yield* ask("POST", "/admin/api/v1/members/demo-foodservice/two-cards/adjustments", {
        adjustment_id: "two-cards-1",
        amount: 120,
        classification: "gift",
        qualifies_for_tier: false,
        reason: "test"
      })
      const { faults, page } = yield* open("/members/demo-foodservice/two-cards", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Merge into another" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("combobox", { name: "Member to keep" }).fill("Guest one")
        await page.getByRole("option", { name: /^Guest one-card.*0 points.*No visit yet/ }).click()
        await dialog.getByText(/^Guest one-card takes over what Guest two-cards has/).waitFor()
        const sides = [
          dialog.getByRole("region", { name: "Is closed" }),
          dialog.getByRole("region", { name: "Is kept" })
        ]
        await sides[0]?.getByText("Guest two-cards", { exact: true }).waitFor()
        await sides[1]?.getByText("Guest one-card", { exact: true }).waitFor()
        // Ids are told on request.
        assert.isFalse(await dialog.getByText("Member id: two-cards").isVisible())
        await sides[0]?.getByText("Details").click()
        await dialog.getByText("Member id: two-cards").waitFor()
        for (const item of [
          "Moves: 120 points",
          "Copied because the other has none: Birth date, table",
          "Deleted from Guest two-cards because the other has its own: Name",
          "Refunds of past orders reach Guest one-card",
          "Guest one-card then has 120 points",
          "Guest one-card is then in the tier Starter"
        ])
          await dialog.getByText(item, { exact: true }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        assert.isTrue(await dialog.getByRole("button", { name: "Merge into another" }).isDisabled())
        await dialog.getByLabel("Reason").fill("Two cards")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Merge into another" }).click()
        await dialog.waitFor({ state: "hidden" })
      })
      const shown = (yield* ask("GET", "/admin/api/v1/members/demo-foodservice/one-card")) as typeof MemberShown.Type
      assert.deepInclude(shown.profile, { birth_date: "1990-04-05", display_name: "Guest one-card" })
      assert.strictEqual(shown.balances[0]?.amount, 120)
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("moves an order after a preview of what both will have", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      for (const member_id of ["wrong-card", "right-card"])
        yield* asSystem("PUT", "/platform/v1/members", {
          program_id: "demo-foodservice",
          member_id,
          display_name: member_id === "wrong-card" ? "Wanda" : "Rita"
        })
      yield* pays("wrong-card")
      const { faults, page } = yield* open("/members/demo-foodservice/wrong-card", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Move order audience-wrong-card" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("combobox", { name: "Member it belongs to" }).fill("right-card")
        await page.getByRole("option", { name: /^Rita/ }).waitFor()
        await page.keyboard.press("Enter")
        await dialog.getByText("Wanda: −125 points, then 0.").waitFor()
        await dialog.getByText("Rita: +125 points, then 125.").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Move order", exact: true }).isDisabled())
        await dialog.getByLabel("Reason").fill("The cashier scanned the wrong card")
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Move order", exact: true }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("Order moved to another member – root").waitFor()
      })
      const shown = (yield* ask("GET", "/admin/api/v1/members/demo-foodservice/right-card")) as typeof MemberShown.Type
      assert.strictEqual(shown.balances[0]?.amount, 125)
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows identities of any script as text", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* ask("POST", "/admin/api/v1/members/demo-foodservice/member-005/identities", {
        add: [script, arabic].map((value) => ({ type: "external", value }))
      })
      const { faults, page } = yield* open("/members/demo-foodservice/member-005", { viewport: narrow })
      yield* Effect.promise(async () => {
        await page.getByText(script).waitFor()
        assert.notStrictEqual(await page.title(), "taken")
        assert.isAtMost(await overflow(page), 0)
        await page.getByText(arabic).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("issues a token, shows its secret once, and leaves out what that token may not do", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/developers")
      const secret = yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Issue a token" }).click()
        await page.getByLabel("Name, such as the till's location").fill("Support")
        await page.getByLabel("Operators: see everything").check()
        await page.getByRole("dialog").getByLabel("Corner Bowl Rewards").check()
        await page.getByRole("dialog").getByRole("button", { name: "Issue a token" }).click()
        const shown = (await page.getByText(/^lot_[\w-]{43}$/).textContent()) ?? ""
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
        await page.getByRole("row", { name: /Support.*Operators: read Corner Bowl Rewards/ }).waitFor()
        await page.getByText(shown).waitFor({ state: "detached" })
        return shown
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
      const reader = yield* open("/developers", { key: secret })
      yield* Effect.promise(async () => {
        await reader.page.getByRole("row", { name: /Support/ }).waitFor()
        assert.strictEqual(await reader.page.getByRole("button", { name: "Issue a token" }).count(), 0)
        assert.strictEqual(await reader.page.getByRole("button", { name: "Revoke" }).count(), 0)
        await page
          .getByRole("row", { name: /Support/ })
          .getByRole("button", { name: "Revoke" })
          .click()
        await page.getByRole("dialog").getByLabel("Reason").fill("Left the company")
        await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
        await page.getByRole("row", { name: /Support.*Revoked/ }).waitFor()
        await reader.page.reload()
        await reader.page.getByRole("heading", { name: "Sign in to Lotbook" }).waitFor()
        await page.getByRole("link", { name: "Audit" }).click()
        await page.getByLabel("Action").selectOption({ label: "Token revoked" })
        await page.getByRole("button", { name: "Filter" }).click()
        await page.waitForURL(/action=token.revoke/)
        // The rows of before stay until the filtered ones are there.
        await page
          .getByRole("cell", { name: /^Token issued/ })
          .first()
          .waitFor({ state: "hidden" })
        await page.getByRole("cell", { name: "Left the company" }).waitFor()
        await page.getByRole("cell", { name: /^Token revoked\s*Token Support \(tok_/ }).waitFor()
        assert.strictEqual(await page.getByLabel("Who").getAttribute("placeholder"), "A part of the name")
        assert.strictEqual(await page.getByRole("row").count(), 2)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
    })
  )

  it.effect("tells changes of the audit in words", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* ask("POST", "/admin/api/v1/tokens", { name: "Monitoring", scopes: ["metrics:read"] })
      yield* ask("POST", "/admin/api/v1/members/demo-foodservice/member-006/status", {
        status: "suspended",
        reason: "Stolen card"
      })
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id: "demo-foodservice",
        member_id: "in-trail",
        display_name: "Nadja Named"
      })
      yield* ask("POST", "/admin/api/v1/members/demo-foodservice/in-trail/status", {
        status: "suspended",
        reason: "Asked by phone"
      })
      const { faults, page } = yield* open("/audit?action=member.status")
      yield* Effect.promise(async () => {
        // A guest is named for those who may see her.
        await page
          .getByRole("row", { name: /Asked by phone/ })
          .getByRole("link", { name: "Nadja Named" })
          .waitFor()
        const row = page.getByRole("row", { name: /Stolen card/ })
        await row.getByLabel(/^Changes: Member's status changed, /).click()
        await row.getByText("Status: was active, is suspended").waitFor()
        await row.getByRole("link", { name: "member-006" }).click()
        await page.getByRole("heading", { name: "member-006" }).waitFor()
        await page.getByRole("link", { name: "Show all in Audit" }).click()
        await page.waitForURL(/subject=member-006/)
        await page.getByLabel("Action").selectOption({ label: "Token issued" })
        await page.getByLabel("About").fill("")
        await page.getByRole("button", { name: "Filter" }).click()
        const issued = page.getByRole("row", { name: /Token issued/ }).first()
        await issued.getByText("Changes").click()
        await issued.getByText("Name: Monitoring").waitFor()
        assert.notMatch((await issued.textContent()) ?? "", /[{}"]/)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps the filters of a ledger in the address", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members/demo-foodservice/member-003")
      const ledger = page.getByRole("region", { name: "Ledger" }).first()
      yield* Effect.promise(async () => {
        await ledger.getByRole("cell", { name: "Earned" }).first().waitFor()
        await ledger.getByLabel("Operation").selectOption({ label: "Redeemed" })
        await page.waitForURL(/operation=redemption/)
        await ledger.getByRole("cell", { name: "Earned" }).first().waitFor({ state: "hidden" })
        await page.reload()
        await ledger.getByRole("cell", { name: "Redeemed" }).first().waitFor()
        assert.strictEqual(await ledger.getByRole("cell", { name: "Earned" }).count(), 0)
        const csv = await ledger.getByRole("link", { name: "Download as CSV" }).getAttribute("href")
        assert.include(csv ?? "", "operations=redemption")
        const [forExcel] = await Promise.all([
          page.waitForEvent("download"),
          ledger.getByRole("button", { name: "Excel: Download as CSV" }).click()
        ])
        assert.match(forExcel.suggestedFilename(), /^ledger-.*\.xlsx$/)
        assert.include(sheetIn(await readFile(await forExcel.path())), "occurred_at (America/New_York)")
        await ledger.getByLabel("Until").fill("2020-01-01")
        await ledger.getByText("No entries match these filters").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("tells what happened in words first, with restaurant, order, rate and the balance after it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", { program_id: "demo-foodservice", member_id: "in-words" })
      const now = new Date().toISOString()
      const order = Testing.order("words-1", 1250, { placed_at: now, business_date: now.slice(0, 10) })
      yield* asSystem("POST", "/proto/v1/accruals", {
        context: { ...Testing.context("in-words-1"), occurred_at: now },
        member_id: "in-words",
        order: { ...order, scope: { ...order.scope, location_id: "harbour-7" } }
      })
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "harbour-7", name: "Old Harbour" })
      const { faults, page } = yield* open("/members/demo-foodservice/in-words")
      const ledger = page.getByRole("region", { name: "Ledger" }).first()
      yield* Effect.promise(async () => {
        const row = ledger.getByRole("row", { name: /Earned/ })
        await row.getByText("Earned · order words-1 · Old Harbour").waitFor()
        await row.getByText("10 points for every US$1.00, on US$12.50").waitFor()
        await row.getByRole("cell", { name: "125 points", exact: true }).waitFor()
        const heading = await page.getByRole("heading", { level: 2 }).first().textContent()
        assert.strictEqual(heading, "Ledger")
        // The first question of a caller is answered above it.
        await page.getByText(/^125 points · \w+/).waitFor()
        const lot = page.getByRole("progressbar", { name: "Left: 125" })
        assert.strictEqual(await lot.getAttribute("aria-valuenow"), "100")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.setViewportSize(narrow)
        await fits(page)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
