/**
 * Each folder imports what its row says, and files do not depend on each other in circles. (`src/docs/how-it-works.md`)
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

const importsOf = (file: string): ReadonlyArray<Import> =>
  [...fs.readFileSync(path.join(source, file), "utf8").matchAll(pattern)].map(([, name = ""]) => ({
    file,
    from: name.startsWith(".") ? path.join(path.dirname(file), name) : name
  }))

const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") || file.endsWith(".tsx"))
const imports = files.flatMap(importsOf)

const rules = ["contract", "program"]
const core = [...rules, "account", "journal", "metrics", "time"]
/** What a capability stands on. */
const ground = [...core, "database", "expiry", "feed", "protocol", "rollups", "access", "surface"]
const capabilities = [
  "analytics",
  "campaigns",
  "connectors",
  "events",
  "imports",
  "members",
  "operators",
  "programs",
  "segments"
]
const all = [...ground, ...capabilities, "concurrency", "conformance", "demo", "docs", "http"]

/** Folder under `src` → folders that it may import beside itself. The longest folder that a file is in counts. */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  contract: [],
  time: [],
  metrics: ["time"],
  concurrency: [],
  docs: ["contract"],
  conformance: ["contract", "time"],
  console: ["contract"],
  database: ["metrics", "time"],
  journal: ["database", "metrics", "time"],
  program: ["contract", "database", "journal", "time"],
  "account/domain": rules,
  account: [...core, "database"],
  feed: ["database", "journal", "metrics"],
  expiry: core,
  protocol: core,
  rollups: [...core, "database", "feed"],
  reconcile: [...core, "database", "feed", "rollups"],
  access: ["contract", "journal", "protocol", "surface", "time"],
  surface: [...core, "database", "access"],
  analytics: ground,
  campaigns: [...ground, "segments"],
  connectors: ground,
  events: ground,
  imports: [...ground, "members"],
  members: [...ground, "segments"],
  operators: ground,
  programs: ground,
  segments: ground,
  http: all,
  testing: all,
  tracing: ["account", "contract", "http", "journal", "metrics", "time"],
  demo: [...ground, ...capabilities],
  service: [...all, "tracing"],
  cli: [...all, "reconcile", "service"]
}

const folderOf = (file: string): string | undefined =>
  Object.keys(mayImport)
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0]

describe("the house", () => {
  it("has a row for every folder", () => {
    assert.isAbove(files.length, 100)
    assert.deepStrictEqual(
      files.filter((file) => file.includes("/") && folderOf(file) === undefined),
      []
    )
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

  it("reaches for the database beside the rules in these files alone", () => {
    const reaching = imports.filter(
      ({ file, from }) => /^(program|account)\//.test(file) && /^(database|journal\/postgres)\//.test(from)
    )
    assert.deepStrictEqual([...new Set(reaching.map(({ file }) => file))].toSorted(), [
      "program/ProgramStore.ts",
      "program/Programs.ts"
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
