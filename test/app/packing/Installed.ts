/** The npm package, installed into an empty folder without a registry: its dependencies are links to this checkout's. */
import { execFile, execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Folders from "../../Folders.ts"

export const root = path.join(import.meta.dirname, "..", "..", "..")

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly typesVersions: Readonly<Record<"*", Readonly<Record<string, ReadonlyArray<string>>>>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

export interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs a folder as `npm publish` would, without a build. */
export const pack = (folder: string, to: string): Packed => {
  const args = ["pack", folder, "--json", "--ignore-scripts", "--offline", "--pack-destination", to]
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: to, encoding: "utf8", stdio: "pipe" })) as [Packed]
  return packed
}

/** Unpacks a package below a project's `node_modules`; its folder. */
export const unpack = (tarball: string, project: string, name: string): string => {
  const folder = path.join(project, "node_modules", name)
  fs.mkdirSync(folder, { recursive: true })
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"])
  return folder
}

/** Makes packages of this checkout, or all of a scope, those of a project. */
export const link = (project: string, names: Iterable<string>): void => {
  for (const name of names) {
    const at = path.join(project, "node_modules", name)
    fs.mkdirSync(path.dirname(at), { recursive: true })
    if (!fs.existsSync(at)) fs.symlinkSync(path.join(root, "node_modules", name), at)
  }
}

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest

/** An empty project of ES modules. */
export const project = (): string => {
  const made = Folders.make("lotbook-package-")
  fs.writeFileSync(path.join(made, "package.json"), JSON.stringify({ type: "module" }))
  return made
}

/** The first program of a document in a language. */
export const programOf = (file: string, language: string): string => {
  const fence = "`".repeat(3)
  const [, program = ""] = fs.readFileSync(file, "utf8").split(`\n${fence}${language}\n`)
  return program.slice(0, program.indexOf(fence))
}

/** The environment without what the tests' own run has put into it. */
export const environment = (variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, NODE_ENV: ____, ...kept } = process.env
  return { ...kept, NO_COLOR: "1", ...variables }
}

/** Runs Node in a project, without extensions of this run. */
export const node = (cwd: string, args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, args, { cwd, env: environment() })
