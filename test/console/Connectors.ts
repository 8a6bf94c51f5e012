/** The connectors on the console's page for developers, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { barriers, Console, narrow, overflow } from "./Console.ts"
import type { It } from "./Console.ts"

const arabic = "النشرة"

const connectorsOf = (page: Page) => page.getByRole("region", { name: "Connectors" }).first()

export const connectors = (it: It): void => {
  it.effect("adds a connector with a secret that is shown once, changes it, and deletes it", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/developers")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await connectorsOf(page).getByText("There are no connectors yet").waitFor()
        await page.getByText("A later version will deliver events and have a live feed").waitFor()
        await page.getByRole("button", { name: "Add a connector" }).click()
        await dialog.getByLabel(/^Name/).fill(arabic)
        await dialog.getByLabel("Address").fill("http://10.0.0.1/hook")
        await dialog.getByLabel("Only these").check()
        await dialog.getByLabel("Member enrolled").check()
        await dialog.getByLabel("Tier changed").check()
        await dialog.getByLabel("Secret that signs deliveries").fill("too short")
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByText("must be whsec_ and 24 to 64 bytes in base64", { exact: true }).waitFor()
        await dialog.getByRole("button", { name: "Make a secret" }).click()
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByText("must be a public address, not a private or local one", { exact: true }).waitFor()
        assert.strictEqual(await dialog.getByLabel("Address").getAttribute("aria-invalid"), "true")
        assert.isTrue(await dialog.getByLabel("Tier changed").isChecked())
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const secret = await dialog.getByLabel("Secret that signs deliveries").inputValue()
        assert.match(secret, /^whsec_[\w+/]{43}=$/)
        await dialog.getByLabel("Address").fill("https://hooks.example.com/lotbook")
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        const row = connectorsOf(page).getByRole("row", { name: arabic })
        await row.getByText("Member enrolled, Tier changed").waitFor()
        await row.getByText(`signed, secret ends in ${secret.slice(-4)}`).waitFor()
        assert.notInclude(await page.content(), secret)
        await page.getByRole("button", { name: `Disable ${arabic}` }).click()
        await dialog.getByRole("button", { name: "Disable" }).click()
        await row.getByText("Disabled", { exact: true }).waitFor()
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByText(`The current secret ends in ${secret.slice(-4)}.`).waitFor()
        await dialog.getByLabel("All, including types of later versions").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText("All events").waitFor()
        // What a form does not have stays: the secret, and that it is disabled.
        await row.getByText(`signed, secret ends in ${secret.slice(-4)}`).waitFor()
        await row.getByText("Disabled", { exact: true }).waitFor()
      })
      const { url } = yield* Console
      yield* Effect.promise(async () => {
        // Somebody else changes it while the dialog is open.
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByLabel("Address").fill("https://hooks.example.com/mine")
        const [known] = await page.evaluate(async () => {
          const answer = (await (await fetch("/platform/v1/connectors")).json()) as {
            readonly connectors: ReadonlyArray<{ readonly connector_id: string; readonly name: string }>
          }
          return answer.connectors
        })
        const changed = await fetch(`${url}/platform/v1/connectors`, {
          method: "PUT",
          headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
          body: JSON.stringify(
            {
              ...known,
              type: "webhook",
              configuration: { url: "https://hooks.example.com/theirs", event_types: ["*"] }
            },
            ["connector_id", "name", "type", "configuration", "url", "event_types", "0"]
          )
        })
        assert.strictEqual(changed.status, 200)
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByRole("alert").getByText("someone else changed this after you opened it").waitFor()
        assert.strictEqual(await dialog.getByLabel("Address").inputValue(), "https://hooks.example.com/mine")
        await dialog.getByLabel("Overwrite the other change").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        await connectorsOf(page).getByText("https://hooks.example.com/mine").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: `Delete ${arabic}` }).click()
        await dialog.getByRole("button", { name: "Delete" }).click()
        await connectorsOf(page).getByText("There are no connectors yet").waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows connectors on a narrow screen, and no buttons to those who may only read", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const token = yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Reader",
        scopes: ["admin:read", "platform:read"]
      })
      const { page } = yield* open("/developers", {
        key: (token as { readonly secret: string }).secret,
        viewport: narrow,
        colorScheme: "dark"
      })
      yield* Effect.promise(async () => {
        await connectorsOf(page).getByText("There are no connectors yet").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Add a connector" }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
    })
  )
}
