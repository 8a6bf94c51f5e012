/**
 * By hand: a rolling upgrade from another commit to this tree, under load.
 *
 *     node test/app/operations/upgrade.ts [commit]
 *
 * Without a commit it takes the newest release, or the commit before this one.
 */
import * as path from "node:path"
import { runFolder } from "../../faults/Processes.ts"
import * as TestPostgres from "../../TestPostgres.ts"
import { newestRelease, unpack } from "./Released.ts"
import { roll } from "./Rolling.ts"

const commit = process.argv[2] ?? newestRelease() ?? "HEAD~1"
const { folder, remove } = runFolder()
let server: Awaited<ReturnType<typeof TestPostgres.start>> | undefined
try {
  const formerMain = unpack(commit, path.join(folder, "tree"))
  server = await TestPostgres.start(path.join(folder, "data"))
  const url = TestPostgres.urlOf(server.clientConfig)
  const { done, failures, formerExit, gapMs, second } = await roll({ folder, url, formerMain })
  await second.stop()
  const posted = [...done.values()].reduce((sum, count) => sum + count, 0)
  process.stdout.write(
    `${commit}: ${posted} accruals, ${failures.length} failed, ${gapMs} ms at most without an answer, exit ${formerExit}\n`
  )
  for (const failure of failures) process.stdout.write(`${JSON.stringify(failure)}\n`)
  process.exitCode = failures.length === 0 && gapMs <= 5_000 && formerExit === 0 ? 0 : 1
} finally {
  await server?.stop()
  remove()
}
