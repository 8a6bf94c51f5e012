/**
 * Builds `dist`, which the npm package has instead of `src`: Node runs no TypeScript below `node_modules`. Modules keep
 * their places, and what they read beside themselves is beside them there too.
 */
import { parseSync, Visitor } from "vite"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { commit } from "../../base/metrics/Build.ts"
import * as Described from "../../edge/http/Described.ts"

const source = path.join(import.meta.dirname, "..", "..")
const root = path.join(source, "..")
const built = path.join(root, "dist")
/** Where a build is made, so that a command that starts meanwhile finds the one before whole. */
const unfinished = `${built}.new`

/** These are built on their own, or needed for building alone. */
const others = ["console", "guest", "bundle", "client", path.join("app", "packing")]
const isCode = /\.(?:ts|cjs)$/

const tsc = async (config: string): Promise<void> => {
  const compiler = path.join(root, "node_modules", ".bin", "tsc")
  await promisify(execFile)(compiler, ["--project", path.join(import.meta.dirname, config), "--outDir", unfinished])
}

const copyRest = (): void => {
  for (const name of fs.readdirSync(source, { recursive: true, encoding: "utf8" })) {
    const from = path.join(source, name)
    if (
      others.some((folder) => name.startsWith(`${folder}${path.sep}`)) ||
      isCode.test(name) ||
      !fs.statSync(from).isFile()
    )
      continue
    const to = path.join(unfinished, name)
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.copyFileSync(from, to)
  }
}

/** Removes the declarations that those of `lotbook/testing` do not name: the compiler writes one for each module it reads. */
const keepNamedTypes = (): void => {
  const all = fs.readdirSync(unfinished, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"))
  const isTesting = (name: string): boolean => path.dirname(name) === path.join("app", "testing")
  const needed = new Set(all.filter(isTesting))
  for (const name of needed) {
    const text = fs.readFileSync(path.join(unfinished, name), "utf8")
    for (const [, from = ""] of text.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)\.ts"/g))
      needed.add(path.join(path.dirname(name), `${from}.d.ts`))
  }
  for (const name of all) {
    const file = path.join(unfinished, name)
    if (!needed.has(name)) fs.rmSync(file)
    // Of modules that nobody imports from a package the types alone are needed.
    else if (!isTesting(name))
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n|^[ \t]+/gm, ""))
  }
}

/** Code without its indentation, so that lines keep their numbers. Texts over several lines stay as they are. */
const dense = (name: string, code: string): string => {
  const texts: Array<{ readonly start: number; readonly end: number }> = []
  new Visitor({ TemplateElement: (text) => void texts.push(text) }).visit(parseSync(name, code).program)
  return code.replaceAll(/^[ \t]+/gm, (indentation, at: number) =>
    texts.some(({ end, start }) => start < at && at <= end) ? indentation : ""
  )
}

/** Leaves out of the compiler's code what nothing runs: modules of types alone, which nothing imports, and indentation. */
const keepRun = (): void => {
  for (const name of fs.readdirSync(unfinished, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue
    const file = path.join(unfinished, name)
    const code = fs.readFileSync(file, "utf8")
    if (code.trim() === "export {};") fs.rmSync(file)
    else fs.writeFileSync(file, dense(name, code))
  }
}

fs.rmSync(unfinished, { recursive: true, force: true })
await Promise.all([tsc("tsconfig.json"), tsc("tsconfig.types.json")])
keepNamedTypes()
keepRun()
copyRest()
await Described.write(path.join(unfinished, "edge", "http"), "small")
const build = path.join(unfinished, "base", "metrics", "Build.js")
fs.writeFileSync(build, `const LOTBOOK_BUILT_COMMIT = ${JSON.stringify(commit())}\n${fs.readFileSync(build, "utf8")}`)

const before = `${built}.old`
fs.rmSync(before, { recursive: true, force: true })
if (fs.existsSync(built)) fs.renameSync(built, before)
fs.renameSync(unfinished, built)
fs.rmSync(before, { recursive: true, force: true })
