/** Facts that the console shows before a programme is published, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { barriers, Console, layer as consoleLayer, narrow, overflow } from "../Console.ts"

const programs = "/admin/api/v1/programs"
const address = `${programs}/demo-foodservice`

type Json = Readonly<Record<string, unknown>>

interface Published {
  readonly version: number
  readonly program: Json & {
    readonly rewards: ReadonlyArray<Json>
    readonly tiers: ReadonlyArray<Json>
    readonly promotions: ReadonlyArray<Json>
    readonly challenges: ReadonlyArray<Json>
  }
}

interface Previewed {
  readonly challenges: ReadonlyArray<{ readonly completes?: { readonly guests: number; readonly rewards: number } }>
  readonly members: { readonly tiers: ReadonlyArray<Readonly<Record<"name" | "before" | "after", unknown>>> }
  readonly orders: { readonly count: number } & Readonly<
    Record<"before" | "after", ReadonlyArray<{ readonly amount: number; readonly unit: string }>>
  >
}

const published = Effect.flatMap(Console, ({ ask }) =>
  Effect.map(ask("GET", address), (shown) => shown as unknown as Published)
)

/** Publishes a reward that nobody has, so that it may go again. */
const withReward = (name: string) =>
  Effect.gen(function* () {
    const { ask } = yield* Console
    const { program } = yield* published
    const rewards = [...program.rewards, { ...program.rewards[0], reward_id: name.replace(" ", "-"), name }]
    yield* ask("POST", `${programs}/publish`, { program: { ...program, rewards } })
  })

const load = (page: Page, content: string): Promise<void> =>
  page
    .locator('input[type="file"]')
    .setInputFiles({ name: "programme.json", mimeType: "application/json", buffer: Buffer.from(content) })

const shown = (n: unknown): string => Number(n).toLocaleString("en-GB")

layer(consoleLayer, { excludeTestServices: true })("before a publication, the console", (it) => {
  it.effect("shows of a file who gets which tier, what orders would earn, and which offers come and go", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* withReward("Free tea")
      const { program, version } = yield* published
      const rewards = program.rewards.filter(({ name }) => name !== "Free tea")
      const [lowest, second, ...higher] = program.tiers
      const [promotion, ...promotions] = program.promotions
      const file = {
        ...program,
        tiers: [lowest, { ...second, minimum: 1 }, ...higher],
        rewards: [...rewards, { ...rewards[0], reward_id: "free-soup", name: "Free soup" }],
        promotions: [{ ...promotion, enabled: false }, ...promotions],
        challenges: [{ ...program.challenges[0], count: { items: 1 } }],
        limits: { ...(program["limits"] as Json), points_per_order: 1 }
      }
      const preview = (yield* ask("POST", `${programs}/preview`, { program: file })) as unknown as Previewed
      const regular = preview.members.tiers[1]
      // Otherwise the test shows nothing.
      assert.notStrictEqual(regular?.before, regular?.after)
      const { faults, page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Load a file" }).waitFor()
        await load(page, "{")
        await page.getByText("The file is no JSON.").waitFor()
        await load(page, JSON.stringify({ ...file, program_id: "another" }))
        await page.getByText("its program_id must be demo-foodservice").waitFor()
        await page.getByText("No changes yet").waitFor()
        await load(page, JSON.stringify(file))
        await page.getByRole("button", { name: "Publish", exact: true }).click()
        const dialog = page.getByRole("dialog")
        const tiers = dialog.getByRole("table", { name: "Members by tier" })
        await tiers
          .getByRole("row", { name: `${regular?.name} ${shown(regular?.before)} ${shown(regular?.after)} +` })
          .waitFor()
        const { after, before, count } = preview.orders
        assert.isAbove(count, 0)
        const [was, is] = [before, after].map((sums) => shown(sums.find(({ unit }) => unit === "points")?.amount))
        await dialog
          .getByRole("table", { name: `What ${shown(count)} orders of the last 30 days would earn` })
          .getByRole("row", { name: `points ${was} ${is} −` })
          .waitFor()
        await dialog.getByText("come: Free soup; go: Free tea").waitFor()
        await dialog.getByText(`change: ${String(promotion?.["name"])}`).waitFor()
        const { guests, rewards } = preview.challenges[0]?.completes ?? { guests: 0, rewards: 0 }
        assert.isAbove(guests, 1)
        await dialog
          .getByText(`Five drinks: ${shown(guests)} members have enough for it already. The next order that counts`)
          .getByText(`gives them ${shown(rewards)} rewards (`)
          .waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
        await page.getByText(`Version ${version + 1}, published`).waitFor()
      })
      assert.deepStrictEqual(faults, [])
      yield* ask("POST", `${address}/rollback`, { version })
    })
  )

  it.effect("shows the same of an earlier version, and takes a note for the history", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      yield* withReward("Free cake")
      const { version } = yield* published
      const { faults, page } = yield* open("/programme", { viewport: narrow, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish again" }).first().click()
        const dialog = page.getByRole("dialog")
        await dialog.getByText("go: Free cake").waitFor()
        await dialog.getByRole("table", { name: "Members by tier" }).waitFor()
        await dialog.getByLabel("Note for the history").fill("The cake was too dear")
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("dialog").getByRole("button", { name: "Publish again" }).click()
        await page.getByText(`Version ${version + 1}, published`).waitFor()
        await page.getByText("The cake was too dear").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("names in each version what came and what went as it was called then, in the words of its card", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { program, version: former } = yield* published
      yield* ask("PUT", "/admin/api/v1/locations", { location_id: "pier-7", name: "The Pier" })
      const rewards = [...program.rewards, { ...program.rewards[0], reward_id: "free-cookie", name: "Free cookie" }]
      const monday = { days: ["mon"], from: "11:00", until: "15:00" }
      const promotion = {
        promotion_id: "pier-lunch",
        name: "Pier lunch",
        effect: { multiply_bps: 20_000 },
        when: { weekly: [monday] },
        where: { location_ids: ["pier-7"] }
      }
      const promotions = [...program.promotions, promotion]
      yield* ask("POST", `${programs}/publish`, { program: { ...program, rewards, promotions } })
      const { version } = yield* published
      yield* ask("POST", `${address}/rollback`, { version: former })
      const { faults, page } = yield* open("/programme")
      yield* Effect.promise(async () => {
        const rows = page.getByRole("table", { name: "History" }).getByRole("row")
        for (const [place, words] of [
          [2, "new: "],
          [1, "removed, was: "]
        ] as const) {
          const row = rows.nth(place)
          await row.getByText("2 changes").click()
          await row.getByText(new RegExp(`^Rewards › Free cookie: ${words}\\d+ points; `)).waitFor()
          await row
            .getByText(`Promotions › Pier lunch: ${words}2 times the points; Mon, 11:00–15:00; At The Pier`)
            .waitFor()
        }
        await page.getByRole("button", { name: `Publish again: version ${version}`, exact: true }).click()
        const dialog = page.getByRole("dialog", { name: `Publish again: version ${version}` })
        await dialog.getByText("Rewards › Free cookie: new: ").waitFor()
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("tab", { name: "Promotions" }).click()
        await page.getByRole("button", { name: "Remove Drinks at lunch" }).click()
        await page.getByText("Promotions › Drinks at lunch: removed, was: 3 times the points; ").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
})
