/** The console's campaigns with triggers, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { readFile } from "node:fs/promises"
import { barriers, Console, layer as consoleLayer, fits, keepRouting, narrow, overflow } from "../Console.ts"
import { asSystem, pays } from "./Audience.ts"

const program_id = "demo-foodservice"

interface Shown {
  readonly campaign: Readonly<Record<string, unknown>>
  readonly triggered: { readonly issued: number; readonly waiting: number }
}

/** A campaign as the service has it. */
const stored = (id: string) =>
  Effect.map(
    asSystem("GET", `/platform/v1/campaigns?campaign_id=${id}`),
    (shown) => (shown as unknown as Shown).campaign
  )

const idOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? ""

const save = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("link", { name: "Edit" }).waitFor()
}

layer(consoleLayer, { excludeTestServices: true })("the console's automations", (it) => {
  it.effect("makes a campaign for a first order, changes it, and says in words what it does and what it gave", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/new")
      yield* Effect.promise(async () => {
        await page.getByRole("radiogroup", { name: "When it runs" }).waitFor()
        await page.getByLabel("Name").fill("First order gift")
        await page.getByRole("radiogroup", { name: "How it starts" }).getByLabel("When something happens").check()
        await page.getByLabel("What happens").selectOption({ label: "An order earns points" })
        await page.getByRole("combobox", { name: "Locations" }).fill("location-1")
        await page.getByLabel("Minimum spend").fill("10")
        await page.getByLabel("Only a member's first order").check()
        await page.getByRole("combobox", { name: /^Reward/ }).selectOption({ label: "Free bowl" })
        // A segment is no part of it: anybody gets the gift.
        assert.strictEqual(await page.getByLabel("Only members in the segment").inputValue(), "")
        await page.getByLabel("How often for one member").selectOption({ label: "Once in some days" })
        assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
        await page.getByLabel("How often for one member").selectOption({ label: "Once ever" })
        const preview = page.getByRole("group", { name: "As guests read it" })
        await preview.getByText("Guests read nothing").waitFor()
        await page.getByLabel("Heading for guests").fill("Hello 🍜")
        await page.getByLabel("Text for guests").fill("Thank you for your first order.")
        await page.getByText("7 of 60 characters").waitFor()
        await page.getByText("31 of 280 characters").waitFor()
        assert.match(await preview.innerText(), /^Hello 🍜\s+Thank you for your first order\.$/)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(() => save(page))
      const id = idOf(page)
      assert.deepInclude(yield* stored(id), {
        guest_name: "Hello 🍜",
        guest_text: "Thank you for your first order.",
        trigger: {
          on: "order.accrued",
          where: { location_ids: ["location-1"], minimum_spend: { amount: 1_000, currency: "USD" }, first_order: true }
        }
      })
      yield* Effect.promise(async () => {
        await page.getByText("When a member's first order earns points, at location-1, of at least US$10.00").waitFor()
        await page.getByText("once for each member").waitFor()
        await page.getByText("Hello 🍜: Thank you for your first order.").waitFor()
        await page.getByText("Nothing has triggered it yet").waitFor()
        await page.getByRole("link", { name: "Edit" }).click()
        await page.getByText("This cannot change. Create another campaign instead.").waitFor()
        await page.getByText(/^More: how it is measured/).click()
        await page.getByLabel("Times").fill("2")
        assert.isNotNull(await page.getByLabel("In days").getAttribute("required"))
        assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
        await page.getByLabel("In days").fill("30")
        await save(page)
        await page.getByText("twice in 30 days").waitFor()
        await page.getByRole("button", { name: "Activate" }).click()
        await page.getByRole("dialog").getByText("What happened before counts for nothing").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click()
        // The dialog that activates never offers the opposite, not even while it closes.
        await page.getByRole("button", { name: "Pause" }).waitFor()
      })
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: "newcomer" })
      yield* pays("newcomer")
      yield* asSystem("GET", `/platform/v1/campaigns/report?campaign_id=${id}`).pipe(
        Effect.repeat({ until: (report) => (report as unknown as Shown).triggered.issued === 1 })
      )
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByRole("region", { name: "What it gave so far" }).getByText("Given", { exact: true }).waitFor()
        await page.getByText("1 member received it.").waitFor()
        await page.getByRole("row", { name: /^newcomer .* Given / }).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Pause" }).click()
        await page.getByRole("dialog").getByText("what happens meanwhile counts for nothing").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click()
        await page.getByRole("button", { name: "Resume" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click()
        await page.getByRole("button", { name: "Pause" }).waitFor()
        await page.getByRole("button", { name: "Back to draft" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Back to draft" }).click()
        await page.getByRole("link", { name: "All campaigns" }).click()
        await page
          .getByRole("row", { name: /First order gift Draft Anybody .* When a member's first order earns points/ })
          .waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("gives to who brought a friend: 14 days later, only with a frequency, and shows a fault at its field", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/new", {
        viewport: narrow,
        colorScheme: "dark"
      })
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill("Bring a friend")
        await page.getByLabel("When something happens").check()
        await page.getByLabel("Who gets it").selectOption({ label: "Who brought the member" })
        assert.strictEqual(await page.getByLabel("Delay", { exact: true }).inputValue(), "14")
        await page.getByText("Points", { exact: true }).click()
        await page.getByLabel("Amount").fill("200")
        await page.getByLabel("Reason").fill("Thanks for your friend")
        await page.getByText(/^More: how it is measured/).click()
        await page.getByLabel("In days").fill("")
        assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
        await page.getByLabel("In days").fill("9999")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("must be a whole number from 1 to 3,660").waitFor()
        assert.strictEqual(await page.getByLabel("In days").getAttribute("aria-invalid"), "true")
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("In days").fill("30")
        await save(page)
        await page.getByText("When the first order of a friend earns points").waitFor()
        await page.getByText("14 days later, once for each friend").waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepInclude(yield* stored(idOf(page)), {
        trigger: { on: "order.accrued", to: "referrer", delay_seconds: 1_209_600 },
        frequency: { times: 5, days: 30 }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("proposes once in 300 days for a birthday, and keeps a frequency when something else changes", () =>
    Effect.gen(function* () {
      yield* asSystem("PUT", "/platform/v1/segments", {
        segment_id: "birthdays",
        program_id,
        name: "Birthday today",
        rules: { all: [{ status: ["active"] }, { birthday_within_days: 0 }] }
      })
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/new?segment=birthdays")
      yield* Effect.promise(async () => {
        await page.getByText("once in 300 days").waitFor()
        await page.getByLabel("Name").fill("Birthday bowl")
        await page.getByLabel("Repeatedly").check()
        await page.getByText("If the service is down when a run is due").waitFor()
        await page.getByLabel("How often").selectOption({ label: "Monday to Friday" })
        await page.getByText("There are up to 3 days between two runs").waitFor()
        await page.getByLabel("Only when someone starts it").check()
        await page.getByText("days between two runs").waitFor({ state: "hidden" })
        await page.getByRole("combobox", { name: /^Reward/ }).selectOption({ label: "Free bowl" })
        await save(page)
      })
      const id = idOf(page)
      assert.deepInclude(yield* stored(id), { frequency: { times: 1, days: 300 } })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Edit" }).click()
        await page.getByLabel("Name").fill("Birthday bowls")
        await save(page)
        await page.getByRole("heading", { name: "Birthday bowls" }).waitFor()
      })
      assert.deepInclude(yield* stored(id), { frequency: { times: 1, days: 300 } })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says before a run by hand who has it already, and that nobody gets it then", () =>
    Effect.gen(function* () {
      const campaign_id = "forecast"
      const member_ids = ["guest-a", "guest-b", "guest-c"]
      for (const member_id of member_ids) yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id })
      yield* asSystem("PUT", "/platform/v1/segments", { segment_id: "few", program_id, name: "Few", member_ids })
      const action = { credit: { amount: 50, reason: "thanks" } }
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id,
        name: "Few thanks",
        program_id,
        segment_id: "few",
        action,
        frequency: { times: 1, days: 300 }
      })
      yield* asSystem("POST", "/platform/v1/campaigns/status", { campaign_id, status: "active" })
      const { faults, page } = yield* (yield* Console).open(`/audience/campaigns/${campaign_id}`)
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Run now" }).click()
        await dialog.getByText("Up to 3 × 50 Points will be credited: 150 Points.").waitFor()
        await dialog.getByRole("button", { name: "Cancel" }).click()
      })
      // As a scheduled run does, which has a key of its own.
      yield* asSystem("POST", "/platform/v1/campaigns/run", { campaign_id, run_key: "scheduled" })
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByRole("button", { name: "Run now" }).click()
        await dialog.getByText("3 got it, or were held out, as often as one member may.").waitFor()
        await dialog.getByText("Nobody gets anything now.").waitFor()
        await dialog.getByLabel("Include members reached by an earlier run").check()
        await dialog.getByText("Nobody gets anything now.").waitFor()
        assert.strictEqual(await dialog.getByText("will be credited").count(), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      // The member's page says whose points they are.
      yield* Effect.promise(async () => {
        await page.goto(page.url().replace(/audience.*/, `members/${program_id}/guest-a`))
        const row = page.getByRole("row", { name: /Campaign .*thanks .*50 .*Few thanks/ })
        await row.getByRole("link", { name: "Few thanks" }).click()
        await page.getByRole("heading", { name: "Few thanks" }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says before an activation whom a repeated campaign reaches, how often, and what a month of it costs", () =>
    Effect.gen(function* () {
      const member_ids = ["guest-p", "guest-q", "guest-r"]
      for (const member_id of member_ids) yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id })
      yield* asSystem("PUT", "/platform/v1/segments", { segment_id: "trio", program_id, name: "Trio", member_ids })
      const campaign = {
        campaign_id: "daily",
        name: "Daily thanks",
        program_id,
        segment_id: "trio",
        action: { credit: { amount: 50, reason: "thanks" } },
        schedule: { repeat: { cron: "0 8 * * *", time_zone: "America/New_York" } }
      }
      yield* asSystem("PUT", "/platform/v1/campaigns", campaign)
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/daily", { viewport: narrow })
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Activate" }).click()
        await dialog.getByText("“Trio” has 3 members now.").waitFor()
        await dialog.getByText("Up to 3 × 50 Points will be credited: 150 Points.").waitFor()
        await dialog.getByText(/It repeats: Every day at 0?8:00.*, 30 runs in 30 days\./).waitFor()
        await dialog.getByText("Each guest gets it again in every run").waitFor()
        await dialog.getByText("In 30 days about 4,500 Points, if the segment keeps its size.").waitFor()
        await dialog.getByText("Points have no set value, so nobody can tell what it costs.").waitFor()
        await dialog.getByRole("link", { name: "Set what points are worth" }).waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByRole("link", { name: "Set how often one guest may get it" }).click()
        await page.getByText("Empty: each guest gets it again every time").waitFor()
      })
      yield* asSystem("PUT", "/platform/v1/campaigns", { ...campaign, frequency: { times: 1, days: 300 } })
      yield* Effect.promise(async () => {
        await keepRouting(page)
        await page.route("**/admin/api/v1/programs/demo-foodservice", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as { readonly program: object }
          const point_value = { points: 100, worth: { amount: 75, currency: "USD" } }
          await route.fulfill({ response: answer, json: { ...told, program: { ...told.program, point_value } } })
        })
        await page.goto(page.url().replace("/edit", ""))
        await page.getByRole("button", { name: "Activate" }).click()
        await dialog.getByText("A run costs at most US$1.13.").waitFor()
        await dialog.getByText("About US$1.13 to US$33.75 a month.").waitFor()
        await dialog.getByText("One guest gets it at most once in 300 days.").waitFor()
        await dialog
          .getByText("about 150 Points where it has the same guests in every run, and up to 4,500 Points")
          .waitFor()
        assert.strictEqual(await dialog.getByText("again in every run").count(), 0)
      })
      // Nobody activates another audience than the one that is shown.
      const fewer = { segment_id: "trio", program_id, name: "Trio", member_ids: member_ids.slice(1) }
      yield* asSystem("PUT", "/platform/v1/segments", fewer)
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Activate" }).click()
        await dialog.getByText("the campaign or its segment has changed since you opened this").waitFor()
        await dialog.getByText("“Trio” has 2 members now.").waitFor()
        await dialog.getByRole("button", { name: "Activate" }).click()
        await page.getByRole("button", { name: "Pause" }).waitFor()
      })
      yield* asSystem("POST", "/platform/v1/campaigns/status", { campaign_id: "daily", status: "draft" })
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id: "each-order",
        name: "Each order",
        program_id,
        trigger: { on: "order.accrued", once: "event" },
        action: { credit: { amount: 50, reason: "thanks" } },
        limit: { amount: 1_000 }
      })
      yield* Effect.promise(async () => {
        await page.goto(page.url().replace("/daily", "/each-order"))
        await page.getByRole("button", { name: "Activate" }).click()
        await dialog.getByText("Each time it costs at most US$0.38. Nobody can tell how often it happens.").waitFor()
        await dialog.getByText("In all it costs at most US$7.50, by its limit.").waitFor()
        await dialog.getByText("It gives 50 Points, each time.").waitFor()
        await dialog.getByText("Each guest gets it again every time it happens.").waitFor()
        // Once it is over, nothing can be activated.
        await page.route("**/platform/v1/campaigns?campaign_id=each-order", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as { readonly campaign: object }
          const schedule = { ends_at: "2026-01-01T00:00:00.000Z" }
          await route.fulfill({ response: answer, json: { ...told, campaign: { ...told.campaign, schedule } } })
        })
        await page.reload()
        await page.getByRole("button", { name: "Activate" }).click()
        await dialog.getByText("Its end or its schedule is over: it will never run.").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Activate" }).isDisabled())
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("begins a campaign as a copy of another, and deletes a draft", () =>
    Effect.gen(function* () {
      const campaign_id = "to-copy"
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id,
        name: "Welcome",
        guest_name: "Hello",
        guest_text: "A gift for you.",
        program_id,
        trigger: { on: "member.enrolled", delay_seconds: 7_200 },
        action: { credit: { amount: 40, reason: "Hello" } },
        holdout_percent: 20
      })
      const { faults, page } = yield* (yield* Console).open(`/audience/campaigns/${campaign_id}`)
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Duplicate" }).click()
        await page.waitForURL(/campaigns\/new\?copy=to-copy/)
        assert.strictEqual(await page.getByLabel("Name").inputValue(), "Welcome (copy)")
        assert.strictEqual(await page.getByLabel("Holdout, %").inputValue(), "20")
        await save(page)
        await page.getByRole("status").getByText("Saved: Welcome (copy).").waitFor()
        assert.notStrictEqual(idOf(page), campaign_id)
      })
      const copy = yield* stored(idOf(page))
      const { action, guest_name, guest_text, holdout_percent, status, trigger } = yield* stored(campaign_id)
      assert.deepInclude(copy, { action, guest_name, guest_text, holdout_percent, status, trigger })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Delete" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByText("The draft “Welcome (copy)” is gone for good.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await page.waitForURL(/campaigns$/)
        await page.getByRole("link", { name: "Welcome", exact: true }).waitFor()
        assert.strictEqual(await page.getByRole("link", { name: "Welcome (copy)" }).count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says in the list how a campaign repeats, and of a lift how certain it is", () =>
    Effect.gen(function* () {
      const campaign_id = "mornings"
      const member_ids = ["guest-d", "guest-e"]
      for (const member_id of member_ids) yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id })
      yield* asSystem("PUT", "/platform/v1/segments", { segment_id: "pair", program_id, name: "Pair", member_ids })
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        campaign_id,
        name: "Mornings",
        program_id,
        segment_id: "pair",
        reward_id: "free-bowl",
        schedule: { repeat: { cron: "0 8 * * *", time_zone: "America/New_York" } },
        holdout_percent: 90,
        limit: { rewards: 1 }
      })
      yield* asSystem("POST", "/platform/v1/campaigns/status", { campaign_id, status: "active" })
      yield* asSystem("POST", "/platform/v1/campaigns/run", { campaign_id })
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns")
      yield* Effect.promise(async () => {
        await page.getByRole("row", { name: /Mornings .*Every day at 0?8:00.*, next .*8:00/ }).waitFor()
        await page.getByRole("link", { name: "Mornings" }).click()
        await page.getByText("1 member", { exact: true }).waitFor()
        const report =
          (converted_members: number, held: number, lift_interval_bps?: object) => async (route: Route) => {
            const answer = await route.fetch()
            const holdout = {
              members: 40,
              converted_members: held,
              conversion_rate_bps: held * 250,
              conversions: held,
              attributed_value: []
            }
            const lift_bps = converted_members * 100 - held * 250
            const counted = { targeted_members: 100, converted_members, holdout, lift_bps, lift_interval_bps }
            const told = (await answer.json()) as { readonly attribution: object }
            await route.fulfill({
              response: answer,
              json: { ...told, attribution: { ...told.attribution, ...counted } }
            })
          }
        const address = "**/platform/v1/campaigns/report*"
        await keepRouting(page)
        // The holdout is a matter of chance: the report is given.
        await page.route(address, report(0, 0))
        await page.reload()
        await page.getByText("Lift: too few to say", { exact: true }).waitFor()
        await page.unroute(address)
        await page.route(address, report(0, 0, { low: -876, high: 370 }))
        await page.reload()
        await page.getByText("Lift: no order counts yet").waitFor()
        await page.route(address, report(30, 6, { low: -174, high: 2_754 }))
        await page.reload()
        await page.getByText("Lift: 15.0 percentage points more than the holdout").waitFor()
        await page.getByText("between −1.7 and +27.5 percentage points. It may be chance.").waitFor()
        await page.route(address, report(10, 16, { low: -4_610, high: -1_447 }))
        await page.reload()
        await page.getByText("Lift: 30.0 percentage points less than the holdout").waitFor()
        await page.getByText("between −46.1 and −14.5 percentage points.").waitFor()
        assert.strictEqual(await page.getByText("It may be chance").count(), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "tells what a campaign cost, how much was used, and of a value without a holdout that it is no effect",
    () =>
      Effect.gen(function* () {
        const campaign_id = "costly"
        const member_ids = ["guest-f", "guest-g"]
        for (const member_id of member_ids) yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id })
        yield* asSystem("PUT", "/platform/v1/segments", { segment_id: "duo", program_id, name: "Duo", member_ids })
        yield* asSystem("PUT", "/platform/v1/campaigns", {
          campaign_id,
          name: "Costly thanks",
          program_id,
          segment_id: "duo",
          action: { credit: { amount: 150, reason: "thanks" } }
        })
        yield* asSystem("POST", "/platform/v1/campaigns/status", { campaign_id, status: "active" })
        yield* asSystem("POST", "/platform/v1/campaigns/run", { campaign_id })
        const { faults, page } = yield* (yield* Console).open("/programme")
        const results = page.getByRole("region", { name: "Results" })
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.goto(page.url().replace("/programme", "/audience/campaigns"))
          const row = page
            .getByRole("table", { name: "What campaigns cost and brought" })
            .getByRole("row", { name: /^Costly thanks/ })
          await row.getByText("300 points, points have no set value").waitFor()
          assert.strictEqual(await row.getByText("$").count(), 1)
          assert.match(
            (await row.getByRole("link", { name: "Set what points are worth" }).getAttribute("href")) ?? "",
            /programme$/
          )
          await row.getByRole("link", { name: "Costly thanks" }).click()
          await page.getByRole("heading", { name: "Costly thanks" }).waitFor()
          await page.goto(page.url().replace(/audience.*/, "programme"))
          await page.getByRole("heading", { level: 1 }).waitFor()
          await keepRouting(page)
          await page.route("**/admin/api/v1/programs/*", async (route) => {
            const answer = await route.fetch()
            const told = (await answer.json()) as { readonly program: object }
            const point_value = { points: 100, worth: { amount: 75, currency: "USD" } }
            await route.fulfill({ response: answer, json: { ...told, program: { ...told.program, point_value } } })
          })
          const address = "**/platform/v1/campaigns/report*"
          await page.route(address, async (route) => {
            const answer = await route.fetch()
            const told = (await answer.json()) as { readonly given: object; readonly attribution: object }
            await route.fulfill({
              response: answer,
              json: {
                ...told,
                given: { ...told.given, rewards_issued: 40, rewards_redeemed: 12 },
                cost: {
                  points: { amount: 225, currency: "USD" },
                  rewards: { amount: 0, currency: "USD" },
                  unvalued_rewards: 0
                },
                attribution: {
                  ...told.attribution,
                  conversions: 1,
                  attributed_value: [{ amount: 2_500, currency: "USD" }]
                }
              }
            })
          })
          await page.goto(page.url().replace("/programme", `/audience/campaigns/${campaign_id}`))
          await results.getByText("Given: Points").waitFor()
          await results.getByText("300", { exact: true }).waitFor()
          await results.getByText("US$2.25", { exact: true }).waitFor()
          await results.getByText("12 (30%)", { exact: true }).waitFor()
          await results.getByText("Not the campaign's effect: there is no holdout").waitFor()
          await results.getByText("so nobody can tell the campaign's effect").waitFor()
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            results.getByRole("button", { name: /^CSV: Costly thanks/ }).click()
          ])
          assert.match(file.suggestedFilename(), /^costly-thanks-results-\d{4}-\d\d-\d\d\.csv$/)
          const rows = (await readFile(await file.path(), "utf8")).trim().split("\r\n")
          for (const row of ["Rewards used,12,,", "Given: points,300,,", "Cost,2.25,USD,at today’s value"])
            assert.include(rows, row)
          assert.include(rows, "Attributed value,25.00,USD,Not the campaign's effect: there is no holdout")
          await page.setViewportSize(narrow)
          await fits(page)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("says of a referral whose segment is meant, what a small first order does, and what a change leaves", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/campaigns/new")
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill("Friends")
        await page.getByLabel("When something happens").check()
        await page.getByText("Who gets something must be in it when it is given.").waitFor()
        await page.getByLabel("Who gets it").selectOption({ label: "Who brought the member" })
        await page.getByText("Who brought the member must be in it when it is given, not the friend.").waitFor()
        await page.getByText("A first order below it gives nothing, and no later order takes its place.").waitFor()
        await page.getByText("Fixed: it is the friend's first order.").waitFor()
        await page.getByRole("combobox", { name: /^Reward/ }).selectOption({ label: "Free bowl" })
        await save(page)
        await page.getByRole("button", { name: "Activate" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click()
        await page.getByRole("button", { name: "Pause" }).waitFor()
        await page.getByRole("link", { name: "Edit" }).click()
        await page.getByText("What already waits keeps its day and what it gives.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
})
