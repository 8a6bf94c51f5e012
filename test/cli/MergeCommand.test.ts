/** `lotbook members merge` as an operator runs it, on the database. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import { credit, enroll } from "../../src/testing/Guests.ts"
import * as Scenario from "../reconcile/Scenario.ts"

const main = path.join(import.meta.dirname, "..", "..", "src", "main.ts")

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const lotbook = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(Database, ({ clientConfig: { database, host, password, port, username } }) => {
    if (!Redacted.isRedacted(password)) throw new Error("the test's server has a password")
    const DATABASE_URL = `postgres://${username}:${Redacted.value(password)}@${host}:${port}/${database}`
    return Effect.callback<Ran>((resume) => {
      const env = { ...process.env, NO_COLOR: "1", DATABASE_URL }
      const child = spawn(process.execPath, [main, "members", ...args, "--program", "demo-foodservice"], {
        env,
        stdio: ["ignore", "pipe", "pipe"]
      })
      const ran = { out: "", err: "" }
      for (const name of ["out", "err"] as const)
        child[`std${name}`].on("data", (chunk) => {
          ran[name] += String(chunk)
        })
      child.on("close", (code) => resume(Effect.succeed({ code, ...ran })))
      return Effect.sync(() => child.kill())
    })
  })

layer(Scenario.layer, { excludeTestServices: true })("lotbook members merge", (it) => {
  it.effect("merges once, and shows where the merged member went", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* credit("ben", 100)
      const merge = ["merge", "ben", "ada", "--reason", "two cards"] as const
      const merged = yield* lotbook(...merge)
      assert.deepStrictEqual(
        [merged.code, merged.out, merged.err],
        [0, "ben was merged.\nada in demo-foodservice: active\n", ""]
      )
      const [again, shown] = yield* Effect.all([lotbook(...merge), lotbook("show", "ben")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([again.code, again.out], [1, ""])
      assert.match(again.err, /^invalid_state: /)
      assert.match(shown.out, /^ben in demo-foodservice: closed, merged into ada\n/)
      assert.match(shown.out, /^points: 0 /m)
      yield* Scenario.countRollups
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )
})
