/** Connected tills on the console's page for developers, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"

const name = "Corner Bowl"

const tillsOf = (page: Page) => page.getByRole("region", { name: "Tills" }).first()

const made = (ask: Console["Service"]["ask"], external_id: string) =>
  ask("POST", "/admin/api/v1/connections", {
    vendor: "toast",
    program_id: "demo-foodservice",
    name: `Narrow ${external_id}`,
    restaurants: [{ external_id, location_id: "location-42" }]
  }) as Effect.Effect<{ readonly connection: { readonly connection_id: string }; readonly secret: string }>

export const tills = (it: It): void => {
  it.effect("connects a till by an address and a key, changes it, pauses it, and deletes it", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const { faults, page } = yield* open("/developers")
      const dialog = page.getByRole("dialog")
      const closeKey = async () => {
        await dialog.getByText(`The key of ${name}`).waitFor()
        const key = (await dialog.locator(".secret").textContent()) ?? ""
        await dialog.getByRole("button", { name: "Copy" }).click()
        await dialog.getByRole("button", { name: "Close" }).last().click()
        await dialog.waitFor({ state: "hidden" })
        return key
      }
      const tried = async (typed: string, told: string) => {
        await page.getByRole("button", { name: "Try the key" }).click()
        await dialog.getByLabel("Key", { exact: true }).fill(typed)
        await dialog.getByRole("button", { name: "Try the key" }).click()
        await dialog.getByText(told).waitFor()
        await dialog.getByRole("button", { name: "Close" }).last().click()
        await dialog.waitFor({ state: "hidden" })
      }
      yield* Effect.promise(async () => {
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
        await tillsOf(page).getByText("No till is connected yet").waitFor()
        const guide = tillsOf(page).getByRole("link", { name: "How to connect Toast, step by step" })
        assert.strictEqual(await guide.getAttribute("href"), "/docs/connecting-toast")
        await page.getByRole("button", { name: "Connect a till" }).click()
        await dialog.getByLabel(/^Name/).fill(name)
        await dialog.getByLabel("Id in the till of restaurant 1").fill("TOAST-EAST")
        await dialog.getByLabel("Restaurant 1", { exact: true }).fill("location-42")
        await dialog.getByText("More settings").click()
        await dialog.getByLabel("Country of telephone numbers").fill("us")
        await dialog.getByRole("button", { name: "Connect" }).click()
        await dialog.getByText("must be a country in two capital letters", { exact: true }).waitFor()
        await dialog.getByLabel("Country of telephone numbers").fill("US")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      const key = yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Connect" }).click()
        const key = await closeKey()
        assert.notInclude(await page.content(), key)
        await tillsOf(page).getByRole("link", { name }).click()
        await page.getByText(`ends in ${key.slice(-4)}`, { exact: true }).waitFor()
        await page.getByText(`${url}/connect/toast/`).waitFor()
        await page.getByText("TOAST-EAST → ").waitFor()
        await page.getByText("Nothing came yet").waitFor()

        await tried(`${key}x`, "The key is wrong.")
        await tried(key, "The address and the key are right: the till would be answered.")
        return key
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: `Edit ${name}` }).click()
        await dialog.getByRole("button", { name: "Add a restaurant" }).click()
        await dialog.getByLabel("Id in the till of restaurant 2").fill("TOAST-WEST")
        await dialog.getByLabel("Restaurant 2", { exact: true }).fill("west")
        await dialog.getByRole("button", { name: "Save" }).click()
        await page.getByText("TOAST-WEST → west").waitFor()
        await page.getByRole("button", { name: `Pause ${name}` }).click()
        await dialog.getByText("are refused within a second").waitFor()
        await dialog.getByRole("button", { name: "Pause" }).click()
        await page.getByText("Paused", { exact: true }).waitFor()
        // A pause holds within a second.
        const address = (await page.getByText(`${url}/connect/toast/`).textContent()) ?? ""
        const answer = async () =>
          (await page.request.post(address, { headers: { authorization: key }, data: {} })).text()
        while (!(await answer()).includes("ERROR_INVALID_TOKEN"));
        await tried(key, "The connection is paused")
        await page.getByRole("button", { name: `Make ${name} active` }).click()
        await dialog.getByRole("button", { name: "Make active" }).click()
        await page.getByText("Active", { exact: true }).waitFor()
        await page.getByRole("button", { name: "New key" }).click()
        await dialog.getByLabel("The old key still works").selectOption("For a day")
        await dialog.getByRole("button", { name: "New key" }).click()
        const other = await closeKey()
        await page.getByText(`ends in ${other.slice(-4)}; the one before it works until`).waitFor()
        await page.getByRole("button", { name: `Delete ${name}` }).click()
        await dialog.getByRole("button", { name: "Delete" }).click()
        await tillsOf(page).getByText("No till is connected yet").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows connected tills on a narrow screen, and no buttons to those who may only read", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { connection } = yield* made(ask, "TOAST-".padEnd(60, "0"))
      const token = yield* ask("POST", "/admin/api/v1/tokens", { name: "Reader of tills", scopes: ["admin:read"] })
      const { page } = yield* open("/developers", {
        key: (token as { readonly secret: string }).secret,
        viewport: narrow,
        colorScheme: "dark"
      })
      yield* Effect.promise(async () => {
        const link = tillsOf(page).getByRole("link", { name: /^Narrow/ })
        await link.waitFor()
        assert.strictEqual(await tillsOf(page).getByRole("button").count(), 0)
        assert.isAtMost(await overflow(page), 0)
        await link.click()
        await page.getByText("Nothing came yet").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /key|Edit|Pause|Delete/ }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* ask("DELETE", `/admin/api/v1/connections/${connection.connection_id}`)
    })
  )
}
