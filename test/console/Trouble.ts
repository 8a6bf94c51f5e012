/** The console while the service cannot answer, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { It } from "./Console.ts"
import { Console, keepRouting, rootKey, typeKey } from "./Console.ts"

const member = "/members/demo-foodservice/member-002"

/** The service does what it is asked for once, and its answer is lost. */
const loseAnswer = async (page: Page, url: string): Promise<void> => {
  await keepRouting(page)
  await page.route(
    url,
    async (route) => {
      // The service may just have closed the idle connection that is used here.
      let answer = await route.fetch({ maxRetries: 3 })
      // A busy machine keeps a node from its beats for a moment: it refuses, and has done nothing.
      while (answer.status() === 503) answer = await route.fetch({ maxRetries: 3 })
      // A refusal is not what the test is about: it fails here, and says what the service answered.
      assert.isTrue(answer.ok(), `${answer.status()} ${await answer.text()}`)
      await route.abort()
    },
    { times: 1 }
  )
}

export const trouble = (it: It): void => {
  it.effect("keeps a form while writes are frozen, and saves it with the same button afterwards", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { faults, page } = yield* open(member)
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Edit the profile" }).click()
        await dialog.getByLabel("Name", { exact: true }).fill("Ben Frozen")
      })
      yield* ask("POST", "/admin/api/v1/maintenance", { write_frozen: true })
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByRole("alert").getByText("Nothing was changed: writes are frozen.").waitFor()
        // The bar is above every page.
        await page.getByText("Writes are frozen: nothing can be saved").waitFor()
        assert.strictEqual(await dialog.getByLabel("Name", { exact: true }).inputValue(), "Ben Frozen")
      })
      yield* ask("POST", "/admin/api/v1/maintenance", { write_frozen: false })
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("Ben Frozen").first().waitFor()
        await page.getByText("Writes are frozen: nothing can be saved").waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("credits points once, although the answer was lost, a 503, or that of another server", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open(member)
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Adjust points" }).click()
        await dialog.getByLabel("Amount").fill("7")
        await dialog.getByLabel("Reason").fill("Lost answers")
        await dialog.getByText("The balance goes from").waitFor()
        await keepRouting(page)
        const credit = dialog.getByRole("button", { name: "Adjust points" })
        const problem = {
          type: "about:blank",
          title: "Storage unavailable",
          status: 503,
          detail: "Storage is unavailable.",
          instance: "/",
          code: "storage_unavailable"
        }
        for (const [answer, sentence] of [
          [undefined, "Cannot reach the service."],
          [{ contentType: "application/problem+json", body: JSON.stringify(problem) }, "The service is unavailable."],
          [{ contentType: "text/html", body: "<h1>Bad gateway</h1>" }, "The service is unavailable."]
        ] as const) {
          // The service does what it is asked for, and the reader cannot know.
          await page.route(
            "**/adjustments",
            async (route) => {
              await route.fetch()
              await (answer === undefined ? route.abort() : route.fulfill({ status: 503, ...answer }))
            },
            { times: 1 }
          )
          await credit.click()
          await dialog.getByRole("alert").getByText(sentence).waitFor()
          assert.strictEqual(await dialog.getByLabel("Amount").inputValue(), "7")
          assert.strictEqual(await dialog.getByLabel("Reason").inputValue(), "Lost answers")
        }
        // Closed and opened again, the dialog still holds the same change.
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("button", { name: "Adjust points" }).click()
        await dialog.getByText("The balance goes from").waitFor()
        await credit.click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("cell", { name: "Lost answers" }).waitFor()
        assert.strictEqual(await page.getByRole("cell", { name: "Lost answers" }).count(), 1)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("issues a token once although the answer was lost, and says that its secret was lost too", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/developers")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Issue a token" }).click()
        await page.getByLabel("Name, such as the till's location").fill("Lost till")
        await page.getByLabel("Tills: look up members").check()
        await loseAnswer(page, "**/tokens")
        const issue = dialog.getByRole("button", { name: "Issue a token" })
        await issue.click()
        await dialog.getByRole("alert").getByText("Cannot reach the service.").waitFor()
        await issue.click()
        await dialog.getByText("the response with its secret was lost").waitFor()
        await dialog.getByRole("button", { name: "Close" }).last().click()
        await page.getByRole("row", { name: /Lost till/ }).waitFor()
        assert.strictEqual(await page.getByRole("row", { name: /Lost till/ }).count(), 1)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("keeps a form when the session ends before it is saved, and saves it after a new sign-in", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { page } = yield* open(member)
      const form = page.getByRole("dialog", { name: "Edit the profile" })
      yield* Effect.promise(async () => {
        // A page that stays open for days meets this more than once.
        for (const name of ["Ben Signed In", "Ben Again"]) {
          await page.getByRole("button", { name: "Edit the profile" }).click()
          await form.getByLabel("Name", { exact: true }).fill(name)
          await page.context().clearCookies()
          await form.getByRole("button", { name: "Save" }).click()
          await page.getByText("Your session has ended").waitFor()
          await typeKey(page, rootKey)
          await page.getByRole("button", { name: "Sign in", exact: true }).click()
          await page.getByText("Your session has ended").waitFor({ state: "hidden" })
          assert.strictEqual(await form.getByLabel("Name", { exact: true }).inputValue(), name)
          await form.getByText("Your session had ended, and nothing was changed.").waitFor()
          await form.getByRole("button", { name: "Save" }).click()
          await form.waitFor({ state: "hidden" })
          await page.getByText(name).first().waitFor()
        }
      })
    })
  )

  it.effect("says after a lost answer that a token may have been rotated, and what to do", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      yield* ask("POST", "/admin/api/v1/tokens", { name: "Turning till", scopes: ["protocol:read"] })
      const { faults, page } = yield* open("/developers")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await loseAnswer(page, "**/rotate")
        const row = page.getByRole("row", { name: /Turning till/ })
        await row.getByRole("button", { name: "Rotate" }).click()
        const rotate = dialog.getByRole("button", { name: "Rotate" })
        await rotate.click()
        await dialog.getByText("the token may already have a new secret").waitFor()
        await row.getByText("Rotating").waitFor()
        await rotate.click()
        await page.getByText(/^lot_[\w-]{43}$/).waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("takes what is no longer there as deleted, where the first answer was lost", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/segments/new")
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByLabel("Name").fill("Short-lived")
        await page.getByRole("button", { name: "Add a condition" }).click()
        await page.getByRole("menuitem", { name: "No order lately" }).click()
        await page.getByLabel("Days").fill("60")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("heading", { name: "Short-lived" }).waitFor()
        await loseAnswer(page, "**/segments/delete")
        await page.getByRole("button", { name: "Delete" }).click()
        const remove = dialog.getByRole("button", { name: "Delete" })
        await remove.click()
        await dialog.getByRole("alert").getByText("Cannot reach the service.").waitFor()
        await remove.click()
        await page.waitForURL(/\/audience\/segments$/)
        await page.getByRole("link", { name: "Regulars", exact: true }).waitFor()
        // The rows of before stay until the new ones are there.
        await page.getByText("Short-lived").waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
