/**
 * The help of every command: what it does, and examples that run as they stand. Holds contract/operators.md *Commands*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Demo from "../../../src/app/demo/Demo.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { lotbook } from "../../../src/main.ts"
import * as DemoServer from "../service/DemoServer.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"
import { urlOf } from "./Lotbook.ts"

interface Documented {
  readonly name: string
  readonly description: string | undefined
  readonly examples: ReadonlyArray<{ readonly command: string; readonly description?: string | undefined }>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Documented> }>
}

/** Every command with the words that call it. */
const commandsOf = (command: Documented, before = ""): ReadonlyArray<readonly [string, Documented]> => {
  const own = `${before}${command.name}`
  const below = command.subcommands.flatMap(({ commands }) => commands.flatMap((one) => commandsOf(one, `${own} `)))
  return [[own, command], ...below]
}

const all = commandsOf(lotbook)

/** The variables and the arguments of an example; a shell would take what is behind `>`. */
const parsed = (example: string) => {
  const [, assigned = "", line = ""] = /^((?:\w+=\S+ )*)lotbook ([^>]*)/.exec(example) ?? []
  const variables = [...assigned.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value] as const)
  const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  return { args, variables: Object.fromEntries(variables) }
}

/** These run for long, or need a file of their own; other tests run them. */
const isElsewhere = (example: string): boolean =>
  / (serve|mcp|emulate|move-in|export|feed missing|journal archive|journal restore|verify http|verify .*--expect|.*--anchor)\b/.test(
    example
  )

describe("the help", () => {
  it("says of every command what it does in sentences, and has an example of it", () => {
    assert.isAbove(all.length, 25)
    for (const [own, { description, examples }] of all) {
      assert.match(description ?? "", /^[A-Z][\s\S]*\.$/, own)
      assert.isNotEmpty(examples, own)
      for (const example of examples) {
        assert.include(example.command, own)
        assert.match(example.description ?? "", /\S/, own)
      }
    }
  })

  it("is there for every command that the contract names", () => {
    const pages = path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "contract")
    const [, section = ""] = fs.readFileSync(path.join(pages, "operators.md"), "utf8").split("\n## Commands\n")
    const named = [...section.replaceAll("\n", " ").matchAll(/`(lotbook [a-z]+)(?: ([a-z|-]+))?`/g)].flatMap(
      ([, command = "", words]) =>
        words === undefined ? [command] : words.split("|").map((word) => `${command} ${word}`)
    )
    assert.isAtLeast(named.length, 20)
    const known = new Set(all.map(([own]) => own))
    assert.deepStrictEqual(
      named.filter((own) => !known.has(own)),
      []
    )
  })

  it.live("has examples that run as they stand, beside the demo's service", () =>
    Effect.gen(function* () {
      yield* Demo.seed
      const port = yield* TestServer.port
      const DATABASE_URL = urlOf(yield* Database)
      const commands = new Set(all.flatMap(([, { examples }]) => examples.map(({ command }) => command)))
      let token = ""
      let ran = 0
      for (const command of commands) {
        if (isElsewhere(command)) continue
        // The demo is new: it has no members at the moments that examples name, once those have passed.
        const moment = new Date().toISOString()
        const line = command.replace(":3210", `:${port}`).replace(/tok_\w+/, token)
        const { args, variables } = parsed(line.replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, moment))
        const run = InProcess.lotbook(args, { DATABASE_URL, PROTO_ADMIN_KEY: "proto-dev-admin-key", ...variables })
        // The service may be sealing what the example before it began; then the command says so, and is run again.
        const { code, err, out } = yield* Effect.repeat(run, {
          until: ({ err, out }) => !(out + err).includes("seals at this moment"),
          times: 100
        })
        assert.strictEqual(code, 0, `${command}\n${out}${err}`)
        token = /tok_\w+/.exec(out + err)?.[0] ?? token
        ran++
      }
      assert.isAbove(ran, 30)
    }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
  )
})

it.effect("a wrong command line gets one line that names the fault and the help, and fails", () =>
  Effect.gen(function* () {
    for (const [args, line] of [
      [["bogus"], 'Unknown subcommand "bogus" for "lotbook"; see lotbook --help'],
      [["serve", "--bogus"], "Unrecognized flag: --bogus in command lotbook serve; see lotbook serve --help"],
      [["--bogus"], "Unrecognized flag: --bogus in command lotbook serve; see lotbook serve --help"],
      [["--sandbox-clock"], "Missing value for flag --sandbox-clock. Expected: string; see lotbook serve --help"],
      [["serve", "--port"], "Missing value for flag --port. Expected: string; see lotbook serve --help"],
      [["journal", "show"], "Missing required argument: member; see lotbook journal show --help"],
      [["migrate", "again"], 'Unexpected positional argument: "again"; see lotbook migrate --help']
    ] as const)
      assert.deepStrictEqual(yield* InProcess.lotbook(args), { code: 2, out: "", err: `${line}\n` })
  })
)
