/** Rules that hold on every page of the console, in a real browser: titles, focus, scopes, narrow screens. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "./audience/Audience.ts"
import type { It } from "./Console.ts"
import { barriers, Console, narrow, overflow, rootKey } from "./Console.ts"

/** The scope that each page asks for. */
const asked = {
  "/members": "members:read",
  "/members/demo-foodservice/member-003": "members:read",
  "/finance": "finance:read",
  "/programme": "programs:read",
  "/developers": "developer:read",
  "/people": "staff:read",
  "/audit": "audit:read"
}
const readers = Object.keys(asked)

const listed = [
  ...readers.filter((at) => !["/finance", "/programme", "/people"].includes(at)),
  "/audience/segments",
  "/audience/campaigns"
]

export const frame = (it: It): void => {
  it.effect("names each page in the browser's tab, and gives its heading the focus when it is gone to", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/")
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
        assert.strictEqual(await page.title(), "Today – Lotbook")
        await page.getByRole("link", { name: "Members", exact: true }).press("Enter")
        await page.locator("h1:focus").getByText("Members").waitFor()
        assert.strictEqual(await page.title(), "Members – Lotbook")
        await page.getByRole("link", { name: "Audience", exact: true }).press("Enter")
        await page.locator("h1:focus").getByText("Audience").waitFor()
        assert.strictEqual(await page.title(), "Segments – Audience – Lotbook")
        await page.goBack()
        await page.locator("h1:focus").getByText("Members").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "rests while nobody is at it, so that the session of an empty desk ends, and goes on with the first key",
    () =>
      Effect.gen(function* () {
        const { open } = yield* Console
        const { faults, page } = yield* open("/")
        yield* Effect.promise(async () => {
          await page.clock.install()
          // Counted in the page itself, whose word of a request comes outside in no order with the clock's.
          await page.addInitScript(`
            const send = fetch
            globalThis.asked = []
            globalThis.fetch = (url, options) => {
              const answer = send(url, options)
              if (String(url).includes("/admin/api/v1/overview")) asked.push(answer)
              return answer
            }
          `)
          await page.reload()
          await page.getByText("Today so far").waitFor()
          const refreshed = page.waitForRequest(/overview/)
          await page.clock.runFor(6_000)
          await refreshed
          await page.clock.fastForward("10:00")
          // The jump may meet the last request that was due before the page rested, whose answer is late.
          const asked = (): Promise<number> => page.evaluate("Promise.allSettled(asked).then(({ length }) => length)")
          const minutes: Array<number> = []
          for (let before = await asked(); minutes.at(-1) !== 0 && minutes.length < 5; before = await asked()) {
            for (let seconds = 0; seconds < 60; seconds += 6) {
              await page.clock.runFor(6_000)
              await asked()
            }
            minutes.push((await asked()) - before)
          }
          assert.strictEqual(minutes.at(-1), 0, `requests a minute: ${minutes}`)
          const again = page.waitForRequest(/overview/)
          await page.keyboard.press("Shift")
          await again
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  it.effect("keeps its contrast under the pointer and with the focus, in both colour schemes", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      for (const colorScheme of ["light", "dark"] as const) {
        const { faults, page } = yield* open("/members", { colorScheme })
        const link = page.getByRole("row").nth(1).getByRole("link")
        const chosen = page.getByRole("link", { name: "Members", exact: true })
        for (const one of [link, chosen]) {
          yield* Effect.promise(() => one.hover())
          assert.deepStrictEqual(yield* barriers(page), [])
          yield* Effect.promise(() => one.focus())
          assert.deepStrictEqual(yield* barriers(page), [])
        }
        assert.deepStrictEqual(faults, [])
      }
    })
  )

  it.effect("sorts a table that is whole at a press on a column: up, down, and as it came", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      for (const name of ["sorted 10", "Sorted 9", "sorted ä"])
        yield* ask("POST", "/admin/api/v1/tokens", { name, scopes: ["audit:read"] })
      const { faults, page } = yield* open("/developers")
      const names = async (): Promise<ReadonlyArray<string>> =>
        (await page.getByRole("table", { name: "Tokens" }).locator("tbody td:first-child bdi").allInnerTexts()).filter(
          (name) => /^sorted/i.test(name)
        )
      let before: ReadonlyArray<string> = []
      const column = page.getByRole("table", { name: "Tokens" }).getByRole("columnheader", { name: "Name" })
      yield* Effect.promise(async () => {
        await page.getByText("sorted 10").waitFor()
        before = await names()
        assert.strictEqual(await column.getAttribute("aria-sort"), null)
        await column.getByRole("button").press("Enter")
        assert.strictEqual(await column.getAttribute("aria-sort"), "ascending")
        assert.deepStrictEqual(await names(), ["Sorted 9", "sorted 10", "sorted ä"])
        await column.getByRole("button").click()
        assert.strictEqual(await column.getAttribute("aria-sort"), "descending")
        assert.deepStrictEqual(await names(), ["sorted ä", "sorted 10", "Sorted 9"])
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await column.getByRole("button").click()
        assert.deepStrictEqual(await names(), before)
        // The head is out of sight there.
        await page.setViewportSize(narrow)
        await column.getByRole("button", { includeHidden: true }).waitFor({ state: "hidden" })
        assert.strictEqual(await column.innerText(), "Name")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("has a coloured bar on a sandbox, on every page, and none on a live service", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      for (const colorScheme of ["light", "dark"] as const) {
        const { faults, page } = yield* open("/members", { colorScheme, viewport: narrow })
        yield* Effect.promise(async () => {
          await page.getByRole("row").first().waitFor({ state: "attached" })
          assert.strictEqual(await page.getByText("Sandbox: nothing here is real").count(), 0)
          // A live service has no clock, and is not asked for one.
          const clocks: Array<string> = []
          page.on("request", (request) => {
            if (request.url().endsWith("/clock")) clocks.push(request.url())
          })
          await page.goto(page.url().replace(/\/console.*/, "/console/developers"))
          await page.getByRole("heading", { name: "Connectors" }).waitFor()
          assert.deepStrictEqual(clocks, [])
          await page.route("**/admin/api/v1/session", async (route) => {
            const answer = await route.fetch()
            await route.fulfill({ response: answer, json: { ...(await answer.json()), sandbox: true } })
          })
          for (const at of ["/members", "/programme"]) {
            await page.goto(page.url().replace(/\/console.*/, `/console${at}`))
            await page.getByText("Sandbox: nothing here is real").waitFor()
          }
          assert.isAtMost(await overflow(page), 0)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      }
    })
  )

  it.effect("is used with the keyboard alone: what is out of sight gets no focus", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const entrance = yield* open("/", { key: null })
      yield* Effect.promise(async () => {
        // Nobody has an account yet: the first one comes with the admin key.
        await entrance.page.getByText("Nobody has an account yet").waitFor()
        await entrance.page.locator("input:focus").waitFor()
        await entrance.page.keyboard.type(rootKey)
        await entrance.page.keyboard.press("Enter")
        await entrance.page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
      })
      const { faults, page } = yield* open("/today/figures", { viewport: narrow })
      yield* Effect.promise(async () => {
        const table = (title: string) => page.getByRole("button", { name: `Show as table: ${title}` })
        // The charts are drawn after their numbers, each of them a picture.
        await page.getByRole("region", { name: "Orders by day" }).locator(".recharts-bar-rectangle").first().waitFor()
        await table("Points by day").focus()
        await page.keyboard.press("Tab")
        await page
          .locator(":focus")
          .and(page.getByRole("button", { name: "CSV: Points by day" }))
          .waitFor()
        await page.keyboard.press("Tab")
        await page
          .locator(":focus")
          .and(page.getByRole("button", { name: "Excel: Points by day" }))
          .waitFor()
        await page.keyboard.press("Tab")
        await page.locator(":focus").and(table("Orders by day")).waitFor()
        // The menu is closed: after what is beside it comes the page.
        await page.goto(`${new URL(page.url()).origin}/console/members/demo-foodservice/member-003`)
        await page.getByRole("button", { name: "Adjust points" }).waitFor()
        await page.getByRole("button", { name: "Sign out" }).focus()
        await page.keyboard.press("Tab")
        await page.locator("a:focus").getByText("All members").waitFor()
        await page.getByRole("button", { name: "Adjust points" }).press("Enter")
        await page.getByRole("dialog").locator("input:focus").waitFor()
        await page.keyboard.press("Escape")
        await page.locator("button:focus").getByText("Adjust points").waitFor()
        await page.getByRole("button", { name: "Menu" }).press("Enter")
        await page.getByRole("link", { name: "Audit", exact: true }).press("Enter")
        await page.locator("h1:focus").getByText("Audit").waitFor()
        await page.getByRole("link", { name: "Audit", exact: true }).waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual([...entrance.faults, ...faults], [])
    })
  )

  it.effect("shows in the fields of filters what the address has, also after a link or the back button", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members?search=member-004")
      yield* Effect.promise(async () => {
        const search = page.getByLabel("Search")
        await page.getByRole("link", { name: "member-004" }).waitFor()
        await page.getByRole("link", { name: "Members", exact: true }).click()
        await page.getByRole("link", { name: "member-004" }).waitFor({ state: "hidden" })
        assert.strictEqual(await search.inputValue(), "")
        await page.goBack()
        await page.getByRole("link", { name: "member-003" }).waitFor({ state: "hidden" })
        assert.strictEqual(await search.inputValue(), "member-004")
        await page.goto(`${new URL(page.url()).origin}/console/audit?actor=nobody`)
        await page.getByText("No entries match").waitFor()
        assert.strictEqual(await page.getByLabel("Who").inputValue(), "nobody")
        await page.getByRole("link", { name: "Show all" }).click()
        await page
          .getByRole("cell", { name: /Signed in/ })
          .first()
          .waitFor()
        assert.strictEqual(await page.getByLabel("Who").inputValue(), "")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("holds names of any length on a narrow screen", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { page } = yield* open("/audience/segments/new", { viewport: narrow })
      const long = "Wolfeschlegelsteinhausenbergerdorff".repeat(4)
      const program_id = "demo-foodservice"
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: "long-named", display_name: long })
      yield* asSystem("PUT", "/platform/v1/segments", {
        program_id,
        segment_id: "of-the-long-named",
        name: "Long",
        member_ids: ["long-named"]
      })
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill(long)
        await page.getByRole("button", { name: "Add a condition" }).click()
        await page.getByRole("menuitem", { name: "No order lately" }).click()
        await page.getByLabel("Days").fill("60")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("heading", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.getByRole("link", { name: "All segments" }).click()
        await page.getByRole("link", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.goto(`${new URL(page.url()).origin}/console/members/${program_id}/long-named`)
        await page.getByRole("heading", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.goto(`${new URL(page.url()).origin}/console/audience/segments/of-the-long-named`)
        await page.getByRole("region", { name: "Estimate" }).getByRole("link", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.getByRole("button", { name: "Show all" }).click()
        await page.getByRole("row", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.goto(`${new URL(page.url()).origin}/console/members?search=${long}`)
        await page.getByRole("link", { name: long }).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
    })
  )

  it.effect("shows a token for one kind of work that work alone, and asks for nothing beyond it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Gives points",
        scopes: ["figures:read", "programs:read", "members:read", "points:give"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/members/demo-foodservice/member-003", { key: secret })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Adjust points" }).waitFor()
        await page.getByRole("region", { name: "Profile" }).waitFor()
        for (const name of ["Merge", "Suspend", "Close", "Edit", "Erase"])
          assert.strictEqual(await page.getByRole("button", { name }).count(), 0, name)
        const pages = page.getByRole("navigation").getByRole("link")
        assert.deepStrictEqual(await pages.allInnerTexts(), [
          "Today",
          "Counter",
          "Members",
          "Programme",
          "Documentation"
        ])
        for (const at of ["/", "/members", "/programme"]) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.waitForLoadState("networkidle")
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says which scope a page needs to those who may not see it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Figures alone",
        scopes: ["platform:read"]
      })) as { readonly secret: string }
      const { faults, page } = yield* open("/", { key: secret })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Regulars", exact: true }).waitFor()
        for (const [at, scope] of Object.entries(asked)) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByText(`This page needs the scope ${scope}.`).waitFor()
        }
        for (const at of ["/audience/campaigns/new", "/audience/segments/new"]) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByText("This page needs the scope audience:write.").waitFor()
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows rows as cards on a narrow screen, so that nothing scrolls sideways", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/", { viewport: narrow })
      yield* Effect.promise(async () => {
        for (const at of listed) {
          await page.goto(`${new URL(page.url()).origin}/console${at}`)
          await page.getByRole("table").first().waitFor()
          assert.isAtMost(await overflow(page), 0, at)
          const wider = await page.evaluate<number>(
            `Math.max(...[...document.querySelectorAll(".wide")].map((one) => one.scrollWidth - one.clientWidth))`
          )
          assert.isAtMost(wider, 0, at)
          assert.isAbove(await page.getByRole("table").first().getByRole("cell").count(), 3)
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("tells what fell due on a sandbox once the figures include it, not before", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members")
      const [from, to] = ["2026-11-25T10:00:00.000Z", "2027-11-25T10:00:00.000Z"]
      yield* Effect.promise(async () => {
        let now = from
        let lateAnswers = 2
        await page.route("**/admin/api/v1/session", async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: { ...(await answer.json()), sandbox: true } })
        })
        await page.route("**/admin/api/v1/clock", async (route) => {
          if (route.request().method() === "POST") now = to
          await route.fulfill({ json: { now, sandbox: true } })
        })
        await page.route("**/admin/api/v1/overview*", async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as Readonly<Record<string, unknown>>
          const isLate = now === to && lateAnswers-- > 0
          const outstanding = now === from || isLate ? 100 : 40
          const points = [{ unit: "points", outstanding, reserved: 0, expiring_30_days: 0 }]
          await route.fulfill({ response: answer, json: { ...told, as_of: isLate ? from : now, points } })
        })
        await page.reload()
        await page.getByRole("link", { name: "Developers" }).click()
        await page.getByRole("button", { name: "Forward 1 year" }).click()
        await page.getByText("Points that expired in between: 60.").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
