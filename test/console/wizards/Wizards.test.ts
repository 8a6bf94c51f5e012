/** Wizards with three questions, by keys alone, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asSystem } from "../audience/Audience.ts"
import { barriers, Console, layer as consoleLayer, narrow, overflow, programKept } from "../Console.ts"

const program_id = "demo-foodservice"

layer(consoleLayer, { excludeTestServices: true })("the wizards", (it) => {
  it.effect("put a happy hour into the forms after its sentence and its cost, which is then published", () =>
    Effect.gen(function* () {
      yield* programKept
      const { ask, open } = yield* Console
      const { faults, page } = yield* open("/programme", { viewport: narrow })
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Happy hour" }).press("Enter")
        await dialog.getByLabel("From", { exact: true }).fill("14:00")
        await dialog.getByLabel("Until", { exact: true }).fill("14:00")
        await dialog.getByText("The end must be another time").waitFor()
        await dialog.getByText("Answer the three questions first.").waitFor()
        await dialog.getByLabel("Until", { exact: true }).fill("16:00")
        await dialog
          .getByText(/^Mon–Fri, 14:00 to 16:00: guests get 2 times the points\. Where another promotion gives more/)
          .waitFor()
        await dialog.getByText(/by your last \d+ orders|less than a week/).waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Put it into the forms" }).press("Enter")
        await dialog.waitFor({ state: "hidden" })
        await page.waitForURL(/section=promotions/)
        await page.getByRole("article", { name: "Happy hour" }).waitFor()
        await page.getByRole("button", { name: "Publish" }).click()
        await dialog.getByRole("button", { name: "Publish" }).click()
        await dialog.waitFor({ state: "hidden" })
      })
      const { program } = (yield* ask("GET", `/admin/api/v1/programs/${program_id}`)) as {
        readonly program: { readonly promotions: ReadonlyArray<object> }
      }
      assert.deepInclude(program.promotions.at(-1), {
        name: "Happy hour",
        effect: { multiply_bps: 20_000 },
        when: { weekly: [{ days: ["mon", "tue", "wed", "thu", "fri"], from: "14:00", until: "16:00" }] }
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect(
    "make the draft of a win-back with its segment, once, and of one that brings friends, for whom Enrol asks",
    () =>
      Effect.gen(function* () {
        const { open } = yield* Console
        yield* asSystem("PUT", "/platform/v1/members", {
          ...{ program_id, member_id: "wizard-friend", display_name: "Frida Friend" }
        })
        const { faults, page } = yield* open("/audience/campaigns")
        const dialog = page.getByRole("dialog")
        const make = async (): Promise<void> => {
          await dialog.getByRole("button", { name: "Make the draft" }).press("Enter")
          await dialog.waitFor({ state: "hidden" })
          await page.waitForURL(/campaigns\/cmp_/)
        }
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Win-back" }).press("Enter")
          await dialog.getByRole("combobox", { name: /What does the guest get/ }).selectOption({ label: "Free bowl" })
          await dialog.getByText(/who have stayed away for 60 days get “Free bowl”, good for 30 days/).waitFor()
          await dialog.getByText(/a month/).waitFor()
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        yield* Effect.promise(async () => {
          await make()
          await page.getByRole("heading", { name: "Win-back" }).waitFor()
          await page.getByText("Draft", { exact: true }).first().waitFor()
          await page.getByRole("link", { name: "Stayed away for 60 days" }).waitFor()
          await page.getByRole("link", { name: "Campaigns" }).last().click()
          await page.getByRole("button", { name: "Bring a friend" }).press("Enter")
          await dialog.getByText(/^Who brings a friend gets 50 .*, 14 days after/).waitFor()
          await make()
          await page.goto(new URL("/console/members?search=Nobody+Yet", page.url()).href)
          await page.getByRole("button", { name: "Enrol a guest" }).click()
          await dialog.getByLabel("Who brought the guest").fill("Frida")
          await page.getByRole("option", { name: /Frida Friend/ }).click()
          await dialog.getByRole("button", { name: "Enrol a guest" }).click()
          await page.getByRole("heading", { name: "Nobody Yet" }).first().waitFor()
        })
        const member_id = new URL(page.url()).pathname.split("/").at(-1)
        const { member } = (yield* asSystem(
          "GET",
          `/platform/v1/members?program_id=${program_id}&member_id=${member_id}`
        )) as unknown as { readonly member: { readonly attributes?: object } }
        assert.deepInclude(member.attributes, { referred_by: "wizard-friend" })
        assert.deepStrictEqual(faults, [])
      })
  )
})
