/** Comments, tests and the rules of `lotbook verify` cite the contract by page and section; both are there. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..")
const pages = path.join(root, "src", "docs", "contract")

/** `contract/points.md *Lots*, *Balances*` names two sections. A comment's next line may go on with the list. */
const citation = /contract\/([a-z]+)\.md((?:,?(?: |\n *(?:\*|\/\/|--) )\*[^*\n]+\*)*)/g
/** Names of documents that are no pages here. */
const noPage = /(?<![\w/-])(?:admin|architecture|decisions|events|platform|programmes|service|staff)\.md|§/

const filesUnder = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|tsx|sql|md)$/.test(file))
    .map((file) => path.join(folder, file))

const texts = ["src", "test", "migrations"]
  .flatMap(filesUnder)
  .concat("README.md", "CHANGELOG.md")
  .filter((file) => path.basename(file) !== "Citations.test.ts")
  .map((file) => ({ file, text: fs.readFileSync(path.join(root, file), "utf8") }))

const cited = texts.flatMap(({ file, text }) =>
  [...text.matchAll(citation)].flatMap(([, page = "", list = ""]) => {
    const sections = [...list.matchAll(/\*([^*\n]{2,})\*/g)].map(([, section = ""]) => section)
    return (sections.length === 0 ? [""] : sections).map((section) => ({ file, name: `${page}.md *${section}*` }))
  })
)

const sections = fs
  .readdirSync(pages)
  .flatMap((page) =>
    [...fs.readFileSync(path.join(pages, page), "utf8").matchAll(/^## (.+)$/gm)].map(([, name]) => `${page} *${name}*`)
  )

describe("citations of the contract", () => {
  it("name a page and a section that exist", () => {
    const known = new Set(sections)
    assert.isAbove(cited.length, 300)
    assert.deepStrictEqual(
      cited.filter(({ name }) => !known.has(name)),
      []
    )
  })

  it("are the only ones", () => {
    assert.deepStrictEqual(
      texts.filter(({ text }) => noPage.test(text)).map(({ file }) => file),
      []
    )
  })

  it("reach every section from a test", () => {
    const tested = new Set(cited.filter(({ file }) => file.startsWith("test")).map(({ name }) => name))
    assert.deepStrictEqual(
      sections.filter((name) => !tested.has(name)),
      []
    )
  })
})
