/** Statements, commands and queries of the runbook and the guides of operators can be run. */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Demo from "../../src/app/demo/Demo.ts"
import { Database } from "../../src/base/database/Database.ts"
import * as InProcess from "../app/cli/InProcess.ts"
import { urlOf } from "../app/cli/Lotbook.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as Folders from "../Folders.ts"

const folder = path.join(import.meta.dirname, "..", "..", "src", "docs")
const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8")
const pages = new Map(
  [
    "runbook.md",
    "operating.md",
    "backups.md",
    ...fs.readdirSync(path.join(folder, "runbook")).map((name) => `runbook/${name}`)
  ].map((name) => [name, read(name)])
)

/** Statements after `psql … -c`, and those in running text. */
const statementsIn = (text: string): ReadonlyArray<string> =>
  [
    ...text.matchAll(/psql "\$DATABASE_URL" -c '([^']+)'/g),
    ...text.matchAll(/psql "\$DATABASE_URL" -c "([^"]+)"/g),
    ...text.matchAll(/`(SELECT [^`]+)`/g)
  ].map(([, statement = ""]) => statement)

/** Arguments of the command line, by line of a code block or in running text. */
const commandsIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [
    ...text.matchAll(/^ *(?:PROTO_TOKEN=… )?lotbook ([a-z][^#\n]*)/gm),
    ...text.matchAll(/`lotbook ([a-z]+ [a-z-]+[^`|]*)`/g)
  ].map(([, line = ""]) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""))

/** Those that would wait, print help, or check a whole host: tests of their own run them. */
const isElsewhere = ([command, subcommand = ""]: ReadonlyArray<string>): boolean =>
  command === "serve" ||
  command === "verify" ||
  command === "feed" ||
  // They need a folder, and months that are over.
  (command === "journal" && ["archive", "restore"].includes(subcommand)) ||
  (command === "tokens" && ["rotate", "revoke"].includes(subcommand))

describe("the runbook", () => {
  it.live("tells statements and commands that run as they stand", () =>
    Effect.gen(function* () {
      yield* Demo.seed
      const safe = Folders.make("lotbook-safe-")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(safe, { recursive: true })))
      const { privateKey } = generateKeyPairSync("ed25519")
      fs.writeFileSync(path.join(safe, "anchor.pem"), privateKey.export({ type: "pkcs8", format: "pem" }))
      const port = yield* TestServer.port
      const url = `http://127.0.0.1:${port}`
      const database = yield* Database
      const connection = yield* PgConnection.make(database.clientConfig)
      let statements = 0
      const commands = new Map<string, ReadonlyArray<string>>()
      for (const [name, text] of pages) {
        for (const statement of statementsIn(text)) {
          const placed = statement.replace("pg_terminate_backend(pid)", "pg_terminate_backend(NULL)")
          const ran = yield* Effect.exit(connection.query(placed))
          assert.strictEqual(ran._tag, "Success", `${name}: ${statement}`)
          statements++
        }
        for (const found of commandsIn(text)) {
          const args = found.map((arg) =>
            arg
              .replace("/safe", safe)
              .replace("https://loyalty.example.com", url)
              .replace("MEMBER", "member-003")
              .replace("corner-bowl", "demo-foodservice")
          )
          if (!isElsewhere(args)) commands.set(args.join(" "), args)
        }
      }
      assert.isAtLeast(statements, 9)
      assert.isAtLeast(commands.size, 8)
      const variables = {
        DATABASE_URL: urlOf(database),
        PROTO_TOKEN: "proto-dev-token",
        PROTO_ADMIN_KEY: "proto-dev-admin-key"
      }
      for (const [what, args] of commands) {
        const { code, err, out } = yield* InProcess.lotbook(args, variables)
        assert.strictEqual(code, 0, `${what}\n${out}${err}`)
      }
    }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
  )

  it("asks only for metrics of the guide", () => {
    const listed = new Set([...read("operating.md").matchAll(/^\| `(lotbook_\w+)`/gm)].map(([, metric = ""]) => metric))
    for (const [name, text] of pages) {
      // The two roles of the guide are no metrics.
      for (const [metric] of text.matchAll(/\blotbook_(?!owner\b|service\b)[a-z_]+\b/g))
        assert.isTrue(listed.has(metric.replace(/_(bucket|count|sum)$/, "")), `${name}: ${metric}`)
    }
  })
})
