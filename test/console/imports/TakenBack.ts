/** Taking an import back on the console, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"

const program_id = "demo-foodservice"

export const takenBack = (it: It): void => {
  it.effect("takes an import back after a look at what goes and who stays, by keys alone, on a telephone too", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      yield* asSystem("PUT", "/platform/v1/members", { program_id, member_id: "back-there", display_name: "There" })
      const { import: sent } = (yield* asSystem("POST", "/platform/v1/imports/members", {
        program_id,
        idempotency_key: "taken back on the console",
        rows: [
          { member_id: "back-idle", display_name: "Idle", opening_balance: 100 },
          { member_id: "back-there", opening_balance: 20 }
        ]
      })) as unknown as { readonly import: { readonly import_id: string } }
      const { faults, page } = yield* open(`/audience/imports/${sent.import_id}`, { viewport: narrow })
      const dialog = page.getByRole("dialog", { name: "Take the import back" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Take the import back" }).press("Enter")
        await dialog.getByText("1 guest who only came with it is erased.").waitFor()
        await dialog.getByText("120 of 120 credited points are taken back.").waitFor()
        await dialog.getByText("1 guest was there before.").press("Enter")
        await dialog.getByText("20 of 20 points").waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      const member = `${url}/platform/v1/members?program_id=${program_id}&member_id=back-idle`
      const isThere = Effect.promise(async () => {
        const found = (await (await page.request.get(member)).json()) as {
          readonly member: { readonly status: string }
        }
        return found.member.status === "active"
      })
      assert.isTrue(yield* isThere)
      yield* Effect.promise(async () => {
        await dialog.getByLabel("Reason").fill("The wrong file")
        await page.keyboard.press("Enter")
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("1 guest who only came with it was erased.").waitFor()
        await page.getByText(/^Taken back on .* by /).waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Take the import back" }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.isFalse(yield* isThere)
      assert.deepStrictEqual(faults, [])
    })
  )
}
