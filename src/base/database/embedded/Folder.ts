/** The folder that holds the embedded server's files. */
import { Effect } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Runner } from "./Runner.ts"
import { attempt, failed, reachableRoot, run } from "./Runner.ts"

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

/** Whether the folder has a complete cluster. */
export const hasCluster = (folder: Folder): boolean => fs.existsSync(path.join(folder.data, "PG_VERSION"))

/** A step on the data folder, for messages. */
export const stepOf = (base: string, runner: Runner): string =>
  `The data folder (DATA_DIR) ${base}, which user ${runner.name} must be able to write`

/** A name in the service's own folder: the cluster, its log, a cluster that is being made. A new disk has the last one. */
const isOwnName = (name: string): boolean => /^postgres($|\.)|^lost\+found$/.test(name)

/** Makes the folder, and gives it to the runner, unless it holds files of others. */
const makeBase = (base: string, runner: Runner) =>
  attempt(stepOf(base, runner), () => {
    fs.mkdirSync(base, { recursive: true, mode: 0o755 })
    // Read before the access is tested: of two concurrent starts, the later one may see files of the earlier one, but
    // then the earlier one has already changed the owner.
    if (runner.uid === undefined || runner.gid === undefined || !fs.readdirSync(base).every(isOwnName)) return
    if (fs.statSync(base).uid !== runner.uid) fs.chownSync(base, runner.uid, runner.gid)
  })

/**
 * The data folder, or the folder instead of it if the runner cannot reach it. Fails where that would replace data by an
 * empty database. Writes nothing.
 */
const located = Effect.fnUntraced(function* (runner: Runner, wanted: string) {
  if (runner.uid === undefined) return wanted
  const reachable = (yield* run(runner, "/bin/sh", ["-c", 'test -w "$0" && test -x "$0"', wanted])).code === 0
  if (reachable) return wanted
  const digest = hash("sha256", fs.realpathSync(wanted))
  const instead = path.join(reachableRoot, digest.slice(0, 16))
  if (hasCluster(folderIn(wanted)) && !hasCluster(folderIn(instead))) {
    return yield* failed(
      `User ${runner.name} cannot write the data folder (DATA_DIR) ${wanted}, which has data. Give it to that user: chown ${runner.name} ${wanted}`
    )
  }
  return instead
})

/** The folder of an existing data folder, for commands. */
export const find = (runner: Runner, dataDir: string) => Effect.map(located(runner, path.resolve(dataDir)), folderIn)

/** Makes the data folder, or a replacement that the runner can reach. Concurrent starts get the same one. */
export const reach = Effect.fnUntraced(function* (runner: Runner, dataDir: string) {
  const wanted = path.resolve(dataDir)
  yield* makeBase(wanted, runner)
  const base = yield* located(runner, wanted)
  if (base !== wanted) {
    yield* makeBase(base, runner)
    yield* Effect.logInfo(`User ${runner.name} cannot reach ${wanted}; the data is in ${base}`)
  }
  return folderIn(base)
})
