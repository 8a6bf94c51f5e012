/** The recipes of the guide *Run a programme*, made with the forms alone, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import * as fs from "node:fs"
import * as path from "node:path"
import { isDeepStrictEqual } from "node:util"
import "../../../src/console/shared/words/labels.ts"
import type { Shape } from "../../../src/console/shared/form/shape.ts"
import { shapeOf } from "../../../src/console/shared/form/shape.ts"
import { labelOf } from "../../../src/console/shared/words/words.ts"
import { ProgramFile } from "../../../src/contract/ProgramFile.ts"
import { Console, layer as consoleLayer } from "../Console.ts"

type Json = Readonly<Record<string, unknown>>

const guide = fs.readFileSync(
  path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "run-a-programme.md"),
  "utf8"
)
const block = (text: string): Json => JSON.parse(/^```json\n(.*?)^```$/ms.exec(text)?.[1] ?? "{}")
const base = block(guide)
const recipeOf = (name: string): Json => block(guide.split(`\n## ${name}\n`)[1] ?? "")

/** The sections of the forms, as the guide names them. */
const recipes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Coffee stamps": { promotions: "Promotions", stamp_card: "Stamp card" },
  "Happy hour": { promotions: "Promotions" },
  "Product of the month": { promotions: "Promotions" },
  "Tiers that last": { tier_policy: "Tiers" },
  "A streak": { challenges: "Challenges" },
  "Pay with points": { redemption: "Rewards" },
  Catering: { limits: "Earning" }
}

const isSmall = (shape: Shape): boolean =>
  shape.kind !== "record" ||
  shape.fields.every(({ shape: { kind } }) => ["text", "number", "money", "time"].includes(kind))

interface Filling {
  readonly shape: Shape
  readonly name: string
  readonly isRequired: boolean
  readonly before: unknown
  readonly wanted: unknown
}

const fillList = async (scope: Locator, { before, name, shape, wanted }: Filling): Promise<void> => {
  if (shape.kind !== "list") return
  const items = wanted as ReadonlyArray<unknown>
  const label = labelOf(name)
  const { of } = shape
  if (of.kind === "text" && of.options !== undefined) {
    for (const item of items) await scope.getByLabel(labelOf(String(item)), { exact: true }).check()
    return
  }
  if (of.kind === "text" || of.kind === "number") {
    for (const item of items) {
      const input = scope.getByRole("combobox", { name: label, exact: true })
      await input.fill(String(item))
      await input.press("Enter")
    }
    return
  }
  const list = scope.getByRole("group", { name: label, exact: true }).first()
  for (const item of items) {
    await list.getByRole("button", { name: "Add one" }).last().click()
    const place = isSmall(of) ? list : list.locator("details.item").first()
    await fillRecord(place, of, undefined, item)
  }
  assert.isUndefined(before, `${name} is a list that the programme does not have`)
}

/** Fills the fields that differ, as a person would: switches a property on, then says what it is. */
const fillOne = async (scope: Locator, one: Filling): Promise<void> => {
  const { before, isRequired, name, shape, wanted } = one
  if (isDeepStrictEqual(before, wanted)) return
  const label = labelOf(name)
  const isSwitched = shape.kind === "list" || shape.kind === "record"
  const has = scope.getByLabel(`With ${label.charAt(0).toLowerCase()}${label.slice(1)}`, { exact: true })
  if (!isRequired && before === undefined && isSwitched) await has.first().click()
  const input = scope.getByLabel(label, { exact: true }).first()
  switch (shape.kind) {
    case "text":
      // A reward's id is chosen among those of the programme.
      return void (await (shape.options === undefined &&
      (await input.evaluate((field) => (field as unknown as { readonly tagName: string }).tagName)) !== "SELECT"
        ? input.fill(String(wanted))
        : input.selectOption(String(wanted))))
    case "number":
      return input.fill(String(name.endsWith("_bps") ? Number(wanted) / 100 : wanted))
    case "money":
      return input.fill(String((wanted as { readonly amount: number }).amount / 100))
    case "flag":
      return isRequired ? input.setChecked(wanted === true) : void (await input.selectOption(String(wanted)))
    case "list":
      return fillList(scope, one)
    case "record":
      return fillRecord(scope.getByRole("group", { name: label, exact: true }).first(), shape, before, wanted)
    default:
      throw new Error(`no recipe has ${shape.kind}`)
  }
}

const fillRecord = async (scope: Locator, shape: Shape, before: unknown, wanted: unknown): Promise<void> => {
  if (shape.kind !== "record") throw new Error("an item is a record")
  const [was, is] = [(before ?? {}) as Json, wanted as Json]
  for (const field of shape.fields)
    if (is[field.name] !== undefined)
      await fillOne(scope, { ...field, before: was[field.name], wanted: is[field.name] })
}

const publish = async (page: Page, version: number): Promise<void> => {
  await page.getByRole("button", { name: "Publish", exact: true }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click()
  await page.getByText(`Version ${version}, published`).waitFor()
}

const shape = shapeOf(ProgramFile)
const admin = "/admin/api/v1/programs"

layer(consoleLayer, { excludeTestServices: true })("the recipes of the guide, in the console", (it) => {
  for (const [name, sections] of Object.entries(recipes))
    it.effect(`${name}: the forms make what the guide says`, () =>
      Effect.gen(function* () {
        const { ask, open } = yield* Console
        const program_id = `cafe-${name.toLowerCase().replaceAll(" ", "-")}`
        yield* ask("POST", `${admin}/publish`, { program: { ...base, program_id } })
        const recipe = recipeOf(name)
        assert.sameMembers(Object.keys(recipe), Object.keys(sections))
        const { faults, page } = yield* open(`/programme?program=${program_id}`)
        yield* Effect.promise(async () => {
          for (const [property, section] of Object.entries(sections)) {
            await page.getByRole("tab", { name: section, exact: true }).click()
            // Words and cards come first.
            await page.getByText(/^Advanced: every property/).click()
            const field = shape.kind === "record" ? shape.fields.find((one) => one.name === property) : undefined
            if (field === undefined) throw new Error(`${property} is no property of a programme`)
            await fillOne(page.getByRole("tabpanel"), {
              ...field,
              before: base[property],
              wanted: recipe[property]
            })
          }
          await publish(page, 2)
        })
        const shown = (yield* ask("GET", `${admin}/${program_id}`)) as { readonly program: Json }
        for (const property of Object.keys(recipe)) assert.deepStrictEqual(shown.program[property], recipe[property])
        assert.deepStrictEqual(faults, [])
      })
    )
})
