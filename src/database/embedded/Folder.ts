/** The folder that holds the embedded server's files. */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Runner } from "./Runner.ts"
import { attempt, reachableRoot, run } from "./Runner.ts"

export interface Folder {
  /** Holds the cluster and the log. */
  readonly base: string
  readonly data: string
  readonly log: string
}

/** The password file is inside the cluster, so that one rename creates both. */
export const passwordFile = "lotbook.password"

const folderIn = (base: string): Folder => ({
  base,
  data: path.join(base, "postgres"),
  log: path.join(base, "postgres.log")
})

const makeBase = (base: string, runner: Runner) =>
  attempt(`The data folder ${base}`, () => {
    fs.mkdirSync(base, { recursive: true, mode: 0o755 })
    if (runner.uid !== undefined && runner.gid !== undefined) fs.chownSync(base, runner.uid, runner.gid)
  })

/** The data folder, or a replacement that the runner can reach. */
export const reach = Effect.fnUntraced(function* (runner: Runner, dataDir: string) {
  const wanted = path.resolve(dataDir)
  yield* makeBase(wanted, runner)
  if (runner.uid === undefined) return folderIn(wanted)
  // Only tests access and writes nothing: concurrent starts must get the same result.
  const reachable = (yield* run(runner, "/bin/sh", ["-c", 'test -w "$0" && test -x "$0"', wanted])).code === 0
  if (reachable) return folderIn(wanted)
  const instead = path.join(
    reachableRoot,
    createHash("sha256").update(fs.realpathSync(wanted)).digest("hex").slice(0, 16)
  )
  yield* makeBase(instead, runner)
  yield* Effect.logInfo(`User ${runner.name} cannot reach ${wanted}; the data is in ${instead}`)
  return folderIn(instead)
})
