/**
 * By hand: a rolling upgrade from another commit to this tree, under load.
 *
 *     node test/operations/upgrade.ts [commit]
 *
 * Without a commit it takes the newest tag, or the commit before this one.
 */
import { Effect, Exit, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../src/database/embedded/EmbeddedPostgres.ts"
import { runFolder } from "../faults/Processes.ts"
import { roll } from "./Rolling.ts"

const root = path.join(import.meta.dirname, "..", "..")
const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

const [tag = ""] = git("tag", "--sort=-v:refname").split("\n")
const commit = process.argv[2] ?? (tag === "" ? "HEAD~1" : tag)
const { folder, remove } = runFolder()
const former = path.join(folder, "tree")
const scope = Scope.makeUnsafe()
try {
  git("worktree", "add", "--detach", former, commit)
  fs.symlinkSync(path.join(root, "node_modules"), path.join(former, "node_modules"))
  const made = EmbeddedPostgres.make(path.join(folder, "data"))
  const { clientConfig } = await Effect.runPromise(Scope.provide(made, scope))
  const { password, port } = clientConfig
  if (!Redacted.isRedacted(password)) throw new Error("the embedded server has a password")
  const url = `postgres://lotbook:${Redacted.value(password)}@127.0.0.1:${port}/postgres`
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
  await Effect.runPromise(Scope.close(scope, Exit.void))
  if (fs.existsSync(former)) git("worktree", "remove", "--force", former)
  remove()
}
