/** Every input of a whole number in the console, in a real browser: what is typed stays, and what is none is told at it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import * as fs from "node:fs"
import * as path from "node:path"
import type { It } from "../../Console.ts"
import { barriers, Console, openGeneral } from "../../Console.ts"
import { source } from "../../Sources.ts"

const dialogOf = (page: Page): Locator => page.getByRole("dialog")

/** Opens the dialog of a button. */
const press =
  (name: string | RegExp, prepare: (dialog: Locator) => Promise<unknown> = async () => undefined) =>
  async (page: Page): Promise<Locator> => {
    await page.getByRole("button", { name }).first().click()
    await prepare(dialogOf(page))
    return dialogOf(page)
  }

/** A place with inputs of whole numbers: the file that has them, and how many are seen there at least. */
interface Place {
  readonly file: string
  readonly at: string
  readonly open: (page: Page) => Promise<Locator>
  readonly least: number
}

const campaign = "/audience/campaigns/new"

const places: ReadonlyArray<Place> = [
  { file: "counter/GivePoints", at: "/members/demo-foodservice/member-003", open: press("Adjust points"), least: 1 },
  {
    file: "developers/ConnectorForm",
    at: "/developers",
    open: press("Add a connector", (dialog) => dialog.getByText("Deliveries at the same time").waitFor()),
    least: 1
  },
  {
    file: "developers/Thresholds",
    at: "/developers",
    open: press("Add a connector", (dialog) => dialog.getByRole("button", { name: "Add a balance" }).click()),
    least: 2
  },
  { file: "programme/General", at: "/programme", open: press(/^Change name, time zone/), least: 1 },
  {
    file: "programme/Accounts",
    at: "/programme?section=accounts",
    open: press("Add an account", (dialog) => dialog.getByRole("textbox").first().waitFor()),
    least: 1
  },
  {
    file: "programme/EarningDialog",
    at: "/programme?section=earning",
    open: press("Change how orders earn"),
    least: 1
  },
  {
    file: "programme/Expiry",
    at: "/programme?section=expiry",
    open: press("Change when points expire", (dialog) =>
      dialog.getByRole("combobox").first().selectOption({ index: 1 })
    ),
    least: 1
  },
  { file: "programme/TierDialog", at: "/programme?section=tiers", open: press("Add a tier"), least: 1 },
  {
    file: "programme/RewardDialog",
    at: "/programme?section=rewards",
    open: press("Add a reward", (dialog) => dialog.getByLabel("The guest gets").selectOption({ index: 1 })),
    least: 1
  },
  {
    file: "programme/PromotionDialog",
    at: "/programme?section=promotions",
    open: press("Add a promotion", async (dialog) => {
      await dialog.locator("select").first().selectOption("add")
      await dialog.locator("summary").last().click()
      await dialog.getByLabel("How often a guest gets it").selectOption({ index: 1 })
    }),
    least: 3
  },
  {
    file: "programme/ChallengeDialog",
    at: "/programme?section=challenges",
    open: press("Add a challenge"),
    least: 1
  },
  {
    file: "programme/StampCard",
    at: "/programme?section=stampCard",
    open: press("Change the stamp card", (dialog) => dialog.getByLabel("Guests have").selectOption("A stamp card")),
    least: 1
  },
  {
    file: "shared/form/ShapeInputs",
    at: "/programme",
    open: async (page) => {
      await openGeneral(page)
      return page.getByRole("main")
    },
    least: 1
  },
  {
    file: "audience/CampaignParts",
    at: campaign,
    open: async (page) => {
      await page.getByRole("main").locator("summary").last().click()
      return page.getByRole("main")
    },
    least: 3
  },
  {
    file: "audience/GuestWords",
    at: campaign,
    open: async (page) => {
      await page.getByLabel("Text for guests").fill("A bowl for you")
      return page.getByRole("main")
    },
    least: 1
  },
  {
    file: "audience/ScheduleInput",
    at: campaign,
    open: async (page) => {
      await page.getByText("Repeatedly").click()
      await page.getByLabel("How often", { exact: true }).selectOption("monthly")
      return page.getByRole("main")
    },
    least: 1
  },
  {
    file: "audience/TriggerInput",
    at: campaign,
    open: async (page) => {
      await page.getByText("When something happens").click()
      await page.getByRole("main").locator("summary").last().click()
      return page.getByRole("main")
    },
    least: 3
  },
  {
    file: "audience/RuleFields",
    at: "/audience/segments/new",
    open: async (page) => {
      await page.getByRole("button", { name: "Add a condition" }).click()
      await page.getByRole("menuitem", { name: "No order lately" }).click()
      return page.getByRole("main")
    },
    least: 1
  },
  { file: "people/ChangeLimits", at: "/people", open: press(/^Change limits/), least: 4 },
  { file: "wizards/Wizard", at: "/programme", open: press("Coffee stamps"), least: 1 }
]

/** Files with inputs of numbers that are none of whole ones, or that a test of their page has. */
const others = ["audience/MailInput", "guests/Profile", "programme/Evaluation"]

const fault = { "en-GB": "This must be a whole number", "de-DE": "Das muss eine ganze Zahl sein" } as const

const told = (field: Locator): Promise<string> =>
  field.evaluate((node) => {
    const { validationMessage } = node as unknown as { readonly validationMessage: string }
    return validationMessage
  })

/** Types into an input, and looks at what it says. */
const check = async (field: Locator, locale: keyof typeof fault, where: string): Promise<void> => {
  const grouped = locale === "en-GB" ? "1,000" : "1.000"
  const decimal = locale === "en-GB" ? "1.000" : "1,000"
  for (const typed of ["1.5", "1,5", decimal, "1e3", "1 5", "x"]) {
    await field.fill(typed)
    assert.strictEqual(await field.inputValue(), typed, `${where}: ${typed}`)
    assert.include(await told(field), fault[locale], `${where}: ${typed}`)
    assert.strictEqual(await field.getAttribute("aria-invalid"), "true", `${where}: ${typed}`)
  }
  for (const typed of ["15", grouped]) {
    await field.fill(typed)
    assert.strictEqual(await field.inputValue(), typed, `${where}: ${typed}`)
    assert.notInclude(await told(field), fault[locale], `${where}: ${typed}`)
  }
}

/** Those that may be negative are typed on all keys. */
const whole = 'input[inputmode="numeric"]:visible, input[inputmode="text"]:visible'

export const numberFields = (it: It): void => {
  for (const { at, file, least, open: prepare } of places)
    it.effect(`takes whole numbers alone, and leaves what is typed: ${file}`, () =>
      Effect.gen(function* () {
        const { faults, page } = yield* (yield* Console).open(at)
        yield* Effect.promise(async () => {
          page.setDefaultTimeout(20_000)
          const scope = await prepare(page)
          const fields = scope.locator(whole)
          await fields.nth(least - 1).waitFor()
          for (const field of await fields.all()) await check(field, "en-GB", file)
          await fields.first().fill("1.5")
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      })
    )

  it.effect("takes whole numbers as they are written in German, pasted or typed", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/members/demo-foodservice/member-003", {
        locale: "de-DE"
      })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Punkte korrigieren" }).click()
        const dialog = dialogOf(page)
        const field = dialog.locator(whole)
        await check(field, "de-DE", "points")
        await field.fill("")
        await field.focus()
        await page.keyboard.insertText("1,5")
        await dialog.getByText(fault["de-DE"]).waitFor()
        await field.fill("\u22121.000")
        await field.blur()
        assert.strictEqual(await field.inputValue(), "-1.000")
        assert.strictEqual(await told(field), "")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("sends no form while one of its numbers is none", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/people")
      yield* Effect.promise(async () => {
        let sent = 0
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url().endsWith("/limits")) sent += 1
        })
        const dialog = await press("Change limits: Support")(page)
        await dialog.getByLabel("Rewards a day").fill("1.5")
        await dialog.getByLabel("Reason").fill("Fewer")
        await dialog.getByRole("button", { name: "Change limits" }).click()
        await dialog.locator("input:focus").and(dialog.getByLabel("Rewards a day")).waitFor()
        assert.strictEqual(sent, 0)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("has every input of a number in the list above", () =>
    Effect.sync(() => {
      const folder = path.join(source, "console")
      const files = fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".tsx") && file !== path.join("shared", "form", "NumberField.tsx"))
      const textOf = (file: string) => fs.readFileSync(path.join(folder, file), "utf8")
      const having = files.filter((file) => textOf(file).includes("<NumberField")).map((file) => file.slice(0, -4))
      // Dialogs by the contract have the inputs of `ShapeInputs`.
      const listed = new Set([...others, ...places.map(({ file }) => file)])
      assert.deepStrictEqual(
        having.filter((file) => !listed.has(file)),
        []
      )
      assert.deepStrictEqual(
        files.filter((file) => /NumberInput|type="number"/.test(textOf(file))),
        []
      )
    })
  )
}
