/**
 * The guides: the Markdown files of this folder, as pages under `/docs/…`. Tests run
 * their commands.
 */
import { Marked } from "marked"
import * as fs from "node:fs"
import * as path from "node:path"

/** Files and titles, in the order in which people read them. */
const guides = [
  ["integrating-a-till", "Integrating a till"],
  ["retries", "Retries and offline tills"],
  ["integrating-in-python", "Integrating in Python"],
  ["connecting-toast", "Connecting Toast"],
  ["refunds", "Refunds"],
  ["customer-engagement", "Customer engagement"],
  ["receiving-events", "Receiving events"],
  ["writing-a-programme", "Writing a programme"],
  ["console", "The console"],
  ["run-a-programme", "Run a programme"],
  ["franchisees", "Owners with franchisees"],
  ["guests", "Guests"],
  ["closing-the-month", "Closing the month"],
  ["moving-in", "Moving in"],
  ["moving-out", "Moving out"],
  ["operating", "Operating"],
  ["backups", "Backups and upgrades"],
  ["assistants", "Assistants"],
  ["runbook", "Runbook"],
  ["how-it-works", "How it works"],
  ["contract", "Contract"],
  ["segments", "Segments"],
  ["campaigns", "Campaigns"],
  ["analytics", "Analytics"],
  ["glossary", "Glossary"],
  ["compatibility", "What stays compatible"],
  ["changelog", "Changelog"]
] as const

interface Link {
  readonly path: string
  readonly title: string
}

/** The pages that link to one another; the first is the rendered description. */
export const links: ReadonlyArray<Link> = [
  { path: "/docs", title: "API" },
  ...guides.map(([name, title]) => ({ path: `/docs/${name}`, title })),
  { path: "/problems", title: "Problems" }
]

/** The anchor of a heading, by which links and citations name its section. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")

const markdown = new Marked({
  renderer: {
    // Wide tables scroll on their own on narrow screens.
    table(token) {
      const row = (cells: typeof token.header, tag: "th" | "td") =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`
      return `<div class="table"><table><thead>${row(token.header, "th")}</thead><tbody>${token.rows
        .map((cells) => row(cells, "td"))
        .join("")}</tbody></table></div>`
    },
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
    }
  }
})

/** The changelog is where people look for it, beside the README. */
const fileOf = (name: string): string => (name === "changelog" ? path.join("..", "..", "CHANGELOG.md") : `${name}.md`)

const source = (name: string): string => fs.readFileSync(path.join(import.meta.dirname, fileOf(name)), "utf8")

/** A page as it was written. */
interface Source extends Link {
  readonly text: string
  /** Absent: English. */
  readonly language?: "de"
}

interface Page extends Source {
  /** Without the frame, which is the same for all pages. */
  readonly html: string
}

/** All files of a folder, with their first headings as titles. */
const sourcesOf = (folder: string): ReadonlyArray<Source> =>
  fs
    .readdirSync(path.join(import.meta.dirname, folder))
    .flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -".md".length)] : []))
    .toSorted()
    .map((name) => {
      const text = source(path.join(folder, name))
      return { path: `/docs/${folder}/${name}`, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    })

/** Rendered when its HTML is read: a service in memory starts for tests that read none. */
const rendered = (source: Source): Page => ({
  ...source,
  get html() {
    return markdown.parse(source.text, { async: false })
  }
})

/** The pages of the runbook, for alerts and 5xx codes. Reads the files: call it once. */
export const runbookPages = (): ReadonlyArray<Page> => sourcesOf("runbook").map(rendered)

/** The pages of the contract. Reads the files: call it once. */
export const contractPages = (): ReadonlyArray<Page> => sourcesOf("contract").map(rendered)

/** Guides in German, for the console. Reads the files: call it once. */
export const germanPages = (): ReadonlyArray<Page> =>
  sourcesOf("de").map((source) => rendered({ ...source, language: "de" }))

/** All guides. Reads the files: call it once. */
export const pages = (): ReadonlyArray<Page> =>
  guides.map(([name, title]) => rendered({ path: `/docs/${name}`, title, text: source(name) }))

/** All guides, and the pages of contract and runbook. Reads the files: call it once. */
export const all = (): ReadonlyArray<Page> => [...pages(), ...germanPages(), ...contractPages(), ...runbookPages()]
