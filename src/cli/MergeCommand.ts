/** `lotbook members merge`: merges a member into another one (admin.md). */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Merge from "../members/Merge.ts"
import * as Contract from "../contract/admin/Merge.ts"
import type { Open } from "./AdminTarget.ts"
import { ask, running, targetFlags } from "./AdminTarget.ts"
import { checked, json, memberLine, onDatabase, print, program, reason } from "./MemberCommands.ts"

const from = Argument.withDescription(Argument.String("from"), "the member that is merged: it is closed for ever")
const into = Argument.withDescription(
  Argument.String("into"),
  "the member that remains and gets everything of the other one"
)

export const merge = (open: Open) =>
  Command.make(
    "merge",
    { ...targetFlags, from, into, program, reason, json },
    ({ from, into, json, program, reason, ...flags }) =>
      running(
        Effect.gen(function* () {
          const { program_id } = yield* checked(Contract.MergeParams, { program_id: program })
          const payload = yield* checked(Contract.Merge, { from, into, reason })
          const answer = yield* ask(flags, {
            at: (client) => client.merge.mergeMembers({ params: { program_id }, payload }),
            on: onDatabase(open, "write", () =>
              Effect.flatMap(Merge.make, (merging) => merging.merge(program_id, payload))
            )
          })
          yield* print(json, answer, () => [`${from} was merged.`, memberLine(answer.member)])
        })
      )
  ).pipe(
    Command.withDescription("Merge a member into another one, with its points, rewards, metrics and identities."),
    Command.withExamples([
      {
        command:
          "lotbook members merge member-004 member-003 --program demo-foodservice --url http://127.0.0.1:3210 --reason 'Two cards'",
        description: "member-003 stays and gets everything"
      }
    ])
  )
