/** Creates a cluster (the files of a PostgreSQL server) and checks its version. */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Folder } from "./Folder.ts"
import { hasCluster, passwordFile, stepOf } from "./Folder.ts"
import { isAlive } from "./Processes.ts"
import type { Runner } from "./Runner.ts"
import { attempt, failed, run } from "./Runner.ts"
import type { Tools } from "./Tools.ts"

/** Removes incomplete clusters of killed starts. */
const sweep = (folder: Folder, runner: Runner) =>
  attempt(stepOf(folder.base, runner), () => {
    for (const name of fs.readdirSync(folder.base)) {
      const pid = /^postgres\.new\.(\d+)\./.exec(name)?.[1]
      if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(path.join(folder.base, name), { recursive: true })
    }
  })

/**
 * Creates the cluster in a temporary folder, then renames it. So an interrupted
 * start leaves no incomplete cluster, and of two concurrent starts one wins.
 */
export const initialise = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder) {
  yield* sweep(folder, runner)
  const building = `${folder.data}.new.${process.pid}.${randomBytes(4).toString("hex")}`
  const password = `${building}.password`
  const remove = Effect.sync(() => {
    fs.rmSync(building, { recursive: true, force: true })
    fs.rmSync(password, { force: true })
  })
  yield* Effect.gen(function* () {
    yield* attempt(stepOf(folder.base, runner), () => {
      fs.writeFileSync(password, randomBytes(24).toString("hex"), { mode: 0o600 })
      if (runner.uid !== undefined && runner.gid !== undefined) fs.chownSync(password, runner.uid, runner.gid)
    })
    const made = yield* run(runner, tools.initdb, [
      `--pgdata=${building}`,
      "--username=lotbook",
      `--pwfile=${password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--data-checksums"
    ])
    if (made.code !== 0) return yield* failed(`initdb failed in ${folder.base}:\n${made.output}`)
    yield* attempt(`The data folder ${folder.data}`, () => {
      fs.renameSync(password, path.join(building, passwordFile))
      try {
        fs.renameSync(building, folder.data)
      } catch (error) {
        // A concurrent start was faster: its cluster is used.
        if (!hasCluster(folder)) throw error
      }
    })
  }).pipe(Effect.ensuring(remove))
})

export const checkVersion = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder) {
  const found = fs.readFileSync(path.join(folder.data, "PG_VERSION"), "utf8").trim()
  const { output } = yield* run(runner, tools.postgres, ["--version"])
  const ours = /\b(\d+)\./.exec(output)?.[1]
  if (ours !== found) {
    return yield* failed(
      `${folder.data} was created by PostgreSQL ${found}, this service has ${ours ?? "none"}. Dump it with the old version and restore the dump, or set another DATA_DIR.`
    )
  }
})
