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
        await dialog.getByText("Mon–Fri, 14:00 to 16:00: guests get 2 times the points.", { exact: true }).waitFor()
        await dialog.getByText(/by (the )?[\d,]+ (of [\d,]+ )?orders of the last 30 days|less than a week/).waitFor()
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

  it.effect("offer what tills sell once the field is pressed, or something is typed", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/programme")
      const field = page.getByRole("dialog").getByLabel("Of these products")
      const offered = page.getByRole("listbox").getByRole("option")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Product of the month" }).click()
        await page.getByRole("dialog").locator(":focus").waitFor({ state: "attached" })
        assert.strictEqual(await offered.count(), 0)
        await field.click()
        await offered.first().waitFor()
        await page.keyboard.press("Escape")
        await offered.first().waitFor({ state: "hidden" })
        await page.keyboard.type("bow")
        await offered.first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("close at the first Escape while nothing is typed, each of the seven", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      for (const [at, names] of [
        ["/programme", ["Coffee stamps", "Happy hour", "Product of the month", "Catering"]],
        ["/audience/campaigns", ["Birthday", "Win-back", "Bring a friend"]]
      ] as const) {
        const { faults, page } = yield* open(at)
        yield* Effect.promise(async () => {
          page.setDefaultTimeout(20_000)
          const offered = page.getByRole("region", { name: "Begin with an idea" })
          await offered.getByRole("button").first().waitFor()
          // A programme with a stamp card offers none.
          for (const name of names) {
            const button = offered.getByRole("button", { name })
            if ((await button.count()) === 0) continue
            await button.click()
            const dialog = page.getByRole("dialog", { name })
            await dialog.locator(":focus").waitFor({ state: "attached" })
            await page.keyboard.press("Escape")
            await dialog.waitFor({ state: "hidden" })
          }
        })
        assert.deepStrictEqual(faults, [])
      }
    })
  )

  it.effect("change the happy hour that is there, and refuse one that another promotion outdoes always", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const address = `/admin/api/v1/programs/${program_id}`
      yield* programKept
      const { program } = (yield* ask("GET", address)) as { readonly program: object }
      const promotions = [
        {
          ...{ promotion_id: "friday", name: "Friday feast", effect: { multiply_bps: 20_000 } },
          when: { weekly: [{ days: ["fri"], from: "15:00", until: "17:00" }] }
        },
        { promotion_id: "always", name: "Always triple", effect: { multiply_bps: 30_000 } }
      ]
      yield* ask("POST", "/admin/api/v1/programs/publish", { program: { ...program, promotions } })
      const { faults, page } = yield* open("/programme", { viewport: narrow, colorScheme: "dark" })
      const dialog = page.getByRole("dialog", { name: "Happy hour" })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Happy hour", exact: true }).press("Enter")
        const choice = dialog.getByLabel("There is one already")
        assert.strictEqual(await choice.inputValue(), "friday")
        assert.strictEqual(await dialog.getByLabel(/How many times the points/).inputValue(), "2")
        await dialog.getByText("“Always triple” gives as much or more on each of these orders.").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Put it into the forms" }).isDisabled())
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await dialog.getByLabel(/How many times the points/).fill("4")
        await dialog.getByText(/^Fri, 15:00 to 17:00: guests get 4 times the points\.$/).waitFor()
        await dialog.getByRole("button", { name: "Put it into the forms" }).press("Enter")
        await dialog.waitFor({ state: "hidden" })
        const card = page.getByRole("article", { name: "Friday feast" })
        await card.getByText(/4 times/).waitFor()
        assert.strictEqual(await page.getByRole("article", { name: "Happy hour" }).count(), 0)
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
          await page.getByRole("button", { name: "Win-back" }).press("Enter")
          await dialog.getByRole("combobox", { name: /What does the guest get/ }).selectOption({ label: "Free bowl" })
          await dialog.getByText("There is one already: “Win-back”. Guests would get both.").waitFor()
          await dialog.getByRole("link", { name: "Change “Win-back” instead" }).waitFor()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await page.getByRole("button", { name: "Bring a friend" }).press("Enter")
          await dialog.getByText(/^Who brings a friend gets 50 .*, 14 days after/).waitFor()
          await make()
          await page.getByRole("button", { name: "Activate" }).click()
          await dialog.getByRole("button", { name: "Activate" }).click()
          await page.getByRole("button", { name: "Pause" }).waitFor()
          const campaign = page.url()
          const members = new URL("/console/members?search=Nobody+Yet", campaign).href
          await page.goto(members)
          await page.getByRole("button", { name: "Enrol a guest" }).click()
          // A guest whom nobody brought is enrolled all the same.
          await dialog.getByLabel("Who brought the guest").waitFor()
          assert.isTrue(await dialog.getByRole("button", { name: "Enrol a guest" }).isEnabled())
          await dialog.getByLabel("Name", { exact: true }).fill("Alma Alone")
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Alma Alone" }).first().waitFor()
          await page.goto(members)
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
