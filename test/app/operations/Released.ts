/** The tree of a release, to run beside this one. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..", "..")

const git = (...args: ReadonlyArray<string>): Buffer =>
  execFileSync("git", args, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })

/** The last commit of the release before this version. */
const release = { version: "0.3.0", commit: "a11c3cbe" }

/** The commit of the newest release; undefined in a tree without its history. */
export const newestRelease = (): string | undefined => {
  try {
    const { version } = JSON.parse(git("show", `${release.commit}:package.json`).toString("utf8"))
    if (version !== release.version) throw new Error(`${release.commit} is of ${version}, not of ${release.version}`)
    return release.commit
  } catch (error) {
    if (error instanceof Error && "status" in error) return undefined
    throw error
  }
}

/** Writes the tree of a commit into a folder, with this tree's packages; its `main.ts`. */
export const unpack = (commit: string, folder: string): string => {
  fs.mkdirSync(folder)
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", commit) })
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  return path.join(folder, "src", "main.ts")
}
