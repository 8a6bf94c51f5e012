/**
 * By hand: a rolling upgrade from another commit to this tree, under load.
 *
 *     node test/operations/upgrade.ts [commit]
 *
 * Without a commit it takes the newest tag, or the commit before this one.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { runFolder } from "../faults/Processes.ts"
import * as TestPostgres from "../TestPostgres.ts"
import { roll } from "./Rolling.ts"

const root = path.join(import.meta.dirname, "..", "..")
const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

const [tag = ""] = git("tag", "--sort=-v:refname").split("\n")
const commit = process.argv[2] ?? (tag === "" ? "HEAD~1" : tag)
const { folder, remove } = runFolder()
const former = path.join(folder, "tree")
let server: Awaited<ReturnType<typeof TestPostgres.start>> | undefined
try {
  git("worktree", "add", "--detach", former, commit)
  fs.symlinkSync(path.join(root, "node_modules"), path.join(former, "node_modules"))
  server = await TestPostgres.start(path.join(folder, "data"))
  const url = TestPostgres.urlOf(server.clientConfig)
  const formerMain = path.join(former, "src", "main.ts")
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
  if (fs.existsSync(former)) git("worktree", "remove", "--force", former)
  remove()
}
