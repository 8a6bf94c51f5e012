/** The programs of the guides, run as processes; those of *Receiving events* keep what they get in a database. */
import { Effect } from "effect"
import { execFile, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { SQLOutputValue } from "node:sqlite"
import { DatabaseSync } from "node:sqlite"
import * as Folders from "../Folders.ts"

const root = path.join(import.meta.dirname, "..", "..")
const guideOf = (name: string) => fs.readFileSync(path.join(root, "src", "docs", `${name}.md`), "utf8")
const guide = guideOf("receiving-events") + guideOf("integrating-a-till")

/** The languages of the guide. `isThere`: this machine runs it. */
export const languages = [
  { language: "ts", command: process.execPath, ending: "ts", isThere: true },
  { language: "python", command: "python3", ending: "py", isThere: spawnSync("python3", ["--version"]).status === 0 }
] as const

/** The programs that call `lotbook/client`. */
export const client = { ...languages[0], language: "ts client" } as const

export type Language = (typeof languages)[number] | typeof client

/** The databases of the programs. */
export const databases = { reader: "warehouse.db", receiver: "received.db" } as const

export type Kind = keyof typeof databases

/** Programs for a till that run once. */
type Program = "journey" | "basket" | "till"

const codeOf = (kind: Kind | Program | "test" | "testing", { language }: { readonly language: string }): string => {
  const fence = kind === "reader" && language !== client.language ? language : `${language} ${kind}`
  const [, code] = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, "ms").exec(guide) ?? []
  if (code === undefined) throw new Error(`the guides have no code for ${fence}`)
  return code
}

/** A folder in which `lotbook` is a package, as after `npm install` of a checkout. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const at = Folders.make("guide-")
    fs.mkdirSync(path.join(at, "node_modules"))
    fs.symlinkSync(root, path.join(at, "node_modules", "lotbook"), "junction")
    return at
  }),
  (at) => Effect.sync(() => fs.rmSync(at, { recursive: true }))
)

/** Starts a program of the guide in a folder; it is killed with the scope. */
export const start = (kind: Kind, language: Language, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const file = `${kind}.${language.ending}`
      fs.writeFileSync(path.join(cwd, file), codeOf(kind, language))
      return spawn(language.command, [file], { cwd, env: { ...process.env, ...env }, stdio: "ignore" })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("close", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

/** A test's output, and whether it passed. */
interface TestRun {
  readonly output: string
  readonly status: number | null
}

const runTests = (cwd: string, file: string, code: string): TestRun => {
  fs.writeFileSync(path.join(cwd, file), code)
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--test", file], { cwd, encoding: "utf8" })
  return { output: stdout + stderr, status }
}

/** Runs the guide's test of a receiver. */
export const runTest = (cwd: string): TestRun => runTests(cwd, "receiver.test.ts", codeOf("test", client))

/** Runs the guide's test of a till. */
export const runTillTest = (cwd: string): TestRun => {
  fs.writeFileSync(path.join(cwd, "package.json"), JSON.stringify({ type: "module" }))
  return runTests(cwd, "till.test.js", codeOf("testing", { language: "js" }))
}

/** Runs a program of the guide against a service; its output, and whether it succeeded. */
export const run = (program: Program, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<{ readonly output: string; readonly error: Error | null }>((resume) => {
    const file = `${program}.ts`
    fs.writeFileSync(path.join(cwd, "package.json"), JSON.stringify({ type: "module" }))
    fs.writeFileSync(path.join(cwd, file), codeOf(program, client))
    execFile(client.command, [file], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resume(Effect.succeed({ output: stdout + stderr, error }))
    )
  })

/** Rows of a program's database; none before it has made its table. */
export const query = (kind: Kind, cwd: string, sql: string): ReadonlyArray<Record<string, SQLOutputValue>> => {
  const file = path.join(cwd, databases[kind])
  if (!fs.existsSync(file)) return []
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    const [table] = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").all()
    return table === undefined ? [] : database.prepare(sql).all()
  } finally {
    database.close()
  }
}
