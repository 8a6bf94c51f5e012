/**
 * The commit that this program was built from: `LOTBOOK_COMMIT`, what `app/cli/vite.config.ts` has put into the build, the file
 * `.commit` of a tarball, or git's own answer.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..", "..")

/** Longest wait for git, ms: the start must not hang on a slow disk. */
const gitMs = 2_000

const isCommit = (text: string): boolean => /^[0-9a-f]{7,40}$/.test(text)

/** In a build: its commit. The tree beside it may have moved on, and would give another one. */
declare const LOTBOOK_BUILT_COMMIT: string

const find = (folder: string): string => {
  const given = process.env["LOTBOOK_COMMIT"] ?? ""
  if (isCommit(given)) return given
  const built = typeof LOTBOOK_BUILT_COMMIT === "undefined" ? "" : LOTBOOK_BUILT_COMMIT
  if (isCommit(built)) return built
  try {
    const file = path.join(folder, ".commit")
    if (fs.existsSync(file)) return fs.readFileSync(file, "utf8").trim()
    if (!fs.existsSync(path.join(folder, ".git"))) return "unknown"
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], {
      cwd: folder,
      timeout: gitMs,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  } catch {
    return "unknown"
  }
}

const found = new Map<string, string>()

/** The commit, or "unknown". */
export const commit = (folder: string = root): string => {
  const known = found.get(folder) ?? find(folder)
  found.set(folder, known)
  return known
}
