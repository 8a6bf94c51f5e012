/**
 * Each room imports what the tables in `src/docs/how-it-works.md` say, and files do not depend on each other in circles.
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

const namesOf = (text: string): ReadonlyArray<string> => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

/** The second cells of a table's rows by the names in their first. */
const rowsOf = (head: string): ReadonlyMap<string, string> => {
  const [, rows = ""] = section.split(`\n| ${head} |`)
  const [table = ""] = rows.split("\n\n")
  return new Map(
    [...table.matchAll(/^\| `([^`]+)` \| ([^|]+) \|[^|]+\|$/gm)].map(([, name = "", cell = ""]) => [name, cell])
  )
}
const wings = rowsOf("wing")
const apart = rowsOf("apart")

/** What `app` imports beside the wings above it. */
const forProcesses = ["docs", "conformance"]

/** Folder under `src` → folders that it may import beside itself. The longest folder that a file is in counts. */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries([
  ...[...wings].flatMap(([wing, cell], place): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
    const above = [...wings.keys()].slice(0, place).concat(wing === "app" ? forProcesses : [])
    const steps = cell.split("→").map((step) => namesOf(step).map((room) => `${wing}/${room}`))
    if (steps.flat().length === 0) return [[wing, above]]
    return steps.flatMap((rooms, step) =>
      rooms.map((room) => [room, [...above, ...steps.slice(0, step).flat()]] as const)
    )
  }),
  ...[...apart].map(([folder, cell]) => [folder, namesOf(cell)] as const)
])

const folderOf = (file: string): string | undefined =>
  Object.keys(mayImport)
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0]

describe("the house", () => {
  it("has a place for every folder, and a folder for every place", () => {
    assert.isAbove(files.length, 100)
    assert.strictEqual(wings.size, 8)
    assert.isAbove(Object.keys(mayImport).length, 35)
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

  it("imports along the tables", () => {
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

  it("keeps services, clocks, randomness and the database out of the rules and the domain", () => {
    const pure = ["core/rules", "core/account/domain"]
    const isPure = (file: string) => pure.some((folder) => file.startsWith(`${folder}/`))
    const isAllowed = (from: string) => isPure(from) || /^contract\//.test(from)
    const mine = imports.filter(({ file }) => isPure(file))
    assert.isAbove(mine.length, 100)
    assert.deepStrictEqual(
      mine.filter(({ from }) => files.includes(from) && !isAllowed(from)),
      []
    )
    const packages = mine.filter(({ file, from }) => file.startsWith("core/account/domain/") && !files.includes(from))
    assert.deepStrictEqual(
      packages.filter(({ from }) => from !== "effect/Result"),
      []
    )
    const calls = files.filter(
      (file) =>
        isPure(file) &&
        /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|performance\.now)\b/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(calls, [])
  })

  it("reads Effect's clock in one file, which gives two times that do not fit each other's places, and in verification's own", () => {
    const read = files.filter(
      (file) =>
        !file.startsWith("console/") &&
        /\b(?:Clock\.(?:Clock|current|monotonic)|clockWith|Date\.now\()/.test(
          fs.readFileSync(path.join(source, file), "utf8")
        )
    )
    assert.deepStrictEqual(read.toSorted(), ["base/time/Times.ts", "conformance/Clock.ts"])
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
