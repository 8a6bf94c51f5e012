/**
 * The user that runs PostgreSQL: the service's own user, or an unprivileged user
 * if the service is root, because PostgreSQL refuses to run as root.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { DatabaseStartError } from "../Database.ts"

/** Timeout of start, stop and initdb, ms: crash recovery after hours of load takes long. */
export const commandTimeoutMs = 120_000

/** Folder for files that the unprivileged user cannot reach elsewhere. */
export const reachableRoot = "/var/lib/lotbook"

export interface Runner {
  /** Absent: the service's own user. */
  readonly uid?: number
  readonly gid?: number
  readonly name: string
}

export const failed = (message: string) => new DatabaseStartError({ message })

/** Runs a file system operation; its failure stops the start and names the step. */
export const attempt = <A>(step: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => failed(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

export interface Ran {
  readonly code: number
  readonly output: string
}

/** Runs a program as the runner; returns its exit code and output. */
export const run = (runner: Runner, file: string, args: ReadonlyArray<string>): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const { name: _, ...identity } = runner
    const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" }
    const options = { ...identity, env, cwd: "/", timeout: commandTimeoutMs }
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      process.off("exit", kill)
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1
      const output = `${stdout}${stderr}`.trim()
      resume(Effect.succeed({ code, output: output === "" && error !== null ? error.message : output }))
    })
    // A service that ends without waiting for it takes it along.
    const kill = () => child.kill()
    process.on("exit", kill)
    return Effect.sync(kill)
  })

/** The unprivileged user for root: `postgres` if it exists, else `nobody`. */
export const find: Effect.Effect<Runner, DatabaseStartError> = Effect.suspend(() => {
  const { uid, username } = os.userInfo()
  if (uid !== 0) return Effect.succeed({ name: username })
  return Effect.flatMap(
    attempt("/etc/passwd", () => fs.readFileSync("/etc/passwd", "utf8")),
    (text) => {
      const users = text.split("\n").map((line) => line.split(":"))
      const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
      const [name, , id, group] = user ?? []
      if (name === undefined || id === undefined || group === undefined) {
        return Effect.fail(
          failed("PostgreSQL must not run as root, and there is no user postgres or nobody to run it as.")
        )
      }
      return Effect.succeed({ uid: Number(id), gid: Number(group), name })
    }
  )
})
