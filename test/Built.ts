/** The built command line, which tests start as processes. As `globalSetup`: builds it if the tree has changed since. */
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..")

/** What `npm start` runs. */
export const main = path.join(root, ".built", "main.js")

const changedAt = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

const sources = (): ReadonlyArray<string> => [
  path.join(root, "package-lock.json"),
  ...fs
    .readdirSync(path.join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name))
]

export const setup = async (): Promise<void> => {
  const builtAt = changedAt(main)
  if (sources().every((file) => changedAt(file) <= builtAt)) return
  // Not at the top: tests import this file for the path alone.
  const { build } = await import("vite")
  await build({ configFile: path.join(root, "src", "cli", "vite.config.ts"), logLevel: "warn" })
}
