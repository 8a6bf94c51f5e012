/** The commands of the guides run as they stand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Demo from "../../src/app/demo/Demo.ts"
import { Database } from "../../src/base/database/Database.ts"
import { urlOf } from "../app/cli/Lotbook.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"

const folder = path.join(import.meta.dirname, "..", "..", "src", "docs")

const hasShell = spawnSync("bash", ["-c", "command -v curl && command -v openssl"]).status === 0

const shellOf = (file: string): string =>
  [...fs.readFileSync(path.join(folder, file), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, code]) => code)
    .join("")

/** `env`: commands without an address find the demo's database. */
const bash = (script: string, env: NodeJS.ProcessEnv) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
        // The metrics of all tests of this process are among what is printed.
        execFile(
          "bash",
          ["-euo", "pipefail", "-c", script],
          { env, maxBuffer: 64 * 1024 * 1024 },
          (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: stdout + stderr })
        )
      })
  )

describe("the guides", () => {
  const withCommands = fs.readdirSync(folder).filter((file) => file.endsWith(".md") && shellOf(file) !== "")

  it.live.skipIf(!hasShell)("commands run as they stand on a demo, twice", () =>
    Effect.gen(function* () {
      assert.isAtLeast(withCommands.length, 4)
      yield* Demo.seed
      const port = yield* TestServer.port
      const env = { ...process.env, DATABASE_URL: urlOf(yield* Database) }
      for (const file of [...withCommands, ...withCommands]) {
        const { code, output } = yield* bash(shellOf(file).replaceAll("127.0.0.1:3210", `127.0.0.1:${port}`), env)
        assert.strictEqual(code, 0, `${file}: ${output}`)
      }
    }).pipe(Effect.provide(DemoServer.layer))
  )
})
