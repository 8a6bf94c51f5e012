/** Work that a marketer may not put in force, from her page to a manager's telephone and back, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import { barriers, Console, layer as consoleLayer, narrow, overflow, typeName } from "../Console.ts"
import { join } from "../Joined.ts"

const program_id = "demo-foodservice"
const campaign_id = "handed-over"
const name = "Bowls for spring"

layer(consoleLayer, { excludeTestServices: true })("handing over", (it) => {
  it.effect("says before the form who activates, takes a campaign to a manager, and brings it back with a note", () =>
    Effect.gen(function* () {
      yield* asSystem("PUT", "/platform/v1/segments", {
        ...{ program_id, segment_id: "handed-to", name: "Handed to", member_ids: ["member-001"] }
      })
      yield* asSystem("PUT", "/platform/v1/campaigns", {
        ...{ program_id, campaign_id, name, segment_id: "handed-to" },
        action: { issue_reward: { reward_id: "free-bowl" } },
        limit: { rewards: 10 }
      })
      const marketer = yield* join("Mia Marketer", "marketer")
      const manager = yield* join("Mona Manager", "manager", { viewport: narrow })
      const at = (path: string) => marketer.page.goto(new URL(`/console${path}`, marketer.page.url()).href)
      const dialog = marketer.page.getByRole("dialog")
      const decides = manager.page.getByRole("dialog")
      const waiting = manager.page.getByRole("region", { name: "Handed over to you" })
      const handOver = async (reason: string): Promise<void> => {
        await marketer.page.getByRole("button", { name: `Hand over: activate the campaign “${name}”` }).press("Enter")
        await dialog.getByLabel("What it is for").fill(reason)
        await marketer.page.keyboard.press("Enter")
        await dialog.waitFor({ state: "hidden" })
        await marketer.page.getByText("Nobody has answered yet.").waitFor()
      }
      yield* Effect.promise(async () => {
        await at("/audience/campaigns/new")
        await marketer.page.getByText(/^You may prepare this, but not put it in force\..*Owner, Manager/).waitFor()
        await at(`/audience/campaigns/${campaign_id}`)
        await handOver("The regulars ask for it")
        await manager.page.reload()
        await waiting.getByText(`Mia Marketer asks you to activate the campaign “${name}”.`).waitFor()
        await waiting.getByText(/“The regulars ask for it”/).waitFor()
        assert.isAtMost(await overflow(manager.page), 0)
      })
      assert.deepStrictEqual(yield* barriers(manager.page), [])
      yield* Effect.promise(async () => {
        await waiting.getByRole("button", { name: /^Send back/ }).press("Enter")
        await decides.getByLabel("What you tell the person").fill("After Easter, please")
        await manager.page.keyboard.press("Enter")
        await waiting.waitFor({ state: "hidden" })
        await at("/audience/campaigns")
        const own = marketer.page.getByRole("region", { name: "What you handed over" })
        await own.getByText("Mona Manager has sent it back: “After Easter, please”").waitFor()
        await own.getByRole("link", { name }).click()
        await handOver("Easter is over")
        await manager.page.reload()
        await waiting.getByRole("button", { name: `Activate “${name}”` }).press("Enter")
        // The preview of its author.
        await decides.getByText("What will change").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(manager.page), [])
      yield* Effect.promise(async () => {
        await decides.getByRole("button", { name: "Activate", exact: true }).press("Enter")
        await decides.waitFor({ state: "hidden" })
        await waiting.waitFor({ state: "hidden" })
        await marketer.page.reload()
        await marketer.page.getByText("Active", { exact: true }).first().waitFor()
      })
      assert.deepStrictEqual([...marketer.faults, ...manager.faults], [])
    })
  )

  it.effect("takes a change of the programme to who publishes it, after the preview, carried over in the editor", () =>
    Effect.gen(function* () {
      const { ask } = yield* Console
      const { program } = (yield* ask("GET", `/admin/api/v1/programs/${program_id}`)) as { readonly program: object }
      const marketer = yield* join("Max Marketer", "marketer")
      const manager = yield* join("Mara Manager", "manager")
      const { page } = marketer
      const decides = manager.page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.goto(new URL("/console/programme", page.url()).href)
        await page.getByText(/^You may prepare this/).waitFor()
        await typeName(page, "Bowls of spring")
        await page.getByRole("button", { name: /^Hand over/ }).click()
        await page.getByRole("dialog").getByLabel("What it is for").fill("A name for spring")
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "hidden" })
        await manager.page.reload()
        const waiting = manager.page.getByRole("region", { name: "Handed over to you" })
        await waiting.getByRole("link", { name: "Open it in the editor" }).waitFor()
        await waiting.getByRole("button", { name: /^Publish/ }).click()
        await decides.getByText("Bowls of spring").first().waitFor()
      })
      assert.deepStrictEqual(yield* barriers(manager.page), [])
      // Another version comes in force: the author sees it, and the editor carries the change over.
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, stacking: "all" } })
      yield* Effect.promise(async () => {
        await manager.page.keyboard.press("Escape")
        await page.goto(new URL("/console/today", page.url()).href)
        const own = page.getByRole("region", { name: "What you handed over" })
        await own.getByText(/was published since/).waitFor()
        await own.getByRole("link", { name: "Open it in the editor" }).click()
        await page
          .getByText(/was published after you started/)
          .first()
          .waitFor()
        await page.getByRole("button", { name: /^Hand over/ }).click()
        await page.getByRole("dialog").getByLabel("What it is for").fill("A name for spring")
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "hidden" })
        await manager.page.reload()
        await manager.page.getByRole("button", { name: /^Publish/ }).click()
        await decides.getByText("Bowls of spring").first().waitFor()
        await decides.getByRole("button", { name: "Publish", exact: true }).click()
        await decides.waitFor({ state: "hidden" })
      })
      const now = (yield* ask("GET", `/admin/api/v1/programs/${program_id}`)) as {
        readonly program: { readonly name: string; readonly stacking: string }
      }
      assert.deepStrictEqual([now.program.name, now.program.stacking], ["Bowls of spring", "all"])
      assert.deepStrictEqual([...marketer.faults, ...manager.faults], [])
    })
  )

  it.effect(
    "names the author in the editor, never shows what others published as a change, and is answered from there",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* Console
        const at = `/admin/api/v1/programs/${program_id}`
        const { program, version } = (yield* ask("GET", at)) as { readonly program: object; readonly version: number }
        const marketer = yield* join("Mara Marketer", "marketer")
        const manager = yield* join("Milo Manager", "manager", { viewport: narrow })
        const { page } = manager
        yield* Effect.promise(async () => {
          await marketer.page.goto(new URL("/console/programme", page.url()).href)
          await typeName(marketer.page, "Bowls of summer")
          await marketer.page.getByRole("button", { name: /^Hand over/ }).click()
          await marketer.page.getByRole("dialog").getByLabel("What it is for").fill("A name for summer")
          await marketer.page.keyboard.press("Enter")
          await marketer.page.getByRole("dialog").waitFor({ state: "hidden" })
        })
        const published = { ...program, description: "Published in between" }
        yield* ask("POST", "/admin/api/v1/programs/publish", { program: published, expected_version: version })
        // Each draft that is compared with the version in force, from the first look on.
        const compared: Array<unknown> = []
        page.on("request", (request) => {
          if (request.url().endsWith("/programs/validate"))
            compared.push((request.postDataJSON() as { readonly description?: unknown }).description)
        })
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByRole("link", { name: "Open it in the editor" }).click()
          await page.getByText("Mara Marketer has handed this change over").waitFor()
          await page.getByText(/“A name for summer”/).waitFor()
          await page.getByText("Bowls of summer").first().waitFor()
          assert.isAtMost(await overflow(page), 0)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Publish", exact: true }).press("Enter")
          const dialog = page.getByRole("dialog")
          await dialog.getByText("Bowls of summer").first().waitFor()
          assert.strictEqual(await dialog.getByLabel("Note").inputValue(), "A name for summer")
          await dialog.getByRole("button", { name: "Publish", exact: true }).click()
          await dialog.waitFor({ state: "hidden" })
          // The notice covers no button of the page, whose last ones are at its end.
          const told = await page.locator(".told > p").boundingBox()
          assert.isBelow((told?.y ?? Infinity) + (told?.height ?? 0), 844 / 3)
          await page.goto(new URL("/console/today", page.url()).href)
          await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
          assert.strictEqual(await page.getByRole("region", { name: "Handed over to you" }).count(), 0)
          await marketer.page.goto(new URL("/console/today", page.url()).href)
          await marketer.page.getByText("Milo Manager has put it in force.").first().waitFor()
        })
        assert.deepStrictEqual([...new Set(compared)], ["Published in between"])
        const now = (yield* ask("GET", at)) as {
          readonly program: { readonly name: string; readonly description: string }
        }
        assert.deepStrictEqual([now.program.name, now.program.description], ["Bowls of summer", "Published in between"])
        assert.deepStrictEqual([...marketer.faults, ...manager.faults], [])
      })
  )
})
