/**
 * The house's law, by tools: `node test/law/check.ts`. Rules in `counts.json` are not met yet: each has a count by
 * folder, which only falls. Every other finding fails.
 */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Finding } from "./Finding.ts"
import * as Imports from "./Imports.ts"
import * as Words from "./Words.ts"

const root = path.join(import.meta.dirname, "..", "..")
const countsFile = path.join(import.meta.dirname, "counts.json")

/** Output and status of a tool of `node_modules/.bin`. */
const run = (tool: string, ...flags: ReadonlyArray<string>): Promise<{ output: string; hasFailed: boolean }> =>
  new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
    execFile(path.join(root, "node_modules", ".bin", tool), flags, options, (error, stdout, stderr) =>
      resolve({ output: stdout === "" ? stderr : stdout, hasFailed: error !== null })
    )
  })

/** Unused files, exports and packages. */
const knip = async (): Promise<ReadonlyArray<Finding>> => {
  const { output, hasFailed } = await run("knip", "--no-progress", "--reporter", "compact")
  return hasFailed ? [{ rule: "unused", place: "knip", text: output }] : []
}

interface Diagnostics {
  readonly diagnostics: ReadonlyArray<{
    readonly category: string
    readonly message: string
    readonly location: { readonly path: string; readonly start: { readonly line: number } }
  }>
}

/** Form, lint, and the order of imports. */
const biome = async (): Promise<ReadonlyArray<Finding>> => {
  const file = path.join(os.tmpdir(), `lotbook-biome-${process.pid}.json`)
  const reporter = ["--reporter=json", `--reporter-file=${file}`, "--max-diagnostics=none"]
  const files = [
    "src",
    "test",
    "vitest.config.ts",
    "vitest.quick.ts",
    "vitest.slow.ts",
    "package.json",
    "tsconfig.json",
    ".biome.json"
  ]
  const { output } = await run("biome", "ci", "--assist-enabled=true", ...reporter, ...files)
  if (!fs.existsSync(file)) throw new Error(output)
  const { diagnostics }: Diagnostics = JSON.parse(fs.readFileSync(file, "utf8"))
  fs.rmSync(file)
  return diagnostics.map(({ category, message, location }) => ({
    rule: category.split("/").at(-1)!,
    place: `${location.path}:${location.start.line}`,
    text: message
  }))
}

/** Findings by rule and folder. */
const countsOf = (findings: ReadonlyArray<Finding>): ReadonlyMap<string, ReadonlyArray<Finding>> =>
  Map.groupBy(findings, ({ rule, place }) => `${rule}, ${place.split("/")[0]}`)

const wanted: Readonly<Record<string, number>> = JSON.parse(fs.readFileSync(countsFile, "utf8"))
const [unused, imports, form] = await Promise.all([knip(), Imports.findings(), biome()])
const found = countsOf([...unused, ...imports, ...form, ...Words.findings()])

let hasFailed = false
for (const [rule, findings] of found) {
  const most = wanted[rule] ?? 0
  if (findings.length <= most) continue
  hasFailed = true
  for (const { place, text } of findings) process.stderr.write(`${place} ${rule.split(",")[0]}: ${text}\n`)
  process.stderr.write(`${rule}: ${findings.length}, and at most ${most} may be.\n\n`)
}
for (const [rule, most] of Object.entries(wanted)) {
  const count = found.get(rule)?.length ?? 0
  if (count < most) process.stderr.write(`${rule}: ${count} now. Lower ${most} to it in test/law/counts.json.\n`)
}
process.exitCode = hasFailed ? 1 : 0
