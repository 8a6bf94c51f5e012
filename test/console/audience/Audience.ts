/** The console's pages of segments and campaigns, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { It } from "../Console.ts"
import { barriers, Console, comeBack, fits, keepRouting, narrow, overflow } from "../Console.ts"

const program_id = "demo-foodservice"

/** Enough that a holdout of a half has somebody in it and somebody not. */
const guests = Array.from({ length: 24 }, (_, n) => `guest-${n}`)

interface Answer {
  readonly estimated_size: number
  readonly run: { readonly outcomes: ReadonlyArray<{ readonly member_id: string; readonly status: string }> }
  readonly runs: ReadonlyArray<{ readonly run_id: string; readonly status: string }>
  readonly attribution: { readonly converted_members: number; readonly lift_bps: number }
}

/** A request with the demo token. */
export const asSystem = (method: string, at: string, body?: unknown) =>
  Effect.flatMap(Console, ({ url }) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${at}`, {
        method,
        headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      assert.isBelow(response.status, 300, `${method} ${at}`)
      return (await response.json()) as Answer
    })
  )

/** A guest pays an order now. */
export const pays = (member_id: string) => {
  const now = new Date().toISOString()
  return asSystem("POST", "/proto/v1/accruals", {
    context: { ...Testing.context(`audience-${member_id}`), occurred_at: now },
    member_id,
    order: Testing.order(`audience-${member_id}`, 1250, { placed_at: now, business_date: now.slice(0, 10) })
  })
}

export const audience = (it: It): void => {
  it.effect("names who is in a segment: some beside the rules, all in a list that can be saved as a file", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id,
        member_id: "sampled-1",
        display_name: "Sally Sampled"
      })
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id,
        member_id: "sampled-2",
        consent: { marketing: true, source: "test" }
      })
      yield* asSystem("PUT", "/platform/v1/segments", {
        program_id,
        segment_id: "of-two",
        name: "Two guests",
        member_ids: ["sampled-1", "sampled-2"]
      })
      const { faults, page } = yield* open("/audience/segments/of-two")
      yield* Effect.promise(async () => {
        await page.getByRole("region", { name: "Estimate" }).getByRole("link", { name: "Sally Sampled" }).waitFor()
        const all = page.getByRole("region", { name: "Who is in it" }).first()
        await all.getByRole("button", { name: "Show all" }).click()
        await all.getByText("1 of 2 guests have agreed to marketing.").waitFor()
        await all.getByRole("row", { name: /Sally Sampled Active not asked/ }).waitFor()
        await all.getByRole("row", { name: /sampled-2 Active agreed/ }).waitFor()
        const rowsOf = async (link: string): Promise<ReadonlyArray<string>> => {
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            all.getByRole("link", { name: link, exact: true }).click()
          ])
          assert.match(file.suggestedFilename(), /^two-guests-\d{4}-\d\d-\d\d\.csv$/)
          const [header = "", ...rows] = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n")
          assert.isTrue(header.startsWith("\uFEFFmember_id,"), header)
          return rows
        }
        const agreed = await rowsOf("CSV of those who agreed to marketing")
        assert.deepStrictEqual([agreed.length, agreed[0]?.startsWith("sampled-2,")], [1, true])
        const rows = await rowsOf("CSV of all")
        assert.strictEqual(rows.length, 2)
        assert.isTrue(rows.some((row) => row.includes("Sally Sampled")))
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.setViewportSize(narrow)
        await fits(page)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("builds a segment from rules with a live estimate, and says at a condition what is wrong with it", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/audience")
      const orders = page.getByRole("group", { name: "Orders" })
      const add = async (name: string): Promise<void> => {
        await page.getByRole("button", { name: "Add a condition" }).click()
        await page.getByRole("menuitem", { name, exact: true }).click()
      }
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Create a segment" }).click()
        await page.getByText("to see how many members it matches").waitFor()
        await page.getByLabel("Name").fill("Best guests")
        await add("Orders")
        await page.getByText(/members? match(es)? now/).waitFor()
        await add("Tier")
        await page.getByText("Tier: choose a tier.").waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
        await page.getByText("Regular", { exact: true }).click()
        await page.getByText("VIP", { exact: true }).click()
        await orders.getByLabel("Days").fill("0")
        await orders.getByText("must be a whole number of days from 1 to 36,500").waitFor()
        assert.strictEqual(await orders.getByLabel("Days").getAttribute("aria-invalid"), "true")
        assert.strictEqual(await orders.getByLabel("Days").inputValue(), "0")
        await orders.getByLabel("Days").fill("")
        await page.getByText(/members? match(es)? now/).waitFor()
      })
      const rules = { all: [{ order: { minimum_count: 1 } }, { tier: ["regular", "vip"] }] }
      const { estimated_size } = yield* asSystem("POST", "/platform/v1/segments/preview", { program_id, rules })
      assert.isAbove(estimated_size, 0)
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByText(`${estimated_size}`, { exact: true }).waitFor()
        const estimate = page.getByRole("region", { name: "Estimate" })
        await estimate.getByRole("link").first().waitFor()
        // A count that is read again stays legible.
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        const preview = "**/segments/preview*"
        await keepRouting(page)
        await page.route(preview, async (route) => {
          await held
          await route.continue()
        })
        await comeBack(page)
        const busy = estimate.locator("[aria-busy=true]")
        await busy.waitFor()
        const opacity =
          "Number(getComputedStyle(document.querySelector('.mantine-Stack-root[aria-busy=true]')).opacity)"
        assert.strictEqual(await page.evaluate(opacity), 1)
        release()
        await page.unroute(preview)
        await busy.waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Save" }).click()
        await page.waitForURL(/segments\/seg_/)
        await page.reload()
        await page.getByRole("heading", { name: "Best guests" }).waitFor()
        assert.strictEqual(await orders.getByLabel("How many").inputValue(), "1")
        await page.getByRole("link", { name: "All segments" }).click()
        await page.getByRole("row", { name: new RegExp(`Best guests By rules ${estimated_size} nothing`) }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Regulars", exact: true }).click()
        await page.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await page.getByText("It cannot be deleted: a campaign or another segment still uses it.").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("link", { name: "All segments" }).click()
        await page.getByRole("link", { name: "Best guests" }).click()
        await page.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await page.getByRole("link", { name: "Regulars", exact: true }).waitFor()
        await page.getByRole("link", { name: "Best guests" }).waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "shows rules of the flat spelling on a narrow screen, and nothing to change to those who may only read",
    () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        yield* asSystem("PUT", "/platform/v1/segments", {
          segment_id: "flat",
          program_id,
          name: "Flat",
          rules: { statuses: ["active"], minimum_available_balance: 10, profile: { has_email: false } }
        })
        const token = (yield* ask("POST", "/admin/api/v1/tokens", { name: "Reader", scopes: ["platform:read"] })) as {
          readonly secret: string
        }
        const { page } = yield* open("/audience/segments/flat", { viewport: narrow, colorScheme: "dark" })
        yield* Effect.promise(async () => {
          assert.strictEqual(await page.getByLabel("At least", { exact: true }).inputValue(), "10")
          await page.getByRole("group", { name: "None of these match" }).getByText("The profile has").waitFor()
          await page.getByText(/members? match(es)? now/).waitFor()
          assert.isAtMost(await overflow(page), 0)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        const reader = yield* open("/audience/segments/flat", { key: token.secret })
        yield* Effect.promise(async () => {
          await reader.page.getByText(/members? match(es)? now/).waitFor()
          for (const name of ["Save", "Delete", "Add a condition", /^Remove/])
            assert.strictEqual(await reader.page.getByRole("button", { name }).count(), 0, String(name))
          await reader.page.getByRole("link", { name: "Campaigns" }).click()
          await reader.page.getByRole("link", { name: "A bowl for regulars" }).click()
          await reader.page.getByText("It has not run yet").waitFor()
          assert.strictEqual(await reader.page.getByRole("button", { name: "Run now" }).count(), 0)
          assert.strictEqual(await reader.page.getByRole("link", { name: "Edit" }).count(), 0)
        })
        assert.deepStrictEqual(reader.faults, [])
      })
  )

  it.effect("finds who came to a restaurant but not lately, and puts the focus into what was added", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/segments/new")
      const lapsed = page.getByRole("group", { name: "No order lately" })
      const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor()
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill("Gone from the harbour")
        await page.getByRole("button", { name: "Add a condition" }).click()
        await page.getByRole("menuitem", { name: "No order lately" }).click()
        await hasFocus("input[aria-label=Days]")
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.type("30")
        assert.strictEqual(await lapsed.getByLabel("Days").inputValue(), "30")
        const place = lapsed.getByLabel("Location")
        // Free text until the list of locations arrives, which may be while it is filled.
        const isList = () => place.evaluate((element) => element.tagName === "SELECT")
        if (!(await isList()))
          await place.fill("location-1").catch(async (error: unknown) => {
            if (!(await isList())) throw error
          })
        if (await isList()) await place.selectOption({ index: 1 })
        await lapsed.getByText("and ordered there before").waitFor()
        await lapsed.getByLabel("Days").fill("0")
        await lapsed.getByText("must be a whole number of days from 1 to 36,500").waitFor()
        assert.strictEqual(await lapsed.getByLabel("Days").getAttribute("aria-invalid"), "true")
        await lapsed.getByLabel("Days").fill("30")
        await page.getByText(/members? match(es)? now/).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Save" }).click()
        await page.waitForURL(/segments\/seg_/)
        await page.reload()
        await lapsed.getByText("and ordered there before").waitFor()
        assert.strictEqual(await lapsed.getByLabel("Days").inputValue(), "30")
        await page.getByRole("button", { name: "Add a group" }).click()
        await page.getByRole("group", { name: "At least one of these matches" }).locator("select:focus").waitFor()
        await page.setViewportSize(narrow)
        await fits(page)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("counts the members of each condition alone, and those of each group together", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const shown = (label: string, rules: unknown) =>
        Effect.map(
          asSystem("POST", "/platform/v1/segments/preview", { program_id, rules }),
          ({ estimated_size: n }) => `${label}: ${n.toLocaleString("en-US")} ${n === 1 ? "member" : "members"}`
        )
      const ofOrders = yield* shown("Alone", { order: { minimum_count: 1 } })
      const ofTier = yield* shown("Alone", { tier: ["vip"] })
      const ofGroup = yield* shown("Together", { any: [{ tier: ["vip"] }] })
      const { faults, page } = yield* open("/audience/segments/new", { viewport: narrow, colorScheme: "dark" })
      page.setDefaultTimeout(20_000)
      const inner = page.getByRole("group", { name: "At least one of these matches" })
      const orders = page.getByRole("group", { name: "Orders" })
      const add = async (name: string, at: number): Promise<void> => {
        await page.getByRole("button", { name: "Add a condition" }).nth(at).click()
        await page.getByRole("menuitem", { name, exact: true }).click()
      }
      yield* Effect.promise(async () => {
        await add("Orders", 0)
        await page.getByText(/members? match(es)? now/).waitFor()
        assert.strictEqual(await page.getByText(/^Alone:/).count(), 0, "the estimate tells the count of the only one")
        await page.getByRole("button", { name: "Add a group" }).first().click()
        await orders.getByText(ofOrders, { exact: true }).waitFor()
        await add("Tier", 0)
        assert.strictEqual(await inner.getByText(/^(Alone|Together):/).count(), 0, "nothing of what is not complete")
        await inner.getByText("VIP", { exact: true }).click()
        await inner.getByRole("group", { name: "Tier", exact: true }).getByText(ofTier, { exact: true }).waitFor()
        await inner.getByText(ofGroup, { exact: true }).waitFor()
        assert.strictEqual(await page.getByText(/^Together:/).count(), 1, "the estimate tells the total of all")
        assert.isAtMost(await overflow(page), 0)
        await orders.getByLabel("Days").fill("0")
        await orders.getByText("must be a whole number of days from 1 to 36,500").waitFor()
        await orders.getByText(/^Alone:/).waitFor({ state: "hidden" })
        await inner.getByText(ofTier, { exact: true }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says of a segment and a campaign that are not there that they are not", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const segment = yield* open("/audience/segments/nowhere")
      const campaign = yield* open("/audience/campaigns/nowhere")
      yield* Effect.promise(async () => {
        await segment.page.getByText("Segment not found").waitFor()
        await segment.page.getByText("It may have been deleted.").waitFor()
        await campaign.page.getByText("Campaign not found").waitFor()
      })
    })
  )

  it.effect("offers tiers, rewards and the currency to those who may not read the programme", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const token = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Marketing",
        scopes: ["platform:read", "platform:write"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/audience/segments/new", { key: token.secret })
      yield* Effect.promise(async () => {
        for (const name of ["Tier", "Orders"]) {
          await page.getByRole("button", { name: "Add a condition" }).click()
          await page.getByRole("menuitem", { name, exact: true }).click()
        }
        await page.getByRole("group", { name: "Tiers" }).getByText("vip", { exact: true }).click()
        const counted = page.waitForRequest((request) => (request.postData() ?? "").includes('"minimum_spend":1250'))
        await page.getByPlaceholder("any (USD)").fill("12.5")
        await counted
        await page.getByLabel("Days").click()
        assert.strictEqual(await page.getByLabel("Spend at least").inputValue(), "12.50")
        await page.getByText("USD", { exact: true }).waitFor()
        await page.getByText(/members? match(es)? now/).waitFor()
      })
      const campaign = yield* open("/audience/campaigns/new", { key: token.secret })
      yield* Effect.promise(async () => {
        // A plain field until the figures that tell the rewards have come.
        await campaign.page.getByRole("combobox", { name: /^Reward/ }).selectOption({ label: "free-bowl" })
        await campaign.page.getByText("Your token cannot read reward names").waitFor()
      })
      assert.deepStrictEqual([...faults, ...campaign.faults], [])
    })
  )

  it.effect("makes a campaign for a pasted list, runs it with a holdout to its end, and reports the lift", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* Effect.forEach(guests, (member_id) => asSystem("PUT", "/platform/v1/members", { program_id, member_id }), {
        concurrency: 4
      })
      const { faults, page } = yield* open("/audience/segments/new")
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill("Invited guests")
        await page.getByText("A fixed list").click()
        await page.getByLabel("Member ids").fill([...guests, "nobody"].join("\n"))
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Line 25, “nobody”: is no member").waitFor()
        assert.include(await page.getByLabel("Member ids").inputValue(), "guest-23\nnobody")
        await page.getByLabel("Member ids").fill(guests.join("\n"))
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("link", { name: "Use in a campaign" }).click()
        await page.getByText("24 members now").waitFor()
        await page.getByText("Fill in every field marked * to save").waitFor()
        await page.getByLabel("Name").fill("Winter thanks")
        await page.getByLabel("Reward", { exact: false }).last().selectOption({ label: "Free bowl" })
        await page.getByText("it does nothing until you activate it").waitFor()
        await page.getByLabel("Repeatedly").check()
        await page.getByLabel("How often").selectOption({ label: "On days of the week" })
        await page.getByText("The next occurrences").waitFor()
        assert.strictEqual(await page.getByRole("listitem").filter({ hasText: "09:00" }).count(), 3)
        await page.getByLabel("Only when someone starts it").check()
        await page.getByText(/^More: how it is measured/).click()
        await page.getByLabel("Holdout, %").fill("95")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("must be a whole number from 0 to 90").waitFor()
        assert.strictEqual(await page.getByLabel("Name").inputValue(), "Winter thanks")
        assert.strictEqual(await page.getByLabel("Holdout, %").getAttribute("aria-invalid"), "true")
        await page.getByText("Not saved. Correct the marked fields.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Holdout, %").fill("50")
        await page.getByText("must be a whole number from 0 to 90").waitFor({ state: "detached" })
        assert.strictEqual(await page.getByText("Not saved. Correct the marked fields.").count(), 0)
        // A lifetime of many days is refused in the words of days, and a limit of too many digits is none.
        await page.getByLabel("Days until it expires").fill("999999")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("must be from a minute to a hundred years").waitFor()
        await page.getByLabel("Days until it expires").fill("")
        await page.getByLabel("Maximum number of members").fill("12345678901234567890")
        await page.getByText("This must be a whole number").waitFor()
        await page.getByLabel("Maximum number of members").fill("")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("button", { name: "Activate" }).click()
        await page.getByRole("dialog").getByText("it gives nothing until someone runs it").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click()
        await page.getByRole("button", { name: "Run now" }).click()
        await page.getByRole("dialog").getByText("“Invited guests” has 24 members now.").waitFor()
        await page.getByRole("dialog").getByText("About 12 × “Free bowl” will be issued.").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click()
        await page.getByText("24 of 24 members done").waitFor()
      })
      const campaign_id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
      const run_id = new URL(page.url()).searchParams.get("run") ?? ""
      const runs = yield* asSystem("GET", `/platform/v1/campaigns/runs?${new URLSearchParams({ campaign_id, run_id })}`)
      const given = runs.run.outcomes.filter(({ status }) => status === "issued").map((one) => one.member_id)
      const [first = "", second = ""] = given
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: first, display_name: "Fay First" })
      yield* Effect.forEach([first, second], pays)
      const report = yield* asSystem("GET", `/platform/v1/campaigns/report?campaign_id=${campaign_id}`).pipe(
        Effect.repeat({ until: ({ attribution }) => attribution.converted_members === 2 })
      )
      assert.isAbove(report.attribution.lift_bps, 0)
      const small = yield* open(`/audience/campaigns/${campaign_id}?run=${run_id}`, { viewport: narrow })
      yield* Effect.promise(async () => {
        await small.page.getByText("Lift: too few to say").waitFor()
        await small.page.getByText("A comparison needs 30 members who were reached and 30 who were held out.").waitFor()
        await small.page.getByText(`${given.length} members received it.`).waitFor()
        await small.page.getByText("2 orders, worth US$25.00 net of refunds.").waitFor()
        await small.page.getByRole("row", { name: "Fay First Given" }).waitFor()
        const outcome = small.page.getByRole("combobox", { name: "Outcome" })
        const shown = small.page.getByRole("region", { name: /^The run of/ })
        await outcome.selectOption({ label: `Held out (${24 - given.length})` })
        await shown
          .getByRole("row", { name: / Given/ })
          .first()
          .waitFor({ state: "hidden" })
        await shown
          .getByRole("row", { name: /guest-\d+ Held out/ })
          .first()
          .waitFor()
        await outcome.selectOption({ label: "All (24)" })
        await small.page.getByRole("link", { name: "Fay First" }).waitFor()
        assert.isAtMost(await overflow(small.page), 0)
      })
      assert.deepStrictEqual(yield* barriers(small.page), [])
      yield* Effect.promise(async () => {
        await small.page.getByRole("link", { name: "Edit" }).click()
        await small.page.getByText("The holdout cannot change after the first run").waitFor()
        assert.isTrue(await small.page.getByLabel("Holdout, %").isDisabled())
        assert.isAtMost(await overflow(small.page), 0)
        await small.page.getByRole("link", { name: "Campaigns" }).click()
        await small.page.getByRole("row", { name: /Winter thanks Active Invited guests/ }).waitFor()
        const results = small.page.getByRole("table", { name: "What campaigns cost and brought" })
        const result = results.getByRole("row", { name: /^Winter thanks/ })
        await result.getByText("cannot be told: a comparison needs 30 reached and 30 held out").waitFor()
        assert.isAtMost(await overflow(small.page), 0)
      })
      assert.deepStrictEqual(yield* barriers(small.page), [])
      assert.deepStrictEqual(small.faults, [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("tests a campaign with one guest, who finds the gift in the ledger, marked as a test", () =>
    Effect.gen(function* () {
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id,
        member_id: "own-account",
        display_name: "Olive Own"
      })
      const action = { credit: { amount: 70, reason: "Thanks" } }
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id: "untried",
        program_id,
        name: "Untried",
        segment_id: "regulars",
        action
      })
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/untried", { viewport: narrow })
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Test with one guest" }).click()
        await dialog.getByText(/The guest gets 70 .* for real, marked as a test/).waitFor()
        const give = dialog.getByRole("button", { name: "Give" })
        await dialog.getByLabel("This is my own account, or the guest has agreed").check()
        await dialog.getByRole("combobox", { name: "Guest" }).fill("Nobody at all")
        await page.getByText("No guest is found by this.").waitFor()
        assert.isTrue(await give.isDisabled())
        await dialog.getByRole("combobox", { name: "Guest" }).fill("own-account")
        await page.getByRole("option", { name: /^Olive Own/ }).click()
        await dialog.getByText(/^Olive Own gets 70 .* for real, marked as a test/).waitFor()
        await dialog.getByLabel("This is my own account, or the guest has agreed").uncheck()
        assert.isTrue(await give.isDisabled())
        await dialog.getByLabel("This is my own account, or the guest has agreed").check()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Give" }).click()
        await dialog.waitFor({ state: "detached" })
        await page.getByText("It has not run yet.").waitFor()
        await page.goto(page.url().replace("/audience/campaigns/untried", `/members/${program_id}/own-account`))
        await page.getByText("Test: Thanks").first().waitFor()
        await page.getByRole("link", { name: "Untried" }).first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("lets a changed audience of an active campaign wait, and somebody who may give confirm it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: "waits-1", display_name: "Wanda Waits" })
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: "waits-2", display_name: "Willi Waits" })
      const segment = { program_id, segment_id: "waiting", name: "Waiting list", member_ids: ["waits-1"] }
      yield* asSystem("PUT", "/platform/v1/segments", segment)
      const campaign = { program_id, campaign_id: "waiters", name: "Bowls for waiters", reward_id: "free-bowl" }
      yield* asSystem("PUT", "/platform/v1/campaigns", { ...campaign, segment_id: "waiting" })
      yield* asSystem("POST", "/platform/v1/campaigns/status", { campaign_id: "waiters", status: "active" })
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Marketing",
        scopes: ["members:read", "audience:read", "audience:write", "programs:read", "figures:read"]
      })) as { readonly secret: string }
      const marketer = yield* open("/audience/segments/waiting", { key: secret, viewport: narrow })
      yield* Effect.promise(async () => {
        const { page } = marketer
        const form = page.locator("form").first()
        await form.getByText("until somebody confirms the change (Owner, Manager):").waitFor()
        await form.getByRole("link", { name: "Bowls for waiters" }).waitFor()
        await page.getByLabel("Member ids").fill("waits-2")
        await page.getByRole("button", { name: "Save", exact: true }).click()
        await form.getByRole("status").filter({ hasText: "The change waits" }).waitFor()
        await fits(page)
        await form.getByRole("link", { name: "Bowls for waiters" }).click()
        await page.getByText("1 member comes into the audience:", { exact: true }).waitFor()
        await page.getByRole("link", { name: "Willi Waits" }).waitFor()
        await page.getByText("1 member goes out of it:", { exact: true }).waitFor()
        await page.getByText("confirmed by somebody who may give points and rewards (Owner, Manager)").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Use the new audience" }).count(), 0)
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(marketer.page), [])
      const owner = yield* open("/audience/segments/waiting")
      yield* Effect.promise(async () => {
        const { page } = owner
        await page.getByLabel("Member ids").waitFor()
        assert.strictEqual(await page.getByText("until somebody confirms").count(), 0)
        await page.goto(page.url().replace("segments/waiting", "campaigns/waiters"))
        await page.getByText("A changed audience waits").waitFor()
        await page.getByRole("button", { name: "Use the new audience" }).click()
        await page.getByRole("dialog").getByRole("link", { name: "Wanda Waits" }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(owner.page), [])
      yield* Effect.promise(async () => {
        const { page } = owner
        await page.getByRole("dialog").getByRole("button", { name: "Use the new audience" }).click()
        await page.getByText("A changed audience waits").waitFor({ state: "detached" })
        await page.reload()
        await page.getByRole("heading", { name: "Bowls for waiters" }).waitFor()
        await page.getByRole("button", { name: "Run now" }).click()
        await page.getByRole("dialog").getByText("Waiting list").waitFor()
        assert.strictEqual(await page.getByText("A changed audience waits").count(), 0)
        await marketer.page.reload()
        await marketer.page.getByRole("heading", { name: "Bowls for waiters" }).waitFor()
        await marketer.page.getByRole("table").first().waitFor()
        assert.strictEqual(await marketer.page.getByText("A changed audience waits").count(), 0)
      })
      assert.deepStrictEqual([...marketer.faults, ...owner.faults], [])
    })
  )

  it.effect("archives a campaign and its segment, shows both below the others, and restores them", () =>
    Effect.gen(function* () {
      const segment = { segment_id: "past", name: "Guests of the past", program_id, rules: { has: "email" } }
      const campaign = { campaign_id: "past", program_id, segment_id: "past", reward_id: "free-bowl" }
      yield* asSystem("PUT", "/platform/v1/segments", segment)
      yield* asSystem("PUT", "/platform/v1/campaigns", { ...campaign, name: "Past thanks" })
      const { faults, page } = yield* (yield* Console).open("/audience/segments/past")
      const confirm = async (name: string): Promise<void> => {
        await page.getByRole("button", { name, exact: true }).click()
        await page.getByRole("dialog").getByRole("button", { name, exact: true }).click()
      }
      yield* Effect.promise(async () => {
        await confirm("Archive")
        await page.getByText("It cannot be archived: a campaign or another segment still uses it.").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("link", { name: "Campaigns" }).click()
        await page.getByRole("link", { name: "Past thanks" }).click()
        await confirm("Archive")
        await page.getByText("Archived", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Restore" }).waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Activate" }).count(), 0)
        await page.getByRole("link", { name: "All campaigns" }).click()
        const archived = page.getByRole("button", { name: "Archived (1)" })
        await archived.waitFor()
        assert.strictEqual(await page.getByRole("link", { name: "Past thanks" }).count(), 0)
        await archived.click()
        await page.getByRole("row", { name: /Past thanks Archived Guests of the past/ }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Guests of the past" }).click()
        await confirm("Archive")
        await page.getByText("This segment is archived. Restore it to change or use it.").waitFor()
        await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
        assert.strictEqual(await page.getByRole("link", { name: "Use in a campaign" }).count(), 0)
        await page.getByRole("link", { name: "All segments" }).click()
        await page.getByRole("button", { name: "Archived (1)" }).click()
        await page.getByRole("row", { name: /Guests of the past By rules \d+ Past thanks/ }).waitFor()
        await page.setViewportSize(narrow)
        await fits(page)
        await page.getByRole("link", { name: "Past thanks" }).click()
        await confirm("Restore")
        await page.getByText("Restore first what it uses: its segment is archived.").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("link", { name: "Guests of the past" }).click()
        await confirm("Restore")
        await page.getByRole("button", { name: "Save" }).waitFor()
        await page.getByRole("link", { name: "Campaigns" }).click()
        await page.getByRole("button", { name: "Archived (1)" }).click()
        await page.getByRole("link", { name: "Past thanks" }).click()
        await confirm("Restore")
        await page.getByRole("button", { name: "Activate" }).waitFor()
        await confirm("Delete")
        await page.getByRole("link", { name: "A bowl for regulars" }).waitFor()
        await page.getByRole("link", { name: "Past thanks" }).waitFor({ state: "hidden" })
        await page.getByRole("button", { name: /^Archived/ }).waitFor({ state: "hidden" })
      })
      // A conflict and what waits for its segment are refusals, which the browser logs.
      assert.deepStrictEqual(
        faults.filter((one) => !/409/.test(one)),
        []
      )
    })
  )

  it.effect("keeps what was typed where somebody else has changed a segment or a campaign meanwhile", () =>
    Effect.gen(function* () {
      const segment = { segment_id: "contested", name: "Contested", program_id, rules: { has: "email" } }
      const campaign = { campaign_id: "contested", program_id, segment_id: "contested", reward_id: "free-bowl" }
      yield* asSystem("PUT", "/platform/v1/segments", segment)
      yield* asSystem("PUT", "/platform/v1/campaigns", { ...campaign, name: "Contested" })
      const { faults, page } = yield* (yield* Console).open("/audience/segments/contested")
      const nameOf = (answer: unknown, kind: string) =>
        ((answer as Record<string, ReadonlyArray<{ name: string }>>)[kind] ?? []).map(({ name }) => name)
      const typed = (name: string) =>
        Effect.promise(async () => {
          await page.getByLabel("Name", { exact: false }).first().fill(name)
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("alert").getByText("someone else changed this after you opened it").waitFor()
          assert.strictEqual(await page.getByLabel("Name", { exact: false }).first().inputValue(), name)
        })
      yield* Effect.promise(() => page.getByLabel("Name", { exact: false }).first().waitFor())
      yield* asSystem("PUT", "/platform/v1/segments", { ...segment, name: "Theirs" })
      yield* typed("Mine")
      assert.deepStrictEqual(yield* barriers(page), [])
      const stored = asSystem("GET", `/platform/v1/segments?program_id=${program_id}&segment_id=contested`)
      assert.deepStrictEqual(nameOf(yield* stored, "segments"), ["Theirs"])
      yield* Effect.promise(async () => {
        await page.getByLabel("Overwrite the other change").check()
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Saved", { exact: false }).first().waitFor()
        await page.getByRole("heading", { name: "Mine" }).waitFor()
      })
      assert.deepStrictEqual(nameOf(yield* stored, "segments"), ["Mine"])
      yield* Effect.promise(async () => {
        await page.goto(page.url().replace("/segments/contested", "/campaigns/contested/edit"))
        await page.getByRole("button", { name: "Save" }).waitFor()
      })
      yield* asSystem("PUT", "/platform/v1/campaigns", { ...campaign, name: "Theirs" })
      yield* typed("My campaign")
      assert.deepStrictEqual(faults, [])
    })
  )
}
