/** Matters that need attention on the console's page Today, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** Answers of the service, changed. */
const change = (page: Page, at: string, changed: (told: Record<string, unknown>) => Record<string, unknown>) =>
  page.route(at, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: changed((await answer.json()) as Record<string, unknown>) })
  })

const routes = {
  attention: "**/admin/api/v1/attention?*",
  overview: "**/admin/api/v1/overview*",
  connectors: "**/platform/v1/connectors?*",
  imports: "**/platform/v1/imports?*",
  locations: "**/admin/api/v1/locations*",
  programs: "**/admin/api/v1/programs?*"
}

const serves = (page: Page, facts: { readonly environment: string; readonly behindMinutes: number }) =>
  change(page, routes.overview, (told) => ({
    ...told,
    as_of: minutesAgo(facts.behindMinutes),
    service: { ...(told["service"] as object), environment: facts.environment }
  }))

const imported = (import_id: string, status: string, failed: number, minutes: number) => ({
  ...{ import_id, program_id: "demo-foodservice", status, submitted: 3, created: 3 - failed, updated: 0, failed },
  ...{ created_by: "root", created_at: minutesAgo(minutes), completed_at: minutesAgo(minutes) }
})

const day = 24 * 60

export const attention = (it: It): void => {
  it.effect("names what needs attention, each with a link, on a narrow screen too", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members", { viewport: narrow, colorScheme: "dark" })
      const panel = page.getByRole("status").filter({ hasText: "Needs attention" })
      yield* Effect.promise(async () => {
        await serves(page, { environment: "live", behindMinutes: 5 })
        await change(page, routes.imports, (told) => ({
          ...told,
          imports: [
            imported("import-none", "failed", 3, 10),
            imported("import-some", "partial", 1, 20),
            imported("import-all", "completed", 0, 30),
            imported("import-old", "failed", 3, 8 * day)
          ]
        }))
        await change(page, routes.locations, (told) => ({
          ...told,
          locations: [
            { location_id: "pier", name: "Old Pier", last_order_at: minutesAgo(2 * day + 60) },
            { location_id: "busy", name: "Busy", last_order_at: minutesAgo(60) },
            { location_id: "new", name: "New" }
          ]
        }))
        await change(page, routes.attention, (told) => ({
          ...told,
          guests: [
            { member_id: "member-002", business_date: "2026-11-27", orders: 41, location_id: "busy" },
            { business_date: "2026-11-26", orders: 40 }
          ],
          gifts: [
            {
              ...{ audit_id: "aud_2", member_id: "member-003", at: "2026-11-27T15:00:00.000Z" },
              ...{ amount: 4_000, unit: "points", median: 500, by: "Mia Support" }
            },
            { audit_id: "aud_1", at: "2026-11-26T15:00:00.000Z", amount: 1_000, unit: "stamps" }
          ],
          moves: [
            { member_id: "member-004", taken: 3, received: 0, at: "2026-11-27T15:00:00.000Z", by: "Mia Support" }
          ],
          audiences: [{ campaign_id: "bowl-for-regulars", name: "A bowl for regulars", segments: ["regulars"] }]
        }))
        await change(page, routes.programs, (told) => ({
          ...told,
          programs: (told["programs"] as ReadonlyArray<object>).map((one) => ({ ...one, status: "retired" }))
        }))
        // The list of programmes was read already: read again, it is the changed one.
        await page.reload()
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("link", { name: "Today" }).click()
        await panel.getByRole("button", { name: /^Show all \d+$/ }).click()
        await panel.getByText("Old Pier has had no orders on 2 days it is usually open").waitFor()
        await panel.getByText(/^Figures are late: they include everything up to /).waitFor()
        await panel.getByText("The programme is retired").waitFor()
        await panel.getByText("imported no rows").waitFor()
        await panel.getByText("has 1 row that failed").waitFor()
        await panel.getByText("member-002 had 41 orders on 27 Nov 2026, mainly at Busy", { exact: true }).waitFor()
        await panel.getByText("A guest had 40 orders on 26 Nov 2026", { exact: true }).waitFor()
        const gift = "got 4,000 points by hand on 27 Nov 2026, 10:00 (America/New_York), from Mia Support"
        await panel.getByText(`member-003 ${gift}; half of all gifts are at most 500 points`, { exact: true }).waitFor()
        await panel.getByText("A guest got 1,000 stamps by hand on 26 Nov 2026, 10:00 (America/New_York)").waitFor()
        const moved = "had 3 orders moved away and got 0 from others this week, the last on 27 Nov 2026, 10:00"
        await panel.getByText(`member-004 ${moved} (America/New_York), by Mia Support: after`).waitFor()
        await panel
          .getByText("A bowl for regulars still gives to its former audience: a change of it waits until somebody")
          .waitFor()
        assert.strictEqual(await panel.getByRole("link").count(), 9)
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const href = await panel.getByRole("link", { name: "member-002" }).getAttribute("href")
        assert.strictEqual(href, "/console/members/demo-foodservice/member-002")
        await panel.getByRole("link", { name: "Old Pier" }).click()
        await page.waitForURL(/\/today\/figures#restaurants$/)
        await page.getByRole("heading", { name: "All figures", level: 1 }).waitFor()
        await page.goBack()
        await panel.getByRole("button", { name: /^Show all \d+$/ }).click()
        await panel.getByRole("link", { name: "A bowl for regulars" }).click()
        await page.waitForURL(/\/console\/audience\/campaigns\/bowl-for-regulars$/)
        await page.goBack()
        await panel.getByRole("link", { name: "The programme" }).click()
        await page.waitForURL(/\/console\/programme/)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says that nothing needs attention only if all was looked at, and names a sandbox", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      const told = page.getByRole("status")
      yield* Effect.promise(async () => {
        await change(page, routes.imports, (answer) => ({ ...answer, imports: [] }))
        await change(page, routes.locations, (answer) => ({ ...answer, locations: [] }))
        await change(page, routes.attention, (answer) => ({
          ...answer,
          guests: [],
          orders: [],
          gifts: [],
          moves: [],
          audiences: []
        }))
        await change(page, routes.connectors, (answer) => ({ ...answer, connectors: [] }))
        await serves(page, { environment: "live", behindMinutes: 0 })
        await page.getByRole("link", { name: "Today" }).click()
        await told.getByText("Nothing needs attention").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // A sandbox's clock may be anywhere.
        await serves(page, { environment: "sandbox", behindMinutes: 60 })
        await told.getByText("The service is a sandbox: nothing here is real").waitFor()
        assert.strictEqual(await told.getByText("are late").count(), 0)
        await told.getByRole("link", { name: "The service" }).waitFor()
        const refused = { type: "about:blank", title: "Forbidden", status: 403, detail: "No.", code: "forbidden" }
        await page.route(routes.imports, (route) =>
          route.fulfill({ status: 403, json: { ...refused, instance: "/platform/v1/imports" } })
        )
        await page.reload()
        await told.getByText("Not known at present: imports.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("leads from a sandbox to Developers only those who may open it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Sees figures",
        scopes: ["figures:read"]
      })) as { readonly secret: string }
      const { page } = yield* open("/members", { key: secret })
      yield* Effect.promise(async () => {
        await serves(page, { environment: "sandbox", behindMinutes: 0 })
        await page.getByRole("link", { name: "Today" }).click()
        await page.getByText("The service is a sandbox: nothing here is real").waitFor()
        assert.strictEqual(await page.getByRole("link", { name: "The service" }).count(), 0)
      })
    })
  )
}
