/** The charts of all figures, a click away from Today, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { readFile } from "node:fs/promises"
import type { Analytics } from "../../../src/contract/platform/Analytics.ts"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"
import { sheetIn } from "../shared/spreadsheets/Xlsx.ts"

const shown = new Intl.NumberFormat("en-GB")
const number = (value: number): string => shown.format(value).replace("-", "−")

/** The numbers beside a chart, by their labels. */
const numbersOf = async (page: Page, title: string): Promise<Readonly<Record<string, string>>> => {
  const numbers = page.getByRole("region", { name: title, exact: true }).locator("dl > div")
  await numbers.first().waitFor()
  return numbers.evaluateAll((all) =>
    Object.fromEntries(
      all.map((one) => [
        one.querySelector("dt")?.textContent?.trim() ?? "",
        one.querySelector("dd")?.textContent?.trim() ?? ""
      ])
    )
  )
}

/** The cells of a chart's table. */
const tableOf = async (page: Page, title: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  await page.getByRole("button", { name: `Show as table: ${title}` }).click()
  const table = page.getByRole("table", { name: `${title} as a table` })
  await table.waitFor()
  const rows = table.locator("tbody tr")
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent ?? ""))
  )
}

type Bucket = Analytics["loyalty"]["ledger_by_bucket"][number]

/** Without what came from another provider. */
const adjustedIn = ({ adjusted, imported = 0 }: Bucket): number => adjusted - imported

const pointsOf = ({ loyalty }: Analytics) => {
  const total = (of: (one: Bucket) => number) => loyalty.ledger_by_bucket.reduce((all, one) => all + of(one), 0)
  const sum = (word: "issued" | "redeemed" | "reversed" | "expired") => number(total((one) => one[word]))
  return {
    Issued: sum("issued"),
    Redeemed: sum("redeemed"),
    Reversed: sum("reversed"),
    Expired: sum("expired"),
    Adjusted: number(total(adjustedIn)),
    "From elsewhere": number(total(({ imported = 0 }) => imported))
  }
}

/** Asked with a token: the admin key is for sessions and the operators' surface. */
const analytics = Effect.fnUntraced(function* (query = "") {
  const { url } = yield* Console
  return yield* Effect.promise(async () => {
    const at = `${url}/platform/v1/analytics?program_id=demo-foodservice${query}`
    const response = await fetch(at, { headers: { authorization: "Bearer proto-dev-token" } })
    return (await response.json()) as Analytics
  })
})

/** The instant at which a day begins in the demo's zone. */
const midnightOf = (day = ""): string => {
  const offset = new Intl.DateTimeFormat("en-GB", { timeZone: "America/New_York", timeZoneName: "longOffset" })
    .format(new Date(`${day}T05:00:00Z`))
    .slice(-6)
  return new Date(`${day}T00:00:00${offset}`).toISOString()
}

/** The chart of the points: drawn after the numbers. */
const chart = (page: Page) =>
  page
    .getByRole("region", { name: /^Points by/ })
    .locator(".recharts-surface")
    .first()

export const today = (it: It): void => {
  it.effect("shows the figures of 30 days as the service tells them, as charts and as tables", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      // A chart shows the name of a restaurant that has one.
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "downtown", name: "Down Town" })
      const { locations } = (yield* ask("GET", "/admin/api/v1/locations?program_id=demo-foodservice")) as {
        readonly locations: ReadonlyArray<{ readonly location_id: string; readonly name?: string }>
      }
      const nameOf = (id: string) => locations.find(({ location_id }) => location_id === id)?.name ?? id
      assert.strictEqual(nameOf("downtown"), "Down Town")
      const { faults, page } = yield* open("/today/figures")
      yield* Effect.promise(() => chart(page).waitFor())
      const told = yield* analytics()
      const { customer_data, loyalty } = told
      yield* Effect.promise(async () => {
        await chart(page).locator(".recharts-bar-rectangle").first().waitFor()
        assert.isAbove(await chart(page).locator(".recharts-bar-rectangle").count(), loyalty.ledger_by_bucket.length)
        assert.deepStrictEqual(await numbersOf(page, "Points by day"), pointsOf(told))
        assert.deepInclude(await numbersOf(page, "Orders by day"), { Orders: number(loyalty.orders.count) })
        assert.deepInclude(await numbersOf(page, "Outstanding points"), {
          Outstanding: number(loyalty.balances[0]?.outstanding ?? 0)
        })
        assert.deepStrictEqual(await numbersOf(page, "Members by tier"), {
          All: number(loyalty.members.total),
          New: number(loyalty.members.new),
          Ordered: number(loyalty.members.active)
        })
        assert.deepInclude(await numbersOf(page, "Guest events"), { Events: number(customer_data.events.total) })
        assert.deepInclude(await numbersOf(page, "Campaigns and imports"), {
          "Rewards given": number(loyalty.campaigns.rewards_issued)
        })
        assert.deepStrictEqual(
          await tableOf(page, "Orders by location"),
          loyalty.orders.by_location.map(({ count, key }) => [nameOf(key), number(count)])
        )
        const dollars = new Intl.NumberFormat("en-GB", { style: "currency", currency: "USD" })
        const revenue = page.getByRole("table", { name: "Revenue by location" }).locator("tbody tr")
        assert.deepStrictEqual(
          (await revenue.locator("td:nth-child(3)").allTextContents()).map((one) => one.trim()),
          loyalty.orders.by_location.map(({ eligible_spend }) => dollars.format(eligible_spend.amount / 100))
        )
        assert.deepStrictEqual(
          (await tableOf(page, "Orders by day")).map(([, count]) => count),
          loyalty.orders.by_bucket.map(({ count }) => number(count))
        )
        const ordersTable = page.getByRole("table", { name: "Orders by day as a table" })
        const orders = loyalty.orders.by_bucket.map(({ count }) => count)
        const total = orders.reduce((all, one) => all + one, 0)
        await ordersTable.getByRole("row", { name: `Total ${number(total)}`, exact: true }).waitFor()
        const cells = () => ordersTable.locator("tbody td").allTextContents()
        await ordersTable.getByRole("button", { name: "Orders", exact: true }).click()
        await ordersTable.getByRole("button", { name: "Orders", exact: true }).click()
        assert.deepStrictEqual(await cells(), orders.toSorted((one, other) => other - one).map(number))
        const day = ordersTable.getByRole("columnheader", { name: "Day" })
        await day.getByRole("button").click()
        assert.strictEqual(await day.getAttribute("aria-sort"), "ascending")
        assert.deepStrictEqual(await cells(), orders.map(number))
        const days = await tableOf(page, "Points by day")
        assert.deepStrictEqual(
          days.map(([, ...values]) => values),
          loyalty.ledger_by_bucket.map((one) =>
            [one.issued, one.redeemed, one.reversed, one.expired, adjustedIn(one), one.imported ?? 0].map(number)
          )
        )
        // How it was before, in words and not by colour alone.
        await page
          .getByText(/^\d[\d,]*% more$/)
          .first()
          .waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("saves the figures of today so far and the restaurants as files", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "harbor", name: "Old Harbor", brand: "=Bowl" })
      const { faults, page } = yield* open("/today/figures")
      yield* Effect.promise(async () => {
        const saved = async (title: string) => {
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: `CSV: ${title}`, exact: true }).click()
          ])
          return (await readFile(await file.path(), "utf8")).split("\r\n")
        }
        const [forExcel] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Excel: Today so far", exact: true }).click()
        ])
        assert.match(forExcel.suggestedFilename(), /^today-so-far-demo-foodservice-\d{4}-\d\d-\d\d\.xlsx$/)
        const cells = sheetIn(await readFile(await forExcel.path()))
        assert.include(cells, "Revenue (USD)")
        assert.notInclude(cells, "<f>")
        const today = await saved("Today so far")
        assert.strictEqual(today[0], "\uFEFFFigure,Value,Programme,Restaurant,From,To")
        const of = /demo-foodservice,All restaurants,(\d{4}-\d\d-\d\d),\1$/.source
        const line = (start: string) => today.find((one) => one.startsWith(start)) ?? ""
        assert.match(line("Orders"), new RegExp(`^Orders,\\d+,${of}`))
        assert.match(line("Revenue"), new RegExp(`^Revenue \\(USD\\),[\\d.]+,${of}`))
        assert.match(line("Outstanding"), new RegExp(`^Outstanding \\(points\\),\\d+,${of}`))
        const places = await saved("Restaurants")
        assert.strictEqual(
          places[0]?.replaceAll(/\d{4}-\d\d-\d\d/g, "DAY"),
          "\uFEFFName,Location id,Brand,Address,Time zone,Last order (America/New_York),Last order is exact to,Open days without orders,Closed for good,Franchisee id (DAY),Brand id (DAY)"
        )
        // In one form, whether the time is known or the day alone.
        for (const one of places.filter((line) => /,(15 minutes|a day),/.test(line)))
          assert.match(one, /,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00,(15 minutes|a day),/)
        assert.match(places.find((line) => line.startsWith("Old Harbor,")) ?? "", /^Old Harbor,harbor,'=Bowl,,,/)
        await page.getByText(/^\d+ restaurants, (none|\d+) silent$/).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps range and location in the address, and tells their figures after a reload too", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/today/figures")
      yield* Effect.promise(async () => {
        await page.getByText("A year", { exact: true }).click()
        await page.waitForURL(/days=365/)
        await page.getByRole("region", { name: "Points by week", exact: true }).waitFor()
        await page.getByText("90 days", { exact: true }).click()
        await page.waitForURL(/days=90/)
        await page.getByLabel("Location", { exact: true }).selectOption("harbor")
        await page.waitForURL(/location=harbor/)
        await page.reload()
        await chart(page).waitFor()
        assert.isTrue(await page.getByRole("radio", { name: "90 days" }).isChecked())
        assert.strictEqual(await page.getByLabel("Location", { exact: true }).inputValue(), "harbor")
        // Amounts that the restaurant does not limit say so.
        assert.includeMembers(Object.keys(await numbersOf(page, "Figures of these days")), [
          "New members (whole programme)",
          "Outstanding points (whole programme)",
          "Revenue"
        ])
        assert.property(await numbersOf(page, "Members by tier (whole programme)"), "Ordered here")
        assert.property(await numbersOf(page, "Rewards"), "Issued to wallets (whole programme)")
        await page.getByText("All restaurants. What was posted since midnight", { exact: true }).waitFor()
      })
      yield* Effect.promise(async () => {
        await page.getByLabel("Days of orders").selectOption("Orders by business day")
        await page.waitForURL(/day=business/)
        await page.reload()
        await chart(page).waitFor()
        assert.strictEqual(await page.getByLabel("Days of orders").inputValue(), "business")
      })
      // The demo is younger than 90 days.
      const from = new Date(Date.now() - 89 * 86_400_000).toISOString()
      const told = yield* analytics(`&from=${from}&location_id=harbor&day=business`)
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(await numbersOf(page, "Points by day"), pointsOf(told))
        assert.strictEqual(
          (await numbersOf(page, "Orders by day"))["Orders"],
          number(told.loyalty.orders.by_location[0]?.count ?? 0)
        )
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows the figures of any days, which the address keeps, and says which days make no range", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/today/figures")
      const [from, to, after] = [9, 3, 2].map((days) =>
        new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
      )
      const summary = page.getByRole("region", { name: "Figures of these days", exact: true })
      const field = (name: string) => page.getByLabel(name, { exact: true })
      yield* Effect.promise(async () => {
        await chart(page).waitFor()
        await field("To").fill(to ?? "")
        await field("From").fill(from ?? "")
        await page.waitForURL(new RegExp(`from=${from}&to=${to}`))
        await page.reload()
        await chart(page).waitFor()
        assert.deepStrictEqual([await field("From").inputValue(), await field("To").inputValue()], [from, to])
        await page.getByText("Compared with the 7 days before.").waitFor()
      })
      const told = yield* analytics(`&from=${midnightOf(from)}&until=${midnightOf(after)}`)
      const { loyalty } = told
      const { Expired, Issued, Redeemed } = pointsOf(told)
      const spend = loyalty.orders.eligible_spend
      const money = new Intl.NumberFormat("en-GB", { style: "currency", currency: spend.currency })
      const figures = {
        Orders: number(loyalty.orders.count),
        Revenue: money.format(spend.amount / 100),
        Guests: number(loyalty.members.active),
        "New members": number(loyalty.members.new),
        "Points issued": Issued,
        "Points redeemed": Redeemed,
        "Points expired": Expired,
        "Outstanding points": number(loyalty.balances[0]?.outstanding ?? 0)
      }
      yield* Effect.promise(async () => {
        assert.deepInclude(await numbersOf(page, "Figures of these days"), figures)
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          summary.getByRole("button", { name: "CSV: Figures of these days" }).click()
        ])
        assert.strictEqual(file.suggestedFilename(), `figures-of-these-days-demo-foodservice-${from}-to-${to}.csv`)
        const saved = await readFile(await file.path(), "utf8")
        const facts = `demo-foodservice,All restaurants,${from},${to}`
        assert.isTrue(saved.startsWith("\uFEFFFigure,Value,Before,Programme,Restaurant,From,To\r\n"), saved)
        assert.match(saved, new RegExp(`\r\nRevenue \\(USD\\),${(spend.amount / 100).toFixed(2)},[\\d.]*,${facts}\r\n`))
        const [days] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "CSV: Orders by day", exact: true }).click()
        ])
        const table = loyalty.orders.by_bucket
          .map(({ count, start }) => `${start.slice(0, 10)},${count},,${facts}\r\n`)
          .join("")
        const ordersFile = await readFile(await days.path(), "utf8")
        const begin = `\uFEFFDay,Orders,,Programme,Restaurant,From,To\r\n${table},,,,,,\r\nFigure,Value,Before,Programme,`
        assert.isTrue(ordersFile.startsWith(begin), ordersFile)
        const again = Math.round(loyalty.orders.repeat_rate_bps / 10) / 10
        assert.include(ordersFile, `\r\nOrdered again (%),${again},,${facts}\r\n`)
        await field("From").fill(after ?? "")
        await page.getByText(/^From must not be after To/).waitFor()
        assert.include(page.url(), `from=${from}`)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const day = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York" }).format()
        const last = new Date(Date.parse(`${day.slice(0, 7)}-01`) - 1).toISOString().slice(0, 10)
        const first = `${last.slice(0, 7)}-01`
        await page.getByText("Last month", { exact: true }).click()
        await page.waitForURL(new RegExp(`from=${first}&to=${last}`))
        const told = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
        const days = `${told.format(Date.parse(first))} to ${told.format(Date.parse(last))}.`
        await page.getByText(`${days} Compared with the ${last.slice(8)} days before.`).waitFor()
        await page.getByText("This month", { exact: true }).click()
        await page.waitForURL(new RegExp(`from=${day.slice(0, 7)}-01&to=${day}`))
        assert.isTrue(await page.getByRole("radio", { name: "This month" }).isChecked())
        await page.getByText("90 days", { exact: true }).click()
        await page.waitForURL(/days=90/)
        assert.notInclude(page.url(), "from=")
        assert.strictEqual(await page.getByText(/^From must not be after To/).count(), 0)
        await page.emulateMedia({ colorScheme: "dark" })
        await page.setViewportSize(narrow)
        await page.evaluate(`new Promise((done) => {
          const look = () => (document.documentElement.scrollWidth <= innerWidth ? done() : requestAnimationFrame(look))
          look()
        })`)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "tells what is owed in money and what rewards cost by the programme's value of points, or where to set it",
    () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open("/members")
        const summary = page.getByRole("region", { name: "Figures of these days", exact: true })
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Today" }).click()
          await page.getByRole("link", { name: "All figures" }).click()
          await summary.getByText("set “Point value” in").waitFor()
          assert.strictEqual(await summary.getByText("Owed to guests").count(), 0)
          assert.match(
            (await summary.getByRole("link", { name: "the programme" }).getAttribute("href")) ?? "",
            /programme/
          )
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        const { loyalty } = yield* analytics()
        const redeemed = loyalty.ledger_by_bucket.reduce((all, one) => all + one.redeemed - one.reversed, 0)
        const dollars = new Intl.NumberFormat("en-GB", { style: "currency", currency: "USD" })
        const worth = (points: number) => dollars.format(Math.round((points * 75) / 100) / 100)
        const given = loyalty.rewards.reduce((all, one) => all + one.redeemed_worth.amount, 0)
        const inWallets = loyalty.owed?.rewards.reduce((all, { count }) => all + count, 0) ?? -1
        yield* Effect.promise(async () => {
          await page.route("**/admin/api/v1/programs/demo-foodservice", async (route) => {
            const answer = await route.fetch()
            const told = (await answer.json()) as { readonly program: object }
            const point_value = { points: 100, worth: { amount: 75, currency: "USD" } }
            await route.fulfill({ response: answer, json: { ...told, program: { ...told.program, point_value } } })
          })
          await page.route("**/platform/v1/analytics?*", async (route) => {
            const answer = await route.fetch()
            const told = (await answer.json()) as Analytics
            const owed = { ...told.loyalty.owed, worth: { amount: 123_456, currency: "USD" } }
            await route.fulfill({ response: answer, json: { ...told, loyalty: { ...told.loyalty, owed } } })
          })
          await page.reload()
          await summary.getByText("100 points count as US$0.75").waitFor()
          assert.deepInclude(await numbersOf(page, "Figures of these days"), {
            "Owed to guests": dollars.format(1_234.56),
            "Wallet rewards owed": String(inWallets),
            "Cost of rewards": worth(redeemed + (given * 100) / 75)
          })
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("shows what happens while it is open, on a narrow screen too", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { faults, page } = yield* open("/today/figures", { viewport: narrow })
      yield* Effect.promise(() => chart(page).waitFor())
      const before = pointsOf(yield* analytics())
      yield* ask("POST", "/admin/api/v1/members/demo-foodservice/member-002/adjustments", {
        adjustment_id: "seen-on-today",
        amount: 4_321,
        classification: "bonus",
        reason: "Shown at once",
        qualifies_for_tier: false
      })
      const after = number(Number(before.Adjusted.replaceAll(",", "").replace("−", "-")) + 4_321)
      yield* Effect.promise(async () => {
        const panel = page.getByRole("region", { name: "Points by day", exact: true })
        await panel.locator("dd").getByText(after, { exact: true }).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("leaves the charts out for those who may not read them", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Overview alone",
        scopes: ["admin:read"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/today/figures", { key: secret })
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Members by tier" }).waitFor()
        await page.getByText("that points may be given for", { exact: true }).waitFor()
        assert.strictEqual(await page.getByRole("region", { name: "Trends" }).count(), 0)
        assert.strictEqual(await page.getByText("Your key does not allow this").count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says beside a figure what it was before, in a percentage only where one says something", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      yield* Effect.promise(async () => {
        await page.route("**/platform/v1/analytics*", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as Analytics
          const isBefore = new URL(route.request().url()).searchParams.has("until")
          const [first, ...others] = told.loyalty.ledger_by_bucket.map((one) => ({
            ...one,
            ...{ issued: 0, redeemed: 0, reversed: 0, expired: 0, adjusted: 0, imported: 0 }
          }))
          const counted = isBefore
            ? { issued: 2, redeemed: 200, adjusted: -733 }
            : { issued: 90_000_000_000, redeemed: 300, adjusted: 1_232 }
          const ledger_by_bucket = [{ ...first, ...counted }, ...others]
          const spent = (amount: number) => ({ amount, currency: "USD" })
          const [eligible_spend, average] = isBefore ? [9_710, 1_205] : [397_033, 1_206_000]
          const orders = {
            ...told.loyalty.orders,
            eligible_spend: spent(eligible_spend),
            average: spent(average)
          }
          const loyalty = { ...told.loyalty, ledger_by_bucket, orders }
          await route.fulfill({ response: answer, json: { ...told, loyalty } })
        })
        await page.getByRole("link", { name: "Today" }).click()
        await page.getByRole("link", { name: "All figures" }).click()
        const panel = page.getByRole("region", { name: "Points by day", exact: true })
        await panel.getByText("−733 before", { exact: true }).waitFor()
        await panel.getByText("50% more", { exact: true }).waitFor()
        await panel.getByText("2 before", { exact: true }).waitFor()
        const summary = page.getByRole("region", { name: "Figures of these days", exact: true })
        await summary.getByText("US$97.10 before", { exact: true }).waitFor()
        const orders = page.getByRole("region", { name: "Orders by day", exact: true })
        await orders.getByText("US$97.10 before", { exact: true }).waitFor()
        await orders.getByText("US$12.05 before", { exact: true }).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("tells the link to the guide for tills by more than its colour where nothing has happened", () =>
    Effect.gen(function* () {
      for (const colorScheme of ["light", "dark"] as const) {
        const { faults, page } = yield* (yield* Console).open("/members", { colorScheme })
        yield* Effect.promise(async () => {
          await page.route("**/platform/v1/analytics*", async (route) => {
            const answer = await route.fetch()
            const told = (await answer.json()) as Analytics
            const { customer_data, loyalty } = told
            const events = { ...customer_data.events, total: 0 }
            const orders = { ...loyalty.orders, count: 0 }
            const json = {
              ...told,
              customer_data: { ...customer_data, events },
              loyalty: { ...loyalty, orders, ledger_by_bucket: [] }
            }
            await route.fulfill({ response: answer, json })
          })
          await page.getByRole("link", { name: "Today" }).click()
          await page.getByRole("link", { name: "All figures" }).click()
          await page.getByRole("link", { name: "connect a till" }).waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      }
    })
  )

  it.effect("says in words that a chart has nothing to draw, in place of an empty one", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      yield* Effect.promise(async () => {
        await page.route("**/platform/v1/analytics*", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as Analytics
          const rewards = told.loyalty.rewards.map((one) => ({
            ...one,
            captured: 0,
            issued: 0,
            reversed: 0,
            expired: 0
          }))
          await route.fulfill({ response: answer, json: { ...told, loyalty: { ...told.loyalty, rewards } } })
        })
        await page.getByRole("link", { name: "Today" }).click()
        await page.getByRole("link", { name: "All figures" }).click()
        const panel = page.getByRole("region", { name: "Rewards", exact: true })
        await panel.getByText("All figures are 0").waitFor()
        assert.strictEqual(await panel.getByRole("button").count(), 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
