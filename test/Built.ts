/**
 * Builds that tests start as processes and use as others would: the client, the command line, the npm package.
 * As `globalSetup`: builds what is older than the tree.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..")

/** File that `npm start` runs. */
export const main = path.join(root, ".built", "main.js")

/** The first pages of the console and of guests, made by their builds. */
const consolePage = path.join(root, ".console", "index.html.br")
const guestPage = path.join(root, ".guest", "index.html.br")

/** File that `lotbook/client` is. */
export const client = path.join(root, ".client", "Client.js")

/** File that the npm package runs. */
const packaged = path.join(root, "dist", "main.js")

const changedAt = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The files in folders below `src`. */
const sources = (folders: ReadonlyArray<string>): ReadonlyArray<string> => [
  path.join(root, "package-lock.json"),
  ...folders
    .flatMap((folder) => fs.readdirSync(path.join(root, "src", folder), { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name))
]

export const setup = async (): Promise<void> => {
  const isNewer = (file: string, folders: ReadonlyArray<string>): boolean => {
    const builtAt = changedAt(file)
    return sources(folders).every((source) => changedAt(source) <= builtAt)
  }
  const runBuild = (...script: ReadonlyArray<string>): void => {
    execFileSync(process.execPath, [path.join(root, "src", ...script)], { stdio: "inherit" })
  }
  // First: the types it generates are sources of the command line, too.
  if (!isNewer(client, ["client", "contract"])) runBuild("client", "build", "build.ts")
  if (!isNewer(packaged, [""])) runBuild("app", "packing", "build.ts")
  // Not at the top: tests import this file for the path alone.
  const { build } = await import("vite")
  for (const [page, name] of [
    [consolePage, "console"],
    [guestPage, "guest"]
  ] as const)
    if (!isNewer(page, [name, "bundle", "contract"]))
      await build({ configFile: path.join(root, "src", name, "vite.config.ts"), logLevel: "warn" })
  if (!isNewer(main, [""]))
    await build({ configFile: path.join(root, "src", "app", "cli", "vite.config.ts"), logLevel: "warn" })
}
