/** The tree of a release, to run beside this one. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..")

const git = (...args: ReadonlyArray<string>): Buffer =>
  execFileSync("git", args, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })

/** The newest tag; undefined in a tree without tags. */
export const newestTag = (): string | undefined => {
  try {
    const [tag = ""] = git("tag", "--sort=-v:refname").toString("utf8").split("\n")
    return tag === "" ? undefined : tag
  } catch {
    return undefined
  }
}

/** Writes the tree of a commit into a folder, with this tree's packages; its `main.ts`. */
export const unpack = (commit: string, folder: string): string => {
  fs.mkdirSync(folder)
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", commit) })
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  return path.join(folder, "src", "main.ts")
}
