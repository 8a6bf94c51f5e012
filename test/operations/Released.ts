/** The tree of a release, to run beside this one. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { softwareVersion } from "../../src/contract/Version.ts"

const root = path.join(import.meta.dirname, "..", "..")

const git = (...args: ReadonlyArray<string>): Buffer =>
  execFileSync("git", args, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })

/** The commit that gave the changelog its newest heading of a version before this tree's. */
const newestInChangelog = (): string | undefined => {
  const changelog = fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8")
  const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
  const former = versions.find((version) => version !== softwareVersion)
  const added = git("log", "--reverse", "--format=%h", `-S## ${former}`, "--", "CHANGELOG.md")
  const [commit = ""] = added.toString("utf8").split("\n")
  // The oldest commit of a shallow clone seems to have added every heading.
  const { version } = JSON.parse(git("show", `${commit}:package.json`).toString("utf8"))
  return version === former ? commit : undefined
}

/** The commit of the newest release: its tag or, in a tree without tags, by the changelog; undefined without history. */
export const newestRelease = (): string | undefined => {
  try {
    const [tag = ""] = git("tag", "--sort=-v:refname").toString("utf8").split("\n")
    return tag === "" ? newestInChangelog() : tag
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
