/**
 * Each folder imports what its row in `src/docs/how-it-works.md` says, and files do not depend on each other in circles.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const source = path.join(import.meta.dirname, "..", "src")

interface Import {
  readonly file: string
  /** The file, or the package. */
  readonly from: string
}

const pattern = /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm
/** `import("./File.ts")`: read when it is needed, and yet a dependency. In types too. */
const lazy = /\bimport\(\s*"([^"]+)"/g
/** A thread's file: started, not imported, and yet a dependency. */
const thread = /new URL\(\s*"(\.[^"]+\.tsx?)",\s*import\.meta\.url/g

const importsOf = (file: string): ReadonlyArray<Import> => {
  const text = fs.readFileSync(path.join(source, file), "utf8")
  return [pattern, lazy, thread].flatMap((one) =>
    [...text.matchAll(one)].map(([, name = ""]) => ({
      file,
      from: name.startsWith(".") ? path.join(path.dirname(file), name) : name
    }))
  )
}

const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") || file.endsWith(".tsx"))
const imports = files.flatMap(importsOf)

const document = fs.readFileSync(path.join(source, "docs", "how-it-works.md"), "utf8")
const section = /^## The folders\n([\s\S]*?)\n## /m.exec(document)?.[1] ?? ""

const wordsOf = (cell: string): ReadonlyArray<string> =>
  [...cell.matchAll(/`([^`]+)`|\*([a-z]+)\*/g)].map(([word]) => word)

/** A group of folders, such as `*core*`, and what it stands for. */
const groups = new Map(
  [...section.matchAll(/^- (\*[a-z]+\*): (.*)$/gm)].map(([, group = "", members = ""]) => [group, wordsOf(members)])
)

const foldersOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word) => {
    if (word.startsWith("`")) return [word.slice(1, -1)]
    const members = groups.get(word)
    assert(members, `the document explains ${word}`)
    return foldersOf(members)
  })

/** Folder under `src` → folders that it may import beside itself. The longest folder that a file is in counts. */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  [...section.matchAll(/^\| `([^`]+)` +\| ([^|]+)\|[^|]+\|$/gm)].map(([, folder = "", allowed = ""]) => [
    folder,
    foldersOf(wordsOf(allowed))
  ])
)

const folderOf = (file: string): string | undefined =>
  Object.keys(mayImport)
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0]

describe("the house", () => {
  it("has a row for every folder, and a folder for every row", () => {
    assert.isAbove(files.length, 100)
    assert.isAbove(Object.keys(mayImport).length, 25)
    for (const folder of Object.keys(mayImport).concat(...Object.values(mayImport)))
      assert.isTrue(fs.existsSync(path.join(source, folder)), folder)
    assert.deepStrictEqual(
      files.filter((file) => file.includes("/") && folderOf(file) === undefined),
      []
    )
  })

  it("has every file that the document names", () => {
    const named = [...document.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|sql))`/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 50)
    const found = (name: string) =>
      [source, path.dirname(source)].some((folder) => fs.existsSync(path.join(folder, name)))
    assert.deepStrictEqual(
      named.filter((name) => !found(name)),
      []
    )
  })

  it("keeps files outside the console to a size that one subject needs", () => {
    const mostLines = 450
    const long = files.flatMap((file) => {
      if (/^(console|client\/generated)\//.test(file)) return []
      const lines = fs.readFileSync(path.join(source, file), "utf8").split("\n").length - 1
      return lines > mostLines ? [`${file} has ${lines} lines`] : []
    })
    assert.deepStrictEqual(long, [])
  })

  it("imports along the table", () => {
    const broken = imports.flatMap(({ file, from }) => {
      const folder = folderOf(file)
      if (folder === undefined || !files.includes(from)) return []
      const isAllowed = [folder, ...mayImport[folder]!].some((allowed) => from.startsWith(`${allowed}/`))
      return isAllowed ? [] : [`${file} imports ${from}`]
    })
    assert.deepStrictEqual(broken, [])
  })

  it("imports files that are there", () => {
    const lost = imports.filter(({ from }) => from.endsWith(".ts") && !files.includes(from))
    assert.deepStrictEqual(lost, [])
  })

  it("keeps the contract to effect alone", () => {
    const others = imports.filter(
      ({ file, from }) => file.startsWith("contract/") && !from.startsWith("contract/") && !/^effect(\/|$)/.test(from)
    )
    assert.deepStrictEqual(others, [])
  })

  it("keeps the client to its own files, so that it runs without packages, in browsers and in Node", () => {
    const mine = files.filter((file) => folderOf(file) === "client")
    assert.isAbove(mine.length, 10)
    const others = imports.filter(({ file, from }) => mine.includes(file) && !mine.includes(from))
    assert.deepStrictEqual(others, [])
    const forNode = imports.filter(({ file }) => folderOf(file) === "client/node")
    assert.deepStrictEqual(
      forNode.filter(({ from }) => !from.startsWith("client/") && !from.startsWith("node:")),
      []
    )
    for (const file of mine) {
      const code = fs.readFileSync(path.join(source, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      assert.notMatch(code, /\b(?:process|Buffer|require|setImmediate|document|window)\b/, file)
    }
  })

  it("reaches for the database beside the rules in these files alone", () => {
    const reaching = imports.filter(
      ({ file, from }) => /^(program|account)\//.test(file) && /^(database|journal\/postgres)\//.test(from)
    )
    assert.deepStrictEqual([...new Set(reaching.map(({ file }) => file))].toSorted(), [
      "program/ProgramStore.ts",
      "program/ProgramUse.ts",
      "program/Programs.ts",
      "program/Publishing.ts"
    ])
  })

  it("keeps services, clocks and randomness out of the domain", () => {
    const impure = imports.filter(
      ({ file, from }) => file.startsWith("account/domain/") && !files.includes(from) && !/^effect\/Result$/.test(from)
    )
    assert.deepStrictEqual(impure, [])
    const calls = files.filter(
      (file) =>
        file.startsWith("account/domain/") &&
        /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|performance\.now)\b/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(calls, [])
  })

  it("reads Effect's clock in one file alone, which gives two times that do not fit each other's places", () => {
    const read = files.filter(
      (file) =>
        !file.startsWith("console/") &&
        /\b(?:Clock\.(?:Clock|current|monotonic)|clockWith|Date\.now\()/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(read, ["time/Times.ts"])
  })

  it("has no circles between files, not even by types", () => {
    const targets = new Map(
      files.map((file) => [
        file,
        imports.filter((one) => one.file === file && files.includes(one.from)).map(({ from }) => from)
      ])
    )
    const done = new Set<string>()
    const circles: Array<string> = []
    const walk = (file: string, way: ReadonlyArray<string>): void => {
      const at = way.indexOf(file)
      if (at >= 0) circles.push([...way.slice(at), file].join(" → "))
      if (at >= 0 || done.has(file)) return
      for (const next of targets.get(file) ?? []) walk(next, [...way, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    assert.deepStrictEqual(circles, [])
  })
})
