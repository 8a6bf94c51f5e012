/** The npm package, installed into an empty folder without a registry: its dependencies are links to this checkout's. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Folders from "../Folders.ts"

export const root = path.join(import.meta.dirname, "..", "..")

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

interface Packed {
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
