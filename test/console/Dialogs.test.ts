/** Every dialog for a change: no barrier, no wider than its screen, and left by one key, which gives the focus back. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { asSystem } from "./audience/Audience.ts"
import type { OpenOptions } from "./Console.ts"
import { barriers, Console, layer as consoleLayer, fits, narrow, programKept } from "./Console.ts"
import { invite } from "./Joined.ts"

const program_id = "demo-foodservice"

/** Something of each kind, whose dialogs are there only once it is. Returns the pages of all. */
const pagesOf = Effect.fnUntraced(function* (name: string) {
  const { ask } = yield* Console
  yield* invite(`Paula ${name}`, "support")
  const { connection } = (yield* ask("POST", "/admin/api/v1/connections", {
    vendor: "toast",
    program_id,
    name,
    restaurants: [{ external_id: name, location_id: "location-42" }]
  })) as { readonly connection: { readonly connection_id: string } }
  yield* asSystem("PUT", "/platform/v1/connectors", {
    connector_id: name,
    name,
    type: "webhook",
    configuration: { url: "https://hooks.example.com/mine", event_types: ["*"] },
    enabled: false
  })
  yield* asSystem("PUT", "/platform/v1/segments", {
    program_id,
    segment_id: name,
    name,
    member_ids: ["member-003"]
  })
  yield* asSystem("PUT", "/platform/v1/campaigns", {
    campaign_id: name,
    program_id,
    name,
    segment_id: name,
    action: { issue_reward: { reward_id: "free-bowl" } }
  })
  yield* ask("POST", `/admin/api/v1/members/${program_id}/member-003/rewards`, {
    issued_reward_id: name,
    reward_id: "free-bowl"
  })
  return [
    "/counter",
    "/members",
    `/members/${program_id}/member-003`,
    "/audience/segments",
    `/audience/segments/${name}`,
    "/audience/campaigns",
    `/audience/campaigns/${name}`,
    "/programme",
    "/restaurants",
    "/finance",
    "/developers",
    `/developers/connectors/${name}`,
    `/developers/tills/${connection.connection_id}`,
    "/people",
    "/service",
    "/account"
  ]
})

/** Buttons that open a dialog, and can be pressed. */
const openers = (page: Page) => page.locator("button[aria-haspopup=dialog]:enabled:visible")

/** Whether something comes soon: else it does not come at all. */
const comes = (waiting: Promise<void>): Promise<boolean> =>
  waiting.then(
    () => true,
    () => false
  )

const soon = { timeout: 5_000 }

const excess =
  "(() => { const it = document.querySelector('[role=dialog]'); return it.scrollWidth - it.clientWidth })()"

/** Opens each dialog of a page, and tells what is wrong with it. */
const lookAt = Effect.fnUntraced(function* (page: Page, at: string, seen: Set<string>) {
  const wrong: Array<string> = []
  yield* Effect.promise(async () => {
    await page.goto(`${new URL(page.url()).origin}/console${at}`)
    await page.locator("h1").first().waitFor()
    await page.waitForLoadState("networkidle")
  })
  const count = yield* Effect.promise(() => openers(page).count())
  for (let n = 0; n < count; n++) {
    const opener = openers(page).nth(n)
    const dialog = page.getByRole("dialog", { name: /./ })
    const name = yield* Effect.promise(async () => {
      const shown = (await opener.getAttribute("aria-label")) ?? (await opener.innerText())
      await opener.click()
      await dialog.waitFor()
      await page.waitForLoadState("networkidle")
      return shown
    })
    const here = `${at}: ${name}`
    seen.add(here)
    wrong.push(...(yield* barriers(page)).map((barrier) => `${here}: ${barrier}`))
    yield* Effect.promise(async () => {
      await fits(page)
      const wide = await page.evaluate<number>(excess)
      if (wide > 0) wrong.push(`${here}: ${wide} pixels too wide`)
      await page.keyboard.press("Escape")
      const isLeft = await comes(dialog.waitFor({ state: "hidden", ...soon }))
      if (!isLeft) {
        wrong.push(`${here}: one key does not close it`)
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "hidden" })
      }
      if (!(await comes(opener.and(page.locator(":focus")).waitFor(soon)))) wrong.push(`${here}: the focus is lost`)
    })
  }
  return wrong
})

const looks = (name: string, options: OpenOptions) =>
  Effect.gen(function* () {
    yield* programKept
    const { faults, page } = yield* (yield* Console).open("/today", options)
    const seen = new Set<string>()
    const wrong = yield* Effect.forEach(yield* pagesOf(name), (at) => lookAt(page, at, seen))
    assert.deepStrictEqual(wrong.flat(), [], name)
    assert.isAbove(seen.size, leastDialogs, [...seen].join("\n"))
    assert.deepStrictEqual(faults, [])
  })

/** So many have a button of their own on these pages at least. */
const leastDialogs = 45

layer(consoleLayer, { excludeTestServices: true })("every dialog", (it) => {
  it.effect("has no barrier, fits a telephone in German, and is left by one key", () =>
    looks("light", { locale: "de-DE", viewport: narrow })
  )
  it.effect("has no barrier in dark colours either", () =>
    looks("dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } })
  )
})
