/** The guides: their links lead somewhere, and their pages run nothing. `GuideCommands` has their commands. */
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { openApi } from "../../src/contract/OpenApi.ts"
import { problemCodes, problems } from "../../src/desk/surface/Problems.ts"
import * as Guides from "../../src/docs/Guides.ts"
import * as Layout from "../../src/edge/http/Layout.ts"
import { problemPage, problemPages, problemsPage, runbookPathOf } from "../../src/edge/http/Pages.ts"

const folder = path.join(import.meta.dirname, "..", "..", "src", "docs")
const framed = (guides: ReturnType<typeof Guides.all>) =>
  guides.map(({ html, path: at, title }) => ({ path: at, title, html: Layout.page(Guides.links, at, title, html) }))
const pages = framed(Guides.pages())
const runbook = framed(Guides.runbookPages())
const contract = framed(Guides.contractPages())
const german = framed(Guides.germanPages())
const all = [
  ...pages,
  ...runbook,
  ...contract,
  ...german,
  { path: "/problems", html: problemsPage(Guides.links) },
  ...problemCodes.map((code) => ({ path: code, html: problemPage(Guides.links, code) }))
]

describe("the guides", () => {
  it("are all the Markdown files there are", () => {
    const files = fs.readdirSync(folder).filter((file) => file.endsWith(".md"))
    assert.sameMembers(
      [...files, "changelog.md"].map((file) => `/docs/${file.slice(0, -".md".length)}`),
      pages.map((page) => page.path)
    )
  })

  it("lead to pages that exist", () => {
    const known = new Set([
      "/docs",
      "/problems",
      ...[...pages, ...runbook, ...contract, ...german].map((page) => page.path),
      ...problemPages.keys()
    ])
    for (const { html, path: from } of all) {
      const links = [...html.matchAll(/href="(\/[^"#]*)/g)].map(([, to]) => to ?? "")
      assert.isAbove(links.length, pages.length, from)
      for (const to of links) assert.isTrue(known.has(to), `${from} leads to ${to}`)
    }
  })

  it("have no part of a table outside of it, as a blank line within makes", () => {
    for (const { html, path: from } of all) assert.notMatch(html, /<p>\s*\|/, from)
  })

  it("lead to sections that exist", () => {
    const anchors = new Map(
      [...pages, ...runbook, ...contract, ...german].map(({ html, path: at }) => [
        at,
        new Set([...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id))
      ])
    )
    for (const { html, path: from } of all) {
      for (const [, to = "", id] of html.matchAll(/href="(\/docs\/[^"#]*)?#([^"]+)"/g))
        assert.isTrue(anchors.get(to === "" ? from : to)?.has(id), `${from} leads to ${to}#${id}`)
    }
  })

  it("are in the description of the API, which the page of /docs shows in its sidebar and its search", () => {
    const { description } = (openApi() as { readonly info: { readonly description: string } }).info
    for (const { path: at, title } of [...pages, { path: "/problems", title: "Problems" }]) {
      assert.include(description, `## ${title}\n`)
      assert.include(description, `(${at})`)
    }
  })

  it("list every problem code on one page, each with its own page", () => {
    for (const [at, code] of problemPages)
      assert.include(problemsPage(Guides.links), `<a href="${at}"><code>${code}</code></a>`)
  })

  it("have a page of the runbook for each alert and each 5xx code, and none besides; the index links to all", () => {
    const alerts = fs.readFileSync(path.join(folder, "..", "app", "operations", "alerts.yaml"), "utf8")
    const ofAlerts = alerts.split("- alert: ").slice(1)
    const named = ofAlerts.map((alert) => /runbook_url: ".*(\/docs\/runbook\/[a-z-]+)"/.exec(alert)?.[1] ?? alert)
    const ofCodes = problemCodes.filter((code) => problems[code].status >= 500)
    const paths = runbook.map((page) => page.path)
    assert.sameMembers(paths, [...new Set([...named, ...ofCodes.map((code) => runbookPathOf(code))])])
    const index = pages.find((page) => page.path === "/docs/runbook")?.html ?? ""
    for (const at of paths) assert.include(index, `href="${at}"`)
    for (const alert of ofAlerts) assert.include(index, alert.split("\n")[0] ?? "none")
    for (const code of ofCodes) {
      assert.include(index, `<code>${code}</code>`)
      assert.include(problemPage(Guides.links, code), `href="/docs/runbook/${code.replaceAll("_", "-")}"`)
    }
  })

  it("load nothing, and the policy knows their style by its hash", () => {
    for (const { html, path: from } of all) {
      const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ""
      assert.include(Layout.securityPolicy, `style-src 'sha256-${hash("sha256", style, "base64")}'`, from)
      assert.notMatch(html, /<script| style="| src="| on[a-z]+="/, from)
    }
  })
})
