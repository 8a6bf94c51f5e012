/** The connectors on the console's page for developers, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Receiver from "../../capabilities/webhooks/Receiver.ts"
import { asSystem } from "../audience/Audience.ts"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"

const arabic = "النشرة"

const name = "Newsletter"

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`

const connectorsOf = (page: Page) => page.getByRole("region", { name: "Connectors" }).first()

export const connectors = (it: It): void => {
  it.effect("adds a connector, changes it over another's change, and deletes it", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/developers")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await connectorsOf(page).getByText("There are no connectors yet").waitFor()
        await page.getByRole("button", { name: "Add a connector" }).click()
        await dialog.getByLabel(/^Name/).fill(arabic)
        await dialog.getByLabel("Address").fill("http://10.0.0.1/hook")
        await dialog.getByLabel("Only these").check()
        await dialog.getByLabel("Member enrolled").check()
        await dialog.getByLabel("Tier changed").check()
        await dialog.getByLabel("Secret that signs deliveries").fill("too short")
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByText("must be whsec_ and 24 to 64 bytes in base64", { exact: true }).waitFor()
        await dialog.getByLabel("Secret that signs deliveries").fill(secret)
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByText("must be https; http is for loopback alone", { exact: true }).waitFor()
        assert.strictEqual(await dialog.getByLabel("Address").getAttribute("aria-invalid"), "true")
        assert.isTrue(await dialog.getByLabel("Tier changed").isChecked())
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
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
        // An owner lets it send codes to telephones, and takes that back.
        const codes = dialog.getByLabel("Send codes to the telephones of guests who sign in")
        for (const sends of [true, false]) {
          await page.getByRole("button", { name: `Edit ${arabic}` }).click()
          assert.strictEqual(await codes.isChecked(), !sends)
          await codes.setChecked(sends)
          await dialog.getByRole("button", { name: "Save" }).click()
          await dialog.waitFor({ state: "hidden" })
        }
        // For codes it needs no events.
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByLabel("Only these").check()
        assert.isTrue(await dialog.getByRole("button", { name: "Save" }).isDisabled())
        await codes.check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText("No events").waitFor()
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await codes.uncheck()
        await dialog.getByLabel("All, including types of later versions").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText("All events").waitFor()
        // Balances to watch, then those alone.
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByRole("button", { name: "Add a balance" }).click()
        await dialog.getByLabel("Amount of balance 1").fill("1000")
        await dialog.getByRole("button", { name: "Add a balance" }).click()
        assert.isTrue(await dialog.getByRole("button", { name: "Save" }).isDisabled())
        await dialog.getByLabel("Unit of balance 2").selectOption("Stamps")
        await dialog.getByLabel("Amount of balance 2").fill("9")
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText("All events; balances that cross 1,000 points, 9 stamps").waitFor()
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByRole("button", { name: "Remove balance 1" }).click()
        await dialog.getByLabel("Only these").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText("Balances that cross 9 stamps").waitFor()
        await page.getByRole("button", { name: `Edit ${arabic}` }).click()
        await dialog.getByRole("button", { name: "Remove balance 1" }).click()
        await dialog.getByLabel("All, including types of later versions").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        await row.getByText(/^All events(?!;)/).waitFor()
        // Properties that a form does not have stay: the secret, and that it is disabled.
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

  it.effect("shows what a receiver got and answered, sends it again, tests the receiver and changes the secret", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make
      const { open } = yield* Console
      const { faults, page } = yield* open("/developers")
      const dialog = page.getByRole("dialog")
      const confirm = async (name: string): Promise<void> => {
        await dialog.getByRole("button", { name, exact: true }).last().click()
        await dialog.waitFor({ state: "hidden" })
      }
      /** Opens an action, and confirms it with the same word. */
      const act = async (name: string, submit = name): Promise<void> => {
        await page.getByRole("button", { name, exact: true }).click()
        await confirm(submit)
      }
      const rows = page.getByRole("table", { name: "Deliveries" }).getByRole("row", { name: /Member enrolled/ })
      const closeSecret = async (): Promise<string> => {
        await dialog.getByText("The service does not show it again").waitFor()
        const shown = (await dialog.locator(".secret").innerText()).trim()
        assert.match(shown, /^whsec_[\w+/]{43}=$/)
        await dialog.getByRole("button", { name: "Copy" }).waitFor()
        await confirm("Close")
        return shown
      }
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add a connector" }).click()
        await dialog.getByLabel(/^Name/).fill(name)
        await dialog.getByLabel("Address").fill(receiver.url)
        await dialog.getByLabel("Only these").check()
        await dialog.getByLabel("Member enrolled").check()
        await dialog.getByRole("button", { name: "Save" }).click()
        const made = await closeSecret()
        const row = connectorsOf(page).getByRole("row", { name })
        await row.getByText("Delivering").waitFor()
        await row.getByText(`secret ends in ${made.slice(-4)}`).waitFor()
        assert.notInclude(await page.content(), made)
        await row.getByRole("link", { name }).click()
        await page.getByText("No deliveries yet").waitFor()
      })
      yield* asSystem("PUT", "/platform/v1/members", { program_id: "demo-foodservice", member_id: "delivered" })
      yield* Effect.promise(async () => {
        await rows.getByText("Delivered", { exact: true }).waitFor()
        await rows
          .getByText(/^204 after/)
          .first()
          .waitFor()

        // A receiver that fails: the delivery waits, and Today says so.
        receiver.answering = (_, answer) => {
          answer.writeHead(500).end("out of order")
          return "answered"
        }
        await rows.getByRole("button", { name: /^Replay Member enrolled/ }).click()
        await confirm("Replay")
        await page.getByText("The event is being sent again").waitFor()
        await rows.getByText("Pending", { exact: true }).waitFor()
        await rows.getByText(/^\d attempts$/).click()
        await rows.locator(".secret", { hasText: "out of order" }).waitFor()
        await page.getByText(/^The receiver has accepted nothing since/).waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // The receiver is mended, then breaks again.
        await page.getByRole("button", { name: "Replay all failed" }).click()
        await dialog.getByText("No delivery was given up. 1 waits for another attempt").waitFor()
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "hidden" })
        const refuse = receiver.answering
        receiver.answering = () => undefined
        await page.getByRole("button", { name: `Try now to deliver to ${name}` }).click()
        await dialog.getByText("1 delivery waits for another attempt. It is tried at once instead.").waitFor()
        await confirm("Try now")
        await page.getByText("The waiting deliveries are tried now: the list shows the result.").waitFor()
        assert.strictEqual(await page.getByText(/^Done: /).count(), 0)
        await rows.getByText("Delivered", { exact: true }).waitFor()
        await page.getByText(/^The receiver has accepted nothing since/).waitFor({ state: "hidden" })
        receiver.answering = refuse
        await rows.getByRole("button", { name: /^Replay Member enrolled/ }).click()
        await confirm("Replay")
        await rows.getByText("Pending", { exact: true }).waitFor()
        await rows
          .getByText(/^500 after/)
          .first()
          .waitFor()

        await page.getByRole("link", { name: "Today" }).click()
        await page.getByRole("status").getByRole("link", { name }).click()

        // Deliveries that wait fail when a person disables it. Then they are sent again.
        await act(`Disable ${name}`, "Disable")
        await rows.getByText("Failed", { exact: true }).waitFor()
        await page.getByText("Enable the connector to replay events").waitFor()
        receiver.answering = () => undefined
        await act(`Enable ${name}`, "Enable")
        await page.getByText("Failed", { exact: true }).first().click()
        await page.waitForURL(/status=failed/)
        await page.getByRole("button", { name: "Replay all failed" }).click()
        await dialog.getByText("Sends 1 event again to").waitFor()
        await confirm("Replay all failed")
        await page.getByText("1 event is being sent again").waitFor()
        await page.getByText("No deliveries with this status").waitFor()
        await page.getByText("All", { exact: true }).click()
        await rows.getByText("Delivered", { exact: true }).waitFor()

        const sentAgain = new Promise<void>((resolve) => {
          receiver.answering = () => {
            resolve()
            return undefined
          }
        })
        await page.getByRole("button", { name: "Replay a time range" }).click()
        await dialog.getByLabel("From").fill("2026-01-01T00:00")
        await dialog.getByLabel("Until").fill("2025-01-01T00:00")
        await dialog.getByText("must be later than From").waitFor()
        await dialog.getByLabel("Until").fill("")
        await confirm("Replay")
        await page.getByText("The events of the time range are being sent").waitFor()
        await sentAgain

        receiver.answering = (_, answer) => {
          answer.writeHead(202).end("thank you")
          return "answered"
        }
        await page.getByRole("button", { name: "Send a test" }).click()
        await dialog.getByText(receiver.url, { exact: false }).waitFor()
        await dialog.getByRole("button", { name: "Send a test" }).click()
        await dialog.getByText("The receiver accepted the test").waitFor()
        await dialog.getByText("202", { exact: true }).waitFor()
        await dialog.getByText("thank you").waitFor()
        await confirm("Close")
        assert.isTrue(receiver.heard.some(({ event }) => event.type === "proto.ping.v1"))

        await page.getByRole("button", { name: "Change the secret" }).click()
        await dialog.getByLabel("The old secret signs too").selectOption("For an hour")
        await dialog.getByRole("button", { name: "Change the secret" }).click()
        const changed = await closeSecret()
        await page.getByText(`secret ends in ${changed.slice(-4)}; the secret before it signs too until`).waitFor()
        await act(`Delete ${name}`, "Delete")
        await connectorsOf(page).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows connectors on a narrow screen, and no buttons to those who may only read", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const connector_id = "narrow"
      yield* asSystem("PUT", "/platform/v1/connectors", {
        connector_id,
        name: "Narrow",
        type: "webhook",
        configuration: { url: `https://hooks.example.com/${"long".repeat(30)}`, event_types: ["*"] },
        enabled: false
      })
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
        const link = connectorsOf(page).getByRole("link", { name: "Narrow" })
        await link.waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /connector|Edit|Enable/ }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
        await link.click()
        await page.getByText("No deliveries yet").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /Narrow|test|secret|Replay/ }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* asSystem("POST", "/platform/v1/connectors/delete", { connector_id })
    })
  )
}
