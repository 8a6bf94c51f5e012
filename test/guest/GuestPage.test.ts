/** Holds contract/programmes.md *The guests' page* in a real browser, over a host without a database. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { launch } from "../console/Browser.ts"
import { barriers, overflow } from "../console/Console.ts"
import type { Host, State } from "./Host.ts"
import { host, hostile, initial, problem } from "./Host.ts"

/** Bytes of everything that a first visit loads, as they are sent. */
const mostBytes = 60_000

const narrow = { width: 320, height: 640 } as const

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

interface Opened extends Host {
  readonly page: Page
  readonly faults: ReadonlyArray<string>
  readonly requests: ReadonlyArray<string>
}

interface Options extends BrowserContextOptions {
  readonly at?: string
  readonly change?: (state: State) => void
}

/** Opens the page in a browser of its own. */
const opened = async <A>(
  { at = "/my/bowl", change, ...options }: Options,
  test: (opened: Opened) => Promise<A>
): Promise<A> => {
  const state = initial()
  change?.(state)
  const served = await host(state)
  const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce", viewport: narrow, ...options })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const faults: Array<string> = []
    const requests: Array<string> = []
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        faults.push(message.text())
    })
    page.on("request", (request) => requests.push(request.url()))
    await page.goto(served.url + at)
    await page.getByRole("heading", { level: 1 }).waitFor()
    const done = await test({ ...served, page, faults, requests })
    assert.deepStrictEqual(faults, [])
    return done
  } finally {
    await context.close()
    await served.close()
  }
}

const signIn = async (page: Page): Promise<void> => {
  await page.getByLabel(/^E-?[mM]ail$/).fill("ada@example.com")
  await page.locator("form button.main").click()
  await page.locator("input.code").fill("123456")
  await page.locator("form button.main").click()
  await page.locator("nav").waitFor()
}

const calm = async (page: Page): Promise<void> => {
  assert.deepStrictEqual(await Effect.runPromise(barriers(page)), [])
  assert.isAtMost(await overflow(page), 0)
}

const goTo = async (page: Page, name: string): Promise<void> => {
  await page.locator(`nav a[href="#${name}"]`).click()
  await page.locator(`nav a[href="#${name}"][aria-current]`).waitFor()
}

/** Every screen of somebody who is not signed in, until she is. */
const walkOutside = async (page: Page, byPhone: string): Promise<void> => {
  await calm(page)
  await page.getByRole("button", { name: byPhone }).click()
  await calm(page)
  await page.goto(page.url().replace(/#.*|$/, "#join"))
  await page.locator("fieldset").waitFor()
  await calm(page)
  await page.goto(page.url().replace("#join", "#sign-in"))
  await page.getByLabel(/^E-?[mM]ail$/).fill("ada@example.com")
  await page.locator("form button.main").click()
  await page.locator("input.code").fill("000000")
  await page.locator("form button.main").click()
  await page.getByRole("alert").filter({ hasText: /Code/i }).waitFor()
  await calm(page)
  await page.locator("input.code").fill("123456")
  await page.locator("form button.main").click()
  await page.locator(".balance").waitFor()
}

/** Every screen of a guest. */
const walkInside = async (page: Page, leave: string): Promise<void> => {
  for (const button of await page.locator(".lines button").all()) await button.click()
  await calm(page)
  for (const screen of ["card", "claim", "history", "account"]) {
    await goTo(page, screen)
    await page.getByRole("heading", { level: 1 }).waitFor()
    if (screen === "history") await page.locator(".line").first().waitFor()
    await calm(page)
  }
  await page.getByRole("button", { name: leave, exact: true }).click()
  await page.locator("input.code").waitFor()
  await calm(page)
}

describe("the guests' page", () => {
  it("loads less than 60 kB, from this service alone, without a cookie before the sign-in", () =>
    opened({}, async ({ page, requests, state, url }) => {
      const sizes = await page.evaluate<ReadonlyArray<number>>(
        `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((one) => one.transferSize)`
      )
      assert.isAbove(sizes.length, 3)
      assert.isBelow(
        sizes.reduce((sum, size) => sum + size, 0),
        mostBytes
      )
      assert.deepStrictEqual(
        requests.filter((one) => !one.startsWith(url)),
        []
      )
      assert.deepStrictEqual(await page.context().cookies(), [])
      assert.strictEqual(state.cookies, 0)
    }))

  for (const [locale, words] of [
    ["en-GB", { leave: "Leave", phone: "Use my mobile number" }],
    ["de-DE", { leave: "Austreten", phone: "Mit der Handynummer" }]
  ] as const)
    for (const colorScheme of ["light", "dark"] as const)
      it(`is read by all on every screen: ${locale}, ${colorScheme}, 320 px`, () =>
        opened({ locale, colorScheme }, async ({ page }) => {
          assert.strictEqual(await page.getAttribute("html", "lang"), locale.slice(0, 2))
          await walkOutside(page, words.phone)
          await walkInside(page, words.leave)
        }))

  it("holds text of twice the size, and controls that a finger meets", () =>
    opened({}, async ({ page }) => {
      await signIn(page)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      for (const screen of ["home", "card", "claim", "history", "account"]) {
        await goTo(page, screen)
        await page.getByRole("heading", { level: 1 }).waitFor()
        assert.isAtMost(await overflow(page), 0, screen)
      }
      await page.evaluate("document.documentElement.style.fontSize = ''")
      const low = await page.evaluate<ReadonlyArray<string>>(
        `[...document.querySelectorAll("button, nav a, footer a, label.tick, select, input:not([type=checkbox])")]
          .filter((one) => one.getBoundingClientRect().height < 43.9).map((one) => one.outerHTML)`
      )
      assert.deepStrictEqual(low, [])
    }))

  it("joins with the table's location; consents are apart and unticked", () =>
    opened({ at: "/join/bowl?at=harbour-7" }, async ({ page, state, url }) => {
      assert.strictEqual(page.url(), `${url}/my/bowl?at=harbour-7#join`)
      assert.isFalse(await page.getByLabel("News and offers by e-mail").isChecked())
      await page.getByLabel("E-mail", { exact: true }).fill(" ada@example.com ")
      await page.getByLabel("Name (optional)").fill("Ada")
      await page.getByRole("button", { name: "Join" }).click()
      await page.locator("input.code").fill("123 456")
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByRole("heading", { name: "Hello, Ada" }).waitFor()
      const [asked] = state.changes
      assert.deepStrictEqual(asked, {
        method: "POST",
        path: "/sign-in",
        body: { email: "ada@example.com", language: "en", join: { name: "Ada", at: "harbour-7", consents: [] } }
      })
    }))

  it("lets an address that no guest has join with the code that it got", () =>
    opened({ change: (state) => (state.answer = "join") }, async ({ page, state }) => {
      await page.getByLabel("E-mail", { exact: true }).fill("new@example.com")
      await page.getByRole("button", { name: "Send me a code" }).click()
      await page.locator("input.code").fill("123456")
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByLabel("News and offers by e-mail").check()
      await page.getByRole("button", { name: "Join" }).click()
      await page.locator("nav").waitFor()
      assert.deepStrictEqual(state.changes.at(-1)?.body, {
        request_id: "req-1",
        join: { consents: [{ purpose: "marketing", channel: "email", granted: true }] }
      })
    }))

  it("lets several guests of one address choose", () =>
    opened({ change: (state) => (state.answer = "choose") }, async ({ page, state }) => {
      await page.getByLabel("E-mail", { exact: true }).fill("two@example.com")
      await page.getByRole("button", { name: "Send me a code" }).click()
      await page.locator("input.code").fill("123456")
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByRole("heading", { name: "Who are you?" }).waitFor()
      await calm(page)
      await page.getByRole("button", { name: /^Guest, since/ }).click()
      await page.locator("nav").waitFor()
      assert.deepStrictEqual(state.changes.at(-1)?.body, { request_id: "req-1", guest: "g2" })
    }))

  it("says that five codes were wrong, and sends another one", () =>
    opened({}, async ({ page, state }) => {
      await page.getByLabel(/^E-?[mM]ail$/).fill("ada@example.com")
      await page.locator("form button.main").click()
      for (let time = 1; time <= 5; time++) {
        await page.locator("input.code").fill("000000")
        await page.locator("form button.main").click()
        if (time < 5) await page.getByRole("alert").filter({ hasText: "That code is not right" }).waitFor()
      }
      await page.getByRole("alert").filter({ hasText: "Five codes were wrong" }).waitFor()
      assert.strictEqual(await page.locator("input.code").count(), 0)
      await calm(page)
      await page.getByRole("button", { name: "Send another code" }).click()
      await page.locator("input.code").fill("123456")
      await page.locator("form button.main").click()
      await page.locator("nav").waitFor()
      assert.lengthOf(
        state.changes.filter(({ path }) => path === "/sign-in"),
        2
      )
    }))

  it("says which numbers get codes, and that no more are sent to telephones", () =>
    opened({}, async ({ page, state }) => {
      await page.getByRole("button", { name: "Use my mobile number" }).click()
      await page.getByLabel("Mobile number").fill("+33 612 345 678")
      for (const [refusal, said] of [
        [problem(422, "validation_failed", "/phone"), "Codes go to numbers of this country alone: United Kingdom."],
        [problem(503, "overloaded"), "No code can be sent to telephones now."]
      ] as const) {
        state.refusal = refusal
        await page.locator("form button.main").click()
        await page.getByRole("alert").filter({ hasText: said }).waitFor()
      }
      await page.getByRole("button", { name: "Use my e-mail" }).click()
      await page.getByLabel("E-mail").fill("ada@example.com")
      await page.locator("form button.main").click()
      await page.getByRole("alert").filter({ hasText: "A lot is going on right now." }).waitFor()
    }))

  it("asks for a number of the programme's country, takes it as it is written there, and for its consent", () =>
    opened({ change: (state) => (state.answer = "join") }, async ({ page, state }) => {
      await page.getByRole("button", { name: "Use my mobile number" }).click()
      await page.getByText("A number of this country: United Kingdom (+44 7700 900123)").waitFor()
      await page.getByLabel("Mobile number").fill("7700")
      await page.locator("form button.main").click()
      await page.getByRole("alert").filter({ hasText: "such as +44 7700 900123" }).waitFor()
      await page.getByLabel("Mobile number").fill("07700 900123")
      await page.locator("form button.main").click()
      await page.locator("input.code").fill("123456")
      assert.deepStrictEqual(state.changes, [
        { method: "POST", path: "/sign-in", body: { phone: "+447700900123", language: "en" } }
      ])
      await page.locator("form button.main").click()
      await page.getByLabel("News and offers by text message").check()
      assert.strictEqual(await page.getByLabel("News and offers by e-mail").count(), 0)
      await page.getByRole("button", { name: "Join" }).click()
      await page.locator("nav").waitFor()
      const joined = state.changes.at(-1)?.body as { readonly join: object }
      assert.deepStrictEqual(joined.join, { consents: [{ purpose: "marketing", channel: "sms", granted: true }] })
    }))

  it("says from the first code on how many are sent, and to whom had joined that her decisions stay", () =>
    opened({ at: "/my/bowl#join", change: (state) => (state.hadAccount = true) }, async ({ page }) => {
      await page.getByLabel("E-mail", { exact: true }).fill("ada@example.com")
      await page.getByLabel("News and offers by e-mail").check()
      await page.getByRole("button", { name: "Join" }).click()
      await page.getByText("At most three are sent in an hour.").waitFor()
      await page.locator("input.code").fill("123456")
      await page.locator("form button.main").click()
      await page
        .getByRole("status")
        .filter({ hasText: "What you had decided, also about news and offers, stays" })
        .waitFor()
    }))

  it("names the field that is not right, and why", () =>
    opened({}, async ({ page, state }) => {
      await page.getByLabel("E-mail", { exact: true }).fill("ada@home")
      await page.locator("form button.main").click()
      await page.getByRole("alert").filter({ hasText: "The e-mail address is not right" }).waitFor()
      assert.deepStrictEqual(state.changes, [])
      await signIn(page)
      await goTo(page, "account")
      state.refusal = problem(422, "validation_failed", "/birth_date")
      await page.getByLabel("Birthday (optional)").fill("2090-01-01")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").filter({ hasText: "it is a day that has been" }).waitFor()
    }))

  it("takes what it told away with the next attempt", () =>
    opened({}, async ({ page, state }) => {
      const told = page.getByRole("status")
      await signIn(page)
      await goTo(page, "account")
      await page.getByLabel("Name (optional)").fill("Ada L.")
      await page.getByRole("button", { name: "Save" }).click()
      await told.filter({ hasText: "Saved." }).waitFor()
      state.refusal = problem(503, "unavailable")
      await page.getByLabel("Name (optional)").press("Enter")
      await page.getByRole("alert").filter({ hasText: "A lot is going on" }).waitFor()
      assert.strictEqual(await told.textContent(), "")
      await goTo(page, "claim")
      for (const [code, done] of [
        ["7K3M9QX2TVW4", told.filter({ hasText: "Done: 90 points are yours." })],
        ["1111", page.getByRole("alert").filter({ hasText: "No receipt has this code." })]
      ] as const) {
        await page.getByLabel("Code of the receipt").fill(code)
        await page.getByRole("button", { name: "Get the points" }).click()
        await done.waitFor()
      }
      assert.strictEqual(await told.textContent(), "")
    }))

  it("tells all that expires, and the last days of the programme's zone", () =>
    opened(
      {
        timezoneId: "Asia/Tokyo",
        change: (state) => {
          const dates = [1, 2, 3, 4].map((month) => ({
            points: 100,
            unit: "points",
            at: `2027-0${month}-15T12:00:00Z`
          }))
          state.facts = { ...state.facts, time_zone: "America/New_York" }
          state.me = {
            ...state.me,
            expiring: dates,
            expiring_later: [{ unit: "points", points: 840 }],
            challenges: [{ name: "Five drinks", done: 3, target: 5, until: "2026-12-01T05:00:00.000Z" }]
          }
        }
      },
      async ({ page }) => {
        await signIn(page)
        await page.getByText("until 30 Nov 2026").waitFor()
        const fourth = page.getByText("100 points expire on 15 Apr 2027")
        assert.isFalse(await fourth.isVisible())
        const sum = page.getByText("1,040 points expire later")
        assert.isAtLeast((await sum.boundingBox())?.height ?? 0, 43.9)
        await sum.click()
        await fourth.waitFor()
        await calm(page)
      }
    ))

  it("shows whose account it is, also of a telephone alone", () =>
    opened(
      {
        change: (state) =>
          (state.me = { ...state.me, member: { phone: "+447700900123", status: "active", consents: [] } })
      },
      async ({ page }) => {
        await signIn(page)
        await goTo(page, "account")
        await page.getByText("+447700900123").waitFor()
      }
    ))

  it("downloads with one press while a code is fresh, and leaves the way out where it is", () =>
    opened({ change: (state) => (state.isFresh = true) }, async ({ page }) => {
      await signIn(page)
      await goTo(page, "account")
      const coming = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download all my data" }).click()
      assert.strictEqual((await coming).suggestedFilename(), "bowl.json")
      await page.getByRole("status").filter({ hasText: "The file is in your downloads." }).waitFor()
      await page.getByRole("button", { name: "Leave", exact: true }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Cancel" }).count(), 0)
    }))

  it("leads to a page of all data that prints, after a fresh code alone", () =>
    opened({}, async ({ page }) => {
      await signIn(page)
      await goTo(page, "account")
      await page.getByRole("button", { name: "Show all my data, to print" }).click()
      await page.locator("input.code").fill("123456")
      await page.getByRole("button", { name: "Go on" }).click()
      const link = page.getByRole("link", { name: "Open the page" })
      assert.strictEqual(await link.getAttribute("href"), "/my/api/v1/bowl/data.html")
      await calm(page)
    }))

  it("asks for another code once the one of before is no longer fresh", () =>
    opened({ change: (state) => Object.assign(state, { isFresh: true }) }, async ({ page, state }) => {
      await page.clock.install()
      await signIn(page)
      await goTo(page, "account")
      await page.getByRole("button", { name: "Leave", exact: true }).click()
      await page.getByRole("button", { name: "Yes, leave" }).waitFor()
      state.isFresh = false
      await page.clock.fastForward("11:00")
      await page.getByRole("button", { name: "Send me a code" }).click()
      await page.locator("input.code").fill("123456")
      await page.locator(".ask form button.main").click()
      await page.locator(".ask input.code").waitFor({ state: "detached" })
      assert.strictEqual(state.changes.at(-1)?.path, "/fresh/code")
    }))

  it("keeps a receipt's code through the sign-in, and takes it out of the address", () =>
    opened({ at: "/my/bowl#claim=7K3M9QX2TVW4" }, async ({ page, state }) => {
      await page.getByText("Your receipt is kept").waitFor()
      assert.notInclude(page.url(), "7K3M")
      await signIn(page)
      assert.strictEqual(await page.getByLabel("Code of the receipt").inputValue(), "7K3M9QX2TVW4")
      await page.getByRole("button", { name: "Get the points" }).click()
      await page.getByRole("status").filter({ hasText: "Done: 90 points are yours." }).waitFor()
      assert.deepStrictEqual(state.changes.at(-1)?.body, { claim_code: "7K3M9QX2TVW4" })
      await page.getByLabel("Code of the receipt").fill("1111-1111-1111")
      await page.getByRole("button", { name: "Get the points" }).click()
      await page.getByRole("alert").filter({ hasText: "No receipt has this code." }).waitFor()
    }))

  it("spends a link by a button alone, and takes its token out of the address", () =>
    opened({ at: "/my/bowl#link=secret" }, async ({ page, state }) => {
      await page.getByRole("heading", { name: "Welcome back" }).waitFor()
      assert.notInclude(page.url(), "secret")
      assert.deepStrictEqual(state.changes, [])
      await page.getByRole("button", { name: "Sign in" }).first().click()
      await page.locator("nav").waitFor()
      assert.deepStrictEqual(state.changes, [{ method: "POST", path: "/sign-in/link", body: { token: "secret" } }])
    }))

  it("ends news by a button alone, for somebody who is not signed in, in the page's language", () =>
    opened({ at: "/my/bowl/unsubscribe/right" }, async ({ page, state }) => {
      await page.getByRole("heading", { name: "No more news?" }).waitFor()
      assert.notInclude(page.url(), "right")
      assert.strictEqual(state.unsubscribed, 0)
      await calm(page)
      await page.getByRole("button", { name: "Unsubscribe" }).click()
      await page.getByRole("heading", { name: "Unsubscribed" }).waitFor()
      assert.strictEqual(state.unsubscribed, 1)
      await page.getByRole("button", { name: "To my points" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
    }))

  it("shows hostile names as text", () =>
    opened(
      {
        change: (state) => {
          const named = { name: hostile, description: hostile }
          state.facts = { ...state.facts, name: hostile, links: [{ label: hostile, url: "https://example.com/" }] }
          state.me = {
            ...state.me,
            member: {
              name: hostile,
              email: hostile,
              status: "active",
              consents: [{ purpose: hostile, granted: true }]
            },
            tier: { name: hostile, next: { name: hostile, missing: [{ metric: "m", missing: 1 }] } },
            rewards: [{ reward_id: "r", ...named, points: 1, missing: 0, can_take: true }],
            wallet: [{ issued_reward_id: "i", name: hostile, code: hostile }],
            card: { value: hostile },
            promotions: [named],
            challenges: [{ ...named, done: 1, target: 2 }],
            news: [{ name: hostile, text: hostile, at: "2026-07-14" }]
          }
          state.entries = [
            {
              at: "2026-07-14",
              kind: hostile,
              points: 1,
              unit: hostile,
              location: hostile,
              reward: hostile,
              promotions: [hostile]
            }
          ]
        }
      },
      async ({ page }) => {
        await signIn(page)
        for (const button of await page.locator(".lines button").all()) await button.click()
        for (const screen of ["home", "card", "history", "account"]) {
          await goTo(page, screen)
          await page.getByText("<img src=x", { exact: false }).first().waitFor()
          assert.strictEqual(await page.locator("main img").count(), 0)
          assert.isAtMost(await overflow(page), 0, screen)
        }
        assert.notStrictEqual(await page.title(), "taken")
      }
    ))

  it("shows the card without network, marked so, and forgets it with the sign-out", () =>
    opened({}, async ({ page, state }) => {
      await signIn(page)
      // The page's files are kept in the meantime.
      await page.evaluate(`(async () => {
        await navigator.serviceWorker.ready
        while (!(await caches.has("shell")) || (await (await caches.open("shell")).keys()).length < 4)
          await new Promise((done) => setTimeout(done, 20))
      })()`)
      state.isGone = true
      await page.reload()
      await page.getByText("No network: this is your card as it was last shown.").waitFor()
      await page.getByText("4929 1384 7561 0283").waitFor()
      await calm(page)
      const kept = await page.evaluate<ReadonlyArray<string>>(`(async () => {
        const names = await caches.keys()
        const all = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((one) => new URL(one.url).pathname)))
        return all.flat().sort()
      })()`)
      assert.deepStrictEqual(
        kept.filter((one) => !one.startsWith("/my/assets/")),
        ["/my/api/v1/bowl/page", "/my/bowl", "/my/bowl/card"]
      )
      state.isGone = false
      await page.getByRole("button", { name: "Try again" }).click()
      await goTo(page, "account")
      await page.getByRole("button", { name: "Sign out", exact: true }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      state.isGone = true
      await page.reload()
      await page.getByText("No network. Once you have opened your card here").waitFor()
      assert.strictEqual(await page.locator(".card").count(), 0)
    }))

  it("is used by keyboard alone; the focus is where the reading goes on", () =>
    opened({}, async ({ page }) => {
      const focused = () => page.evaluate<string>("document.activeElement.textContent")
      assert.strictEqual(await focused(), "Sign in")
      await page.keyboard.press("Tab")
      await page.keyboard.type("ada@example.com")
      await page.keyboard.press("Enter")
      await page.locator("input.code").waitFor()
      assert.strictEqual(await focused(), "Enter the code")
      await page.keyboard.press("Tab")
      await page.keyboard.type("123456")
      await page.keyboard.press("Enter")
      await page.locator("nav").waitFor()
      assert.strictEqual(await focused(), "Hello, Ada")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Close: Birthday treat" }).waitFor()
      await page.getByText("BDAY-7431").waitFor()
    }))

  it("gets a reward once however often the button is pressed, and tells it", () =>
    opened({}, async ({ page, state }) => {
      await signIn(page)
      await page.getByRole("button", { name: "Get it: Iced tea" }).click()
      await page.getByRole("button", { name: "Yes, get it" }).dblclick()
      await page.getByRole("status").filter({ hasText: "Iced tea is ready to use." }).waitFor()
      assert.deepStrictEqual(
        state.changes.filter(({ path }) => path === "/rewards").map(({ body }) => body),
        [{ reward_id: "tea" }]
      )
    }))

  it("takes a reward once though the answer is lost and the question closed and asked again, and then another", () =>
    opened({}, async ({ page }) => {
      const keys: Array<string> = []
      page.on("request", (one) => {
        if (one.url().endsWith("/rewards")) keys.push(one.headers()["idempotency-key"] ?? "")
      })
      const take = async (): Promise<void> => {
        await page.getByRole("button", { name: "Get it: Iced tea" }).click()
        await page.getByRole("button", { name: "Yes, get it" }).click()
      }
      await signIn(page)
      await page.route("**/rewards", async (route) => {
        await route.fetch()
        await route.abort()
      })
      await take()
      await page.getByRole("alert").filter({ hasText: "No answer" }).waitFor()
      const reloaded = page.waitForResponse(/\/me$/)
      await page.getByRole("button", { name: "Cancel" }).click()
      await reloaded
      await page.unroute("**/rewards")
      for (let times = 0; times < 2; times++) {
        const shown = page.waitForResponse(/\/me$/)
        await take()
        await shown
      }
      const [lost, repeated, next] = keys
      assert.lengthOf(keys, 3)
      assert.strictEqual(repeated, lost)
      assert.notStrictEqual(next, lost)
    }))

  it("downloads and leaves after a fresh code alone", () =>
    opened({}, async ({ page, state }) => {
      await signIn(page)
      await goTo(page, "account")
      await page.getByRole("button", { name: "Download all my data" }).click()
      await page.locator("input.code").fill("123456")
      const coming = page.waitForEvent("download")
      await page.getByRole("button", { name: "Go on" }).click()
      assert.strictEqual((await coming).suggestedFilename(), "bowl.json")
      await page.getByRole("button", { name: "Leave", exact: true }).click()
      await page.getByRole("button", { name: "Yes, leave" }).click()
      await page.getByRole("status").filter({ hasText: "You have left." }).waitFor()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      assert.deepStrictEqual(
        state.changes.slice(2).map(({ path }) => path),
        ["/fresh", "/fresh/code", "/leave", "/session"]
      )
    }))

  it("saves what changed, and speaks the language that is chosen", () =>
    opened({}, async ({ page, state }) => {
      await signIn(page)
      await goTo(page, "account")
      await page.getByLabel("News and offers by e-mail").check()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("status").filter({ hasText: "Saved." }).waitFor()
      assert.deepStrictEqual(state.changes.at(-1)?.body, {
        text_version: "2026-11",
        consents: [{ purpose: "marketing", channel: "email", granted: true }]
      })
      await page.getByLabel("Language").selectOption("de")
      await page.getByRole("heading", { name: "Konto" }).waitFor()
      assert.deepStrictEqual(state.changes.at(-1)?.body, { language: "de" })
      await page.reload()
      await page.getByRole("heading", { name: "Konto" }).waitFor()
      assert.strictEqual(await page.getAttribute("html", "lang"), "de")
    }))

  it("tells that a programme has no page", () =>
    opened({ at: "/my/nobody" }, async ({ page }) => {
      await page.getByRole("heading", { name: "There is no page here" }).waitFor()
      await calm(page)
    }))
})
