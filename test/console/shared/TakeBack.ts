/** Rewards of a mistake, taken back in the console, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow } from "../Console.ts"

const program_id = "demo-foodservice"
const platform = "/platform/v1"
const guests = ["mistaken-1", "mistaken-2", "mistaken-3"]

interface Wallet {
  readonly issued_rewards: ReadonlyArray<{ readonly issued_reward_id: string }>
}

export const takeBack = (it: It): void => {
  it.effect("takes back the unused rewards of a run at once, counted before, by somebody who may give", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      for (const member_id of guests) yield* asSystem("PUT", `${platform}/members`, { program_id, member_id })
      const ids = { campaign_id: "mistake", segment_id: "mistaken" }
      const list = { program_id, segment_id: ids.segment_id, name: "All", member_ids: guests }
      yield* asSystem("PUT", `${platform}/segments`, list)
      yield* asSystem("PUT", `${platform}/campaigns`, { program_id, ...ids, name: "A mistake", reward_id: "free-bowl" })
      yield* asSystem("POST", `${platform}/campaigns/status`, { campaign_id: ids.campaign_id, status: "active" })
      yield* asSystem("POST", `${platform}/campaigns/run`, { campaign_id: ids.campaign_id })
      const of = new URLSearchParams({ campaign_id: ids.campaign_id })
      const { runs } = yield* asSystem("GET", `${platform}/campaigns/runs?${of}`).pipe(
        Effect.repeat({ until: ({ runs: [run] }) => run?.status === "completed" })
      )
      const address = `/audience/campaigns/mistake?run=${runs[0]?.run_id}`
      const { secret } = (yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Marketing",
        scopes: ["members:read", "audience:read", "audience:write", "programs:read", "figures:read"]
      })) as { readonly secret: string }
      const marketer = yield* open(address, { key: secret })
      yield* Effect.promise(async () => {
        await marketer.page.getByText("3 of 3 members done").waitFor()
        assert.strictEqual(await marketer.page.getByRole("button", { name: /^Take rewards back/ }).count(), 0)
      })
      const walletOf = (member: string) =>
        Effect.map(
          ask("GET", `/admin/api/v1/members/${program_id}/${member}`),
          (shown) => (shown as Wallet).issued_rewards
        )
      // One has been taken back by hand before: it is not counted.
      const [first] = yield* walletOf("mistaken-1")
      yield* ask("POST", `/admin/api/v1/members/${program_id}/mistaken-1/rewards/${first?.issued_reward_id}/cancel`, {
        reason: "A mistake"
      })
      const { faults, page } = yield* open(address, { viewport: narrow })
      const dialog = page.getByRole("dialog", { name: /^Take rewards back: the run of/ })
      const submit = dialog.getByRole("button", { name: "Take rewards back" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: /^Take rewards back: the run of/ }).click()
        await dialog.getByText("2 unused rewards are taken out of the wallets").waitFor()
        assert.isTrue(await submit.isDisabled())
        await dialog.getByLabel("Reason").fill("Sent to the wrong guests")
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await submit.click()
        await page.getByText("2 rewards taken back", { exact: true }).waitFor()
        await page.getByRole("button", { name: /^Take rewards back: the run of/ }).click()
        await dialog.getByText("There are no such rewards that are unused.").waitFor()
        await dialog.getByLabel("Reason").fill("Once more")
        assert.isTrue(await submit.isDisabled())
      })
      for (const guest of guests) assert.deepStrictEqual(yield* walletOf(guest), [], guest)
      assert.deepStrictEqual([...marketer.faults, ...faults], [])
    })
  )

  it.effect("takes back those of a challenge and of full cards within the time of a mistake", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/programme?section=challenges", { viewport: narrow })
      const asked = () => page.waitForRequest((request) => request.url().endsWith("/rewards/take-back"))
      const counts = async (name: string, cause: object) => {
        await page.getByRole("button", { name, exact: true }).click()
        const dialog = page.getByRole("dialog", { name })
        await dialog.getByLabel("Issued from").fill("2030-03-01T09:00")
        const [request] = await Promise.all([asked(), dialog.getByLabel("Issued before").fill("2030-03-02T09:00")])
        const { from = "", until = "", ...rest } = request.postDataJSON() as Record<string, string>
        assert.deepStrictEqual(rest, { cause, reason: "-", dry_run: true } as object)
        assert.strictEqual(Date.parse(until) - Date.parse(from), 86_400_000)
        await dialog.getByText("There are no such rewards that are unused.").waitFor()
        await fits(page)
        return dialog
      }
      const challenge = "Take rewards back: the challenge “Five drinks”"
      yield* Effect.promise(() => counts(challenge, { challenge_id: "five-drinks" }))
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.goto(page.url().replace("challenges", "stampCard"))
        await counts("Take rewards back: full stamp cards", { stamp_card: true })
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
