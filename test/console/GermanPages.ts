/** The console in German: no page shows an English text of the catalogue, and none is wider than its window. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import programme from "../../src/app/demo/program.demo.json" with { type: "json" }
import { english, german } from "./Catalogue.ts"
import type { It } from "./Console.ts"
import { Console } from "./Console.ts"

/** Descriptions of promotions, which the demo's owner has written in the owner's own language. */
const own = new Set(programme.promotions.map(({ description }) => description))

/** Pages, and sections of the programme. */
const pages = [
  "/today",
  "/today/figures",
  "/counter",
  "/members",
  "/members/demo-foodservice/member-003",
  "/audience/segments",
  "/audience/segments/new",
  "/audience/campaigns",
  "/audience/campaigns/new",
  "/audience/imports",
  ...["general", "earning", "accounts", "tiers", "rewards", "promotions", "challenges", "expiry"].map(
    (section) => `/programme?section=${section}`
  ),
  "/developers",
  "/developers/requests",
  "/audit",
  "/people",
  "/service",
  "/account"
]

export const germanPages = (it: It): void => {
  it.effect("shows no English text of the catalogue on its pages in German, and cuts none off on a telephone", () =>
    Effect.gen(function* () {
      const texts = yield* Effect.promise(english)
      const told = german()
      // Words of a language that the other has for something else, such as “Status”, are no fault.
      const known = new Set([...told.values()])
      const others = new Set(
        [...texts].flatMap(([at, text]) =>
          typeof text === "string" && /[a-z] [a-z]/i.test(text) && told.get(at) !== text && !known.has(text)
            ? [text]
            : []
        )
      )
      const { faults, page } = yield* (yield* Console).open("/", {
        locale: "de-DE",
        viewport: { width: 390, height: 844 }
      })
      yield* Effect.promise(async () => {
        const origin = new URL(page.url()).origin
        const found: Array<string> = []
        for (const at of pages) {
          await page.goto(`${origin}/console${at}`)
          await page.locator("h1").first().waitFor()
          await page.waitForLoadState("networkidle")
          const shown = await page.evaluate<ReadonlyArray<string>>(`(() => {
            const shown = []
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
            while (walker.nextNode()) shown.push(walker.currentNode.textContent.trim())
            for (const name of ["aria-label", "title", "placeholder"])
              for (const of of document.querySelectorAll("[" + name + "]")) shown.push(of.getAttribute(name))
            return shown
          })()`)
          const isEnglish = (text: string) =>
            others.has(text) ||
            (!own.has(text) &&
              /\d (?:points?|visits?|stamps?|credits?)\b|\((?:points|visits|stamps|credits)\)/.test(text))
          found.push(...shown.filter(isEnglish).map((text) => `${at}: ${text}`))
          const wider = await page.evaluate<number>(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
          )
          if (wider > 0) found.push(`${at}: ${wider} pixels wider than the window`)
          const pictures = process.env["GERMAN_PICTURES"]
          if (pictures !== undefined)
            await page.screenshot({ path: `${pictures}/${at.replaceAll(/\W+/g, "_")}.png`, fullPage: true })
        }
        assert.deepStrictEqual(found, [])
        assert.strictEqual(await page.evaluate("document.documentElement.lang"), "de")
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
