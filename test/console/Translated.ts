/**
 * The console in a language that exists for the test alone: each text of the catalogue in ⟦brackets⟧, loaded as any
 * translation is. What a page shows without brackets is no part of the catalogue, or data.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { Plugin, PluginOption, Rolldown } from "vite"
import { build, loadConfigFromFile } from "vite"
import * as fs from "node:fs"
import * as path from "node:path"
import type { It } from "./Console.ts"
import { Console } from "./Console.ts"

const source = path.join(import.meta.dirname, "..", "..", "src", "console")
const shared = path.join(source, "shared")

/** A language that no browser chooses by itself. */
const language = "eo"

const entry = "virtual:translation"

/** A module of its own by the given code. */
const given = (id: string, code: string): Plugin => ({
  name: id,
  enforce: "pre",
  resolveId: (asked) => (asked === id ? id : null),
  load: (asked) => (asked === id ? code : null)
})

const replaced = (file: string, replace: (code: string) => string): Plugin => ({
  name: `replaced ${file}`,
  enforce: "pre",
  transform: (code, id) => (id === path.join(shared, file) ? replace(code) : null)
})

type Output = Rolldown.RolldownOutput["output"]

const outputOf = async (made: ReturnType<typeof build>): Promise<Output> =>
  ((await made) as Rolldown.RolldownOutput).output

/** Code of the translation: the English parts, wrapped. */
const translation = async (): Promise<string> => {
  const files = fs
    .readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => /[sS]trings\.ts$/.test(file))
  const code = `${files.map((file, at) => `import * as p${at} from ${JSON.stringify(path.join(source, file))}`).join("\n")}
    const wrapped = (value) =>
      typeof value === "string" ? "⟦" + value + "⟧"
      : typeof value === "function" ? (...given) => wrapped(value(...given))
      : Array.isArray(value) ? value.map(wrapped)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, wrapped(one)]))
      : value
    export const translation = Object.fromEntries(
      [${files.map((_, at) => `p${at}`).join()}].flatMap((file) => Object.entries(file))
        .filter(([name]) => /[sS]trings$/.test(name))
        .map(([name, part]) => [name === "strings" ? "first" : name.replace("Strings", ""), wrapped(part)]))`
  const [made] = await outputOf(
    build({
      configFile: false,
      logLevel: "silent",
      plugins: [
        given(entry, code),
        // The parts in English, however the browser's language is.
        replaced(
          "language.ts",
          () => "export const translated = {}\nexport const locales = []\nexport const language = 'en'"
        )
      ],
      build: {
        write: false,
        rolldownOptions: { input: entry, preserveEntrySignatures: "strict", output: { codeSplitting: false } }
      }
    })
  )
  return made.code
}

/** The console's files with the translation, by their names. */
const files = async (): Promise<ReadonlyMap<string, string | Uint8Array>> => {
  const code = await translation()
  const { config = {} } =
    (await loadConfigFromFile({ command: "build", mode: "production" }, path.join(source, "vite.config.ts"))) ?? {}
  const plugins = (config.plugins ?? []).filter(
    (one: PluginOption) => !(one !== null && typeof one === "object" && "name" in one && one.name === "compressed")
  )
  const output = await outputOf(
    build({
      ...config,
      configFile: false,
      logLevel: "silent",
      plugins: [
        ...plugins,
        given(`${entry}.js`, code),
        replaced("language.ts", (own) =>
          own.replace(
            /import\.meta\.glob[^(]*\([^)]*\)/,
            `{ "../translations/${language}.ts": () => import("${entry}.js").then((file) => file.translation) }`
          )
        )
      ],
      build: { ...config.build, write: false }
    })
  )
  return new Map(output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]))
}

const typeOf = (name: string): string =>
  ({ ".html": "text/html", ".css": "text/css", ".js": "text/javascript" })[path.extname(name)] ?? "image/svg+xml"

/** Serves the files in the place of the service's own. */
const serve = async (page: Page, made: ReadonlyMap<string, string | Uint8Array>): Promise<void> => {
  await page.route(/\/console(\/|\?|$)/, (route) => {
    const { pathname } = new URL(route.request().url())
    const name = pathname.includes("/assets/") ? pathname.replace("/console/", "") : "index.html"
    const body = made.get(name)
    return body === undefined
      ? route.fulfill({ status: 404 })
      : route.fulfill({ contentType: typeOf(name), body: typeof body === "string" ? body : Buffer.from(body) })
  })
}

/** Every text that a page shows or names to screen readers. */
const shownIn = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const shown = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement: of, textContent } = walker.currentNode
      if (of.closest("script, style, noscript, code, pre, bdi, textarea, option:not([value='']), svg") === null) shown.push(textContent)
    }
    for (const name of ["aria-label", "title", "placeholder", "alt", "aria-description"])
      for (const of of document.querySelectorAll("[" + name + "]:not([aria-hidden=true])")) shown.push(of.getAttribute(name))
    return [...shown, document.title]
  })()`)

/** Rest of a text without the catalogue's parts, which may have others within. */
const strayOf = (text: string): string => {
  const inner = text.replaceAll(/⟦[^⟦⟧]*⟧/g, " ")
  return inner === text ? text.trim() : strayOf(inner)
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{M}]{2,}/gu) ?? []

/** Words of numbers and of times, which the browser writes. */
const written = ["US", "AM", "PM"]

export const translated = (it: It): void => {
  it.effect("has every text of its pages from the catalogue, in the person's language", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(files)
      const { faults, page } = yield* (yield* Console).open("/", { locale: language })
      yield* Effect.promise(async () => {
        await serve(page, made)
        const origin = new URL(page.url()).origin
        // Values that the service sends are data.
        const sent = new Set(written)
        await page.route(/\/(admin|platform)\//, async (route) => {
          const response = await route.fetch()
          for (const word of wordsOf(await response.text())) sent.add(word)
          await route.fulfill({ response })
        })
        const found: Array<string> = []
        for (const at of [
          "",
          "/members",
          "/members/demo-foodservice/member-003",
          "/audience/segments",
          "/audience/segments/new",
          "/audience/campaigns",
          "/audience/campaigns/new",
          "/audience/imports",
          "/programme",
          "/developers",
          "/developers/requests",
          "/finance",
          "/service",
          "/counter?find=member-003",
          "/counter?find=demo",
          "/people",
          "/account"
        ]) {
          await page.goto(`${origin}/console${at}`)
          await page.getByRole("link", { name: "⟦Documentation⟧" }).first().waitFor()
          await page.locator("h1").first().waitFor()
          await page.waitForLoadState("networkidle")
          const stray = (await shownIn(page))
            .map(strayOf)
            .filter((text) => wordsOf(text).some((word) => !sent.has(word)))
          found.push(...stray.map((text) => `${at}: ${text}`))
        }
        assert.deepStrictEqual([...new Set(found)], [])
        assert.strictEqual(await page.evaluate("document.documentElement.lang"), language)
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}
