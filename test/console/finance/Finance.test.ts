/** The bookkeeper's page in a real browser (contract/finance.md *Roll-forward*, *Closing a month*). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { monthName, monthsLater } from "../../../src/console/finance/months.ts"
import { csvLine } from "../../../src/contract/Csv.ts"
import { barriers, Console, layer as consoleLayer, fits, narrow } from "../Console.ts"

const programme = "/admin/api/v1/programs/demo-foodservice"

/** The last month that is over. */
const month = monthsLater(new Date().toISOString().slice(0, 7), -1)
const name = monthName(month)

/** A key for the books alone. */
const bookkeeper = Effect.gen(function* () {
  const { ask } = yield* Console
  const scopes = ["figures:read", "programs:read", "finance:read", "finance:close"]
  const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", { name: "Books", scopes })) as {
    readonly secret: string
  }
  return secret
})

/** A point gets a value, so that the statement has money. */
const valued = Effect.gen(function* () {
  const { ask } = yield* Console
  const { program } = (yield* ask("GET", programme)) as { readonly program: object }
  const worth = { points: 1, worth: { amount: 4, currency: "USD" } }
  yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, point_value: worth } })
})

layer(consoleLayer, { excludeTestServices: true })("the page Finance", (it) => {
  it.effect("explains a month line by line, closes it after a preview, and shows what proves it", () =>
    Effect.gen(function* () {
      yield* valued
      const { open } = yield* Console
      const key = yield* bookkeeper
      const { faults, page } = yield* open(`/finance?month=${month}`, { key })
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Finance", level: 1 }).waitFor()
        await page.getByText("No month was closed yet.").waitFor()
        const statement = page.getByRole("table").first()
        await statement.getByText(`When ${name} began`).waitFor()
        await page.getByRole("region", { name: "By month of earning" }).waitFor()
        await page.getByRole("button", { name: `Close ${name}` }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByText("The statement is kept for good").waitFor()
        await dialog.getByText("It is the first closed month").waitFor()
        await dialog.getByRole("button", { name: `Close ${name}` }).click()
        await page.getByText("This is the statement as it was closed.").waitFor()
        const closed = page.getByRole("table", { name: "Closed months" })
        await closed.getByRole("link", { name }).waitFor()
        await closed.getByText(/^[\da-f]{64}$/).waitFor()
        await closed.getByText("Books", { exact: true }).waitFor()
        await page
          .getByRole("region", { name: "Proof" })
          .getByText(/^epoch \d+, transaction \d+$/)
          .waitFor()
        assert.strictEqual(await page.getByRole("button", { name: `Close ${name}` }).count(), 0)
        const downloaded = page.waitForEvent("download")
        await page.getByRole("button", { name: "Download as tables (zip)" }).click()
        assert.strictEqual((await downloaded).suggestedFilename(), `lotbook-demo-foodservice-${month}.zip`)
        // The cohorts of a closed month are those of its statement: what is posted now is not asked for.
        const asked: Array<string> = []
        page.on("request", (request) => asked.push(request.url()))
        await page.reload()
        const cohorts = page.getByRole("region", { name: "By month of earning" })
        await cohorts.locator(".current").waitFor({ state: "attached" })
        assert.deepStrictEqual(
          asked.filter((url) => url.includes("/finance/cohorts")),
          []
        )
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // Numbers stay on one line, however narrow the table is.
        const lines = await page.evaluate(`(() => {
          const wide = document.querySelector(".wide:has(td.number)")
          wide.style.width = "150px"
          wide.firstElementChild.style.minWidth = "0"
          const cell = wide.querySelector("td.number > div")
          const was = cell.textContent
          cell.textContent = "−€1,234,567.89"
          const range = document.createRange()
          range.selectNodeContents(cell)
          const found = range.getClientRects().length
          cell.textContent = was
          wide.removeAttribute("style")
          return found
        })()`)
        assert.strictEqual(lines, 1)
        await page.emulateMedia({ media: "print" })
        await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "hidden" })
        assert.isTrue(await page.getByRole("table").first().isVisible())
        await page.getByText(/^Printed .*\(America\/New_York\)$/).waitFor()
        const kept = await page.evaluate(`getComputedStyle(document.querySelector(".finance tr")).breakInside`)
        assert.strictEqual(kept, "avoid")
        // The whole sheet, whatever came after the page's own styles.
        const sheet = await page.evaluate(`(() => {
          const [menu, bar, main] = ["navbar", "header", "main"].map((name) =>
            getComputedStyle(document.querySelector(".mantine-AppShell-" + name)))
          return { menu: menu.display, bar: bar.display, padding: main.padding, ground: getComputedStyle(document.body).backgroundColor }
        })()`)
        assert.deepStrictEqual(sheet, { menu: "none", bar: "none", padding: "0px", ground: "rgb(255, 255, 255)" })
        await page.emulateMedia({ media: "screen" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows a month by restaurant and by franchisee, also on a narrow screen and in the dark", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const key = yield* bookkeeper
      yield* ask("PUT", "/admin/api/v1/locations", {
        location_id: "downtown",
        name: "Down Town",
        franchisees: [{ from: `${month}-01`, franchisee_id: "ada-foods" }]
      })
      const { faults, page } = yield* open(`/finance?month=${monthsLater(month, 1)}&by=location`, {
        key,
        viewport: narrow,
        colorScheme: "dark"
      })
      yield* Effect.promise(async () => {
        await page.getByText("The month is not over.").waitFor()
        await page.getByRole("link", { name: "The brand" }).first().waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "By franchisee" }).click()
        await page.getByText("Points belong to whoever had the restaurant").waitFor()
        const current = page.getByRole("navigation", { name: "Rows" }).locator("[aria-current=page]")
        assert.deepStrictEqual(await current.allInnerTexts(), ["By franchisee"])
        await page
          .getByRole("columnheader", { name: "Franchisee", includeHidden: true })
          .first()
          .waitFor({ state: "attached" })
        const panel = page.getByRole("region", { name: /: By franchisee$/ }).first()
        // The file has the page's columns in the page's words, and the worth besides.
        const downloaded = page.waitForEvent("download")
        await panel.getByRole("button", { name: /^CSV: / }).click()
        const file = readFileSync(await (await downloaded).path(), "utf8")
        const columns = await panel.locator("thead .unsorted").allTextContents()
        const header = columns.toSpliced(columns.indexOf("Worth") + 1, 0, "Currency")
        const [first, ...others] = file.trimEnd().split("\r\n")
        assert.strictEqual(first, `\uFEFF${csvLine(header).trimEnd()}`)
        // Money with its decimals, its currency beside it, and the total below, as the page has it.
        for (const line of others) assert.match(line, /,-?\d+\.\d\d,USD,/)
        const rows = others.map((line) =>
          line
            .split(",")
            .slice(1)
            .map((cell) => Number(cell))
        )
        const total = rows.at(-1) ?? []
        assert.isTrue(others.at(-1)?.startsWith("Total,"))
        for (const [place, sum] of total.entries())
          if (!Number.isNaN(sum))
            assert.closeTo(
              sum,
              rows.slice(0, -1).reduce((all, row) => all + (row[place] ?? 0), 0),
              0.001
            )
        assert.includeMembers(columns, ["Redeemed here"])
        await panel.getByText("Total", { exact: true }).waitFor()
        // A sheet of paper: a table with the names of its columns, in light colours.
        await page.emulateMedia({ media: "print" })
        await page.setViewportSize({ width: 718, height: 1000 })
        await page.getByRole("columnheader", { name: "Ended with" }).locator(".unsorted").first().waitFor()
        const style = await page.evaluate(`(() => {
          const { color, display } = getComputedStyle(document.querySelector(".listing td"))
          return { color, display, scheme: getComputedStyle(document.documentElement).colorScheme }
        })()`)
        assert.deepStrictEqual(style, { color: "rgb(0, 0, 0)", display: "table-cell", scheme: "light" })
        await fits(page)
        await page.emulateMedia({ media: "screen" })
        await page.setViewportSize(narrow)
        await page.getByRole("link", { name: "The brand" }).first().click()
        await page.getByText("What guests hold now").first().waitFor()
        await fits(page)
        await page.getByRole("link", { name: "All rows" }).click()
        await page.goto(page.url().replace(/\?.*/, "?month=2025-13&by=location&of=zzz"))
        await page.getByText(`2025-13 is no month that has begun. This is`).waitFor()
        await page.getByText(/^zzz has no statement in /).waitFor()
        await page.setViewportSize({ width: 1280, height: 900 })
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "tells somebody who is limited to restaurants what the limit leaves of the role, and that it is the limit",
    () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        const limits = { franchisee_ids: ["ada-foods"] }
        const { invitation_url } = (yield* ask("POST", "/admin/api/v1/staff", {
          ...{ email: "fred@example.com", name: "Fred Books", role: "finance" },
          ...limits
        })) as { readonly invitation_url: string }
        const scopes = ["figures:read", "programs:read", "finance:read"]
        const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", { name: "Ada's books", scopes, ...limits })) as {
          readonly secret: string
        }
        const invited = yield* open(invitation_url.slice(invitation_url.indexOf("/invitation")), { key: null })
        yield* Effect.promise(async () => {
          await invited.page.getByText("Of this role, what is at the restaurants.").waitFor()
          await invited.page.getByText("Limited to restaurants: only ada-foods").waitFor()
          assert.strictEqual(await invited.page.getByText("closes months").count(), 0)
        })
        const { page } = yield* open("/finance", { key: secret })
        yield* Effect.promise(async () => {
          await page.getByText("A limit to restaurants does not allow this").waitFor()
          await page.getByText("you are signed in for restaurants alone").waitFor()
          await page.getByText("by=franchisee").waitFor()
          await page.getByRole("link", { name: "Owners with franchisees" }).waitFor()
        })
      })
  )
})
