/** Closing a membership, in a real browser: what ends with it, and who may do it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import { Console, layer as consoleLayer } from "../Console.ts"
import { join, staff } from "../Joined.ts"

const program_id = "demo-foodservice"

layer(consoleLayer, { excludeTestServices: true })("closing a membership", (it) => {
  it.effect("names the guest and what can no longer be spent, and says beforehand that it is beyond the limits", () =>
    Effect.gen(function* () {
      const { ask } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", {
        program_id,
        member_id: "closing",
        display_name: "Clara Closing"
      })
      yield* ask("POST", `/admin/api/v1/members/${program_id}/closing/adjustments`, {
        ...{ adjustment_id: "closing-1", unit: "points", amount: 300, classification: "service_recovery" },
        ...{ qualifies_for_tier: false, reason: "Given before" }
      })
      const { faults, page, userId } = yield* join("Mara Manager", "manager")
      const dialog = page.getByRole("dialog")
      const close = dialog.getByRole("button", { name: "Close membership" })
      const look = async (): Promise<void> => {
        await page.goto(new URL(`/console/members/${program_id}/closing`, page.url()).href)
        await page.getByRole("button", { name: "Close membership" }).press("Enter")
        await dialog.getByText("Clara Closing can no longer spend anything: 300 points.").waitFor()
        await dialog.getByLabel("Reason").fill("Asked for it")
      }
      yield* ask("POST", `${staff}/${userId}/limits`, { points_per_action: 200, reason: "tested" })
      yield* Effect.promise(async () => {
        await look()
        await dialog.getByText("More ends with this membership than your limits allow you to take.").waitFor()
        assert.isTrue(await close.isDisabled())
      })
      yield* ask("POST", `${staff}/${userId}/limits`, { points_per_action: 300, reason: "tested" })
      yield* Effect.promise(async () => {
        await look()
        await close.click()
        await dialog.waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )
})
