/** The help of every command: what it does, every flag's meaning, and examples that name flags it has. */
import { assert, it } from "@effect/vitest"
import * as ConformanceCommands from "../../src/cli/ConformanceCommands.ts"
import * as JournalCommands from "../../src/cli/JournalCommands.ts"
import * as MemberCommands from "../../src/cli/MemberCommands.ts"
import * as MergeCommand from "../../src/cli/MergeCommand.ts"
import { migrate } from "../../src/cli/MigrateCommand.ts"
import * as ProgramCommands from "../../src/cli/ProgramCommands.ts"
import * as TokenCommands from "../../src/cli/TokenCommands.ts"

interface Documented {
  readonly name: string
  readonly description: string | undefined
  readonly examples: ReadonlyArray<{ readonly command: string; readonly description?: string | undefined }>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Documented> }>
}

/** Help opens no storage. */
const unopened = (): never => {
  throw new Error("help opens no storage")
}

const groups: ReadonlyArray<readonly [string, ReadonlyArray<Documented>]> = [
  [
    "lotbook",
    [
      migrate(unopened),
      JournalCommands.journal(unopened),
      JournalCommands.balance(unopened),
      ProgramCommands.programs(unopened),
      TokenCommands.tokens(unopened),
      TokenCommands.freeze(unopened),
      ConformanceCommands.doctor,
      ConformanceCommands.verify
    ]
  ],
  ["lotbook members", [...MemberCommands.members(unopened), MergeCommand.merge(unopened)]]
]

const leaves = (
  path: string,
  { name, subcommands, ...command }: Documented
): ReadonlyArray<readonly [string, Documented]> => {
  const own = `${path} ${name}`
  const below = subcommands.flatMap(({ commands }) => commands.flatMap((one) => leaves(own, one)))
  return below.length > 0 ? below : [[own, { name, subcommands, ...command }]]
}

it("every command says what it does in sentences, and has an example of itself", () => {
  const all = groups.flatMap(([path, commands]) => commands.flatMap((command) => leaves(path, command)))
  assert.isAbove(all.length, 20)
  for (const [own, { description, examples }] of all) {
    assert.match(description ?? "", /^[A-Z][\s\S]*\.$/, own)
    assert.isNotEmpty(examples, own)
    for (const example of examples) {
      assert.include(example.command, own)
      assert.match(example.description ?? "", /\S/, own)
    }
  }
})
