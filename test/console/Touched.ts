/** Findings of axe on controls under the pointer and with the focus, and on their sizes, in a real browser. */
import { assert } from "@effect/vitest"
import type { RunOptions } from "axe-core"
import { Effect } from "effect"
import type { ElementHandle, Page } from "playwright-core"
import type { It } from "./Console.ts"
import { barriers, Console, narrow } from "./Console.ts"

interface Found {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
  }>
}

interface Axe {
  readonly axe: { readonly run: (context: unknown, options: RunOptions) => Promise<Found> }
}

const told = ({ violations }: Found): ReadonlyArray<string> =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary}`))

/** Controls that look alike count once. */
const lookOf = (control: ElementHandle): Promise<string> =>
  control.evaluate((node) => {
    const { attributes, className, parentElement, tagName } = node as unknown as {
      readonly attributes: Iterable<{ readonly name: string; readonly value: string }>
      readonly className: string
      readonly parentElement: { readonly className: string }
      readonly tagName: string
    }
    const states = [...attributes].filter(({ name }) => /^(data-|style|disabled|aria-(current|selected))/.test(name))
    return [tagName, className, parentElement.className, ...states.map(({ name, value }) => name + value)].join(" ")
  })

/** Faults of a page's controls, each hovered and focused. `barriers` has put axe into the page. */
const touch = async (page: Page): Promise<ReadonlyArray<string>> => {
  const faults = [
    ...told(
      await page.evaluate(() =>
        (globalThis as unknown as Axe).axe.run("body", {
          runOnly: ["target-size", "landmark-no-duplicate-banner"],
          resultTypes: ["violations"]
        })
      )
    )
  ]
  const dialog = page.getByRole("dialog")
  const within = (await dialog.isVisible()) ? '[role="dialog"] ' : ""
  const controls = await page.$$(
    ["a[href]", "button", "input", "select", "textarea", "summary", "tbody tr"].map((kind) => within + kind).join(", ")
  )
  const seen = new Set<string>()
  for (const control of controls) {
    // The link to the page's content is beside the screen until it has the focus.
    if (!(await control.isVisible()) || ((await control.boundingBox())?.x ?? -1) < 0) continue
    const look = await lookOf(control)
    if (seen.has(look)) continue
    seen.add(look)
    for (const touched of [() => control.hover({ force: true }), () => control.focus()]) {
      await touched()
      const found = await control.evaluate((node) =>
        (globalThis as unknown as Axe).axe.run(node, { runOnly: ["color-contrast"], resultTypes: ["violations"] })
      )
      faults.push(...told(found))
    }
  }
  return faults
}

const guest = "/members/demo-foodservice/member-002"

const cases = [
  [
    "light",
    { width: 1440, height: 900 },
    ["/", "/today/figures", guest, "/programme?section=rewards", "/audience/segments", "/audit"]
  ],
  ["dark", narrow, [guest, "/programme?section=rewards", "/audience/segments", "/audit"]]
] as const

export const touched = (it: It): void => {
  for (const [colorScheme, viewport, addresses] of cases)
    for (const at of addresses)
      it.effect(`has no barriers under the pointer or with the focus, in ${colorScheme} colours, at ${at}`, () =>
        Effect.gen(function* () {
          const { open } = yield* Console
          const { page } = yield* open(at, { colorScheme, viewport })
          yield* Effect.promise(async () => {
            await page.getByRole("heading", { level: 1 }).first().waitFor()
            await page.waitForLoadState("networkidle")
          })
          assert.deepStrictEqual(yield* barriers(page), [])
          assert.deepStrictEqual(yield* Effect.promise(() => touch(page)), [])
          if (!at.includes("rewards")) return
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Add a reward" }).click()
            await page.getByRole("dialog").getByRole("textbox").first().waitFor()
          })
          assert.deepStrictEqual(yield* barriers(page), [])
          assert.deepStrictEqual(yield* Effect.promise(() => touch(page)), [])
        })
      )
}
